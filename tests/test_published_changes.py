"""Errata as a page of a drive lists them, and how the making of pages is counted."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from stend import publish
from stend.publish import page, samples
from stend.publish.ledger import Entry, Erratum
from stend.words import Language

FIRST, SECOND = date(2026, 11, 3), date(2026, 11, 9)
FIGURES = ("random_read", "random_write", "sequential_read")


def erratum(day: date, figure: str, old: float, why: str = "stend") -> Erratum:
    return Erratum(day, figure, {"en": figure.replace("_", " ")}, old, None, "r1", "r1", why)


def test_errata_of_a_day_and_cause_are_one_change_with_its_figures_in_their_order_and_the_newest_first() -> None:
    errata = [erratum(FIRST, name, 1000.0 + at) for at, name in enumerate(FIGURES)]
    errata += [erratum(SECOND, FIGURES[1], 2000.0), erratum(SECOND, FIGURES[2], 3000.0, "record")]
    entry = Entry("k", "Drive", FIRST, SECOND, "0.1.0", errata=tuple(errata))
    told = list(page.changes(entry, Language("en")))
    assert [[row[0] for row in change.rows] for change in told] == [
        ["sequential read"],
        ["random write"],
        ["random read", "random write", "sequential read"],
    ]
    assert {row[2] for change in told for row in change.rows} == {"–"}
    assert ["2026" in change.sentence for change in told] == [True] * 3
    assert len({change.sentence for change in told}) == 3


@pytest.mark.parametrize("orders", [0, 1, 3])
def test_each_page_that_is_made_is_counted_from_one_to_their_number(
    orders: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stend.publish.pool.run", lambda given, workers: iter(given))
    told = list[tuple[int, int]]()
    given: Any = [f"page {number}" for number in range(orders)]
    assert list(publish._made(given, lambda done, of: told.append((done, of)), 1)) == given
    assert told == [(number, orders) for number in range(1, orders + 1)]
    assert list(publish._made(given, None, None)) == given


@pytest.mark.parametrize(
    ("name", "counts"),
    [("a.jpg", True), ("a.JPEG", True), ("a.png", True), ("notes.md", True), ("a.txt", False), ("a.html", False)],
)
def test_a_page_is_made_again_if_a_picture_or_a_text_beside_its_run_changed(
    name: str, *, counts: bool, tmp_path: Path
) -> None:
    (tmp_path / "events.jsonl").write_text("{}\n")
    before = samples._digest(tmp_path)
    (tmp_path / name).write_text("first")
    first = samples._digest(tmp_path)
    (tmp_path / name).write_text("second")
    assert (first != before, samples._digest(tmp_path) != first) == (counts, counts)
