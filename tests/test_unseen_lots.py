"""Boundaries of lots of drives and of incoming inspections."""

from math import log
from typing import Any

import pytest

from stend.base.units import GB
from stend.findings.look.inspected import FIT, LOOK_FIRST, SEND_BACK
from stend.many import limits
from stend.many.batch.acceptance import Plan
from stend.many.batch.lot import Lot, lot
from stend.many.batch.verdict import judged
from stend.many.incoming import Row, _compared
from stend.many.sides import side
from tests.sides import load, outcome, row


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


@pytest.mark.parametrize(("odd_is_bad", "verdict", "bad"), [(True, "rejected", [7]), (False, "accepted", [])])
def test_an_outlier_within_its_limits_is_bad_only_if_the_plan_says_so(
    verdict: str, bad: list[int], *, odd_is_bad: bool
) -> None:
    plan = Plan("", None, 8, 0, (limits.parsed("iops[iops] > 1"),), odd_is_bad)
    whole = judged(drives(1000, 1001, 1002, 1003, 1004, 1005, 1006, 500), plan)
    assert list(whole.odd) == [7]
    assert whole.acceptance is not None
    assert (whole.acceptance.verdict, [*whole.acceptance.bad]) == (verdict, bad)


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
