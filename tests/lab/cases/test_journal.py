"""The cost of a flush on a volume that delays flushes and nothing else: dm-delay over an NVMe drive."""

import mmap
import os
import time
from collections.abc import Iterator
from statistics import median

import pytest

from stend import findings, store
from tests.lab import bench
from tests.lab.cases.test_faults import VOLUME, turn, volume

__all__ = ["volume"]
pytestmark = pytest.mark.long
SETTINGS = ("blocks_kib = [4]", "threads_ladder = [1]", "bursts = [1, 16]")
TICK_MS = 4
"""dm-delay waits in steps of the kernel's timer (CONFIG_HZ=250), and an emulated kernel adds to it."""
WRITES, MINUTE_S = 200, "10"
WITHIN, TRIES = 0.05, 3


def delay(flush_ms: int) -> None:
    """Delay flushes by so much, and reads and writes not at all."""
    target = bench.node("LABRAID3")
    turn("delay", f"0 0 {target} 0 0 {target} 0 {flush_ms}")


def plain_flushes(path: str) -> Iterator[float]:
    """Write 4 KiB and flush, as a database without stend would; yield the seconds of each flush."""
    fd = os.open(path, os.O_WRONLY | os.O_DIRECT)
    with mmap.mmap(-1, 4096) as page:
        for place in range(WRITES):
            os.pwrite(fd, page, place * 4096)
            began = time.perf_counter()
            os.fdatasync(fd)
            yield time.perf_counter() - began
    os.close(fd)


def compared(volume: str, flush_ms: int, number: int) -> tuple[float, float, float]:
    """Return the median seconds of a flush of the plain loop before the journal, as found by it, and after it."""
    folder = bench.RUNS / f"flush-{flush_ms}-{number}"
    before_s = median(plain_flushes(volume))
    journal = bench.study("journal", *SETTINGS)
    asked = (journal, *bench.SHORT, "--round-seconds", MINUTE_S, "--target", volume, "--destroy-data", VOLUME)
    done = bench.stend("run", *asked, "--into", str(folder))
    assert done.returncode == 0, done.stderr
    after_s = median(plain_flushes(volume))
    run = store.load(folder)
    (costs,) = (f for f in findings.find(run) if f.name == "journal" and f.key in ("costs", "free"))
    assert costs.key == "costs"
    found_s = costs.values["flush_s"]
    assert isinstance(found_s, float)
    print(
        f"delay {flush_ms} ms: plain loop {before_s * 1e3:.2f} and {after_s * 1e3:.2f} ms, journal {found_s * 1e3:.2f}"
    )
    return before_s, found_s, after_s


@pytest.mark.parametrize("flush_ms", [10, 12, 40])
def test_the_delay_of_flushes_is_what_the_journal_finds(volume: str, flush_ms: int) -> None:
    """A busy host lengthens waits of an emulated machine for a part of a minute: the comparison is made again then."""
    delay(flush_ms)
    for number in range(TRIES):
        before_s, found_s, after_s = compared(volume, flush_ms, number)
        if (1 - WITHIN) * min(before_s, after_s) < found_s < (1 + WITHIN) * max(before_s, after_s):
            break
    else:
        pytest.fail(f"{TRIES} comparisons differ by more than {WITHIN:.0%}")
    assert flush_ms < found_s * 1e3 < flush_ms + 2 * TICK_MS
