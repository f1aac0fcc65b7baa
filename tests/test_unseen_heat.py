"""Boundaries of the courses of heat, and of reads after rests, with values that follow on paper."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.findings import heat, wake
from stend.findings.heat import Course
from stend.findings.look import metered, woken
from stend.findings.look.woken import Quantile, Rest
from stend.model.bins import bin_index
from stend.model.counts import Counts
from stend.model.pace import Pace
from stend.model.tally import Tally


def course(rates: Sequence[float], degrees: Sequence[float], slow_s: tuple[float, float] | None = None) -> Course:
    """A minute at each of these rates, with the temperature after it."""
    records: list[Any] = [
        SimpleNamespace(
            start_s=60.0 * n,
            end_s=60.0 * (n + 1),
            counts=Counts(60.0, 0.0, Tally(), Tally(ios=1, bytes=round(60 * rate))),
        )
        for n, rate in enumerate(rates)
    ]
    return Course(records, tuple(degrees), slow_s)


@pytest.mark.parametrize(
    ("made", "key", "more"),
    [
        (course([100] * 14, [30, 40, 50, *[60] * 11]), "steady", {"level": 60, "after_s": 240.0, "last_s": 600.0}),
        (course([100] * 14, [30, 40, 50, 59, *[60] * 10]), "steady", {"level": 60, "after_s": 240.0, "last_s": 600.0}),
        (course([100] * 14, [30, 40, 50, 58, *[60] * 10]), "rising", {}),
        (course([100] * 3 + [90] * 11, [30.0 + n for n in range(14)]), "rising", {}),
        (course([100] * 3 + [89] * 11, [30.0 + n for n in range(14)]), "fell", {"share": 0.89}),
        (course([100] * 3 + [89] * 11, [30.0] * 13 + [34.9]), "rising", {}),
        (course([100] * 3 + [89] * 11, [30.0] * 13 + [35.0]), "fell", {"share": 0.89}),
        (course([100] * 4, [30.0] * 4), "brief", {}),
        (course([100] * 5, [30.0] * 5), "rising", {}),
        (course([100] * 5, []), "silent", {}),
    ],
)
def test_a_load_of_heat_is_steady_rising_fallen_or_too_brief(made: Course, key: str, more: dict[str, float]) -> None:
    found = heat._of("heat", "heat-writes", made)
    rates = [record.counts.bytes_per_s for record in made.records]
    values = {"phase": "heat-writes", "minutes_s": 60.0 * len(rates), "rate": rates[-1], "first": 100.0}
    if made.degrees:
        values |= {"start": made.degrees[0], "top": max(made.degrees)}
    assert (found.key, found.values) == (key, values | more)


@pytest.mark.parametrize(
    ("slow_s", "key", "from_s", "moved", "was", "now"),
    [
        ((300.0, 360.0), "throttled", 300.0, 30_000, 100.0, 50.0),
        ((420.0, 480.0), "throttled", 300.0, 30_000, 100.0, 50.0),
        ((240.0, 300.0), "throttled", 240.0, 24_000, 100.0, 50.0),
        ((59.0, 120.0), "throttled", 59.0, 6000, 100.0, 68.75),
        ((58.0, 120.0), "throttled_first", 58.0, 6000, 100.0, 68.75),
        ((0.0, 600.0), "throttled_first", 0.0, 6000, 100.0, 50.0),
    ],
)
def test_throttling_begins_where_it_is_reported_or_where_the_rate_fell_before(
    slow_s: tuple[float, float], key: str, from_s: float, moved: int, was: float, now: float
) -> None:
    """Five minutes at 100, five at 50: a flag that is read once a minute comes after the fall."""
    found = heat._of("heat", "p", course([100] * 5 + [50] * 5, [40.0, 60.0], slow_s))
    values = {name: found.values[name] for name in ("from_s", "moved", "was", "now", "share", "top")}
    assert (found.key, values) == (
        key, {"from_s": from_s, "moved": moved, "was": was, "now": now, "share": now / was, "top": 60.0},
    )  # fmt: skip
    even = heat._of("heat", "p", course([100] * 10, [], (0.0, 60.0)))
    assert (even.key, even.values["top"]) == ("throttled_throughout", None)


@pytest.mark.parametrize(
    ("rates", "degrees", "top"),
    [
        ([100] * 4 + [80] * 6, [50, 60, 69, 70, *[70] * 6], 70),
        ([100] * 4 + [80] * 6, [50, 60, 69, 70, *[64] * 6], 70),
        ([100] * 4 + [80] * 6, [50, 60, 69, 70, *[63] * 6], None),
        ([100] * 4 + [80] * 6, [50, 60, 62, 68, 68, *[70] * 5], 70),
        ([100] * 4 + [80] * 6, [50, 60, 62, 67, 67, *[70] * 5], None),
        ([100] * 4 + [90] * 6, [70] * 10, None),
        ([100] * 4 + [80] * 3, [70] * 7, None),
        ([100] * 4 + [80] * 4, [70] * 8, 70),
        ([100] * 4 + [80] + [100] * 5, [70] * 10, None),
        ([100] * 4 + [80] * 6, [70] * 4, None),
    ],
)  # fmt: skip
def test_heat_limits_a_rate_that_falls_at_the_highest_temperature_for_the_rest_of_the_load(
    rates: list[float], degrees: list[float], top: float | None
) -> None:
    assert heat._ceiling(course(rates, degrees)) == top


@pytest.mark.parametrize(
    ("writes", "reads", "limited"),
    [(70, 70, {"heat-writes", "heat-reads"}), (72, 70, {"heat-writes", "heat-reads"}), (73, 70, {"heat-reads"}),
     (60, 60, {"heat-writes", "heat-reads"}), (61, 59, set()), (70, None, set())],
)  # fmt: skip
def test_writes_count_as_limited_by_heat_only_if_reads_fall_at_the_same_temperature(
    writes: float, reads: float | None, limited: set[str]
) -> None:
    """No drive of this run states a limit: ten kelvin below 70 °C are hot."""
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(facts={})))
    fallen = [100.0] * 4 + [80.0] * 6
    made = {
        "heat-writes": course(fallen, [writes] * 10),
        "heat-reads": course(fallen if reads else [100.0] * 10, [reads or 70] * 10),
    }
    assert heat._limited(run, made) == limited


# Reads after rests


def reads(bins: dict[int, int], mean_ns: float = 100.0) -> Tally:
    ios = sum(bins.values())
    return Tally(ios=ios, latency_ns=mean_ns * ios, max_ns=1e9, bins=bins)


def test_a_quantile_has_the_interval_of_its_ranks() -> None:
    """Of 100 reads the median is in rank 50, with 1.96 times 5 ranks on each side: 40 to 61."""
    both = reads({100: 50, 200: 50})
    assert woken.quantile(both, 0.5) == pytest.approx((100.5e-9, 100.5e-9, 290e-9))
    assert woken.quantile(reads({100: 39, 200: 61}), 0.5) == pytest.approx((290e-9, 290e-9, 290e-9))
    assert woken.quantile(reads({100: 40, 200: 60}), 0.5) == pytest.approx((100.5e-9, 290e-9, 290e-9))
    assert woken.quantile(reads({100: 61, 200: 39}), 0.5) == pytest.approx((100.5e-9, 100.5e-9, 100.5e-9))
    assert woken.quantile(reads({100: 2, 200: 2}), 0.25) == pytest.approx((100.5e-9, 100.5e-9, 290e-9))
    assert woken.quantile(reads({100: 9}, mean_ns=70.0), 0.5) == pytest.approx((70e-9,) * 3)


def test_reads_are_in_two_groups_if_a_third_of_them_takes_half_as_long_again() -> None:
    found = woken.parts(reads({100: 50, 200: 50}))
    assert found is not None
    assert (found.fast_s, found.slow_s) == pytest.approx((100.5e-9, 290e-9))
    assert found.slow == 50
    assert woken.parts(reads({100: 80, 200: 20})) is None, "the median is of one group"
    assert woken.parts(reads({100: 50, bin_index(149): 50})) is None, "1.48 times is one state"
    assert woken.parts(reads({100: 50, bin_index(154): 50})) is not None
    assert woken.parts(reads({100: 100})) is None
    few = woken.parts(reads({100: 4, 200: 2}))
    assert few is not None
    assert few.slow == 2, "exactly a third"


@pytest.mark.parametrize(
    ("second", "equal"),
    [((1.22, 1.3, 1.4), True), ((1.23, 1.3, 1.4), False), ((0.5, 0.9, 0.99), True), ((0.5, 0.9, 0.98), False)],
)
def test_quartiles_are_equal_if_their_intervals_touch_within_a_fiftieth(
    second: tuple[float, float, float], *, equal: bool
) -> None:
    first = Quantile(1.0, 1.1, 1.2)
    assert woken._equal(first, Quantile(*second)) == woken._equal(Quantile(*second), first) == equal


def test_only_reads_of_bins_that_begin_above_a_time_are_surely_slower() -> None:
    """Bin 200 is 288 to 292 ns."""
    assert [woken.slower(reads({100: 3, 200: 4}), bound) for bound in (287e-9, 289e-9, 1e-9)] == [4, 0, 7]
    level = woken.Level(1.0, 2.0, Quantile(0.9, 1.0, 1.05), 9)
    assert level.error_s == pytest.approx(0.1)
    assert level._replace(median=Quantile(1.0, 1.0, 1.0)).error_s == 0.008


def rest(pace: Pace, usual_s: float = 0.01, rest_s: float = 1.0, bins: dict[int, int] | None = None) -> Rest:
    numbers = {"p50": usual_s, "mean": usual_s, "max": 1.0}
    tally = reads(bins or {100: 20})
    row: Any = SimpleNamespace(value=numbers.get, number=numbers.__getitem__, tally=tally)
    return Rest(rest_s, row, pace, 0.0, None)


@pytest.mark.parametrize(
    ("pace", "late", "kept"),
    [
        (Pace(sent=100), False, True),
        (Pace(sent=100, late=25), False, True),
        (Pace(sent=100, late=26), True, True),
        (Pace(sent=100, late=26, full=1), False, True),
        (Pace(sent=100, late=2, full=2), False, False),
        (Pace(sent=100, unsent=1), False, True),
        (Pace(sent=100, unsent=2), False, False),
        (Pace(sent=100, latest_ns=2_000_000, lateness={bin_index(0.9e6): 100}), False, True),
        (Pace(sent=100, latest_ns=2_000_000, lateness={bin_index(1.1e6): 100}), True, True),
        (Pace(sent=5, latest_ns=1_100_000, lateness={100: 5}), True, True),
    ],
)
def test_a_rest_is_late_by_the_host_and_kept_by_the_drive(pace: Pace, *, late: bool, kept: bool) -> None:
    """A quarter of the reads may be late, and the usual lateness a tenth of 10 ms."""
    assert (rest(pace).late, rest(pace).kept) == (late, kept)


def test_a_drive_was_awake_after_rests_of_which_less_than_a_quarter_of_the_reads_are_slow() -> None:
    every = [
        rest(Pace(), rest_s=s, bins={100: 20 - slow, 200: slow}) for s, slow in ((0.1, 0), (1.0, 4), (2.0, 5), (9.0, 0))
    ]
    first = rest(Pace(), rest_s=5.0)
    assert wake._between(first, every, 200e-9) == {"from": 1.0, "to": 5.0}
    assert wake._between(first, every[2:], 200e-9) == {"from": 0.0, "to": 5.0}
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(virtual=False)))
    awake: Any = SimpleNamespace(value={"p50": 0.0001}.get, number={"mean": 0.5}.__getitem__)
    assert wake.bound_s(run, awake) == pytest.approx(0.0011)
    run.plan.device.virtual = True
    assert wake.bound_s(run, awake) == pytest.approx(0.00015)
    mean: Any = SimpleNamespace(value={}.get, number={"mean": 0.01}.__getitem__)
    assert wake.bound_s(run, mean) == pytest.approx(0.015)


# Readings of a meter


def readings(*ends: float, width: float = 1.0) -> Any:
    """Readings of this width: the mean is the number of the reading, the highest value ten more."""
    return np.array([[end, width, n, n + 10.0] for n, end in enumerate(ends, 1)]).reshape(-1, 4)


@pytest.mark.parametrize(
    ("ends", "mean", "most", "covered"),
    [
        ([n + 0.5 for n in range(11)], 6.0, 20.0, 1.0),
        ([2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 3.5, 16.0, 0.6),
        ([2.0, 3.0, 4.0, 5.0, 6.0], 3.0, 15.0, 0.5),
        ([2.0, 3.0, 4.0, 5.0], 0.0, 0.0, 0.0),
        ([n / 2 for n in range(2, 21)], 10.0, 29.0, 1.0),
        ([1.1, 2.1, 3.1, 4.1, 5.1, 10.009], 3.5, 16.0, 0.5991),
        ([], 0.0, 0.0, 0.0),
    ],
)
def test_a_mean_is_of_the_readings_within_its_time_if_they_cover_half_of_it(
    ends: list[float], mean: float, most: float, covered: float
) -> None:
    """Ten seconds: a reading across an end is left out, and may reach a thousandth beyond it."""
    level = metered._mean(readings(*ends), 0.0, 10.0)
    assert list(level[:4]) == pytest.approx([mean, most, 10.0, covered], abs=2e-4)
    moved = metered._mean(readings(*ends) + np.array([100.0, 0, 0, 0]), 100.0, 110.0)
    assert list(moved[:4]) == pytest.approx(list(level[:4]))
    assert metered._mean(readings(*ends), 10.0, 9.0).seconds == 0.0


def test_an_offset_is_interpolated_between_its_ends() -> None:
    late = metered.Offset(1.0, 3.0, 4, from_s=10.0, to_s=20.0)
    assert [late.at(moment) for moment in (0.0, 10.0, 15.0, 20.0, 99.0)] == [1.0, 1.0, 2.0, 3.0, 3.0]
    assert late._replace(to_s=10.0).at(11.0) == 3.0
    assert metered._moved(14.0, 16.0, late) == (16.0, 18.0)
    assert metered._moved(14.0, 16.0, None) == (14.0, 16.0)
