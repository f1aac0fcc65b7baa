"""A test of one's own is one file: the listing of docs/adding-a-test.md, put beside the others, just works."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stend import store, suite
from stend.cli import main
from stend.model.definition import Hold

DOCUMENT = Path(__file__).parents[1] / "docs" / "adding-a-test.md"


def listing() -> str:
    """The only Python listing of the document."""
    (found,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    return str(found)


@pytest.fixture
def ninth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its name, while its file lies where the package looks for tests."""
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "steady_mix.py").write_text(listing())
    monkeypatch.setattr(suite, "__path__", [*suite.__path__, str(tmp_path / "suite")])
    yield "steady-mix"
    sys.modules.pop("stend.suite.steady_mix", None)


def test_it_is_one_file_under_fifty_lines() -> None:
    assert 10 < len(listing().splitlines()) < 50


def test_it_is_listed_planned_run_and_reported(ninth: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests"]) == 0
    assert "RND 16 KiB 70/30 until steady" in capsys.readouterr().out
    assert main(["plan", ninth, "--target", "sim:small"]) == 0
    planned = capsys.readouterr().out
    assert "rounds: until steady (pts: RND 16K 70/30 T4 Q32), at most 25 rounds" in planned
    assert "rest 1 h" in planned
    folder = tmp_path / "run"
    assert main(["run", ninth, "--target", "sim:small", "--quick", "--seed", "1", "--into", str(folder)]) == 0
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome in ("complete", "not steady"), run.ended.reason
    assert list(dict.fromkeys(r.where.phase for r in run.results)) == [
        "purge", "precondition", "rounds", "rest", "rested",
    ]  # fmt: skip
    last = run.of(ninth, "rested")[-1]
    assert isinstance(last.step, Hold)
    assert last.counts.read.ios / last.counts.both.ios == pytest.approx(0.7, abs=0.02)
    assert "Steady Mix" in (folder / "report.html").read_text()


def test_its_settings_can_be_changed_and_are_told(
    ninth: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "mine.toml"
    study.write_text(f'title = "Mine"\ntests = ["{ninth}"]\n[settings.tests.{ninth}]\nread_pct = 50\n')
    assert main(["plan", str(study), "--target", "sim:small"]) == 0
    said = capsys.readouterr().out
    assert "RND 16K 50/50" in said
    assert "Deviation: steady-mix: reads, %: 50 instead of 70" in said
