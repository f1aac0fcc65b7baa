"""The first screen: up to five key numbers of a run."""

from collections.abc import Iterator

from stend.base.units import KiB
from stend.findings.look.figures import Figures, answers, lasting
from stend.model.definition import Workload
from stend.model.quantities import shape
from stend.model.record import Run
from stend.model.tally import PERCENTS
from stend.report.parts import Key
from stend.report.parts.summary import titles_of
from stend.words import Language

FIVE = 5
OTHERS = {"any_iops": "iops", "any_mbs": "throughput", "longest": "max"}
"""Figures that fill empty places: the highest of each over all loads."""


def numbers(run: Run, words: Language) -> tuple[Key, ...]:
    """Return up to five numbers: random read and write, sequential read and write, response times, then others."""
    by_label: dict[str, Key] = {}
    for label, value, test in _wanted(run, words):
        by_label.setdefault(label, Key(f"{label}. {test}", value))
    return tuple(by_label.values())[:FIVE]


def _wanted(run: Run, words: Language) -> Iterator[tuple[str, str, str]]:
    """Yield (label, value, title of its test), the most important first."""
    every, lasts = answers(run), lasting(run)
    titles = titles_of(run, words)
    for key, chosen, quantity in _first_choices(lasts, every):
        if chosen:
            yield words(f"card.{key}"), _shown(chosen, quantity, words), titles[chosen.test]
    for row in lasts:
        if row.test == "write-saturation":
            yield words("card.saturated"), _shown(row, "iops", words), titles[row.test]
            yield from _tail(row, titles[row.test], words)
    for key, quantity in OTHERS.items() if every else ():
        top = max(every, key=lambda row: row.value(quantity) or 0)
        yield words(f"card.{key}", label=top.workload.label), _shown(top, quantity, words), titles[top.test]


def _shown(row: Figures, quantity: str, words: Language) -> str:
    return words.show(row.value(quantity), shape(quantity))


def _first_choices(lasts: list[Figures], every: list[Figures]) -> Iterator[tuple[str, Figures | None, str]]:
    def best(random_pct: int, read_pct: int, block_bytes: int, *, single: bool = False) -> Figures | None:
        def fits(load: Workload) -> bool:
            return (
                (load.random_pct, load.read_pct) == (random_pct, read_pct)
                and (not block_bytes or load.block_bytes == block_bytes)
                and (load.outstanding == 1) == single
                and load.closed
                and not load.mixed
            )

        first, then = ([row for row in rows if fits(row.workload)] for rows in (lasts, every))
        return max(first or then, key=lambda row: row.value("throughput") or 0, default=None)

    yield "read", best(100, 100, 4 * KiB), "iops"
    yield "write", best(100, 0, 4 * KiB), "iops"
    yield "seq_read", best(0, 100, 0), "throughput"
    yield "seq_write", best(0, 0, 0), "throughput"
    yield "latency_read", best(100, 100, 4 * KiB, single=True), "mean"
    yield "latency_write", best(100, 0, 4 * KiB, single=True), "mean"
    yield "mixed", best(100, 65, 4 * KiB), "iops"


def _tail(row: Figures, title: str, words: Language) -> Iterator[tuple[str, str, str]]:
    """Yield the highest percentile that the sample size allows."""
    carried = [(percent, value) for name, percent in PERCENTS.items() if (value := row.value(name)) is not None]
    if carried:
        percent, value = carried[-1]
        yield words("card.tail", pct=percent), words.show(value, "lat"), title
