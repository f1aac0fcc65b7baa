"""Ticks of charts on a phone, in a real browser (`make pages`): as many as have room, evenly spaced."""

import json
import re
import shutil
import subprocess
from html import unescape
from importlib import resources
from itertools import pairwise, product
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


def test_a_log_axis_of_powers_of_two_shows_both_ends_and_equal_steps(tmp_path: Path) -> None:
    depths, sizes = [2.0**power for power in range(8)], [2.0**power for power in range(-1, 11)]
    assert ticks(tmp_path, depths, sizes) == [depths, [0.5, 4, 32, 256, 1024]]


def test_labels_of_a_decimal_log_axis_have_both_ends_and_even_steps_between(tmp_path: Path) -> None:
    """At 1, 2 and 5 times powers of ten, at 1 and 5 times, or at equal steps; those beside the ends may be left out."""
    axes = []
    for low, decades, first, last in product((-9, -2, 0, 3), (1, 2, 3, 5, 8), (1, 2, 5), (1, 2, 5)):
        whole = [float(f"{step}e{power}") for power in range(low, low + decades + 1) for step in (1, 2, 5)]
        axes.append([v for v in whole if float(f"{first}e{low}") <= v <= float(f"{last}e{low + decades}")])
    for values, kept in zip(axes, ticks(tmp_path, *axes), strict=True):
        pixels = PLOT_PX / log(values[-1] / values[0])
        steps = {round(after / before, 3) for before, after in pairwise(kept[1:-1])}
        assert (kept[0], kept[-1]) == (values[0], values[-1])
        assert len(kept) >= min(3, len(values))
        assert steps <= {2.0, 2.5} or steps <= {2.0, 5.0} or len(steps) == 1, kept
        assert min(log(after / before) * pixels for before, after in pairwise(kept)) > 20


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
