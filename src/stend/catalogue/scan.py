"""Find run folders, and detect which of them have changed."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from stend.base.text import plain
from stend.catalogue.parts import Stamp


class Place(NamedTuple):
    """A run folder as it is now: its path and its stamp."""

    path: str
    stamp: Stamp


UNCHECKED = -1
"""Time of a manifest that was not checked."""


def scan(top: Path, *, manifests: bool = True) -> dict[str, Place]:
    """Return the run folders in `top` and in its folders, by their path below it. `manifests` are checked too."""
    return _below(str(top), _names(str(top)), manifests)


def same(known: Stamp, now: Stamp) -> bool:
    """Return True if a run is unchanged, as far as it was checked now."""
    return known == now or (now[2] == UNCHECKED and known[:2] == now[:2])


def place_of(top: Path, name: str) -> dict[str, Place]:
    """Return the run folder of this name in `top`, or the run folders in the folder of this name."""
    return _below(str(top), [name])


def _below(top: str, names: Iterable[str], manifests: bool = True) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for name in names:
        stamp = _stamp(f"{top}/{name}", manifests)
        if stamp:
            places[plain(name)] = Place(f"{top}/{name}", stamp)
        elif stamp is None:
            for inner in _names(f"{top}/{name}"):
                if stamp := _stamp(f"{top}/{name}/{inner}", manifests):
                    places[plain(f"{name}/{inner}")] = Place(f"{top}/{name}/{inner}", stamp)
    return places


def _names(folder: str) -> list[str]:
    with suppress(OSError):
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    return []


def _stamp(folder: str, manifests: bool) -> Stamp | tuple[()] | None:
    """Return a run's stamp, or None for a folder without a run, () for anything that is not a folder."""
    try:
        events = os.stat(f"{folder}/events.jsonl")
    except FileNotFoundError:
        return None
    except PermissionError:
        return _closed(folder)
    except OSError:
        return ()
    try:
        changed_ns = os.stat(f"{folder}/manifest.toml").st_mtime_ns if manifests else UNCHECKED
    except OSError:
        changed_ns = 0
    return events.st_size, events.st_mtime_ns, changed_ns


def _closed(folder: str) -> Stamp | tuple[()]:
    """Return a stamp of a folder that this user may not open, so that it is listed, and () for anything else."""
    from stend.store.journal import is_run  # lazy: not needed to list runs

    with suppress(OSError):
        if is_run(Path(folder)):
            return 0, os.stat(folder).st_mtime_ns, 0
    return ()
