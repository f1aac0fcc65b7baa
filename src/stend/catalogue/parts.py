"""Parts of a catalogue on disk: facts of each run, Parquet files of the tables, one writer at a time.

known/part-00000012.msgpack     written last, by rename. Files of other numbers were left by a killed writer
runs/part-00000012.parquet      one for each table (`columns.COLUMNS`), if DuckDB was installed

A process that writes or merges holds `lock` exclusively, readers share it. A lock ends with its process.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.errors import BadInput
from stend.catalogue import database
from stend.catalogue.columns import COLUMNS, About
from stend.words import decoded, encoded

VERSION = crc32(repr((6, COLUMNS)).encode())
"""Version of a part: a change of a column makes another one, and runs are then read again."""
MOST_PARTS = 64
KNOWN_BYTES = 1 << 28
"""Largest file of `known`. A run needs some hundred bytes."""
KNOWN, KIND = "known", ".msgpack"

Rows = dict[str, list[dict[str, Any]]]
"""Rows by table."""
Stamp = tuple[int, int, int]
"""Size and time of a run's events, and time of its manifest, in bytes and ns. An equal stamp means no change."""


class Entry(NamedTuple):
    """State of a run folder: its facts in `about`, or in `why` the reason that it cannot be read."""

    place: str
    stamp: Stamp
    entry: int
    why: str
    about: About | None


class Content(msgspec.Struct, frozen=True):
    """Content of a part's file. `sizes` are those of its Parquet files by table, {} if it was made without DuckDB.

    It has a row per run folder, stored by columns, because lists of thousands of runs need few columns. `why` has the
    reasons by row. Each column of `about` stays encoded until it is read. `instead` are the numbers of the parts that
    this one replaces, which are invalid even if they still exist.
    """

    version: int
    sizes: dict[str, int]
    places: list[str]
    stamps: list[Stamp]
    entries: list[int]
    why: dict[int, str]
    about: dict[str, msgspec.Raw]
    instead: list[int] = []

    def __post_init__(self) -> None:
        if not len(self.places) == len(self.stamps) == len(self.entries):
            raise ValueError("columns of one part have one length")


class Part(NamedTuple):
    """A complete part."""

    number: int
    data: Content


_decoder = msgspec.msgpack.Decoder(Content)


def content(entries: Sequence[Entry], sizes: dict[str, int], instead: Sequence[int] = ()) -> Content:
    """Return the content of a part's file for these run folders."""
    abouts = [entry.about for entry in entries]
    columns = {name: [getattr(about, name, None) for about in abouts] for name in About.__struct_fields__}
    return Content(
        VERSION,
        sizes,
        [entry.place for entry in entries],
        [entry.stamp for entry in entries],
        [entry.entry for entry in entries],
        {row: entry.why for row, entry in enumerate(entries) if entry.why},
        {name: msgspec.Raw(msgspec.msgpack.encode(values, enc_hook=encoded)) for name, values in columns.items()},
        list(instead),
    )


def entries_of(part: Part) -> list[Entry]:
    """Return the rows of a part. Raise BadInput if the cache is damaged."""
    data = part.data
    abouts = zip(*(column(part, name) for name in About.__struct_fields__), strict=True)
    rows = enumerate(zip(data.places, data.stamps, data.entries, abouts, strict=True))
    return [
        Entry(place, stamp, entry, data.why.get(row, ""), None if row in data.why else About(*about))
        for row, (place, stamp, entry, about) in rows
    ]


def column(part: Part, name: str) -> list[Any]:
    """Return a column of `about`, with None for rows with a `why`. Raise BadInput if the cache is damaged."""
    kind: Any = About.__annotations__[name]
    try:
        values: list[Any] = msgspec.msgpack.decode(part.data.about[name], type=list[kind | None], dec_hook=decoded)
    except (KeyError, msgspec.MsgspecError):
        values = []
    if len(values) != len(part.data.places):
        raise BadInput("the catalogue is damaged; delete .stend/catalogue, which is rebuilt from the runs")
    return values


@contextmanager
def locked(home: Path, *, alone: bool) -> Iterator[None]:
    """Keep other processes from writing, or with `alone` also from reading. Raise OSError if that is not possible."""
    way = os.O_RDWR | os.O_CREAT if alone or not (home / "lock").exists() else os.O_RDONLY
    fd = regular.descriptor(home / "lock", way)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(fd)


