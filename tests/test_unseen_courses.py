"""Boundaries of courses of writes: levels, bursts, slow starts, and what they are consistent with."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.findings import Finding, cause, look, slc_cache
from stend.findings.cause import Evidence
from stend.findings.look import fall
from stend.findings.look.fall import Stretch, falls
from stend.findings.look.levels import Level, scatter
from stend.findings.look.link import Link
from stend.findings.look.pieces import Line, of_counts
from stend.model.counts import Counts
from stend.model.tally import Tally


def counts(*rates: float) -> list[Counts]:
    """A second of writes at each of these rates, in bytes."""
    return [Counts(1.0, 0.0, Tally(), Tally(ios=1, bytes=round(rate))) for rate in rates]


def course(*rates: float) -> Line:
    return of_counts(counts(*rates))


def test_the_samples_before_the_first_slower_one_are_counted() -> None:
    assert [slc_cache._above(rates, 8) for rates in ([10, 8, 7, 9], [7, 9], [9, 9], [])] == [2, 0, 0, 0]


def test_a_course_falls_throughout_if_each_tenth_is_slower() -> None:
    falling = [100.0 - n for n in range(20)]
    assert slc_cache._throughout(counts(*falling))
    assert not slc_cache._throughout(counts(*falling[:18], *falling[16:18])), "the last tenth is as fast"
    assert not slc_cache._throughout(counts(*falling[:9]))


def test_a_later_level_that_is_higher_is_a_reason_with_both_rates() -> None:
    fell = [Level(0, 5, 100.0), Level(5, 9, 50.0), Level(9, 14, 50.0)]
    assert slc_cache._rises(fell) is None
    why = slc_cache._rises([*fell, Level(14, 20, 60.0), Level(20, 30, 90.0)])
    assert why is not None
    assert (why.key, dict(why.values)) == ("rises_mbs", {"low": 50.0, "high": 60.0})


@pytest.mark.parametrize(("first", "levels", "share"), [(56, 2, 0.56), (55, 2, None), (56, 1, None)])
def test_no_cache_holds_more_than_half_of_the_drive(first: int, levels: int, share: float | None) -> None:
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(capacity_bytes=100)))
    plateaus = [Level(0, first, 2.0), Level(first, 100, 1.0)][:levels]
    why = slc_cache._much(run, counts(*[1] * 100), plateaus)
    assert (why and why.values["share"]) == share


@pytest.mark.parametrize(("size", "one"), [(2, True), (3, False)])
def test_a_burst_of_less_than_three_hundredths_is_part_of_the_level_after_it(size: int, *, one: bool) -> None:
    levels = [Level(0, 10, 50.0), Level(10, 10 + size, 80.0), Level(10 + size, 100, 30.0)]
    joined = [Level(0, 10, 50.0), Level(10, 100, 30.0)]
    assert slc_cache._without_a_burst(levels, counts(*[1] * 100)) == (joined if one else levels)
    rising = [*levels[:2], levels[2]._replace(value=60.0)]
    assert slc_cache._without_a_burst(rising, counts(*[1] * 100)) == rising
    assert slc_cache._without_a_burst(levels[:2], counts(*[1] * 100)) == levels[:2]


def test_a_slow_start_and_a_short_end_below_a_hundredth_are_no_levels() -> None:
    every, inner = counts(*[1] * 300), [Level(2, 200, 100.0), Level(200, 298, 50.0)]
    assert slc_cache._lasting([Level(0, 2, 10.0), *inner, Level(298, 300, 20.0)], every) == inner
    longer = [Level(0, 3, 10.0), Level(3, 200, 100.0), Level(200, 297, 50.0), Level(297, 300, 20.0)]
    assert slc_cache._lasting(longer, every) == longer
    faster = [Level(0, 2, 200.0), *inner, Level(298, 300, 60.0)]
    assert slc_cache._lasting(faster, every) == faster
    assert slc_cache._lasting([Level(0, 2, 10.0)], every) == [Level(0, 2, 10.0)]


@pytest.mark.parametrize(
    ("rates", "even"),
    [([100.0] * 6, True), ([91.0] * 6 + [109.0] * 6, True), ([85.0] * 6 + [115.0] * 6, False), ([100.0, 300.0], True),
     ([1.0, *[100.0] * 6, 1.0], True)],
)  # fmt: skip
def test_samples_of_a_level_differ_from_its_mean_by_a_tenth_at_most(rates: list[float], *, even: bool) -> None:
    assert slc_cache._even(rates) == even


def test_steps_between_scattered_levels_are_three_times_their_scatter() -> None:
    """Neighbours differ by a fifth: the scatter is ln 1.2 / 0.6745 / 1.414, 0.191."""
    rates = [1.0, 1.2] * 20
    assert scatter(rates) == pytest.approx(0.1911, abs=1e-4)
    for value, stands in ((1.58, True), (1.57, False)):
        assert slc_cache._stand_out(rates, [Level(0, 9, value), Level(9, 40, 1.0)]) == stands
    assert slc_cache._stand_out([1.0] * 9, [Level(0, 4, 1.1), Level(4, 9, 1.0)])
    assert slc_cache._fewest(rates) == round((5 * 0.1911 / np.log(1.25)) ** 2) == 18
    assert slc_cache._fewest(rates[:10]) == 10
    assert slc_cache._fewest([1.0] * 9) == 4
    noise = slc_cache._scattered(rates, [Level(0, 24, 1.0), Level(24, 40, 1.0)])
    assert noise is not None
    assert noise.values["noise"] == pytest.approx(0.1911 / 4, abs=1e-4)
    assert slc_cache._scattered(rates, [Level(0, 40, 1.0)]) is None
    assert slc_cache._scattered([1.0] * 40, [Level(0, 24, 1.0), Level(24, 40, 1.0)]) is None


@pytest.mark.parametrize(("high", "back"), [(0, False), (5, False), (6, True)])
def test_a_rate_comes_back_if_it_is_above_the_middle_for_a_twentieth_of_the_rest(high: int, *, back: bool) -> None:
    rates = [100.0] * 10 + [25.0] * 40 + [60.0] * high + [25.0] * (60 - high)
    why = slc_cache._comes_back(rates, [Level(0, 10, 100.0), Level(10, 110, 25.0)])
    assert (why and dict(why.values)) == ({"low": 25.0, "high": 60.0} if back else None)
    assert slc_cache._comes_back(rates, [Level(0, 110, 100.0)]) is None


@pytest.mark.parametrize(
    ("rates", "levels", "size"),
    [
        ([200, 200, 200, *[100] * 50], [(0, 53, 100.0)], 600),
        ([200, 200, 200, 120, *[100] * 49], [(0, 53, 100.0)], 720),
        ([200, 200, 200, 110, *[100] * 49], [(0, 53, 100.0)], 600),
        ([124] * 3 + [100] * 50, [(0, 53, 100.0)], None),
        ([200] * 3 + [100] * 50, [(0, 3, 200.0), (3, 53, 100.0)], 600),
        ([200] * 4 + [100] * 50, [(0, 4, 200.0), (4, 54, 100.0)], None),
        ([200] * 3 + [100] * 50, [(0, 9, 200.0), (9, 53, 100.0)], None),
        ([100] * 50, [(0, 50, 100.0)], None),
    ],
)
def test_a_faster_start_that_is_too_short_for_a_level_is_a_reason_with_its_bytes(
    rates: list[float], levels: list[tuple[int, int, float]], size: int | None
) -> None:
    why = slc_cache._brief(counts(*rates), [Level(*level) for level in levels])
    assert (why and dict(why.values)) == ({"size": size, "first": 200.0} if size else None)


# Falls


def test_a_running_mean_has_fewer_values_at_the_ends() -> None:
    assert fall._mean([1.0, 2.0, 3.0, 4.0, 5.0], 3) == pytest.approx([1.5, 2, 3, 4, 4.5])
    assert fall._mean([1.0, 2.0], 0) == [1.0, 2.0]


def test_the_time_above_a_rate_is_a_share_of_the_stretch() -> None:
    rates = course(*[10] * 4, *[2] * 6)
    assert [fall._above(rates, 0, 10, bound) for bound in (5, 10, 1)] == [0.4, 0.0, 1.0]
    assert fall._above(rates, 2, 10, 5) == 0.25


def test_a_lower_rate_at_the_start_is_no_level_for_half_a_minute_or_a_tenth_of_the_time() -> None:
    for seconds, most in ((1000, 30), (200, 20), (4000, 40)):
        line = course(*[1] * seconds)
        for last, kept in ((most, 1), (most + 1, 2)):
            every = [Stretch(0, last, 1.0), Stretch(last, seconds, 2.0)]
            assert len(fall._without_slow_start(line, every)) == kept
        assert len(fall._without_slow_start(line, [Stretch(0, 5, 3.0), Stretch(5, seconds, 2.0)])) == 2


@pytest.mark.parametrize(("second", "flat"), [(100, True), (107, True), (109, False), (94, True), (92, False)])
def test_a_level_is_flat_if_its_halves_differ_by_less_than_eight_percent(second: float, *, flat: bool) -> None:
    assert fall._flat(course(*[100] * 10, *[second] * 10), Stretch(0, 20, 100.0), 20.0) == flat


def test_each_level_ends_where_the_rate_falls_to_the_next_that_lasts() -> None:
    found = list(falls(course(*[100] * 100, *[40] * 300, *[15] * 600)))
    assert [(one.lasting, one.flat) for one in found] == [(True, True)] * 2
    assert [one.level for one in found] == pytest.approx([100, 40])
    assert [one.after for one in found] == pytest.approx([40, 15])
    assert [one.s for one in found] == pytest.approx([100, 400], rel=0.01)
    assert [one.written for one in found] == pytest.approx([10_000, 22_000], rel=0.01)
    assert [one.done for one in found] == pytest.approx([100, 400], rel=0.02), "to a piece"
    assert list(falls(course(*[100] * 100, *[85] * 300))) == [], "less than a fifth is no fall"
    assert list(falls(course(*[100] * 300, *[40] * 60))) == [], "the rest is shorter than a quarter"
    again = list(falls(course(*[100] * 100, *[40] * 100, *[90] * 800)))
    assert [(round(one.level), one.lasting) for one in again] == [(100, False)], "it comes back"


def test_a_course_has_a_stretch_for_each_rate_and_no_level_without_writes() -> None:
    found = fall.stretches(course(*[100] * 40, *[50] * 60))
    assert [(one.first, one.last, round(one.rate)) for one in found] == [(0, 40, 100), (40, 100, 50)]
    assert fall.stretches(course(*[0] * 9)) == [Stretch(0, 9, 0.0)]
    assert list(falls(course(*[100] * 3, *[10] * 2))) == [], "too few samples"
    assert len(list(falls(course(*[100] * 3, *[10] * 3)))) == 1


# Causes


def knees(capacity: int, knee: float | None, ratio: float, sizes: tuple[float, ...], **more: Any) -> list[Finding]:
    device = SimpleNamespace(capacity_bytes=capacity, rotational=more.get("rotational", False))
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=device))
    values = {"ratio": ratio} | ({} if knee is None else {"knee_bytes": knee})
    others = [Finding(name="saturation", key="knee", test="write-saturation", values=values)]
    others += [Finding(name="slc_cache", key="steps", values={"state": "fresh", "size": size}) for size in sizes]
    return list(cause._knee(Evidence(run, (), others, Link("", None))))


@pytest.mark.parametrize(
    ("knee", "ratio", "sizes", "key", "values"),
    [
        (100, 1.3, (90,), "cache_full", {"knee": 100, "size": 90}),
        (100, 1.29, (90,), None, {}),
        (129, 2.0, (100,), "cache_full", {"knee": 129, "size": 100}),
        (131, 2.0, (100,), None, {}),
        (77, 2.0, (100,), "cache_full", {"knee": 77, "size": 100}),
        (76, 2.0, (100,), None, {}),
        (800, 2.0, (100,), "cleaning", {"fills": 0.8}),
        (799, 2.0, (), None, {}),
        (2500, 2.0, (), "cleaning", {"fills": 2.5}),
        (2501, 2.0, (), None, {}),
        (None, 2.0, (100,), None, {}),
    ],
)
def test_a_knee_is_a_full_cache_of_its_size_or_free_blocks_that_are_used_up(
    knee: float | None, ratio: float, sizes: tuple[float, ...], key: str | None, values: dict[str, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The drive has 1,000 bytes: a knee from 0.8 to 2.5 capacities is cleaning, one within 1.3 of a cache its end."""
    monkeypatch.setattr(look, "tests", lambda *_: [])
    found = knees(1000, knee, ratio, sizes)
    assert [(one.key, one.test, one.values) for one in found] == ([(key, "write-saturation", values)] if key else [])
    assert knees(1000, knee, ratio, sizes, rotational=True) == []


