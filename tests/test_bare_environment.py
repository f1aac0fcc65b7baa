"""Runs started by cron, by `su` and in containers: without variables, without a user's entry and home folder."""

import os
import pwd
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stend.base.home import ADMINISTRATION, NONE, home, search_administration
from stend.cli import main


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a number without an entry in the table of users."""

    def unknown(number: int) -> Any:
        raise KeyError(number)

    for name in [name for name in os.environ if name == "HOME" or name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


@pytest.mark.usefixtures("nobody")
def test_a_user_without_a_home_folder_can_run_and_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert home() == NONE
    assert main(["run", "latency", "--target", "sim:small", "--quick", "--into", "made"]) == 0
    assert main(["report", "made", "--lang", "ru"]) == 0
    assert (tmp_path / "made/report.ru.html").exists()
    assert main(["publish", "made", "--into", "site"]) == 0


@pytest.mark.parametrize(
    ("given", "searched"),
    [
        (None, [*os.defpath.split(":"), *ADMINISTRATION]),
        ("/usr/bin:/bin", ["/usr/bin", "/bin", *ADMINISTRATION]),
        ("/usr/sbin:/usr/bin", ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/sbin"]),
        ("", [*ADMINISTRATION]),
    ],
)
def test_programs_of_administrators_are_searched_last(
    given: str | None, searched: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PATH", raising=False)
    if given is not None:
        monkeypatch.setenv("PATH", given)
    search_administration()
    assert os.environ["PATH"].split(":") == searched


def test_without_any_variable_the_same_programs_are_found(tmp_path: Path) -> None:
    def doctor(**env: str) -> str:
        words = [sys.executable, "-m", "stend", "doctor", "--json"]
        env |= {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
        return subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False).stdout

    assert doctor() == doctor(PATH=":".join((os.defpath, *ADMINISTRATION)))
