"""The cache of a hybrid drive: does it exist, what does it gain, and does it keep what is written?

A part from which reads are answered faster than any medium could, after reads alone: the cache passes writes by
(write-around). After writes too: it keeps them. If the writes went far faster than the media reads, or became faster
while the cache filled, it holds them back (write-back); if they were never faster than the media, it does not
(write-through). Speed alone says nothing: on a small part the arm has shorter ways.

A cache takes in more than a read asks for, but of what is written only that. One smaller than the part then
holds few of
the written blocks, and with a few hits of reads of a short way beside them nobody can tell whether it keeps writes.
"""

from collections.abc import Iterator
from statistics import median

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look import grounds
from stend.findings.look.grounds import Ground
from stend.findings.look.hits import ALL, FEW, beginning, cold, hits
from stend.model.counts import Counts
from stend.model.definition import PlannedTest
from stend.model.record import Run

NAME = "cache_policy"
KEEPS, SURELY = 0.5, 0.8
"""A cache that holds the whole part keeps writes when they bring this part of the hits that reads bring; one that holds
less of it, when they bring the second."""
BLOCKS = 8
"""Blocks that a cache takes in for a read of one; of writes it holds at least one in so many."""
NEEDS = (grounds.undisturbed,)
HELD_BACK = 3.0
"""Writes so many times as fast as the media reads do not wait for it; reads from the cache must be twice that."""
RISE, FLAT, BURST = 1.25, 1.1, 0.5
"""Writes that became so many times faster were taken in; ones between the others never were: an empty cache would have
taken in the first of them, more than the memory of a disk does."""
HIDDEN = 0.33
"""Where a smaller share of the part is in the cache, writes that it took in would hardly be faster."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each test."""
    for test in look.tests(run, "cold-warm"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    before, reads, writes = (_gentlest(run, test, phase) for phase in ("cold", "warm-reads", "warm-writes"))
    warming = look.records(run, test.name, "warm-up-writes")
    if not before or not reads or not writes or not warming:
        return Finding(name=NAME, key="short", test=test.name, confidence="can't tell")
    if why := grounds.unmet(NEEDS, Ground(run, test, look.records(run, test.name))):
        return Finding(name=NAME, key="because", test=test.name, values={"because": why}, confidence="can't tell")
    of_reads, of_writes = (hits(warm.read, cold(before)) for warm in (reads, writes))
    reading = look.records(run, test.name, "warm-up-reads")
    media, first = beginning(run, reading[0]).iops, beginning(run, warming[0]).iops
    written, read = (median([r.counts.iops for r in rows[len(rows) // 2 :]]) for rows in (warming, reading))
    held = written / media
    gain, gain_writes = reads.iops / before.iops, writes.iops / before.iops
    values = {"gain": gain, "gain_writes": gain_writes, "hits": of_reads, "hits_writes": of_writes, "held": held}
    if of_reads < FEW:
        return Finding(name=NAME, key="none", test=test.name, values=values)
    whole = of_reads >= ALL
    keeps = of_writes >= (KEEPS if whole else SURELY) * of_reads
    least = of_reads / max(1 - of_reads, 1 - ALL) / BLOCKS
    if not keeps and not whole and of_writes > least / 2:
        return Finding(name=NAME, key="unclear", test=test.name, values=values, confidence="can't tell")
    rise = written / first
    key = "around"
    if keeps:
        never = BURST < rise < FLAT and of_writes > HIDDEN
        slow = whole and read > 2 * HELD_BACK * media
        key = "back" if held > HELD_BACK or rise > RISE else "through" if never or slow else "keeps"
    sure: Confidence = "high" if whole and key != "keeps" else "medium"
    return Finding(name=NAME, key=key, test=test.name, values=values, confidence=sure, side=side(pro=keeps))


def _gentlest(run: Run, test: PlannedTest, phase: str) -> Counts | None:
    """Pure reads with the fewest outstanding, which come first: what they read they warm too."""
    own = [r for r in look.records(run, test.name, phase) if r.workload.read_pct == 100 and r.counts.iops]
    return min(own, key=lambda r: r.workload.outstanding).counts if own else None
