"""The process that reads for a survey: `python -m stend.engines.survey.reader TASK`. It prints a Line per interval.

It is a separate process, because a process that waits for a dead drive can be neither stopped nor abandoned by itself.
The descriptor is read-only.
"""

import errno
import mmap
import os
import select
import sys
import time
from collections.abc import Iterator

import msgspec
import numpy as np

from stend.engines.survey.collected import Collected, Visited
from stend.engines.survey.task import Line, Task
from stend.engines.survey.visits import Visit, visits
from stend.model.surveyed import Unread
from stend.model.tally import Tally

GONE = (errno.ENODEV, errno.ENXIO, errno.EBADF, errno.EINVAL, errno.ENOMEM)
"""Errors that are not of a place: the drive is no longer there, or the request cannot be made."""
NARROW_S = 20.0
"""Seconds for reading the parts of a failed block one by one. Parts not read by then count as unreadable."""
MOST_IN_A_ROW = 200
"""Failed reads in a row after which the drive counts as not answering."""


def opened(path: str) -> int:
    """Return a read-only descriptor of the drive, without the page cache where the file system allows that."""
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


class Reader:
    """A survey in progress."""

    def __init__(self, task: Task, fd: int) -> None:
        self.task, self.fd, self.block = task, fd, task.workload.block_bytes
        self.memory = mmap.mmap(-1, max(self.block, task.unit_bytes))
        self.whole, self.words = memoryview(self.memory)[: self.block], np.frombuffer(self.memory, np.uint64)
        self.collected, self.tally = Collected(task.workload), Tally()
        self.end = task.workload.start_bytes + task.workload.range_bytes
        self.in_a_row = 0
        self.since = time.monotonic()

    def run(self) -> None:
        """Read until the end of the survey, or until a line or the end of standard input requests the end."""
        task, fault = self.task, ""
        try:
            for visit in visits(task.workload, task.seed, task.from_bytes):
                self.visit(visit)
                self.print_due()
                if self.in_a_row >= MOST_IN_A_ROW:
                    fault = f"{self.in_a_row} reads in a row failed"
                    break
                if select.select([sys.stdin], [], [], 0)[0]:
                    break
        except OSError as error:
            fault = error.strerror or str(error)
        self.print(over=True, fault=fault)

    def visit(self, visit: Visit) -> None:
        """Read the blocks of a visit."""
        times: list[int] = []
        zeros: list[bool] = []
        for at in visit.offsets.tolist():
            began = time.perf_counter_ns()
            error = self.failure(self.whole, at)
            took = time.perf_counter_ns() - began
            if error is None:
                self.in_a_row = 0
                times.append(took)
                zeros.append(not self.task.rotational and not self.words.any())
            else:
                self.in_a_row += 1
                self.collected.fail(self.narrowed(at, error))
            if at + self.block >= self.end:
                self.collected.last = error is None
            if error is not None:
                self.print_due()
        self.tally += self.collected.add(
            Visited(visit.cell, times, zeros, len(times) == len(visit.offsets)), self.block
        )

    def failure(self, into: memoryview, at: int) -> int | None:
        """Read once. Return None, the errno of the place, or 0 if fewer bytes came. Raise OSError for other errors."""
        try:
            return None if os.preadv(self.fd, [into], at) == len(into) else 0
        except OSError as error:
            if error.errno in GONE:
                raise
            return error.errno or 0

    def narrowed(self, at: int, error: int) -> Iterator[Unread]:
        """Read a failed block again in parts. Yield the unreadable stretches, or the block if all could be read."""
        until, unit, stretch, bad = time.monotonic() + NARROW_S, self.task.unit_bytes, 0, False
        for place in range(at, at + self.block, unit):
            with memoryview(self.memory)[:unit] as part:
                failed = time.monotonic() > until or self.failure(part, place) is not None
            self.print_due()
            stretch, bad = stretch + unit * failed, bad or failed
            if stretch and not failed:
                yield Unread(place - stretch, stretch, error)
                stretch = 0
        if stretch:
            yield Unread(at + self.block - stretch, stretch, error)
        if not bad:
            yield Unread(at, self.block, error, True)

    def print_due(self) -> None:
        """Print a line if an interval has passed."""
        if time.monotonic() - self.since >= self.task.interval_s:
            self.print()

    def print(self, *, over: bool = False, fault: str = "") -> None:
        """Print everything since the line before."""
        now, places = time.monotonic(), self.collected.taken()
        line = Line(seconds=now - self.since, read=self.tally, places=places, over=over, fault=fault)
        self.since, self.tally = now, Tally()
        sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    given = msgspec.json.decode(sys.argv[1], type=Task)
    Reader(given, opened(given.path)).run()
