"""Values of unknown names in a drive sheet: words, truths and numbers that a page can show are kept, others refused."""

from pathlib import Path

import pytest

from stend.base.errors import BadInput
from stend.report.parts.sheet import read_sheet


@pytest.mark.parametrize("value", ['"words"', "true", "false", "0", "-3", "2.5", "2026-11-26"])
def test_plain_values_are_kept(tmp_path: Path, value: str) -> None:
    path = tmp_path / "drive.toml"
    path.write_text(f"controller = {value}\n")
    assert read_sheet(path).keys() == {"controller"}


@pytest.mark.parametrize("value", ["inf", "nan", "-inf", "[1]", "{a = 1}"])
def test_numbers_without_an_end_and_tables_are_refused(tmp_path: Path, value: str) -> None:
    path = tmp_path / "drive.toml"
    path.write_text(f"controller = {value}\n")
    with pytest.raises(BadInput, match="controller"):
        read_sheet(path)
