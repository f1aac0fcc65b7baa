"""The values of a meter by arithmetic: what time each covers, when one is late, how blocks are made; units of lines.

A value may be late by half a period and 50 ms: of a period of 1 s, 1.55 s after the value before it is no gap.
"""

import threading
import time

import pytest

from stend.base.errors import BadInput, StepFailed
from stend.meters import _polled
from stend.meters._lines import MOST_LINE, stated
from stend.meters._series import MOST_NOTES, MOST_W, Recorder, Series
from stend.meters._types import Value
from stend.model.events import MeterFacts
from tests.waits import PATIENCE_S

LATE_S = 1 * 1.5 + 0.05


def begun(period_s: float = 1.0) -> Series:
    """A series whose first value came at 0 and is taken."""
    series = Series(period_s)
    series.add(0.0, 5.0)
    series.take(all_of_it=True)
    return series


@pytest.mark.parametrize(
    ("line", "watts"),
    [
        ("3", 3.0), ("3 W", 3.0), ("3 mW", 0.003), ("3 uW", 3e-6), ("3 µW", 3e-6),
        ("3 \N{GREEK SMALL LETTER MU}W", 3e-6),
        ("3 kW", 3000.0), ("+.5W", 0.5), ("-2.5e-1 W", -0.25), ("1.e2", 100.0),
    ],
)  # fmt: skip
def test_a_line_with_a_unit_of_power_is_in_watts(line: str, watts: float) -> None:
    value = stated(line)
    assert value
    assert value.value == pytest.approx(watts, rel=1e-12)
    assert not value.energy


@pytest.mark.parametrize(
    ("line", "joules"),
    [("3 J", 3.0), ("3 mJ", 0.003), ("3 uJ", 3e-6), ("3 µJ", 3e-6), ("1 Wh", 3600.0), ("1 mWh", 3.6), ("1 kWh", 3.6e6)],
)
def test_a_line_with_a_unit_of_energy_is_a_reading_of_a_counter_in_joules(line: str, joules: float) -> None:
    value = stated(line)
    assert value
    assert value.value == pytest.approx(joules, rel=1e-12)
    assert value.energy


@pytest.mark.parametrize("line", ["", "W", "3 V", "3 w", "3 W W", "3 4", "1e1234", "0x3", "3,5 W", "- 3"])
def test_a_line_without_a_number_in_a_known_unit_has_no_value(line: str) -> None:
    assert stated(line) is None


def test_a_line_has_at_most_a_thousand_characters() -> None:
    assert stated("3".ljust(1000)) == (3.0, False)
    assert stated("3".ljust(1001)) is None
    assert MOST_LINE == 1000


@pytest.mark.parametrize(
    ("end", "span", "words"),
    [
        (1.0, (0.0, 1.0), []),
        (0.25, (0.0, 0.25), []),
        (LATE_S, (0.0, LATE_S), []),
        (LATE_S + 0.001, (LATE_S + 0.001 - 1.0, LATE_S + 0.001), ["less than 1 s"]),
        (1.999, (0.999, 1.999), ["less than 1 s"]),
        (2.0, (1.0, 2.0), ["the meter gave no value for 1 s"]),
        (4.0, (3.0, 4.0), ["the meter gave no value for 3 s"]),
    ],
)
def test_a_value_covers_the_time_since_the_last_one_if_it_is_not_late(
    end: float, span: tuple[float, float], words: list[str]
) -> None:
    series = begun()
    series.add(end, 7.0)
    (value,) = series.take()
    assert (value.end - value.seconds, value.end) == pytest.approx(span)
    assert (value.mean, value.most) == (7.0, 7.0)
    notes = series.words(end=True)
    assert len(notes) == len(words)
    assert all(word in note for word, note in zip(words, notes, strict=True))


def test_a_value_that_came_at_the_time_of_the_last_one_or_before_covers_no_time() -> None:
    series = begun()
    series.add(0.0, 7.0)
    series.add(-1.0, 7.0)
    assert series.take(all_of_it=True) == []
    series.add(0.5, 7.0)
    assert [value.seconds for value in series.take()] == [1.5], "since the last value, whose time was set back"


def test_values_that_arrived_together_share_the_time_since_the_last_one() -> None:
    series = begun()
    series.add_many(3.0, [1.0, 2.0, 3.0])
    series.add_many(4.0, [4.0, 5.0, 6.0, 7.0])
    assert series.take() == [
        *(Value(end, 1.0, end, end) for end in (1.0, 2.0, 3.0)),
        *(Value(3.0 + 0.25 * n, 0.25, 3.0 + n, 3.0 + n) for n in (1, 2, 3, 4)),
    ]
    series.add_many(14.0, [8.0, 9.0])
    assert [(value.end, value.seconds) for value in series.take()] == [(13.0, 1.0), (14.0, 1.0)]
    assert series.words() == ["the meter gave no value for 8 s"]


