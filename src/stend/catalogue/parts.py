"""Parts of a catalogue on disk: what is known of each run, the tables' Parquet files, one writer at a time.

known/part-00000012.msgpack     written last, by rename; what none of these names was left by a killed writer
runs/part-00000012.parquet      and so for each table (`columns.COLUMNS`), where DuckDB was there

Whoever writes or merges holds `lock` alone, whoever reads holds it with others; a lock ends with its process.
"""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stend import outside
from stend.catalogue import database
from stend.catalogue.columns import COLUMNS, About
from stend.errors import BadInput

VERSION = 2
MOST_PARTS = 64
KNOWN, KIND = "known", ".msgpack"

Rows = dict[str, list[dict[str, Any]]]
"""By table."""
Stamp = tuple[int, int, int]
"""Size and time of a run's events, time of its manifest, in bytes and nanoseconds: alike, nothing has changed."""


class Seen(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is known of a run folder: either what `about` says, or in `why` the reason that it cannot be read.

    `about` stays as it is stored until somebody asks for it: a query never does, and of thousands that takes most time.
    """

    place: str
    stamp: Stamp
    entry: int
    why: str
    about: msgspec.Raw


class Word(msgspec.Struct, frozen=True):
    """The file of a part: `sizes` are those of its Parquet files by table, {} where it was made without DuckDB.

    `instead` are the numbers of the parts that it is made of: they count no more, whether they are there or not.
    """

    version: int
    sizes: dict[str, int]
    seen: list[Seen]
    instead: list[int] = []


class Part(NamedTuple):
    """A part that is whole."""

    number: int
    word: Word


_decoder = msgspec.msgpack.Decoder(Word)
_about = msgspec.msgpack.Decoder(About)
NOTHING = msgspec.Raw(msgspec.msgpack.encode(None))


def seen(place: str, stamp: Stamp, entry: int, about: About) -> Seen:
    """A run folder that can be read."""
    return Seen(place, stamp, entry, "", msgspec.Raw(msgspec.msgpack.encode(about)))


def about(one: Seen) -> About:
    """What is known of a run that can be read. BadInput of a cache that something damaged."""
    try:
        return _about.decode(one.about)
    except msgspec.MsgspecError as error:
        raise BadInput(
            f"what the catalogue knows of {one.place} is damaged; delete .stend/catalogue, it is made anew"
        ) from error


@contextmanager
def locked(home: Path, *, alone: bool) -> Iterator[None]:
    """Nobody else writes here, or with `alone` does anything. OSError without locks, or the right to do that."""
    way = os.O_RDWR | os.O_CREAT if alone or not (home / "lock").exists() else os.O_RDONLY
    fd = os.open(home / "lock", way | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(fd)


def read(home: Path) -> list[Part]:
    """Every part that is whole, oldest first; what is torn, or of another version, counts as not there."""
    found = []
    for path in sorted((home / KNOWN).glob(f"part-*{KIND}")):
        with suppress(*outside.BROKEN, OSError):
            part = Part(_number(path), _decoder.decode(path.read_bytes()))
            if part.word.version == VERSION and all(
                _size(_file(home, t, part)) == s for t, s in part.word.sizes.items()
            ):
                found.append(part)
    replaced = {number for part in found for number in part.word.instead}
    return [part for part in found if part.number not in replaced]


def living(parts: Sequence[Part]) -> dict[str, Seen]:
    """What is known last of each run folder."""
    return {seen.place: seen for part in parts for seen in part.word.seen}


def files(home: Path, parts: Sequence[Part]) -> dict[str, list[Path]]:
    """Parquet files by table."""
    return {table: [_file(home, table, part) for part in parts if part.word.sizes] for table in COLUMNS}


def gone(parts: Sequence[Part], live: Iterable[Seen]) -> set[int]:
    """Entries in parts that count no more: of runs that changed since, or are there no longer."""
    return {seen.entry for part in parts for seen in part.word.seen} - {seen.entry for seen in live}


def commit(home: Path, seen: list[Seen], rows: Rows) -> None:
    """One more part; the caller is alone. `rows` by table, {} where they are not kept."""
    placed(home, seen, lambda table, path: database.write(table, rows[table], path), tables=bool(rows))


def merge(home: Path, parts: Sequence[Part], live: Sequence[Seen]) -> None:
    """All parts that are alike as one, only of what counts; the caller is alone."""
    for tables in (True, False):
        own = [part for part in parts if bool(part.word.sizes) is tables]
        numbers, dead = {one.entry for one in live}, gone(own, live)
        kept = [seen for part in own for seen in part.word.seen if seen.entry in numbers]
        every = files(home, own)

        def made(table: str, path: Path, every: Any = every, dead: Any = dead) -> None:
            database.merge(every[table], dead, path)

        if len(own) > 1:
            placed(home, kept, made, tables=tables, instead=own)
    clean(home)


def clean(home: Path) -> None:
    """Take away what no whole part names; the caller is alone."""
    numbers = {part.number for part in read(home)}
    for table in (KNOWN, *COLUMNS):
        kind = KIND if table == KNOWN else ".parquet"
        for path in (home / table).glob("*"):
            if path.suffix != kind or _number(path) not in numbers:
                path.unlink(missing_ok=True)


def placed(
    home: Path, seen: list[Seen], make: Callable[[str, Path], None], *, tables: bool, instead: Sequence[Part] = ()
) -> None:
    """Write a part's files, then the word by which they count. Entries keep their numbers where they have them."""
    number = 1 + max((_number(path) for path in (home / KNOWN).glob(f"part-*{KIND}")), default=0)
    sizes = {}
    for table in COLUMNS if tables else ():
        path = home / table / f"part-{number:08}.parquet"
        path.parent.mkdir(exist_ok=True)
        make(table, path)
        _durable(path)
        sizes[table] = path.stat().st_size
    word = msgspec.msgpack.encode(Word(VERSION, sizes, seen, [part.number for part in instead]))
    path = _path(home, number)
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_bytes(word)
    _durable(new)
    new.rename(path)


def unused(known: Sequence[Part]) -> int:
    """From here on no entry of these parts has a number."""
    return 1 + max((seen.entry for part in known for seen in part.word.seen), default=0)


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
    try:
        return path.stat().st_size
    except OSError:
        return -1
