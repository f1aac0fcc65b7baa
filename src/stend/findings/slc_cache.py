"""SLC cache: steps of sequential writing over the whole drive; its size and levels, fresh, rested and part full."""

from collections.abc import Iterator
from itertools import pairwise

from stend.definition import PlannedTest
from stend.findings import Finding, Sheet, look
from stend.findings.look.levels import Level, boundary, levels
from stend.record import Counts, Run

NAME = "slc_cache"
LEAST_RATIO = 1.25
BRIEF = 0.01
FEWEST_SAMPLES = 12
SAYS = {
    "steps": (
        "{state:t:phase.}: {steps} {steps:plural:step|steps}. The first {size:gib} ({share:pct} of the capacity) are"
        " written at {first:mbs}, then at {rest:steps}; the drive ends at {last:mbs}.",
        "{state:t:phase.}: {steps} {steps:plural:ступень|ступени|ступеней}. Первые {size:gib} ({share:pct} ёмкости)"
        " пишутся со скоростью {first:mbs}, затем {rest:steps}; в конце {last:mbs}.",
    ),
    "flat": (
        "{state:t:phase.}: no step to be seen; the drive writes at {first:mbs} throughout.",
        "{state:t:phase.}: ступеней не видно; накопитель всё время пишет со скоростью {first:mbs}.",
    ),
    "rising": (
        "{state:t:phase.}: can't tell an SLC cache: the drive starts at {first:mbs} and gets faster, up to {best:mbs}.",
        "{state:t:phase.}: о SLC-кэше судить нельзя: накопитель начинает с {first:mbs} и ускоряется до {best:mbs}.",
    ),
    "short": (
        "{state:t:phase.}: can't tell: only {samples} {samples:plural:sample|samples} of the writing were recorded.",
        "{state:t:phase.}: нельзя сказать: записи хватило на {samples} {samples:plural:отсчёт|отсчёта|отсчётов}.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every state of the drive that was written over."""
    for test in look.tests(run, "slc-cache"):
        for phase in test.phases:
            if phase.name.startswith(("fresh", "rested", "full")) and run.of(test.name, phase.name):
                yield _finding(run, test, phase.name)


def _lasting(found: list[Level], counts: list[Counts]) -> list[Level]:
    """Without levels at either end that hold less than a hundredth of what was written: a start, a short last one."""
    least = BRIEF * sum(c.write.bytes for c in counts)

    def brief(level: Level) -> bool:
        return sum(c.write.bytes for c in counts[level.first : level.last]) < least

    while len(found) > 1 and brief(found[0]):
        found = found[1:]
    while len(found) > 1 and brief(found[-1]):
        found = found[:-1]
    return found


def _finding(run: Run, test: PlannedTest, state: str) -> Finding:
    record = look.records(run, test.name, state)[0]
    counts = [c for _, c in look.samples(run, record) if c.seconds > 0 and c.write.bytes]
    if len(counts) < FEWEST_SAMPLES:
        values = {"state": state, "samples": len(counts)}
        return Finding(name=NAME, key="short", test=test.name, values=values, confidence="can't tell")
    rates = [c.bytes_per_s for c in counts]
    found = _lasting(levels(rates), counts)
    first, last = found[0].value, found[-1].value
    best = max(level.value for level in found)
    if len(found) == 1 or max(first, best) < LEAST_RATIO * min(level.value for level in found):
        return Finding(name=NAME, key="flat", test=test.name, values={"state": state, "first": first, "steps": 1})
    if first < best / LEAST_RATIO:
        values = {"state": state, "first": first, "best": best}
        return Finding(name=NAME, key="rising", test=test.name, values=values, confidence="can't tell")
    widths = [float(c.write.bytes) for c in counts]
    ends = [boundary(rates, widths, a, b) for a, b in pairwise(found)]
    values = {
        "state": state,
        "steps": len(found),
        "size": ends[0],
        "share": ends[0] / run.plan.device.capacity_bytes,
        "first": first,
        "last": last,
        "rates": [level.value for level in found],
        "ends": ends,
        "rest": [level.value for level in found[1:]],
    }
    fine = len(found) <= 6
    return Finding(name=NAME, key="steps", test=test.name, values=values, confidence="high" if fine else "medium")
