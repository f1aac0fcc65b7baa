"""Virtual drives that the rules were not chosen by (tests/outside): files, kept evidence and marks."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from benchmarks.judged import answers, marks

from stend.sim.named import load

FOLDER = Path(__file__).parent / "outside"
WANTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text())
KNOWN: dict[str, dict[str, Any]] = json.loads((FOLDER / "evidence.json").read_text())
DRIVES = [name for name in WANTED if name != "situations"]


def test_every_drive_has_expectations_and_was_run_or_says_that_it_was_not() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} - {"expected"} == set(DRIVES)
    assert {name for name in DRIVES if "not_run" not in WANTED[name]} == set(KNOWN)


@pytest.mark.parametrize("name", DRIVES)
def test_every_file_is_a_virtual_drive(name: str) -> None:
    assert load(str(FOLDER / f"{name}.toml")).capacity_bytes


@pytest.mark.parametrize("name", KNOWN)
def test_a_drive_is_judged_as_was_expected_before_the_run(name: str) -> None:
    """But the uses that `differs` explains."""
    wanted = WANTED[name]
    off = answers(wanted["performance"], marks(KNOWN[name], {}), sheeted=False)
    assert not KNOWN[name]["standing"]
    assert set(off) == set(wanted.get("differs", {}).get("uses", ()))
