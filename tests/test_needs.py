"""What a machine must have is in a list, and what it has not is told: nothing is missed without a word."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stend.base.programs import programs
from tests import needs

TOP = Path(__file__).parent.parent
LISTED = sorted({name for group in needs.TABLE.values() for name in group})


def quoted(folder: str) -> str:
    """All sources below a folder but the tests of the lists themselves."""
    return "\n".join(
        p.read_text() for kind in ("*.py", "*.sh") for p in (TOP / folder).rglob(kind) if p != Path(__file__)
    )


def test_what_is_listed_is_started_somewhere() -> None:
    text = quoted("tests") + (TOP / "tools/lab").read_text()
    assert [name for name in LISTED if not re.search(rf"""(?<![\w.-]){re.escape(name)}(?![\w.-])""", text)] == []
    assert [name for name in programs() if f'"{name}"' not in quoted("src")] == []


def test_a_program_that_nobody_declared_is_noticed(request: pytest.FixtureRequest) -> None:
    subprocess.run(["chmod", "--version"], check=True, capture_output=True)
    subprocess.run(["sh", "-c", "true"], check=True)
    assert needs.undeclared(request.node) == ["chmod"]
    assert needs.undeclared(request.node) == []


@pytest.mark.needs("mount")
def test_a_program_that_was_declared_is_not(request: pytest.FixtureRequest) -> None:
    subprocess.run(["mount", "--version"], check=True, capture_output=True)
    assert needs.undeclared(request.node) == []


def test_a_tool_that_could_be_here_and_is_not_fails_a_test(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(needs, "can_install", lambda: True)
    with pytest.raises(pytest.fail.Exception, match=r"sfdisk is not installed, .* Debian's package fdisk"):
        needs.demand(["sfdisk"])
    monkeypatch.setattr(needs, "can_install", lambda: False)
    with pytest.raises(pytest.skip.Exception, match=r"no sfdisk here \(Debian's package fdisk"):
        needs.demand(["sfdisk"])


def test_only_make_test_fails_for_what_could_have_been_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEND_TESTS_INSTALL", raising=False)
    needs.can_install.cache_clear()
    assert not needs.can_install(), "`make check` installs nothing more, so it skips and counts"
    needs.can_install.cache_clear()
    asked = re.findall(r"^(.*): export STEND_TESTS_INSTALL", (TOP / "Makefile").read_text(), re.MULTILINE)
    assert asked == ["test"]


def test_what_a_host_can_never_do_is_told_before_what_could_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "can_install", lambda: True)
    monkeypatch.setitem(needs.ABILITIES, "root", lambda: False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(pytest.skip.Exception, match="no root here"):
        needs.demand(["sfdisk", "root"])


@pytest.mark.parametrize("lost", ["sfdisk", "mkfs.btrfs", "losetup"])
def test_no_test_runs_that_needs_what_no_list_has(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = {group: {n: p for n, p in names.items() if n != lost} for group, names in needs.TABLE.items()}
    monkeypatch.setattr(needs, "TABLE", shorter)
    with pytest.raises(pytest.fail.Exception, match=f"{lost} is in no list"):
        needs.demand([lost])


PARTLY = """
import pytest
from tests.conftest import NOT_RUN, pytest_terminal_summary

def test_one(): pytest.skip("no moon here")
def test_two(): pytest.skip("no moon here")
def test_three(record_property): record_property(NOT_RUN, ("it was late", 7))
"""


def tried(folder: Path, tests: dict[str, str], hook: str, *words: str) -> str:
    """What pytest prints of these files of tests, with one hook of ours."""
    for name, text in tests.items():
        (folder / f"test_{name}.py").write_text(text)
    (folder / "conftest.py").write_text(f"from tests.conftest import {hook}\n")
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", "-p", "xdist", *words, str(folder)]
    env = {"PYTHONPATH": str(TOP), "PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_what_did_not_run_is_counted_at_the_very_end(tmp_path: Path, workers: tuple[str, ...]) -> None:
    said = tried(tmp_path, {"partly": PARTLY}, "pytest_terminal_summary", "-q", *workers)
    *_, two, title, one, last = said.strip().splitlines()
    assert "7 cases of the lab" in title
    assert "it was late" in one
    assert "no moon here" in two
    assert last.startswith("1 passed, 2 skipped")


ONE_DRIVE = """
import pytest
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.%s]

@pytest.mark.parametrize("number", range(8))
def test_it(number): pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [{"block": 1, "together": 1}, {"slow": 2}], ids="-".join)
def test_what_shares_a_drive_or_runs_shares_a_worker(tmp_path: Path, workers: dict[str, int]) -> None:
    tests = {mark: ONE_DRIVE % mark for mark in workers}
    said = tried(tmp_path, tests, "pytest_collection_modifyitems", "-v", "-n2", "--dist", "loadgroup")
    ran = {mark: re.findall(rf"\[(gw\d)\] .*PASSED .*test_{mark}\.py", said) for mark in workers}
    assert {mark: len(by) for mark, by in ran.items()} == dict.fromkeys(workers, 8)
    assert {mark: len(set(by)) for mark, by in ran.items()} == workers
