"""Ticks of charts on a phone, in a real browser (`make pages`): as many as have room, evenly spaced."""

import json
import re
import shutil
import subprocess
from html import unescape
from importlib import resources
from math import log
from pathlib import Path
from typing import Any

import pytest

from tests.waits import PATIENCE_S

pytestmark = pytest.mark.browser
PLOT_PX = 300
ASK = """
const told = %s.map((values) => {
  const x = {type: "quantitative", scale: {type: "log"}, axis: {values}};
  figureTicks(x, 5, %d, {});
  return x.axis.values;
});
document.body.innerHTML = '<pre id="told"></pre>';
document.getElementById('told').textContent = JSON.stringify(told);
"""


def ticks(folder: Path, *axes: Any, ask: str = ASK) -> Any:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("chromium is not here; `make pages` installs it")
    script = (resources.files("stend.report.parts") / "templates" / "figures.js").read_text()
    page = folder / "page.html"
    page.write_text(f"<body><script>{script}\n{ask % (json.dumps(axes), PLOT_PX)}</script></body>")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom")
    dump = subprocess.run(
        [browser, *flags, page.as_uri()], check=True, capture_output=True, text=True, timeout=PATIENCE_S
    )
    return json.loads(unescape(re.search(r'<pre id="told">(.*?)</pre>', dump.stdout, re.DOTALL)[1]))  # type: ignore[index]


def test_a_log_axis_shows_the_ticks_that_have_room(tmp_path: Path) -> None:
    depths, rates = [1.0, 2, 4, 8, 16, 32, 64, 128], [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6]
    few, many = ticks(tmp_path, depths, rates)
    assert few == depths
    assert many == [1e4, 5e4, 2e5, 1e6]


def test_a_log_axis_whose_ticks_have_no_common_step_has_more_than_both_ends(tmp_path: Path) -> None:
    sizes, waits = [2.0**power for power in range(-1, 11)], [2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5]
    assert ticks(tmp_path, sizes, waits) == [[0.5, 4, 32, 256, 1024], [2e3, 1e4, 5e4, 5e5]]


LINEAR = """
const told = %s.map((high) => {
  const x = {type: "quantitative", field: "v", axis: {tickCount: 7}};
  figureTicks(x, 5, %d, {rows: [{v: 0}, {v: high}, {}]});
  return x.axis.tickCount;
});
document.body.innerHTML = '<pre id="told"></pre>';
document.getElementById('told').textContent = JSON.stringify(told);
"""


def test_a_linear_axis_has_three_labels_or_more_at_a_step_that_has_room(tmp_path: Path) -> None:
    highest = [0.0, 1.0, 55.0, 3_300.0, 110_000.0, 300_000.0]
    counts = ticks(tmp_path, *highest, ask=LINEAR)
    for high, count in zip(highest[1:], counts[1:], strict=True):
        step = min((s * 10.0**p for p in range(-3, 7) for s in (1, 2, 5)), key=lambda s: abs(log(high / count / s)))
        assert 3 <= high // step + 1 <= PLOT_PX // (6.5 * len(f"{high:,.0f}") + 14) + 1
