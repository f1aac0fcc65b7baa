"""Tail class: which use can bear the response times, and whether the longest waits come at a steady beat.

A tail is classed by what a use demands, in milliseconds, not by how many times the mean it is: by 99.99 % of the last
records and by the longest wait of all of them. The demands are ours.
"""

from collections.abc import Iterator

import numpy as np

from stend.findings import Finding, Sheet, look, side
from stend.findings.look.pieces import seconds
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.samples import COLUMNS
from stend.model.stats import percentile_s
from stend.model.tally import NS

NAME = "tail"
DEMANDS = (
    (0.001, 0.02, "transactions"),
    (0.005, 0.1, "database"),
    (0.02, 0.5, "server"),
    (0.1, 2.0, "desktop"),
)
"""(99.99 % and the longest IO take less than so many seconds, what that is good enough for)."""
NOTHING = "bulk"
GOOD, BAD = ("transactions", "database"), (NOTHING,)
TESTS = ("write-saturation", "latency")
SHARP = 3.0
"""A wait is a hiccup when it is so many times the median of the longest waits."""
FEWEST_BEATS = 6
EVEN = 0.2


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """The tail of the end of saturation and of the latency histogram; a beat where there is one."""
    for test in look.tests(run, *TESTS):
        named = [p.name for p in look.measuring(run, test) if p.name.startswith(("histogram", "saturate"))]
        if not named:
            continue
        records = look.records(run, test.name, named[-1])
        last = look.last_records(run, test, named[-1])
        if any(r.counts.ios for r in last):
            yield _class(test.name, records, last)
        if beat := _beat(run, test, named[0]):
            period, longest = beat
            values = {"period": period, "longest": longest}
            yield Finding(name=NAME, key="beat", test=test.name, values=values, confidence="medium", side="con")


def _class(test: str, records: list[look.Record], last: list[look.Record]) -> Finding:
    total, load = added(r.counts for r in last), last[-1].workload.label
    tail = percentile_s(total.both, 99.99)
    if tail is None:
        return Finding(name=NAME, key="short", test=test, values={"load": load}, confidence="can't tell")
    longest = max(r.counts.max_s for r in records)
    kind = suits(tail, longest)
    values = {
        "load": load, "tail": tail, "mean": total.both.mean_s, "class": kind, "longest": longest,
        "records": len(last), "all": len(records),
    }  # fmt: skip
    return Finding(name=NAME, key="class", test=test, values=values, side=side(pro=kind in GOOD, con=kind in BAD))


def suits(tail_s: float, longest_s: float) -> str:
    """The most demanding use that bears both."""
    return next((name for tail, longest, name in DEMANDS if tail_s < tail and longest_s < longest), NOTHING)


def _beat(run: Run, test: PlannedTest, phase: str) -> tuple[float, float] | None:
    """(period, usual length) of hiccups at even distances; None without."""
    told = dict(zip(COLUMNS, seconds(run, test.name, phase).T, strict=True))
    longest = np.maximum(told["read_max_ns"], told["write_max_ns"]) * NS
    if len(longest) < 10 * FEWEST_BEATS:
        return None
    ends = np.cumsum(told["seconds"])
    high = longest > SHARP * np.median(longest)
    starts = np.flatnonzero(high & ~np.roll(high, 1))
    if len(starts) < FEWEST_BEATS:
        return None
    gaps = np.diff(ends[starts])
    even = float(np.std(gaps) / np.mean(gaps)) < EVEN
    return (float(np.median(gaps)), float(np.median(longest[starts]))) if even else None
