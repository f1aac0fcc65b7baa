"""Memory that the process that sends the IOs shares with the process that reads its counts.

The sender writes a snapshot of its counts at each interval and at its end, then increments SNAPSHOTS. It never waits
for the reader, and neither side takes a lock.
"""

import mmap
import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.model.stats import BINS

(
    FED,
    FED_ALL,
    TAKEN,
    STOP,
    SNAPSHOTS,
    ERRNO,
    FAILED_AT,
    BEGAN,
    BEAT,
    ANSWERED,
    FLYING,
    NEXT_SNAPSHOT,
    INTERVAL,
    OVER,
    BLAMED,
    SLEPT,
    LEFT_OUT,
) = range(17)
"""Places in `at`. Times are ns of the monotonic clock, and those after BEGAN count from it, as the schedule does.

FED and TAKEN: IOs of the schedule that were read and sent. BEAT: the time of the sender's last round. ANSWERED: the
time of the drive's last answer. FLYING: IOs in flight. BLAMED: 1 while IOs are late because the queue was full. SLEPT:
how often the sender had slept by its last round. LEFT_OUT: discards of the trace that are not sent, known once FED_ALL
is set.
"""
WORDS = 17
READ, WRITE, FLUSH, DISCARD, LATENESS = range(5)
"""Rows of bins and, without the last one, of sums. The first four are the operations."""
SENT, LATE, FULL, LATEST, UNTIL, UNSENT = range(6)
"""Words of a snapshot.

SENT: IOs of a schedule that were sent. LATE: those more than LATE_NS late. FULL: the late ones that waited for room in
the queue. LATEST: the longest lateness in ns since the last snapshot. UNTIL: the time of the snapshot in ns. UNSENT:
IOs of an open loop that are due and wait for room.
"""
LATE_NS = 1_000_000
SLOTS = 16


class Ledger(NamedTuple):
    """The counts since the load began."""

    sums: npt.NDArray[np.float64]
    """[4, 5]: IOs, bytes, sum of ns, sum of ns^2, longest ns since the last snapshot"""
    bins: npt.NDArray[np.int64]
    """[5, BINS]: IOs by fio's latency bins. The last row is lateness"""
    words: npt.NDArray[np.int64]


class Shared(NamedTuple):
    """The shared memory as arrays. The first axis of `sums`, `bins` and `words` is the slot of a snapshot."""

    at: npt.NDArray[np.int64]
    sums: npt.NDArray[np.float64]
    bins: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]


LAYOUT = (
    ("at", "i8", (WORDS,)),
    ("sums", "f8", (SLOTS, 4, 5)),
    ("bins", "i8", (SLOTS, 5, BINS)),
    ("words", "i8", (SLOTS, 8)),
)
SIZE = sum(8 * int(np.prod(shape)) for _, _, shape in LAYOUT)


def made() -> int:
    """Create shared memory filled with zeros and return its descriptor."""
    fd = os.memfd_create("stend-replay", 0)
    os.truncate(fd, SIZE)
    return fd


def mapped(fd: int) -> Shared:
    """Map the memory of a descriptor as arrays."""
    room, at, arrays = mmap.mmap(fd, SIZE), 0, list[Any]()
    for _, kind, shape in LAYOUT:
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(room, kind, count, at).reshape(shape))
        at += 8 * count
    return Shared(*arrays)


def nothing() -> Shared:
    """Return private memory of a load that stops before its first IO, to compile the kernels with."""
    at, *arrays = (np.zeros(shape, kind) for _, kind, shape in LAYOUT)
    at[STOP], at[NEXT_SNAPSHOT] = 1, 1 << 62
    return Shared(at, *arrays)


def ledger() -> Ledger:
    """Return counts of 0."""
    return Ledger(np.zeros((4, 5)), np.zeros((5, BINS), np.int64), np.zeros(8, np.int64))
