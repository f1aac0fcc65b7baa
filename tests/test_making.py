"""Files that a separate process makes for a page: written last by a rename, and made once."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.live import compared, making
from stend.live.making import INDEX, Maker, run_program


def test_a_program_writes_its_index_last_and_returns_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[Any]()

    def make(into: Path, lang: str, folders: list[Path]) -> dict[str, str]:
        seen.append((into, lang, folders, (into / INDEX).exists()))
        return {"said": "стенд"}

    monkeypatch.setattr(sys, "argv", ["x", str(tmp_path), "ru", "a", "b"])
    assert run_program(make) == 0
    assert seen == [(tmp_path, "ru", [Path("a"), Path("b")], False)]
    assert (tmp_path / INDEX).read_text(encoding="utf-8") == '{"said": "стенд"}'
    assert [path.name for path in tmp_path.iterdir()] == [INDEX]


@pytest.mark.parametrize("error", [BadInput("no run"), OSError(28, "No space left on device")])
def test_a_program_that_fails_prints_why_and_returns_1(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def make(into: Path, lang: str, folders: list[Path]) -> None:
        raise error

    monkeypatch.setattr(sys, "argv", ["x", str(tmp_path), "en"])
    assert run_program(make) == 1
    assert capsys.readouterr() == ("", f"{error}\n")
    assert not (tmp_path / INDEX).exists()


def test_files_of_a_key_are_made_once_and_by_their_own_program(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = list[list[str]]()

    async def ran(command: list[str]) -> None:
        commands.append(command)
        if command[-1] != "fails":
            Path(command[3], "mark").write_text(json.dumps(command))

    monkeypatch.setattr(making, "_run", ran)
    maker = Maker()

    async def asked() -> list[Path]:
        keys = ["a", "a", "b", ("a",)]
        made = [await maker.made(key, "mark", "stend.x", "INTO", "en", Path("run")) for key in keys]
        for _ in range(2):
            await maker.made("c", "mark", "stend.x", "INTO", "fails")
        return made

    with maker.working():
        first, again, other, third = asyncio.run(asked())
        assert first == again
        assert len({first, other, third}) == 3
        assert {path.parent for path in (first, other, third)} == {maker.top}
        assert len(first.name) == 32
        top = maker.top
    assert not top.exists()
    assert [command[:3] for command in commands] == [[sys.executable, "-m", "stend.x"]] * 5, "what failed is made again"
    assert commands[0][3:] == [str(first), "en", "run"]


@pytest.mark.parametrize(
    ("names", "command"),
    [
        (["a", "b"], "stend compare a -- b"),
        (["a", "b c", "d"], "stend report a 'b c' d"),
    ],
)
def test_the_command_of_a_comparison_is_of_two_sides_or_a_report_of_all(names: list[str], command: str) -> None:
    assert compared._command([Path(name) for name in names]) == command
    assert (compared.LEAST, compared.MOST) == (2, 5)
