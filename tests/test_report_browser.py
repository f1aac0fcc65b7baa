"""Pages in a real browser (`make pages`): axe has no objection, and every chart is drawn without a network."""

import importlib.util
import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from stend import report
from stend.words import LANGUAGES
from tests.test_report import run_of, written
from tests.waits import PATIENCE_S

pytestmark = pytest.mark.browser
TENTHS = 900
"""Of a second, for all charts; of the browser's own clock, which waits for nothing else."""
TELL = """
const rest = (ms) => new Promise((done) => setTimeout(done, ms));
window.addEventListener('load', async () => {
  document.querySelectorAll('details').forEach((part) => { part.open = true; });
  window.dispatchEvent(new Event('beforeprint'));  // all charts, not only those in sight
  for (let i = 0; i < %d && document.querySelector('figure.plot:not(.drawn)'); i++) { await rest(100); }
  const charts = [...document.querySelectorAll('figure')].map(
    (figure) => [figure.id, figure.querySelectorAll('svg, canvas, img').length]);
  const result = await axe.run(document);
  const told = {charts, violations: result.violations.map((v) => [v.id, v.impact, v.nodes.map((n) => n.html)]),
    passes: result.passes.map((v) => v.id),
    contrast: result.incomplete.filter((v) => v.id === 'color-contrast').map((v) => v.nodes.map((n) => n.html)).flat()
      .filter((html) => !/^<t(ext|span)/.test(html))};  // it cannot see what lies behind letters of a drawing
  document.body.innerHTML = '<pre id="told"></pre>';
  document.getElementById('told').textContent = JSON.stringify(told);
});
"""


def axe() -> str:
    found = importlib.util.find_spec("axe_playwright_python")
    if not found or not found.submodule_search_locations:
        pytest.skip("axe is not here; `make pages` installs it")
    return (Path(next(iter(found.submodule_search_locations))) / "axe.min.js").read_text()


def told(page: Path, folder: Path) -> dict[str, Any]:
    """What the browser says of a page, axe put into it (and its own policy taken out, which would forbid that)."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("chromium is not here; `make pages` installs it")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text())
    ends = re.compile("</(?=script)")
    scripts = "".join("<script>" + ends.sub(r"<\\/", s) + "</script>" for s in (axe(), TELL % TENTHS))
    end = text.rindex("</body>")
    checked = folder / "checked.html"
    checked.write_text(text[:end] + scripts + text[end:])
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,2000")
    dump = (
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--virtual-time-budget={2 * 100 * TENTHS}",
        "--dump-dom",
        checked.as_uri(),
    )
    done = subprocess.run([browser, *flags, *dump], capture_output=True, text=True, timeout=PATIENCE_S, check=True)
    found = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    result: dict[str, Any] = json.loads(unescape(found[1]))
    return result


@pytest.mark.parametrize("style", report.STYLES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_axe_has_no_objection_and_every_chart_is_drawn(tmp_path: Path, lang: str, style: str) -> None:
    result = told(written(run_of(), "html", tmp_path, lang, style)[0], tmp_path)
    assert result["violations"] == []
    assert len(result["passes"]) > 20
    assert len(result["charts"]) > 5
    assert [name for name, drawn in result["charts"] if not drawn] == []
    assert result["contrast"] == []
