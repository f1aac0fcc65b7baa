"""Repeat the same runs on a drive, or on two in turns: list the runs of a series, and those that remain."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from stend import store
from stend.base import atomic, untrusted
from stend.base.errors import BadInput
from stend.base.text import typed
from stend.session.request import Request
from stend.store import journal

FILE = "repeat.toml"
SIDES = "ab"
FINISHED = ("complete", "not steady")


class Slot(NamedTuple):
    """A run of a series: its folder, its request, and whether it was started."""

    folder: Path
    request: Request
    number: int
    of: int
    begun: bool


class Series(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`repeats` runs of each request, in turns. `requests` holds one or two, which differ in their drive.

    Every other turn is reversed (ABBA), so that a steady drift of the conditions affects both drives equally. In ABAB
    the second drive would always be later.
    """

    repeats: Annotated[int, Meta(ge=2, le=1000)]
    requests: Annotated[tuple[Request, ...], Meta(min_length=1, max_length=2)]

    def slots(self, folder: Path) -> Iterator[Slot]:
        """Yield every run in its order. Its seed does not depend on the order."""
        sides = range(len(self.requests))
        order = [(turn, which) for turn in range(self.repeats) for which in (sides if turn % 2 == 0 else sides[::-1])]
        for number, (turn, which) in enumerate(order, 1):
            path = folder / f"{SIDES[which]}-{turn + 1:02}"
            base = self.requests[which]
            request = msgspec.structs.replace(
                base, target=of_run(base.target, turn + 1), into=str(path),
                seed=None if base.seed is None else base.seed + turn * len(self.requests) + which,
            )  # fmt: skip
            yield Slot(path, request, number, len(order), journal.is_run(path))

    def left(self, folder: Path) -> Iterator[Slot]:
        """Yield the runs that have not finished. Folders of runs that never started are deleted."""
        for slot in self.slots(folder):
            outcome = ended(slot.folder)
            if outcome is None and slot.folder.exists():
                shutil.rmtree(slot.folder)
            if outcome not in FINISHED:
                yield slot._replace(begun=outcome is not None)


def create(folder: Path, series: Series) -> None:
    """Create a series in a new or empty folder. Raise BadInput if the folder is not empty."""
    if folder.exists() and any(folder.iterdir()):
        way = (
            f"`stend resume {typed(folder)}` continues it" if (folder / FILE).exists() else "name a new one with --into"
        )
        raise BadInput(f"{folder} is not empty; {way}")
    folder.mkdir(parents=True, exist_ok=True)
    plain = {"repeats": series.repeats, "requests": [request.stored for request in series.requests]}
    atomic.write(folder / FILE, msgspec.toml.encode(plain))


def load(folder: Path) -> Series:
    """Load the series of a folder. Raise BadInput if it cannot be read or is not valid."""
    return untrusted.toml(untrusted.kept(folder / FILE, "the series"), Series, f"the series {folder / FILE}")


def of_run(target: str, turn: int) -> str:
    """Return the target of a run: a virtual drive with a spread is another one in each run."""
    varies = target.startswith("sim:") and "spread=" in target and "run=" not in target
    return f"{target}&run={turn}" if varies else target


def ended(folder: Path) -> str | None:
    """Return the outcome of the run in a folder, "" if it has not ended, None if it never started."""
    if not journal.is_run(folder) or next(store.read(folder), None) is None:
        return None
    run = store.load(folder)
    return run.ended.outcome if run.ended else ""
