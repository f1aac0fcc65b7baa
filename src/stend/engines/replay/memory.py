"""What the process that sends the IOs tells the one that counts them: one piece of memory that both have mapped.

The sender writes a snapshot of all it has counted at each interval and when it ends, then raises TOLD; it waits for
nobody, and neither side ever takes a lock.
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
    TOLD,
    ERRNO,
    FAILED_AT,
    BEGAN,
    BEAT,
    ANSWERED,
    FLYING,
    NEXT_TELL,
    INTERVAL,
    OVER,
    BLAMED,
    SLEPT,
    LEFT_OUT,
) = range(17)
"""Words of `at`; times are ns of the monotonic clock, those after BEGAN count from it, as the schedule does.

FED and TAKEN: IOs of the schedule that were read and sent; BEAT: when the sender last came round; ANSWERED: the drive's
last answer; FLYING: IOs in flight; BLAMED: 1 while IOs are late because there was no room in the queue; SLEPT: how
often the sender had gone to sleep when it came round; LEFT_OUT: discards of the trace that are not sent, known once
FED_ALL.
"""
WORDS = 17
READ, WRITE, FLUSH, DISCARD, LATENESS = range(5)
"""Rows of sums (but the last) and bins; the first four as in a trace."""
SENT, LATE, FULL, LATEST, UNTIL = range(5)
"""Words of a snapshot: IOs of a schedule that were sent, those more than LATE_NS late, those of them that waited for
room in the queue, the longest lateness in ns; when it was taken."""
LATE_NS = 1_000_000
SLOTS = 16


class Ledger(NamedTuple):
    """What was done so far."""

    sums: npt.NDArray[np.float64]
    """[4, 5]: IOs, bytes, sum of ns, sum of ns^2, longest ns since the last snapshot"""
    bins: npt.NDArray[np.int64]
    """[5, BINS]: IOs by fio's latency bins; the last row is lateness"""
    words: npt.NDArray[np.int64]


class Shared(NamedTuple):
    """The memory as arrays."""

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
    """A descriptor of new memory, all zeros."""
    fd = os.memfd_create("stend-replay", 0)
    os.truncate(fd, SIZE)
    return fd


def mapped(fd: int) -> Shared:
    """The memory of a descriptor."""
    room, at, arrays = mmap.mmap(fd, SIZE), 0, list[Any]()
    for _, kind, shape in LAYOUT:
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(room, kind, count, at).reshape(shape))
        at += 8 * count
    return Shared(*arrays)


def nothing() -> Shared:
    """Memory of a load that is told to end before it begins."""
    at, *told = (np.zeros(shape, kind) for _, kind, shape in LAYOUT)
    at[STOP], at[NEXT_TELL] = 1, 1 << 62
    return Shared(at, *told)


def ledger() -> Ledger:
    """Nothing done yet."""
    return Ledger(np.zeros((4, 5)), np.zeros((5, BINS), np.int64), np.zeros(8, np.int64))
