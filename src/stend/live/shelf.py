"""The runs below a folder, and lookup of a run by its name, restricted to that folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend import catalogue
from stend.base.errors import BadInput
from stend.catalogue.choice import choice, chosen, column, parsed
from stend.catalogue.columns import TYPES
from stend.store import journal

READ = 16
"""Number of new runs that one call reads, about half a second: the list of thousands fills up while it is shown."""


class Shelf:
    """A folder with runs, or with folders of runs; with conditions (`catalogue.choice`) only the runs that fulfil all.

    Raise BadInput if it is not a folder, and for an invalid condition.
    """

    def __init__(self, top: Path, where: Sequence[str] = ()) -> None:
        if not top.is_dir():
            raise BadInput(f"{top} is not a folder; name a folder of runs, such as runs/")
        self.top, self.where = top.resolve(), tuple(where)
        for text in where:
            choice(text)

    def rows(
        self, where: Sequence[str] = (), columns: Sequence[str] = (), most: int | None = None
    ) -> list[dict[str, Any]]:
        """Return one row per run that fulfils all conditions (`catalogue.choice`), the latest first.

        Without `columns` a row has all. Without conditions the runs that cannot be read have a row with `error`, and
        new runs beyond the latest `most`, which later calls read, one with `unread`. Growing records are not read
        again. Raise BadInput for an invalid condition or column.
        """
        names = [column(word) for word in columns] or list(TYPES)
        where = (*self.where, *where)
        needed = dict.fromkeys([*names, *(parsed(text)[0] for text in where)])
        with catalogue.opened(self.top, growing=False, most=most) as known:
            runs = chosen(reversed(known.only(*needed)), where)
            rows = [{"run": run.run} | {name: getattr(run, name) for name in names} for run in runs]
            broken = () if where else known.broken
            waiting = () if where else known.unread
            return [
                *({"run": run.run, "error": run.why} for run in broken),
                *rows,
                *({"run": run, "unread": True} for run in waiting),
            ]

    def folder(self, name: str) -> Path | None:
        """Return the folder of a run, or None if the top folder has no run of that name."""
        if "\0" in name or name.startswith("/"):
            return None
        if self.where and name not in {row["run"] for row in self.rows(columns=["run"])}:
            return None
        try:
            place = (self.top / name).resolve()
            inside = place != self.top and place.is_relative_to(self.top)
            events = journal.events_of(place)
            return place if inside and events.resolve().is_relative_to(self.top) and events.is_file() else None
        except (OSError, RuntimeError):  # an impossible file name, or links in a circle
            return None
