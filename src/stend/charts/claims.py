"""Peaks of the fresh drive next to the vendor's claims."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import BLACK, BLUE, SCALE, Drawing, Row, axis
from stend.charts.parts.marks import category, nominal, tips
from stend.charts.parts.vega import Chart
from stend.findings import Sheet, look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

CLAIMS = True
KEYS = {
    "sequential-read": ("seq_read_128k_MB", "seq_read_MB"),
    "sequential-write": ("seq_write_128k_MB", "seq_write_MB"),
    "random-read": ("rand_read_4k",),
    "random-write": ("rand_write_4k",),
}


def draw(run: Run, test: PlannedTest, words: Language, sheet: Sheet) -> Iterator[Drawing]:
    """Yield MB/s of the sequential phases and IOPS of the random ones, each claim as a black tick."""
    claimed: dict[str, Any] = sheet.get("claimed", {})
    for kind, figure in (("sequential", "throughput"), ("random", "iops")):
        rows: list[Row] = []
        for phase in (p for p in KEYS if p.startswith(kind)):
            name = words.name_of("phase", phase)
            if best := look.peak(run, test, phase, figure):
                claim = next((claimed[key] for key in KEYS[phase] if key in claimed), None)
                rows.append({"phase": name, "value": best * SCALE[figure], "claim": claim})
        names = [str(row["phase"]) for row in rows]
        y = nominal("phase", title=None, sort=names)
        x = axis("value", words(f"axis.{figure}"))
        shown = {**category("phase", words("axis.phase"), names), "title": words("axis.phase")}
        known = any(row["claim"] is not None for row in rows)
        claim_tip = [{"field": "claim", "title": words("axis.claim"), "format": ",.4~r"}] if known else []
        tooltip = [*tips(shown, x), *claim_tip]
        bars = Chart().mark("bar", color=BLUE, height={"band": 0.6}).encode(x=x, y=y, tooltip=tooltip)
        ticks = Chart().mark("tick", color=BLACK, thickness=4, size=34)
        ticks = ticks.encode(x=axis("claim", words(f"axis.{figure}")), y=y, tooltip=tooltip)
        chart = (bars + ticks if known else bars).properties(height=130)
        title = words("chart.claims_known" if known else "chart.claims", figure=words(f"figure.{figure}"))
        yield Drawing(title, chart, {"rows": rows}, words("says.claims_known" if known else "says.claims"))
