"""Trim: cost of a trim by size, reads beside trims, and what trimming half of the range does for random writes."""

from collections.abc import Iterator, Sequence

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look.figures import Figures, listed
from stend.findings.look.moments import ended, looks
from stend.model.definition import PlannedTest
from stend.model.events import Result
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND
from stend.model.wear import amplification

COVERED = 0.1
"""Share of the range trimmed beside the reads above which many reads met trimmed blocks. A choice of stend."""
MUCH, SLOWED, GAINS = 3.0, 1.05, 1.1
"""Times of the mean of reads alone that speak against a drive, or count as slower. Rates that differ by less count as
equal. A choice of stend."""
AGAIN = 1.5
"""Passes of trims through their part of the range from which it is stated that most of them met trimmed blocks."""
CLEANS = 1.02
"""Write amplification above which a drive copied data to clean. A choice of stend."""
WRITTEN = 0.02
"""Share of the capacity written from which rates and write amplification are means: a drive cleans in blocks of up to
many GB. A choice of stend."""
HALVES = ("half-full", "half-trimmed")
COUNTERS = ("host_write_bytes", "nand_write_bytes")


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the cost and rate of trims, the reads beside them, and the writes to a half-trimmed drive."""
    for test in look.tests(run, "trim"):
        yield from _costs(run, test)
        yield from _reads(run, test)
        yield from _half(run, test)


def _rows(run: Run, test: PlannedTest, phase: str, direction: str) -> list[Figures]:
    if not run.of(test.name, phase):
        return []
    return [row for row in listed(run, test.name, phase) if row.direction == direction and row.tally.ios]


def _costs(run: Run, test: PlannedTest) -> Iterator[Finding]:
    """Yield the response time of the smallest trims alone, the time of each further MiB, and the highest rates."""
    rows = _rows(run, test, "sizes", "trim")
    single = sorted((row for row in rows if row.workload.depth == 1), key=_size)
    if len(single) > 1:
        small, large = single[0], single[-1]
        each_s = (large.number("mean") - small.number("mean")) / (_size(large) - _size(small))
        values = {"size": _size(small), "mean": small.number("mean"), "mib": max(each_s, 0.0) * 2**20}
        passes = large.tally.bytes / max(large.workload.range_bytes, 1)
        yield Finding(key="cost", test=test.name, values=values)
        if passes > AGAIN:
            yield Finding(key="again", test=test.name, values={"size": _size(large), "passes": round(passes)})
    most = [max(rows, key=lambda row: row.number(quantity)) for quantity in ("iops", "throughput") if rows]
    for row in most[:1] if most[:1] == most[1:] else most:
        values = {"size": _size(row), "depth": row.workload.depth, "rate": row.iops, "bytes": row.number("throughput")}
        yield Finding(key="rate", test=test.name, values=values)


def _size(row: Figures) -> int:
    return row.workload.trim_bytes or row.workload.block_bytes


def _reads(run: Run, test: PlannedTest) -> Iterator[Finding]:
    """Yield the reads beside the share of trims that slows them most. Few reads are not compared."""
    rows = _rows(run, test, "reads", "both")
    measured = [row for row in rows if row.tally.ios >= MIN_BEYOND * run.plan.device.scale]
    alone = next((row for row in measured if not row.workload.trim_pct), None)
    beside = [row for row in measured if row.workload.trim_pct]
    if alone is None or not beside:
        if len(rows) > 1:
            yield Finding(key="reads_few", test=test.name, confidence="can't tell")
        return
    worst = max(beside, key=lambda row: row.number("mean"))
    ratio = worst.number("mean") / alone.number("mean")
    trims = {row.workload: row.tally.bytes for row in _rows(run, test, "reads", "trim")}
    covered = min(trims.get(worst.workload, 0) / max(worst.workload.range_bytes, 1), 1.0)
    values = {"share": worst.workload.trim_pct / 100, "alone": alone.number("mean"), "beside": worst.number("mean")}
    values |= {"times": ratio, "covered": covered}
    key = "reads_covered" if covered > COVERED else "reads" if ratio >= SLOWED else "reads_unmoved"
    sure: Confidence = "low" if covered > COVERED else "high"
    yield Finding(key=key, test=test.name, values=values, confidence=sure, side=side(con=ratio > MUCH))


def _half(run: Run, test: PlannedTest) -> Iterator[Finding]:
    """Yield random writes to half of the range with data in the other half, and with that half trimmed."""
    ends = [look.last_judged(run, test.name, phase) for phase in HALVES]
    rows = [row for phase in HALVES for row in _rows(run, test, phase, "both")]
    if len(rows) != 2 or not all(ends):
        return
    full, trimmed = rows
    gain = trimmed.iops / full.iops
    values = {"full": full.iops, "trimmed": trimmed.iops, "times": gain}
    later = [(results := run.of(test.name, phase))[len(results) // 2 :] for phase in HALVES]
    written = [_amplification(run, results) for results in later]
    if None not in written:
        values |= {"amplified_full": written[0] or 0.0, "amplified": written[1] or 0.0}
        key = "gains_amplified" if gain >= GAINS else "no_gain_amplified"
    else:
        key = "gains" if gain >= GAINS else "no_gain"
    if max(values.get("amplified_full", CLEANS), values.get("amplified", CLEANS)) < CLEANS:
        yield Finding(key="no_cleaning", test=test.name, values=values, confidence="can't tell")
        return
    least = min(sum(result.counts.write.bytes for result in results) for results in later)
    if least < WRITTEN * run.plan.device.capacity_bytes:
        values = {"full": full.iops, "trimmed": trimmed.iops, "least": WRITTEN}
        yield Finding(key="few", test=test.name, values=values, confidence="can't tell")
        return
    steady = all(end.steady for end in ends if end)
    yield Finding(key=key, test=test.name, values=values, confidence="high" if steady else "medium")


def _amplification(run: Run, results: Sequence[Result]) -> float | None:
    """Return NAND bytes per byte written by the host during these results, or None if it is not known."""
    (clock, first), (same, last) = ended(run, results[0]), ended(run, results[-1])
    inside = [seen.values for moment, seen in looks(run) if (clock, first) <= moment <= (same, last + 1)]
    known = [values for values in inside if all(name in values for name in COUNTERS)]
    return amplification(known[0], known[-1]) if known and clock == same else None
