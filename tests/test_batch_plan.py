"""Plans of acceptance: the standard's tables, what a plan can tell, and what a file may say."""

from itertools import combinations
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


ROWS = """
    A Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 E0 D0 C0 B0 A0 C1
    B Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 E0 D0 C0 B0 A0 C1
    C Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 E0 D0 C0 B0 D1 C1
    D Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 E0 D0 C0 E1 D1 D2
    E Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 E0 D0 F1 E1 E2 E3
    F Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 E0 G1 F1 F2 F3 F5
    G Q0 P0 N0 M0 L0 K0 J0 H0 G0 F0 H1 G1 G2 G3 G5 G7
    H Q0 P0 N0 M0 L0 K0 J0 H0 G0 J1 H1 H2 H3 H5 H7 H10
    J Q0 P0 N0 M0 L0 K0 J0 H0 K1 J1 J2 J3 J5 J7 J10 J14
    K Q0 P0 N0 M0 L0 K0 J0 L1 K1 K2 K3 K5 K7 K10 K14 K21
    L Q0 P0 N0 M0 L0 K0 M1 L1 L2 L3 L5 L7 L10 L14 L21 K21
    M Q0 P0 N0 M0 L0 N1 M1 M2 M3 M5 M7 M10 M14 M21 L21 K21
    N Q0 P0 N0 M0 P1 N1 N2 N3 N5 N7 N10 N14 N21 M21 L21 K21
    P Q0 P0 N0 Q1 P1 P2 P3 P5 P7 P10 P14 P21 N21 M21 L21 K21
    Q Q0 P0 R1 Q1 Q2 Q3 Q5 Q7 Q10 Q14 Q21 P21 N21 M21 L21 K21
    R Q0 P0 R1 R2 R3 R5 R7 R10 R14 R21 Q21 P21 N21 M21 L21 K21
"""
"""Table 2-A with its arrows followed: code letter of the lot, then the letter that applies and its number, by AQL."""
LETTERS = {
    2: "AAAAAAB", 8: "AAAAAAB", 9: "AAAAABC", 15: "AAAAABC", 16: "AABBBCD", 25: "AABBBCD", 26: "ABBCCDE", 50: "ABBCCDE",
    51: "BBCCCEF", 90: "BBCCCEF", 91: "BBCDDFG", 150: "BBCDDFG", 151: "BCDEEGH", 280: "BCDEEGH", 281: "BCDEFHJ",
    500: "BCDEFHJ", 501: "CCEFGJK", 1200: "CCEFGJK", 1201: "CDEGHKL", 3200: "CDEGHKL", 3201: "CDFGJLM",
    10_000: "CDFGJLM", 10_001: "CDFHKMN", 35_000: "CDFHKMN", 35_001: "DEGJLNP", 150_000: "DEGJLNP",
    150_001: "DEGJMPQ", 500_000: "DEGJMPQ", 500_001: "DEHKNQR",
}  # fmt: skip
"""Table 1: code letters of the levels S-1 to III by the first and the last lot size of each row."""
SIZES = (2, 3, 5, 8, 13, 20, 32, 50, 80, 125, 200, 315, 500, 800, 1250, 2000)
SAMPLE = dict(zip("ABCDEFGHJKLMNPQR", SIZES, strict=True))


@pytest.mark.parametrize("lot", LETTERS)
def test_every_cell_of_the_standards_tables_is_as_printed(lot: int) -> None:
    rows = {row.split()[0]: row.split()[1:] for row in ROWS.strip().splitlines()}
    for level, letter in zip(("S-1", "S-2", "S-3", "S-4", "I", "II", "III"), LETTERS[lot], strict=True):
        for aql, cell in zip(plans.AQLS, rows[letter], strict=True):
            assert single(lot, aql, level) == (cell[0], min(SAMPLE[cell[0]], lot), int(cell[1:]))


def test_a_plan_accepts_as_often_as_drawing_without_replacement_says() -> None:
    small = Plan("", 10, 2, 0, (), True)
    assert small.accepted(0.2) == pytest.approx(8 / 10 * 7 / 9)
    large = Plan("", None, 50, 1, (), True)
    assert large.accepted(0.01) == pytest.approx(0.9106, abs=1e-4)
    assert large.accepted(0.0) == 1
    half = Plan("", 10, 2, 0, (), True)
    assert half.accepted(0.25) == pytest.approx((8 / 10 * 7 / 9 + 7 / 10 * 6 / 9) / 2)
    assert large.accepted(1.0) == 0


@pytest.mark.parametrize(("lot", "sample", "accept"), [(6, 3, 1), (7, 4, 2), (8, 3, 0), (8, 8, 3), (9, 5, 2)])
def test_a_plan_accepts_as_many_of_all_samples_as_have_no_more_bad_drives_than_it_allows(
    lot: int, sample: int, accept: int
) -> None:
    """Every sample that can be drawn from a small lot is counted."""
    for bad in range(lot + 1):
        drawn = [sum(drive < bad for drive in drives) for drives in combinations(range(lot), sample)]
        share = sum(found <= accept for found in drawn) / len(drawn)
        assert Plan("", lot, sample, accept, (), True).accepted(bad / lot) == pytest.approx(share)


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
