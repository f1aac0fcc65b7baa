"""Charts of a comparison can be read: their stamps are of their test, few lines, round numbers of ratios, reasons."""

from typing import Any

import pytest
from msgspec.structs import replace

from stend.charts.beside import ladders
from stend.charts.overlay import intervals, pictures, sweeps
from stend.charts.parts import MOST_LINES, Drawing, axis
from stend.charts.parts.marks import octaves
from stend.charts.parts.sides import Side as Drive
from stend.many.compare import Comparison, Side, compared, side
from stend.report.parts import Table, written
from stend.report.parts.ranked import incomparable
from stend.report.parts.versus import parts
from stend.words import Language, Sentence
from tests.sides import load, outcome, row

EN = Language("en")
MIXES, BLOCKS = (100, 95, 65, 35, 0), (4, 8, 16, 32)


def swept(ratio: float = 0.8, *, steady: bool = True) -> Comparison:
    """Compare two runs of five mixes and four block sizes; the second reaches `ratio` of the rates of the first."""
    sides = list[Side]()
    for name, scale in (("a", 1.0), ("b", ratio)):
        rows = [
            row(load(mix, block), scale * (1000 + 10 * mix) / block, steady=steady) for mix in MIXES for block in BLOCKS
        ]
        sides.append(side(name, [outcome(name, rows, 100 * (name == "b"))]))
    return compared(sides[0], sides[1])


def test_a_sweep_shows_the_mixes_with_the_most_and_the_fewest_reads() -> None:
    (drawing,) = [one for one in sweeps.draw(swept(), EN) if "IOPS" in one.title]
    assert {r["mix"] for r in drawing.rows["rows"]} == {"100/0", "0/100"}
    assert drawing.says == f"{EN('overlay.sweep_one_says')} {EN('overlay.sweep_few_says')}"
    assert drawing.test == "iops"


def test_a_sweep_by_outstanding_ios_has_one_point_per_number_of_the_best_threads() -> None:
    ladder = [(threads, depth) for threads in (1, 2, 4) for depth in (2, 4, 8)]
    sides = list[Side]()
    for name in "ab":
        loads = [replace(load(100, 4, depth), threads=threads) for threads, depth in ladder]
        rows = [row(one, 1000.0 * one.outstanding + one.threads) for one in loads]
        sides.append(side(name, [outcome(name, rows, 100 * (name == "b"))]))
    (drawing,) = [one for one in sweeps.draw(compared(sides[0], sides[1]), EN) if "IOPS" in one.title]
    points = {(r["side"], r["x"]): r["value"] for r in drawing.rows["rows"]}
    assert len(points) == len(drawing.rows["rows"]) == 2 * len({t * d for t, d in ladder})
    assert points["a", 8] == pytest.approx(8004, rel=1e-3), "of 1 x 8, 2 x 4 and 4 x 2 the last is the fastest"
    assert drawing.says.endswith(EN("overlay.sweep_threads_says"))


@pytest.mark.parametrize(("values", "titles"), [(2, ["Rates"]), (3, ["Rates: 0", "Rates: 1", "Rates: 2"])])
def test_a_chart_of_too_many_lines_is_drawn_once_per_value(values: int, titles: list[str]) -> None:
    sides = [Drive("a"), Drive("b")]
    rows = [
        {"n": n, "value": n, "mix": str(mix), "drive": one.name}
        for one in sides
        for mix in range(values)
        for n in (1, 2)
    ]
    x = octaves("n", "n", [1, 2])
    drawn = list(ladders._drawn(Drawing("Rates", None, {"rows": rows}), x, axis("value", "v"), "mix", sides, EN))
    assert [one.title for one in drawn] == titles
    assert sum(len(one.rows["rows"]) for one in drawn) == len(rows)
    assert all(len({(row["drive"], row["mix"]) for row in one.rows["rows"]}) <= MOST_LINES for one in drawn)


