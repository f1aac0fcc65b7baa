"""The table of what uses ask for: with its note, a reader gets the marks of the uses from it."""

import random
from collections.abc import Iterable, Mapping

import pytest

from stend.findings.judgement import HEAVY, HEAVY_DOUBTS, RANK, Mark, demands_of, verdict
from stend.findings.judgement.evidence import FACTS, Known
from stend.findings.judgement.uses import Demand, uses
from stend.findings.look.grounds import Because
from stend.report.story.demands import demands
from stend.report.story.page_one import Review
from stend.words import Language
from tests.test_standing import whole

FIGURES = sorted({demand.figure for use in uses().use.values() for demand in use.demands})


def drawn(seed: int) -> dict[str, float]:
    """Figures of a drive that nobody built: each is missing, or near its bounds, or far from them."""
    dice = random.Random(seed)
    values = dict[str, float]()
    for name in (name for name in FIGURES if dice.random() < 0.85):
        demand = dice.choice([d for use in uses().use.values() for d in use.demands if d.figure == name])
        good, bad = demand.at_least or demand.at_most or (1.0, 1.0)
        values[name] = dice.choice([good, good, good * 1.3, good / 1.3, bad, bad * 1.2, bad / 1.2])
    return values


def mark_by(rows: list[Demand], values: Mapping[str, float]) -> Mark:
    """The mark as the note of the table explains it, for drives whose figures are final."""
    states = list[str]()
    for demand in rows:
        value, (good, bad) = values.get(demand.figure), demand.at_least or demand.at_most or (0.0, 0.0)
        if value is None:
            states.append("fact" if demand.figure in FACTS else "missing")
        elif value == good or (value > good) == bool(demand.at_least):
            states.append("met")
        else:
            states.append("between" if value == bad or (value > bad) == bool(demand.at_least) else "unmet")
    unmet = [demand for demand, state in zip(rows, states, strict=True) if state == "unmet"]
    weights = dict[str, int]()
    for demand, state in zip(rows, states, strict=True):
        if state in ("unmet", "between"):
            fact = "writes" if demand.figure == "fall" else demand.figure
            weights[fact] = max(weights.get(fact, 0), demand.weight)
    if len(unmet) > 1 or any(demand.weight >= HEAVY for demand in unmet) or sum(weights.values()) >= HEAVY_DOUBTS:
        return "no"
    if {"unmet", "between", "missing"} & {*states}:
        return "doubt"
    return "performance" if "fact" in states else "yes"


@pytest.mark.parametrize("kind", ["flash", "disk", "array"])
def test_a_reader_gets_each_mark_from_the_table_and_its_note(kind: str) -> None:
    seen = set[str]()
    for seed in range(400):
        values = drawn(seed)
        judged = verdict(Known(values), kind)
        rows: dict[str, list[Demand]] = {}
        for use, demand in demands_of(judged, kind):
            rows.setdefault(use, []).append(demand)
        marks = {use: mark_by(own, values) for use, own in rows.items()}
        for use, mark in marks.items():
            if (other := uses().use[use].no_better) in marks:
                marks[use] = min(mark, marks[other], key=[*RANK].index)
        assert marks == {use.use: use.mark for use in judged.uses if use.use in rows}
        seen |= {*marks.values()}
    assert seen == {"no", "doubt", "performance", "yes"}


def reviewed(values: Mapping[str, float], kind: str = "flash", lang: str = "en", why: Because | None = None) -> Review:
    judged = verdict(Known(dict(values)), kind, why)
    return Review(whole(), judged.figures, judged, (), kind, Language(lang))


def plain(rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows with common spaces."""
    return [tuple(cell.replace("\xa0", " ") for cell in row) for row in rows]


DISK = {"seq_read": 180e6, "seq_write": 175e6, "capacity": 4e12, "reads": 190.0}
FIRST = "First write of the whole drive, last fifth (or writes after the fill)"
FLASH = {"seq_read": 3.2e9, "stream_end": 1.1e9, "capacity": 1.6e12}


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_figure_of_every_use_has_a_name_and_both_bounds(lang: str) -> None:
    for kind in ("flash", "disk", "array"):
        (table,) = demands({"": reviewed(dict.fromkeys(FIGURES, 1.0), kind, lang)}, Language(lang))
        assert all(all(row) for row in table.rows)
        assert len({row[:2] for row in table.rows}) == len(table.rows)


def test_bounds_and_figures_are_in_the_units_of_the_reader() -> None:
    (table,) = demands({"": reviewed(FLASH)}, Language("en"))
    assert plain(table.rows) == [
        ("Large files", "Sequential reads", "≥ 150 MB/s", "< 80 MB/s", "2", "3,200 MB/s"),
        ("Large files", FIRST, "≥ 200 MB/s", "< 60 MB/s", "2", "1,100 MB/s"),
        ("Large files", "Capacity", "≥ 400 GB", "< 300 GB", "3", "1.6 TB"),
    ]


def test_a_figure_that_would_be_worse_later_has_a_sign() -> None:
    known = Known(
        dict(FLASH) | {"writes": 50_000.0, "fall": 2.0, "start": 100_000.0, "reads": 90_000.0, "mix": 60_000.0},
        {"writes": Because("falling")},
    )
    judged = verdict(known, "flash")
    (table,) = demands({"": Review(whole(), judged.figures, judged, (), "flash", Language("en"))}, Language("en"))
    own = {row[1]: row[-1] for row in plain(table.rows)}
    assert own["Random writes, saturated (after the fill if not measured)"] == "≤ 50,000 IOPS"
    assert own["Sequential reads"] == "3,200 MB/s"


def test_drives_of_two_kinds_have_rows_of_their_own() -> None:
    (table,) = demands({"A": reviewed(FLASH), "B": reviewed(DISK, "disk")}, Language("en"))
    of_reads = [row for row in table.rows if row[1] == "Sequential reads"]
    assert plain(row[2:] for row in of_reads) == [
        ("≥ 150 MB/s", "< 80 MB/s", "2", "3,200 MB/s", ""), ("≥ 120 MB/s", "< 60 MB/s", "2", "", "180 MB/s"),
    ]  # fmt: skip
    assert table.head[-2:] == ("A", "B")


def test_many_drives_have_no_columns_and_a_run_without_a_verdict_no_table() -> None:
    four = {name: reviewed(FLASH) for name in "ABCD"}
    (table,) = demands(four, Language("en"))
    assert len(table.head) == 5
    assert not [*demands({"": reviewed(FLASH, why=Because("shortened"))}, Language("en"))]
    assert not [*demands({"": reviewed({"mix": 100_000.0})}, Language("en"))]
