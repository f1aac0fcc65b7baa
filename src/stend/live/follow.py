"""A reader of a run folder that returns only the events appended since its last call."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from stend.live import clock
from stend.live.course import Course
from stend.live.state import State, state
from stend.model.events import Event, Started
from stend.store import journal


class Follower:
    """One run: `news` returns its new events and folds them into its course."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.course = folder, Course()
        self.record = journal.Record(folder)
        self._file = self._stat()
        self.since: clock.Mark | None = None
        self._joined = False

    def news(self, most: int | None = None) -> Iterator[Event]:
        """Yield at most `most` new events. Raise BadInput if the record is broken."""
        now = self._stat()
        if now[0] != self._file[0] or now[1] < self.record.whole_bytes:
            self.course, self.record = Course(), journal.Record(self.folder)  # another file: the copy was replaced
        self._file = now
        for event in islice(self.record, most):
            self.course.add(event)
            self.since = None if isinstance(event, Started) else self.since
            yield event
        if self.since is None and self.course.started and clock.work(self.course):
            self.since = (clock.mark if self._joined else clock.begin)(self.course)
        self._joined = True

    @property
    def grown(self) -> bool:
        """Return whether the record has grown since the last read, by its size alone."""
        return self._stat()[1] > self.record.whole_bytes + self.record.torn_bytes

    @property
    def state(self) -> State:
        """Return the state of the run now."""
        return state(self.folder, self.course)

    def _stat(self) -> tuple[int, int]:
        """Return (inode, size) of the record, or (0, 0) if it cannot be read."""
        try:
            status = os.stat(journal.events_of(self.folder))
        except OSError:
            return (0, 0)
        return (status.st_ino, status.st_size)
