"""Parts of a catalogue on disk: what is known of each run, the tables' Parquet files, one writer at a time.

known/part-00000012.msgpack     written last, by rename; what none of these names was left by a killed writer
runs/part-00000012.parquet      and so for each table (`columns.COLUMNS`), where DuckDB was there

Whoever writes or merges holds `lock` alone, whoever reads holds it with others; a lock ends with its process.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.errors import BadInput
from stend.catalogue import database
from stend.catalogue.columns import COLUMNS, About

VERSION = 3
MOST_PARTS = 64
KNOWN_BYTES = 1 << 28
"""No file of `known` is longer: a run takes some hundred bytes of it."""
KNOWN, KIND = "known", ".msgpack"

Rows = dict[str, list[dict[str, Any]]]
"""By table."""
Stamp = tuple[int, int, int]
"""Size and time of a run's events, time of its manifest, in bytes and nanoseconds: alike, nothing has changed."""


class Seen(NamedTuple):
    """What is known of a run folder: either what `about` says, or in `why` the reason that it cannot be read."""

    place: str
    stamp: Stamp
    entry: int
    why: str
    about: About | None


class Word(msgspec.Struct, frozen=True):
    """The file of a part: `sizes` are those of its Parquet files by table, {} where it was made without DuckDB.

    A row for each run folder, by columns, for who lists thousands asks for few: `why` by row, where there is a reason;
    each column of `about` stays packed until somebody asks. `instead` are the numbers of the parts that it is made of:
    they count no more, whether they are there or not.
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
    """A part that is whole."""

    number: int
    word: Word


_decoder = msgspec.msgpack.Decoder(Word)


def word(seen: Sequence[Seen], sizes: dict[str, int], instead: Sequence[int] = ()) -> Word:
    """What is known of these run folders, as a part's file has it."""
    own = [one.about for one in seen]
    columns = {name: [getattr(about, name, None) for about in own] for name in About.__struct_fields__}
    return Word(
        VERSION,
        sizes,
        [one.place for one in seen],
        [one.stamp for one in seen],
        [one.entry for one in seen],
        {row: one.why for row, one in enumerate(seen) if one.why},
        {name: msgspec.Raw(msgspec.msgpack.encode(told)) for name, told in columns.items()},
        list(instead),
    )


def seen(part: Part) -> list[Seen]:
    """The rows of a part. BadInput of a cache that something damaged."""
    own = part.word
    abouts = zip(*(column(part, name) for name in About.__struct_fields__), strict=True)
    rows = enumerate(zip(own.places, own.stamps, own.entries, abouts, strict=True))
    return [
        Seen(place, stamp, entry, own.why.get(row, ""), None if row in own.why else About(*about))
        for row, (place, stamp, entry, about) in rows
    ]


def column(part: Part, name: str) -> list[Any]:
    """A column of `about`, None where there is a `why`. BadInput of a cache that something damaged."""
    kind: Any = About.__annotations__[name]
    try:
        told: list[Any] = msgspec.msgpack.decode(part.word.about[name], type=list[kind | None])
    except (KeyError, msgspec.MsgspecError):
        told = []
    if len(told) != len(part.word.places):
        raise BadInput("what the catalogue knows is damaged; delete .stend/catalogue, it is made anew")
    return told


@contextmanager
def locked(home: Path, *, alone: bool) -> Iterator[None]:
    """Nobody else writes here, or with `alone` does anything. OSError without locks, or the right to do that."""
    way = os.O_RDWR | os.O_CREAT if alone or not (home / "lock").exists() else os.O_RDONLY
    fd = regular.descriptor(home / "lock", way)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(fd)


