"""A run on one screen, as text and as plain data."""

from statistics import median
from typing import Any

from stend.definition import Hold
from stend.record import Result, Run, Verdict
from stend.stats import percentile_s
from stend.units import MB, decimal, duration, latency, rate

PERCENTILES = (50, 99, 99.9, 99.99, 99.999)
WIDEST = 12


def lines(run: Run) -> list[str]:
    """The summary: drive, stamps, verdicts, the tracked figures of each test."""
    drive = run.plan.device
    outcome = run.ended.outcome if run.ended else "unfinished"
    head = [f"{drive.model or drive.kind} {drive.serial}  {decimal(drive.capacity_bytes)}  {drive.target}: {outcome}"]
    head += [f"  ! {stamp}" for stamp in run.stamps]
    pauses = [gap for gap in pauses_s(run) if gap > 0]
    tail = [f"Median pause between steps {latency(median(pauses))} ({len(pauses)} pauses)"] if pauses else []
    return [*head, *(line for test in run.plan.tests for line in _test(run, test.name, test.title)), *tail]


def pauses_s(run: Run) -> list[float]:
    """Time without load before each step that did not follow a rest or a purge."""
    pairs = zip(run.results, run.results[1:], strict=False)
    return [b.gap_s for a, b in pairs if isinstance(a.step, Hold) and isinstance(b.step, Hold)]


def _test(run: Run, name: str, title: str) -> list[str]:
    rows = [title]
    for judged in run.judged:
        if judged.where.test == name and judged.ended_by and judged.verdicts:
            rows.append(f"  {judged.where.phase}: ended by {judged.ended_by} in round {judged.where.round}")
            rows += [f"    {_verdict(v)}" for v in judged.verdicts]
    results = [r for r in run.of(name) if isinstance(r.step, Hold)]
    shown = results if len(results) <= WIDEST else [*results[: WIDEST // 2], *results[-WIDEST // 2 :]]
    rows += [f"  {_result(r)}" for r in shown]
    if len(shown) < len(results):
        rows.insert(len(rows) - WIDEST // 2, f"  ... {len(results) - len(shown)} more; see the report")
    return rows


def _verdict(v: Verdict) -> str:
    word = "steady" if v.steady else "NOT steady"
    allowed = f" of {v.excursion_allowed:.4g}" if v.excursion_allowed is not None else ""
    return (
        f"{v.label}: {word} over rounds {v.rounds[0]}-{v.rounds[-1]}, mean {v.average:.4g}, "
        f"range {v.excursion:.4g}{allowed}, slope {v.slope_excursion:.4g} of {v.slope_excursion_allowed:.4g}"
    )


def _result(r: Result) -> str:
    counts, both = r.counts, r.counts.both
    label = r.step.workload.label if isinstance(r.step, Hold) else ""
    return (
        f"{r.where.phase:<14}{r.where.round:>4}  {label:<26}{rate(counts.iops):>8} IOPS "
        f"{counts.bytes_per_s / MB:>9.1f} MB/s  mean {latency(both.mean_s):>8}  max {latency(both.max_s):>8}"
    )


def figures(run: Run) -> dict[str, Any]:
    """The run as plain data: every result with its figures in base units; a percentile it cannot carry is null."""
    return {
        "drive": {f: getattr(run.plan.device, f) for f in ("target", "model", "serial", "firmware", "capacity_bytes")},
        "profile": run.plan.profile.name,
        "outcome": run.ended.outcome if run.ended else "unfinished",
        "stamps": list(run.stamps),
        "seconds": run.ended.t if run.ended else None,
        "results": [_figures(r) for r in run.results],
    }


def _figures(r: Result) -> dict[str, Any]:
    own: dict[str, Any] = {
        "test": r.where.test,
        "phase": r.where.phase,
        "round": r.where.round,
        "gap_s": r.gap_s,
        "t": r.t,
    }
    if not isinstance(r.step, Hold):
        return own | {"step": type(r.step).__name__.lower(), "said": r.said}
    own |= {"step": r.step.workload.label, "iops": r.counts.iops, "bytes_per_s": r.counts.bytes_per_s}
    for name, tally in (("read", r.counts.read), ("write", r.counts.write)):
        if tally.ios:
            own[name] = {"ios": tally.ios, "mean_s": tally.mean_s, "max_s": tally.max_s}
            own[name] |= {f"p{p:g}_s": percentile_s(tally.bins, p) for p in PERCENTILES}
    return own


def took(run: Run) -> str:
    """How long the run took, for people."""
    return duration(run.ended.t) if run.ended else "unfinished"