@pytest.mark.parametrize(("count", "late"), [(2, 2 * 1.5 + 0.05), (10, 10 * 1.5 + 0.05)])
def test_several_values_may_be_as_late_as_all_their_periods_allow(count: int, late: float) -> None:
    for end, gaps in ((late, 0), (late + 0.01, 1)):
        series = begun()
        series.add_many(end, [5.0] * count)
        assert len(series.words(end=True)) == gaps


def test_fast_values_become_blocks_of_a_tenth_of_a_second_weighted_by_time() -> None:
    series = Series(0.025)
    for n, watts in enumerate((1.0, 4.0, 2.0, 1.0)):
        series.add(0.025 * n, watts)
        assert len(series.values) == (n == 3)
    series = Series(0.05)
    series.add(0.0, 1.0)
    series.add(0.0625, 3.0)
    (value,) = series.take()
    assert value[:2] + value[3:] == (0.0625, 0.1125, 3.0)
    assert value.mean == pytest.approx((0.05 * 1 + 0.0625 * 3) / 0.1125)


def test_a_block_that_is_not_full_waits_for_more_and_ends_with_a_gap_or_an_odd_value() -> None:
    for way in ("gap", "odd", "skip"):
        series = Series(0.0625)
        series.add(0.0, 6.0)
        assert series.take() == []
        if way == "gap":
            series.add(9.0, 1.0)
        elif way == "odd":
            series.add(0.0625, -1.0)
        else:
            series.skip()
        assert series.take() == [Value(0.0, 0.0625, 6.0, 6.0)], way


@pytest.mark.parametrize(("watts", "plausible"), [(0.0, True), (MOST_W, True), (-1e-9, False), (MOST_W + 0.1, False)])
def test_power_is_from_0_to_100_kw(watts: float, plausible: bool) -> None:
    series = begun()
    series.add(1.0, watts)
    assert [value.mean for value in series.take()] == [watts] * plausible
    assert len(series.words()) == (not plausible)
    assert MOST_W == 100e3


def test_after_a_time_without_values_that_is_intended_a_series_starts_again() -> None:
    series = begun()
    series.skip()
    series.add(50.0, 3.0)
    assert [(value.end, value.seconds) for value in series.take()] == [(50.0, 1.0)]
    series.skip()
    series.add_energy(90.0, 1.0)
    assert (series.take(), series.words()) == ([], []), "one reading of a counter is no power"
    series.finish(90.0 + LATE_S)
    assert series.words() == []
    series.finish(91.6)
    assert series.words() == ["the meter gave no value for the last 1.6 s"]


@pytest.mark.parametrize(("end", "words"), [(LATE_S, []), (1.6, ["1.6 s"]), (0.5, []), (0.0, []), (-1.0, [])])
def test_the_mean_power_of_a_counter_is_exact_over_a_gap_too(end: float, words: list[str]) -> None:
    series = Series(1.0)
    series.add_energy(0.0, 10.0)
    series.add_energy(end, 13.0)
    assert series.take(all_of_it=True) == ([Value(end, end, 3.0 / end, 3.0 / end)] if end > 0 else [])
    notes = series.words(end=True)
    assert len(notes) == len(words)
    assert all(word in note for word, note in zip(words, notes, strict=True))


@pytest.mark.parametrize(
    ("joules", "means"),
    [(MOST_W, [MOST_W]), (MOST_W + 1, []), (-1.0, []), (float("nan"), []), (float("inf"), []), (0.0, [])],
)
def test_a_counter_that_rises_too_fast_or_shows_no_energy_gives_no_power(joules: float, means: list[float]) -> None:
    series = Series(1.0)
    series.add_energy(0.0, 0.0)
    series.add_energy(1.0, joules)
    assert [value.mean for value in series.take()] == means
    assert len(series.words()) == (not means and joules != 0)


@pytest.mark.parametrize(("still_s", "means"), [(9.5, []), (10.0, [0.0]), (10.5, [0.0])])
def test_a_counter_that_did_not_change_for_ten_seconds_shows_no_power(still_s: float, means: list[float]) -> None:
    series = Series(20.0)
    series.add_energy(0.0, 4.0)
    series.add_energy(still_s, 4.0)
    assert [value.mean for value in series.take()] == means
    series.add_energy(20.0, 6.0)
    since = still_s if means else 0.0
    assert [value.mean for value in series.take()] == [2.0 / (20.0 - since)], "since the last change, or since then"


