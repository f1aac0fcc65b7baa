"""Hot range: how much and how fast a cache warms it, and how much of the range the cache holds."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from stend.base.units import mix_label
from stend.findings import Finding, Sheet, look
from stend.findings.look.hits import ALL, FEW, beginning, explains, hits
from stend.findings.look.levels import crossing, smooth
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run

EXISTS, GAINS, FEWEST = 1.3, 1.05, 10
"""A part becomes this many times as fast by a cache, or by hits that response times show, at least by the second."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per mix with more than `FEWEST` records, or one if every mix has fewer."""
    for test in look.tests(run, "hot-range"):
        mixes = (phase.name for phase in test.phases if phase.name.startswith("mix-"))
        count = {name: len(look.records(run, test.name, name)) for name in mixes}
        told = _told(run, test.name)
        for name, records in count.items():
            if records > FEWEST:
                yield _finding(run, test, name, told)
        if 0 < max(count.values(), default=0) <= FEWEST:
            values = {"records": max(count.values())}
            yield Finding(key="short", test=test.name, values=values, confidence="can't tell")


class Warm(NamedTuple):
    """How a part became warm: IOPS at its beginning and end, and the share of reads that look like hits at the end."""

    begin: float
    end: float
    share: float


def _warm(run: Run, records: Sequence[look.Record]) -> Warm:
    last, begin = max(len(records) // 10, 3), beginning(run, records[0])
    share = hits(added([r.counts for r in records[-last:]]).read, begin)
    return Warm(begin.iops, median([r.counts.iops for r in records[-last:]]), share)


def _told(run: Run, test: str) -> bool:
    """Return whether response times tell hits from misses at the depth of this test, by its pure reads."""
    records = look.records(run, test, "mix-100")
    if len(records) <= FEWEST:
        return True
    warm = _warm(run, records)
    return explains(warm.share, warm.end / warm.begin)


def _finding(run: Run, test: PlannedTest, phase: str, told: bool) -> Finding:
    records = look.records(run, test.name, phase)
    load, (begin, warm, share) = records[0].workload, _warm(run, records)
    values = {"mix": mix_label(load.read_pct), "gain": warm / begin, "range": load.range_bytes}
    if warm < (EXISTS if share < FEW or not load.read_pct else GAINS) * begin:
        return Finding(key="none", test=test.name, values=values)
    wanted = begin + 0.9 * (warm - begin)
    middles = [(r.start_s + r.end_s) / 2 for r in records]
    rates = smooth([r.counts.iops for r in records], 9)
    values["warm_s"] = crossing(middles, [-y for y in rates], -wanted) or records[-1].end_s
    if not load.read_pct:
        return Finding(key="writes", test=test.name, values=values, confidence="medium", side="pro")
    key = "faster" if share < FEW or not told else "holds" if share >= ALL else "part"
    if key != "faster":
        values |= {"hits": share, "size": share * load.range_bytes}
    return Finding(key=key, test=test.name, values=values, confidence="medium", side="pro")
