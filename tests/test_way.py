"""A run really goes down the floor plan: its calls are heard while it runs."""

import re
import tomllib
from pathlib import Path

import pytest

from stend.cli import main
from tests.way import stays, walked

ROOT = Path(__file__).parent.parent
HANDED = {("session", "cli"), ("bench", "session")}
"""Who calls upward, by what was handed down: the operator who is asked, the question whether to stop."""


def floors() -> dict[str, int]:
    """On which floor each room lies, the front door on the first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    names = [layer.replace("(", "").replace(")", "").split(" | ") for layer in contracts[0]["layers"]]
    return {room.removeprefix("stend."): floor for floor, rooms in enumerate(names) for room in rooms}


def test_every_room_is_in_the_floor_plan() -> None:
    plan = (ROOT / "docs/design.md").read_text().split("```")[1]
    rooms = {path.stem for path in (ROOT / "src/stend").iterdir() if not path.name.startswith(("_", "."))} - {"py"}
    assert rooms <= set(re.findall(r"\w+", plan))


def test_a_run_goes_down_the_floor_plan_through_each_room_once_but_for_the_drive_that_is_found_and_then_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["run", "iops", "--target", "sim:small", "--quick", "--rounds", "1", "--round-seconds", "0.2"]
    steps = walked(lambda: main([*asked, "--into", str(tmp_path / "run")]))
    floor = floors()
    up = {(s.above, s.room) for s in steps if floor[s.room] <= floor[s.above]}
    assert up == HANDED
    way_in = ["devices", "plan", "cli", "devices", "host", "store", "engines"]
    assert stays(steps, "session") == [
        *way_in,
        "store",
        "devices",
    ]  # and out again: the folder and the drive are let go