def read(home: Path) -> list[Part]:
    """Every part that is whole, oldest first; what is torn, or of another version, counts as not there."""
    found = []
    for path in sorted((home / KNOWN).glob(f"part-*{KIND}")):
        with suppress(*untrusted.BROKEN, OSError):
            part = Part(_number(path), _decoder.decode(regular.read(path, KNOWN_BYTES)))
            if part.word.version == VERSION and all(
                _size(_file(home, t, part)) == s for t, s in part.word.sizes.items()
            ):
                found.append(part)
    replaced = {number for part in found for number in part.word.instead}
    return [part for part in found if part.number not in replaced]


def files(home: Path, parts: Sequence[Part]) -> dict[str, list[Path]]:
    """Parquet files by table."""
    return {table: [_file(home, table, part) for part in parts if part.word.sizes] for table in COLUMNS}


def gone(parts: Sequence[Part], live: Iterable[int]) -> set[int]:
    """Entries in parts that count no more: of runs that changed since, or are there no longer."""
    return {entry for part in parts for entry in part.word.entries} - set(live)


def commit(home: Path, seen: list[Seen], rows: Rows) -> None:
    """One more part; the caller is alone. `rows` by table, {} where they are not kept."""
    with database.begun() if rows else nullcontext() as writer:
        placed(home, seen, lambda table, path: database.write(writer, table, rows[table], path), tables=bool(rows))


def merge(home: Path, parts: Sequence[Part], live: Sequence[int]) -> None:
    """All parts that are alike as one, only of the entries that count; the caller is alone."""
    for tables in (True, False):
        own = [part for part in parts if bool(part.word.sizes) is tables]
        if len(own) > 1:
            _merge(home, own, gone(own, live), tables=tables)
    clean(home)


def _merge(home: Path, own: Sequence[Part], dead: set[int], *, tables: bool) -> None:
    kept, every = [one for part in own for one in seen(part) if one.entry not in dead], files(home, own)
    with database.begun() if tables else nullcontext() as writer:

        def made(table: str, path: Path) -> None:
            database.merge(writer, every[table], dead, path)

        placed(home, kept, made, tables=tables, instead=own)


def clean(home: Path) -> None:
    """Take away what no whole part names; the caller is alone."""
    numbers = {part.number for part in read(home)}
    for table in (KNOWN, *COLUMNS):
        kind = KIND if table == KNOWN else ".parquet"
        for path in regular.folder(home / table).glob("*"):
            if path.suffix != kind or _number(path) not in numbers:
                path.unlink(missing_ok=True)


def placed(
    home: Path, seen: Sequence[Seen], make: Callable[[str, Path], None], *, tables: bool, instead: Sequence[Part] = ()
) -> None:
    """Write a part's files, then the word by which they count. Entries keep their numbers where they have them."""
    number = 1 + max((_number(path) for path in (home / KNOWN).glob(f"part-*{KIND}")), default=0)
    sizes = {}
    for table in COLUMNS if tables else ():
        path = home / table / f"part-{number:08}.parquet"
        regular.folder(path.parent)
        regular.create(path)  # what a stranger has put there is not written through
        make(table, path)
        _durable(path)
        sizes[table] = path.stat().st_size
    told = msgspec.msgpack.encode(word(seen, sizes, [part.number for part in instead]))
    path = _path(home, number)
    regular.folder(path.parent)
    atomic.write(path, told)


def unused(known: Sequence[Part]) -> int:
    """From here on no entry of these parts has a number."""
    return 1 + max((entry for part in known for entry in part.word.entries), default=0)


def _durable(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _path(home: Path, number: int) -> Path:
    return home / KNOWN / f"part-{number:08}{KIND}"


def _file(home: Path, table: str, part: Part) -> Path:
    return home / table / f"part-{part.number:08}.parquet"


def _number(path: Path) -> int:
    digits = path.name.removeprefix("part-").partition(".")[0]
    return int(digits) if digits.isdecimal() else 0


def _size(path: Path) -> int:
    """Return the size of a file; -1 of anything else, which a reader could wait for."""
    return path.stat().st_size if path.is_file() else -1
