"""The site of docs/: built without a warning or a dead link, its main pages wholly in Russian too."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from docs.made import links

from tests.sites import DOCS, Site, made

pytestmark = [pytest.mark.slow, pytest.mark.together]
WORDS = DOCS / "locale/ru/LC_MESSAGES"
IN_RUSSIAN = ["index", "install", "tutorial/index", "tutorial/real-drive", "how-to/which-test"]
IN_RUSSIAN += ["how-to/read-a-report", "how-to/drives-safely", "how-to/compare", "how-to/service"]
IN_RUSSIAN += ["method/index", "method/figures", "method/pts"]
"""Pages of which each sentence must be there in both languages."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return made(tmp_path_factory.mktemp("site"), IN_RUSSIAN)


def test_the_site_is_built_without_a_warning(site: Site) -> None:
    assert site.said[:2] == [("0", ""), ("0", "")]
    assert all((one / "tutorial/real-drive.html").exists() for one in (site.english, site.russian))


def test_no_link_within_the_site_is_dead_in_either_language(site: Site) -> None:
    """Sphinx itself does not look where a sentence in another language leads to."""
    found = [link for link in links.dead(site.english) if ": reviews/" not in link]  # which `make docs` adds
    assert found == []


@pytest.mark.parametrize("page", IN_RUSSIAN)
def test_each_heading_of_a_main_page_is_shown_in_russian(page: str, site: Site) -> None:
    """One that begins as a list does, `1. `, would be translated and yet shown in English."""
    english, russian = (re.findall(r"<h[1-6]>(.*?)<", (one / f"{page}.html").read_text()) for one in site[:2])
    assert len(english) == len(russian) > 0
    assert {*english} & {*russian} <= {"stend"}


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">1</a><a href="b.html#gone">2</a><img src="c.png">')
    (tmp_path / "b.html").write_text('<h1 id="there"></h1><a href="#there">1</a><a href="https://c/d#e">2</a>')
    assert list(links.dead(tmp_path)) == ["a.html: b.html#gone: no such place", "a.html: c.png: no such file"]


def test_main_pages_are_wholly_in_russian(site: Site) -> None:
    assert site.said[2][0] == "0"
    read_po = import_module("babel.messages.pofile").read_po  # which Sphinx brings
    for page in IN_RUSSIAN:
        with (site.sentences / f"{page}.pot").open("rb") as english, (WORDS / f"{page}.po").open("rb") as russian:
            asked, told = read_po(english), read_po(russian, locale="ru")
        silent = [one.id for one in asked if one.id and not (one.id in told and told[one.id].string)]
        assert not silent, f"{page}: not in Russian"
        assert not [one.id for one in told if one.fuzzy and one.id]
        assert {one.id for one in told} <= {one.id for one in asked} | {""}, f"{page}: said in Russian alone"
