"""The site of docs/: built without a warning or a dead link, its main pages wholly in Russian too."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from docs.made import links

DOCS = Path(__file__).parent.parent / "docs"
pytestmark = [pytest.mark.slow, pytest.mark.together]
WORDS = DOCS / "locale/ru/LC_MESSAGES"
IN_RUSSIAN = ["index", "gallery", "tutorial/index", "tutorial/real-drive", "method/index", "how-to/index"]
IN_RUSSIAN += ["how-to/nvme-safely", "how-to/slc-cache", "how-to/read-a-tail"]
IN_RUSSIAN += ["method/limits", "method/figures", "how-to/two-firmwares", "how-to/hybrid-or-array"]
"""Pages of which each sentence must be there in both languages."""

Said = subprocess.CompletedProcess[str]


def built(kind: str, into: Path, *more: str) -> Said:
    """What Sphinx says while it builds."""
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", kind, *more]
    words += ["-D", "nb_execution_mode=off"]  # tests/test_notebook.py runs it
    return subprocess.run([*words, str(DOCS), str(into)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Said]:
    """The site in both languages, as `make docs` lays them, and what Sphinx said of each."""
    site = tmp_path_factory.mktemp("site")
    return {site: built("html", site), site / "ru": built("html", site / "ru", "-D", "language=ru")}


def test_the_site_is_built_without_a_warning(said: dict[Path, Said]) -> None:
    assert [(done.returncode, done.stderr) for done in said.values()] == [(0, ""), (0, "")]
    assert all((site / "tutorial/real-drive.html").exists() for site in said)


def test_no_link_within_the_site_is_dead_in_either_language(
    said: dict[Path, Said],
) -> None:
    """Sphinx itself does not look where a sentence in another language leads to."""
    found = [link for link in links.dead(next(iter(said))) if ": reviews/" not in link]  # which `make docs` adds
    assert found == []


@pytest.mark.parametrize("page", IN_RUSSIAN)
def test_each_heading_of_a_main_page_is_shown_in_russian(page: str, said: dict[Path, Said]) -> None:
    """One that begins as a list does, `1. `, would be translated and yet shown in English."""
    english, russian = (re.findall(r"<h[1-6]>(.*?)<", (site / f"{page}.html").read_text()) for site in said)
    assert len(english) == len(russian) > 0
    assert {*english} & {*russian} <= {"stend"}


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">1</a><a href="b.html#gone">2</a><img src="c.png">')
    (tmp_path / "b.html").write_text('<h1 id="there"></h1><a href="#there">1</a><a href="https://c/d#e">2</a>')
    assert list(links.dead(tmp_path)) == ["a.html: b.html#gone: no such place", "a.html: c.png: no such file"]


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
