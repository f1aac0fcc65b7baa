"""Boundaries of the steps that tests draw: streams, traces, points of a sweep, parts of the range."""

from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.base.units import GiB, MiB
from stend.model.counts import Counts
from stend.model.definition import Whole, Workload
from stend.model.tally import Tally
from stend.model.traced import Traced
from stend.suite import (
    _clauses,
    _demand,
    _played,
    _streams,
)
from stend.trace import form
from stend.trace.steps import Part
from tests.test_unseen_steps import FILE, profile

# Streams and traces


@pytest.mark.parametrize(
    ("ios", "share_pct", "shares"),
    [((50, 30, 20), 80, [50, 30]), ((50, 30, 20), 80.1, [50, 30, 20]), ((50, 30, 20), 50, [50]),
     ((50, 30, 20), 100, [50, 30, 20]), ((1,), 80, [100]), ((1, 1), 50, [50])],
)  # fmt: skip
def test_the_most_frequent_streams_make_up_the_share_of_a_capture(
    ios: tuple[int, ...], share_pct: float, shares: list[float]
) -> None:
    parts = [Part(form.READ, 4096, True, Tally(ios=n)) for n in ios]
    assert [stream.share for stream in _streams.chosen(parts, share_pct)] == shares


def test_a_stream_has_its_direction_and_at_least_a_sector_and_at_most_thirty_two_are_kept() -> None:
    parts = [Part(form.WRITE, 100, False, Tally(ios=3)), Part(form.FLUSH, 0, False, Tally(ios=90)),
             Part(form.READ, 8192, True, Tally(ios=1))]  # fmt: skip
    first, second = _streams.chosen(parts, 100)
    assert (first.label, first.share, first.block_bytes) == ("SEQ 0.5K W", 75, 512)
    assert (second.label, second.share) == ("RND 8K R", 25)
    with pytest.raises(BadInput, match="no reads and no writes"):
        _streams.chosen(parts[1:2], 80)
    many = [Part(form.READ, 512 * (n + 1), True, Tally(ios=1)) for n in range(40)]
    assert len(_streams.chosen(many, 100)) == 32
    assert _streams.mixed((first,), 2, 3) == _streams.alone(first, 2, 3)
    alone = _streams.alone(first, 2, 3)
    assert (alone.random_pct, alone.read_pct, alone.block_bytes, alone.threads, alone.depth) == (0, 0, 512, 2, 3)
    assert _streams.alone(second, 1, 1).label == "RND 8K 100/0 T1 Q1"
    assert len(_streams.mixed((first, second), 2, 3).streams) == 2


def traced(**facts: Any) -> Traced:
    plain = {"span_bytes": 5 * MiB, "longest_bytes": 8192, "ios": 12, "seconds": 10.0, "depth": 3.6, "discards": 2}
    ways = {"read": Tally(ios=6, bytes=6 * 8192), "write": Tally(ios=4, bytes=4 * 4096)}
    return Traced(number="n" * 8, name="t", source="x", **{**plain, **ways, **facts})


@pytest.mark.parametrize(
    ("span", "room", "wished", "placed"),
    [
        (5 * MiB, 5 * MiB, "auto", ("shift", 5 * MiB)),
        (5 * MiB + 1, 6 * MiB + 7, "auto", ("shift", 6 * MiB)),
        (5 * MiB + 1, 5 * MiB + 7, "auto", ("scale", 5 * MiB)),
        (5 * MiB, 9 * MiB + 7, "scale", ("scale", 9 * MiB)),
        (5 * MiB, 9 * MiB + 7, "wrap", ("wrap", 5 * MiB)),
        (5 * MiB, 3 * MiB + 7, "wrap", ("wrap", 3 * MiB)),
        (5 * MiB + 1, 5 * MiB + 7, "shift", None),
    ],
)
def test_a_trace_is_moved_where_it_fits_and_scaled_where_it_does_not(
    span: int, room: int, wished: Any, placed: tuple[str, int] | None
) -> None:
    if placed:
        assert _played.laid(traced(span_bytes=span), room, wished) == placed
    else:
        with pytest.raises(BadInput, match="use --fit scale or --fit wrap"):
            _played.laid(traced(span_bytes=span), room, wished)


