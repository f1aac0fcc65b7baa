"""A run on one screen, as text and as plain data."""

from statistics import median
from typing import Any

from stend.definition import Hold, Idle, Seconds, Workload
from stend.record import Counts, Result, Run, Verdict
from stend.stats import percentile_s
from stend.units import MB, block_label, decimal, duration, latency, rate

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
    phases = list(dict.fromkeys(r.where.phase for r in run.of(name)))
    return [title, *(line for phase in phases for line in _phase(run, name, phase))]


def _phase(run: Run, name: str, phase: str) -> list[str]:
    """What a phase came to: how it ended and its verdicts, then a table of its cells or a line for each workload."""
    ends = [j for j in run.judged if (j.where.test, j.where.phase) == (name, phase) and j.verdicts and j.ended_by]
    rows = [f"  {phase}: {j.ended_by} (round {j.where.round})" for j in ends]
    rows += [f"    {_verdict(v)}" for j in ends for v in j.verdicts]
    rows += _rests(run, name, phase)
    holds = [r.step for r in run.of(name, phase) if isinstance(r.step, Hold)]
    loads = list(dict.fromkeys(hold.workload for hold in holds))
    means = {load: run.window(name, phase, load) for load in loads}
    if len(loads) < WIDEST:
        return rows + [_workload(run, name, phase, load, means[load]) for load in loads]
    return rows + _matrix(means)


def _rests(run: Run, name: str, phase: str) -> list[str]:
    """How long the rests of a phase really were, from the last IO before to the first after, and the bursts."""
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


def _lengths(what: str, told: list[tuple[float, float]]) -> str:
    asked, real = told[0][0], [seconds for _, seconds in told]
    return f"{len(told)} {what} of {asked:g} s, really {min(real):.3f} to {max(real):.3f} s"


def _matrix(means: dict[Workload, Counts]) -> list[str]:
    """IOPS by block size and mix, of the measurement window."""
    blocks = sorted({load.block_bytes for load in means})
    mixes = sorted({load.read_pct for load in means})
    cells = {(load.block_bytes, load.read_pct): rate(counts.iops) for load, counts in means.items()}
    if len(cells) != len(means):
        return [f"  {len(means)} workloads; see the report"]
    head = f"  IOPS {'R/W':>7}" + "".join(f"{f'{mix}/{100 - mix}':>8}" for mix in mixes)
    rows = [f"  {block_label(b):>12}" + "".join(f"{cells.get((b, mix), ''):>8}" for mix in mixes) for b in blocks]
    return [head, *rows]


def _workload(run: Run, name: str, phase: str, load: Workload, mean: Counts) -> str:
    series = [r.counts for r in run.of(name, phase) if isinstance(r.step, Hold) and r.step.workload == load]
    both = mean.both
    ends = f" from {rate(series[0].iops)} to {rate(series[-1].iops)}" if len(series) > 1 else ""
    return (
        f"  {phase:<14} {load.label:<24} {rate(mean.iops):>7} IOPS {mean.bytes_per_s / MB:>8.1f} MB/s  "
        f"mean {latency(both.mean_s)}, max {latency(both.max_s)}{ends}"
    )


def _verdict(v: Verdict) -> str:
    word = "steady" if v.steady else "NOT steady"

    def share(value: float, allowed: float | None) -> str:
        whole = abs(v.average) or 1.0
        return f"{value / whole:.1%}" + (f" (at most {allowed / whole:.0%})" if allowed is not None else "")

    return (
        f"{v.label}: {word} over rounds {v.rounds[0]}-{v.rounds[-1]}, range "
        f"{share(v.excursion, v.excursion_allowed)} of the mean, slope "
        f"{share(v.slope_excursion, v.slope_excursion_allowed)}"
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
    own |= {
        "step": r.step.workload.label,
        "seconds": r.counts.seconds,
        "iops": r.counts.iops,
        "bytes_per_s": r.counts.bytes_per_s,
    }
    for name, tally in (("read", r.counts.read), ("write", r.counts.write)):
        if tally.ios:
            own[name] = {"ios": tally.ios, "mean_s": tally.mean_s, "max_s": tally.max_s}
            own[name] |= {f"p{p:g}_s": percentile_s(tally, p) for p in PERCENTILES}
    return own


def took(run: Run) -> str:
    """How long the run took, for people."""
    return duration(run.ended.t) if run.ended else "unfinished"
