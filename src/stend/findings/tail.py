"""Tail class: how far 99.99 % lies from the mean, and whether the longest waits come at a steady beat."""

from collections.abc import Iterator

import numpy as np

from stend.definition import PlannedTest
from stend.findings import Finding, Sheet, look, side
from stend.findings.saturation import seconds
from stend.record import Counts, Run, added
from stend.stats import percentile_s

NAME = "tail"
CLASSES = ((3.0, "tight"), (10.0, "moderate"), (50.0, "long"))
TESTS = ("write-saturation", "latency")
LATE = 60
SHARP = 3.0
"""A wait is a hiccup when it is so many times the median of the longest waits."""
FEWEST_BEATS = 6
EVEN = 0.2
SAYS = {
    "ratio": (
        "{load}: 99.99% of the IOs take no longer than {tail:lat}, {ratio:times} the mean of {mean:lat}:"
        " {class:t:tail.} tail; the longest took {longest:lat}.",
        "{load}: 99,99 % операций не дольше {tail:lat}, в {ratio:times} больше среднего {mean:lat}:"
        " {class:t:tail.} хвост; самая долгая — {longest:lat}.",
    ),
    "beat": (
        "The longest waits come every {period:time}, about {longest:lat} each: something in the drive keeps time.",
        "Самые долгие ожидания приходят каждые {period:time}, около {longest:lat}: что-то в накопителе идёт по часам.",
    ),
    "short": (
        "{load}: can't tell a tail; fewer than ten IOs lie beyond 99.99%.",
        "{load}: о хвосте судить нельзя: за 99,99 % лежит меньше десяти операций.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """The tail of the end of saturation and of the latency histogram; a beat where there is one."""
    for test in look.tests(run, *TESTS):
        named = [p.name for p in look.measuring(run, test) if p.name.startswith(("histogram", "saturate"))]
        if not named:
            continue
        records = look.records(run, test.name, named[-1])[-LATE:]
        total = added(r.counts for r in records)
        if total.both.ios:
            yield _ratio(test.name, records[-1].workload.label, total)
        if beat := _beat(run, test, named[0]):
            period, longest = beat
            values = {"period": period, "longest": longest}
            yield Finding(name=NAME, key="beat", test=test.name, values=values, confidence="medium", side="con")


def _ratio(test: str, load: str, total: Counts) -> Finding:
    tail = percentile_s(total.both, 99.99)
    if tail is None:
        return Finding(name=NAME, key="short", test=test, values={"load": load}, confidence="can't tell")
    ratio = tail / total.both.mean_s
    kind = next((name for limit, name in CLASSES if ratio < limit), "very-long")
    values = {
        "load": load, "tail": tail, "mean": total.both.mean_s, "ratio": ratio, "class": kind,
        "longest": total.both.max_s,
    }  # fmt: skip
    speaks = side(pro=kind == "tight", con=kind == "very-long")
    return Finding(name=NAME, key="ratio", test=test, values=values, side=speaks)


def _beat(run: Run, test: PlannedTest, phase: str) -> tuple[float, float] | None:
    """(period, usual length) of hiccups at even distances; None without."""
    series = seconds(run, test, phase)
    longest = np.array([max(c.read.max_s, c.write.max_s) for c in series])
    if len(longest) < 10 * FEWEST_BEATS:
        return None
    ends = np.cumsum([c.seconds for c in series])
    high = longest > SHARP * np.median(longest)
    starts = np.flatnonzero(high & ~np.roll(high, 1))
    if len(starts) < FEWEST_BEATS:
        return None
    gaps = np.diff(ends[starts])
    even = float(np.std(gaps) / np.mean(gaps)) < EVEN
    return (float(np.median(gaps)), float(np.median(longest[starts]))) if even else None
