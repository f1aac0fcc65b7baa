"""Result CSV of Iometer: sections between marks, and rows per target, of which only those of all managers are used."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.base.units import MB, MiB
from stend.imports import numbers
from stend.imports.given import Given, text
from stend.imports.taken import Load, Rates, Taken, rated, short, within
from stend.model.definition import Workload
from stend.words import Sentence

TOOL = "Iometer"
HEADER = "'Target Type"
SPECS = "'Access specification name"
MS = 1e-3
SPEEDS = (("mbps (decimal)", MB), ("mibps (binary)", MiB), ("mbps (binary)", MiB), ("mbps", MiB))
"""Endings of throughput columns with their unit in bytes/s. The bare "mbps" is of versions before 1.1 and binary."""
LACKS = ("imported.ticks", "imported.wide", "imported.zones")


class Spec(NamedTuple):
    """First line of an access specification. `lines` above 1 means a mix of sizes."""

    size: int
    reads: int
    random: int
    lines: int


def claims(given: Given) -> bool:
    """Return True if it has Iometer's table of results, which comes after its set-up."""
    return not given.folder and (HEADER + ",Target Name").encode() in given.data


def read(given: Given) -> Taken:
    """Return one load per access specification and queue depth, of all managers together.

    Raise BadInput if decimal commas shift the cells of all rows.
    """
    words = text(given.data)
    table = list(numbers.rows(words))
    specs, notes = dict(_specs(table)), dict[Sentence, None]()
    stamp, version = (
        next((after[0] for row, after in pairwise(table) if row[:1] == [mark] and after), "")
        for mark in ("'Time Stamp", "'Version")
    )
    header = next((row for row in reversed(table) if row[:1] == [HEADER]), [])
    if table[-1][:1] == ["ALL"]:
        table, cut = numbers.until_cut(words, header, table)
        notes |= dict.fromkeys(cut)
    loads = tuple(_loads(table, specs, notes))
    if not loads and notes:
        raise BadInput("decimal commas shift the cells of all its rows; export it with decimal points")
    return Taken(
        tool=TOOL,
        version=short(version),
        loads=loads,
        notes=(*notes, *map(Sentence, LACKS)),
        at=numbers.at(":".join(stamp.split(":")[:3]), "%Y-%m-%d %H:%M:%S"),
    )


def _specs(table: list[list[str]]) -> Iterator[tuple[str, Spec]]:
    """Yield every access specification with its name."""
    for number, row in enumerate(table):
        if row[:1] == [SPECS] and number + 3 < len(table) and table[number + 1]:
            lines = []
            for line in table[number + 3 :]:
                values = [numbers.whole(cell) for cell in line[:4]]
                if len(values) < 4 or None in values:
                    break
                lines.append([value or 0 for value in values])
            if lines:
                size, _, reads, random = lines[0]
                yield table[number + 1][0], Spec(size, reads, random, len(lines))


def _loads(table: list[list[str]], specs: dict[str, Spec], notes: dict[Sentence, None]) -> Iterator[Load]:
    header: list[str] = []
    for row in table:
        if row[:1] == [HEADER]:
            header = [row[0].lstrip("'"), *row[1:]]
        elif header and row[:1] == ["ALL"] and any(row[len(header) :]):
            notes[Sentence("imported.shifted", phase=short(row[2]))] = None
        elif header and row[:1] == ["ALL"]:
            yield _load(numbers.named(header, row), specs, notes)


def _rates(row: dict[str, str], way: str) -> Rates:
    iops = numbers.number(row.get(f"{way} iops")) or 0.0
    cell, unit = next(((row[name], unit) for end, unit in SPEEDS if (name := f"{way} {end}") in row), ("", 1))
    mean, longest = (numbers.scaled(row.get(f"{which} {way} response time"), MS) for which in ("average", "maximum"))
    return Rates(iops, (numbers.number(cell) or 0.0) * unit, mean, longest)


def _load(row: dict[str, str], specs: dict[str, Spec], notes: dict[Sentence, None]) -> Load:
    name = row.get("access specification name", "")
    spec = specs.get(name)
    read, write = _rates(row, "read"), _rates(row, "write")
    iops, rate = read.iops + write.iops, read.bytes_per_s + write.bytes_per_s
    unknown = [] if spec else ["random or sequential"]
    if spec is None:
        notes[Sentence("imported.spec", name=repr(short(name)))] = None
    if spec and spec.lines > 1:
        unknown.append("block size")
        notes[Sentence("imported.sizes", name=repr(short(name)))] = None
    size = spec.size if spec and spec.lines == 1 else numbers.block(rate / iops if iops else None) or 0
    workers, depth = numbers.whole(row.get("# workers")), numbers.whole(row.get("queue depth"))
    if not workers or not depth:
        unknown.append("threads and queue depth")
    figures = within(
        random_pct=spec.random if spec else 0,
        read_pct=spec.reads if spec else round(100 * read.iops / iops) if iops else 0,
        block_bytes=size,
        threads=workers,
        depth=depth,
    )
    return rated(Workload(**figures), 0, read, write, *unknown, phase=short(name) or "loads")
