"""A sweep on disk: its design, one line per finished drive, and all drives as Parquet.

design.toml       the design of the sweep (a different design is refused)
drives.jsonl      one line per drive, appended when its run has ended (all other files can be made from it)
drives.parquet    one row per drive and figure, with the parameters as columns

Each line is written by one call and synced, so that a kill loses only the drives that were running. An incomplete last
line is cut off when the sweep continues.
"""

import os
from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.errors import BadInput
from stend.base.extras import needing
from stend.many.sweep.design import Design, parsed
from stend.model.quantities import COUNTED
from stend.model.tally import PERCENTS
from stend.words import encoded

Line = dict[str, Any]
"""A drive in drives.jsonl: its number, seed, values, outcome and figures."""
DESIGN, LINES, TABLE = "design.toml", "drives.jsonl", "drives.parquet"
FIGURE = {
    "test": "VARCHAR", "phase": "VARCHAR", "state": "VARCHAR", "random_pct": "INTEGER", "read_pct": "INTEGER",
    "block": "VARCHAR", "threads": "INTEGER", "depth": "INTEGER", "place": "INTEGER", "direction": "VARCHAR",
    "steady": "BOOLEAN", "ios": "BIGINT", "seconds": "DOUBLE", "iops": "DOUBLE", "bytes_per_s": "DOUBLE",
    "mean_s": "DOUBLE", **{name.replace(".", ""): "DOUBLE" for name in PERCENTS}, "max_s": "DOUBLE",
    **dict.fromkeys(COUNTED, "DOUBLE"),
}  # fmt: skip
"""Columns of a figure, with the names of the catalogue."""
QUANTITY = {"throughput": "bytes_per_s", "mean": "mean_s", "max": "max_s"}
DRIVE = {
    "drive": "INTEGER", "seed": "BIGINT", "outcome": "VARCHAR", "reason": "VARCHAR", "stend": "VARCHAR",
    "target": "VARCHAR",
}  # fmt: skip


def begin(design: Design, path: Path, folder: Path) -> None:
    """Create the folder of a design that was read from `path`, or check that it has the same design.

    Raise BadInput if the folder has another design or other files.
    """
    if (folder / DESIGN).exists():
        if opened(folder).drawn != design.drawn:
            raise BadInput(f"{folder} holds the drives of another design; choose another folder by --into")
    elif folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} exists already and is not a sweep; choose another folder by --into")
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / DESIGN, untrusted.read(path, "the design"))


def opened(folder: Path) -> Design:
    """Return the design of a folder. Raise BadInput if it has none."""
    return parsed(untrusted.kept(folder / DESIGN, "the design"), folder)


def lines(folder: Path) -> Iterator[Line]:
    """Yield every finished drive in the order of their ends. Skip an incomplete last line.

    Raise BadInput for a line that cannot be read.
    """
    path = folder / LINES
    if not path.exists():
        return
    with regular.reader(path) as file:
        for number, text in enumerate(file, 1):
            if text.endswith(b"\n"):
                try:
                    yield msgspec.json.decode(text, type=dict[str, Any])
                except msgspec.DecodeError as error:
                    raise BadInput(f"line {number} of {path} cannot be read: {error}; delete it") from error


class Appending:
    """The lines of a folder, open for appending."""

    def __init__(self, folder: Path) -> None:
        self._fd = regular.descriptor(folder / LINES, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        if os.fstat(self._fd).st_size:  # nothing cannot be mapped
            with mmap(self._fd, 0, access=ACCESS_READ) as every:
                whole = every.rfind(b"\n") + 1
            os.ftruncate(self._fd, whole)

    def add(self, line: Line) -> None:
        """Append one drive and sync it to disk."""
        data = msgspec.json.encode(line, enc_hook=encoded) + b"\n"
        while data:
            data = data[os.write(self._fd, data) :]
        os.fsync(self._fd)

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)


def write_table(folder: Path, design: Design) -> Path:
    """Write the Parquet file from all lines and return its path."""
    path = folder / TABLE
    columns = DRIVE | {name: _kind(design, name) for name in design.parameters} | FIGURE
    with needing("the table of a sweep"), atomic.replaced(path) as part:
        _parquet(_rows(folder, design), columns, part)
    return path


def _rows(folder: Path, design: Design) -> Iterator[dict[str, Any]]:
    """Yield one row per figure. A drive without figures has one row with the reason."""
    for line in lines(folder):
        drive = {name: line[name] for name in DRIVE} | {name: line["values"][name] for name in design.parameters}
        for figure in line["figures"] or [{}]:
            yield drive | {QUANTITY.get(name, name.replace(".", "")): value for name, value in figure.items()}


def _kind(design: Design, name: str) -> str:
    values = design.parameters[name]
    ends = values if isinstance(values, tuple) else (values.at(0.0), values.at(1.0))
    kinds = {type(value) for value in ends}
    return {frozenset({bool}): "BOOLEAN", frozenset({int}): "BIGINT"}.get(
        frozenset(kinds), "DOUBLE" if kinds <= {int, float} else "VARCHAR"
    )


def _parquet(rows: Iterator[dict[str, Any]], columns: dict[str, str], path: Path) -> None:
    import duckdb

    between = path.with_suffix(".rows")
    try:
        regular.create(between)
        with between.open("wb") as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)
        with duckdb.connect() as database:
            read = database.read_json(str(between), columns=columns, format="newline_delimited")
            read.write_parquet(str(path), compression="zstd")
    finally:
        between.unlink(missing_ok=True)