def test_an_io_of_a_trace_fits_into_whole_mebibytes_of_the_range() -> None:
    assert _played.laid(traced(longest_bytes=MiB), MiB, "wrap") == ("wrap", MiB)
    with pytest.raises(BadInput, match="an IO of the trace has 1 MiB, the range only 1 MiB"):
        _played.laid(traced(longest_bytes=MiB + 512), 2 * MiB - 1, "wrap")


def test_a_trace_is_played_with_its_mean_size_and_depth() -> None:
    """Ten reads and writes of 64 KiB: 6,553.6 bytes each, in whole sectors 6,144."""
    load = _played.played(traced(), 2.0, "shift", 5 * MiB)
    assert (load.block_bytes, load.depth, load.read_pct, load.random_pct, load.range_bytes) == (
        6144,
        1024,
        60,
        100,
        5 * MiB,
    )
    assert load.replay
    assert (load.replay.ios, load.replay.seconds, load.replay.speed, load.replay.fit) == (10, 10.0, 2.0, "shift")
    assert _played.played(traced(), 0, "shift", MiB).depth == 4
    assert _played.played(traced(depth=0.2), 0, "shift", MiB).depth == 1
    assert _played.played(traced(depth=5000), 0, "shift", MiB).depth == 1024
    hurried = _played.played(traced(depth=0), 0, "shift", MiB)
    assert hurried.replay
    assert (hurried.replay.speed, hurried.depth) == (10_000, 1024)
    nothing = _played.played(traced(read=Tally(), write=Tally()), 1.0, "shift", MiB)
    assert nothing.block_bytes == 512


@pytest.mark.parametrize(("speed", "seconds"), [(1.0, 10.0), (4.0, 2.5), (0, 65_536 / 5e8)])
def test_a_pass_of_a_trace_lasts_its_time_by_the_speed_or_as_long_as_the_drive_needs(
    speed: float, seconds: float
) -> None:
    hold = _played.PlacedTrace(traced(), "shift", 5 * MiB).hold(speed, FILE)
    assert isinstance(hold.amount, Whole)
    assert hold.amount.seconds == pytest.approx(seconds)
    assert hold.amount.write_bytes == 16_384
    short = _played.PlacedTrace(traced(seconds=1e-5), "shift", 5 * MiB).hold(0, FILE)
    assert isinstance(short.amount, Whole)
    assert short.amount.seconds == 1e-5


# Points of a sweep


def counted(iops: int, mean_s: float) -> Counts:
    return Counts(1.0, 0.0, Tally(ios=iops, latency_ns=round(iops * mean_s * 1e9)))


def test_max_iops_is_the_fewest_outstanding_ios_with_about_the_most_below_five_milliseconds() -> None:
    def load(depth: int) -> Workload:
        return _clauses.random(100, 4, 1, depth)

    measured = {load(1): counted(100, 0.001), load(2): counted(990, 0.001), load(4): counted(1000, 0.0049),
                load(8): counted(5000, 0.005)}  # fmt: skip
    assert _demand.most(measured) == load(2), "within a hundredth of 1,000"
    assert _demand.most({**measured, load(2): counted(989, 0.001)}) == load(4)
    assert _demand.most({**measured, load(8): counted(5000, 0.0049)}) == load(8)
    slow = {work: counted(counts.ios, 0.1) for work, counts in measured.items()}
    assert _demand.most(slow) == load(8), "if none is as fast, all count"
    assert _demand.least(measured) == load(1)


@pytest.mark.parametrize(
    ("start", "size", "place"),
    [(0, 4 * MiB, (0, 4 * MiB)), (MiB + 5, 2 * MiB + 5, (MiB, 2 * MiB)), (0, 5, (0, MiB)),
     (7 * GiB, 2 * GiB, (7 * GiB, GiB)), (8 * GiB - MiB, GiB, (8 * GiB - MiB, MiB))],
)  # fmt: skip
def test_a_part_of_the_range_is_in_whole_mebibytes_and_ends_with_the_range(
    start: int, size: int, place: tuple[int, int]
) -> None:
    found = _clauses.span(profile("iops"), FILE, start, size)
    assert (found["start_bytes"], found["range_bytes"]) == place
