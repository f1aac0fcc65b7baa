"""Runs that a failure cut off: what is compared of them, and drives of a lot that failed."""

import re
from itertools import takewhile
from math import comb
from pathlib import Path

import pytest

from stend import store
from stend.base.errors import GATE_FAILED_EXIT_CODE
from stend.cli import main
from stend.many import read
from stend.many.batch.acceptance import Plan
from stend.many.batch.lot import lot
from stend.many.batch.verdict import judged
from stend.many.compare import compared
from stend.many.limits import parsed
from stend.model.events import Ended, Event, Judged, Result
from stend.report.parts.batched import batched
from stend.report.parts.versus import versus
from stend.words import LANGUAGES, Language
from tests import labs
from tests.imported import SAMPLES, imported
from tests.synthetic import Truth

WRITES = 5
"""Phases of `fresh` before its random writes, which are the last."""


def whole(path: Path, unit: int, fresh_iops: float = 50_000) -> Path:
    return labs.run(path, Truth(serial=f"SN{unit}", fresh_iops=fresh_iops), seed=unit, names=("fresh",), tests={})


def failed(of: Path, path: Path, ends: int) -> Path:
    """The run without its end: it failed after this number of phases, within the next one; without any result if 0."""
    done = 0

    def before(event: Event) -> bool:
        nonlocal done
        done += isinstance(event, Judged) and bool(event.ended_by)
        return done <= ends and not isinstance(event, Ended)

    events = [event for event in takewhile(before, store.read(of)) if ends or not isinstance(event, Result)]
    store.create(path, store.manifest(of), store.host(of))
    for _ in store.append(path, (event for event in (*events, Ended(t=1e4, outcome="failed")))):
        pass
    return path


def test_a_phase_that_was_cut_off_has_no_figure_and_the_whole_ones_have(tmp_path: Path) -> None:
    first = whole(tmp_path / "a", 1)
    cut, every = read.run(failed(first, tmp_path / "b", WRITES)), read.run(first)
    assert {key.phase for key in every.rows} - {key.phase for key in cut.rows} == {"random-write"}
    assert all(every.rows[key].iops == row.iops for key, row in cut.rows.items())
    sides = read.named([whole(tmp_path / "c", 2)], "A"), read.named([tmp_path / "b"], "B")
    notes = [note for note in compared(*sides).notes if note.key == "cut"]
    assert [(note.values["side"], note.values["n"]) for note in notes] == [("B", 1)]


@pytest.mark.parametrize("ends", [0, WRITES])
def test_a_drive_of_a_lot_that_failed_is_bad(tmp_path: Path, ends: int) -> None:
    """It died at once, or while its random writes ran, of which the first minutes are the fastest."""
    folders = [whole(tmp_path / f"runs/{unit}", unit) for unit in (2, 3)]
    failed(whole(tmp_path / "all", 1), tmp_path / "runs/1", ends)
    folders.insert(0, tmp_path / "runs/1")
    plan = Plan("", None, 3, 0, (parsed("iops[fresh,random-write] > 1k"),), odd_is_bad=False)
    batch = judged(lot(read.named(folders, empty=True)), plan)
    assert batch.acceptance is not None
    assert batch.acceptance.verdict == "rejected"
    assert [batch.lot.drives[i].name for i in batch.acceptance.bad] == ["SN1"]
    written = tmp_path / "plan.toml"
    written.write_text('sample = 3\naccept = 0\nlimits = ["iops[fresh,random-write] > 1k"]\n')
    words = ["lot", str(tmp_path / "runs"), "--acceptance", str(written), "--into", str(tmp_path), "--format", "json"]
    assert main(words) == GATE_FAILED_EXIT_CODE


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_plan_of_outliers_accepts_no_lot_that_is_too_small_to_show_any(tmp_path: Path, lang: str) -> None:
    folders = [whole(tmp_path / f"{unit}", unit, 50_000 if unit else 10_000) for unit in range(5)]
    plan = Plan("", 280, 5, 0, (), odd_is_bad=True)
    batch = judged(lot(read.named(folders)), plan)
    assert batch.acceptance is not None
    assert batch.acceptance.verdict == "undecided"
    page = batched(batch, lang, drawn=False)
    assert page.lead.title == Language(lang)("batched.verdict_blind", bad=0, judged=5, accept=0)


def test_a_share_of_a_small_lot_is_the_mean_of_whole_numbers_of_bad_drives() -> None:
    """Of 8 drives 5 % are 0.4: a perfect lot in six of ten, one with a bad drive, which 3 of 8 miss, in four."""
    plan = Plan("", 8, 3, 0, (), odd_is_bad=False)
    missed = comb(7, 3) / comb(8, 3)
    assert plan.accepted(1 / 8) == pytest.approx(missed)
    assert plan.accepted(0.05) == pytest.approx(0.6 + 0.4 * missed)
    assert (plan.accepted(0.0), plan.accepted(1.0)) == (1.0, 0.0)


def test_imported_runs_that_state_no_drive_are_not_called_runs_of_one(tmp_path: Path) -> None:
    text = (SAMPLES / "crystaldiskmark-5.txt").read_text()
    first, second = re.findall(r"\d+\.\d+(?= MB/s)", text)[:2]
    (tmp_path / "second.txt").write_text(text.replace(f" {first} MB/s", f" {second} MB/s", 1))
    sides = [
        read.named([imported(place, tmp_path / name)], name)
        for name, place in (("A", SAMPLES / "crystaldiskmark-5.txt"), ("B", tmp_path / "second.txt"))
    ]
    page = versus(compared(sides[0], sides[1]), None, "en", drawn=False)
    said = " ".join(str(section) for section in page.every)
    assert Language("en")("versus.alike_stated") in said
    assert Language("en")("versus.alike") not in said
