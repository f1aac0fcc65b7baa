"""A hot range: how far and how fast a cache warms it, and how much of the range the cache holds."""

from collections.abc import Iterator, Mapping
from statistics import median

from stend.definition import PlannedTest
from stend.findings import Finding, Sheet, look
from stend.findings.look.levels import crossing, smooth
from stend.record import Run
from stend.stats import bin_edges_ns, percentile_s

NAME = "hot_range"
EXISTS = 1.3
MISS = 0.3
"""An answer faster than this share of the tenth percentile of a cold drive came from the cache."""
ALL = 0.95
FEW = 0.05
SAYS = {
    "holds": (
        "R/W {mix}: {gain:times} in {warm_s:time} (90% of the gain); at the end {hits:pct} of reads come from the"
        " cache, so it holds the whole {range:gib} or more.",
        "Чтение/запись {mix}: быстрее в {gain:times} за {warm_s:time} (90 % прироста); в конце {hits:pct} чтений"
        " идут из"
        " кэша, значит, в нём помещаются все {range:gib}.",
    ),
    "part": (
        "R/W {mix}: {gain:times} in {warm_s:time} (90% of the gain); at the end {hits:pct} of reads come from the"
        " cache: about {size:gib} of {range:gib}.",
        "Чтение/запись {mix}: быстрее в {gain:times} за {warm_s:time} (90 % прироста); в конце из кэша идут {hits:pct}"
        " чтений: около {size:gib} из {range:gib}.",
    ),
    "faster": (
        "R/W {mix}: {gain:times} in {warm_s:time} (90% of the gain); can't tell how much the cache holds, since hits"
        " and"
        " misses do not stand apart.",
        "Чтение/запись {mix}: быстрее в {gain:times} за {warm_s:time} (90 % прироста); сколько помещается в кэш,"
        " сказать"
        " нельзя: попадания и промахи не различаются.",
    ),
    "none": (
        "R/W {mix}: hours of it change nothing ({gain:times}).",
        "Чтение/запись {mix}: часы работы ничего не меняют (в {gain:times}).",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each mix that reads."""
    for test in look.tests(run, "hot-range"):
        for phase in test.phases:
            if phase.name.startswith("mix-") and len(look.records(run, test.name, phase.name)) > 10:
                yield _finding(run, test, phase.name)


def _finding(run: Run, test: PlannedTest, phase: str) -> Finding:
    records = look.records(run, test.name, phase)
    iops, load = [r.counts.iops for r in records], records[0].workload
    cold, warm = iops[0], median(iops[-max(len(iops) // 10, 3) :])
    values = {"mix": f"{load.read_pct}/{100 - load.read_pct}", "gain": warm / cold, "range": load.range_bytes}
    if warm < EXISTS * cold or not load.read_pct:
        return Finding(name=NAME, key="none", test=test.name, values=values)
    wanted = cold + 0.9 * (warm - cold)
    middles = [(r.start_s + r.end_s) / 2 for r in records]
    values["warm_s"] = crossing(middles, [-float(y) for y in smooth(iops, 9)], -wanted) or records[-1].end_s
    limit = percentile_s(records[0].counts.read.bins, 10)
    last = records[-1].counts.read.bins
    hits = _faster(last, MISS * limit) if limit else 0.0
    if hits < FEW and limit and _faster(last, limit) >= ALL:
        hits = 1.0  # a cache that is asked by many at once answers slowly too, but none of them waits for the disk
    values |= {"hits": hits, "size": hits * load.range_bytes}
    return Finding(
        name=NAME,
        key="holds" if hits >= ALL else "part" if hits >= FEW else "faster",
        test=test.name,
        values=values,
        confidence="medium",
        side="pro",
    )


def _faster(bins: Mapping[int, int], limit_s: float) -> float:
    """The share of IOs below a response time."""
    total = sum(bins.values())
    return sum(n for index, n in bins.items() if bin_edges_ns(index)[1] <= limit_s * 1e9) / total if total else 0.0
