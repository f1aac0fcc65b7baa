"""Which run folders there are, and what tells that one has changed."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from stend.base.text import plain
from stend.catalogue.parts import Stamp


class Place(NamedTuple):
    """A run folder as it is now: where, and its stamp."""

    path: str
    stamp: Stamp


UNASKED = -1
"""The time of a manifest that was not looked at."""


def scan(top: Path, *, manifests: bool = True) -> dict[str, Place]:
    """Run folders in `top` and in folders in it, by their path below it as text; `manifests` are looked at too."""
    return _below(str(top), _names(str(top)), manifests)


def alike(known: Stamp, now: Stamp) -> bool:
    """Whether a run is as it was, as far as was looked now."""
    return known == now or (now[2] == UNASKED and known[:2] == now[:2])


def one(top: Path, name: str) -> dict[str, Place]:
    """The same of one run, or one folder of runs, in `top`."""
    return _below(str(top), [name])


def _below(top: str, names: Iterable[str], manifests: bool = True) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for name in names:
        stamp = _stamp(f"{top}/{name}", manifests)
        if stamp:
            found[plain(name)] = Place(f"{top}/{name}", stamp)
        elif stamp is None:
            for inner in _names(f"{top}/{name}"):
                if stamp := _stamp(f"{top}/{name}/{inner}", manifests):
                    found[plain(f"{name}/{inner}")] = Place(f"{top}/{name}/{inner}", stamp)
    return found


def _names(folder: str) -> list[str]:
    with suppress(OSError):
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    return []


def _stamp(folder: str, manifests: bool) -> Stamp | tuple[()] | None:
    """A run's stamp; None of a folder that holds none, () of what is no folder."""
    try:
        events = os.stat(f"{folder}/events.jsonl")
    except FileNotFoundError:
        return None
    except OSError:
        return ()
    try:
        asked = os.stat(f"{folder}/manifest.toml").st_mtime_ns if manifests else UNASKED
    except OSError:
        asked = 0
    return events.st_size, events.st_mtime_ns, asked
