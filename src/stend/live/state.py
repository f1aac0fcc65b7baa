"""What a run folder is at this moment: running, ended, cut off, or on another host."""

import shlex
import time
from pathlib import Path
from typing import Literal, NamedTuple

from stend.live.course import Course
from stend.store import journal, writer

Word = Literal["running", "ended", "cut off", "elsewhere"]
SILENT_S = 120
"""A copied folder that has not grown for so long may be of a run that is over."""


class State(NamedTuple):
    """A word, and a sentence for a person."""

    word: Word
    said: str


def way_on(folder: Path, destroy: str = "") -> str:
    """Return how a run that did not come to its end goes on; `destroy` names its drive where nobody can be asked."""
    named = f" --destroy-data {shlex.quote(destroy)}" if destroy else ""
    return f"`stend resume {shlex.quote(str(folder))}{named}` goes on with it"


def state(folder: Path, course: Course) -> State:
    """Asked of the record first: a run that told its end has ended, whoever lives."""
    if course.ended:
        reason = f": {course.ended.reason}" if course.ended.reason else ""
        return State("ended", f"{course.ended.outcome}{reason}")
    held = writer.holder(folder)
    if held.alive:
        return State("running", f"running (process {held.owner.pid})")
    if held.alive is None:
        return State("elsewhere", f"written by {held.owner.host.name}; {_heard(folder)}")
    return State("cut off", f"cut off: its process is gone; {way_on(folder)}")


def _heard(folder: Path) -> str:
    try:
        ago = time.time() - journal.events_of(folder).stat().st_mtime
    except OSError:
        return "its record cannot be read"
    return (
        f"nothing new for {ago:.0f} s: it may be over there"
        if ago > SILENT_S
        else f"last heard {max(ago, 0):.0f} s ago"
    )
