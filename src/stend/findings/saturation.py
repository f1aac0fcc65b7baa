"""Write saturation: start level, knee, end level; how long and how much writing it takes."""

from collections.abc import Iterator, Sequence
from statistics import median

from stend.definition import PlannedTest
from stend.findings import Finding, Sheet, look, side
from stend.findings.look.levels import crossing, smooth
from stend.record import Counts, Run

NAME = "saturation"
FEWEST = 20
MOST = 3000
LEAST_RATIO = 1.25
NEAR = 0.1
TAIL = 0.2
MUCH = 3
SAYS = {
    "knee": (
        "Starts at {start:rate} IOPS, leaves that level after {knee_s:time} and {knee_bytes:gib} written, and ends at"
        " {end:rate} IOPS, reached after {settled_s:time}: {ratio:times} less.",
        "Начинает с {start:rate} IOPS, держит этот уровень {knee_s:time} ({knee_bytes:gib} записи) и приходит к"
        " {end:rate} IOPS через {settled_s:time}: в {ratio:times} меньше.",
    ),
    "falling": (
        "Starts at {start:rate} IOPS, leaves that level after {knee_s:time} and {knee_bytes:gib} written; at the end,"
        " {end:rate} IOPS, it was still falling.",
        "Начинает с {start:rate} IOPS, держит этот уровень {knee_s:time} ({knee_bytes:gib} записи); в конце, при"
        " {end:rate} IOPS, скорость ещё падала.",
    ),
    "flat": (
        "No knee: the drive holds {end:rate} IOPS from the first record to the last ({bytes:gib} written).",
        "Перелома нет: накопитель держит {end:rate} IOPS от первой записи до последней (записано {bytes:gib}).",
    ),
    "short": (
        "Can't tell a knee: {records} {records:plural:sample is|samples are} too few.",
        "О переломе судить нельзя: {records} {records:plural:отсчёта|отсчётов|отсчётов} мало.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every saturation."""
    for test in look.tests(run, "write-saturation"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    series = pieces(run, test, look.main_phase(run, test))
    if len(series) < FEWEST:
        return Finding(name=NAME, key="short", test=test.name, values={"records": len(series)}, confidence="can't tell")
    t, done = _sums(series)
    raw = [c.iops for c in series]
    y = smooth(raw)
    end = median(raw[-max(int(len(raw) * TAIL), 5) :])
    top = max(y[: max(len(y) // 2, 5)])
    middle = crossing(t, y, (top * end) ** 0.5)
    if top < LEAST_RATIO * end or middle is None:
        return Finding(name=NAME, key="flat", test=test.name, values={"end": end, "bytes": done[-1], "start": end})
    early = [value for at, value in zip(t, raw, strict=True) if at < 0.8 * middle] or raw[:1]
    start = median(early)
    knee_s = crossing(t, y, (1 - NEAR) * start) or 0.0
    knee_bytes = crossing([*done], y, (1 - NEAR) * start) or 0.0
    settled_s = crossing(t, y, (1 + NEAR) * end)
    values = {"start": start, "end": end, "knee_s": knee_s, "knee_bytes": knee_bytes, "ratio": start / end}
    falling = median(raw[-len(raw) // 10 :]) < (1 - NEAR) * median(raw[-len(raw) // 5 : -len(raw) // 10])
    if falling or settled_s is None:
        return Finding(name=NAME, key="falling", test=test.name, values=values, confidence="medium", side="con")
    values["settled_s"] = settled_s
    return Finding(name=NAME, key="knee", test=test.name, values=values, side=side(con=start / end > MUCH))


def pieces(run: Run, test: PlannedTest, phase: str) -> list[Counts]:
    """A phase in at most `MOST` pieces in order.

    Cleaning comes in bursts: the median of single seconds is no level that a drive keeps.
    """
    series = seconds(run, test, phase)
    each = -(-len(series) // MOST) or 1
    return [sum(series[i : i + each], Counts()) for i in range(0, len(series), each)]


def seconds(run: Run, test: PlannedTest, phase: str) -> list[Counts]:
    """The samples of a phase, about a second each, in order; its records where no samples were kept."""
    records = look.records(run, test.name, phase)
    sampled = [c for record in records for _, c in look.samples(run, record) if c.seconds > 0]
    return sampled if len(sampled) > len(records) else [record.counts for record in records]


def _sums(series: Sequence[Counts]) -> tuple[list[float], list[float]]:
    """Middle of each sample in seconds and bytes from the start."""
    t, done, clock, total = [], [], 0.0, 0.0
    for counts in series:
        t.append(clock + counts.seconds / 2)
        done.append(total + counts.write.bytes / 2)
        clock += counts.seconds
        total += counts.write.bytes
    return t, done
