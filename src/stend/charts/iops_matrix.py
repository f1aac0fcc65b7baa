"""IOPS of all mixes and block sizes: lines on log-log axes, a heat map and bars (PTS 5.2)."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import block_label
from stend.charts.parts import DASHES, SHAPES, Drawing, Row, axis, ladder, series_scale
from stend.charts.parts.vega import Chart
from stend.findings.look.figures import answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield three views of one table, if it has at least two sizes and two mixes."""
    rows = _rows(run, test, words)
    mixes = list(dict.fromkeys(row["mix"] for row in sorted(rows, key=lambda r: -r["read"])))
    sizes = list(dict.fromkeys(row["block"] for row in sorted(rows, key=lambda r: float(r["kib"]))))
    if len(mixes) < 2 or len(sizes) < 2:
        return
    for view in (_lines, _map, _bars):
        chart = view(mixes, sizes, words)
        title = words(f"chart.iops_matrix{view.__name__}", test=words.title(test.name, test.title))
        yield Drawing(title, chart, {"rows": rows}, words("says.iops_matrix"))


def _rows(run: Run, test: PlannedTest, words: Language) -> list[Row]:
    return [
        {
            "block": block_label(load.block_bytes),
            "kib": load.block_bytes / 1024,
            "mix": f"{load.read_pct}/{100 - load.read_pct}",
            "read": load.read_pct,
            "iops": row.iops,
            "text": words.show(row.iops, "rate"),
        }
        for row in answers(run, test.name)
        if not (load := row.workload).mixed
    ]


def _tips(words: Language) -> list[dict[str, str]]:
    return [
        {"field": "block", "title": words("axis.block_size"), "type": "nominal"},
        {"field": "mix", "title": words("axis.mix"), "type": "nominal"},
        {"field": "text", "title": "IOPS", "type": "nominal"},
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
    x = {"field": "block", "type": "ordinal", "sort": list(sizes), "title": words("axis.block_size")}
    y = {"field": "mix", "type": "ordinal", "sort": list(mixes), "title": words("axis.mix")}
    colour = {
        "field": "iops",
        "type": "quantitative",
        "title": "IOPS",
        "scale": {"type": "log", "scheme": "viridis"},
        "legend": None,
    }
    base = Chart().encode(x={**x, "axis": {"labelAngle": 0}}, y=y)
    cells = base.mark("rect", stroke="white").encode(color=colour, tooltip=_tips(words))
    halo = {"condition": {"test": "datum.light", "value": "#000000"}, "value": "#ffffff"}
    ends = [{"op": op, "field": "iops", "as": name} for op, name in (("max", "top"), ("min", "low"))]
    text = (
        base.transform(
            {"joinaggregate": ends},
            {"calculate": "log(datum.iops / datum.low) / log(datum.top / datum.low) > 0.55", "as": "light"},
        )
        .mark("text", fontSize=11)
        .encode(text={"field": "text", "type": "nominal"}, color=halo)
    )
    return (cells + text).properties(height=260)


def _bars(mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    mix = {"field": "mix", "type": "nominal", "title": words("axis.mix")}
    return (
        Chart()
        .mark("bar", stroke="white", strokeWidth=0.4)
        .encode(
            x={
                "field": "block",
                "type": "ordinal",
                "sort": list(sizes),
                "title": words("axis.block_size"),
                "axis": {"labelAngle": 0},
            },
            xOffset={"field": "mix", "sort": list(mixes)},
            y=axis("iops", words("axis.iops")),
            color={**mix, "scale": series_scale(mixes, ladder(len(mixes)))},
            tooltip=_tips(words),
        )
    )
