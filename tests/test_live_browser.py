"""Live pages in a real browser (`make pages`): they grow, come back after a reload, and axe has no objection."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
    grown = "typeof points === 'undefined' ? 0 : points.length"
    wait_for(lambda: page.evaluate(grown) > 3)
    first = page.evaluate(grown)
    wait_for(lambda: page.evaluate(grown) > first or page.evaluate("document.querySelector('.running') === null"))
    kept = page.evaluate("JSON.stringify(points.slice(0, 3))")
    page.reload()
    wait_for(lambda: page.evaluate(grown) >= first)
    assert page.evaluate("JSON.stringify(points.slice(0, 3))") == kept
    assert page.locator("canvas").count() == 3
    wait_for(lambda: any(said in page.inner_text("main") for said in page.evaluate("Object.values(told.phases)")))
    phases = page.evaluate("told.phases")
    assert phases == {name: Language(lang).phase(name) for name in phases}
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=tmp_path / "page.png")
    assert said == []
    context.close()


def test_axe_has_no_objection(going: Served, browser: Any) -> None:
    context = browser.new_context(bypass_csp=True)  # axe itself is put into the page
    page = context.new_page()
    for path in ("/", "/run/run"):
        page.goto(f"http://127.0.0.1:{going.port}{path}?token={going.token}")
        wait_for(lambda: page.locator("#rows a, canvas").count())
        page.add_script_tag(content=axe())
        told = page.evaluate("axe.run(document)")
        assert len(told["passes"]) > 10
        assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in told["violations"]] == []
    context.close()


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
