"""Copy a run folder from its host: every file checked by its hash, and events.jsonl last, which makes it a run."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stend.base import atomic
from stend.base.errors import BadInput, StepFailed
from stend.base.text import plain
from stend.fleet import tasks
from stend.fleet.file import Fleet
from stend.store import journal

Call = Callable[..., Any]
"""Calls a function of `stend.fleet.tasks` on the host of the run."""


COLLECTED = ("ended", "failed")
"""States of runs that are copied. A drive whose run failed is evidence: a plan of acceptance counts it as bad."""


def collected(request: Call, fleet: Fleet, states: Mapping[str, str], tell: Callable[[str], None]) -> list[Path]:
    """Copy the runs that are complete or failed and return their folders. Report the others that do not run."""
    for cell, state in sorted(states.items()):
        if state not in (*COLLECTED, "running"):
            tell(plain(f"{cell}: {state}; it is not collected, and the verdict does not count it"))
    folders = [Path(fleet.into) / cell for cell, state in states.items() if state in COLLECTED]
    for folder in folders:
        if brought(request, fleet.name, folder.name, folder):
            tell(f"{folder.name}: {folder}")
    return folders


def brought(request: Call, fleet: str, cell: str, folder: Path) -> bool:
    """Copy a run folder unless it is here already. Return whether it was copied.

    A run that continued since it was copied is copied again. Raise BadInput if the folder holds another run,
    StepFailed if a file arrives changed or cannot be written.
    """
    listing: dict[str, tuple[int, str]] = request(tasks.listing, fleet, cell)

    def read(name: str, size: int) -> bytes:
        pieces = range(0, size, tasks.PIECE_BYTES)
        return b"".join(request(tasks.piece, fleet, cell, name, offset) for offset in pieces)

    events = journal.events_of(folder)
    if events.exists():
        before = events.read_bytes()
        if hashlib.sha256(before).hexdigest() == listing[events.name][1]:
            return False
        if not before or read(events.name, len(before))[: len(before)] != before:
            raise BadInput(f"{folder} holds another run than {cell}; move it away, or set another `into`")
    for name in sorted(listing, key=lambda name: (name == events.name, name)):
        size, expected = listing[name]
        data = read(name, size)
        if hashlib.sha256(data).hexdigest() != expected:
            raise StepFailed(f"{name} of {cell} was changed on the way; collect it again")
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise StepFailed(f"{name} of {cell} is not a file inside the run folder")
        _write(path, data)
    return True


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, data)
    except OSError as error:
        why = error.strerror or error
        raise StepFailed(f"{path} cannot be written: {why}; nothing is lost; fix that and collect again") from error
