"""What is known of all runs below a folder: Parquet parts that DuckDB reads, brought up to date whenever it is asked.

Run folders stay the truth; TOP/.stend/catalogue is a cache that may be deleted. Runs lie in TOP or in folders of it.
"""

import errno
import os
import shutil
import tempfile
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from stend.base import regular
from stend.base.errors import BadInput, LeftOut
from stend.catalogue import database, parts, taking
from stend.catalogue.columns import About
from stend.catalogue.database import Answer
from stend.catalogue.known import Known
from stend.catalogue.parts import Part
from stend.catalogue.scan import Place, scan
from stend.catalogue.taking import BATCH, HOME, learn, stale, take_in

__all__ = ["About", "Answer", "Broken", "Catalogue", "folders", "learn", "meant", "named", "opened"]

UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOLCK, errno.EOPNOTSUPP)
RUNS = Path("runs")
Hear = Callable[[int, int], None]
"""Told how many of how many runs that were not known are read by now."""


class Broken(NamedTuple):
    """A folder that holds a run which cannot be read, and why."""

    run: str
    why: str


@dataclass(frozen=True)
class Catalogue:
    """All runs below `top` as they are now; `places` has their folders."""

    top: Path
    broken: tuple[Broken, ...]
    places: dict[str, Place]
    home: Path
    known: Known

    @cached_property
    def runs(self) -> tuple[About, ...]:
        """Those that can be read, oldest first."""
        return tuple(sorted(starmap(About, self._columns(About.__struct_fields__)), key=_age))

    def only(self, *names: str) -> list[Any]:
        """The same with these columns and few others, where thousands are asked for little."""
        own = tuple(dict.fromkeys(("run", "started_s", *names)))
        return sorted(starmap(namedtuple("Told", own), self._columns(own)), key=_age)

    def _columns(self, names: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        return zip(*map(self.known.column, names), strict=True)

    def folder(self, one: About) -> Path:
        """Where a run lies."""
        return Path(self.places[one.run].path)

    def warn(self) -> None:
        """Say which runs cannot be read and count nowhere."""
        for run, why in self.broken:
            warnings.warn(LeftOut(f"{self.top / run} is left out: {why}"), stacklevel=3)

    def query(self, sql: str, most: int | None = None) -> Answer:
        """As `database.query`."""
        return database.query(sql, parts.files(self.home, self.known.parts), self._gone(), most)

    def _gone(self) -> set[int]:
        return parts.gone(self.known.parts, self.known.entries)


@contextmanager
def opened(
    top: Path, hear: Hear = lambda done, of: None, *, growing: bool = True, labels: bool = True
) -> Iterator[Catalogue]:
    """The catalogue of a folder, up to date; nobody merges its parts while it is open. BadInput where there is none.

    Without `growing` a run that is being written on this host is read when it is new, and not again until it is let go:
    for who asks every few seconds. Without `labels`, all that a manifest tells, nobody looks whether one has changed.
    Where nothing can be written below `top` it is made in a temporary folder, and gone afterwards.
    """
    if not top.is_dir():
        raise BadInput(f"{top} is no folder of runs; `stend run` makes runs/, any other can be named")
    with ExitStack() as held:
        home, there, tried = _home(top, held), scan(top, manifests=labels), set[str]()
        while True:
            with parts.locked(home, alone=False):
                known = parts.read(home)
                left = [place for place in stale(there, known) if place not in tried]
                if not growing:
                    left = _let_go(left, there, known)
                if not left:
                    yield _told(top, home, there, known)
                    return
            if not labels:
                labels, there = True, scan(top)  # what is read is known with all of it
                continue
            hear(len(tried), len(tried) + len(left))
            try:
                take_in(top, home, {place: there[place] for place in left[:BATCH]})
            except OSError as error:
                if home != top / HOME:
                    raise
                home = _elsewhere(home, error, held)
                continue
            tried |= set(left[:BATCH])


def folders(top: Path) -> list[Path]:
    """All runs below a folder that can be read, oldest first; others are warned of."""
    with opened(top) as known:
        known.warn()
        return [known.folder(one) for one in known.runs]


def named(word: str, top: Path = RUNS) -> Path | None:
    """The one run below a folder that is meant: by its name, a part of it, or `last`. BadInput where several are."""
    if not top.is_dir():
        return None
    with opened(top) as known:
        if word == "last" and known.runs:
            return known.folder(known.runs[-1])
        every = [one for one in known.runs if word in one.run]
        found = [one for one in every if one.run == word] or every
        if len(found) > 1:
            raise BadInput(
                f"{word!r} fits {len(found)} runs below {top}: {', '.join(one.run for one in found[:3])}, ..."
            )
        return known.folder(found[0]) if found else None


def meant(word: Path) -> Path:
    """The run folder of that path; else the one below runs/ that is `named` so; else the path as it is."""
    return word if word.exists() else named(str(word)) or word


def _let_go(left: list[str], there: dict[str, Place], known: list[Part]) -> list[str]:
    """Those that are new, or that nobody writes."""
    from stend.store import writer  # not needed to list what is there

    old = {place for part in known for place in part.word.places}
    return [place for place in left if place not in old or not writer.holder(Path(there[place].path)).alive]


def _home(top: Path, held: ExitStack) -> Path:
    try:
        home = taking.home(top)
        with parts.locked(home, alone=False):
            return home
    except OSError as error:
        return _elsewhere(top / HOME, error, held)


def _elsewhere(home: Path, error: OSError, held: ExitStack) -> Path:
    """A temporary home, with what is there already, for a host that refuses to write below the runs."""
    if error.errno not in UNWRITABLE and not isinstance(error, regular.NotRegular):
        raise error
    made = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="stend-catalogue-")))
    if not isinstance(error, regular.NotRegular):
        with suppress(OSError, shutil.Error):
            shutil.copytree(home, made, dirs_exist_ok=True, ignore=shutil.ignore_patterns("lock"), copy_function=_taken)
    return made


def _taken(source: str, place: str) -> None:
    """Copy what is small, link what is large; leave what is no file."""
    if regular.is_file(source):
        (os.symlink if source.endswith(".parquet") else shutil.copyfile)(source, place)


def _told(top: Path, home: Path, there: dict[str, Place], known: list[Part]) -> Catalogue:
    own = Known(known, there)
    broken = [Broken(place, why) for place, why in own.broken]
    if len(own.places) < len(there):
        told = set(own.places)
        broken += [Broken(place, "it cannot be read") for place in there if place not in told]
    return Catalogue(top, tuple(broken), there, home, own)


_age = attrgetter("started_s", "run")
