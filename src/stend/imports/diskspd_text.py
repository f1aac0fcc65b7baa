"""Text reports of diskspd, for Windows and Linux: counts by direction, and percentiles if latency was measured."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.imports import numbers
from stend.imports.given import Given, text
from stend.imports.taken import Load, Taken, carried, drive, within
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import ToolFigures
from stend.model.tally import NS, Tally
from stend.words import Sentence

TOOL = "diskspd"
RESULTS = re.compile(r"^Results for (?:timespan|job) \d+:", re.MULTILINE)
TOTAL = re.compile(r"^total:([^\n]*)(\n?)", re.MULTILINE)
TIME = re.compile(r"^(?:actual )?test time:\s+([\d.]+)s", re.MULTILINE)
ROWS = {
    "50th": "p50", "99th": "p99", "3-nines": "p99.9", "4-nines": "p99.99", "5-nines": "p99.999", "max": "max",
}  # fmt: skip
WAYS = {"Read": "read", "Write": "write", "Total": "both"}
"""Names of its tables, and the direction of each."""
MS = 1e-3


class Settings(NamedTuple):
    """Load settings from the head of a result or its command line, or None for a value that is not there."""

    block: int | None
    random: int | None
    depth: int | None
    threads: int | None
    span: int


def claims(given: Given) -> bool:
    """Return True if the text has a results head and a table with IOs per second."""
    words = text(given.data[: 1 << 20])
    return not given.folder and RESULTS.search(words) is not None and "I/O per s" in words


def read(given: Given) -> Taken:
    """Return one load per time span or job. Raise BadInput without any."""
    words = text(given.data)
    marks = [match.start() for match in RESULTS.finditer(words)]
    if not marks:
        raise BadInput("it holds no results of a time span")
    bodies = [words[a:b] for a, b in pairwise([*marks, len(words)])]
    common = words[: marks[0]]
    heads = [common, *(body if "block size" in body else common for body in bodies)]
    loads = tuple(map(_load, map(settings, heads), bodies))
    started = re.search(r"start time:\s*(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)", common)
    path = re.search(r"path: '([^'\n]{1,200})'", common)
    target = path[1] if path else (_command(common) or [""])[-1]
    return Taken(
        tool=TOOL,
        version="",
        loads=loads,
        notes=(Sentence("imported.version"), *lacks(loads), *_buffered(common)),
        at=numbers.at(started[1], "%Y/%m/%d %H:%M:%S") if started else 0.0,
        drive=drive(target),
    )


def lacks(loads: tuple[Load, ...]) -> Iterator[Sentence]:
    """Yield the notes about results of diskspd that every page shows."""
    yield Sentence("imported.diskspd_own")
    if any(not load.counts.read.latency_ns and not load.counts.write.latency_ns for load in loads):
        yield Sentence("imported.unmeasured_waits")


def settings(head: str) -> Settings:
    """Return the settings from the parameters that the head prints, or else from the command line in it."""
    if size := re.search(r"block size: (\d{1,10})", head):
        depth = re.search(r"outstanding I/O operations[^:\n]{0,40}: (\d{1,6})", head)
        threads = re.search(r"(?:total threads:|threads per file:) +(\d{1,6})", head.replace("\t", " "))
        partly = re.search(r"using mixed random/sequential I/O \((\d{1,3})%", head)
        share = int(partly[1]) if partly else 100 if "using random I/O" in head else 0
        span = re.search(r"\bsize: (\d{1,18})B", head)
        return Settings(int(size[1]), share, _whole(depth), _whole(threads), _whole(span) or 0)
    words = _command(head)
    options = {word[1]: word[2:] for word in words if len(word) > 1 and word[0] in "-/"}
    if not words:
        return Settings(None, None, None, None, 0)
    block = numbers.size(options.get("b", "64K"))
    many = next((numbers.whole(options[key]) for key in ("t", "F") if key in options), 1)
    mixed = numbers.whole(options["r"][1:]) if options.get("r", "").startswith("s") else None  # -rs30, -r4K
    random = mixed if mixed is not None else 100 if "r" in options else 0
    return Settings(block, random, numbers.whole(options.get("o", "2")), many, numbers.size(options.get("c", "")) or 0)


def _command(head: str) -> list[str]:
    """Return the words of the command line in the head, or an empty list."""
    line = re.search(r"^Command Line: (.+)$", head, re.MULTILINE)
    return line[1].split() if line else []


def _whole(match: re.Match[str] | None) -> int | None:
    return int(match[1]) if match else None


def workload(given: Settings, counts: Counts) -> tuple[Workload, tuple[str, ...]]:
    """Return the workload and the names of its unknown settings. Raise BadInput for an impossible block size."""
    names = {"block size": given.block, "random or sequential": given.random, "threads and queue depth": given.depth}
    unknown = tuple(name for name, value in names.items() if value is None)
    ios, done = counts.ios, counts.both.bytes
    block = given.block or (round(done / ios) if ios else 1)
    if not numbers.block(block):
        raise BadInput("it has a block size that no IO can have")
    load = within(
        random_pct=given.random,
        read_pct=round(100 * counts.read.ios / max(ios, 1)),
        block_bytes=block,
        threads=given.threads,
        depth=given.depth,
        range_bytes=given.span,
    )
    return Workload(**load), unknown


def _load(given: Settings, body: str) -> Load:
    time = TIME.search(body)
    lasted = ran(numbers.number(time[1]) if time else None)
    waits = _percentiles(body)
    read, write, total = (_tally(body, name, waits[way].get("max", 0.0)) for name, way in WAYS.items())
    if total.ios and total.ios != read.ios + write.ios:
        raise BadInput("it is cut off: its reads and writes are not all of its IOs")
    counts = Counts(lasted, 0, read, write)
    load, unknown = workload(given, counts)
    return Load(load, counts, reported(counts, waits, unknown))


def ran(seconds: float | None) -> float:
    """Return how long a test ran. Raise BadInput if that is not stated."""
    if seconds is None or seconds <= 0:
        raise BadInput("it does not state how long a test ran")
    return seconds


def reported(counts: Counts, waits: dict[str, dict[str, float]], unknown: tuple[str, ...]) -> ToolFigures:
    """Return the percentiles by direction, in seconds, that the sample size supports."""
    ways = {way: carried(percentiles_s, getattr(counts, way).ios) for way, percentiles_s in waits.items()}
    return ToolFigures(both=ways["both"], read=ways["read"], write=ways["write"], unknown=unknown)


def _tally(body: str, way: str, longest_s: float) -> Tally:
    """Return the totals of a direction (`Read`, `Write`) or of both (`Total`).

    Columns are found by name because their order differs between versions. A number may be cut at the end of the text.
    """
    table = re.search(rf"^{way} IO\n(thread \|[^\n]*)\n", body, re.MULTILINE)
    total = TOTAL.search(body, table.end()) if table else None
    if table is None or total is None:
        return Tally()
    names = [name.strip().lower() for name in table[1].split("|")][1:]
    cells = [numbers.number(cell.strip()) for cell in total[1].split("|")]
    row = dict(zip(names, cells, strict=False))
    ios, size = row.get("i/os") or 0, row.get("bytes") or 0
    mean = next((row[name] for name in row if name.startswith("avglat")), None) if total[2] else None
    mean_s = (mean or 0.0) * MS
    return tally(ios, size, mean_s, longest_s)


def tally(ios: float, size: float, mean_s: float, longest_s: float) -> Tally:
    """Return the counts of a direction. Raise BadInput if they are impossible."""
    if not (0 <= ios < 1e15 and 0 <= size < 1e18 and 0 <= mean_s < 1e6 and 0 <= longest_s < 1e6):
        raise BadInput("it has impossible figures")
    done = int(ios)
    return Tally(done, int(size), mean_s / NS * done, 0.0, longest_s / NS) if done else Tally()


def _percentiles(body: str) -> dict[str, dict[str, float]]:
    """Return the percentiles of its table by direction, in seconds, without those that are N/A or in a cut line."""
    percentiles_s: dict[str, dict[str, float]] = {"read": {}, "write": {}, "both": {}}
    for line in body.split("\n")[:-1]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 4 and cells[0] in ROWS:
            for way, cell in zip(percentiles_s, cells[1:], strict=True):
                value = numbers.number(cell)
                if value is not None:
                    percentiles_s[way][ROWS[cells[0]]] = value * MS
    return percentiles_s


def _buffered(head: str) -> Iterator[Sentence]:
    direct = ("software cache disabled", "using O_DIRECT", "-Sh", "-Suw", "-Su", "-h ")
    if not any(word in head for word in direct):
        yield Sentence("imported.cached")
