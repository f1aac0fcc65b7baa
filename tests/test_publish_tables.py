"""Tables of a site: their filters, rounding, ranges and places."""

import re
from importlib import resources
from pathlib import Path
from typing import Any, cast

import pytest

from stend import publish
from stend.publish import data, figures, page
from stend.publish.lab import Lab
from stend.publish.ledger import Withdrawn
from stend.publish.site import Lang
from stend.report.story.page_one import value_shown
from stend.words import Language
from tests.test_publish import DAY, site


def test_a_filter_offers_only_what_its_page_has() -> None:
    pages = [path for path in (site() / "en").rglob("*.html") if 'id="filters"' in path.read_text()]
    assert len(pages) > 4
    for path in pages:
        text = path.read_text()
        for facet in ("maker", "interface", "class", "capacity"):
            rows = [value for value in re.findall(rf'<tr[^>]* data-{facet}="([^"]*)"', text) if value]
            select = re.search(rf'<select name="{facet}">(.*?)</select>', text)
            offered = re.findall(r'<option value="([^"]+)">[^<]*\((\d+)\)', select[1]) if select else []
            assert {value: int(n) for value, n in offered} == {v: rows.count(v) for v in rows} or not select, path


@pytest.mark.parametrize(
    ("stated", "shown"), [("client", "client"), ("enterprise", "enterprise"), ('"><b>', "client"), (None, "client")]
)
def test_the_class_of_a_drive_is_that_of_its_sheet(stated: str | None, shown: str) -> None:
    assert data.class_of({"class": stated} if stated else {}, "client") == shown


def test_capacities_that_are_shown_as_equal_are_one_choice() -> None:
    sizes = [(500_107_862_016, "500 GB"), (5e11, "500 GB"), (0, ""), (134e6, "134 MB")]
    drives = [FACTS | {"capacity": {"value": value, "shown": shown}} for value, shown in sizes]
    assert Lang.facets(cast("Lang", None), drives)["capacity"] == [["134 MB", 1], ["500 GB", 2]]


@pytest.mark.parametrize("value", [148e-6, 206e-6, 87.5e-6, 1.28e-3, 7.17e-3, 36.4e-3, 0.2])
@pytest.mark.parametrize("name", ["read_wait", "write_tail"])
def test_tables_round_a_response_time_as_running_text(name: str, value: float) -> None:
    words = Language("en")
    number, unit = value_shown(value, "lat", words).replace("\u00a0", " ").split()
    ms = float(number.replace(",", "")) * {"µs": 1e-3, "ms": 1.0, "s": 1e3}[unit]
    bare = float(figures.bare(name, value, words).replace(",", ""))
    assert bare == pytest.approx(ms * 1e3 if figures.unit_of(name, words) == "µs" else ms)


def test_tables_round_a_cache_as_running_text() -> None:
    assert figures.bare("cache_bytes", 4.6 * 2**30, Language("en")) == "4.6"
    assert figures.bare("cache_bytes", 46.4 * 2**30, Language("en")) == "46"


def drive(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "virtual": False, "ranked": True, "why_not": [], "conditions": {}, "price": None} | more


def lang(drives: list[dict[str, Any]]) -> Lang:
    pages = Lang(Lab(), {}, {}, Language("en"))
    pages.drives = [drive("") | {"id": one["name"], "href": "", "uses": {}} | one for one in drives]
    return pages


def figure(value: float, bare: str, **more: Any) -> dict[str, Any]:
    return {"value": value, "bare": bare, "usable": True} | more


def places(html: str) -> list[str]:
    return re.findall(r'<td class="num place" data-v="([^"]*)"', html)


FACTS: dict[str, Any] = {
    "maker": "", "interface": "", "class": "", "capacity": {"value": 1e12, "shown": "1 TB"}, "watts": None,
    "reference": False, "errata": 0, "run": "",
}  # fmt: skip


def test_figures_shown_as_equal_share_a_place() -> None:
    values = (100_003, "100,000"), (99_999, "100,000"), (63_000, "63,000")
    drives = [drive(str(n), figures={"reads": figure(*pair)}) | FACTS for n, pair in enumerate(values)]
    assert places(ranking(drives, "reads")) == ["1", "1", "3"]


def ranking(drives: list[dict[str, Any]], key: str) -> str:
    pages = lang(drives)
    pages.keys = [key]
    return pages._ranking(key)[1]


