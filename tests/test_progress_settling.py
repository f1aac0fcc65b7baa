"""Searches for steady state and saturations: when they are expected to end, and at what rate a drive is filled."""

import math

import pytest
from msgspec.structs import replace

from stend.base.units import GiB, KiB
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Seconds
from stend.model.events import Sample
from stend.model.tally import Tally
from stend.runner.progress import Learned, Progress, View, kind, next_move
from tests.test_progress_exact import (
    FILL,
    FILLS,
    MINUTE,
    READS,
    STEADY,
    WRITES,
    after,
    begun,
    done,
    judged,
    phase,
    written,
)


def saturation(fills: float, *, rounds: int = 100, most: float = 4) -> Progress:
    """A search whose phase ends when it has written four capacities; it has written so many, each in 500 s."""
    limit = Bytes(bytes=round(most * GiB))
    progress = after(begun([phase(MINUTE, rounds=rounds, until=(STEADY, limit))]))
    seconds = 500 * fills
    progress.add(Sample(t=seconds, counts=written(seconds, round(fills * GiB))))
    return progress


def fresh_s(begin: float, end: float, floor: float) -> float:
    """Random writes of a drive: at full rate for 1.1 capacities, then down to a share of it, by 0.8 a time."""

    def rate(fills: float) -> float:
        return floor + (1 - floor) * math.exp(-max(fills - 1.1, 0) / 0.8)

    slices = 4000
    places = (begin + (end - begin) * (n + 0.5) / slices for n in range(slices))
    return 500 * rate(begin) * (end - begin) / slices * sum(1 / rate(place) for place in places)


@pytest.mark.parametrize("fills", [0.2, 1.0, 1.9])
def test_no_saturation_is_expected_to_be_steady_before_two_capacities_are_written(fills: float) -> None:
    """The window of five rounds begins then."""
    seconds = 500 * fills + fresh_s(fills, 2.0, 0.3)
    assert saturation(fills).expected_rounds() == int(seconds / 60) + 5


def test_a_saturation_that_has_written_two_capacities_and_any_other_search_are_not_held_back() -> None:
    assert saturation(2.0).expected_rounds() == 7
    assert saturation(1.9).expected_rounds() > 7
    search = after(begun([phase(MINUTE, rounds=100, until=(STEADY, Seconds(seconds=1e6)))]))
    search.add(Sample(t=500.0, counts=written(500.0, GiB)))
    assert search.expected_rounds() == 7
    assert saturation(0.2, rounds=8).expected_rounds() == 8
    written_over = saturation(2.0)
    written_over.learned.extra += [0, 0, 0]
    assert written_over.expected_rounds() == 5


@pytest.mark.parametrize("fills", [0.5, 1.5, 3.0])
def test_the_limit_of_a_saturation_is_reached_as_the_drive_slows_down(fills: float) -> None:
    """At worst to a tenth of its first rate, at best not at all."""
    progress = saturation(fills, rounds=1_000_000)
    saturated = progress.places[0][1]
    (limit,) = (rule for rule in saturated.until if isinstance(rule, Bytes))
    for floor in (0.3, 0.1, 1.0):
        left_s = progress._limit_left(limit, saturated, progress.present, View(floor=floor))
        assert left_s == pytest.approx(fresh_s(fills, 4.0, floor), rel=0.001)
    times = [fresh_s(fills, 4.0, floor) for floor in (1.0, 0.3, 0.1)]
    alone = after(begun([replace(saturated, until=(limit,))]), Sample(t=500 * fills, counts=progress.present.held))
    assert alone.to_go() == pytest.approx((0.99 * times[0], times[1], 1.01 * times[2]), rel=0.001)


def test_of_three_rounds_the_series_tells_when_it_will_be_steady() -> None:
    """Rates of 100, 60 and 50 settle within seven rounds (tests/test_progress.py); before, two are assumed."""
    search = phase(MINUTE, rounds=25, until=(STEADY,))
    for rates, expected in (([100, 60, 50], [7, 7, 7]), ([100, 100, 100], [7, 7, 5])):
        progress = after(begun([search]))
        for number, (rate, rounds) in enumerate(zip(rates, expected, strict=True), 1):
            counts = Counts(seconds=60, write=Tally(ios=60 * rate, bytes=60 * rate * 4 * KiB))
            progress.add(done(MINUTE, 60.0 * number, counts, number))
            progress.add(judged(60.0 * number, number))
            assert progress.expected_rounds() == rounds


@pytest.mark.parametrize(
    ("values", "factor"),
    [
        ([], 1.0),
        ([100], 1.0),
        ([100, 64], 0.8),
        ([0.25, 0.16], 0.8),
        ([100, 0], 1.0),
        ([0, 100], 1.0),
        ([100, 50, 25], 0.5**0.7),
        ([100, 50, 50 * 0.5**0.25], 0.5 ** (0.25**2)),
        ([25, 50, 100], 2**0.7),
        ([100, 50, 60], 1.0),
        ([50, 50, 40], 1.0),
        ([100, 50, 50], 1.0),
        ([10, 90, 100, 50, 25], 0.5**0.7),
    ],
)
def test_the_next_move_of_a_series_is_smaller_than_the_last_by_as_much_as_that_was(
    values: list[float], factor: float
) -> None:
    """At most by seven tenths, by half where it has moved once, and none where it moves to and fro."""
    assert next_move(values) == pytest.approx(factor)


def test_the_rate_of_a_fill_depends_on_its_access_sizes_and_depth() -> None:
    mixed = replace(FILL, read_pct=40, threads=2, depth=8)
    assert kind(mixed) == (0, False, FILL.sizes, 2, 8)
    assert kind(READS) == (100, True, WRITES.sizes, 1, 1)


def test_the_rate_of_a_load_is_that_of_all_its_fills() -> None:
    learned = Learned()
    for size, seconds in ((3 * GiB, 10.0), (GiB, 30.0)):
        learned.add(done(FILLS, 1.0, written(seconds, size)), seconds, None)
    assert learned.bytes_per_s(FILL, View(known=2, unknown=5), 1.0) == pytest.approx(2 * 4 * GiB / 40)


def test_only_timed_loads_without_reads_are_a_measure_of_fills_of_their_kind() -> None:
    for workload, expected in ((WRITES, 3.0 * 10), (replace(WRITES, read_pct=40), 3.0 * 7)):
        learned = Learned()
        timed = Hold(workload=workload, amount=Seconds(seconds=10))
        learned.add(done(timed, 1.0, written(10.0, 100)), 10.0, workload)
        assert learned.bytes_per_s(workload, View(known=2, unknown=3), 7.0) == pytest.approx(expected)
