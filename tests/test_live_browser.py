"""Live pages in a real browser (`make pages`): they grow, come back after a reload, and axe has no objection."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stend.cli import main
from stend.words import Language
from tests.going import Served, serving
from tests.test_report_browser import axe
from tests.waits import wait_for

pytestmark = pytest.mark.browser
HOUR = """title = "An hour of writing"
tests = ["write-saturation"]
[settings.tests.write-saturation]
seek_steady = false
minutes = 61
"""
VIEWS = [(1400, "light"), (390, "dark")]


@pytest.fixture(scope="module")
def going(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server, and a virtual run at a pace that a page can follow."""
    top = tmp_path_factory.mktemp("going") / "runs"
    top.mkdir()
    asked = ["run", "latency", "--target", "sim:small?pace=4", "--quick", "--into", str(top / "run")]
    with subprocess.Popen([sys.executable, "-m", "stend", *asked], stdout=subprocess.DEVNULL) as run:
        with serving(top) as served:
            wait_for((top / "run/events.jsonl").exists)
            yield served
        run.kill()


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_page_grows_survives_a_reload_and_has_no_error(
    width: int, scheme: str, lang: str, going: Served, browser: Any, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 1200}, color_scheme=scheme, bypass_csp=False)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"http://127.0.0.1:{going.port}/?lang={lang}&token={going.token}")
    wait_for(lambda: page.locator("#rows td.name a").count() == 1)
    assert "token" not in page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#rows td.name a").click()
    page.wait_for_url("**/run/run?**")
    page.goto(f"{page.url}&view=course")  # a busy host may have ended the run by now, and its page is its report
    grown = "typeof points === 'undefined' ? 0 : points.length"
    wait_for(lambda: page.evaluate(grown) > 3)
    first = page.evaluate(grown)
    wait_for(lambda: page.evaluate(grown) > first or "▶" not in page.inner_text("#state"))
    kept = page.evaluate("JSON.stringify(points.slice(0, 3))")
    page.reload()
    wait_for(lambda: page.evaluate(grown) >= first)
    assert page.evaluate("JSON.stringify(points.slice(0, 3))") == kept
    assert page.locator("canvas").count() == 3
    wait_for(lambda: any(said in page.text_content("main") for said in page.evaluate("Object.values(told.phases)")))
    phases = page.evaluate("told.phases")
    assert phases == {name: Language(lang).phase(name) for name in phases}
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=tmp_path / "page.png")
    assert said == []
    context.close()


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of three runs that have ended."""
    top = tmp_path_factory.mktemp("ended") / "runs"
    for unit in (1, 2, 3):
        target = f"sim:small?unit={unit}&spread=3"
        assert main(["run", "latency", "--target", target, "--quick", "--into", str(top / f"run-{unit}")]) == 0
    with serving(top) as served:
        yield served


PAGES = {
    "/": "document.querySelectorAll('#rows td.name a').length === 3",
    "/run/run-1": "document.body.classList.contains('reading')",
    "/run/run-1?view=course": "document.querySelector('canvas') !== null",
    "/compare?run=run-1&run=run-2&run=run-3": "!document.getElementById('content').hidden",
    "/compose?test=iops&target=sim:small": "!document.getElementById('command_line').hidden",
}


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_axe_has_no_objection_to_any_page(width: int, scheme: str, lang: str, ended: Served, browser: Any) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page, said = context.new_page(), []
    page.on("pageerror", lambda error: said.append(str(error)))
    for path, there in PAGES.items():
        page.goto(f"http://127.0.0.1:{ended.port}{path}{'&' if '?' in path else '?'}lang={lang}&token={ended.token}")
        wait_for(lambda: page.evaluate(there))  # noqa: B023
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        page.add_script_tag(content=axe())  # axe itself is put into the page
        told = page.evaluate("axe.run(document, {iframes: false})")
        assert len(told["passes"]) > 10
        assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in told["violations"]] == [], path
    assert said == []
    context.close()


def test_runs_are_chosen_filtered_and_compared_by_mouse(ended: Served, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.goto(f"http://127.0.0.1:{ended.port}/?lang=en&token={ended.token}")
    wait_for(lambda: page.locator("#rows td.name a").count() == 3)
    page.fill("#filter", "run=run-2")
    wait_for(lambda: page.locator("#rows td.name a").count() == 1)
    page.fill("#filter", "colour=red")
    wait_for(lambda: "no column" in page.inner_text("#wrong"))
    page.fill("#filter", "")
    wait_for(lambda: page.locator("#rows td.name a").count() == 3)
    page.check("#group")
    assert page.locator("#rows tr.drive").count() >= 1
    assert page.locator("#compare").is_hidden()
    for box in page.locator("td.pick input").all():
        box.check()
    page.click("#compare")
    wait_for(lambda: page.locator("#figures tbody tr").count() > 3)
    assert page.locator("#figures table").first.locator("thead th").count() == 5
    page.context.close()


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("width", [400, 800, 1100, 1600])
def test_stamps_have_a_row_of_the_whole_width(width: int, lang: str, ended: Served, browser: Any) -> None:
    names = ("cut_off", "saturated", "quick", "virtual")
    stamps = [
        Language(lang)("stamp.not_run", tests="throughput, latency"),
        *(Language(lang)(f"stamp.{n}") for n in names),
    ]
    rows = [{"run": f"r{n}", "model": "KC", "outcome": "complete", "stamps": stamps * n, "seconds": 9} for n in (0, 1)]
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.route("**/api/runs*", lambda route: route.fulfill(json=rows))
    page.goto(f"http://127.0.0.1:{ended.port}/?lang={lang}&token={ended.token}")
    wait_for(lambda: page.locator("#rows td.name a").count() == 2)
    heights = "[...document.querySelectorAll('#rows tr')].map((row) => row.getBoundingClientRect().height)"
    plain, stamped, below = page.evaluate(heights)
    text = page.locator("#rows tr").last.inner_text()
    assert [text.count(stamp) for stamp in stamps] == [1] * len(stamps)
    assert stamped <= plain
    assert below < 30 * len(stamps) * max(1, 800 / width)
    page.fill("#filter", "r1")
    wait_for(lambda: page.locator("#rows tr").count() == 2)
    page.context.close()


@pytest.mark.parametrize("width", [400, 1000])
def test_the_state_of_a_run_is_near_its_name_and_its_sentence_below(width: int, ended: Served, browser: Any) -> None:
    now = {"run": "going", "state": "running", "test": "iops", "phase": "rounds", "iops": 4000.0, "likely_s": 90}
    going = {"run": "going", "model": "KC", "outcome": "unfinished", "stamps": ["quick"], "now": now}
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.route("**/api/runs*", lambda route: route.fulfill(json=[going, {"run": "torn", "error": "line 3 " * 12}]))
    page.goto(f"http://127.0.0.1:{ended.port}/?lang=en&token={ended.token}")
    lines = page.locator("#rows tr")
    wait_for(lambda: lines.count() == 4)
    assert "▶ running" in lines.nth(0).inner_text()
    assert "IOPS, rounds: 4000 IOPS, about 1 min 30 s left" in lines.nth(1).inner_text()
    assert "✕ unreadable" in lines.nth(2).inner_text()
    assert "line 3 line 3" in lines.nth(3).inner_text()
    states = page.locator(f"#rows td.name span.{'narrow' if width < 560 else 'none'}, #rows tr > td:nth-child(3)")
    shown = [box for box in (state.bounding_box() for state in states.all()) if box]
    assert shown
    assert all(box["x"] + box["width"] <= width for box in shown), "no reader scrolls to see it"
    page.context.close()


TO_END = "() => { scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('#rows tr').length; }"


def test_a_long_list_is_built_as_far_as_it_is_read(ended: Served, browser: Any) -> None:
    page, count = browser.new_context(viewport={"width": 1400, "height": 900}).new_page(), 1500
    rows = [{"run": f"run-{n}", "model": "KC", "started_s": 1e9 + n, "outcome": "complete"} for n in range(count)]
    page.route("**/api/runs*", lambda route: route.fulfill(json=rows))
    page.goto(f"http://127.0.0.1:{ended.port}/?lang=en&token={ended.token}")
    lines = page.locator("#rows tr")
    wait_for(lambda: lines.count() > 0)
    page.wait_for_timeout(300)
    assert lines.count() < count / 3
    assert page.get_attribute("#table", "aria-rowcount") == str(count + 1)
    for box in page.locator("td.pick input").all()[:5]:
        box.check()
    wait_for(lambda: page.evaluate(TO_END) == count)
    assert page.locator("#more").is_hidden()
    assert page.inner_text("#rows tr:last-child a") == "run-0"
    assert page.locator("td.pick input:disabled").count() == count - 5, "five are the most, also of later rows"
    page.fill("#filter", "run-1499")
    wait_for(lambda: lines.count() == 1)
    page.context.close()


def test_no_line_crosses_time_without_load_and_all_curves_zoom_together(ended: Served, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.goto(f"http://127.0.0.1:{ended.port}/run/run-1?view=course&token={ended.token}")
    wait_for(lambda: page.evaluate("plots.length") == 3)
    drawn = page.evaluate(
        """() => {
          const [real, band] = [points, [1, 2, 3]];
          points = [[1, 1], [2, 1], [8, 1], [9, 1]].map(([t, seconds]) => [t, seconds, 2, band, band, band, 0, 1]);
          const all = columns(3);
          points = real;
          return all;
        }"""
    )
    lines = [(a, b) for a, b, y, z in zip(drawn[0], drawn[0][1:], drawn[3], drawn[3][1:], strict=False) if y and z]
    assert lines == [(0, 1), (1, 2), (7, 8), (8, 9)], "nothing between 2 and 7 s, where no load was"
    page.locator("#tests summary").first.click()
    page.locator("#tests li button:not(:disabled)").last.click()
    ranges = page.evaluate("plots.map((one) => [one.scales.x.min, one.scales.x.max])")
    assert ranges[0] == ranges[1] == ranges[2] == page.evaluate("range")
    kept = page.evaluate("range")
    page.reload()
    wait_for(lambda: page.evaluate("plots.length") == 3)
    assert page.evaluate("range") == pytest.approx(kept, abs=0.1)
    page.click("#whole")
    assert page.evaluate("range") is None
    page.context.close()


def test_the_memory_of_a_page_stays_level_over_an_hour_of_a_run(browser: Any, tmp_path: Path) -> None:
    top, minutes = tmp_path / "runs", {}
    top.mkdir()
    study = tmp_path / "hour.toml"
    study.write_text(HOUR)
    asked = ["run", str(study), "--target", "sim:sas15k?pace=60", "--into", str(top / "run")]
    with subprocess.Popen([sys.executable, "-m", "stend", *asked], stdout=subprocess.DEVNULL) as run:
        served = Served(top)
        wait_for((top / "run/events.jsonl").exists)
        page = browser.new_context().new_page()
        page.goto(f"http://127.0.0.1:{served.port}/run/run?token={served.token}")
        memory = page.context.new_cdp_session(page)
        for minute in (20, 40, 60):
            wait_for(lambda: page.evaluate("points.length && points[points.length - 1][0]") >= 60 * minute - 5)  # noqa: B023
            memory.send("HeapProfiler.collectGarbage")
            minutes[minute] = memory.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        run.kill()
        served.process.kill()
        served.end()
    assert page.evaluate("points.length") <= 2000
    assert minutes[60] < 1.5 * minutes[20] + 1, minutes
