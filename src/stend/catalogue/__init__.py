"""Catalogue of all runs below a folder: Parquet parts that DuckDB reads, updated whenever it is opened.

Run folders are the source; TOP/.stend/catalogue is a cache that may be deleted. Runs are in TOP or in folders of it.
"""

import errno
import os
import shutil
import tempfile
import warnings
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from stend.base import regular
from stend.base.errors import BadInput, LeftOut
from stend.base.text import did_you_mean
from stend.catalogue import database, parts, taking
from stend.catalogue.choice import chosen
from stend.catalogue.columns import About
from stend.catalogue.database import Answer
from stend.catalogue.known import Known
from stend.catalogue.parts import Part
from stend.catalogue.scan import Place, scan
from stend.catalogue.taking import BATCH, HOME, learn, stale, take_in

__all__ = ["About", "Answer", "Broken", "Catalogue", "folders", "learn", "meant", "named", "opened"]

UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.ENOLCK, errno.EOPNOTSUPP)
RUNS = Path("runs")
EVENTS = "events.jsonl"
LACKS = f": it has no {EVENTS}; `stend list` shows runs"
Report = Callable[[int, int], None]
"""Called with the number of new runs read so far, and the number to read."""


class Broken(NamedTuple):
    """A folder with a run that cannot be read, and the reason."""

    run: str
    why: str


