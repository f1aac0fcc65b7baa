"""Hot range: how much and how fast a cache warms it, and how much of the range the cache holds."""

from collections.abc import Iterator
from statistics import median

from stend.findings import Finding, Sheet, look
from stend.findings.look.hits import ALL, FEW, beginning, hits
from stend.findings.look.levels import crossing, smooth
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run

EXISTS, FEWEST = 1.3, 10


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per mix with more than `FEWEST` records, or one if every mix has fewer."""
    for test in look.tests(run, "hot-range"):
        mixes = (phase.name for phase in test.phases if phase.name.startswith("mix-"))
        count = {name: len(look.records(run, test.name, name)) for name in mixes}
        for name, records in count.items():
            if records > FEWEST:
                yield _finding(run, test, name)
        if 0 < max(count.values(), default=0) <= FEWEST:
            values = {"records": max(count.values())}
            yield Finding(key="short", test=test.name, values=values, confidence="can't tell")


def _finding(run: Run, test: PlannedTest, phase: str) -> Finding:
    records = look.records(run, test.name, phase)
    iops, load, begin = [r.counts.iops for r in records], records[0].workload, beginning(run, records[0])
    last = max(len(iops) // 10, 3)
    warm, share = median(iops[-last:]), hits(added([r.counts for r in records[-last:]]).read, begin)
    values = {"mix": f"{load.read_pct}/{100 - load.read_pct}", "gain": warm / begin.iops, "range": load.range_bytes}
    if warm < EXISTS * begin.iops and (share < FEW or not load.read_pct):
        return Finding(key="none", test=test.name, values=values)
    wanted = begin.iops + 0.9 * (warm - begin.iops)
    middles = [(r.start_s + r.end_s) / 2 for r in records]
    values["warm_s"] = crossing(middles, [-y for y in smooth(iops, 9)], -wanted) or records[-1].end_s
    if not load.read_pct:
        return Finding(key="writes", test=test.name, values=values, confidence="medium", side="pro")
    values |= {"hits": share, "size": share * load.range_bytes}
    return Finding(
        key="holds" if share >= ALL else "part" if share >= FEW else "faster",
        test=test.name,
        values=values,
        confidence="medium",
        side="pro",
    )
