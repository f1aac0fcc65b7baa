"""The same runs again and again, of one drive or of two in turns: which there are to be, and which are left."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from stend import store
from stend.base import atomic, untrusted
from stend.base.errors import BadInput
from stend.session.request import Request
from stend.store import journal

WORD = "repeat.toml"
SIDES = "ab"
FINISHED = ("complete", "not steady")


class Slot(NamedTuple):
    """One run of a series: where, what, and whether it was begun."""

    folder: Path
    request: Request
    number: int
    of: int
    begun: bool


class Series(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`repeats` runs of each request, in turns (ABAB); `requests` is one, or two that differ in their drive."""

    repeats: Annotated[int, Meta(ge=2, le=1000)]
    requests: Annotated[tuple[Request, ...], Meta(min_length=1, max_length=2)]

    def slots(self, folder: Path) -> Iterator[Slot]:
        """Every run in its order."""
        for number in range(self.repeats * len(self.requests)):
            turn, which = divmod(number, len(self.requests))
            path = folder / f"{SIDES[which]}-{turn + 1:02}"
            own = self.requests[which]
            request = msgspec.structs.replace(
                own, target=of_run(own.target, turn + 1), seed=None if own.seed is None else own.seed + number,
                into=str(path),
            )  # fmt: skip
            yield Slot(path, request, number + 1, self.repeats * len(self.requests), (path / "events.jsonl").exists())

    def left(self, folder: Path) -> Iterator[Slot]:
        """Those that have not come to their end; what is left of one that never started is taken away."""
        for slot in self.slots(folder):
            how = ended(slot.folder)
            if how is None and slot.folder.exists():
                shutil.rmtree(slot.folder)
            if how not in FINISHED:
                yield slot._replace(begun=how is not None)


def create(folder: Path, series: Series) -> None:
    """A new series in a new or empty folder. BadInput where something is there."""
    if folder.exists() and any(folder.iterdir()):
        way = f"`stend resume {folder}` goes on with it" if (folder / WORD).exists() else "name a new one with --into"
        raise BadInput(f"{folder} is not empty; {way}")
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / WORD, msgspec.toml.encode(_told(series)))


def load(folder: Path) -> Series:
    """The series of a folder. BadInput where there is none, or it cannot be one."""
    return untrusted.toml(untrusted.kept(folder / WORD, "the series"), Series, f"the series {folder / WORD}")


def of_run(target: str, turn: int) -> str:
    """A virtual drive with a spread is another in each run; any other is what it is."""
    varies = target.startswith("sim:") and "spread=" in target and "run=" not in target
    return f"{target}&run={turn}" if varies else target


def _told(series: Series) -> dict[str, object]:
    requests = [
        {
            name: value
            for name, value in msgspec.structs.asdict(one).items()
            if value is not None and name not in ("destroy", "overwrite")
        }
        for one in series.requests
    ]
    return {"repeats": series.repeats, "requests": requests}


def ended(folder: Path) -> str | None:
    """How the run of a folder ended, "" where it did not, None where it never started."""
    if not journal.events_of(folder).exists() or next(store.read(folder), None) is None:
        return None
    run = store.load(folder)
    return run.ended.outcome if run.ended else ""
