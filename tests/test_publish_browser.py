"""A lab's site in a real browser, from a folder and without a network (`make pages`): searched, ranked and compared."""

import datetime
import random
from collections.abc import Iterator
from contextlib import contextmanager
from math import exp
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from stend import publish
from stend.charts.overlay.ratio_map import change
from stend.many import read
from stend.many.compare import compared
from stend.model.quantities import shape
from stend.publish import figures, ledger
from stend.publish import lab as settings
from stend.words import LANGUAGES, Language
from tests.labs import run
from tests.synthetic import Truth
from tests.test_report_browser import axe

pytestmark = [pytest.mark.browser, pytest.mark.together]
VIEWS = [("en", 390, "light"), ("en", 390, "dark"), ("en", 1400, "light"), ("en", 1400, "dark"), ("ru", 390, "dark"),
         ("ru", 1400, "light")]  # fmt: skip
PATIENCE_MS = 180_000
MARKUP = '<img src=x onerror="stendBroken=1"> Eta & "Co"'
MODELS = {"Alpha 1000": 20_000, "Beta 2000": 30_000, "Delta 5000": 41_000, "Epsilon 6": 19_000, MARKUP: 25_000}
MOST_FIRST_KB = 300
LAB = 'name = "Bench"\n[ranking]\nvirtual = true\n[text.en]\nintro = "Measured."\n'


class Site:
    """A site, and its run folders by the id of their drive."""

    def __init__(self, top: Path) -> None:
        self.runs, self.place = top / "runs", top / "site"
        for number, (model, iops) in enumerate(MODELS.items(), 1):
            truth = Truth(model=model, serial=f"S{number}", steady_iops=iops)
            run(self.runs / f"run-{number}", truth, seed=number, facts={"firmware": f"F{number % 2}"})
        (self.runs / "run-1" / "drive.toml").write_text('price = 100\ncurrency = "EUR"\nmaker = "Alpha Corp"\n')
        run(self.runs / "quick", Truth(model="Gamma 3000"), seed=12, rounds=5, minute_s=1.0, quick=True)
        run(self.runs / "virtual", Truth(model="Virtual 4000"), seed=13, virtual=True)
        (top / "lab.toml").write_text(LAB)
        folders = sorted(place.parent for place in self.runs.glob("*/events.jsonl"))
        publish.build(folders, self.place, settings.read(top / "lab.toml"), datetime.date(2026, 11, 25), workers=1)
        entries = ledger.read(self.place).drives
        self.ids = {entry.name: name for name, entry in entries.items()}

    def address(self, lang: str, path: str) -> str:
        """The address of a page in a language."""
        place, _, hash_ = path.partition("#")
        return (self.place / lang / place).as_uri() + (f"#{hash_}" if hash_ else "")

    def compare(self, lang: str, *models: str) -> str:
        """The address of a comparison."""
        return self.address(lang, "compare.html#" + ",".join(self.ids[model] for model in models))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(tmp_path_factory.mktemp("lab"))


