"""The state of a run folder: running, ended, cut off, or written by another host."""

import time
from pathlib import Path
from typing import Literal, NamedTuple

from stend.base.text import typed
from stend.live.course import Course
from stend.store import journal, writer

Word = Literal["running", "ended", "cut off", "elsewhere"]
SILENT_S = 120
"""Seconds without growth after which a copied folder may belong to a run that has ended."""


class State(NamedTuple):
    """The state of a run as a word and as a sentence."""

    word: Word
    sentence: str


def way_on(folder: Path, destroy: str = "") -> str:
    """Return the command that continues a run. `destroy` names its drive for use without a terminal."""
    named = f" --destroy-data {typed(destroy)}" if destroy else ""
    return f"`stend resume {typed(folder)}{named}` continues it"


def state(folder: Path, course: Course) -> State:
    """Return the state of a run. A run whose record has its end has ended, even if a process holds the folder."""
    if course.ended:
        reason = f": {course.ended.reason}" if course.ended.reason else ""
        return State("ended", f"{course.ended.outcome}{reason}")
    held = writer.holder(folder)
    if held.alive:
        return State("running", f"running (process {held.owner.pid})")
    if held.alive is None:
        return State("elsewhere", f"written by {held.owner.host.name}; {_age(folder)}")
    return State("cut off", f"cut off: its process has exited; {way_on(folder)}")


def _age(folder: Path) -> str:
    """Return how long ago the record grew, as text."""
    try:
        ago = time.time() - journal.events_of(folder).stat().st_mtime
    except OSError:
        return "its record cannot be read"
    return (
        f"no new event for {ago:.0f} s: it may have ended there"
        if ago > SILENT_S
        else f"last event {max(ago, 0):.0f} s ago"
    )
