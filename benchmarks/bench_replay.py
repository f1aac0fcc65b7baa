"""How a replay keeps a trace's times: lateness on nothing and on zram by rate, and the sender's share of a core."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from tests.stand import zram
from tests.traces import made

from stend.base.units import MiB
from stend.devices import block
from stend.engines.replay import ReplayEngine
from stend.model.pace import LATE_S, Pace
from stend.model.stats import percentile_s
from stend.model.tally import Tally
from stend.suite._played import laid, played
from stend.trace import playable

SECONDS = float(os.environ.get("STEND_REPLAY_SECONDS", "8"))
ROOM = 256 * MiB
RATES = {"null": (10_000, 50_000, 100_000, 20_000_000), "zram": (10_000, 50_000, 100_000, 2_000_000)}
"""IOPS; the last of each is more than a host can send."""
MOST_IOS = 2_000_000
PERCENTS = (50, 99, 99.9)


@contextmanager
def drive(kind: str) -> Iterator[str]:
    """Where it is sent to; "" for nowhere."""
    if kind == "null":
        yield ""
        return
    with zram(ROOM) as node:
        device = block.find(node)
        device.door.open(writes=True, destroy=Path(node).name)
        try:
            Path(node).write_bytes(os.urandom(ROOM))
            yield node
        finally:
            device.door.close()


def replayed(path: str, trace: str) -> tuple[Pace, float]:
    """A trace through its own end; the sender's share of a processor meanwhile."""
    told = playable.summarise(trace)
    engine = ReplayEngine(path, traces={told.number: trace}, interval_s=0.25)
    try:
        load = engine.start(played(told, 1.0, *laid(told, ROOM, "auto")), seed=1)
        clock = ~load.sender.child.pid << 3 | 2  # clock_getcpuclockid
        pace, began, cpu_s, used = Pace(), time.monotonic(), time.clock_gettime(clock), 0.0
        while not load.over:
            used = (time.clock_gettime(clock) - cpu_s) / (time.monotonic() - began)
            load.next()
            pace += load.pace or Pace()
    finally:
        engine.close()
    return pace, used


def lateness(pace: Pace) -> str:
    """Percentiles in microseconds, the longest, and the shares that are late."""
    bins = Tally(ios=pace.sent, bins=pace.lateness, max_ns=pace.latest_ns)
    mid = " / ".join(f"{(percentile_s(bins, percent) or 0) * 1e6:.0f}" for percent in PERCENTS)
    return (
        f"{mid} us late (p50 / p99 / p99.9), {pace.latest_ns / 1e6:.2f} ms at most; {pace.late_share:.3%} beyond "
        f"{LATE_S * 1000:.0f} ms, {pace.full_share:.3%} for a full queue; {'INVALID' if pace.invalid else 'valid'}"
    )


def main() -> None:
    """A line a drive and rate."""
    with tempfile.TemporaryDirectory() as folder:
        for kind, rates in RATES.items():
            with drive(kind) as node:
                for rate in rates:
                    ios = min(round(rate * SECONDS), MOST_IOS)
                    trace = made(
                        Path(folder) / f"{rate}.parquet", ios=ios, seconds=ios / rate, depth=np.ones(ios, np.int32)
                    )
                    pace, share = replayed(node, trace)
                    assert pace.sent == ios, pace
                    print(f"{kind} at {rate} IOPS: {lateness(pace)}; {share:.0%} of a processor", flush=True)
                assert pace.invalid, "a rate that no host can send was called valid"


if __name__ == "__main__":
    main()
