"""A run really goes down the floor plan: its calls are heard while it runs."""

import re
import tomllib
from pathlib import Path

import pytest

from stend.cli import main
from tests.way import stays, walked

ROOT = Path(__file__).parent.parent
HANDED = {("session", "cli"), ("runner", "session"), ("engines", "store"), ("store", "session")}
"""Who calls upward, by what was handed down: the operator, the question whether to stop, what keeps fio's words, and
the events with their evidence."""


def floors() -> dict[str, int]:
    """On which floor each room lies, the front door on the first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    names = [layer.replace("(", "").replace(")", "").split(" | ") for layer in contracts[0]["layers"]]
    return {room.removeprefix("stend."): floor for floor, rooms in enumerate(names) for room in rooms}


def test_every_room_is_in_the_floor_plan() -> None:
    plan = (ROOT / "docs/design.md").read_text().split("```")[1]
    rooms = {path.stem for path in (ROOT / "src/stend").iterdir() if not path.name.startswith(("_", "."))} - {"py"}
    assert rooms <= set(re.findall(r"\w+", plan))


@pytest.mark.fio
@pytest.mark.parametrize("target", [["sim:small"], ["file.bin", "--create", "16MiB"]], ids=["virtual", "file"])
def test_a_run_goes_down_the_floor_plan_and_enters_no_room_twice_on_its_way_in(
    target: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["run", "write-saturation", "--quick", "--round-seconds", "0.2"]
    steps = walked(lambda: main([*asked, "--into", "run", "--target", *target]))
    floor = floors()
    up = {(s.above, s.room) for s in steps if floor[s.room] <= floor[s.above]}
    assert up == HANDED - ({("engines", "store")} if target == ["sim:small"] else set())
    way_in, out = (
        ["devices", "planning", "cli", "gate", "host", "store", "engines"],
        ["store", "runner", "store", "gate"],
    )
    assert stays(steps, "session") == way_in + out
    assert len(set(way_in)) == len(way_in)
