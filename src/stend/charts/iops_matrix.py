"""IOPS of all mixes and block sizes: lines on log-log axes, a heat map and bars (PTS 5.2)."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import block_label
from stend.charts.parts import DASHES, SHAPES, Drawing, Row, axis, ladder, series_scale
from stend.charts.parts.marks import category, cells
from stend.charts.parts.vega import Chart
from stend.findings.look.figures import answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

THOUSANDS_FROM = 10_000
"""From this number of IOPS cells hold thousands: five digits do not fit into a cell on a phone."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield three views of one table, if it has at least two sizes and two mixes."""
    rows = _rows(run, test, words)
    mixes = list(dict.fromkeys(row["mix"] for row in sorted(rows, key=lambda r: -r["read"])))
    sizes = list(dict.fromkeys(row["block"] for row in sorted(rows, key=lambda r: float(r["kib"]))))
    if len(mixes) < 2 or len(sizes) < 2:
        return
    for view in (_lines, _map, _bars):
        chart = view(mixes, sizes, words)
        short = view is _map and max(row["iops"] for row in rows) >= THOUSANDS_FROM
        title = words(f"chart.iops_matrix{view.__name__}{'_thousands' if short else ''}")
        yield Drawing(title, chart, {"rows": rows}, words("says.iops_matrix"))


def _rows(run: Run, test: PlannedTest, words: Language) -> list[Row]:
    cells_of = [(row.workload, row.iops) for row in answers(run, test.name) if not row.workload.mixed]
    thousands = max((iops for _, iops in cells_of), default=0) >= THOUSANDS_FROM
    return [
        {
            "block": block_label(load.block_bytes),
            "kib": load.block_bytes / 1024,
            "mix": f"{load.read_pct}/{100 - load.read_pct}",
            "read": load.read_pct,
            "iops": iops,
            "shown": words.show(iops, "rate"),
            "text": words.show(iops / 1e3, "n") if thousands else words.show(iops, "rate"),
        }
        for load, iops in cells_of
    ]


def _tips(words: Language) -> list[dict[str, str]]:
    return [
        {"field": "block", "title": words("axis.block_size"), "type": "nominal"},
        {"field": "mix", "title": words("axis.mix"), "type": "nominal"},
        {"field": "shown", "title": "IOPS", "type": "nominal"},
    ]


def _lines(mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    shared = {"field": "mix", "type": "nominal", "title": words("axis.mix")}
    return (
        Chart()
        .mark("line", point={"size": 45})
        .encode(
            x={
                "field": "kib",
                "type": "quantitative",
                "title": words("axis.block_kib"),
                "scale": {"type": "log", "base": 2},
                "axis": {"values": [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], "format": "~g"},
            },
            y=axis("iops", words("axis.iops"), log=True),
            color={**shared, "scale": series_scale(mixes, ladder(len(mixes)))},
            shape={**shared, "scale": series_scale(mixes, SHAPES)},
            strokeDash={**shared, "scale": series_scale(mixes, DASHES)},
            tooltip=_tips(words),
        )
    )


def _map(mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    x = category("block", words("axis.block_size"), sizes)
    y = category("mix", words("axis.mix"), mixes)
    colour = {
        "field": "iops",
        "type": "quantitative",
        "title": "IOPS",
        "scale": {"type": "log", "scheme": "viridis"},
        "legend": None,
    }
    return cells(x, y, colour, _tips(words)).properties(height=260)


def _bars(mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    mix = {"field": "mix", "type": "nominal", "title": words("axis.mix")}
    return (
        Chart()
        .mark("bar", stroke="white", strokeWidth=0.4)
        .encode(
            x=category("block", words("axis.block_size"), sizes),
            xOffset={"field": "mix", "sort": list(mixes)},
            y=axis("iops", words("axis.iops")),
            color={**mix, "scale": series_scale(mixes, ladder(len(mixes)))},
            tooltip=_tips(words),
        )
    )
