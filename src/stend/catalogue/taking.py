"""Add runs to a catalogue: those that are new or have changed, one part at a time."""

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
from stend.catalogue.parts import Entry, Part, Rows, Stamp
from stend.catalogue.scan import Place, place_of, same, scan

HOME = Path(".stend") / "catalogue"
BATCH = 64
"""Runs that are written at once as a part, which limits the work that is repeated after a kill."""

OLD = (-1, -1, -1)
"""Stamp of a run that was never read."""


def learn(folder: Path) -> None:
    """Add a run that has just changed, if its parent folder has a catalogue. Errors are ignored."""
    top = folder.resolve().parent
    with suppress(OSError, StendError):
        if (top / HOME).is_dir():
            home(top)
            take_in(top, top / HOME, place_of(top, folder.resolve().name))


def home(top: Path) -> Path:
    """Return the folder of a catalogue, created if needed. Raise OSError if it, or a folder in it, is a link."""
    for folder in (HOME.parent, HOME, *(HOME / table for table in (parts.KNOWN, *COLUMNS))):
        regular.folder(top / folder)
    return top / HOME


def stale(there: Mapping[str, Place], known: Sequence[Part]) -> list[str]:
    """Return the places whose run has changed, and with DuckDB also those that were read without it."""
    tables, fresh = database.there(), dict[str, Stamp]()
    for part in known:
        data = part.data
        fresh.update(zip(data.places, data.stamps if data.sizes or not tables else repeat(OLD), strict=False))
    return [place for place, now in there.items() if not same(fresh.get(place, OLD), now.stamp)]


def take_in(top: Path, home: Path, there: Mapping[str, Place]) -> None:
    """Read the runs that are new or changed, write them as a part, and merge parts if there are too many."""
    with parts.locked(home, alone=True):
        known = parts.read(home)
        rows: Rows = {table: [] for table in COLUMNS}
        first = parts.unused(known)
        read = (_entry(place, there[place], first + i, rows) for i, place in enumerate(stale(there, known)))
        if entries := [entry for entry in read if entry]:
            parts.commit(home, entries, rows if database.there() else {})
        known = parts.read(home)
        if len(known) > parts.MOST_PARTS:
            parts.merge(home, known, Known(known, scan(top)).entries)


def _entry(place: str, now: Place, entry: int, rows: Rows) -> Entry | None:
    """Read a run folder and add its rows. Return None if this user may not read it. It is tried again later."""
    folder = Path(now.path)
    if not os.access(folder / "events.jsonl", os.R_OK):
        return None
    from stend import store
    from stend.catalogue import tables  # lazy: findings are needed only if there is a run to read

    try:
        run = store.load(folder)
        about = tables.about(place, folder, run)
        others = list(tables.rows(about, run)) if database.there() else []
    except (StendError, OSError) as error:
        return Entry(place, now.stamp, entry, plain(str(error)) or type(error).__name__, None)
    except Exception as error:  # a run that causes a defect must not hide all others
        return Entry(place, now.stamp, entry, plain(f"a defect in stend ({type(error).__name__}: {error})"), None)
    rows["runs"].append({"entry": entry} | {name: getattr(about, name) for name in about.__struct_fields__})
    for table, row in others:
        rows[table].append({"entry": entry} | row)
    return Entry(place, now.stamp, entry, "", about)
