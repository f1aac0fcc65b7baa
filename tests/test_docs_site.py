"""The site of docs/: built without a warning or a dead link, its main pages wholly in Russian too."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
WORDS = DOCS / "locale/ru/LC_MESSAGES"
IN_RUSSIAN = ["index", "gallery", "tutorial/index", "tutorial/real-drive", "method/index", "how-to/index"]
IN_RUSSIAN += ["how-to/nvme-safely", "how-to/slc-cache", "how-to/read-a-tail"]
"""Pages of which each sentence must be there in both languages."""


def built(kind: str, into: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    """What Sphinx says while it builds."""
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", kind, *more]
    words += ["-D", "nb_execution_mode=off"]  # tests/test_notebook.py runs it
    return subprocess.run([*words, str(DOCS), str(into)], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_or_a_dead_link(tmp_path: Path) -> None:
    done = built("html", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "tutorial/real-drive.html").exists()


@pytest.mark.slow
def test_main_pages_are_wholly_in_russian(tmp_path: Path) -> None:
    assert built("gettext", tmp_path).returncode == 0
    read_po = import_module("babel.messages.pofile").read_po  # which Sphinx brings
    for page in IN_RUSSIAN:
        with (tmp_path / f"{page}.pot").open("rb") as english, (WORDS / f"{page}.po").open("rb") as russian:
            asked, told = read_po(english), read_po(russian, locale="ru")
        silent = [one.id for one in asked if one.id and not (one.id in told and told[one.id].string)]
        assert not silent, f"{page}: not in Russian"
        assert not [one.id for one in told if one.fuzzy and one.id]
        assert {one.id for one in told} <= {one.id for one in asked} | {""}, f"{page}: said in Russian alone"
