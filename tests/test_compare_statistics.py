"""Comparing sets of runs, the arithmetic: held against other people's, and against a truth that is known."""

import importlib
from types import ModuleType

import numpy as np
import pytest
from benchmarks import comparing

from stend.many import statistics as ours

pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def theirs() -> ModuleType:
    """Other people's statistics; a second to load, which only these tests wait for."""
    return importlib.import_module("scipy.stats")


@pytest.mark.parametrize(("n", "m"), [(3, 3), (10, 10)])
def test_the_interval_is_welchs(n: int, m: int, theirs: ModuleType) -> None:
    dice = np.random.default_rng(n)
    a, b = dice.normal(0, 1, n), dice.normal(1, 3, m)
    own, other = ours.welch(a, b), theirs.ttest_ind(b, a, equal_var=False)
    told = other.confidence_interval(0.95)
    assert [own.low, own.high] == pytest.approx([told.low, told.high])
    assert ours.two_sided(own) == pytest.approx(other.pvalue)


def test_two_runs_a_side_get_the_mean_of_two_kinds_of_freedom(theirs: ModuleType) -> None:
    own = ours.welch([0.0, 1.0], [5.0, 5.5])
    welch = theirs.ttest_ind([5.0, 5.5], [0.0, 1.0], equal_var=False).df
    assert own.freedom == pytest.approx((welch + 2) / 2)


def test_unequal_numbers_get_the_harmonic_mean_of_welchs_freedom_and_the_smaller_sides(theirs: ModuleType) -> None:
    a, b = [0.0, 1.0, 0.4], [5.0, 5.5, 5.1, 4.9, 5.3, 5.2]
    welch = theirs.ttest_ind(b, a, equal_var=False).df
    assert ours.welch(a, b).freedom == pytest.approx(2 / (1 / welch + 1 / 2))
    assert ours.welch(b, a).freedom == pytest.approx(2 / (1 / welch + 1 / 2))


@pytest.mark.parametrize(("few", "many"), comparing.UNEQUAL)
@pytest.mark.parametrize("ratio", comparing.RATIOS)
def test_intervals_of_unequal_numbers_of_runs_cover_the_truth(few: int, many: int, ratio: float) -> None:
    """A slice of the same benchmark; Welch's own degrees of freedom cover 87 to 96 % here."""
    assert comparing.unequal(few, many, ratio, repeats=4000) >= 0.925


def test_families_are_adjusted_as_others_do_it(theirs: ModuleType) -> None:
    p = [0.04, 0.001, 0.03, 0.2, 0.011]
    assert ours.discoveries(p) == [bool(q <= 0.05) for q in theirs.false_discovery_control(p)]
    assert ours.holm(p) == pytest.approx([0.09, 0.005, 0.09, 0.2, 0.044])
    assert ours.holm([]) == []


def test_as_many_runs_are_asked_for_as_the_grounds_say() -> None:
    """Runs a side for 90 % power, to find 1, 3, 5, 10 % (next capabilities, A1)."""
    asked = {0.005: [7, 3, 2, 2], 0.01: [23, 4, 3, 2], 0.02: [86, 11, 5, 3], 0.05: [None, 62, 24, 7]}
    for spread, needed in asked.items():
        assert [ours.runs_needed(spread, np.log1p(change)) for change in (0.01, 0.03, 0.05, 0.10)] == needed


def test_more_than_four_hundred_runs_a_side_are_not_asked_for() -> None:
    asked = [ours.runs_needed(spread, np.log1p(0.01)) for spread in np.linspace(0.043, 0.0435, 40)]
    assert max(filter(None, asked)) == 400
    assert asked[-1] is None


def test_the_runs_asked_for_really_find_the_change() -> None:
    dice = np.random.default_rng(3)
    n = ours.runs_needed(0.02, np.log1p(0.05))
    assert n is not None
    a, b = dice.normal(0, 0.02, (4000, n)), dice.normal(np.log1p(0.05), 0.02, (4000, n))
    assert np.mean(ours.welch(a, b).low > 0) == pytest.approx(0.9, abs=0.04)


def test_ranks_are_asked_from_four_runs_a_side_on() -> None:
    assert ours.ranks([1, 2, 3], [4, 5, 6, 7]) is None
    assert ours.ranks([1, 2, 3, 4], [5, 6, 7, 8]) == pytest.approx(2 / 70)


def test_spread_is_that_within_sides() -> None:
    assert ours.spread([1.0, 3.0], [11.0, 13.0]) == pytest.approx(2**0.5)
    assert ours.spread([1.0], [5.0]) == 0


@pytest.mark.parametrize("runs", comparing.RUNS)
def test_intervals_of_runs_cover_the_truth(runs: int) -> None:
    """A slice of `python -m benchmarks.comparing`, by a fixed seed; rounds as the unit would cover 48 to 78 %."""
    made = comparing.cell(runs, 0.02, repeats=600)
    assert 0.93 <= made.covers <= 0.97
    assert made.finds[0] <= 0.07
    assert made.finds[-1] > made.finds[0]


@pytest.mark.parametrize("runs", [2, 5])
def test_any_false_alarm_of_a_family_stays_rare(runs: int) -> None:
    plain, holm, rule = comparing.family(runs, 0.02, repeats=400)
    assert plain > 0.2
    assert holm <= 0.06
    assert rule <= 0.04
