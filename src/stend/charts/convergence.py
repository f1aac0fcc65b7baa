"""Steady state convergence: the tracked quantity against the round, one line per block size (PTS 14.3)."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import SCALE, Drawing, axis
from stend.charts.parts.marks import lines, series
from stend.findings import look
from stend.model.counts import Counts
from stend.model.definition import PlannedTest, Workload
from stend.model.record import Run
from stend.words import Language

MOST_SERIES = 12
Series = list[tuple[int, Counts]]


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per judged phase and direction; latency also as the longest response time."""
    for phase, rule in look.judged_phases(test):
        loads = list(dict.fromkeys(hold.workload for hold in phase.holds))
        figures = [rule.quantity] + (["longest"] if rule.quantity == "latency" else [])
        for read_pct in (0, 100) if rule.quantity == "throughput" else (0,):
            tracked = [w for w in loads if w in rule.track]
            of_mix = [w for w in loads if w.read_pct == read_pct]
            chosen = of_mix if any(w.read_pct == read_pct for w in tracked) else tracked
            for figure in figures:
                series = {load: run.series(test.name, phase.name, load) for load in chosen[:MOST_SERIES]}
                yield _drawing(series, figure, words)


def _drawing(measured: dict[Workload, Series], figure: str, words: Language) -> Drawing:
    loads = list(measured)
    names = [_name(load, words) for load in loads]
    rows = [
        {"round": number, "series": name, "value": counts.quantity(figure) * SCALE[figure]}
        for name, load in zip(names, loads, strict=True)
        for number, counts in measured[load]
    ]
    mix = mix_label(loads[0].read_pct) if loads else ""
    if len(loads) == 1:  # without a legend the title shows the block size; the next phase may differ only in threads
        mix = f"{mix}, {names[0]} T{loads[0].threads} Q{loads[0].depth}"
    x = axis("round", words("axis.round"), zero=False, tickMinStep=1, format="d")
    kinds = series("series", words("axis.block_size"), names, ordered=True)
    chart = lines(x, axis("value", words(f"axis.{figure}")), kinds)
    title = words("chart.convergence", mix=mix, figure=words(f"figure.{figure}"))
    return Drawing(title, chart, {"rows": rows}, words("says.convergence"))


def _name(load: Workload, words: Language) -> str:
    return words.format_of.loads["block_mix"] if load.mixed else words.show(load.block_bytes, "gib")
