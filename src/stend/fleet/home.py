"""How a run folder comes home: every file with its hash, and last the one that makes it a run."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stend.base import atomic
from stend.base.errors import BadInput, StepFailed
from stend.fleet import tasks

Ask = Callable[..., Any]
"""Has a task of `stend.fleet.tasks` done where the run is."""


def brought(ask: Ask, fleet: str, cell: str, folder: Path) -> bool:
    """Whether it had to be brought: one that is here already is left. StepFailed where a file comes otherwise.

    BadInput where another run is here.
    """
    last = "events.jsonl"
    listing: dict[str, tuple[int, str]] = ask(tasks.listing, fleet, cell)
    if (folder / last).exists():
        if tasks.digest(folder / last) != listing[last][1]:
            raise BadInput(f"{folder} holds another record than the run {cell}; move it away, or name another `into`")
        return False
    for name in sorted(listing, key=lambda name: (name == last, name)):
        size, told = listing[name]
        pieces = range(0, size, tasks.PIECE_BYTES)
        data = b"".join(ask(tasks.piece, fleet, cell, name, offset) for offset in pieces)
        if hashlib.sha256(data).hexdigest() != told:
            raise StepFailed(f"{name} of {cell} came otherwise than it was sent; collect it again")
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise StepFailed(f"{name} of {cell} is no file of a run")
        _kept(path, data)
    return True


def _kept(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(path, data)
    except OSError as error:
        why = error.strerror or error
        raise StepFailed(f"{path} cannot be written: {why}; nothing is lost, collect again once it can be") from error
