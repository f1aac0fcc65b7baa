"""Runs are taken into a catalogue: those it does not know as they are now, a part of them at a time."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from pathlib import Path

from stend.base import regular
from stend.base.errors import StendError
from stend.base.text import plain
from stend.catalogue import database, parts
from stend.catalogue.columns import COLUMNS
from stend.catalogue.known import Known
from stend.catalogue.parts import Part, Rows, Seen, Stamp
from stend.catalogue.scan import Place, alike, one, scan

HOME = Path(".stend") / "catalogue"
BATCH = 64
"""Runs of a part that is written at once: so much is read again after a writer was killed."""

OLD = (-1, -1, -1)
"""The stamp of nothing."""


def learn(folder: Path) -> None:
    """Take in one run, which has just changed, where its folder's folder has a catalogue; a host may refuse that."""
    top = folder.resolve().parent
    with suppress(OSError, StendError):
        if (top / HOME).is_dir():
            home(top)
            take_in(top, top / HOME, one(top, folder.resolve().name))


def home(top: Path) -> Path:
    """Return the folder of a catalogue, made where there is none. Raise OSError where it, or a part, is a link."""
    for folder in (HOME.parent, HOME, *(HOME / table for table in (parts.KNOWN, *COLUMNS))):
        regular.folder(top / folder)
    return top / HOME


def stale(there: Mapping[str, Place], known: Sequence[Part]) -> list[str]:
    """Places whose run is not known as it is; with DuckDB also those that were read without."""
    tables, fresh = database.there(), dict[str, Stamp]()
    for part in known:
        own = part.word
        fresh.update(zip(own.places, own.stamps if own.sizes or not tables else repeat(OLD), strict=False))
    return [place for place, now in there.items() if not alike(fresh.get(place, OLD), now.stamp)]


def take_in(top: Path, home: Path, there: Mapping[str, Place]) -> None:
    """Read those of these runs that are not known as they are, and write them as a part; merge too many parts."""
    with parts.locked(home, alone=True):
        known = parts.read(home)
        told: Rows = {table: [] for table in COLUMNS}
        first = parts.unused(known)
        own = (_seen(place, there[place], first + i, told) for i, place in enumerate(stale(there, known)))
        if seen := [one for one in own if one]:
            parts.commit(home, seen, told if database.there() else {})
        known = parts.read(home)
        if len(known) > parts.MOST_PARTS:
            parts.merge(home, known, Known(known, scan(top)).entries)


def _seen(place: str, now: Place, entry: int, told: Rows) -> Seen | None:
    """One run folder, read; its rows go into `told`. None of one that we may not read: it is asked again."""
    folder = Path(now.path)
    if not os.access(folder / "events.jsonl", os.R_OK):
        return None
    from stend import store
    from stend.catalogue.tables import about, rows  # findings are needed only where there is something to read

    try:
        run = store.load(folder)
        own = about(place, folder, run)
        found = list(rows(own, run)) if database.there() else []
    except (StendError, OSError) as error:
        return Seen(place, now.stamp, entry, plain(str(error)) or type(error).__name__, None)
    except Exception as error:  # one run that we cannot tell of must not hide all others
        return Seen(place, now.stamp, entry, plain(f"a defect in stend ({type(error).__name__}: {error})"), None)
    told["runs"].append({"entry": entry} | {name: getattr(own, name) for name in own.__struct_fields__})
    for table, row in found:
        told[table].append({"entry": entry} | row)
    return Seen(place, now.stamp, entry, "", own)
