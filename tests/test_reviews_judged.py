"""The conclusions of the five model reviews, and of twelve drives that the rules were not chosen by.

The quick tests judge again what the documented commands measured (tests/unseen/evidence.json, written by `python -m
benchmarks.judged FOLDER --keep`); the soak tests run the commands.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks import data
from benchmarks.judged import KEPT, answers, expected, marks, measured

from stend.cli import main as stend
from stend.model.published import published
from tests.judged_lines import LINES, SUITES, Line

KNOWN: dict[str, dict[str, Any]] = json.loads(KEPT.read_text())


def agrees(line: Line, kept: dict[str, Any]) -> bool:
    """Return whether a drive's figures, marks and claims state what its review concludes."""
    own = marks(kept, published()[line.drive].get("sheet", {}))
    return line.agrees(kept["figures"], own, kept["claims"])


def differs(name: str, kept: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the uses of an unseen drive that are not marked as an engineer expects, without those explained there."""
    wanted = expected()[name]
    explained = wanted.get("better", {}).get("uses", ())
    off = answers(wanted["performance"], marks(kept, {}), sheeted=False)
    off |= answers(wanted.get("sheeted", {}), marks(kept, wanted.get("sheet", {})), sheeted=True)
    return {use: marked for use, marked in off.items() if use not in explained}


def test_every_line_is_in_the_docs_and_agrees_or_says_why_not() -> None:
    rows = {(drive, words): (agrees, why) for drive, words, _, agrees, why in data.read("judged")[1:]}
    assert rows == {(line.drive, line.words): ("in part" if line.why else "yes", line.why) for line in LINES}


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.drive}: {line.words}")
def test_the_review_of_the_virtual_drive_concludes_what_the_article_does(line: Line) -> None:
    assert not KNOWN[line.drive]["standing"]
    assert agrees(line, KNOWN[line.drive])


def test_every_unseen_drive_was_run_or_says_that_it_was_not() -> None:
    for name, wanted in expected().items():
        assert (name in KNOWN) != ("not_run" in wanted), name


@pytest.mark.parametrize("name", sorted(KNOWN.keys() & expected().keys()))
def test_an_unseen_drive_is_judged_as_an_engineer_expects(name: str) -> None:
    assert not KNOWN[name]["standing"]
    assert not differs(name, KNOWN[name])


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reviews")


@cache
def documented(folder: Path, name: str) -> dict[str, Any]:
    suite, target = (
        (SUITES[name], name) if name in SUITES else (expected()[name]["suite"], f"{KEPT.parent}/{name}.toml")
    )
    assert stend(["run", suite, "--target", f"sim:{target}", "--into", str(folder / name)]) == 0
    return measured(folder / name, published().get(name, {}).get("sheet", {}))


@pytest.mark.soak
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.drive}: {line.words}")
def test_the_documented_command_concludes_so(line: Line, runs: Path) -> None:
    assert agrees(line, documented(runs, line.drive))


@pytest.mark.soak
@pytest.mark.parametrize("name", expected())
def test_the_documented_command_judges_an_unseen_drive_so(name: str, runs: Path) -> None:
    assert not differs(name, documented(runs, name))
