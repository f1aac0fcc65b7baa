"""Boundaries of comparisons that no quick test watched, found by changing them (`benchmarks.mutations`)."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from stend.base.errors import BadInput
from stend.base.units import GB
from stend.many import limits, statistics
from stend.many.compare import compared, junit, thresholds
from stend.many.compare.differences import ENDED, Difference, _unproven, verdict_of
from stend.many.compare.groups import Group, access
from stend.many.compare.rules import ONE_SIDED, _gated, judge, parse
from stend.many.settings import Reason, _equally_warm
from stend.many.sides import side
from stend.model.quantities import QUANTITIES
from stend.words import Sentence
from tests.sides import load, of_rates, outcome, row

HEAD = "<?xml version='1.0' encoding='utf-8'?>\n"


@pytest.mark.parametrize(("undecided", "skipped", "tag"), [("", 1, "skipped"), ("fail", 0, "failure"), ("pass", 0, "")])
def test_junit_counts_the_cases_and_states_each_change_with_its_interval(
    tmp_path: Path, undecided: str, skipped: int, tag: str
) -> None:
    """The ratio is 0.875, its interval 0.75 to 1.125; the undecided figure has none."""
    rule = parse("iops < -3%")
    whole = judge(compared(of_rates("a", 1000, 1010), of_rates("b", 900, 905)), [rule], undecided)
    figure = whole.gated[0].figure._replace(ratio=0.875, low=0.75, high=1.125)
    gated = [whole.gated[0]._replace(figure=figure, answer=answer) for answer in ("passed", "failed")]
    alone = whole.gated[0]._replace(figure=figure._replace(low=None, high=None), answer="undecided")
    junit.write(whole._replace(gated=(*gated, alone)), tmp_path / "gate.xml", ("a", "b"))
    case = '<testcase classname="iops &lt; -3%" name="iops rounds window RND 4K 0/100 T4 Q32 both iops"'
    failure = '<failure message="failed: -12.50% (-25.00% to +12.50%)" />'
    last = f'><{tag} message="undecided: -12.50% (no interval)" /></testcase>' if tag else " />"
    counts = f'tests="3" failures="{1 + (tag == "failure")}" skipped="{skipped}" errors="0"'
    assert (tmp_path / "gate.xml").read_text() == (
        f'{HEAD}<testsuites name="stend compare: a against b"><testsuite name="iops &lt; -3%" {counts}>'
        f"{case} />{case}>{failure}</testcase>{case}{last}</testsuite></testsuites>"
    )


def test_a_figure_fails_below_the_level_and_is_undecided_at_it_with_the_runs_that_would_decide() -> None:
    rule = parse("iops < -3%")
    whole = judge(compared(of_rates("a", 1000, 1010), of_rates("b", 900, 905)), [rule])
    wide = whole.gated[0].figure._replace(low=0.9, high=1.1, more=3)
    near, tight = ONE_SIDED, wide._replace(low=0.98)
    gated = [
        _gated(rule, figure, p) for figure, p in ((wide, near / 2), (wide, near), (tight, near), (tight, near / 2))
    ]
    assert [one.answer for one in gated] == ["failed", "undecided", "passed", "failed"]
    assert gated[1].why == (Reason("more", {"n": 3}),)
    assert _gated(rule, wide._replace(more=None), near).why == ()
    alone = _gated(rule, wide._replace(why=(Reason("one"),)), None)
    assert (alone.answer, alone.p, alone.why) == ("undecided", None, (Reason("one"),))


RATES = {"kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9, "mib/s": 1048576, "gib/s": 1073741824}
IN_BASE_UNITS: dict[str, dict[str, float]] = {
    "1/s": {"": 1, "k": 1e3, "m": 1e6},
    "B/s": {"": 1, "k": 1e3, "m": 1e6} | RATES,
    "s": {"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "W": {"": 1, "w": 1, "mw": 1e-3},
    "1/s/W": {"": 1, "k": 1e3},
    "B/J": {"": 1, "k": 1e3, "m": 1e6},
    "": {"": 1, "k": 1e3, "m": 1e6, "%": 1},
    "B": {"": 1},
}


@pytest.mark.parametrize("quantity", ["", *QUANTITIES])
def test_each_unit_of_a_limit_has_its_size_in_base_units(quantity: str) -> None:
    fitting = IN_BASE_UNITS[QUANTITIES[quantity].unit if quantity else ""]
    for unit in limits.UNITS:
        limit = limits.parsed(f"{quantity or 'dies'} >= 2.5{unit.upper() if unit.isascii() else unit}")
        if unit in fitting:
            assert limit.bound(quantity) == pytest.approx(2.5 * fitting[unit], rel=1e-12)
        else:
            with pytest.raises(BadInput, match="is not a unit of"):
                limit.bound(quantity)


def test_a_greek_letter_is_as_good_as_the_sign_for_micro() -> None:
    """Unicode has both: U+00B5, which the units have, and U+03BC, which its normal forms and other keyboards give."""
    limit = limits.parsed("p99 < 500 \u03bcs")
    assert limit.bound("p99") == pytest.approx(500e-6)


@pytest.mark.parametrize(
    ("sign", "holds"), [("<", (True, False, False)), ("<=", (True, True, False)), (">", (False, False, True)),
                        (">=", (False, True, True))],
)  # fmt: skip
def test_a_limit_holds_by_its_sign(sign: str, holds: tuple[bool, ...]) -> None:
    limit = limits.parsed(f"iops[iops, window] {sign} 5k")
    assert (limit.where, limit.sign, limit.number, limit.unit) == (("iops", "window"), sign, 5.0, "k")
    assert tuple(limit.holds(value, limit.bound("iops")) for value in (4999.0, 5000.0, 5001.0)) == holds


# Comparisons


@pytest.mark.parametrize(
    ("middle", "low", "high", "verdict"),
    [
        (0.0, -0.04, 0.04, "same"),
        (0.0, -0.05, 0.04, "undecided"),
        (0.0, -0.04, 0.05, "undecided"),
        (0.05, 0.01, 0.09, "undecided"),
        (0.06, 0.01, 0.11, "better"),
        (0.06, 0.0, 0.12, "undecided"),
        (-0.05, -0.09, -0.01, "undecided"),
        (-0.06, -0.11, -0.01, "worse"),
        (-0.06, -0.12, 0.0, "undecided"),
    ],
)
def test_a_verdict_needs_an_interval_without_zero_and_a_difference_above_the_limit(
    middle: float, low: float, high: float, verdict: str
) -> None:
    opposite = {"better": "worse", "worse": "better"}
    assert verdict_of(middle, low, high, 0.05, more_is_better=True) == verdict
    assert verdict_of(middle, low, high, 0.05, more_is_better=False) == opposite.get(verdict, verdict)


@pytest.mark.parametrize(
    ("quantity", "ratio", "verdict"),
    [
        ("iops", 1.2 - 1e-9, "close"), ("iops", 1.2 + 1e-9, "ahead"), ("iops", 1 / 1.2 + 1e-9, "close"),
        ("iops", 1 / 1.2 - 1e-9, "behind"), ("mean", 1.2 + 1e-9, "behind"), ("mean", 1.2 - 1e-9, "close"),
        ("mean", 0.8, "ahead"), ("p99", 2 - 1e-9, "close"), ("p99", 2 + 1e-9, "behind"), ("p99", 0.49, "ahead"),
    ],
)  # fmt: skip
def test_a_side_is_ahead_without_repeats_only_beyond_a_fifth_or_twice_in_tails(
    quantity: str, ratio: float, verdict: str
) -> None:
    (one, *_) = compared(of_rates("a", 1000), of_rates("b", 1000)).differences
    assert _unproven(one._replace(quantity=quantity, ratio=ratio)) == verdict


def test_thresholds_are_parsed_as_percent() -> None:
    assert thresholds(["rate=5%", "tail=12.5%", "mean=7"]) == {"rate": 0.05, "tail": 0.125, "mean": 0.07}
    for text in ("rate", "rate=", "rate=-5%", "speed=5%", "rate=1000%", "rate=5.5555%"):
        with pytest.raises(BadInput, match="is not a threshold; write it like rate=5%; kinds are rate, mean, tail"):
            thresholds([text])


@pytest.mark.parametrize(
    ("verdicts", "sort"),
    [
        ("better better same", "up"), ("better same", "some"), ("better better worse", "some"),
        ("ahead ahead close", "ahead"), ("ahead better close", "ahead"), ("better better ahead", "up"),
        ("worse worse same", "down"), ("worse same", "some"), ("worse worse better", "some"),
        ("behind behind close", "behind"), ("worse behind close", "behind"), ("worse worse behind", "down"),
        ("same", "level"), ("undecided close", "level"), ("behind close", "some"),
    ],
)  # fmt: skip
def test_a_group_moved_if_more_than_half_of_its_figures_did(verdicts: str, sort: str) -> None:
    (one, *_) = compared(of_rates("a", 1000), of_rates("b", 1000)).differences
    rows: tuple[Difference, ...] = tuple(one._replace(verdict=verdict) for verdict in verdicts.split())  # type: ignore[arg-type]
    assert Group("iops", "", "window", "random_write", "iops", "both", rows).sort == sort


@pytest.mark.parametrize(
    ("ratios", "one_way"),
    [((1.02, 1.03, 1.2), True), ((1.02, 1.029, 1.2), False), ((1.0, 1.1, 1.2), False), ((0.999, 1.1, 1.2), False),
     ((0.98, 0.96, 0.9), True), ((0.98, 0.98, 0.9), False), ((1.0, 0.9, 0.8), False)],
)  # fmt: skip
def test_figures_moved_one_way_if_all_did_and_the_middle_one_by_three_percent(
    ratios: tuple[float, ...], one_way: bool
) -> None:
    (one, *_) = compared(of_rates("a", 1000), of_rates("b", 1000)).differences
    rows = tuple(one._replace(ratio=ratio) for ratio in ratios)
    group = Group("iops", "", "window", "random_write", "iops", "both", rows)
    assert group.one_way == one_way
    assert group.largest.ratio == ratios[-1]


@pytest.mark.parametrize(
    ("random_pct", "read_pct", "kind"),
    [(100, 100, "random_read"), (100, 0, "random_write"), (1, 99, "random_mix"), (0, 100, "sequential_read"),
     (0, 0, "sequential_write"), (0, 1, "sequential_mix")],
)  # fmt: skip
def test_a_kind_of_load_is_named_by_its_access_and_its_reads(random_pct: int, read_pct: int, kind: str) -> None:
    assert access(random_pct, read_pct) == kind


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [((1000,), (1000,), []), ((1000, 1001), (1000,), ["apart"]), ((1000,), (1000, 1001), ["apart"])],
)
def test_only_sides_of_several_runs_are_said_to_be_measured_apart(
    first: tuple[float, ...], second: tuple[float, ...], said: list[str]
) -> None:
    whole = compared(of_rates("a", *first), of_rates("b", *second, first_s=1000))
    assert [note.key for note in whole.notes] == said
    assert all(note.values == {"first": "a", "second": "b"} for note in whole.notes)


def test_sides_that_ended_unsteady_or_were_cut_are_noted_in_their_order() -> None:
    a, b = (
        side(
            name,
            [outcome(f"{name}{n}", [row(load(), 1000 + n)], n * 200.0 + at)._replace(stamps=stamps) for n in (0, 1)],
        )
        for name, at, stamps in (
            ("a", 0.0, (Sentence(ENDED, test="iops", ended="x"), Sentence("stopped"))),
            ("b", 100.0, (Sentence(ENDED, test="latency", ended="x"),)),
        )
    )
    assert [(note.key, dict(note.values)) for note in compared(a, b).notes] == [
        (ENDED, {"sides": "a", "tests": ["iops"]}),
        (ENDED, {"sides": "b", "tests": ["latency"]}),
        ("cut", {"side": "a", "n": 2}),
    ]
    assert compared(a, b._replace(runs=tuple(run._replace(stamps=a.runs[0].stamps[:1]) for run in b.runs))).notes[
        0
    ] == (Reason(ENDED, {"sides": "a, b", "tests": ["iops"]}))


@pytest.mark.parametrize(
    ("name", "first", "second", "equal"),
    [
        ("temperature", (30.0,), (34.9,), True),
        ("temperature", (30.0,), (35.0,), False),
        ("temperature", (30.0, 36.0), (31.0,), False),
        ("temperature", (31.0,), (30.0, 36.0), False),
        ("temperature", (), (36.0,), True),
        ("temperature", (36.0,), (), True),
        ("firmware", ("1",), ("1",), False),
    ],
)
def test_sides_are_equally_warm_below_five_kelvin(
    name: str, first: tuple[float, ...], second: tuple[float, ...], *, equal: bool
) -> None:
    assert _equally_warm(name, first, second) == equal


def test_parts_and_entropy_of_a_figure_are_named_with_the_first_and_the_last_value() -> None:
    """The first side covers all of its 480 GB, the second a quarter with data that two thirds of is random."""
    work = replace(load(), range_bytes=120 * GB, entropy_pct=67)
    whole = compared(of_rates("a", 1000), side("b", [outcome("b", [row(work, 1000)], 9)]))
    reasons = whole.differences[0].why
    assert reasons == (Reason("part", {"a": 1.0, "b": 0.25}), Reason("entropy", {"a": 1.0, "b": 0.67}))


# Statistics


def test_the_spread_within_sides_has_a_degree_of_freedom_less_for_each_of_them() -> None:
    """Squares of 2 and 8 about the means, of two and three numbers; a side of one number adds nothing."""
    assert statistics.spread([1.0, 3.0], [0.0, 2.0, 4.0]) == pytest.approx((10 / 3) ** 0.5)
    assert statistics.spread([1.0, 3.0], [7.0]) == pytest.approx(2**0.5)
    assert statistics.spread([1.0], [7.0]) == 0.0


def test_runs_that_are_needed_are_none_above_four_hundred_and_two_at_least() -> None:
    """About 2 (1.9600 + 1.2816)^2 times the squared ratio of deviation and change, and 1.96^2 / 4 for Student's t."""
    assert statistics.runs_needed(0.0, 0.1) == 2
    assert statistics.runs_needed(1e-9, 0.1) == 2
    each = 2 * (1.959964 + 1.281552) ** 2
    assert statistics.runs_needed(1.0, (each / (399.5 - 0.96)) ** 0.5) == 400
    assert statistics.runs_needed(1.0, (each / (400.5 - 0.96)) ** 0.5) is None


def test_discoveries_are_all_up_to_the_last_that_is_below_its_step() -> None:
    """Of four p-values the steps are 0.0125, 0.025, 0.0375 and 0.05."""
    assert statistics.discoveries([0.02, 0.05, 0.03, 0.04]) == [True] * 4
    assert statistics.discoveries([0.0125, 0.026, 0.5, 0.6]) == [True, False, False, False]
    assert statistics.discoveries([0.02, 0.024, 0.5, 0.6]) == [True, True, False, False]
    assert statistics.discoveries([0.0126, 0.026, 0.5, 0.6]) == [False] * 4


@pytest.mark.parametrize(("first", "second", "known"), [(3, 4, False), (4, 3, False), (4, 4, True)])
def test_ranks_need_four_numbers_of_each_side(first: int, second: int, known: bool) -> None:
    """With four a side that do not overlap p is 2 of the 70 orders."""
    p = statistics.ranks(np.arange(first, dtype=float).tolist(), (10 + np.arange(second, dtype=float)).tolist())
    assert p == (pytest.approx(2 / 70) if known else None)
