"""The state of a run folder: running, ended, cut off, or written by another host."""

import time
from pathlib import Path
from typing import Literal, NamedTuple

from stend.base.text import typed
from stend.base.units import duration
from stend.live.course import Course
from stend.model.definition import Identity
from stend.store import journal, writer

Word = Literal["running", "ended", "cut off", "elsewhere"]
SILENT_S = 120
"""Seconds without growth after which a copied folder may belong to a run that has ended."""


class State(NamedTuple):
    """The state of a run as a word and as a sentence, and the command that continues a run that was cut off.

    A run of another host is `silent` if its record has not grown for SILENT_S seconds.
    """

    word: Word
    sentence: str
    command: str = ""
    silent: bool = False


def resume(folder: Path, destroy: str = "") -> str:
    """Return the command that continues a run. `destroy` names its drive for use without a terminal."""
    return f"stend resume {typed(folder)}" + (f" --destroy-data {typed(destroy)}" if destroy else "")


def way_on(folder: Path, destroy: str = "") -> str:
    """Return a sentence with the command that continues a run."""
    return f"`{resume(folder, destroy)}` continues it"


def destroyed(drive: Identity) -> str:
    """Return the name that `--destroy-data` needs to resume a run, or an empty string if none is needed or known."""
    from stend import devices

    try:
        return devices.name(drive)
    except OSError:
        return ""


def state(folder: Path, course: Course) -> State:
    """Return the state of a run. A run whose record has its end has ended, even if a process holds the folder."""
    if course.ended:
        reason = f": {course.ended.reason}" if course.ended.reason else ""
        return State("ended", f"{course.ended.outcome}{reason}")
    held = writer.holder(folder)
    if held.alive:
        return State("running", f"running (process {held.owner.pid})")
    if held.alive is None:
        age, silent = _age(folder)
        return State("elsewhere", f"written by {held.owner.host.name}; {age}", silent=silent)
    drive = destroyed(course.started.plan.device) if course.started else ""
    return State("cut off", f"cut off: its process has exited; {way_on(folder, drive)}", resume(folder, drive))


def _age(folder: Path) -> tuple[str, bool]:
    """Return how long ago the record grew, as text, and whether that is long."""
    try:
        ago = time.time() - journal.events_of(folder).stat().st_mtime
    except OSError:
        return "its record cannot be read", True
    if ago > SILENT_S:
        return f"no new event for {duration(ago)}: it may have ended there", True
    return f"last event {duration(round(max(ago, 0)))} ago", False
