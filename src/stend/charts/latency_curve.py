"""Response time against IOPS, one line per thread count and one of the open loop, for each mix and block size."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import lines, nominal, series
from stend.findings.look.figures import loads
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per mix, block sizes side by side."""
    open_loop = words("latency_curve.open")
    cells = [row for row in loads(run, test) if row.direction == "both" and row.tally.ios]
    for read_pct in dict.fromkeys(cell.workload.read_pct for cell in cells):
        group = [cell for cell in cells if cell.workload.read_pct == read_pct]
        rows = [
            {
                "threads": open_loop if cell.workload.rate_iops else f"T{cell.workload.threads}",
                "q": cell.workload.rate_iops or cell.workload.depth,
                "block": words.show(cell.workload.block_bytes, "gib"),
                "iops": cell.iops,
                "ms": cell.number("mean") * 1e3,
            }
            for cell in group
        ]
        closed = sorted({cell.workload.threads for cell in group if not cell.workload.rate_iops})
        rated = any(cell.workload.rate_iops for cell in group)
        names = [*(f"T{t}" for t in closed), *([open_loop] if rated else [])]
        sizes = [words.show(size, "gib") for size in sorted({cell.workload.block_bytes for cell in group})]
        y = axis("ms", words("axis.latency"), log=True)
        kinds = series("threads", words("axis.threads"), names)
        order = {"field": "q", "type": "quantitative"}
        chart = lines(axis("iops", words("axis.iops")), y, kinds, size=25, order=order)
        facet = nominal("block", sort=sizes, title=words("axis.block_size"))
        spread = chart.properties(width=190, height=190).facet(facet, columns=3).resolve(scale={"x": "independent"})
        title = words("chart.latency_curve", mix=mix_label(read_pct))
        yield Drawing(title, spread, {"rows": rows}, words("says.intensity"))
