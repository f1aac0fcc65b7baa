"""published.json: the figures, hashes and files of the last build, by which changes are found and never silent."""

import datetime
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.errors import BadInput
from stend.base.text import plain
from stend.base.version import __version__
from stend.publish.figures import KEY, text_of
from stend.words import Language

NAME = "published.json"
FORMAT = 1
MOST_BYTES = 1 << 28


class Shown(msgspec.Struct, frozen=True, array_like=True):
    """A published figure in base units, and the hash of its run."""

    value: float
    run: str


class Erratum(msgspec.Struct, frozen=True):
    """A figure of a published page that is shown otherwise since a day. `old` and `new` are in base units.

    `new` is None for a key figure that the page has no more.
    `why` is "run" (another run is the review), "stend" (its version) or "record".
    """

    date: datetime.date
    figure: str
    names: dict[str, str]
    old: float
    new: float | None
    run_before: str
    run: str
    why: str


class Withdrawn(msgspec.Struct, frozen=True):
    """A published run that the site shows no longer. `reason` is "" if the lab states none."""

    date: datetime.date
    run: str
    reason: str = ""


class Entry(msgspec.Struct, frozen=True):
    """A published drive.

    `key` changes with everything that its files depend on. `index` is its entry of the index by language, `files` the
    digests of its files by path below the site.
    """

    key: str
    name: str
    first: datetime.date
    updated: datetime.date
    stend: str
    runs: dict[str, datetime.date] = {}
    figures: dict[str, Shown] = {}
    errata: tuple[Erratum, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = ()
    index: dict[str, dict[str, Any]] = {}
    files: dict[str, str] = {}
    tests: tuple[str, ...] = ()


class Ledger(msgspec.Struct, frozen=True):
    """All published drives by id. `files` are the files about all drives, by path below the site."""

    format: int = FORMAT
    stend: str = __version__
    drives: dict[str, Entry] = {}
    files: tuple[str, ...] = ()


def read(site: Path) -> Ledger:
    """Return the ledger of a site, empty for a new one. Raise BadInput if it cannot be used."""
    path = site / NAME
    if not path.exists():
        if site.exists() and any(site.iterdir()):
            raise BadInput(f"{site} is not empty and has no {NAME}; name a new folder or one that stend published")
        return Ledger()
    try:
        kept = msgspec.json.decode(regular.read(path, MOST_BYTES), type=Ledger)
    except (OSError, *untrusted.BROKEN) as error:
        raise BadInput(f"{path} cannot be used, so that changes cannot be found: {error}; restore it") from error
    if kept.format != FORMAT:
        raise BadInput(f"{path} has format {kept.format}; this stend reads {FORMAT}: use a newer stend")
    for file in (*kept.files, *(name for entry in kept.drives.values() for name in entry.files)):
        if Path(file).is_absolute() or ".." in Path(file).parts:
            raise BadInput(f"{path} names a file outside the site, {plain(file)!r}; restore it")
    return kept


@contextmanager
def alone(site: Path) -> Iterator[None]:
    """Make the folder of a site and keep other builds away from it. Raise BadInput if one is at work."""
    try:
        site.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise BadInput(f"{site} is not a folder; name another one for the site") from error
    fd = os.open(site, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(fd)
        raise BadInput(f"another `stend publish` is building {site}; wait until it ends") from error
    try:
        yield
    finally:
        os.close(fd)


def begin(site: Path) -> None:
    """Mark a new site as one of stend, so that a killed build can be repeated. Remove files that it did not finish."""
    if not (site / NAME).exists():
        write(site, Ledger())
    for part in site.rglob(f".*-*{atomic.PART}"):
        part.unlink(missing_ok=True)


def place(site: Path, path: str) -> Path:
    """Return the place of a file of a site, and make its folder. Raise BadInput if a link leads out of the site."""
    folder = (site / path).parent
    if not folder.resolve().is_relative_to(site.resolve()):
        raise BadInput(f"{folder} leads out of the site by a link; remove the link")
    folder.mkdir(parents=True, exist_ok=True)
    return site / path


def write(site: Path, ledger: Ledger) -> None:
    """Write the ledger of a site."""
    atomic.write(site / NAME, msgspec.json.encode(ledger) + b"\n")


def errata(
    before: Entry | None,
    figures: dict[str, Shown],
    names: Callable[[str], dict[str, str]],
    words: Language,
    today: datetime.date,
    run: str,
) -> tuple[Erratum, ...]:
    """Return the errata so far, and one for each figure of a published page that is now shown otherwise.

    A key figure that the page has no more is one of them. Other figures go with the test that the run lacks.
    """
    if before is None:
        return ()
    changed = []
    for figure, old in before.figures.items():
        new = figures.get(figure)
        value, now = (new.value, new.run) if new else (None, run)
        if value is None:
            differs = figure.startswith(f"{KEY}|")
        else:
            differs = text_of(figure, value, words) != text_of(figure, old.value, words)
        if differs:
            why = "run" if now != old.run else "stend" if before.stend != __version__ else "record"
            changed.append(Erratum(today, figure, names(figure), old.value, value, old.run, now, why))
    return (*before.errata, *changed)


def withdrawn(
    before: Entry | None, runs: dict[str, str], reasons: dict[str, str], today: datetime.date
) -> tuple[Withdrawn, ...]:
    """Return the published runs that are no longer shown. `runs` are those shown now, `reasons` those of the lab."""
    past = {withdrawal.run: withdrawal for withdrawal in before.withdrawn} if before else {}
    gone = dict.fromkeys((*past, *(before.runs if before else ()), *reasons))
    return tuple(
        msgspec.structs.replace(past[run], reason=reasons.get(run, past[run].reason))
        if run in past
        else Withdrawn(today, run, reasons.get(run, ""))
        for run in gone
        if run not in runs
    )
