"""A sweep on disk: the design that it follows, a line for every drive that is done, and all of them as Parquet.

design.toml       as it was when the sweep began; another one is refused
drives.jsonl      a drive a line, appended when its run is over: the truth
drives.parquet    the same with a row a drive and figure, parameters as columns; made of the lines at any time

A line is written by one call and synced, so that a kill takes away what was running and nothing else; the end of a
torn line is cut off by who goes on.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.errors import BadInput
from stend.base.extras import needing
from stend.many.sweep.design import Design, parsed

Line = dict[str, Any]
"""A drive as it is written down: its number, seed, values, outcome, and its figures."""
DESIGN, LINES, TABLE = "design.toml", "drives.jsonl", "drives.parquet"
FIGURE = {
    "test": "VARCHAR", "phase": "VARCHAR", "state": "VARCHAR", "random_pct": "INTEGER", "read_pct": "INTEGER",
    "block": "VARCHAR", "threads": "INTEGER", "depth": "INTEGER", "place": "INTEGER", "direction": "VARCHAR",
    "steady": "BOOLEAN", "ios": "BIGINT", "seconds": "DOUBLE", "iops": "DOUBLE", "bytes_per_s": "DOUBLE",
    "mean_s": "DOUBLE", "p50": "DOUBLE", "p99": "DOUBLE", "p999": "DOUBLE", "p9999": "DOUBLE", "p99999": "DOUBLE",
    "max_s": "DOUBLE",
}  # fmt: skip
"""Columns of a figure, named as in the catalogue."""
QUANTITY = {"throughput": "bytes_per_s", "mean": "mean_s", "max": "max_s"}
DRIVE = {
    "drive": "INTEGER", "seed": "BIGINT", "outcome": "VARCHAR", "reason": "VARCHAR", "stend": "VARCHAR",
    "target": "VARCHAR",
}  # fmt: skip


def begin(design: Design, path: Path, folder: Path) -> None:
    """A folder that follows this design, read from `path`; made where there is none.

    BadInput where the folder follows another design, or is something else.
    """
    if (folder / DESIGN).exists():
        if opened(folder).drawn != design.drawn:
            raise BadInput(f"{folder} holds the drives of another design; --into names another folder")
    elif folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is there already and holds no sweep; --into names another folder")
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / DESIGN, untrusted.read(path, "the design"))


def opened(folder: Path) -> Design:
    """The design that a folder follows; BadInput where there is none."""
    return parsed(untrusted.kept(folder / DESIGN, "the design"), folder)


def lines(folder: Path) -> Iterator[Line]:
    """Every drive that is done, in the order of their ends; what was torn off by a kill is passed over."""
    path = folder / LINES
    if not path.exists():
        return
    with regular.reader(path) as file:
        for number, text in enumerate(file, 1):
            if text.endswith(b"\n"):
                try:
                    yield msgspec.json.decode(text, type=dict[str, Any])
                except msgspec.DecodeError as error:
                    raise BadInput(f"line {number} of {path} is no drive's: {error}; take it out") from error


class Appending:
    """The lines of a folder, open for more."""

    def __init__(self, folder: Path) -> None:
        self._fd = regular.descriptor(folder / LINES, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        size = os.fstat(self._fd).st_size
        torn = _after_last_line(self._fd, size)
        if torn != size:
            os.ftruncate(self._fd, torn)

    def add(self, line: Line) -> None:
        """One drive, on disk before this returns."""
        data = msgspec.json.encode(line) + b"\n"
        while data:
            data = data[os.write(self._fd, data) :]
        os.fsync(self._fd)

    def close(self) -> None:
        """Let go."""
        os.close(self._fd)


def _after_last_line(fd: int, size: int) -> int:
    """How many bytes are whole lines."""
    end, step = size, 1 << 16
    while end > 0:
        begin = max(end - step, 0)
        found = os.pread(fd, end - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def write_table(folder: Path, design: Design) -> Path:
    """The Parquet file, made anew of all lines."""
    path = folder / TABLE
    columns = DRIVE | {name: _kind(design, name) for name in design.parameters} | FIGURE
    with needing("the table of a sweep"), atomic.replaced(path) as part:
        _parquet(_rows(folder, design), columns, part)
    return path


def _rows(folder: Path, design: Design) -> Iterator[dict[str, Any]]:
    """A row a figure; a drive without figures has one that tells why."""
    for line in lines(folder):
        own = {name: line[name] for name in DRIVE} | {name: line["values"][name] for name in design.parameters}
        for figure in line["figures"] or [{}]:
            yield own | {_column(name): value for name, value in figure.items()}


def _column(name: str) -> str:
    return QUANTITY.get(name, name.replace(".", ""))


def _kind(design: Design, name: str) -> str:
    own = design.parameters[name]
    ends = own if isinstance(own, tuple) else (own.at(0.0), own.at(1.0))
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
