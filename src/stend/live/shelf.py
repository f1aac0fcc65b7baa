"""Which runs there are below a folder, and the one that an address names: never anything outside of it."""

from pathlib import Path
from typing import Any

import msgspec

from stend import catalogue
from stend.base.errors import BadInput
from stend.store import journal


class Shelf:
    """A folder of runs, or of folders of them."""

    def __init__(self, top: Path) -> None:
        if not top.is_dir():
            raise BadInput(f"{top} is no folder of runs; `stend run` makes runs/, any other can be named")
        self.top = top.resolve()

    def rows(self) -> list[dict[str, Any]]:
        """One row a run, the latest first; broken ones with `error`. What grows is told by who follows it."""
        with catalogue.opened(self.top, growing=False) as known:
            told = [msgspec.structs.asdict(one) for one in reversed(known.runs)]
            return [*({"run": one.run, "error": one.why} for one in known.broken), *told]

    def folder(self, name: str) -> Path | None:
        """The folder of a run; None where there is none of that name inside."""
        if "\0" in name or name.startswith("/"):
            return None
        try:
            found = (self.top / name).resolve()
            inside = found != self.top and found.is_relative_to(self.top)
            events = journal.events_of(found)
            return found if inside and events.resolve().is_relative_to(self.top) and events.is_file() else None
        except (OSError, RuntimeError):  # a name that no file can have, links in a circle
            return None
