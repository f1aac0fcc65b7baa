"""Tables of a test: steady-state verification, matrices, and the figures of every workload."""

from collections.abc import Iterator, Mapping, Sequence

from stend.base.units import mix_label
from stend.charts.parts import SCALE
from stend.findings import look
from stend.findings.look.figures import Figures, loads, together
from stend.model.definition import Phase, PlannedTest
from stend.model.events import Judged, Verdict
from stend.model.quantities import shape
from stend.model.record import Run
from stend.model.tally import TAIL
from stend.report.parts import Table
from stend.words import Language

COLUMNS = ("workload", "iops", "mbs", "mean", *TAIL, "max")
MOST_ROWS = 60
MANY = 4
"""With more judged phases than this there is one table for all."""
OF_WINDOW = ("iops", "max")
"""Figures whose name in a matrix has the measurement window, if the phase has one."""


def verification(run: Run, test: PlannedTest, words: Language) -> Iterator[Table]:
    """Yield one table per judged phase with every item of the PTS steady-state verification (3.2).

    Many phases share one table.
    """
    ends = [(phase, look.last_judged(run, test.name, phase.name)) for phase, _ in look.judged_phases(test)]
    judged_phases = [(phase, judged) for phase, judged in ends if judged and judged.verdicts]
    if len(judged_phases) > MANY:
        yield _all_verified(judged_phases, words)
        return
    for phase, judged in judged_phases:
        head = (words("table.item"), *(words.show(v.label, "load") for v in judged.verdicts))
        columns = [_column(verdict, words) for verdict in judged.verdicts]
        rows = tuple((words(f"verification.{key}"), *(column[key] for column in columns)) for key in columns[0])
        rule = words("verification.rule", rule=words.name_of("rule", judged.verdicts[0].rule))
        why = words.translated(judged.ended_by) if judged.ended_by else words("verification.going_on")
        ended = f"{rule} {words('verification.ended', round=judged.where.round, why=why)}"
        yield Table(words("verification.title", phase=phase.name), head, rows, tuple(range(1, len(head))), ended)


def _all_verified(judged_phases: Sequence[tuple[Phase, Judged]], words: Language) -> Table:
    """Return a table with one row per phase and tracked workload."""
    columns = [
        (phase.name, words.show(verdict.label, "load"), _column(verdict, words))
        for phase, judged in judged_phases
        for verdict in judged.verdicts
    ]
    if all(v.excursion_allowed is None for _, judged in judged_phases for v in judged.verdicts):
        for _, _, column in columns:
            del column["excursion_allowed"]
    distinct = len({label for _, label, _ in columns}) == len(columns)
    head = (words("column.workload"), *(words(f"verification.{key}") for key in columns[0][2]))
    rows = tuple((label if distinct else f"{words.phase(phase)}: {label}", *c.values()) for phase, label, c in columns)
    rule = words("verification.rule", rule=words.name_of("rule", judged_phases[0][1].verdicts[0].rule))
    return Table(words("verification.all"), head, rows, tuple(range(1, len(head))), rule)


def _column(verdict: Verdict, words: Language) -> dict[str, str]:
    def shown(value: float) -> str:
        return words.show(value, shape(verdict.quantity))

    def against(value: float, limit: float | None) -> str:
        if limit is None or value <= limit or shown(value) != shown(limit):
            return shown(value)
        return f"{shown(value)} ({words.show(value / verdict.average, 'beyond')})"

    slope, intercept = verdict.fit
    allowed = verdict.excursion_allowed
    return {
        "window": f"{verdict.rounds[0]}–{verdict.rounds[-1]}",
        "average": shown(verdict.average),
        "excursion_allowed": shown(allowed) if allowed is not None else words("verification.none"),
        "excursion": against(verdict.excursion, allowed),
        "slope_allowed": shown(verdict.slope_excursion_allowed),
        "slope": against(verdict.slope_excursion, verdict.slope_excursion_allowed),
        "fit": _formula(slope, intercept, verdict.quantity, words),
        "correlation": words.show(verdict.correlation, "n"),
        "steady": words("yes" if verdict.steady else "verification.not_achieved"),
    }


def _formula(slope: float, intercept: float, quantity: str, words: Language) -> str:
    scale = SCALE[quantity]
    sign = "+" if intercept >= 0 else "\u2212"
    text = f"{words.show(slope * scale, 'n')}·R {sign} {words.show(abs(intercept) * scale, 'n')}"
    return f"{text} {words(f'unit.{quantity}')}".strip()


