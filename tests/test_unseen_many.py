"""Boundaries of comparisons and lots that no quick test watched, found by changing them (`benchmarks.mutations`)."""

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from stend.base.errors import BadInput
from stend.base.units import GB
from stend.findings.look.inspected import FIT, LOOK_FIRST, SEND_BACK
from stend.many import limits, statistics
from stend.many.batch.acceptance import Plan
from stend.many.batch.lot import Lot, lot
from stend.many.batch.verdict import judged
from stend.many.compare import compared, junit, thresholds
from stend.many.compare.differences import Difference, _unproven, verdict_of
from stend.many.compare.groups import Group
from stend.many.compare.rules import judge, parse
from stend.many.incoming import Row, _compared
from stend.many.settings import Reason, _equally_warm
from stend.many.sides import side
from stend.model.quantities import QUANTITIES
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


# Lots


def drives(*rates: float) -> Lot:
    return lot(side("", [outcome(f"r{i}", [row(load(), rate)], i, f"D{i}") for i, rate in enumerate(rates)]))


@pytest.mark.parametrize(
    ("sample", "accept", "verdict", "bad", "more", "missing"),
    [
        (4, 0, "rejected", [0, 3], 0, 0),
        (4, 1, "rejected", [0, 3], 0, 0),
        (4, 2, "accepted", [0, 3], 0, 0),
        (3, 1, "accepted", [0, 3], 1, 0),
        (3, 0, "rejected", [0, 3], 1, 0),
        (5, 1, "rejected", [0, 3], 0, 1),
        (5, 2, "undecided", [0, 3], 0, 1),
        (5, 3, "accepted", [0, 3], 0, 1),
    ],
)
def test_a_lot_is_judged_by_the_bad_drives_of_the_sample_and_those_that_it_lacks(
    sample: int, accept: int, verdict: str, bad: list[int], more: int, missing: int
) -> None:
    """Of four drives the first and the last are below the limit; a drive that was not tested may be bad."""
    plan = Plan("", None, sample, accept, (limits.parsed("iops[iops] >= 1k"),), odd_is_bad=False)
    acceptance = judged(drives(999, 1000, 1001, 900), plan).acceptance
    assert acceptance is not None
    assert (acceptance.verdict, [*acceptance.bad], acceptance.more, acceptance.missing) == (verdict, bad, more, missing)
    assert acceptance.judged == min(sample, 4)
    assert acceptance.beyond == [3] * (sample == 3)
    (broken,) = acceptance.bad[0]
    assert (broken.value, broken.bound) == (999.0, 1000.0)


@pytest.mark.parametrize("rates", [(1000.0,), (1000.0, 1000.0, 1000.0), (10.0,), (3.0, 3.0)])
def test_a_drive_that_just_meets_a_limit_is_not_bad_by_rounding(rates: tuple[float, ...]) -> None:
    """The exponential of the logarithm of 1000 is 999.9999999999998."""
    runs = [outcome(f"r{n}{rate}", [row(load(), rate)], n, f"D{n % 2}") for n, rate in enumerate([*rates, *rates])]
    for sign in (">=", "<="):
        plan = Plan("", None, 2, 0, (limits.parsed(f"iops[iops] {sign} {rates[0]:g}"),), odd_is_bad=False)
        acceptance = judged(lot(side("", runs)), plan).acceptance
        assert acceptance is not None
        assert acceptance.verdict == "accepted"


def test_without_enough_drives_to_know_outliers_a_plan_that_counts_them_accepts_none() -> None:
    plans = [Plan("", None, 4, 0, (), odd_is_bad=odd) for odd in (True, False)]
    told = [judged(drives(1000, 1000, 1000, 1000), plan).acceptance for plan in plans]
    assert [one and one.verdict for one in told] == ["undecided", "accepted"]


def test_a_figure_of_a_lot_is_one_that_two_of_its_drives_have() -> None:
    works = [load(), load(100), load(65)]
    runs = [outcome(f"r{n}", [row(work, 1000) for work in works[n:]], n, f"D{n}") for n in range(3)]
    whole = lot(side("", runs))
    assert {figure.key.read_pct for figure in whole.figures} == {100, 65}, "only the first drive has writes"
    assert {figure.key.read_pct for figure in whole.drives[0].values} == {0, 100, 65}


def test_several_runs_of_a_drive_give_their_geometric_mean_and_a_note() -> None:
    runs = [outcome(f"r{n}", [row(load(), rate)], n, drive) for n, (rate, drive) in
            enumerate([(1000, "A"), (4000, "A"), (500, "B"), (2000, "A")])]  # fmt: skip
    whole = lot(side("", runs))
    (figure,) = (one for one in whole.figures if one.quantity == "iops")
    assert [drive.values[figure] for drive in whole.drives] == pytest.approx([2000, 500])
    assert [(note.key, note.values) for note in whole.notes] == [("counts", {"least": 1, "most": 3})]
    which, y = whole.logs(figure)
    assert (which, y.tolist()) == ([0, 1], pytest.approx([log(2000), log(500)]))