@pytest.mark.parametrize(("pct", "part"), [(99, 0.99), (100, None)])
def test_the_rest_of_a_range_is_spare(pct: int, part: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    test = SimpleNamespace(name="write-saturation", profile=SimpleNamespace(active_range_pct=pct))
    monkeypatch.setattr(look, "tests", lambda *_: [test])
    found = knees(1000, None, 1.0, ())
    told = [(one.key, one.test, one.values, one.confidence) for one in found]
    assert told == ([("spare", "write-saturation", {"part": part}, "high")] if part else [])


def rested(
    key: str, gain: float, *levels: float, facts: dict[str, Any] | None = None, rotational: bool = False
) -> list[Finding]:
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(rotational=rotational, facts=facts or {})))
    values = {"gain": gain, "levels": {str(10**n): level for n, level in enumerate(levels)}}
    return list(
        cause._rested(
            Evidence(run, (), [Finding(name="idle_recovery", key=key, test="t", values=values)], Link("", None))
        )
    )


def test_a_rate_that_grows_with_every_longer_rest_is_cleaning_in_rests() -> None:
    """Levels that differ by less than a fiftieth are equal; the gain must be 1.3."""
    assert [(one.key, one.test, one.values) for one in rested("recovers", 1.3, 100, 110, 120)] == [("rested", "t", {})]
    assert [one.key for one in rested("partly", 1.3, 100, 110, 120, facts={"level": "raid5"})] == ["emptied"]
    even, fast = rested("recovers", 2.0, 100, 110, 112), rested("recovers", 1.29, 100, 110, 120)
    few, none = rested("recovers", 2.0, 100, 110), rested("none", 2.0, 100, 110, 120)
    assert [*even, *fast, *few, *none, *rested("recovers", 2.0, 100, 110, 120, rotational=True)] == []
