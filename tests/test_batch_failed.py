"""Drives that are no sound part of a lot: one whose run failed leads the page, one of another capacity is refused."""

import pytest

from stend.base.errors import BadInput
from stend.many.batch.acceptance import Written
from stend.many.batch.acceptance import plan as accepting
from stend.many.batch.lot import Lot, lot
from stend.many.batch.verdict import judged
from stend.many.sides import side
from stend.report.parts import batched
from stend.words import LANGUAGES, Language, Sentence
from tests.sides import load, outcome, row

DEAD = Sentence("failed_why", why=Sentence("operator"))


def lot_of(failed: int, drives: int = 8) -> Lot:
    """Drives of equal figures; the run of one of them failed after all of its figures."""
    runs = [outcome(f"r{i}", [row(load(), 10_000.0)], float(i), drive=f"D{i}") for i in range(drives)]
    return lot(side("", [run._replace(stamps=(DEAD,)) if i == failed else run for i, run in enumerate(runs)]))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_drive_that_failed_is_named_before_outliers(lang: str) -> None:
    words = Language(lang)
    lead = batched.batched(judged(lot_of(3), None), lang, drawn=False).lead
    assert lead.title.startswith(words("batched.failed", n=1, names=["D3"]))
    assert any(text.startswith("D3: ") and words.translated(DEAD) in text for text in lead.texts)
    table = batched._drives(judged(lot_of(3), None), words)
    assert [cells[2] == words("batched.is_failed") for cells in table.rows] == [i == 3 for i in range(8)]
    sound = batched.batched(judged(lot_of(-1), None), lang, drawn=False).lead
    assert words("batched.failed", n=1, names=["D3"]).split(":")[0] not in sound.title


@pytest.mark.parametrize(
    ("failed", "sample", "accept", "verdict"),
    [(3, 8, 0, "rejected"), (3, 8, 1, "accepted"), (7, 7, 0, "accepted"), (-1, 8, 0, "accepted")],
)
def test_a_run_that_failed_is_bad_though_its_figures_keep_the_limits(
    failed: int, sample: int, accept: int, verdict: str
) -> None:
    plan = accepting(Written(("iops[iops] > 1k",), sample=sample, accept=accept))
    whole = judged(lot_of(failed), plan)
    assert whole.acceptance is not None
    assert whole.acceptance.verdict == verdict
    assert list(whole.acceptance.bad) == [failed] * (failed >= 0)
    for lang in LANGUAGES:
        words = Language(lang)
        page = batched.batched(whole, lang, drawn=False)
        beyond = words("batched.beyond_bad", n=1, names=["D7"])
        assert (beyond in page.lead.texts) == (failed == 7)
        tables = [table.rows for table in page.section("acceptance").tables]
        assert tables == ([((f"D{failed}", words("batched.is_failed"), "–", "–"),)] if failed >= 0 else [])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_drive_of_another_capacity_is_no_part_of_a_lot_unless_asked(lang: str) -> None:
    sizes = [480 * 10**9, 480 * 10**9, 960 * 10**9, 0]  # the last run is imported and does not state it
    runs = [outcome(f"r{i}", [row(load(), 10_000.0)], float(i), drive=f"D{i}") for i in range(len(sizes))]
    runs = [run._replace(settings=run.settings | {"capacity": size}) for run, size in zip(runs, sizes, strict=True)]
    with pytest.raises(BadInput, match="capacity: 480,000,000,000 bytes, 960,000,000,000 bytes"):
        lot(side("", runs))
    assert not lot(side("", [*runs[:2], runs[3]])).notes
    words = Language(lang)
    whole = batched.batched(judged(lot(side("", runs), anyway=True), None), lang, drawn=False)
    sizes_said = f"({words.show(480e9, 'gb')}, {words.show(960e9, 'gb')})"
    assert any(sizes_said in text for text in whole.lead.texts)
