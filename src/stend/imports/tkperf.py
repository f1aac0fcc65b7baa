"""XML of TKperf: matrices of rounds as JSON text. A cell counts as the mean of the rounds that TKperf called steady."""

from collections.abc import Iterator
from statistics import fmean
from typing import Any
from xml.etree.ElementTree import Element

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.text import plain
from stend.base.units import KiB
from stend.imports import xml
from stend.imports.given import Given
from stend.imports.numbers import at, size, whole
from stend.imports.taken import Load, Rates, Taken, fact, shared, short, within
from stend.model.definition import Workload
from stend.words import Sentence

TOOL = "TKperf"
MIXES = {"iops": (100, 95, 65, 50, 35, 5, 0), "lat": (100, 65, 0)}
BLOCKS = {
    "iops": ("1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512"),
    "lat": ("8k", "4k", "512"),
    "tp": ("1024k", "64k", "8k", "4k", "512"),
}
"""Rows and columns in TKperf's order; a drive with 4096-byte sectors lacks the last column."""
DISK_MIXES, DISK_BLOCKS = (100, 50, 0), {"iops": ("64k", "16k", "4k"), "tp": ("1024k", "4k")}
US = 1e-6
NAMES = {
    "Device Model": "model",
    "Model Number": "model",
    "Serial Number": "serial",
    "Firmware Version": "firmware",
    "Firmware Revision": "firmware",
}
"""TKperf's labels of facts about the drive, and the field of Identity of each."""
MOST_ROUNDS = 10_000


def claims(given: Given) -> bool:
    """Return True if it has a version of TKperf and matrices of rounds."""
    return not given.folder and "<ioperfversion>" in given.head and b"<roundmat>" in given.data


def read(given: Given) -> Taken:
    """Return the loads of all tests. A write saturation counts as the mean of its last fifth."""
    root = xml.tree(given.data)
    loads, notes = list[Load](), [Sentence("imported.window")]
    for name, reader in (("iops", _iops), ("lat", _latency), ("tp", _throughput), ("writesat", _saturation)):
        test = root.find(name)
        if test is not None:
            loads += reader(test)
            if (reached := _json(test, "reachstdystate")) is not None:
                state = "reached" if reached is True else "missed"
                notes.append(Sentence(f"imported.tk_{state}", test=name))
    notes += [Sentence("imported.no_percentiles"), Sentence("imported.tk_lat")]
    return Taken(
        tool=TOOL,
        version=short(_word(root, "ioperfversion")),
        loads=tuple(loads),
        notes=tuple(notes),
        unknown=("write cache", "firmware"),
        at=at(_word(root, "testdate"), "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y"),
        drive=_drive(_word(root, "devinfo")),
        host={"kernel": fact(_word(root, "kernel"))} if root.find("kernel") is not None else {},
    )


def _json(element: Element, tag: str) -> Any:
    try:
        return msgspec.json.decode(element.findtext(tag) or "null")
    except untrusted.BROKEN as error:
        raise BadInput(f"its <{tag}> is not JSON: {untrusted.sentence(error)}") from error


def _word(element: Element, tag: str) -> str:
    value = _json(element, tag)
    return plain(str(value)) if isinstance(value, str | int | float) else ""


def _drive(text: str) -> dict[str, Any]:
    pairs = [line.partition(":") for line in text.replace("\\x0a", "\n").split("\n")]
    facts = {name.strip(): fact(value.strip()) for name, _, value in pairs if value.strip()}
    return {NAMES[name]: value for name, value in facts.items() if name in NAMES}


def _matrix(test: Element) -> list[Any]:
    rounds = _json(test, "roundmat")
    if not isinstance(rounds, list) or not rounds or len(rounds) > MOST_ROUNDS:
        raise BadInput(f"its <roundmat> does not hold 1 to {MOST_ROUNDS} rounds")
    return rounds


def _window(test: Element, rounds: list[Any]) -> list[Any]:
    """Return the rounds that TKperf called steady, or all of them if it names none."""
    named = _json(test, "stdyrounds")
    chosen = [rounds[n] for n in named if type(n) is int and 0 <= n < len(rounds)] if isinstance(named, list) else []
    return chosen or rounds


