"""The cache of a hybrid drive: does it exist, what does it gain, and does it keep what is written?

A part from which reads are answered faster than any medium could, after reads alone: the cache passes writes by
(write-around). After writes too: it keeps them, and if the writes themselves went far faster than the media reads, it
holds them back (write-back), else it does not. Speed alone says nothing: on a small part the arm has shorter ways.

The reads that look for hits warm the part themselves. A cache takes in more than a read asks for, so that a small one holds
many blocks that were read but few that were written: hits after writes are held against those that the reads can have
brought by themselves, not against the hits after hours of reads. How many one read brings is seen while reads warm a part.
"""

from collections.abc import Iterator
from statistics import median

from stend.definition import PlannedTest
from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look import grounds
from stend.findings.look.grounds import Ground
from stend.findings.look.hits import FEW, Cold, beginning, cold, hits
from stend.record import Counts, Run, Tally

NAME = "cache_policy"
KEEPS = 2.0
"""Writes warm it when there are so many times the hits that the reads themselves can have brought."""
SIGMAS, LEAST = 5.0, 0.005
"""And when the difference stands out of the noise of counting, and is no smaller share of the reads."""
NEEDS = (grounds.undisturbed,)
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
    if why := grounds.unmet(NEEDS, Ground(run, test, look.records(run, test.name))):
        return Finding(name=NAME, key="because", test=test.name, values={"because": why}, confidence="can't tell")
    of_reads, of_writes = (hits(warm.read, cold(before)) for warm in (reads, writes))
    warming_reads = look.records(run, test.name, "warm-up-reads")
    same_reads = beginning(run, warming_reads[0])
    held = median([r.counts.iops for r in warming[len(warming) // 2 :]]) / same_reads.iops
    gain, gain_writes = reads.iops / before.iops, writes.iops / before.iops
    own = min(_brought(warming_reads[0].counts.read, same_reads) * writes.read.ios, 1.0)
    values = {"gain": gain, "gain_writes": gain_writes, "hits": of_reads, "hits_writes": of_writes, "held": held}
    values["own"] = own
    if of_reads < FEW:
        return Finding(name=NAME, key="none", test=test.name, values=values)
    beyond = of_writes - own
    error = (max(of_writes, own) / max(writes.read.ios, 1)) ** 0.5
    keeps = beyond > max(SIGMAS * error, LEAST) and of_writes > KEEPS * own
    clear = beyond > 2 * SIGMAS * error and of_writes > 2 * KEEPS * own if keeps else beyond < LEAST
    key = "around" if not keeps else "back" if held > HELD_BACK else "through"
    sure: Confidence = "high" if clear else "medium"
    return Finding(name=NAME, key=key, test=test.name, values=values, confidence=sure, side=side(pro=keeps))


def _brought(read: Tally, than: Cold) -> float:
    """Return the share of a part's reads that each read turns into hits, on average over a row of reads that begins cold.

    Hits grow with the reads before them, so that their mean over so many reads is half of the last one's.
    """
    return hits(read, than) / read.ios if read.ios else 0.0


def _gentlest(run: Run, test: PlannedTest, phase: str) -> Counts | None:
    """Pure reads with the fewest outstanding, which come first: what they read they warm too."""
    own = [r for r in look.records(run, test.name, phase) if r.workload.read_pct == 100 and r.counts.iops]
    return min(own, key=lambda r: r.workload.outstanding).counts if own else None
