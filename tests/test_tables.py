"""Tables on a terminal of 80 columns: nothing is wider, names can still be told apart; elsewhere all is whole."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from stend import catalogue
from stend.base.units import GiB
from stend.cli import _table, main
from stend.cli._edge import Edge, edged
from stend.words import Sentence, text
from tests.sides import folder
from tests.synthetic import Truth

LONG = "20261120-120000-a-drive-with-a-very-long-name-indeed-and-a-serial-number-write-saturation"
MODEL = "Enterprise Performance Read Intensive NVMe 超高速固态硬盘 3.84 TB"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Edge, "isatty", lambda edge: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("runs")
    for seed in (1, 2):
        folder(top / f"{LONG}-{seed}", seed=seed, truth=Truth(capacity_bytes=8 * GiB), names=("fresh",), label="x" * 90)
    with catalogue.opened(top):
        return top


def widest(text: str) -> int:
    return max(map(cell_len, text.splitlines()))


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("columns", ["run,started,model,tests,outcome", "run,label", "all"])
def test_a_list_of_long_names_fits_a_terminal(columns: str, top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(top), "--columns", columns]) == 0
    said = capsys.readouterr().out
    assert widest(said) <= 80
    for seed in "12":
        assert f"saturation-{seed}" in said, "the end of a name tells runs apart"


def test_elsewhere_every_name_is_whole(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(top), "--columns", "run,label"]) == 0
    said = capsys.readouterr().out
    assert f"{top}/{LONG}-2" in said
    assert "x" * 90 in said
    assert main(["list", str(top), "--json"]) == 0
    assert [one["run"] for one in json.loads(capsys.readouterr().out)] == [f"{LONG}-1", f"{LONG}-2"]


@pytest.mark.usefixtures("terminal")
def test_a_run_shown_on_a_terminal_goes_on_in_the_next_line(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(top / f"{LONG}-1")]) == 0
    said = capsys.readouterr().out
    assert widest(said) <= 80


@pytest.mark.usefixtures("terminal")
def test_what_is_folded_has_every_word_once_and_in_order() -> None:
    line = "  rounds  " + " ".join(f"word{number}" for number in range(40))
    with edged():
        parts = _table.folded([line, "short"])
    assert " ".join(parts).split() == [*line.split(), "short"]
    assert [part[:2] for part in parts[:-1]] == ["  "] * (len(parts) - 1)


@pytest.mark.usefixtures("terminal")
def test_letters_that_are_two_columns_wide_are_counted_as_two() -> None:
    with edged():
        lines = _table.lines([("model", [MODEL, "A"]), ("run", [MODEL * 2, "B"])], whole=("run",))
    assert max(map(cell_len, lines)) <= 80
    _, first, second = lines
    assert first.endswith("3.84 TB")
    assert first.count("…") == 2
    assert second.startswith("A ")


def test_json_of_stamped_runs_has_their_stamps_as_text() -> None:
    stamps = (Sentence("limit_rounds", n=5), text("a message"))
    assert json.loads(_table.data({"runs": [{"stamps": stamps}]})) == {"runs": [{"stamps": [*map(str, stamps)]}]}
