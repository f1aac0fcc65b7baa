"""Plans of acceptance: the standard's tables, what a plan can tell, and what a file may say."""

from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.many.batch import acceptance as plans
from stend.many.batch.acceptance import Plan, Written, plan, single

LIMIT = ("iops[saturated] > 10k",)


@pytest.mark.parametrize(
    ("lot", "aql", "level", "wanted"),
    [
        # code letter, sample, acceptance number as printed in table 2-A, arrows followed
        (500, 1.0, "II", ("H", 50, 1)),
        (500, 2.5, "II", ("H", 50, 3)),
        (1000, 0.65, "II", ("J", 80, 1)),
        (1000, 1.5, "II", ("J", 80, 3)),
        (1000, 0.40, "II", ("K", 125, 1)),
        (280, 0.65, "II", ("F", 20, 0)),
        (280, 1.0, "II", ("H", 50, 1)),
        (50, 10.0, "II", ("D", 8, 2)),
        (24, 4.0, "II", ("B", 3, 0)),
        (5, 10.0, "II", ("C", 5, 1)),
        (3000, 1.0, "I", ("H", 50, 1)),
        (3000, 1.0, "III", ("L", 200, 5)),
        (3000, 6.5, "S-1", ("D", 8, 1)),
        (20_000, 10.0, "II", ("K", 125, 21)),
        (1_000_000, 0.010, "III", ("Q", 1250, 0)),
        (10, 0.01, "II", ("Q", 10, 0)),
    ],
)
def test_single_sampling_is_as_the_standards_tables_print_it(
    lot: int, aql: float, level: str, wanted: tuple[str, int, int]
) -> None:
    assert single(lot, aql, level) == wanted


def test_every_plan_of_the_table_has_a_sample_and_every_one_of_its_arrows_ends() -> None:
    for lot in plans.LOTS:
        for aql in plans.AQLS:
            for level in plans.LEVELS:
                _, sample, accept = single(lot, aql, level)
                assert 0 < sample <= max(lot, 2)
                assert accept in plans.ACCEPTS.values()


def test_a_plan_accepts_as_often_as_drawing_without_replacement_says() -> None:
    small = Plan("", 10, 2, 0, (), True)
    assert small.accepted(0.2) == pytest.approx(8 / 10 * 7 / 9)
    large = Plan("", None, 50, 1, (), True)
    assert large.accepted(0.01) == pytest.approx(0.9106, abs=1e-4)
    assert large.accepted(0.0) == 1
    assert large.accepted(1.0) == 0


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (Written(LIMIT, aql_pct=1.1, lot=500), "no AQL of 1.1"),
        (Written(LIMIT, aql_pct=1.0), "size of the lot"),
        (Written(LIMIT, aql_pct=1.0, lot=500, sample=3, accept=0), "not both"),
        (Written(LIMIT, sample=3), "needs sample and accept"),
        (Written(LIMIT, sample=3, accept=3), "cannot accept 3"),
        (Written(LIMIT, sample=30, accept=1, lot=20), "cannot accept 1"),
        (Written(), "cannot fail; add limits"),
        (Written(("iops is high",), sample=3, accept=0), "is not a limit"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(told: Written, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        plan(told)


@pytest.mark.parametrize("more", [{"aql_pct": 1.0, "lot": 500}, {"sample": 20, "accept": 1}])
def test_odd_drives_are_bad_ones_where_the_plan_says_so(more: dict[str, Any]) -> None:
    assert not plan(Written(LIMIT, **more, odd="told")).odd_is_bad
    assert plan(Written(LIMIT, **more, odd="nonconforming")).odd_is_bad


def test_a_stated_plan_is_as_it_was_stated() -> None:
    own = plan(Written(LIMIT, title="incoming", lot=500, sample=20, accept=1), "file")
    assert (own.title, own.lot, own.sample, own.accept) == ("incoming", 500, 20, 1)
    assert plan(Written(LIMIT, sample=20, accept=1), "file").title == "file"


def test_a_plan_is_read_from_a_file_and_a_word_it_does_not_know_is_named(tmp_path: Path) -> None:
    path = tmp_path / "incoming.toml"
    path.write_text('lot = 280\naql_pct = 0.65\nlimits = ["iops[saturated] > 10k"]\n')
    own = plans.read(path)
    assert (own.title, own.letter, own.sample, own.accept) == ("incoming", "F", 20, 0)
    path.write_text('lots = 280\nlimits = ["iops > 10k"]\n')
    with pytest.raises(BadInput, match="lots"):
        plans.read(path)
