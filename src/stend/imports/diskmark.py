"""Text reports of KDiskMark and CrystalDiskMark: lines with MB/s, IOPS and, in newer versions, a response time."""

import re
from collections.abc import Iterator

from stend.base.errors import BadInput
from stend.base.limits import MOST_BLOCK
from stend.base.units import MB, GiB, KiB, MiB
from stend.imports import numbers
from stend.imports.given import Given, text
from stend.imports.taken import Load, Rates, Taken, fact, shared, short, within
from stend.model.definition import Workload
from stend.words import Sentence

HEAD = re.compile(r"^[ \t-]*(KDiskMark|CrystalDiskMark)\s*\(?(\d[\d.]*)?", re.MULTILINE)
LINE = re.compile(
    r"\s*(Sequential|Random|SEQ|RND)\s+(?:(Read|Write)\s+)?(?:(\d+)\s?([KM])i?B\s*)?"
    r"(?:\((?:QD?=\s*(\d+))?[,\s]*(?:T=\s*(\d+))?\)\s*)?:\s*"
    r"([\d.]+) MB/s(?:\s*\[\s*([\d.]+) IOPS\])?(?:\s*<\s*([\d.]+) us>)?\s*",
    re.IGNORECASE,
)
"""Kind, direction (before version 7), size and its unit, queue depth, threads, MB/s, IOPS, microseconds."""
RATE = re.compile(r":\s*\d\S* MB/s")
SECTION = re.compile(r"\[(Read|Write|Mix)\](?:\D{0,20}(\d+)\s?%)?", re.IGNORECASE)
SETTING = re.compile(r"\s*(Test|Time|Date|OS)\s*:\s*(\S.*)")
TESTED = re.compile(r"(\d+)\s*([MG])i?B\b")
"""Size of the file. Version 3 writes MB for MiB."""
TRIES = re.compile(r"\(x(\d{1,3})\)")
MEASURED = re.compile(r"Measure:?\s*(\d{1,6}) sec")
UNITS = {"MB/s": 1.0, "KiB/s ÷ 1000": 1.024, "MiB/s": 1.048576}
"""Real size of "MB" in 10^6 bytes: versions of KDiskMark differ."""
US = 1e-6
MOST_LINES, MOST_CHARACTERS = 10_000, 300


def claims(given: Given) -> bool:
    """Return True if one of the two names heads the text and it has rates in MB/s."""
    return not given.folder and HEAD.search(given.head[:2000]) is not None and "MB/s" in given.head


def read(given: Given) -> Taken:
    """Return one load per line. In newer versions the section gives the direction. Raise BadInput without a head."""
    words = text(given.data)
    head = HEAD.search(words)
    if head is None:
        raise BadInput("it names neither KDiskMark nor CrystalDiskMark")
    settings = {m[1]: m[2] for line in _lines(words) if (m := SETTING.match(line))}
    notes: dict[Sentence, None] = {}
    loads = tuple(_loads(words, _seconds(settings), _range(settings), notes))
    rates = sum(bool(RATE.search(line)) for line in _lines(words))
    if not loads and rates:
        raise BadInput("its rates are not written as `2048.000 MB/s`, with a decimal point")
    if rates > len(loads):
        notes[Sentence("imported.unread", n=rates - len(loads))] = None
    return Taken(
        tool=head[1],
        version=short((head[2] or "").strip(".")),
        loads=loads,
        notes=(*notes, *_lacks(settings)),
        at=numbers.at(settings.get("Date", ""), "%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S"),
        host={"system": fact(settings.get("OS", ""))},
    )


def _seconds(settings: dict[str, str]) -> float:
    match = MEASURED.search(f"{settings.get('Test', '')} {settings.get('Time', '')}")
    return min(float(match[1]), 86_400.0) if match else 0.0


def _range(settings: dict[str, str]) -> int:
    match = TESTED.search(settings.get("Test", ""))
    return (numbers.whole(match[1]) or 0) * (GiB if match[2] == "G" else MiB) if match else 0


def _lines(words: str) -> list[str]:
    return [line[:MOST_CHARACTERS] for line in words.split("\n")[:MOST_LINES]]


def _loads(words: str, seconds: float, span: int, notes: dict[Sentence, None]) -> Iterator[Load]:
    section = ""
    for line in _lines(words):
        if opened := SECTION.match(line):
            section = opened[1].lower() if opened[1].lower() != "mix" else f"mix {opened[2] or 70}"
        elif match := LINE.fullmatch(line):
            yield _load(match, section, (seconds, span), notes)


def _load(match: re.Match[str], section: str, tested: tuple[float, int], notes: dict[Sentence, None]) -> Load:
    """Return the load of a matched line. `tested` is (seconds, bytes of the range), each 0 if unknown."""
    kind, way, count, unit, depth, threads, mbs, iops, wait = match.groups()
    reads = {"read": 100, "write": 0}.get(way.lower() if way else section)
    if reads is None:
        reads = int(section.split()[1]) if section.startswith("mix") else 100
    block = (numbers.whole(count) or 0) * (MiB if (unit or "").upper() == "M" else KiB)
    unknown = () if block else ("block size",)
    if block > MOST_BLOCK:
        raise BadInput("it has a block size that no IO can have")
    block = block or (MiB if kind.lower().startswith("seq") else 4 * KiB)
    rate = (numbers.number(mbs) or 0) * MB
    done = numbers.number(iops)
    if done:
        notes |= _unit_note(rate, done, block)
        rate = done * block
    figures = within(
        random_pct=0 if kind.lower().startswith("seq") else 100,
        read_pct=reads,
        block_bytes=block,
        threads=numbers.whole(threads),
        depth=numbers.whole(depth),
        range_bytes=tested[1],
    )
    rates = Rates(done or rate / block, rate, numbers.scaled(wait, US))
    return shared(Workload(**figures), tested[0], rates, *unknown)


def _unit_note(rate: float, iops: float, block: int) -> dict[Sentence, None]:
    """Return a note if "MB/s" is another unit, judged by IOPS x block size, or nothing."""
    if rate < 5 * MB:  # rounding is too coarse
        return {}
    near = min(UNITS, key=lambda name: abs(UNITS[name] - iops * block / rate))
    return {} if near == "MB/s" else {Sentence("imported.megabytes", unit=near): None}


def _lacks(settings: dict[str, str]) -> Iterator[Sentence]:
    if not _seconds(settings):
        yield Sentence("imported.mark_seconds")
    if test := settings.get("Test", ""):
        tries = TRIES.search(test)
        yield Sentence("imported.best", n=int(tries[1])) if tries else Sentence("imported.best_of")
    yield Sentence("imported.mark_lacks")
    if not {"Date", "OS"} & settings.keys():
        yield Sentence("imported.no_foot")
    if "Date" in settings:
        yield Sentence("imported.zone")