def _cells(test: Element, name: str) -> Iterator[tuple[int, int, list[Any]]]:
    """Yield (percent of reads, block in bytes, the cell's values in all rounds)."""
    rounds = _window(test, _matrix(test))
    mixes, blocks = MIXES[name], BLOCKS[name]
    if all(isinstance(rows, list) and len(rows) == len(DISK_MIXES) for rows in rounds) and name == "iops":
        mixes, blocks = DISK_MIXES, DISK_BLOCKS[name]
    for row, mix in enumerate(mixes):
        for column, block in enumerate(blocks):
            try:
                values = [rows[row][column] for rows in rounds]
            except (LookupError, TypeError) as error:
                if column == len(blocks) - 1 and block == "512":
                    continue
                raise BadInput(f"the matrix of {name} has another shape than TKperf's") from error
            yield mix, size(block) or 0, values


def _load(test: Element, random: int, mix: int, block: int, rates: Rates, phase: str) -> Load:
    threads, depth = (whole(_word(test, tag)) for tag in ("numjobs", "iodepth"))
    seconds = float(whole(_word(test, "runtime")) or 60)
    if phase == "lat":  # TKperf measures latency with one thread at QD1, whatever its options are
        threads = depth = 1
    figures = within(random_pct=random, read_pct=mix, block_bytes=block, threads=threads, depth=depth)
    return shared(Workload(**figures), seconds, rates, phase=phase)


def _mean(numbers: list[Any]) -> float:
    valid = [n for n in numbers if isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e15]
    if len(valid) != len(numbers) or not valid:
        raise BadInput("a cell of its matrix is not a number")
    return fmean(valid)


def _iops(test: Element) -> Iterator[Load]:
    for mix, block, values in _cells(test, "iops"):
        iops = _mean(values)
        yield _load(test, 100, mix, block, Rates(iops, iops * block), "iops")


def _latency(test: Element) -> Iterator[Load]:
    """Yield the loads of the latency test: cells are [min, max, mean] in microseconds at QD1, and IOPS are 1 / mean."""
    for mix, block, values in _cells(test, "lat"):
        mean, longest = _waits(values)
        if not mean > 0:
            raise BadInput("a mean response time of 0 or less is impossible")
        yield _load(test, 100, mix, block, Rates(1 / mean, block / mean, mean, longest), "lat")


def _throughput(test: Element) -> Iterator[Load]:
    """Yield the loads of the throughput test: per block ([reads of all rounds], [writes of all rounds]) in KiB/s."""
    pairs = _matrix(test)
    blocks = DISK_BLOCKS["tp"] if len(pairs) == len(DISK_BLOCKS["tp"]) else BLOCKS["tp"]
    for name, pair in zip(blocks, pairs, strict=False):
        block = size(name) or 0
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(way, list) for way in pair):
            raise BadInput("the matrix of tp has another shape than TKperf's")
        for mix, way in ((100, pair[0]), (0, pair[1])):
            rate = _mean(_window(test, way)) * KiB
            yield _load(test, 0, mix, block, Rates(rate / block, rate), "tp")


def _saturation(test: Element) -> Iterator[Load]:
    """Yield the mean of the last fifth of a write saturation.

    Its matrix is [IOPS of all minutes, [min, max, mean] in microseconds of all minutes].
    """
    series = _matrix(test)
    if len(series) != 2 or not all(isinstance(values, list) for values in series):
        raise BadInput("the matrix of writesat has another shape than TKperf's")
    rates, waits = (values[-max(len(values) // 5, 1) :] for values in series)
    iops = _mean(rates)
    mean, longest = _waits(waits)
    yield _load(test, 100, 0, 4 * KiB, Rates(iops, iops * 4 * KiB, mean, longest), "writesat-end")


def _waits(cells: list[Any]) -> tuple[float, float]:
    """Return (mean of the means, longest) in seconds from cells of [min, max, mean] in microseconds."""
    if not all(isinstance(cell, list) and len(cell) == 3 for cell in cells):
        raise BadInput("a cell of its latencies is not [min, max, mean]")
    return _mean([cell[2] for cell in cells]) * US, max((_mean([cell[1]]) for cell in cells), default=0.0) * US
