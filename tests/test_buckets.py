"""Buckets of a series, added up on paper."""

import pytest

from stend.live.buckets import Band, Bucket, Buckets
from stend.model.counts import Counts
from stend.model.events import Sample
from stend.model.tally import Tally


def sample(seconds: float, reads: int, writes: int, wait_ns: int = 1000) -> Sample:
    """Reads of 512 bytes that take so long each, and writes of 1,024 bytes that take twice as long."""
    read = Tally(reads, 512 * reads, wait_ns * reads, 0, wait_ns if reads else 0)
    write = Tally(writes, 1024 * writes, 2 * wait_ns * writes, 0, 2 * wait_ns if writes else 0)
    return Sample(t=0.0, counts=Counts(seconds, 0.0, read, write))


def test_a_series_of_2000_points_is_kept_and_a_longer_one_has_half_as_many_of_twice_the_length() -> None:
    series = Buckets()
    for number in range(2000):
        series.add(sample(1.0, number, 0), float(number + 1))
    assert (len(series), series.each, len(series.since(1990))) == (2000, 1, 10)
    series.add(sample(1.0, 5000, 0), 2001.0, 3, 4)
    assert (len(series), series.each) == (1001, 2)
    first, *_, last = series.since()
    assert (first.t, first.seconds, first.ios, first.iops) == (2.0, 2.0, 1, Band(0.0, 0.5, 1.0))
    assert (last.t, last.seconds, last.iops, last.place, last.round) == (
        2001.0,
        1.0,
        Band(5000.0, 5000.0, 5000.0),
        3,
        4,
    )
    series.add(sample(1.0, 7000, 0), 2002.0, 4, 1)
    assert len(series) == 1001
    assert series.since()[-1].iops == Band(5000.0, 6000.0, 7000.0)
    assert series.since()[-1][-2:] == (4, 1)


def test_a_bucket_has_the_rates_and_waits_of_reads_and_writes() -> None:
    series = Buckets()
    series.each = 2
    series.add(sample(2.0, 3, 1), 2.0)
    (point,) = series.since()
    assert point[:5] == (2.0, 2.0, 4, Band(2.0, 2.0, 2.0), Band(1280.0, 1280.0, 1280.0))
    assert point.latency == pytest.approx((1.25e-6, 1.25e-6, 2e-6))
    series.add(sample(1.0, 0, 6, 4000), 3.0, 1, 2)
    (point,) = series.since()
    assert (point.t, point.seconds, point.ios, point.place, point.round) == (3.0, 3.0, 10, 1, 2)
    assert point.iops == pytest.approx((2.0, 10 / 3, 6.0))
    assert point.throughput == pytest.approx((1280.0, (2560 + 6144) / 3, 6144.0))
    assert point.latency == pytest.approx((1.25e-6, 53e-6 / 10, 8e-6))
    assert len(series.closed) == 1


def test_a_sample_without_time_or_ios_has_no_rate_and_no_wait() -> None:
    series = Buckets()
    series.add(sample(0.0, 0, 0), 1.0)
    series.add(sample(1.0, 0, 0), 2.0)
    nothing = Band(0.0, 0.0, 0.0)
    assert series.since() == [
        Bucket(1.0, 0.0, 0, nothing, nothing, nothing),
        Bucket(2.0, 1.0, 0, nothing, nothing, nothing),
    ]
    assert (Buckets().since(), len(Buckets())) == ([], 0)


def test_two_buckets_are_one_whose_rates_are_weighted_by_time_and_waits_by_ios() -> None:
    one = Bucket(1.0, 1.0, 10, Band(1.0, 2.0, 3.0), Band(1.0, 2.0, 3.0), Band(1.0, 2.0, 3.0), 1, 2)
    two = Bucket(4.0, 3.0, 30, Band(0.0, 6.0, 9.0), Band(2.0, 10.0, 2.0), Band(0.5, 4.0, 9.0), 3, 4)
    assert one.joined(two) == Bucket(
        4.0, 4.0, 40, Band(0.0, 5.0, 9.0), Band(1.0, 8.0, 3.0), Band(0.5, 3.5, 9.0), 3, 4
    )  # fmt: skip
    nothing = Band(0.0, 0.0, 0.0)
    idle = Bucket(1.0, 0.0, 0, nothing, nothing, nothing)
    assert idle.joined(idle) == idle
    assert idle.joined(two).iops == Band(0.0, 6.0, 9.0)
    assert two.joined(idle).iops.mean == 6.0
