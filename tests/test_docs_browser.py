"""The site in a real browser without a network (`make pages`): searched, as narrow as a phone, no objection of axe."""

from pathlib import Path
from typing import Any

import pytest

from tests.sites import made
from tests.test_report_browser import axe

pytestmark = pytest.mark.browser
VIEWS = [(390, "light"), (390, "dark"), (1400, "light"), (1400, "dark")]
PATIENCE_MS = 30_000
BROKEN = """[...document.querySelectorAll("p code.literal .pre")]
    .filter((word) => word.getClientRects().length > 1).map((word) => word.textContent)"""
"""Words of commands that are shown on two lines, such as `-` and `-target`."""
LEADS = "read-a-report"
"""The page that both searches lead to."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both languages, as `make docs` lays them."""
    site = made(tmp_path_factory.mktemp("site"), [])
    assert [code for code, _ in site.said] == ["0", "0"]
    return site.english


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_no_page_is_wider_than_its_screen_and_axe_objects_to_none(
    width: int, scheme: str, site: Path, browser: Any
) -> None:
    view = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page, objections = view.new_page(), []
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        page.evaluate(axe())
        found = page.evaluate("axe.run(document)")
        objections += [(path.name, v["id"], v["nodes"][0]["html"]) for v in found["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            objections.append((path.name, "wider than the screen", ""))
        objections += [(path.name, "broken within a word", word) for word in page.evaluate(BROKEN)]
    view.close()
    assert not objections


@pytest.mark.parametrize(("start", "word"), [("index.html", "saturation"), ("ru/index.html", "хвост")])
def test_a_word_is_found_without_a_network(start: str, word: str, site: Path, browser: Any) -> None:
    view = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
    page = view.new_page()
    page.goto((site / start).as_uri())
    page.fill("input[name=q]", word)
    page.press("input[name=q]", "Enter")
    page.wait_for_selector("#search-results ul.search li a", timeout=PATIENCE_MS)
    page.wait_for_function(f"document.querySelector('#search-results a[href*=\"{LEADS}\"]')", timeout=PATIENCE_MS)
    page.click(f'#search-results a[href*="{LEADS}"]')
    assert word.lower() in page.inner_text("article").lower()
    view.close()