def test_at_most_four_values_of_a_setting_that_differs_are_noted() -> None:
    runs = [outcome(f"r{n}", [row(load(), 1000)], n, f"D{n}", {"model": f"M{n}"}) for n in range(5)]
    (note,) = lot(side("", runs), anyway=True).notes
    assert note.values == {"name": "model", "values": ["M0", "M1", "M2", "M3"]}


def test_the_largest_difference_of_a_batch_is_that_of_its_farthest_drive() -> None:
    """The drives are alike but for the last, whose second load is at half of the others' rate."""
    runs = [
        outcome(f"r{n}", [row(load(), 1000 + n), row(load(100), 500 if n == 7 else 1000 + n)], n, f"D{n}")
        for n in range(8)
    ]
    largest = judged(lot(side("", runs)), None).largest
    assert largest is not None
    assert (largest.drive, largest.figure.key.read_pct) == (7, 100)
    assert largest.ratio == pytest.approx(500 / 1002.5, rel=0.01)


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
    [((1.02, 1.031, 1.2), True), ((1.02, 1.029, 1.2), False), ((1.0, 1.1, 1.2), False), ((0.999, 1.1, 1.2), False),
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


# Incoming inspections


def inspected(number: int, **facts: Any) -> Row:
    names = {"target": f"t{number}", "model": "M", "serial": f"S{number}", "firmware": "1", "folder": ""}
    unknown = dict.fromkeys(("hours", "written_bytes", "wear_pct"))
    plain: dict[str, Any] = {**names, **unknown, "capacity_bytes": GB, "median_s": 0.002, "verdict": FIT, "reasons": ()}
    return Row(**plain | facts)


def differing(*rows: Row) -> list[list[tuple[str, dict[str, Any]]]]:
    return [[(why.key, dict(why.values)) for why in _compared(row, rows).reasons] for row in rows]


@pytest.mark.parametrize(
    ("name", "usual", "other"), [("firmware", "1", "2"), ("capacity_bytes", GB, 2 * GB)]
)  # fmt: skip
def test_a_drive_differs_from_more_than_half_of_four_or_more(name: str, usual: Any, other: Any) -> None:
    rows = [inspected(n, **{name: other if n == 2 else usual}) for n in range(5)]
    reason = [(f"lot_{name}", {"value": other, "usual": usual})]
    assert differing(*rows) == [[], [], reason, [], []]
    assert differing(*rows[:4]) == [[], [], reason, []]
    assert differing(*rows[:3]) == [[], [], []], "three drives have no usual value"
    halves = [inspected(n, **{name: other if n > 1 else usual}) for n in range(4)]
    assert differing(*halves) == [[], [], [], []]
    alone = [inspected(n, model="N" if n == 2 else "M", **{name: other if n == 2 else usual}) for n in range(5)]
    assert differing(*alone) == [[]] * 5, "it is the only drive of its model"


@pytest.mark.parametrize(("median_s", "slower"), [(0.003, False), (0.0031, True), (None, False)])
def test_a_drive_differs_that_takes_more_than_half_as_long_again(median_s: float | None, *, slower: bool) -> None:
    rows = [inspected(0, median_s=median_s), *(inspected(n) for n in range(1, 5)), inspected(5, median_s=None)]
    reason = [("lot_slower", {"value": 0.0031, "usual": 0.002})]
    assert differing(*rows) == [reason if slower else [], [], [], [], [], []]
    assert _compared(rows[0], rows).verdict == (LOOK_FIRST if slower else FIT)
    assert _compared(rows[0]._replace(verdict=SEND_BACK), rows).verdict == SEND_BACK


def test_drives_of_one_serial_number_go_back_and_name_each_other() -> None:
    rows = [inspected(0), inspected(1, serial="S0"), inspected(2, serial="S0"), inspected(3)]
    assert differing(*rows) == [
        [("lot_serial", {"serial": "S0", "others": "t1, t2"})],
        [("lot_serial", {"serial": "S0", "others": "t0, t2"})],
        [("lot_serial", {"serial": "S0", "others": "t0, t1"})],
        [],
    ]
    assert [_compared(row, rows).verdict for row in rows] == [SEND_BACK, SEND_BACK, SEND_BACK, FIT]
    unknown = [inspected(n, serial="") for n in range(2)]
    assert differing(*unknown) == [[], []]


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
