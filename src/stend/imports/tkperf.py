"""TKperf's XML: matrices of rounds as JSON text; of each cell the mean over the rounds that TKperf took for steady."""

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
from stend.imports.taken import Load, Rates, Taken, shared
from stend.model.definition import Workload

TOOL = "TKperf"
MIXES = {"iops": (100, 95, 65, 50, 35, 5, 0), "lat": (100, 65, 0)}
BLOCKS = {
    "iops": ("1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512"),
    "lat": ("8k", "4k", "512"),
    "tp": ("1024k", "64k", "8k", "4k", "512"),
}
"""Rows and columns as TKperf writes them; a drive of 4096-byte sectors has no last column."""
DISK_MIXES, DISK_BLOCKS = (100, 50, 0), {"iops": ("64k", "16k", "4k"), "tp": ("1024k", "4k")}
US = 1e-6
WINDOW = "of each cell the mean over the rounds that TKperf took for steady; all rounds are in raw/"
NAMES = {
    "Device Model": "model",
    "Model Number": "model",
    "Serial Number": "serial",
    "Firmware Version": "firmware",
    "Firmware Revision": "firmware",
}
"""What is taken of its words about the drive."""
MOST_ROUNDS = 10_000


def claims(given: Given) -> bool:
    """Its root holds a version of the suite and matrices."""
    return not given.folder and "<ioperfversion>" in given.head and b"<roundmat>" in given.data


def read(given: Given) -> Taken:
    """All its tests; a write saturation as the mean of its last fifth."""
    root = xml.tree(given.data)
    loads, notes = list[Load](), [WINDOW]
    for name, reader in (("iops", _iops), ("lat", _latency), ("tp", _throughput), ("writesat", _saturation)):
        found = root.find(name)
        if found is not None:
            loads += reader(found)
            notes += _steady(name, found)
    notes += [
        "percentiles are not told",
        "IOPS of lat follow from its mean response times, which weigh reads and writes",
    ]
    return Taken(
        tool=TOOL,
        version=_word(root, "ioperfversion"),
        loads=tuple(loads),
        notes=tuple(notes),
        unknown=("write cache", "firmware"),
        at=at(_word(root, "testdate"), "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y"),
        drive=_drive(_word(root, "devinfo", 4000)),
        host={"kernel": _word(root, "kernel")} if root.find("kernel") is not None else {},
    )


def _json(element: Element, tag: str) -> Any:
    try:
        return msgspec.json.decode(element.findtext(tag) or "null")
    except untrusted.BROKEN as error:
        raise BadInput(f"its <{tag}> is no JSON: {untrusted.sentence(error)}") from error


def _word(element: Element, tag: str, most: int = 200) -> str:
    value = _json(element, tag)
    return plain(str(value))[:most] if isinstance(value, str | int | float) else ""


def _drive(told: str) -> dict[str, Any]:
    pairs = [line.partition(":") for line in told.replace("\\x0a", "\n").split("\n")]
    said = {name.strip(): value.strip()[:100] for name, _, value in pairs if value.strip()}
    return {NAMES[name]: value for name, value in said.items() if name in NAMES}


def _steady(name: str, test: Element) -> Iterator[str]:
    reached = _json(test, "reachstdystate")
    if reached is not None:
        yield f"{name}: TKperf says that the steady state was {'reached' if reached is True else 'NOT reached'}"


def _matrix(test: Element) -> list[Any]:
    found = _json(test, "roundmat")
    if not isinstance(found, list) or not found or len(found) > MOST_ROUNDS:
        raise BadInput("its <roundmat> holds no rounds")
    return found


def _window(test: Element, rounds: list[Any]) -> list[Any]:
    """The rounds that TKperf took for steady; all of them where it names none."""
    named = _json(test, "stdyrounds")
    chosen = [rounds[n] for n in named if type(n) is int and 0 <= n < len(rounds)] if isinstance(named, list) else []
    return chosen or rounds


