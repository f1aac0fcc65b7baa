"""A run on one screen, as text and as plain data."""

from collections.abc import Sequence
from statistics import median
from typing import Any, get_type_hints

from stend.base.units import MB, block_label, decimal, latency, mix_label, places_beyond, rate
from stend.findings import look
from stend.findings.look.figures import Direction, Figures, derived, listed, of_record
from stend.model.definition import Hold, Identity, Idle, Seconds
from stend.model.events import Result, Verdict
from stend.model.record import Run
from stend.model.tally import PERCENTS

WAITS = ("mean", "max", *PERCENTS)
WIDEST = 12
LABEL = 23


def lines(run: Run) -> list[str]:
    """Return the summary: drive, stamps, verdicts and the figures of each test."""
    return [*head(run), *body(run)]


def head(run: Run, without: str = "") -> list[str]:
    """Return the drive with the outcome of the run, and the stamps, except those with the key `without`."""
    drive = run.plan.device
    size = decimal(drive.capacity_bytes) if drive.capacity_bytes else "capacity not known"
    return [
        f"{drive.model or drive.kind} {drive.serial}  {size}  {drive.target}: {run.outcome}",
        *(f"  ! {stamp}" for stamp in run.stamps if stamp.key != without),
        *(f"  {note.text}" for note in run.notes if run.source),
    ]


def body(run: Run) -> list[str]:
    """Return the verdicts and the figures of each test, and the usual pause between steps."""
    pauses = look.pauses(run)
    tail = [f"Median pause between steps {latency(median(pauses))} ({len(pauses)} pauses)"] if pauses else []
    lines: list[str] = []
    for test in run.plan.tests:
        phases = dict.fromkeys(r.where.phase for r in run.of(test.name))
        lines += [test.title, *(line for phase in phases for line in _phase(run, test.name, phase))]
    return lines + tail


def _phase(run: Run, name: str, phase: str) -> list[str]:
    """Return how a phase ended, its verdicts, and its figures: one line per workload, or a matrix for many."""
    ends = [j for j in run.judged if (j.where.test, j.where.phase) == (name, phase) and j.verdicts and j.ended_by]
    rows = [f"  {phase}: {j.ended_by} (round {j.where.round})" for j in ends]
    rows += [f"    {_verdict(v)}" for j in ends for v in j.verdicts]
    rows += _rests(run, name, phase)
    figures = [row for row in listed(run, name, phase) if row.direction in ("both", "trim")]
    return rows + (_workloads(run, phase, figures) if len(figures) < WIDEST else _matrix(figures))


def _rests(run: Run, name: str, phase: str) -> list[str]:
    """Return the planned and real lengths of a phase's rests (last IO before to first IO after) and bursts."""
    after = [
        (a.step.seconds, b.gap_s)
        for a, b in zip(run.results, run.results[1:], strict=False)
        if isinstance(a.step, Idle) and (a.where.test, a.where.phase) == (name, phase) and b.gap_s
    ]
    held = [
        (r.step.amount.seconds, r.counts.seconds)
        for r in run.of(name, phase)
        if isinstance(r.step, Hold) and isinstance(r.step.amount, Seconds)
    ]
    return [f"  {phase}: {_lengths('rests', after)}; {_lengths('bursts', held)}"] if after and held else []


def _lengths(kind: str, pairs: list[tuple[float, float]]) -> str:
    planned, real = pairs[0][0], [seconds for _, seconds in pairs]
    return f"{len(pairs)} {kind} of {planned:g} s, measured {min(real):.3f} to {max(real):.3f} s"


def _matrix(figures: list[Figures]) -> list[str]:
    """Return a table of IOPS by block size and mix, of the measurement window."""
    blocks = sorted({row.workload.block_bytes for row in figures})
    mixes = sorted({row.workload.read_pct for row in figures})
    cells = {(row.workload.block_bytes, row.workload.read_pct): rate(row.iops) for row in figures}
    if len(cells) != len(figures):
        return [f"  {len(figures)} workloads; see the report"]
    head = f"  IOPS {'R/W':>7}" + "".join(f"{mix_label(mix):>8}" for mix in mixes)
    lines = [f"  {block_label(b):>12}" + "".join(f"{cells.get((b, mix), ''):>8}" for mix in mixes) for b in blocks]
    return [head, *lines]


