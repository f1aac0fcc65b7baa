"""Reads answered by a cache, separated from those of the medium by their response time."""

from typing import NamedTuple

from stend.findings import look
from stend.model.counts import Counts
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import bin_edges_ns, percentile_s
from stend.model.tally import Tally

MISS = 0.3
"""A read faster than this share of the tenth percentile of cold reads came from the cache."""
ALL = 0.95
FEW = 0.05
EXPLAINED = 1.1
"""Misses alone may take this many times as long as all warm reads did: the rest is noise of the two rates."""
COLD_WARM = ("cold", "warm-reads", "warm-writes")
"""Phases of the cold and warm test that run the same loads."""
COLD_S, ENOUGH = 5.0, 300
"""A part that is used again is cold for this many seconds if enough IOs were done in them; else for its first
record."""


class Cold(NamedTuple):
    """Reads that no cache answered: their rate, and the 10th and 50th percentile of their response time in seconds."""

    iops: float
    fast_s: float
    usual_s: float


def cold(counts: Counts, warmed: float = 0.0) -> Cold:
    """Return the cold reads in counts of which a share `warmed`, the fastest, came from a cache already."""
    fast, usual = (percentile_s(counts.read, 100 * warmed + p * (1 - warmed)) or 0.0 for p in (10, 50))
    return Cold(counts.iops * (1 - warmed), fast, usual)


def beginning(run: Run, record: look.Record) -> Cold:
    """Return the cold reads of the first record of a part. The medium's rate is that of its first seconds."""
    first = sum((c for end, c in look.samples(run, record) if end - record.start_s < COLD_S), Counts())
    known = first.both.ios >= ENOUGH and record.counts.iops
    return cold(record.counts, max(1 - first.iops / record.counts.iops, 0.0) if known else 0.0)


def gentlest(run: Run, test: PlannedTest, phase: str) -> look.Record | None:
    """Return pure reads at the lowest queue depth: they run first and already warm the cache."""
    reads = [r for r in look.records(run, test.name, phase) if r.workload.read_pct == 100 and r.counts.iops]
    return min(reads, key=lambda r: r.workload.outstanding) if reads else None


def hits(read: Tally, than: Cold) -> float:
    """Return the share of reads, 0 to 1, that came from a cache. `than` are the same reads before it held anything.

    A cache with many parallel requests answers slowly too, but then nearly all reads take less than MISS of the cold
    median.
    """
    share = _faster(read, MISS * than.fast_s)
    return 1.0 if share < FEW and _faster(read, MISS * than.usual_s) >= ALL else share


def explains(share: float, gain: float) -> bool:
    """Return whether a share of hits explains how many times as fast pure reads became.

    The misses alone take at least 1 - share of the cold time. If all warm reads took less, more of them were hits. Such
    hits do not look quick, because they waited behind the misses in the drive's queue.
    """
    return (1 - share) * gain <= EXPLAINED


def _faster(read: Tally, limit_s: float) -> float:
    """Return the share of IOs below a response time."""
    total = sum(read.bins.values())
    return sum(n for i, n in read.bins.items() if bin_edges_ns(i)[1] <= limit_s * 1e9) / total if total else 0.0