def _cells(test: Element, name: str) -> Iterator[tuple[int, int, list[Any]]]:
    """(share of reads, block in bytes, that cell of all rounds)."""
    rounds = _window(test, _matrix(test))
    mixes, blocks = MIXES[name], BLOCKS[name]
    if all(isinstance(one, list) and len(one) == len(DISK_MIXES) for one in rounds) and name == "iops":
        mixes, blocks = DISK_MIXES, DISK_BLOCKS[name]
    for row, mix in enumerate(mixes):
        for column, block in enumerate(blocks):
            try:
                own = [one[row][column] for one in rounds]
            except (LookupError, TypeError) as error:
                if column == len(blocks) - 1 and block == "512":
                    continue
                raise BadInput(f"the matrix of {name} has another shape than TKperf's") from error
            yield mix, size(block) or 0, own


def _options(test: Element) -> tuple[int, int, float]:
    threads, depth = (whole(_word(test, tag)) or 1 for tag in ("numjobs", "iodepth"))
    return min(threads, 1024), min(depth, 65536), float(whole(_word(test, "runtime")) or 60)


def _load(test: Element, random: int, mix: int, block: int, rates: Rates, phase: str) -> Load:
    threads, depth, seconds = _options(test)
    if phase == "lat":  # TKperf asks these of one thread with one IO, whatever its options are
        threads = depth = 1
    workload = Workload(random_pct=random, read_pct=mix, block_bytes=block, threads=threads, depth=depth)
    return shared(workload, seconds, rates, phase=phase)


def _mean(numbers: list[Any]) -> float:
    own = [n for n in numbers if isinstance(n, int | float) and not isinstance(n, bool) and abs(n) < 1e15]
    if len(own) != len(numbers) or not own:
        raise BadInput("a cell of its matrix is no number")
    return fmean(own)


def _iops(test: Element) -> Iterator[Load]:
    for mix, block, own in _cells(test, "iops"):
        iops = _mean(own)
        yield _load(test, 100, mix, block, Rates(iops, iops * block), "iops")


def _latency(test: Element) -> Iterator[Load]:
    """[min, max, mean] in microseconds at one outstanding IO, whose rate follows from the mean."""
    for mix, block, own in _cells(test, "lat"):
        mean, longest = _waits(own)
        if not mean > 0:
            raise BadInput("a mean response time of nothing cannot be")
        yield _load(test, 100, mix, block, Rates(1 / mean, block / mean, mean, longest), "lat")


def _throughput(test: Element) -> Iterator[Load]:
    """For each block ([reads of all rounds], [writes of all rounds]) in KiB/s."""
    found = _matrix(test)
    blocks = DISK_BLOCKS["tp"] if len(found) == len(DISK_BLOCKS["tp"]) else BLOCKS["tp"]
    for name, pair in zip(blocks, found, strict=False):
        block = size(name) or 0
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(way, list) for way in pair):
            raise BadInput("the matrix of tp has another shape than TKperf's")
        for mix, way in ((100, pair[0]), (0, pair[1])):
            rate = _mean(_window(test, way)) * KiB
            yield _load(test, 0, mix, block, Rates(rate / block, rate), "tp")


def _saturation(test: Element) -> Iterator[Load]:
    """[IOPS of all minutes, [min, max, mean] in microseconds of all minutes]: its last fifth."""
    found = _matrix(test)
    if len(found) != 2 or not all(isinstance(one, list) for one in found):
        raise BadInput("the matrix of writesat has another shape than TKperf's")
    rates, waits = (one[-max(len(one) // 5, 1) :] for one in found)
    iops = _mean(rates)
    mean, longest = _waits(waits)
    yield _load(test, 100, 0, 4 * KiB, Rates(iops, iops * 4 * KiB, mean, longest), "writesat-end")


def _waits(cells: list[Any]) -> tuple[float, float]:
    """Mean of means and longest of [min, max, mean] in microseconds."""
    if not all(isinstance(one, list) and len(one) == 3 for one in cells):
        raise BadInput("a cell of its latencies is not [min, max, mean]")
    return _mean([one[2] for one in cells]) * US, max((_mean([one[1]]) for one in cells), default=0.0) * US
