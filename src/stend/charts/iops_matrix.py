"""IOPS of all mixes and block sizes: lines on log-log axes, a heat map and bars (PTS 5.2)."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import mix_label
from stend.charts.parts import Drawing, Row, axis, few
from stend.charts.parts.marks import bars, category, cells, kib, lines, octaves, series
from stend.findings.look.figures import Figures, answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

THOUSANDS_FROM = 10_000
"""From this number of IOPS cells hold thousands: five digits do not fit into a cell on a phone."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield three views of one table, if it has at least two sizes and two mixes."""
    cells_of = [row for row in answers(run, test.name) if not row.workload.mixed]
    rows = _rows(cells_of, words)
    says = words("says.iops_matrix" if all(row.window == "rounds" for row in cells_of) else "says.iops_matrix_whole")
    mixes = list(dict.fromkeys(row["mix"] for row in sorted(rows, key=lambda r: -r["read"])))
    sizes = list(dict.fromkeys(row["block"] for row in sorted(rows, key=lambda r: float(r["kib"]))))
    if len(mixes) < 2 or len(sizes) < 2:
        return
    for view in (_lines, _map, _bars):
        shown = few(mixes) if view is _lines else mixes
        drawn = [row for row in rows if row["mix"] in shown]
        chart = view(drawn, shown, sizes, words)
        short = view is _map and max(row["iops"] for row in rows) >= THOUSANDS_FROM
        title = words(f"chart.iops_matrix{view.__name__}{'_thousands' if short else ''}")
        yield Drawing(title, chart, {"rows": drawn}, says)


def _rows(cells_of: Sequence[Figures], words: Language) -> list[Row]:
    thousands = max((row.iops for row in cells_of), default=0) >= THOUSANDS_FROM
    return [
        {
            "block": kib(row.workload.block_bytes, words),
            "kib": row.workload.block_bytes / 1024,
            "mix": mix_label(row.workload.read_pct),
            "read": row.workload.read_pct,
            "iops": row.iops,
            "shown": words.show(row.iops, "rate"),
            "text": words.show(row.iops / 1e3 if thousands else row.iops, "cell"),
        }
        for row in cells_of
    ]


def _lines(rows: Sequence[Row], mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    x = octaves("kib", words("axis.block_kib"), [row["kib"] for row in rows])
    return lines(x, axis("iops", words("axis.iops"), log=True), series("mix", words("axis.mix"), mixes, ordered=True))


def _map(rows: Sequence[Row], mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    x = category("block", words("axis.block_kib"), sizes)
    y = category("mix", words("axis.mix"), mixes)
    scale = {"type": "log", "scheme": "viridis"}
    colour = {"field": "iops", "type": "quantitative", "title": "IOPS", "scale": scale, "legend": None}
    titles = {"block": x["title"], "mix": y["title"], "shown": "IOPS"}
    hints = [{"field": field, "title": title, "type": "nominal"} for field, title in titles.items()]
    return cells(x, y, colour, hints).properties(height=260)


def _bars(rows: Sequence[Row], mixes: Sequence[str], sizes: Sequence[str], words: Language) -> Any:
    kinds = series("mix", words("axis.mix"), mixes, ordered=True)
    return bars(category("block", words("axis.block_kib"), sizes), axis("iops", words("axis.iops")), kinds)
