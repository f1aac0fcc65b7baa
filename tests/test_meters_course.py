"""Drawn courses of power, and meters that show them late, coarsely and with gaps: what the record says is true."""

import random

import msgspec
import pytest

from stend.findings import power
from stend.findings.look import metered
from stend.sentences import finding_said
from stend.words import Language
from tests.meter_courses import Course, Fake, drawn, recorded

KINDS = {
    "fast": {"period_s": 0.005, "step": 0.001},
    "coarse": {"period_s": 0.1, "step": 0.1, "noise": 0.01},
    "moments": {"period_s": 0.1, "means": False},
    "uneven": {"period_s": 0.2, "jitter_s": 0.02, "noise": 0.02},
    "slow": {"period_s": 1.0},
    "counter": {"period_s": 0.1, "counter_j": 262.144, "step": 0.001},
}
DRAWS = [(kind, seed) for kind in KINDS for seed in range(4)]


def fake(kind: str, seed: int, **more: object) -> Fake:
    return Fake(dice=random.Random(seed), **(KINDS[kind] | more))  # type: ignore[arg-type]


def lateness(meter: Fake) -> float:
    """How late the readings are: a value of a moment stands for the period before it."""
    return meter.late_s + meter.jitter_s / 2 - (0 if meter.means or meter.counter_j else meter.period_s / 2)


@pytest.mark.parametrize(("kind", "seed"), DRAWS)
def test_energy_is_found_within_one_percent_and_the_clocks_within_50_ms(kind: str, seed: int) -> None:
    course = drawn(seed)
    meter = fake(kind, seed)
    run, _ = recorded(course, meter, until=course.ends[-1] + 3)
    late = metered.offset(run)
    assert late
    assert abs(late.start_s - lateness(meter)) < 0.05
    assert abs(late.end_s - lateness(meter)) < 0.05
    found, true = 0.0, 0.0
    for result, begin, end in zip(run.results, course.begins, course.ends, strict=True):
        level = metered.level(run, [result])
        long = end - begin > 3 * meter.period_s
        assert level or not long
        if level:
            found, true = found + level.mean * (end - begin), true + course.joules(begin, end)
            assert level.mean == pytest.approx(course.power(begin), rel=0.02)
    assert found == pytest.approx(true, rel=0.01)


@pytest.mark.parametrize(("loads", "seed"), [(loads, seed) for loads in (16, 40) for seed in range(5)])
def test_a_meter_of_moments_once_a_second_has_an_interval_that_holds_its_delay(loads: int, seed: int) -> None:
    course = drawn(seed, loads=loads)
    meter = Fake(period_s=1.0, means=False, dice=random.Random(seed))
    run, _ = recorded(course, meter, until=course.ends[-1] + 3)
    late = metered.offset(run)
    assert late
    worst = max(abs(offset - lateness(meter)) for offset in (late.start_s, late.end_s))
    assert worst <= late.error_s + 2 * metered.STEPS_S[-1]
    assert loads == 16 or worst < 0.05
    keys = {finding.key for finding in power.of_clock(run, "power", 0)}
    assert ("blurred" in keys) == (late.error_s > 0.05)


@pytest.mark.parametrize(("kind", "seed"), [("fast", 1), ("coarse", 2), ("slow", 3), ("counter", 4)])
def test_every_gap_and_the_death_of_a_meter_are_reported_and_no_value_stands_there(kind: str, seed: int) -> None:
    course, dice = drawn(seed), random.Random(seed)
    until, dies = course.ends[-1] + 3, course.ends[-3] + 0.5
    starts = [course.begins[n] + 0.7 for n in (2, 5, 8)]
    holes = tuple((start, start + dice.uniform(3, 6)) for start in starts)
    meter = fake(kind, seed, gaps=holes, dies_s=dies)
    run, words = recorded(course, meter, until=until)
    missing = [word for word in words if "no value for" in word or "was not read for" in word]
    assert len(missing) == len(holes) + 1
    assert sum("for the last" in word for word in missing) == 1
    assert ("wrapped" in " ".join(words)) == bool(meter.counter_j)
    if not meter.counter_j:
        listed = [(gap.begin_s - meter.late_s, gap.end_s - meter.late_s) for gap in metered.gaps(run)]
        assert len(listed) == len(holes)
        for gap, hole in zip(listed, holes, strict=True):
            assert gap == pytest.approx(hole, abs=1.1 * meter.period_s)
    for result, begin, end in zip(run.results, course.begins, course.ends, strict=True):
        held = [min(end, b) - max(begin, a) for a, b in (*holes, (dies, until))]
        level = metered.level(run, [result])
        if sum(gap for gap in held if gap > 0) > 0.12 * (end - begin) + meter.period_s:
            assert level is None or meter.counter_j  # a counter knows the energy of a gap
        if level:
            assert level.mean == pytest.approx(course.power(begin), rel=0.03)


