"""A defect of stend is one sentence, and its traceback is in a file that stays."""

import os
import re
import tempfile
from pathlib import Path

import pytest

from stend import cli


def test_the_traceback_of_a_defect_is_kept_in_the_file_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ZeroDivisionError) as raised:
        raise ZeroDivisionError("a ratio to nothing")
    assert cli._unexpected(raised.value) == 1
    text = " ".join(capsys.readouterr().err.split())
    assert "a defect in stend (ZeroDivisionError: a ratio to nothing); please report it with" in text
    (kept,) = tmp_path.iterdir()
    assert re.search(r"Traceback.*ZeroDivisionError: a ratio to nothing", kept.read_text(), re.DOTALL)
    assert kept.name in text.replace(" ", "")
    assert kept.name.startswith("stend-defect-")


@pytest.mark.parametrize("error", [MemoryError()])
def test_too_little_memory_is_no_defect(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._unexpected(error) == 5
    assert "not enough free memory" in " ".join(capsys.readouterr().err.split())


def test_without_a_temporary_folder_the_traceback_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert cli._unexpected(ZeroDivisionError("nothing")) == 1
    assert "ZeroDivisionError: nothing" in capsys.readouterr().err
    assert not os.path.exists(tmp_path / "gone")


def test_a_program_that_was_replaced_while_it_ran_has_no_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(cli, "STARTED_S", Path(cli.__file__).stat().st_ctime - 1)
    assert cli._unexpected(KeyError("found.new_phrase")) == 5
    text = " ".join(capsys.readouterr().err.split())
    assert "stend was replaced on this host while this command ran (KeyError: 'found.new_phrase')" in text
    assert "`stend resume` or `stend report`" in text
    assert list(tmp_path.iterdir()) == []