@pytest.mark.parametrize(("depths", "placed"), [((128, 128), ["1", "2"]), ((128, 256), ["", ""])])
def test_response_times_at_unlike_numbers_of_outstanding_ios_have_no_places(
    depths: tuple[int, int], placed: list[str]
) -> None:
    waits = [figure(wait, str(wait), at=at) for wait, at in zip((0.014, 0.036), depths, strict=True)]
    drives = [drive(str(n), figures={"write_tail": wait}) | FACTS for n, wait in enumerate(waits)]
    html = ranking(drives, "write_tail")
    assert places(html) == placed
    assert ("128 (1), 256 (1)" in html) is (placed == ["", ""])


@pytest.mark.parametrize(("currencies", "order"), [(("USD", "USD"), ["b", "a"]), (("USD", "RUB"), ["a", "b"])])
def test_prices_in_several_currencies_give_no_order(currencies: tuple[str, str], order: list[str]) -> None:
    prices = [
        {"value": value, "shown": f"{value} {currency}", "currency": currency}
        for value, currency in zip((1200, 900), currencies, strict=True)
    ]
    drives = [
        drive(name, figures={}, price=price) | FACTS | {"uses": {"desktop": "yes"}}
        for name, price in zip("ab", prices, strict=True)
    ]
    pages = lang(drives)
    pages.uses, pages.keys = ["desktop"], ["read_wait"]
    html = pages._use("desktop", "Desktop")[1]
    assert re.findall(r'<tr[^>]*data-name="(\w)"', html) == order
    one = len({*currencies}) == 1
    assert ('name="price"' in html) is ('data-sort="price"' in html) is ("price per gigabyte" in html) is one


def test_a_reason_that_ends_with_a_full_stop_has_one() -> None:
    gone = Withdrawn(DAY, "12-ab", "The cooler had failed.")
    assert page._withdrawn(gone, Language("en")).endswith("The cooler had failed.")
    assert not page._withdrawn(gone, Language("en")).endswith("..")


def test_a_figure_whose_conditions_were_not_met_is_not_in_the_range_of_one_that_met_them() -> None:
    own, near, weak = (figure(value, f"{value}") for value in (20_000, 21_000, 90_000))
    others = [{"writes": near}, {"writes": weak | {"usable": False}}]
    spanned = figures.with_span({"writes": own}, others)["writes"]
    assert (spanned["low"], spanned["high"], spanned["samples"]) == ("20000", "21000", 2)


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_news_and_labels_tell_capacities_of_one_model_apart(lang: str) -> None:
    titles = re.findall(r"<title>(.*?)</title>", (site() / lang / "news.xml").read_text())[1:]
    assert titles
    assert all(re.search(r", [\d.,]+\s(GB|TB|ГБ|ТБ)", title) for title in titles)
    labels = re.findall(r'type="checkbox"[^>]* aria-label="([^"]*)"', (site() / lang / "index.html").read_text())
    assert labels
    assert all(re.search(r", [\d.,]+\s(GB|TB|ГБ|ТБ)", label) for label in labels)


def test_a_drive_that_is_known_not_to_fit_a_use_comes_after_those_of_which_that_is_unknown() -> None:
    fits = {"a": "no", "b": "unknown", "c": "doubt", "d": "yes", "e": "performance"}
    drives = [drive(name, figures={}) | FACTS | {"uses": {"desktop": fit}} for name, fit in fits.items()]
    pages = lang(drives)
    pages.uses, pages.keys = ["desktop"], ["read_wait"]
    html = pages._use("desktop", "Desktop")[1]
    assert re.findall(r'<tr[^>]*data-name="(\w)"', html) == ["d", "e", "c", "b", "a"]
    assert re.findall(r'<td class="use \w+" data-v="(\d)"', html) == ["0", "1", "2", "3", "4"], "and so in the browser"


def test_the_style_sheet_of_a_site_changes_nothing_that_only_a_report_has() -> None:
    """A page of a drive has both sheets: a class of the site's sheet must be in a template or a script of the site."""
    sheet = re.sub(r"\{[^{}]*\}", "", resources.files(publish).joinpath("static/site.css").read_text())
    own = [path for path in Path(publish.__file__).parent.rglob("*") if path.suffix in (".j2", ".js", ".py")]
    words = {*re.findall(r"[\w-]+", "\n".join(path.read_text() for path in own))}
    assert {*re.findall(r"\.([a-z][\w-]*)", sheet)} - words == set()