def test_a_clock_that_drifts_during_the_run_is_followed() -> None:
    course = drawn(7, loads=60)
    until = course.ends[-1] + 3
    meter = fake("coarse", 7)
    lines = meter.lines(course, until)
    run, _ = recorded(course, meter, until=until, lines=[(at + 0.3 * at / until, line) for at, line in lines])
    late = metered.offset(run)
    assert late
    assert late.start_s == pytest.approx(0.08 + 0.3 * late.from_s / until, abs=0.05)
    assert late.end_s == pytest.approx(0.08 + 0.3 * late.to_s / until, abs=0.05)
    assert late.at(late.from_s) == late.start_s < late.at((late.from_s + late.to_s) / 2) < late.at(until) == late.end_s


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_a_course_without_steps_tells_no_offset(noise: float) -> None:
    course = Course([1.0, 20.0, 40.0], [20.0, 40.0, 60.0], [5.0, 5.0, 5.0], 5.0)
    run, _ = recorded(course, Fake(noise=noise, step=0.001), until=61.0)
    assert metered.offset(run) is None
    level = metered.level(run, run.results)
    assert level
    assert level.mean == pytest.approx(5.0, rel=0.01)


def test_short_loads_have_their_own_watts_however_late_the_readings_are() -> None:
    begins = [2.0 + 3.03 * n for n in range(20)]
    course = Course(begins, [begin + 3.0 for begin in begins], [2.0, 20.0] * 10, 1.0)
    run, _ = recorded(course, Fake(late_s=0.6), until=course.ends[-1] + 3)
    for result, watts in zip(run.results, course.watts, strict=True):
        level = metered.level(run, [result])
        assert level
        assert level.mean == pytest.approx(watts, rel=0.01)


def test_the_page_states_how_late_the_readings_are() -> None:
    course = drawn(3)
    for late_s, key in ((0.08, "late"), (-0.3, "early")):
        run, _ = recorded(course, Fake(late_s=late_s), until=course.ends[-1] + 3)
        told = msgspec.structs.replace(power.clock(run, "power", 0), name="power")
        assert told.key == key
        assert told.values["seconds"] == pytest.approx(abs(late_s), abs=0.05)
        english, russian = (finding_said(told, Language(code)) for code in ("en", "ru"))
        assert f"come {1000 * abs(late_s):.1f}".removesuffix(".0") in english
        assert "изменилось не больше чем на 1,00" in russian
    even, _ = recorded(Course([1.0, 20.0], [20.0, 40.0], [5.0, 5.0], 5.0), Fake(), until=40.0)
    assert power.clock(even, "power", 0).key == "unaligned"


def test_the_report_of_the_drive_itself_has_no_other_clock() -> None:
    course = drawn(1)
    for spec, aligned in (("cmd:fake", True), ("own", False), ("own@2%", False)):
        run, _ = recorded(course, Fake(), until=course.ends[-1], spec=spec)
        assert bool(metered.offset(run)) == aligned


def test_a_load_that_no_value_lies_within_has_no_power() -> None:
    course = Course([2.0, 30.0, 30.9, 60.0], [30.0, 30.9, 60.0, 90.0], [3.0, 20.0, 5.0, 9.0], 1.0)
    run, _ = recorded(course, Fake(period_s=1.0), until=95.0)
    assert [metered.level(run, [result]) is None for result in run.results] == [False, True, False, False]


def test_the_highest_short_value_survives_the_reduction_to_blocks() -> None:
    course = Course([5.0, 20.0, 25.3], [20.0, 25.25, 40.0], [4.0, 6.0, 5.0], 0.5)
    course.begins.append(50.0)
    course.ends.append(50.02)
    course.watts.append(19.0)
    run, _ = recorded(course, Fake(period_s=0.005, step=0.001, late_s=0.0), until=55.0)
    rows = run.readings.table("watts", 0)
    assert rows[:, 1].max() < 0.11
    assert len(rows) <= 10.5 * 55
    assert rows[:, 3].max() == pytest.approx(19.0)
    assert rows[:, 2].max() < 10
