"""The samples of a run as a table, and their course over time as a chart."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stend.api.table import Table
from stend.charts import Picture, stamped
from stend.charts.parts import Drawing, Row, axis, theme, thin, time_scale, zoom
from stend.charts.parts.marks import nominal, series, thin_lines
from stend.model.definition import Hold, PlannedTest
from stend.model.record import Run
from stend.model.samples import COLUMNS as STORED
from stend.words import Language

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.float64]

PLACE = ("test", "phase", "round", "step", "workload")
COLUMNS: dict[str, str] = {
    "time_s": "DOUBLE", "seconds": "DOUBLE", "test": "VARCHAR", "phase": "VARCHAR", "round": "BIGINT",
    "step": "BIGINT", "workload": "VARCHAR", "iops": "DOUBLE", "mb_s": "DOUBLE", "mean_ms": "DOUBLE",
    "max_ms": "DOUBLE", "read_iops": "DOUBLE", "write_iops": "DOUBLE", "read_mb_s": "DOUBLE", "write_mb_s": "DOUBLE",
}  # fmt: skip
"""Column -> SQL type."""
AXES = {"iops": "iops", "mb_s": "throughput", "mean_ms": "latency", "max_ms": "longest"}
"""Columns that can be drawn over time -> phrase of the axis."""


def table(run: Run, tests: Sequence[str] = ()) -> Table:
    """Return one row per sample, of all tests or of these. A step that did not end has no place in the plan."""
    places: list[tuple[Any, ...]] = [(None,) * len(PLACE)] * len(run.samples)
    for result in run.results:
        first, last = run.spans[result.where, result.index]
        label = result.step.workload.label if isinstance(result.step, Hold) else None
        where = result.where
        places[first:last] = [(where.test, where.phase, where.round, result.index, label)] * (last - first)
    columns: dict[str, list[Any]] = {name: [place[n] for place in places] for n, name in enumerate(PLACE)}
    columns |= _numbers(run)
    if tests:
        kept = [n for n, place in enumerate(places) if place[0] in tests]
        columns = {name: [values[n] for n in kept] for name, values in columns.items()}
    return Table.of(COLUMNS, columns)


def _numbers(run: Run) -> dict[str, list[float | None]]:
    """Return rates and response times. A rate is None for a sample without time, a response time without IOs."""
    import numpy as np

    if not len(run.samples):
        return {name: [] for name in COLUMNS if name not in PLACE}
    stored = dict(zip(STORED, run.samples.table(0, len(run.samples)).T, strict=True))
    seconds, ios = stored["seconds"], stored["read_ios"] + stored["write_ios"]
    rates = {
        f"{way}_{name}": _share(stored[f"{way}_{total}"], seconds * scale)
        for way in ("read", "write")
        for name, total, scale in (("iops", "ios", 1.0), ("mb_s", "bytes", 1e6))
    }
    longest = np.maximum(stored["read_max_ns"], stored["write_max_ns"])
    return {
        "time_s": stored["t"].tolist(),
        "seconds": seconds.tolist(),
        "iops": _share(ios, seconds),
        "mb_s": _share(stored["read_bytes"] + stored["write_bytes"], seconds * 1e6),
        "mean_ms": _share(stored["read_ns"] + stored["write_ns"], ios * 1e6),
        "max_ms": _share(longest, np.where(ios > 0, 1e6, 0)),
        **rates,
    }


def _share(part: "Column", whole: "Column") -> list[float | None]:
    return [a / b if b > 0 else None for a, b in zip(part.tolist(), whole.tolist(), strict=True)]


def picture(run: Run, tests: Sequence[PlannedTest], column: str, words: Language) -> Picture:
    """Return a column over time. A step is one line, because the time between steps has no samples."""
    several = len(tests) > 1
    named: Callable[[Any], str] = (lambda name: words.title(name, name)) if several else words.phase
    field = "test" if several else "phase"
    samples = table(run, [test.name for test in tests])
    scale, time = time_scale(max(samples["time_s"], default=0.0), words)
    columns = (samples[name] for name in ("time_s", column, field, "phase", "round", "step"))
    rows: list[Row] = [
        {"t": t / scale, "y": y, "series": named(name), "step": f"{phase} {number} {step}"}
        for t, y, name, phase, number, step in zip(*columns, strict=True)
        if y is not None
    ]
    kinds = series(
        "series", words("column.test" if several else "axis.phase"), list(dict.fromkeys(row["series"] for row in rows))
    )
    x, y = axis("t", time, zero=False), axis("y", words(f"axis.{AXES[column]}"))
    chart = thin_lines(x, y, kinds).encode(detail=nominal("step"))
    title = words("chart.samples", axis=y["title"])
    titled = title if several else f"{words.title(tests[0].name, tests[0].title)}: {title}"
    drawing = Drawing(titled, chart.add_params(zoom()), {"rows": thin(rows, "t", "y")}, words("says.samples"))
    stamps = dict.fromkeys(stamp for test in tests for stamp in stamped(run, test, words))
    return theme.finished("samples", drawing, words, list(stamps))
