"""The conclusions of the five model reviews, by line, against the reviews of their twins (docs/reviews-judged.md)."""

from functools import cache
from pathlib import Path

import pytest
from benchmarks.judged import said

from stend.cli import main as stend
from stend.store import load
from tests.judged_lines import LINES, SUITES, Line

PAGE = Path(__file__).parents[1] / "docs" / "reviews-judged.md"


def test_every_line_stands_in_the_docs_and_agrees_or_says_why_not() -> None:
    rows = [row.split(" | ") for row in PAGE.read_text().splitlines() if row.startswith("| ")]
    told = {(row[0].strip("| "), row[1]): row[3] for row in rows}
    assert {(line.drive, line.fact): "in part" if line.why else "yes" for line in LINES}.items() <= told.items()


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reviews")


@cache
def told(folder: Path, drive: str) -> tuple[dict[str, float], dict[str, str], dict[str, str]]:
    asked = ["run", SUITES[drive], "--target", f"sim:{drive}", "--into", str(folder / drive)]
    assert stend(asked) == 0
    return said(load(folder / drive), drive)


@pytest.mark.soak
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.drive}: {line.fact}")
def test_the_review_of_the_twin_says_so(line: Line, runs: Path) -> None:
    assert line.agrees(*told(runs, line.drive))
