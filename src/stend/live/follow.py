"""A run folder followed: what was appended since it was last looked at, never what was read before."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stend.live.course import Course
from stend.live.state import State, state
from stend.model.events import Event
from stend.store import journal


class Follower:
    """One run: `news` are its events since the last time, folded into its course as they pass."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.course = folder, Course()
        self.record = journal.Record(folder)
        self._file = self._looked()

    def news(self, most: int | None = None) -> Iterator[Event]:
        """At most so many events that were not told yet. BadInput where the record is broken."""
        now = self._looked()
        if now[0] != self._file[0] or now[1] < self.record.whole_bytes:
            self.course, self.record = Course(), journal.Record(self.folder)  # another file: a copy was renewed
        self._file = now
        for event in islice(self.record, most):
            self.course.add(event)
            yield event

    @property
    def grown(self) -> bool:
        """Whether there is anything that was not read yet; asks for the size alone."""
        return self._looked()[1] > self.record.whole_bytes + self.record.torn_bytes

    @property
    def at_bytes(self) -> int:
        """How far the record was read."""
        return self.record.whole_bytes

    @property
    def state(self) -> State:
        """What the run is now."""
        return state(self.folder, self.course)

    def _looked(self) -> tuple[int, int]:
        """(inode, size) of the record; a folder that is gone is as it was."""
        try:
            found = os.stat(journal.events_of(self.folder))
        except OSError:
            return (0, 0)
        return (found.st_ino, found.st_size)