@dataclass(frozen=True)
class Catalogue:
    """All runs below `top` as they are now.

    `places` has their folders, `unread` the new runs that were not read yet.
    """

    top: Path
    broken: tuple[Broken, ...]
    places: dict[str, Place]
    home: Path
    known: Known
    unread: tuple[str, ...] = ()

    @cached_property
    def runs(self) -> tuple[About, ...]:
        """Return the runs that can be read, oldest first."""
        return tuple(sorted(starmap(About, self._columns(About.__struct_fields__)), key=_age))

    def only(self, *names: str) -> list[Any]:
        """Return the readable runs with these columns only, which is faster for thousands of runs."""
        columns = tuple(dict.fromkeys(("run", "started_s", *names)))
        return sorted(starmap(namedtuple("Row", columns), self._columns(columns)), key=_age)

    def _columns(self, names: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        return zip(*map(self.known.column, names), strict=True)

    def folder(self, run: About) -> Path:
        """Return the folder of a run."""
        return Path(self.places[run.run].path)

    def warn(self) -> None:
        """Warn of the runs that cannot be read and are left out."""
        for run, why in self.broken:
            warnings.warn(LeftOut(f"{self.top / run} is left out: {why}"), stacklevel=3)

    def query(self, sql: str, most: int | None = None, where: Sequence[str] = ()) -> Answer:
        """Answer an SQL query over the runs that fulfil all conditions (`choice`) by `database.query`."""
        live = self.known.entries
        if where:
            names = {run.run for run in chosen(self.runs, where)}
            live = [entry for place, entry in zip(self.known.places, live, strict=True) if place in names]
        gone = parts.gone(self.known.parts, live)
        return database.query(sql, parts.files(self.home, self.known.parts), gone, most)


@contextmanager
def opened(
    top: Path,
    report: Report = lambda done, of: None,
    *,
    growing: bool = True,
    labels: bool = True,
    most: int | None = None,
) -> Iterator[Catalogue]:
    """Open the catalogue of a folder, up to date. Raise BadInput if it is not a folder.

    While it is open, no process merges its parts. Without `growing` a run that is being written on this host is read
    when it is new, and again only after its writer has ended, for callers that poll. With `most` only that many new
    runs are read, the last ones by name. The others are in `Catalogue.unread`. Without `labels`, which come from
    manifests, changes of manifests are not checked. If `top` is not writable, the catalogue is made in a temporary
    folder and deleted afterwards.
    """
    if not top.is_dir():
        raise BadInput(f"{top} is not a folder; name a folder of runs, such as runs/")
    with ExitStack() as held:
        home, there, tried = _home(top, held), scan(top, manifests=labels), set[str]()
        while True:
            with parts.locked(home, alone=False):
                known = parts.read(home)
                left = [place for place in stale(there, known) if place not in tried]
                if not growing:
                    left = _settled(left, there, known)
                if not left or (most is not None and len(tried) >= most):
                    yield _catalogue(top, home, there, known, left)
                    return
            if not labels:
                labels, there = True, scan(top)  # runs are read with their labels
                continue
            report(len(tried), len(tried) + len(left))
            now = left[:BATCH] if most is None else sorted(left)[-most:]
            try:
                take_in(top, home, {place: there[place] for place in now})
            except OSError as error:
                if home != top / HOME:
                    raise
                home = _elsewhere(home, error, held)
                continue
            tried |= set(now)


def folders(top: Path) -> list[Path]:
    """Return the folders of all readable runs below a folder, oldest first, and warn of the others."""
    with opened(top) as known:
        known.warn()
        return [known.folder(run) for run in known.runs]


def named(word: str, top: Path = RUNS) -> Path | None:
    """Return the run below a folder by its name, a part of it, or `last`. Raise BadInput if several match."""
    if not top.is_dir():
        return None
    with opened(top) as known:
        if word == "last" and known.runs:
            return known.folder(known.runs[-1])
        every = [run for run in known.runs if word in run.run]
        matches = [run for run in every if run.run == word] or every
        if len(matches) > 1:
            few = ", ".join(run.run for run in matches[-3:]) + (", ..." if len(matches) > 3 else "")
            raise BadInput(f"{word!r} matches {len(matches)} runs below {top}: {few}; name one of them in full")
        return known.folder(matches[0]) if matches else None


def meant(word: Path) -> Path:
    """Return the path if it is a run folder, else the run below runs/ that `named` returns.

    Raise BadInput, which shows similar names, if there is no such run.
    """
    from stend.store.journal import is_run  # lazy: not needed to list runs

    if is_run(word):
        return word
    if word.exists():
        there = [place.parent for place in word.glob(f"*/{EVENTS}")] if word.is_dir() else []
        raise BadInput(
            f"{word} is not a run folder{f' but holds runs; name one, such as {min(there)}' if there else LACKS}"
        )
    return named(word.name if word.parent == RUNS else str(word)) or _missing(word)


def _missing(word: Path) -> Path:
    """Raise BadInput for the name of a run that does not exist."""
    names = [place.parent.name for place in RUNS.glob(f"*/{EVENTS}")]
    if not names:
        what = "there is no last run" if str(word) == "last" else f"{word} is not a run folder"
        raise BadInput(f"{what}, and {RUNS}/ has no runs; `stend run` makes one")
    meant = did_you_mean(word.name, names, "`stend list` lists them")
    raise BadInput(f"{word} is not a run folder, and no run in {RUNS}/ has it in its name{meant}")


def _settled(left: list[str], there: dict[str, Place], known: list[Part]) -> list[str]:
    """Return the runs that are new, or that no process writes."""
    from stend.store import writer  # lazy: not needed to list runs

    old = {place for part in known for place in part.data.places}
    return [place for place in left if place not in old or not writer.holder(Path(there[place].path)).alive]


def _home(top: Path, held: ExitStack) -> Path:
    try:
        home = taking.home(top)
        with parts.locked(home, alone=False):
            return home
    except OSError as error:
        return _elsewhere(top / HOME, error, held)


def _elsewhere(home: Path, error: OSError, held: ExitStack) -> Path:
    """Return a temporary home with a copy of the catalogue, for a host that refuses to write below the runs."""
    if error.errno not in UNWRITABLE and not isinstance(error, regular.NotRegular):
        raise error
    made = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="stend-catalogue-")))
    if not isinstance(error, regular.NotRegular):
        with suppress(OSError, shutil.Error):
            shutil.copytree(home, made, dirs_exist_ok=True, ignore=shutil.ignore_patterns("lock"), copy_function=_copy)
    return made


def _copy(source: str, place: str) -> None:
    """Copy a small file, link a large one, and skip anything else."""
    if regular.is_file(source):
        (os.symlink if source.endswith(".parquet") else shutil.copyfile)(source, place)


def _catalogue(top: Path, home: Path, there: dict[str, Place], known: list[Part], unread: Sequence[str]) -> Catalogue:
    rows = Known(known, there)
    broken = [Broken(place, why) for place, why in rows.broken]
    if len(rows.places) < len(there):
        others = {*rows.places, *unread}
        broken += [Broken(place, "it cannot be read") for place in there if place not in others]
    return Catalogue(top, tuple(broken), there, home, rows, tuple(unread))


_age = attrgetter("started_s", "run")
