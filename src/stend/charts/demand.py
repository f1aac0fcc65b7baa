"""Demand variation and intensity: the sweep over threads x depth, plots P3 to P15 (PTS 11.3)."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import BLUE, RED, Drawing, Row, axis, few
from stend.charts.parts.marks import category, cells, dots, lines, octaves, series, tips
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Cell
from stend.model.counts import Counts, added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

TESTS = ("composite", "demand-intensity", "rwsw-demand-intensity")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield P3, P4, P6, P7, P8, P9/11/13 and P15.

    P1, P2 and P5 are the convergence and window charts, P10/12/14 the histograms.
    """
    sweep = look.records(run, test.name, "sweep")
    writes = next((r.workload for r in sweep), None)
    points = [c for c in look.cells(run, test) if c.phase == "sweep" and c.workload != writes]
    if len(points) < 2:
        return
    yield _minutes([r for r in sweep if r.workload == writes], "pre_writes", words)
    yield _rounds(run, test, points, words)
    threads = few(sorted({p.workload.threads for p in points}))
    shown = [p for p in points if p.workload.threads in threads]
    note = " " + words("says.few_threads") if len(shown) < len(points) else ""
    yield from (d._replace(says=d.says + note) for d in (_by_depth(shown, words), intensity(shown, words)))
    if any(point.counts.cpu_s for point in points):
        yield _cpu(points, words)
    for phase in ("max", "mid", "min"):
        if records := look.records(run, test.name, phase):
            settle = [r for r in records if r.workload.read_pct == 0]
            yield _minutes(settle, f"settle_{phase}", words)
    yield _outstanding(points, words)


def _threads(points: list[Cell]) -> list[str]:
    return [f"T{t}" for t in sorted({p.workload.threads for p in points})]


def _row(cell: Cell) -> Row:
    load, counts = cell.workload, cell.counts
    cpu = 100 * counts.cpu_s / counts.seconds
    return {
        "t": f"T{load.threads}",
        "q": load.depth,
        "toio": load.outstanding,
        "iops": counts.iops,
        "ms": counts.mean_s * 1e3,
        "cpu": cpu,
    }


def _minutes(records: list[look.Record], key: str, words: Language) -> Drawing:
    name = words("direction.write")
    rows = [{"minute": i + 1, "iops": r.counts.iops, "kind": name} for i, r in enumerate(records)]
    x = axis("minute", words("axis.record"), zero=False, format="d")
    chart = dots(x, axis("iops", words("axis.iops")), series("kind", None, [name]), size=30)
    return Drawing(words(f"chart.{key}"), chart, {"rows": rows}, words("says.pre_writes"))


def _rounds(run: Run, test: PlannedTest, points: list[Cell], words: Language) -> Drawing:
    most = max(p.workload.threads for p in points)
    deepest = [p.workload for p in points if p.workload.threads == most]
    rows = [
        {"round": n, "iops": counts.iops, "q": f"Q{load.depth}"}
        for load in deepest
        for n, counts in run.series(test.name, "sweep", load)
    ]
    names = [f"Q{load.depth}" for load in deepest]
    x = axis("round", words("axis.round"), zero=False, tickMinStep=1, format="d")
    chart = lines(x, axis("iops", words("axis.iops")), series("q", words("axis.depth"), names, ordered=True))
    return Drawing(words("chart.demand_rounds", t=most), chart, {"rows": rows}, words("says.convergence"))


def _by_depth(points: list[Cell], words: Language) -> Drawing:
    rows = [_row(p) for p in points]
    x = octaves("q", words("axis.depth"), [p.workload.depth for p in points])
    kinds = series("t", words("axis.threads"), _threads(points), ordered=True)
    chart = lines(x, axis("iops", words("axis.iops")), kinds)
    return Drawing(words("chart.demand_depth"), chart, {"rows": rows}, words("says.window_mean"))


def intensity(points: list[Cell], words: Language) -> Drawing:
    """Return P7: response time against IOPS, one line per thread count, points joined in order of depth."""
    rows = sorted((_row(p) for p in points), key=lambda r: (r["t"], r["q"]))
    x, y = axis("iops", words("axis.iops")), axis("ms", words("axis.latency"), log=True)
    kinds = series("t", words("axis.threads"), _threads(points), ordered=True)
    chart = lines(x, y, kinds, order={"field": "q", "type": "quantitative"})
    return Drawing(words("chart.intensity"), chart, {"rows": rows}, words("says.intensity"))


def _cpu(points: list[Cell], words: Language) -> Drawing:
    rows = [_row(p) for p in points]
    rows = [row | {"q": f"Q{row['q']}", "text": words.show(row["cpu"], "whole")} for row in rows]
    depths = [f"Q{q}" for q in sorted({p.workload.depth for p in points})]
    x, y = category("q", words("axis.depth"), depths), category("t", words("axis.threads"), _threads(points))
    colour = {"field": "cpu", "type": "quantitative", "title": words("axis.cpu"), "scale": {"scheme": "viridis"}}
    tooltip = [*tips(x, y), {"field": "cpu", "title": words("axis.cpu"), "format": ".1f"}]
    chart = cells(x, y, {**colour, "legend": None}, tooltip).properties(height=260)
    return Drawing(words("chart.demand_cpu"), chart, {"rows": rows}, words("says.cpu"))


def _outstanding(points: list[Cell], words: Language) -> Drawing:
    """Return P15: pairs with equal product are averaged, response times weighted by their IOs."""
    totals: dict[int, list[Counts]] = {}
    for point in points:
        totals.setdefault(point.workload.outstanding, []).append(point.counts)
    rows = [
        {"toio": str(n), "iops": sum(c.iops for c in pairs) / len(pairs), "ms": added(pairs).both.mean_s * 1e3}
        for n, pairs in sorted(totals.items())
    ]
    x: dict[str, Any] = category("toio", words("axis.outstanding"), [str(row["toio"]) for row in rows])
    left = Chart().mark("bar", color=BLUE, opacity=0.8)
    right = Chart().mark("line", color=RED, point={"color": RED, "size": 40, "filled": True})
    iops = axis("iops", words("axis.iops"), titleColor=BLUE)
    ms = axis("ms", words("axis.latency"), titleColor=RED)
    chart = (left.encode(x=x, y=iops, tooltip=tips(x, iops)) + right.encode(x=x, y=ms, tooltip=tips(x, ms))).resolve(
        scale={"y": "independent"}
    )
    return Drawing(words("chart.outstanding"), chart, {"rows": rows}, words("says.outstanding"))