def _workloads(run: Run, phase: str, figures: list[Figures]) -> list[str]:
    """Return one line per workload below the names and units of the columns."""
    if not figures:
        return []
    series = [[r for r in look.records(run, row.test, row.phase) if r.workload == row.workload] for row in figures]
    ends = f"  {'round 1':>7} {'last':>7}" if any(len(records) > 1 for records in series) else ""
    labels = _labels(figures)
    width = max(LABEL, *map(len, labels))
    head = f"  {phase:<{width + 2}} {'IOPS':>7} {'MB/s':>8} {'mean':>8} {'max':>8}{ends}"
    lines = map(_columns, figures, series)
    return [head, *(f"    {label:<{width}}{line}" for label, line in zip(labels, lines, strict=True))]


def _labels(figures: list[Figures]) -> list[str]:
    """Return a label per workload, with the place where it begins if nothing else distinguishes some."""
    trims = (", trims" * (row.direction == "trim" and row.workload.trim_pct < 100) for row in figures)
    labels = [row.workload.label + more for row, more in zip(figures, trims, strict=True)]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{label} at {decimal(row.workload.start_bytes)}" for label, row in zip(labels, figures, strict=True)]


def _columns(row: Figures, records: Sequence[look.Record]) -> str:
    trims = row.direction == "trim"
    ends_of = [(r.result.trims if trims else r.counts.both, r.counts.seconds) for r in (records[0], records[-1])]
    first, last = (derived(tally, seconds, "iops") or 0.0 for tally, seconds in ends_of)
    ends = f"  {rate(first):>7} {rate(last):>7}" if len(records) > 1 else ""
    waits = " ".join(f"{'–' if (v := row.value(name)) is None else latency(v):>8}" for name in ("mean", "max"))
    return f" {rate(row.iops):>7} {row.number('throughput') / MB:>8.1f} {waits}{ends}"


def _verdict(v: Verdict) -> str:
    word = "steady" if v.steady else "NOT steady"

    def share(value: float, allowed: float | None) -> str:
        whole = abs(v.average) or 1.0
        places = places_beyond(100 * value / whole, 1)
        return f"{value / whole:.{places}%}" + (f" (at most {allowed / whole:.0%})" if allowed is not None else "")

    return (
        f"{v.label}: {word} over rounds {v.rounds[0]}-{v.rounds[-1]}, range "
        f"{share(v.excursion, v.excursion_allowed)} of the mean, slope "
        f"{share(v.slope_excursion, v.slope_excursion_allowed)}"
    )


OF_DRIVE = ("target", "model", "serial", "firmware", "capacity_bytes")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of `figures`."""
    from stend.report.parts.schemas import MAY, many, shape, whole

    way = shape("Way", {"ios": int} | {f"{name}_s": float | None for name in WAITS})
    place = {"test": str, "phase": str, "round": int, "gap_s": float, "t": float, "step": str}
    held = dict.fromkeys(("seconds", "iops", "bytes_per_s"), float | MAY) | dict.fromkeys(("read", "write"), way | MAY)
    drive = shape("Drive", {name: get_type_hints(Identity)[name] for name in OF_DRIVE})
    fields = {"drive": drive, "profile": str, "outcome": str, "stamps": tuple[str, ...], "seconds": float | None}
    return whole(shape("Shown", fields | {"results": many(shape("Result", place | held | {"said": str | MAY}))}))


def figures(run: Run) -> dict[str, Any]:
    """Return the run as plain data: every result with its figures in base units.

    A percentile is null where the sample size is too small for it.
    """
    return {
        "drive": {name: getattr(run.plan.device, name) for name in OF_DRIVE},
        "profile": run.plan.profile.name,
        "outcome": run.outcome,
        "stamps": list(run.stamps),
        "seconds": run.took_s if run.ended else None,
        "results": [_figures(r) for r in run.results],
    }


def _figures(r: Result) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(r.where, name) for name in ("test", "phase", "round")}
    fields |= {"gap_s": r.gap_s, "t": r.t}
    if not isinstance(r.step, Hold):
        return fields | {"step": type(r.step).__name__.lower(), "said": r.said}
    counts, rates = r.counts, of_record(r, "both")
    fields |= {"step": r.step.workload.label, "seconds": counts.seconds}
    fields |= {"iops": rates["iops"] or 0.0, "bytes_per_s": rates["throughput"] or 0.0}
    ways: tuple[Direction, ...] = ("read", "write")
    for name in ways:
        if ios := getattr(counts, name).ios:
            values = of_record(r, name)
            fields[name] = {"ios": ios} | {f"{quantity}_s": values[quantity] for quantity in WAITS}
    return fields
