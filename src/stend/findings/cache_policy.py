"""Cache of a hybrid drive: does it exist, what does it gain, and does it keep writes?

A cache exists if part of the reads are answered faster than any medium could. If this happens only after reads, writes
bypass the cache (write-around). If it happens after writes too, the cache keeps writes. It holds writes back
(write-back) if they were much faster than the media reads, or became faster while the cache filled. It does not
(write-through) if they were never faster than the media. Speed alone proves nothing: on a small part of the disk the
arm moves less.

A drive whose cache does not hold writes back may still have a small buffer: writes of some load of the run are then
faster than any medium could be.

A cache stores more than a read requests, but of a write only the written blocks. A cache smaller than the part then
holds few of the written blocks. With few hits among reads of short seeks, it is undecided whether it keeps writes. So
it is if the writes reached too few blocks of the part.
"""

from collections.abc import Iterator, Sequence
from math import exp
from statistics import median
from typing import Any

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look import grounds
from stend.findings.look.figures import Figures, figures
from stend.findings.look.grounds import Ground
from stend.findings.look.hits import ALL, COLD_WARM, FEW, MISS, beginning, cold, gentlest, hits
from stend.model.definition import PlannedTest
from stend.model.record import Run

KEEPS, SURELY = 0.5, 0.8
"""Share of the hits after reads that writes of every block must bring, for a cache that holds the whole part, and for a
smaller cache."""
WRITTEN = 0.2
"""Writes that warm a cache must reach this share of the blocks: the reads that are measured warm the part too."""
BLOCKS = 8
"""Blocks that a cache stores for a read of one block; of written blocks it holds at least one in this many."""
NEEDS = (grounds.undisturbed,)
HELD_BACK = 3.0
"""Writes this many times as fast as the media reads are held back. Reads from the cache must be twice as fast."""
RISE, FLAT, BURST = 1.25, 1.1, 0.5
"""Ratio of the later to the first writes: above RISE they were cached; between BURST and FLAT they never were. An empty
cache would have taken the first writes, and more of them than the memory of a disk does."""
WARMED = 0.25
"""Reads that warm a cache must amount to this share of the range before a lack of hits means that there is no cache."""
HIDDEN = 0.33
"""If a smaller share of the part is cached, writes that the cache took would hardly be faster."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per test."""
    for test in look.tests(run, "cold-warm"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    every = [gentlest(run, test, phase) for phase in COLD_WARM]
    warming = look.records(run, test.name, "warm-up-writes")
    known = [record for record in every if record]
    if len(known) < len(COLD_WARM) or not warming:
        return Finding(key="short", test=test.name, confidence="can't tell")
    before, reads, writes = (record.counts for record in known)
    if why := grounds.unmet(NEEDS, Ground(run, test, look.records(run, test.name))):
        return Finding(key="because", test=test.name, values={"because": why}, confidence="can't tell")
    of_reads, of_writes = (hits(warm.read, cold(before)) for warm in (reads, writes))
    reading = look.records(run, test.name, "warm-up-reads")
    media, first = beginning(run, reading[0]).iops, beginning(run, warming[0]).iops
    written, read = (median([r.counts.iops for r in rows[len(rows) // 2 :]]) for rows in (warming, reading))
    held = written / media
    gain, gain_writes = reads.iops / before.iops, writes.iops / before.iops
    values = {"gain": gain, "gain_writes": gain_writes, "hits": of_reads, "hits_writes": of_writes, "held": held}
    values["depth"] = known[0].workload.outstanding
    if of_reads < FEW:
        return _unseen(test, values, reading)
    whole = of_reads >= ALL
    wrote, room = sum(r.counts.write.bytes for r in warming), warming[0].workload.range_bytes
    reached = 1 - exp(-wrote / room)  # random writes hit some blocks again
    keeps = of_writes >= (KEEPS if whole else SURELY) * of_reads * reached
    least = of_reads / max(1 - of_reads, 1 - ALL) / BLOCKS
    if reached < WRITTEN or (not keeps and not whole and of_writes > least * reached / 2):
        key = "unwritten" if reached < WRITTEN else "unclear"
        values |= {"written": wrote, "range": room}
        return Finding(key=key, test=test.name, values=values, confidence="can't tell")
    rise = written / first
    key = "around"
    if keeps:
        never = BURST < rise < FLAT and of_writes > HIDDEN
        slow = whole and read > 2 * HELD_BACK * media
        key = "back" if held > HELD_BACK or rise > RISE else "through" if never or slow else "keeps"
        if key == "through" and (shortest := _shortest(run)) and shortest.number("mean") < MISS * cold(before).fast_s:
            load = shortest.workload
            values |= {"shortest": shortest.number("mean"), "block": load.block_bytes}
            values |= {"mix": load.read_pct, "outstanding": load.outstanding}
    sure: Confidence = "high" if whole and key != "keeps" else "medium"
    return Finding(key=key, test=test.name, values=values, confidence=sure, side=side(pro=keeps))


def _unseen(test: PlannedTest, values: dict[str, Any], reading: Sequence[look.Record]) -> Finding:
    """Return that there is no cache, or that too few reads warmed the part to know."""
    warmed, room = sum(r.counts.read.bytes for r in reading), reading[0].workload.range_bytes
    if warmed < WARMED * room:
        values |= {"read": warmed, "range": room}
        return Finding(key="unwarmed", test=test.name, values=values, confidence="can't tell")
    return Finding(key="none", test=test.name, values=values)


def _shortest(run: Run) -> Figures | None:
    """Return the writes with the shortest mean response time of all loads of one block, or None without any."""
    every = (row for row in figures(run) if row.tally.ios and row.workload.closed and not row.workload.mixed)
    writes = [
        row for row in every if row.direction == "write" or (row.direction == "both" and not row.workload.read_pct)
    ]
    return min(writes, key=lambda row: row.number("mean"), default=None)
