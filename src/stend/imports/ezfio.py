"""ezFIO's table of tests, as a CSV or on the sheet "Tests" of its ODS."""

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from stend.base.errors import BadInput
from stend.base.text import plain
from stend.base.units import GiB
from stend.imports import numbers, xml
from stend.imports.given import Given, text
from stend.imports.taken import Load, Rates, Taken, fact, rated, short, within
from stend.model.definition import Workload
from stend.words import Sentence

TOOL = "ezFIO"
HEADER = ("Type", "Write %", "Block Size", "Threads", "Queue Depth/Thread", "IOPS")
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
US = 1e-6
CELLS = 64
"""Most cells of a row: ezFIO's rows have eleven, and repeated cells to the right are empty."""
STAMPS = ("QUICKIE-INVALID-RESULTS", "FASTPRECOND")


def claims(given: Given) -> bool:
    """Return True for a CSV with ezFIO's header, or a ZIP that is marked as an OpenDocument spreadsheet."""
    if given.folder:
        return False
    if given.data.startswith(b"PK"):
        return b"opendocument.spreadsheet" in given.data[:200]
    return ",".join(HEADER) in given.head


def read(given: Given) -> Taken:
    """Return one load per test of the table. Raise BadInput if the file has no such table."""
    words = "" if given.data.startswith(b"PK") else text(given.data)
    table = list(map(list, numbers.rows(words) if words else _sheet(given.data)))
    start = next((n for n, row in enumerate(table) if tuple(row[: len(HEADER)]) == HEADER), None)
    if start is None:
        raise BadInput('it has no table of tests (its header begins with "Type,Write %,Block Size")')
    facts = {row[0]: row[1] for row in table[:start] if len(row) > 1}
    header, notes, loads = table[start], dict[Sentence, None](), list[Load]()
    phase = "tests"
    if words and len(table[-1]) > 1:
        table, cut = numbers.until_cut(words, header, table)
        notes |= dict.fromkeys(cut)
    for row in table[start + 1 :]:
        filled = [cell for cell in row if cell]
        if filled == ["ERROR"]:
            notes[Sentence("imported.broken", phase=phase)] = None
        elif len(filled) == 1:
            phase = short(filled[0])
        elif filled:
            loads += _load(numbers.named(header, row), len(row) - len(header), phase, notes)
    fio_version = short(facts.get("FIOVersion", "").rpartition("-")[2])
    return Taken(
        tool=TOOL,
        version=f"(fio {fio_version})" if fio_version else "",
        loads=tuple(loads),
        notes=(*notes, *_lacks(facts)),
        unknown=("firmware", "steady state", "write cache"),
        drive=_drive(facts),
        host={"cpu": fact(facts.get("CPU", "")), "kernel": fact(facts.get("OS", ""))},
    )


def _load(cells: dict[str, str], beyond: int, phase: str, notes: dict[Sentence, None]) -> Iterator[Load]:
    """Yield the load of a row, or add a note if the row was skipped or shifted by a decimal comma.

    Raise BadInput for an impossible load.
    """
    names = ("write %", "block size", "threads", "queue depth/thread", "iops")
    written, block, threads, depth, iops = (numbers.number(cells.get(name)) for name in names)
    if written is None or not block or not threads or not depth or iops is None or beyond > 0:
        notes[Sentence("imported.shifted" if beyond > 0 else "imported.unmeasured", phase=phase)] = None
        return
    figures: dict[str, Any] = {
        "random_pct": 100 if cells.get("type", "").lower().startswith("rand") else 0,
        "read_pct": round(100 - written),
        "block_bytes": int(block),
        "threads": int(threads),
        "depth": int(depth),
    }
    if within(**figures) != figures:
        raise BadInput(f"a row of {phase} has an impossible load")
    waits = (numbers.scaled(cells.get(f"{way} latency (us)"), US) for way in ("read", "write"))
    parts = (1 - written / 100, written / 100)
    read, write = (Rates(iops * share, iops * share * block, wait) for share, wait in zip(parts, waits, strict=True))
    yield rated(Workload(**figures), 0, read, write, phase=phase)


def _lacks(facts: dict[str, str]) -> Iterator[Sentence]:
    yield Sentence("imported.ez_seconds")
    yield Sentence("imported.ez_rounded")
    yield Sentence("imported.ez_lacks")
    for stamp in STAMPS:
        if any(stamp in value for value in facts.values()):
            yield Sentence("imported.ez_stamp", stamp=stamp)


def _drive(facts: dict[str, str]) -> dict[str, Any]:
    names = {"target": "Drive", "model": "Model", "serial": "Serial"}
    drive: dict[str, Any] = {key: fact(_bare(facts.get(name, ""))) for key, name in names.items()}
    capacity_gib = numbers.whole(_bare(facts.get("AvailCapacity", "")))
    if capacity_gib and capacity_gib < 1 << 30:
        drive["capacity_bytes"] = capacity_gib * GiB
    return {key: value for key, value in drive.items() if value}


def _bare(value: str) -> str:
    for stamp in STAMPS:
        value = value.replace(f"{stamp}-", "")
    return value


def _sheet(data: bytes) -> Iterator[Sequence[str]]:
    """Yield the rows of the sheet "Tests". Raise BadInput for a broken archive or one that unpacks to too much."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("content.xml") as file:
            content = file.read(xml.MOST_BYTES + 1)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error) as error:
        raise BadInput(f"it is not a complete ODS: {plain(str(error))}") from error
    except (ValueError, OverflowError) as error:
        raise BadInput("it is not a complete ODS") from error
    for table in xml.tree(content).iter(f"{TABLE}table"):
        if table.get(f"{TABLE}name") == "Tests":
            yield from (_row(row) for row in table.iter(f"{TABLE}table-row"))


def _row(row: Element) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{TABLE}table-cell"):
        words = " ".join("".join(line.itertext()) for line in cell.iter(f"{TEXT}p")).strip()
        times = numbers.whole(cell.get(f"{TABLE}number-columns-repeated")) or 1
        cells += [words] * min(times, CELLS - len(cells))
    while cells and not cells[-1]:
        cells.pop()
    return cells
