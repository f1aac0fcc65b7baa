"""Check values of the method notes, and properties of the latency bins."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.model.stats import BINS, RULES, bin_edges_ns, bin_index, fit, fit_within_90_110, percentile_s, steady_state
from stend.model.tally import Tally


def rounds(*values: float) -> list[tuple[int, float]]:
    return list(enumerate(values, start=1))


def on_line(slope: float, intercept: float, first: int) -> list[tuple[int, float]]:
    return [(n, slope * n + intercept) for n in range(first, first + 5)]


def test_published_iops_window_keeps_its_allowances_and_its_slope() -> None:
    # average 11726.8 with fit -6.4 R + 11746: the window is rounds 1-5
    verdict = steady_state(on_line(-6.4, 11746, 1))
    assert verdict is not None
    assert verdict.average == pytest.approx(11726.8)
    assert verdict.excursion_allowed == pytest.approx(2345.36)
    assert verdict.slope_excursion_allowed == pytest.approx(1172.68)
    assert verdict.slope_excursion == pytest.approx(25.6)
    assert verdict.steady


def test_published_throughput_window_keeps_its_allowances_and_its_slope() -> None:
    verdict = steady_state(on_line(-3.366, 1082.478, 1))
    assert verdict is not None
    assert verdict.average == pytest.approx(1072.38)
    assert verdict.excursion_allowed == pytest.approx(214.476)
    assert verdict.slope_excursion_allowed == pytest.approx(107.238)
    assert verdict.slope_excursion == pytest.approx(13.464)
    assert verdict.steady


@pytest.mark.parametrize(
    ("values", "excursion", "slope", "steady"),
    [
        ((100, 102, 98, 101, 99), 4, 1.2, True),
        ((90, 95, 100, 105, 110), 20, 20, False),
        ((110, 90, 100, 110, 90), 20, 8, True),
        ((100, 100, 100, 100, 115), 15, 12, False),
        ((100, 100, 115, 100, 100), 15, 0, True),
    ],
    ids=["simple", "slope fails, range ties", "only the bound decides", "outlier at the end", "outlier in the middle"],
)
def test_check_values(values: tuple[float, ...], excursion: float, slope: float, steady: bool) -> None:
    verdict = steady_state(rounds(*values))
    assert verdict is not None
    assert verdict.excursion == pytest.approx(excursion)
    assert verdict.slope_excursion == pytest.approx(slope)
    assert verdict.steady is steady


def test_the_verification_table_is_whole() -> None:
    verdict = steady_state(rounds(7, 100, 102, 98, 101, 99))
    assert verdict is not None
    assert verdict.rounds == (2, 3, 4, 5, 6)
    assert verdict.values == (100, 102, 98, 101, 99)
    assert verdict.fit == pytest.approx((-0.3, 101.2))
    assert verdict.correlation == pytest.approx(-0.3)


def test_no_verdict_before_the_fifth_round() -> None:
    assert steady_state(rounds(1, 1, 1, 1)) is None


def test_a_dead_drive_is_not_steady() -> None:
    verdict = steady_state(rounds(0, 0, 0, 0, 0))
    assert verdict is not None
    assert not verdict.steady


def test_the_reviews_rule_wants_four_rounds_and_a_flat_fit_only() -> None:
    assert fit_within_90_110(rounds(1, 1, 1)) is None
    wild = fit_within_90_110(rounds(50, 150, 150, 50))
    assert wild is not None
    assert wild.steady
    assert wild.excursion_allowed is None
    edge = fit_within_90_110(rounds(90, 96 + 2 / 3, 103 + 1 / 3, 110))
    assert edge is not None
    assert edge.steady
    steep = fit_within_90_110(rounds(89, 96, 104, 111))
    assert steep is not None
    assert not steep.steady


def test_rules_are_named() -> None:
    assert set(RULES) == {"pts", "fit-90-110"}


@given(st.lists(st.floats(1, 1e7), min_size=5, max_size=5), st.floats(0.001, 1000))
def test_the_verdict_does_not_depend_on_the_unit(values: list[float], scale: float) -> None:
    a, b = steady_state(rounds(*values)), steady_state(rounds(*(v * scale for v in values)))
    assert a is not None
    assert b is not None
    near = math.isclose(a.excursion, 0.2 * a.average, rel_tol=1e-6) or math.isclose(
        a.slope_excursion, 0.1 * a.average, rel_tol=1e-6
    )
    assert near or a.steady == b.steady


def test_a_flat_line_has_no_slope_and_no_correlation() -> None:
    assert fit(rounds(3, 3, 3)) == (0.0, 3.0, 0.0)


@given(st.integers(0, 2**36))
def test_a_response_time_lies_in_its_bin(ns: int) -> None:
    index = bin_index(ns)
    lower, upper = bin_edges_ns(index)
    assert lower <= ns < upper or index == BINS - 1
    assert upper - lower <= max(1, lower / 64)


def test_bins_touch_and_are_all_reached() -> None:
    assert BINS == 1856
    for index in range(BINS - 1):
        lower, upper = bin_edges_ns(index)
        assert bin_index(lower) == index
        assert upper == bin_edges_ns(index + 1)[0]


def tallied(sample: list[int]) -> Tally:
    bins: dict[int, int] = {}
    for ns in sample:
        bins[bin_index(ns)] = bins.get(bin_index(ns), 0) + 1
    return Tally(len(sample), 0, sum(sample), sum(ns * ns for ns in sample), max(sample), bins)


def test_a_percentile_needs_ios_beyond_it() -> None:
    tally = tallied([100_000] * 9_990 + [5_000_000] * 10)
    assert percentile_s(tally, 99.9) == pytest.approx(100e-6, rel=0.01)
    assert percentile_s(tally, 99.99) is None
    assert percentile_s(Tally(), 50) is None


@pytest.mark.slow
@given(st.lists(st.integers(1, 10**9), min_size=1000, max_size=1000), st.sampled_from([50.0, 90.0, 99.0]))
def test_a_percentile_is_within_a_bin_of_the_true_one(sample: list[int], percent: float) -> None:
    true = sorted(sample)[math.ceil(len(sample) * percent / 100) - 1]
    found = percentile_s(tallied(sample), percent)
    assert found is not None
    assert found * 1e9 == pytest.approx(true, rel=1 / 64, abs=1)


near = st.integers(1, 10**10).flatmap(lambda ns: st.lists(st.integers(ns, ns + ns // 40 + 1), min_size=1, max_size=8))


@given(near, st.lists(st.integers(1, 2 * 10**10), max_size=4), st.integers(1, 300))
def test_percentiles_are_ordered_and_lie_between_what_was_measured(many: list[int], few: list[int], each: int) -> None:
    sample = many * each + few
    tally = tallied(sample) + tallied(many)
    told = [value for p in (50, 90, 99, 99.9, 99.99) if (value := percentile_s(tally, p)) is not None]
    assert told == sorted(told)
    least = bin_edges_ns(min(tally.bins))[0]
    assert all(least <= value * 1e9 <= tally.max_ns * (1 + 1e-12) for value in told)


@given(st.integers(128, 10**10), st.floats(0, 1), st.sampled_from([50, 99, 99.9]))
def test_where_one_bin_holds_every_io_its_percentiles_are_the_mean(ns: int, place: float, percent: float) -> None:
    lower, upper = bin_edges_ns(bin_index(ns))
    mean = lower + (upper - 1 - lower) * place
    tally = Tally(10**5, 0, mean * 10**5, 0, upper - 1, {bin_index(ns): 10**5})
    assert percentile_s(tally, percent) == pytest.approx(tally.mean_s)


@pytest.mark.parametrize("percent", [50.0, 90.0, 99.0])
def test_a_percentile_of_a_growing_backlog_is_between_the_start_of_the_last_bin_and_the_longest(percent: float) -> None:
    """A drive that answers 600 of 1,000 IOs per second: the waits of a minute grow evenly to 40 s."""
    tally = tallied([int(n * 40e9 / 60_000) for n in range(60_000)])
    assert percentile_s(tally, percent) == pytest.approx(40 * percent / 100, rel=0.02)


@given(near, st.integers(0, 3))
def test_a_percentile_never_contradicts_the_mean(many: list[int], fast: int) -> None:
    """All but a few IOs take the longest: the 99 % of them lies no lower than the mean can be explained by."""
    sample = [1] * fast + [max(many)] * 2000
    tally = tallied(sample)
    found = percentile_s(tally, 99)
    assert found is not None
    assert found * 0.99 + tally.max_s * 0.01 >= tally.mean_s * (1 - 1e-9)


def test_what_took_longer_than_the_last_bin_can_say_is_no_shorter_than_its_longest() -> None:
    tally = tallied([30 * 10**9] * 100)
    assert percentile_s(tally, 50) == pytest.approx(30)


def test_a_percentile_is_the_middle_of_its_bin_where_nothing_says_otherwise() -> None:
    edges = bin_edges_ns(bin_index(1_000_000))
    index = bin_index(1_000_000)
    tally = Tally(1000, 0, 0.0, 0.0, 0.0, {bin_index(100): 100, index: 900})
    assert percentile_s(tally, 50) == pytest.approx((edges[0] + edges[1] - 1) / 2 * 1e-9, rel=1e-12)


def test_half_of_all_ios_in_the_lowest_bin_leave_the_rest_no_more_than_the_mean_allows() -> None:
    """Were the IO just above them any slower, the mean would be: least + (mean - least) / share of those above."""
    low, high = (bin_edges_ns(bin_index(ns))[0] for ns in (500_000, 1_000_000))
    mean = (low + high) / 2
    tally = Tally(1000, 1000, 1000 * mean, 0, 1.05 * high, {bin_index(low): 500, bin_index(high): 500})
    assert percentile_s(tally, 50.1) == pytest.approx((low + (mean - low) / 0.499) * 1e-9)


def test_the_standard_deviation_is_that_of_a_sample() -> None:
    """Response times of 1, 2 and 3 ns have 1 ns (Bessel's correction); a single one has none."""
    assert Tally(3, 0, 6, 14, 3).deviation_s == pytest.approx(1e-9)
    assert Tally(1, 0, 6, 36, 6).deviation_s == 0