@contextmanager
def opened(browser: Any, **view: Any) -> Iterator[Any]:
    """A page that fails the test if it prints to the console or requests anything but files."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True, **view)
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda line: wrong.append(line.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request", lambda one: wrong.append(one.url) if not one.url.startswith(("file:", "data:", "blob:")) else None
    )
    # A page that is left stops what it loads.
    page.on(
        "requestfailed",
        lambda one: None if one.failure == "net::ERR_ABORTED" else wrong.append(f"{one.failure} {one.url}"),
    )
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()
    assert wrong == []


def rows(page: Any) -> list[str]:
    """The names of the drives that a table shows, in order."""
    names = page.locator("table.drives tr[data-id]:visible").evaluate_all("rows => rows.map((row) => row.dataset.name)")
    return list(names)


def ready(page: Any, count: int) -> None:
    """Wait for a comparison of as many drives with all its charts."""
    page.wait_for_function(f"document.querySelectorAll('#facts thead th').length === {count + 1}")


def test_the_tables_of_a_review_are_laid_out_as_tables(site: Site, browser: Any) -> None:
    with opened(browser) as page:
        page.goto(site.address("en", f"drives/{site.ids['Beta 2000']}.html"))
        tables = page.locator("table:visible").evaluate_all(
            """tables => tables.map((table) => [getComputedStyle(table).display,
                ...[...table.tHead.rows[0].cells].map((cell, at) =>
                    Math.abs(cell.getBoundingClientRect().left
                        - (table.tBodies[0].rows[0].cells[at] ?? cell).getBoundingClientRect().left) < 2)])"""
        )
        assert len(tables) > 5
        assert all(table[0] == "table" and all(table[1:]) for table in tables), tables


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_reader_searches_sorts_chooses_and_compares(lang: str, site: Site, browser: Any) -> None:
    words = Language(lang)
    with opened(browser) as page:
        page.goto(site.address(lang, "index.html"))
        every = rows(page)
        assert set(MODELS) | {"Gamma 3000", "Virtual 4000"} <= set(every)
        # 1. Search and filters; nothing is found by a word of no drive.
        page.fill("input[name=q]", "ALPHA corp")
        assert rows(page) == ["Alpha 1000"]
        assert page.inner_text("#shown") == "1"
        page.fill("input[name=q]", "no such drive")
        assert page.locator("#nothing").is_visible()
        assert page.locator("#table").is_hidden()
        page.locator("#nothing button").click()
        assert rows(page) == every
        page.select_option("select[name=maker]", "Beta")
        assert rows(page) == ["Beta 2000"]
        page.locator("form button.clear").click()
        page.fill("input[name=price]", "150")
        assert rows(page) == ["Alpha 1000"]
        page.fill("input[name=price]", "99")
        assert rows(page) == []
        page.locator("form button.clear").click()
        # 2. Order: more is better, so the first click puts the largest first; groups stay apart.
        page.locator("button[data-sort=writes_filled]").click()
        assert page.locator("th[aria-sort=descending]").count() == 1
        real = rows(page)[: len(MODELS)]
        assert real == sorted(MODELS, key=lambda model: -MODELS[model])
        page.locator("button[data-sort=writes_filled]").click()
        assert rows(page)[: len(MODELS)] == real[::-1]
        page.locator("button[data-sort=writes_filled]").click()
        # 3. Five drives are chosen; a sixth cannot be.
        for model in real:
            page.locator(f"tr[data-id='{site.ids[model]}'] input").check()
        assert page.locator("td.pick input:not(:checked):enabled").count() == 0
        assert page.locator("#full").is_visible()
        page.wait_for_function("location.hash.includes('pick=')")
        page.locator("#compare").click()
        # 4. The address holds the choice, also over a reload and back.
        ready(page, 5)
        assert unquote(page.url).rpartition("#")[2] == ",".join(site.ids[model] for model in real)
        page.reload()
        ready(page, 5)
        page.locator("#chosen li").last.locator("a").last.click()
        ready(page, 4)
        page.go_back()
        ready(page, 5)
        page.locator("#chosen li").nth(1).locator("a").first.click()
        page.wait_for_function(f"document.querySelector('#chosen .name').textContent === {real[1]!r}")
        page.go_back()
        page.go_back()
        page.wait_for_selector("table.drives")
        assert rows(page)[: len(MODELS)] == real
        assert page.locator("td.pick input:checked").count() == 5
        page.locator("#unchoose").click()
        assert page.locator("#tray").is_hidden()
        # 5. The other language shows the same state.
        page.fill("input[name=q]", "beta")
        page.wait_for_function("location.hash.includes('q=beta')")
        page.locator("nav.languages a").click()
        page.wait_for_function(f"document.documentElement.lang !== {lang!r}")
        assert rows(page) == ["Beta 2000"]
        assert words.name in LANGUAGES


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_comparison_has_the_figures_of_stend_compare(lang: str, site: Site, browser: Any) -> None:
    words = Language(lang)
    first, second = (read.named([site.runs / name], name) for name in ("run-1", "run-2"))
    expected = {}
    for row in compared(first, second).differences:
        shown = [words.show(value, shape(row.quantity)) for value in (row.a, row.b)]
        shown.append(f"{change(row.ratio, words)} · {words(f'verdict.{row.verdict}')}")
        expected[figures.figure_id(row.key, row.quantity)] = shown
    assert len(expected) > 20
    assert {text.rpartition(" · ")[2] for *_, text in expected.values()} >= {
        words("verdict.ahead"),
        words("verdict.close"),
    }
    with opened(browser) as page:
        page.goto(site.compare(lang, "Alpha 1000", "Beta 2000"))
        ready(page, 2)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        found = page.locator("#figures tbody tr").evaluate_all(
            """rows => rows.map((row) => [row.dataset.figure,
              [...row.querySelectorAll('td')].map((cell) => cell.firstChild.textContent),
              row.querySelector('td .said')?.textContent ?? ''])"""
        )
    cells = {name: [*values, said.partition(" ")[2]] for name, values, said in found}
    assert cells == expected


def test_changes_are_written_as_python_writes_them(site: Site, browser: Any) -> None:
    draw = random.Random(7)
    halves = [
        1.005,
        1.025,
        1.0625,
        1.205,
        2.125,
        2.375,
        3.05,
        3.25,
        20.5,
        21.5,
        1000.5,
        12345.5,
        0.995,
        0.9995,
        1.0,
        2.0,
    ]
    ratios = halves + [exp(draw.gauss(0, spread)) for spread in (0.01, 0.1, 1, 3) for _ in range(2000)]
    with opened(browser) as page:
        for lang in LANGUAGES:
            page.goto(site.address(lang, "compare.html"))
            page.wait_for_function("typeof stendRules === 'object'")
            form = figures.change_data(Language(lang))
            made = page.evaluate(
                "([form, ratios]) => ratios.map((ratio) => stendRules.change(form, ratio))", [form, ratios]
            )
            assert made == [change(ratio, Language(lang)) for ratio in ratios]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("other", ["Gamma 3000", "Virtual 4000"])
def test_unlike_runs_are_shown_but_not_ranked(lang: str, other: str, site: Site, browser: Any) -> None:
    words = Language(lang)
    with opened(browser) as page:
        page.goto(site.compare(lang, "Alpha 1000", other, "Beta 2000"))
        ready(page, 3)
        assert words("publish.js.unlike") in page.inner_text("#notes .bad")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        said = page.locator("#figures td:nth-of-type(2) .said").all_text_contents()
        assert said
        assert set(said) == {f"× {words('verdict.not_comparable')}"}
        assert words("verdict.ahead") in " ".join(page.locator("#figures td:nth-of-type(3) .said").all_text_contents())
        head = page.locator("#facts thead th").nth(2).inner_text()
        assert (words("publish.why.quick") if other == "Gamma 3000" else words("publish.js.virtual")) in head


def test_rankings_never_mix_drives(site: Site, browser: Any) -> None:
    with opened(browser) as page:
        page.goto(site.address("en", "rankings/writes_filled.html"))
        places = page.locator("tbody.real tr[data-id]").evaluate_all(
            "rows => rows.map((row) => [row.dataset.name, row.querySelector('.place').textContent])"
        )
        ranked = [(name, place) for name, place in places if place != "–"]
        assert ranked == [(m, str(n)) for n, m in enumerate(sorted(MODELS, key=lambda m: -MODELS[m]), 1)]
        assert page.locator("tbody.unranked tr[data-name='Gamma 3000'] .tags").inner_text() == "quick run"
        assert "virtual drive" in page.locator("tbody.virtual tr[data-name='Virtual 4000'] .tags").inner_text()
        assert page.locator("tbody.unranked i.bar").count() == 0
        link = page.locator("tbody.real td.num a").first.get_attribute("href")
        page.locator("tbody.real td.num a").first.click()
        page.wait_for_selector(f"[id='{link.partition('#')[2]}']")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_ranking_shows_its_figure_on_a_phone(lang: str, site: Site, browser: Any) -> None:
    with opened(browser) as page:
        page.set_viewport_size({"width": 390, "height": 800})
        page.goto(site.address(lang, "rankings/reads.html"))
        ends = page.locator("tr[data-id] td.num:not(.place)").evaluate_all(
            "cells => cells.filter((cell) => cell.querySelector('a')).map((c) => c.getBoundingClientRect().right)"
        )
        assert len(ends) >= len(MODELS)
        assert max(ends) <= 390


def test_a_name_with_markup_is_only_text(site: Site, browser: Any) -> None:
    with opened(browser) as page:
        for path in ("index.html", "rankings/reads.html", f"drives/{site.ids[MARKUP]}.html"):
            page.goto(site.address("en", path))
            assert MARKUP in page.inner_text("main")
        page.goto(site.compare("en", MARKUP, "Beta 2000"))
        ready(page, 2)
        page.locator("#plots figure.drawn").first.wait_for()
        assert MARKUP in page.inner_text("#chosen")
        assert page.locator("img[src=x]").count() == 0
        assert page.evaluate("typeof stendBroken") == "undefined"
        page.goto(site.address("en", 'compare.html#<img src=x onerror="stendBroken=1">,%,nothing'))
        page.wait_for_selector("#picker:visible")
        assert page.locator("#chosen li").count() == 0


PAGES = [
    "index.html", "rankings/index.html", "rankings/reads.html", "uses/database.html", "methods/index.html",
    "methods/iops.html", "news.html", "about.html", "compare.html", "drives/", "compare.html#",
]  # fmt: skip


@pytest.mark.parametrize(("lang", "width", "scheme"), VIEWS)
def test_axe_has_no_objection_and_no_page_is_wider_than_its_screen(
    lang: str, width: int, scheme: str, site: Site, browser: Any
) -> None:
    objections = []
    size = {"width": width, "height": 900}
    with opened(browser, color_scheme=scheme, bypass_csp=True) as page:
        page.set_viewport_size(size)
        for path in PAGES:
            if path == "compare.html#":
                page.goto("about:blank")
                page.goto(site.compare(lang, *MODELS))
                ready(page, 5)
            else:
                page.goto(site.address(lang, path + (f"{site.ids['Alpha 1000']}.html" if path == "drives/" else "")))
            page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
            page.evaluate("dispatchEvent(new Event('beforeprint'))")
            # Not by animation frames: a page that is not painted has none.
            page.wait_for_function("!document.querySelector('figure.plot:not(.drawn)')", polling=100)
            assert page.locator("figure.broken").count() == 0
            page.evaluate(axe())
            found = page.evaluate("axe.run({exclude: ['svg.marks']}, {preload: false})")
            objections += [(path, v["id"], v["nodes"][0]["html"]) for v in found["violations"]]
            if page.evaluate("document.documentElement.scrollWidth") > width:
                objections.append((path, "wider than the screen", ""))
    assert objections == []


def test_without_scripts_every_drive_is_listed(site: Site, browser: Any) -> None:
    with opened(browser, java_script_enabled=False) as page:
        page.goto(site.address("en", "index.html"))
        assert page.locator("tbody tr[data-id]:visible").count() >= len(MODELS) + 2
        assert page.locator("#filters").is_hidden()
        assert page.locator("td.pick").first.is_hidden()


LONGER = """const rows = document.querySelectorAll('tbody.real tr[data-id]');
for (let i = 0; i < 60; i++) {
  const row = rows[0].cloneNode(true);
  row.dataset.id = `copy-${i}`;
  rows[0].parentNode.append(row);
}
document.head.append(Object.assign(document.createElement('script'), {src: '../assets/site.js'}));"""
"""Adds rows to a table, and lets the script of the page begin again with them."""


def test_a_long_table_shows_its_first_rows_and_all_when_asked(site: Site, browser: Any) -> None:
    with opened(browser) as page:
        page.goto(site.address("en", "index.html") + "#sort=name")
        page.evaluate(LONGER)
        page.wait_for_function("document.querySelectorAll('tr.later').length > 10")
        assert page.locator("tr[data-id]:visible").count() == 50
        page.locator("#rest").click()
        assert page.locator("tr[data-id]:visible").count() > 60
        assert page.locator("#rest").is_hidden()


def test_the_first_page_is_small(site: Site) -> None:
    first = [site.place / "en/index.html", *(site.place / "assets" / name for name in ("site.css", "site.js"))]
    assert sum(path.stat().st_size for path in first) < MOST_FIRST_KB * 1000
