"""Who of a group is there: each member's word of its process, which others read."""

import os
from pathlib import Path

import msgspec

from stend.base import atomic, regular
from stend.base.process import ticks

WORDS, BEGINNER = ".together", ".all"
"""Where members say how far they are; the name of whoever begins them all."""


class Word(msgspec.Struct, frozen=True):
    """What a member last said: its process, and how many moments it has come to."""

    pid: int
    ticks: int
    moments: int = 0


def say(folder: Path, name: str, moments: int = 0, pid: int = 0) -> None:
    """Who the member of that name is; its own process where no other is told."""
    regular.folder(folder / WORDS)
    pid = pid or os.getpid()
    atomic.write(place(folder, name), msgspec.json.encode(Word(pid, ticks(pid), moments)))


def pid_of(folder: Path, name: str) -> int:
    """The process of a member; 0 where it is not there."""
    word = _told(folder, name)
    return word.pid if word and word.ticks and ticks(word.pid) == word.ticks else 0


def lives(folder: Path, name: str) -> bool:
    """Whether the process of a member is there."""
    return bool(pid_of(folder, name))


def coming(folder: Path, name: str, moments: int) -> bool:
    """Whether a member is to come to that moment still: it lives, or whoever begins them all is to begin it."""
    word = _told(folder, name)
    if word is None:
        return lives(folder, BEGINNER)
    return lives(folder, name) and word.moments < moments


def place(folder: Path, name: str) -> Path:
    """The file of a member's word."""
    return folder / WORDS / f"{name}.json"


def _told(folder: Path, name: str) -> Word | None:
    try:
        return msgspec.json.decode(regular.read(place(folder, name)), type=Word)
    except (OSError, msgspec.MsgspecError):
        return None
