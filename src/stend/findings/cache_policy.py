"""The cache of a hybrid drive: does it exist, what does it gain, and does it keep what is written?

A part that is fast after reads alone: the cache passes writes by (write-around). Fast after writes too: it keeps them,
and if the writes themselves went far faster than the media reads, it holds them back (write-back), else it does not.
"""

from collections.abc import Iterator
from statistics import median

from stend.definition import PlannedTest
from stend.findings import Finding, Sheet, look
from stend.findings.look import Record
from stend.record import Run

NAME = "cache_policy"
EXISTS = 1.3
KEEPS = 0.5
"""Writes warm it when they bring at least half of the gain that reads bring."""
HELD_BACK = 3.0
SAYS = {
    "around": (
        "A cache: reads go {gain:times} faster after warming by reads, {gain_writes:times} after writes: it passes"
        " writes by (write-around).",
        "Кэш есть: чтение после прогрева чтением быстрее в {gain:times}, после записи — в {gain_writes:times}: запись"
        " идёт мимо него (write-around).",
    ),
    "through": (
        "A cache: reads go {gain:times} faster after warming by reads, {gain_writes:times} after writes, and writes"
        " themselves are no faster than the media: write-through.",
        "Кэш есть: чтение после прогрева чтением быстрее в {gain:times}, после записи — в {gain_writes:times}, а сама"
        " запись не быстрее носителя: сквозная запись (write-through).",
    ),
    "back": (
        "A cache: reads go {gain:times} faster after warming by reads, {gain_writes:times} after writes, and writes go"
        " {held:times} faster than the media reads: write-back.",
        "Кэш есть: чтение после прогрева чтением быстрее в {gain:times}, после записи — в {gain_writes:times}, а запись"
        " в {held:times} быстрее чтения с носителя: отложенная запись (write-back).",
    ),
    "none": (
        "No cache to be seen: hours of use make a part of the drive {gain:times} as fast as the rest.",
        "Кэша не видно: после часов работы участок быстрее остального в {gain:times}.",
    ),
    "short": (
        "Can't tell the cache's policy: the ladders were not all measured.",
        "О политике кэша судить нельзя: измерены не все ступени.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each test."""
    for test in look.tests(run, "cold-warm"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    cold, reads, writes = (_reads(run, test, phase) for phase in ("cold", "warm-reads", "warm-writes"))
    shared = cold.keys() & reads.keys() & writes.keys()
    warming = look.records(run, test.name, "warm-up-writes")
    if not shared or not warming:
        return Finding(name=NAME, key="short", test=test.name, confidence="can't tell")
    gain = median([reads[depth] / cold[depth] for depth in shared])
    gain_writes = median([writes[depth] / cold[depth] for depth in shared])
    held = median([r.counts.iops for r in warming[len(warming) // 2 :]]) / max(cold.values())
    values = {"gain": gain, "gain_writes": gain_writes, "held": held}
    if gain < EXISTS:
        return Finding(name=NAME, key="none", test=test.name, values=values)
    kept = (gain_writes - 1) >= KEEPS * (gain - 1)
    key = "around" if not kept else "back" if held > HELD_BACK else "through"
    return Finding(name=NAME, key=key, test=test.name, values=values, side="pro")


def _reads(run: Run, test: PlannedTest, phase: str) -> dict[int, float]:
    """Outstanding -> IOPS of pure reads."""
    own: list[Record] = look.records(run, test.name, phase)
    return {r.workload.outstanding: r.counts.iops for r in own if r.workload.read_pct == 100 and r.counts.iops}
