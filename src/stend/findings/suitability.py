"""What service the drive is fit for: write-intensive, mixed or read-intensive, and what decides it.

Judged by the worst state that lasts: the lowest lasting level of 4 KiB writes, in IOPS and as a share of reads, their
response times, and the endurance. The lowest answer of the four is the answer. The bounds are ours; DWPD as customary.
"""

from collections.abc import Iterator
from typing import NamedTuple

from stend.findings import Finding, Sheet, look
from stend.findings.look import Cell
from stend.findings.look.grounds import Because
from stend.record import Run
from stend.stats import percentile_s
from stend.units import KiB

NAME = "suitability"
YEARS, DAYS = 5, 365


class Demand(NamedTuple):
    """What a service asks for at least."""

    share: float
    writes_iops: float
    tail_s: float
    dwpd: float


DEMANDS = {"write": Demand(0.3, 20_000, 0.05, 10.0), "mixed": Demand(0.1, 5_000, 0.1, 3.0)}
SAYS = {
    key: (
        f"Fit for {english} service: the lowest lasting level of 4 KiB writes is {{writes:rate}} IOPS, {{share:pct}} of"
        " {reads:rate} reads{tail}{endurance}; what decides is {decides:t:fit.}.",
        f"Годится для {russian}: нижний длительный уровень записи 4 КиБ — {{writes:rate}} IOPS, {{share:pct}} от"
        " {reads:rate} при чтении{tail}{endurance}; решает {decides:t:fit.}.",
    )
    for key, english, russian in (
        ("write", "write-intensive", "интенсивной записи"),
        ("mixed", "mixed", "смешанной нагрузки"),
        ("read", "read-intensive", "преимущественного чтения"),
    )
} | {
    "unknown": (
        "Can't tell what service the drive is fit for: the run has no steady 4 KiB reads and writes.",
        "Нельзя сказать, для какой службы годится накопитель: нет установившихся чтения и записи 4 КиБ.",
    ),
}
ORDER = ("read", "mixed", "write")


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for the run."""
    if run.plan.device.rotational:
        return
    reads, writes = best(run, 100), worst(run)
    if not reads or not writes:
        yield Finding(name=NAME, key="unknown", confidence="can't tell")
        return
    share, tail = writes.counts.iops / reads.counts.iops, percentile_s(writes.counts.both, 99.99)
    dwpd = endurance_dwpd(sheet, run.plan.device.capacity_bytes)
    answers = {
        "share": _answer("share", share),
        "level": _answer("writes_iops", writes.counts.iops),
        "tail": _answer("tail_s", tail),
        "endurance": _answer("dwpd", dwpd),
    }
    key, decides = min(((answer, name) for name, answer in answers.items()), key=lambda one: ORDER.index(one[0]))
    values = {
        "share": share,
        "reads": reads.counts.iops,
        "writes": writes.counts.iops,
        "tail": "" if tail is None else Because("tail", {"tail": tail}),
        "endurance": "" if dwpd is None else Because("endurance", {"dwpd": dwpd}),
        "decides": decides,
    }
    known = dwpd is not None and not run.unmet
    yield Finding(name=NAME, key=key, values=values, confidence="medium" if known else "low")


def _answer(demand: str, value: float | None) -> str:
    """The heaviest service that a figure allows; a figure that nobody knows forbids none."""
    if value is None:
        return "write"
    sign = -1 if demand == "tail_s" else 1
    return next((key for key, asked in DEMANDS.items() if sign * value >= sign * getattr(asked, demand)), "read")


def endurance_dwpd(sheet: Sheet, capacity_bytes: int) -> float | None:
    """Drive writes per day over the warranty; from TB written where the sheet says only that."""
    if "endurance_dwpd" in sheet:
        return float(sheet["endurance_dwpd"])
    if "endurance_tbw" in sheet:
        years = float(sheet.get("warranty_years", YEARS))
        return float(sheet["endurance_tbw"]) * 1e12 / (capacity_bytes * DAYS * years)
    return None


def best(run: Run, read_pct: int) -> Cell | None:
    """The highest 4 KiB random figure of a state that service lasts in."""
    return max(_lasting(run, read_pct).values(), key=lambda cell: cell.counts.iops, default=None)


def worst(run: Run) -> Cell | None:
    """The 4 KiB random writes of the lasting state that has the fewest; in each state those of the best depth."""
    return min(_lasting(run, 0).values(), key=lambda cell: cell.counts.iops, default=None)


def _lasting(run: Run, read_pct: int) -> dict[tuple[str, str], Cell]:
    """(test, phase) -> its best 4 KiB random cell with more than one outstanding."""
    found: dict[tuple[str, str], Cell] = {}
    for test, cell in look.lasting(run):
        load = cell.workload
        fits = (load.random_pct, load.read_pct, load.block_bytes) == (100, read_pct, 4 * KiB) and not load.block_mix
        if fits and load.outstanding > 1:
            known = found.get((test.name, cell.phase), cell)
            found[test.name, cell.phase] = max(known, cell, key=lambda one: one.counts.iops)
    return found
