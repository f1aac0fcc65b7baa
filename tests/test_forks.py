"""A fork of this process hides nothing of how stend ended in it."""

from pathlib import Path

from tests.forks import child
from tests.storm_end import end


def test_a_fork_tells_the_exit_code_and_what_was_said(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    assert end(child(["report", str(tmp_path / "nothing")], said)) == 2
    assert said.read_text().startswith("stend: ")


def test_a_traceback_in_a_fork_is_told_and_is_no_good_end(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    assert end(child(["list", str(tmp_path)], said, before=lambda: 1 / 0)) == 1
    assert "ZeroDivisionError" in said.read_text()