@pytest.mark.parametrize("count", [MOST_NOTES - 1, MOST_NOTES, MOST_NOTES + 1, MOST_NOTES + 5])
def test_of_each_kind_of_notes_twenty_are_written_and_the_number_of_the_others(count: int) -> None:
    series, beyond = begun(), max(count - MOST_NOTES, 0)
    for n in range(count):
        series.add(3.0 * (n + 1), -1.0)  # a gap, and a value that cannot be
    assert len(series.words()) == 2 * min(count, MOST_NOTES)
    assert MOST_NOTES == 20
    assert series.words() == []
    more = [f"there were {2 * beyond} more notes like these on the meter"] if beyond else []
    assert series.words(end=True) == more
    assert series.words(end=True) == []
    series.add(1000.0, 5.0)
    assert len(series.words()) == 1, "counted anew"


def test_a_meter_beside_the_drive_costs_it_nothing_and_ends_once() -> None:
    meter = Recorder()
    meter.facts, meter.series = MeterFacts(spec="cmd", name="x", period_s=1.0), Series(0.0625)
    meter.series.add(0.0, 6.0)
    assert (meter.cost, meter.over, meter.read()) == ((0, 0.0), False, [])
    meter.finish()
    assert (meter.over, meter.read()) == (True, [Value(0.0, 0.0625, 6.0, 6.0)])
    (word,) = meter.words()
    assert "the meter gave no value for the last" in word
    meter.finish()
    assert meter.words() == []


class Queried:
    """A drive that counts its queries and states its power, or fails."""

    def __init__(self) -> None:
        self.count, self.first = 0, threading.Event()

    def __call__(self) -> float:
        self.count += 1
        self.first.set()
        return 2.5


def disturbing(period_s: float = 1000.0) -> tuple[_polled.Disturbing, Queried]:
    """A meter whose thread has queried the drive once and waits."""
    drive = Queried()
    meter = _polled.Disturbing(MeterFacts(spec="own", name="drive", period_s=period_s, window_s=1.0), drive)
    assert drive.first.wait(PATIENCE_S)
    with meter.lock:  # the query is over
        return meter, drive


def test_a_resting_drive_is_queried_at_its_end_if_a_period_has_passed_since_the_last_query(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meter, drive = disturbing()
    meter.quiet(True)
    meter.quiet(False)
    assert drive.count == 1, "within a period of the last query"
    for ago_s in (1001.0, 2000.0):
        meter.quiet(True)
        meter.queried -= ago_s
        assert drive.count == meter.cost[0]
        meter.quiet(True)
        assert drive.count == meter.cost[0], "it rests on"
        meter.quiet(False)
    meter.queried -= 1001.0
    meter.quiet(False)
    assert drive.count == meter.cost[0] == 3, "it did not rest"
    monkeypatch.setattr(meter, "linger", lambda: None)
    meter.count, meter.seconds = 4, 10.0
    meter.quiet(True)
    meter.close()
    values, words = meter.read(), meter.words()
    assert {value.mean for value in values} == {2.5}
    assert {value.seconds for value in values} == {1.0}
    assert [str(word) for word in words] == [
        "the drive was queried for its power 4 times, 2500 ms each, never in a rest"
    ]
    meter.close()
    assert meter.words() == []


def test_a_value_belongs_to_the_middle_of_its_query(monkeypatch: pytest.MonkeyPatch) -> None:
    meter, _ = disturbing()
    meter.series = Series(1.0)
    clock = iter([100.0, 104.0, 104.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    before, seconds = meter.cost
    meter._query()
    monkeypatch.undo()
    assert [value.end for value in meter.series.take(all_of_it=True)] == [102.0]
    assert meter.cost == (before + 1, seconds + 4.0)
    meter.ended.set()
    meter.thread.join(PATIENCE_S)


def test_a_meter_that_has_no_value_at_first_cannot_be_used() -> None:
    def fail() -> float:
        raise StepFailed("no contact")

    with pytest.raises(BadInput, match=r"^the meter ipmi cannot be used: no contact$"):
        _polled.period("ipmi", fail, 1.0)


@pytest.mark.parametrize(("took_s", "period_s"), [(0.0, 1.0), (0.5, 1.0), (0.75, 1.5), (10.0, 20.0)])
def test_a_query_takes_at_most_half_of_the_period(
    took_s: float, period_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([50.0, 50.0 + took_s])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    assert _polled.period("ipmi", lambda: 1.0, 1.0) == period_s