@pytest.mark.parametrize(("ratio", "kind"), [(0.8, None), (1.9, None), (9.0, "log"), (0.05, "log")])
def test_ratios_near_one_have_a_linear_axis(ratio: float, kind: str | None) -> None:
    (drawing,) = intervals.draw(swept(ratio), EN)
    x: Any = drawing.chart.to_dict()["layer"][1]["encoding"]["x"]
    assert x["scale"].get("type") == kind
    assert ("log" in x["title"]) == (kind == "log")


def test_a_chart_of_one_test_has_the_stamps_of_that_test_and_of_whole_runs() -> None:
    other = Sentence("not_steady", test="latency", ended=Sentence("limit_rounds", n=5))
    own = Sentence("not_steady", test="iops", ended=Sentence("limit_rounds", n=5))
    whole_run = Sentence("interrupted", n=2)
    run = outcome("a", [])._replace(stamps=(other, own, whole_run))
    (line,) = written.stamped([run, run], EN, "iops")
    assert line == f"{whole_run} · {own}"
    (line,) = written.stamped([run], EN)
    assert line == f"{whole_run} · {other} · {own}"
    assert written.stamped([outcome("a", [])], EN, "iops") == []


def test_each_chart_asks_for_the_stamps_of_its_test() -> None:
    tests = list[str]()
    assert list(pictures(swept(), EN, lambda test: tests.append(test) or []))  # type: ignore[func-returns-value]
    assert set(tests) == {"iops", ""}  # the largest differences are of all tests


def test_a_page_states_why_figures_are_not_comparable_and_how_many() -> None:
    lines = list(incomparable(swept(steady=False), EN))
    reason = "steady state not reached in 1 of 1 run of"
    assert lines == [f"Not comparable (20): {reason} a; {reason} b."]  # a figure is counted once
    assert not list(incomparable(swept(), EN))


def test_a_column_of_equal_cells_is_stated_in_the_note() -> None:
    rows = (("random read", "window", "1", "2 + 2"), ("random write", "window", "2", "2 + 2"))
    table = Table("t", ("Figure", "State", "a", "Runs"), rows, (2, 3), "All rows.", (1,))
    short = table.without_equal(["State", "Runs"])
    assert short.head == ("Figure", "a")
    assert short.rows == (("random read", "1"), ("random write", "2"))
    assert (short.numeric, short.marks) == ((1,), (1,))
    assert short.note == "State: window. Runs: 2 + 2. All rows."
    assert table._replace(rows=rows[:1]).without_equal(["State", "Runs"]).head == table.head
    other = table._replace(rows=(rows[0], ("random write", "filled", "2", "2 + 2")))
    assert other.without_equal(["State", "Runs"]).head == ("Figure", "State", "a")


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_titles_of_tails_name_the_load_in_words(lang: str) -> None:
    title = Language(lang)("overlay.tails", where="T", load="RND 4K 0/100 T4 Q32")
    assert Language(lang).show("RND 4K 0/100 T4 Q32", "load") in title


def test_a_stamp_names_the_title_of_its_test_in_english() -> None:
    assert Sentence("not_steady", test="iops", ended=Sentence("limit_rounds", n=5)).startswith("IOPS: steady")
    assert Sentence("saturated", test="write-saturation", ended="x").startswith("Write Saturation: saturated")


def test_large_phases_have_their_own_tables() -> None:
    rows = swept().differences
    second = [row._replace(key=row.key._replace(phase="histogram")) for row in rows[:4]]
    titles = [title for title, _ in parts([*rows, *second], "IOPS", EN)]
    assert titles == ["IOPS, rounds", "IOPS, histogram"]
    assert sum(len(part) for _, part in parts([*rows, *second], "IOPS", EN)) == len(rows) + 4
    assert [title for title, _ in parts([*rows, *second[:3]], "IOPS", EN)] == ["IOPS"]
