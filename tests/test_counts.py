"""Counts of IOs: what follows from them, and from none."""

import pytest

from stend.model.counts import Counts
from stend.model.tally import Tally

QUANTITIES = ("iops", "throughput", "latency")


@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_without_ios_every_quantity_is_nought(seconds: float) -> None:
    none = Counts(seconds, 0.0)
    assert [none.quantity(name) for name in QUANTITIES] == [0.0, 0.0, 0.0]
    assert (none.ios, none.max_s, none.both) == (0, 0.0, Tally())


def test_reads_and_writes_are_added_up() -> None:
    read = Tally(ios=3, bytes=12_288, latency_ns=600e3, max_ns=300e3)
    both = Counts(2.0, 0.5, read, Tally(ios=1, bytes=8192, latency_ns=1e6, max_ns=1e6))
    assert [both.quantity(name) for name in QUANTITIES] == [2.0, 10_240.0, pytest.approx(400e-6)]
    assert both.max_s == pytest.approx(1e-3)
    twice = both + Counts(1.0, 0.25, read)
    assert (twice.seconds, twice.cpu_s, twice.read.ios, twice.write.ios, twice.both.ios) == (3.0, 0.75, 6, 1, 7)


def test_of_no_seconds_no_rate_follows() -> None:
    counts = Counts(0.0, 0.0, Tally(ios=3, bytes=12_288, latency_ns=600e3))
    assert [counts.quantity(name) for name in QUANTITIES] == [0.0, 0.0, pytest.approx(200e-6)]
