"""Zones of a disk: throughput at the beginning and the end of the range."""

from collections.abc import Iterator
from statistics import median

from stend.findings import Finding, Sheet, look
from stend.record import Run

NAME = "zones"
LEAST = 1.1
EDGE = 0.05
SAYS = {
    "zoned": (
        "Reading falls from {outer:mbs} at the beginning of the range to {inner:mbs} at its end: {ratio:times}.",
        "Чтение падает с {outer:mbs} в начале диапазона до {inner:mbs} в конце: в {ratio:times}.",
    ),
    "even": ("Reading is even over the range: {outer:mbs}.", "Скорость чтения ровная по всему диапазону: {outer:mbs}."),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each profile of the range."""
    for test in look.tests(run, "lba-profile"):
        rates = [r.counts.bytes_per_s for r in look.records(run, test.name, "read")]
        if len(rates) < 4:
            continue
        edge = max(int(len(rates) * EDGE), 1)
        outer, inner = median(rates[:edge]), median(rates[-edge:])
        values = {"outer": outer, "inner": inner, "ratio": outer / inner}
        yield Finding(name=NAME, key="zoned" if outer > LEAST * inner else "even", test=test.name, values=values)