def matrix(run: Run, test: PlannedTest, words: Language) -> Iterator[Table]:
    """Yield block sizes by mixes, for every phase with at least two of each at one number of outstanding IOs."""
    every = [row for row in loads(run, test) if row.direction == "both" and not row.workload.mixed]
    for phase in dict.fromkeys(row.phase for row in every):
        cells = [row for row in every if row.phase == phase and row.tally.ios]
        by = {(row.workload.block_bytes, row.workload.read_pct): row for row in cells}
        sizes, mixes = sorted({size for size, _ in by}), sorted({mix for _, mix in by})
        if len(sizes) < 2 or len(mixes) < 2 or len({row.workload.outstanding for row in cells}) > 1:
            continue
        head = (words("axis.block_size"), *(mix_label(mix) for mix in mixes))
        windowed = {row.window for row in cells} == {"rounds"}
        for figure in _figures(test):
            rows = tuple((words.show(s, "gib"), *(_cell(by.get((s, m)), figure, words) for m in mixes)) for s in sizes)
            named = words(f"matrix.{figure}{'' if windowed or figure not in OF_WINDOW else '_all'}")
            title = words("matrix.title", phase=phase, figure=named)
            yield Table(title, head, rows, tuple(range(1, len(head))))


def _figures(test: PlannedTest) -> tuple[str, ...]:
    if any(rule.quantity == "latency" for _, rule in look.judged_phases(test)):
        return ("iops", "mean", "p99.999", "max")
    return ("iops",)


def _cell(row: Figures | None, quantity: str, words: Language) -> str:
    return words.show(row.value(quantity) if row else None, shape(quantity))


def raw(run: Run, words: Language) -> Iterator[Table]:
    """Yield every round of every tracked variable, so that the verification can be recomputed."""
    for test in look.tests(run):
        tables = list(_rounds(run, test, words))
        yield from (t._replace(note="") for t in tables) if len(tables) <= MANY else [_joined(test, tables, words)]


def _joined(test: PlannedTest, tables: Sequence[Table], words: Language) -> Table:
    """Return the rounds of many phases as one table: a row per phase and load, a column per round."""
    count = max(len(table.rows) for table in tables)
    head = (words("column.workload"), *(str(n) for n in range(1, count + 1)))
    rows = []
    for table in tables:
        for place, label in enumerate(table.head[1:], 1):
            values = [row[place] for row in table.rows]
            rows.append((f"{table.note}: {label}", *values, *["–"] * (count - len(values))))
    title = words("raw.all", test=words.title(test.name, test.title))
    return Table(title, head, tuple(rows), tuple(range(1, len(head))))


def _rounds(run: Run, test: PlannedTest, words: Language) -> Iterator[Table]:
    """Yield one table per judged phase."""
    for phase, rule in look.judged_phases(test):
        series = [dict(run.series(test.name, phase.name, load)) for load in rule.track]
        rounds = sorted({number for rates in series for number in rates})
        head = (words("axis.round"), *(words.show(load.label, "load") for load in rule.track))
        rows = tuple(
            (str(n), *(words.show(rates[n].quantity(rule.quantity), shape(rule.quantity)) for rates in series))
            for n in rounds
            if all(n in rates for rates in series)
        )
        name = words.phase(phase.name)
        title = words("raw.title", test=words.title(test.name, test.title), phase=phase.name)
        if rows:
            yield Table(title, head, rows, tuple(range(1, len(head))), name)


def workloads(run: Run, test: PlannedTest, words: Language) -> Iterator[Table]:
    """Yield every workload of the measured phases: IOPS, MB/s, response times.

    Percentiles are shown as far as the sample size allows.
    """
    head = tuple(words(f"column.{key}") for key in COLUMNS)
    merged = list(together(loads(run, test)))
    several = len({row.phase for row in merged}) > 1
    rests = {phase.name: look.rest_s(phase) for phase in test.phases if phase.name.startswith("wait-")}
    rows = [_row(row, _phase(row, rests, words) if several else "", words) for row in merged]
    shown = rows[:MOST_ROWS]
    cut = len(rows) - len(shown)
    note = words("column.more", n=cut) if cut else f"{words('column.note')} {words('column.dash')}"
    if run.plan.device.scale > 1:
        note += " " + words("column.note_scaled", scale=run.plan.device.scale)
    if rows:
        key = "title_window" if {row.window for row in merged} == {"rounds"} else "title"
        title = words(f"column.{key}", test=words.title(test.name, test.title))
        yield Table(title, head, tuple(shown), tuple(range(1, len(head))), note)


def _phase(row: Figures, rests: Mapping[str, float], words: Language) -> str:
    """Return the phase of a row. Bursts between pauses are named by the length of those."""
    rest = rests.get(row.phase, 0.0)
    name = words("column.rests", rest=rest) if rest else words.name_of("phase", row.phase)
    return f"{name}: "


def _row(row: Figures, phase: str, words: Language) -> tuple[str, ...]:
    """Return the row of a load with its name, after its phase. Directions are indented below it."""
    name = phase + words.show(row.workload.label, "load")
    first = row.direction == "both" or row.workload.trim_pct == 100
    return (name if first else "\u2003" + words(f"column.{row.direction}s"), *cells(row, words))


def cells(row: Figures, words: Language) -> tuple[str, ...]:
    """Return the cells of `COLUMNS` after the name of the load."""
    if not row.tally.ios:
        return ("0", "0", *["–"] * (len(TAIL) + 2))
    rate, bytes_per_s = row.iops, row.number("throughput")
    waits = (words.show(row.value(quantity), "lat") for quantity in ("mean", *TAIL, "max"))
    return (words.show(rate, "rate"), words.show(bytes_per_s / 1e6, "measured"), *waits)
