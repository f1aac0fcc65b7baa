"""The cache of a hybrid drive: does it exist, what does it gain, and does it keep what is written?

A part from which reads are answered faster than any medium could, after reads alone: the cache passes writes by
(write-around). After writes too: it keeps them, and if the writes themselves went far faster than the media reads, it
holds them back (write-back), else it does not. Speed alone says nothing: on a small part the arm has shorter ways.
"""

from collections.abc import Iterator
from statistics import median

from stend.definition import PlannedTest
from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look.hits import FEW, beginning, cold, hits
from stend.record import Counts, Run

NAME = "cache_policy"
KEEPS = 0.5
"""Writes warm it when they bring at least half of the hits that reads bring."""
HELD_BACK = 3.0


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each test."""
    for test in look.tests(run, "cold-warm"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    before, reads, writes = (_gentlest(run, test, phase) for phase in ("cold", "warm-reads", "warm-writes"))
    warming = look.records(run, test.name, "warm-up-writes")
    if not before or not reads or not writes or not warming:
        return Finding(name=NAME, key="short", test=test.name, confidence="can't tell")
    of_reads, of_writes = (hits(warm.read, cold(before)) for warm in (reads, writes))
    same_reads = beginning(run, look.records(run, test.name, "warm-up-reads")[0])
    held = median([r.counts.iops for r in warming[len(warming) // 2 :]]) / same_reads.iops
    gain, gain_writes = reads.iops / before.iops, writes.iops / before.iops
    values = {"gain": gain, "gain_writes": gain_writes, "hits": of_reads, "hits_writes": of_writes, "held": held}
    if of_reads < FEW:
        return Finding(name=NAME, key="none", test=test.name, values=values)
    clear = of_writes < FEW or of_writes >= KEEPS * of_reads
    sure: Confidence = "high" if clear else "medium"
    key = "around" if of_writes < KEEPS * of_reads else "back" if held > HELD_BACK else "through"
    return Finding(name=NAME, key=key, test=test.name, values=values, confidence=sure, side=side(pro=key != "around"))


def _gentlest(run: Run, test: PlannedTest, phase: str) -> Counts | None:
    """Pure reads with the fewest outstanding, which come first: what they read they warm too."""
    own = [r for r in look.records(run, test.name, phase) if r.workload.read_pct == 100 and r.counts.iops]
    return min(own, key=lambda r: r.workload.outstanding).counts if own else None
