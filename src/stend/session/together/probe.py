"""Process of a drive in a trial, `python -m stend.session.together.probe`, which reads and writes JSON lines.

It reads {"target", "destroy", "keep_off", "interval_s", "overwrite"}, then {"hold": workload}, or {} for no load. It
writes {"ready"}, {"t", "counts"} each interval, {"rests"}, and finally {"refused"} or {"failed"}. It ends when its
input ends.
"""

import os
import select
import sys
import time

import msgspec

from stend import devices
from stend.base.errors import Refused, StendError
from stend.base.units import MiB
from stend.engines.fio import FioEngine
from stend.model.counts import Counts
from stend.model.definition import Workload


class Setup(msgspec.Struct, frozen=True):
    """The drive, which is opened through the gate, and the settings of the trial."""

    target: str
    destroy: str
    keep_off: str
    interval_s: float
    overwrite: tuple[str, ...] = ()


class Next(msgspec.Struct, frozen=True):
    """The workload to hold from now on, or None for no load."""

    hold: Workload | None = None


class Report(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line that a probe writes. `t` is the monotonic clock at the end of an interval."""

    ready: bool = False
    rests: bool = False
    refused: str = ""
    failed: str = ""
    t: float = 0.0
    counts: Counts | None = None


def main() -> None:
    """Serve until the input ends, or the drive fails."""
    line = sys.stdin.buffer.readline()
    try:
        _serve(msgspec.json.decode(line, type=Setup))
    except Refused as error:
        _send(Report(refused=str(error)))
    except StendError as error:
        _send(Report(failed=str(error)))


def _serve(setup: Setup) -> None:
    device = devices.find(setup.target)
    path = device.door.open(writes=True, destroy=setup.destroy, keep_off=(setup.keep_off,), overwrite=setup.overwrite)
    engine = FioEngine(path, interval_s=setup.interval_s)
    try:
        _fill(engine, device.identity.capacity_bytes)
        _send(Report(ready=True))
        while line := sys.stdin.buffer.readline():
            wanted = msgspec.json.decode(line, type=Next).hold
            if wanted:
                _hold(engine, wanted)
            _send(Report(rests=True))
    finally:
        engine.close()
        device.door.close()


def _fill(engine: FioEngine, room_bytes: int) -> None:
    """Write the blocks that are read later, because blocks that were never written are read too fast."""
    size = span(room_bytes)
    load = engine.start(
        Workload(random_pct=0, read_pct=0, block_bytes=MiB, depth=8, range_bytes=size), seed=1, limit_bytes=size
    )
    while load.next():
        pass
    load.stop()


def span(room_bytes: int) -> int:
    """Return the bytes of a drive that a trial uses."""
    return min(room_bytes, 1024 * MiB) // MiB * MiB


def _hold(engine: FioEngine, workload: Workload) -> None:
    """Run the load and write its counts after each interval, until the next line of input."""
    load = engine.start(workload, seed=1)
    while not select.select([sys.stdin.fileno()], [], [], 0)[0]:
        counts = load.next()
        if counts:
            _send(Report(t=time.monotonic(), counts=counts))
    load.stop()


def _send(report: Report) -> None:
    os.write(sys.stdout.fileno(), msgspec.json.encode(report) + b"\n")


if __name__ == "__main__":
    main()