def read(home: Path) -> list[Part]:
    """Return every complete part, oldest first. Torn parts and parts of another version are skipped."""
    parts = []
    for path in sorted((home / KNOWN).glob(f"part-*{KIND}")):
        with suppress(*untrusted.BROKEN, OSError):
            part = Part(_number(path), _decoder.decode(regular.read(path, KNOWN_BYTES)))
            if part.data.version == VERSION and all(
                _size(_file(home, t, part)) == s for t, s in part.data.sizes.items()
            ):
                parts.append(part)
    replaced = {number for part in parts for number in part.data.instead}
    return [part for part in parts if part.number not in replaced]


def files(home: Path, parts: Sequence[Part]) -> dict[str, list[Path]]:
    """Return the Parquet files by table."""
    return {table: [_file(home, table, part) for part in parts if part.data.sizes] for table in COLUMNS}


def gone(parts: Sequence[Part], live: Iterable[int]) -> set[int]:
    """Return the entries in parts that have become invalid: their runs changed, or were deleted."""
    return {entry for part in parts for entry in part.data.entries} - set(live)


def commit(home: Path, entries: list[Entry], rows: Rows) -> None:
    """Write a part. The caller holds the exclusive lock. `rows` are by table, {} if tables are not kept."""
    with database.begun() if rows else nullcontext() as writer:
        place(home, entries, lambda table, path: database.write(writer, table, rows[table], path), tables=bool(rows))


def merge(home: Path, parts: Sequence[Part], live: Sequence[int]) -> None:
    """Merge all parts with tables into one, and all without, keeping valid entries. The caller locks exclusively."""
    for tables in (True, False):
        similar = [part for part in parts if bool(part.data.sizes) is tables]
        if len(similar) > 1:
            _merge(home, similar, gone(similar, live), tables=tables)
    clean(home)


def _merge(home: Path, parts: Sequence[Part], dead: set[int], *, tables: bool) -> None:
    kept = [entry for part in parts for entry in entries_of(part) if entry.entry not in dead]
    every = files(home, parts)
    with database.begun() if tables else nullcontext() as writer:

        def make(table: str, path: Path) -> None:
            database.merge(writer, every[table], dead, path)

        place(home, kept, make, tables=tables, instead=parts)


def clean(home: Path) -> None:
    """Delete files that belong to no complete part. The caller holds the exclusive lock."""
    numbers = {part.number for part in read(home)}
    for table in (KNOWN, *COLUMNS):
        kind = KIND if table == KNOWN else ".parquet"
        for path in regular.folder(home / table).glob("*"):
            if path.suffix != kind or _number(path) not in numbers:
                path.unlink(missing_ok=True)


def place(
    home: Path,
    entries: Sequence[Entry],
    make: Callable[[str, Path], None],
    *,
    tables: bool,
    instead: Sequence[Part] = (),
) -> None:
    """Write a part's tables, then its file, which makes it valid. Entries keep their numbers."""
    number = 1 + max((_number(path) for path in (home / KNOWN).glob(f"part-*{KIND}")), default=0)
    sizes = {}
    for table in COLUMNS if tables else ():
        path = home / table / f"part-{number:08}.parquet"
        regular.folder(path.parent)
        regular.create(path)  # a link that a stranger left there is not followed
        make(table, path)
        _durable(path)
        sizes[table] = path.stat().st_size
    data = msgspec.msgpack.encode(content(entries, sizes, [part.number for part in instead]))
    path = home / KNOWN / f"part-{number:08}{KIND}"
    regular.folder(path.parent)
    atomic.write(path, data)


def unused(known: Sequence[Part]) -> int:
    """Return the first entry number that these parts do not use."""
    return 1 + max((entry for part in known for entry in part.data.entries), default=0)


def _durable(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _file(home: Path, table: str, part: Part) -> Path:
    return home / table / f"part-{part.number:08}.parquet"


def _number(path: Path) -> int:
    digits = path.name.removeprefix("part-").partition(".")[0]
    return int(digits) if digits.isdecimal() else 0


def _size(path: Path) -> int:
    """Return the size of a file, or -1 for anything else, which could block a reader."""
    return path.stat().st_size if path.is_file() else -1
