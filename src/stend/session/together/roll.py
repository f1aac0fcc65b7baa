"""Presence of the members of a group: each writes a file with its process, which the others read."""

import os
from pathlib import Path

import msgspec

from stend.base import atomic, regular, untrusted
from stend.base.process import ticks

FOLDER, BEGINNER = ".together", ".all"
"""Folder of the members' files; name of the process that starts all members."""


class State(msgspec.Struct, frozen=True):
    """State of a member: its process, and how many common moments it has reached."""

    pid: int
    ticks: int
    moments: int = 0


def enter(folder: Path, name: str, moments: int = 0, pid: int = 0) -> None:
    """Write the state of a member, by default with this process."""
    regular.folder(folder / FOLDER)
    pid = pid or os.getpid()
    atomic.write(place(folder, name), msgspec.json.encode(State(pid, ticks(pid), moments)))


def pid_of(folder: Path, name: str) -> int:
    """Return the process of a member, or 0 if it does not exist."""
    state = _read(folder, name)
    return state.pid if state and state.ticks and ticks(state.pid) == state.ticks else 0


def lives(folder: Path, name: str) -> bool:
    """Return True if the process of a member exists."""
    return bool(pid_of(folder, name))


def coming(folder: Path, name: str, moments: int) -> bool:
    """Return True if a member may still reach that moment: it exists, or the process that will start it does."""
    state = _read(folder, name)
    if state is None:
        return lives(folder, BEGINNER)
    return lives(folder, name) and state.moments < moments


def place(folder: Path, name: str) -> Path:
    """Return the path of a member's file."""
    return folder / FOLDER / f"{name}.json"


def _read(folder: Path, name: str) -> State | None:
    try:
        return msgspec.json.decode(regular.read(place(folder, name)), type=State)
    except (OSError, *untrusted.BROKEN):
        return None
