"""Tail class: the most demanding use that tolerates the response times, and whether the longest waits are periodic.

A tail is classed by the demands of uses in milliseconds, not by its ratio to the mean. It is classed by 99.99 % of the
last records and by the longest response time of all records. The demands are a choice of stend.
"""

from collections.abc import Iterator

import numpy as np

from stend.findings import Finding, Sheet, look, side
from stend.findings.look.headline import waits_in_queue
from stend.findings.look.pieces import seconds
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.samples import COLUMNS
from stend.model.stats import percentile_s
from stend.model.tally import NS

DEMANDS = ((0.001, 0.02, "transactions"), (0.005, 0.1, "database"), (0.02, 0.5, "server"), (0.1, 2.0, "desktop"))
"""(upper limits of 99.99 % and of the longest IO in seconds, the use that they are good enough for)."""
NOTHING = "bulk"
GOOD, BAD = ("transactions", "database"), (NOTHING,)
TESTS = ("write-saturation", "latency")
SHARP = 3.0
"""A response time is a hiccup if it is this many times the median of the longest ones."""
FEWEST_BEATS = 6
EVEN = 0.2


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the tail of the end of a saturation or of the latency histogram, and a beat if there is one."""
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
            yield Finding(key="beat", test=test.name, values=values, confidence="medium", side="con")


def _class(test: str, records: list[look.Record], last: list[look.Record]) -> Finding:
    total, load = added(r.counts for r in last), last[-1].workload.label
    tail = percentile_s(total.both, 99.99)
    if tail is None:
        return Finding(key="short", test=test, values={"load": load}, confidence="can't tell")
    longest = max(r.counts.max_s for r in records)
    kind, mean = suits(tail, longest), total.both.mean_s
    values = {
        "load": load, "tail": tail, "mean": mean, "class": kind, "longest": longest,
        "records": len(last), "all": len(records),
    }  # fmt: skip
    if waits_in_queue(last[-1].workload, tail, mean):
        return Finding(key="queue", test=test, values=values)
    return Finding(key="class", test=test, values=values, side=side(pro=kind in GOOD, con=kind in BAD))


def suits(tail_s: float, longest_s: float) -> str:
    """Return the most demanding use that tolerates both."""
    return next((name for tail, longest, name in DEMANDS if tail_s < tail and longest_s < longest), NOTHING)


def _beat(run: Run, test: PlannedTest, phase: str) -> tuple[float, float] | None:
    """Return (period, usual length) in seconds of evenly spaced hiccups, or None if there are none."""
    columns = dict(zip(COLUMNS, seconds(run, test.name, phase).T, strict=True))
    longest = np.maximum(columns["read_max_ns"], columns["write_max_ns"]) * NS
    if len(longest) < 10 * FEWEST_BEATS:
        return None
    ends = np.cumsum(columns["seconds"])
    high = longest > SHARP * np.median(longest)
    starts = np.flatnonzero(high & ~np.roll(high, 1))
    if len(starts) < FEWEST_BEATS:
        return None
    gaps = np.diff(ends[starts])
    even = float(np.std(gaps) / np.mean(gaps)) < EVEN
    return (float(np.median(gaps)), float(np.median(longest[starts]))) if even else None
