"""A drive's own process in a trial: `python -m stend.session.together.probe`, told a JSON line at a time.

It reads {"target", "destroy", "keep_off", "interval_s", "overwrite"}, then {"hold": workload} or {} for none.
It answers {"ready"}, {"t", "counts"} each interval, {"rests"}, and {"refused"} or {"failed"} at last. It ends with its
input.
"""

import os
import select
import sys
import time
from typing import Any

import msgspec

from stend import devices
from stend.base.errors import Refused, StendError
from stend.base.units import MiB
from stend.engines.fio import FioEngine
from stend.model.counts import Counts
from stend.model.definition import Workload


class Asked(msgspec.Struct, frozen=True):
    """Which drive, through the gate like every other."""

    target: str
    destroy: str
    keep_off: str
    interval_s: float
    overwrite: tuple[str, ...] = ()


class Next(msgspec.Struct, frozen=True):
    """What is to be held from now on; nothing at all without."""

    hold: Workload | None = None


class Heard(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a probe says: `t` is the monotonic clock at the end of an interval."""

    ready: bool = False
    rests: bool = False
    refused: str = ""
    failed: str = ""
    t: float = 0.0
    counts: Counts | None = None


def main() -> None:
    """Until the input ends, or the drive fails."""
    told = sys.stdin.buffer.readline()
    try:
        _serve(msgspec.json.decode(told, type=Asked))
    except Refused as error:
        _say(Heard(refused=str(error)))
    except StendError as error:
        _say(Heard(failed=str(error)))


def _serve(asked: Asked) -> None:
    device = devices.find(asked.target)
    path = device.door.open(writes=True, destroy=asked.destroy, keep_off=(asked.keep_off,), overwrite=asked.overwrite)
    engine = FioEngine(path, interval_s=asked.interval_s)
    try:
        _filled(engine, device.identity.capacity_bytes)
        _say(Heard(ready=True))
        while line := sys.stdin.buffer.readline():
            wanted = msgspec.json.decode(line, type=Next).hold
            if wanted:
                _hold(engine, wanted)
            _say(Heard(rests=True))
    finally:
        engine.close()
        device.door.close()


def _filled(engine: FioEngine, room_bytes: int) -> None:
    """What is to be read is there: nothing answers faster than blocks that were never written."""
    size = span(room_bytes)
    load = engine.start(
        Workload(random_pct=0, read_pct=0, block_bytes=MiB, depth=8, range_bytes=size), seed=1, limit_bytes=size
    )
    while load.next():
        pass
    load.stop()


def span(room_bytes: int) -> int:
    """The part of a drive that a trial works on."""
    return min(room_bytes, 1024 * MiB) // MiB * MiB


def _hold(engine: FioEngine, workload: Workload) -> None:
    """The load, told an interval at a time, until the next word."""
    load = engine.start(workload, seed=1)
    while not select.select([sys.stdin.fileno()], [], [], 0)[0]:
        counts = load.next()
        if counts:
            _say(Heard(t=time.monotonic(), counts=counts))
    load.stop()


def _say(heard: Any) -> None:
    os.write(sys.stdout.fileno(), msgspec.json.encode(heard) + b"\n")


if __name__ == "__main__":
    main()
