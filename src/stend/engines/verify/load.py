"""A load of threads with direct IO: each takes the next place, makes its content, and writes it or compares it.

numpy and the system calls release Python's lock, so threads work in parallel.
"""

import ctypes
import errno
import mmap
import os
import threading
import time
from typing import NamedTuple

import numpy as np

from stend.base.errors import LoadFailed, StepFailed
from stend.engines._fio_load import busy_cpu_s
from stend.engines._real_time import POLL_S
from stend.engines._room import size_bytes
from stend.engines.verify.content import WORDS, Tag, Words, addressed, bad_ranges, written
from stend.model.counts import Counts
from stend.model.stats import bin_index
from stend.model.tally import Tally
from stend.model.verified import BLOCK, Fault, Range, Verified, folded, of_blocks, summed
from stend.words import Sentence
from stend.words.system import errno_text

MEDIUM = (errno.EIO, errno.ENODATA, errno.EILSEQ, errno.EREMOTEIO, errno.ETIMEDOUT)
"""Errors of single blocks: those that the kernel's block layer reports for the medium, its protection and the target
(block/blk-core.c, `blk_errors`). Any other error ends the step."""
SPLIT_S = 10.0
"""Seconds after which the remaining pieces of a failed IO count as bad without being tried, because a drive may need
seconds for each."""
LIBC = ctypes.CDLL(None)
KEPT = 4096
"""Ranges that are kept until they are folded."""


class Task(NamedTuple):
    """Places of a load: `limit_bytes` from `first_bytes` on, one IO in each `every_bytes`, by threads in order.

    At `end_bytes` it continues at `begin_bytes`. An IO that fails is repeated in pieces of `piece_bytes`.
    """

    path: str
    writes: bool
    tag: Tag
    begin_bytes: int
    first_bytes: int
    end_bytes: int
    io_bytes: int
    every_bytes: int
    limit_bytes: int
    threads: int
    piece_bytes: int


class Buffer:
    """Memory of one thread: aligned to pages for direct IO, and as large again for the expected content."""

    def __init__(self, size: int) -> None:
        self.room = mmap.mmap(-1, 2 * size)
        words = np.frombuffer(self.room, np.uint64).reshape(-1, WORDS)
        self.blocks, self.expected = words[: size // BLOCK], words[size // BLOCK :]


class VerifyLoad:
    """A running load. `began` and `ended` are its first and last IO on the monotonic clock, in seconds.

    `verified` has the blocks so far, bad ones by kind and place.
    """

    def __init__(self, task: Task, *, interval_s: float, silence_s: float) -> None:
        self.task, self.interval_s, self.silence_s = task, interval_s, silence_s
        self.lock, self.place, self.left = threading.Lock(), task.first_bytes, task.limit_bytes
        self.failure: Exception | None = None
        self.blocks, self.bad = 0, list[Range]()
        self.over = self.stopping = False
        self.bins, self.sums = dict[int, int](), [0, 0, 0.0, 0.0, 0.0]
        try:
            flags = os.O_RDWR if task.writes else os.O_RDONLY
            self.fd = os.open(task.path, flags | os.O_DIRECT | os.O_CLOEXEC)
        except OSError as error:
            raise StepFailed(Sentence("target_unopened", target=task.path, why=errno_text(error))) from error
        self.cpu_s = busy_cpu_s()
        self.began = self.ended = self.answered = time.monotonic()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(task.threads)]
        for thread in self.threads:
            thread.start()

    @property
    def verified(self) -> Verified:
        """Return the blocks that were written or compared so far."""
        with self.lock:
            return summed([Verified(blocks=self.blocks, bad=tuple(self.bad))])

    def next(self) -> Counts | None:
        """Return the counts of the next interval, or None once every block is done. Raise StepFailed on failure."""
        if self.over:
            return None
        until = self.ended + self.interval_s
        while self._busy() and time.monotonic() < until:
            self._raise_failure()
            time.sleep(POLL_S)
        self._raise_failure()
        if not self._busy():
            return self._finish()
        return self._since(time.monotonic())

    def stop(self) -> Counts | None:
        """Start no more IOs, wait for those in flight, and return the counts since the last `next`."""
        if self.over:
            return None
        self.stopping = True
        while self._busy():
            self._raise_failure()
            time.sleep(POLL_S)
        self._raise_failure()
        return self._finish()

    def _busy(self) -> bool:
        return any(thread.is_alive() for thread in self.threads)

    def _raise_failure(self) -> None:
        """Raise the error of a thread, or LoadFailed if the drive has answered nothing for too long."""
        silent_s = time.monotonic() - self.answered
        if self.failure is None and silent_s < self.silence_s:
            return
        self.over = self.stopping = True
        if self.failure is None:  # the descriptor stays open, because a thread waits in the kernel with it
            raise LoadFailed(Sentence("drive_silent", s=round(silent_s)))
        for thread in self.threads:
            thread.join(self.silence_s)
        if not self._busy():
            os.close(self.fd)
        raise self.failure

    def _finish(self) -> Counts | None:
        """Flush the drive after writes, close it, and return the last counts."""
        self.over = True
        try:
            if self.task.writes:
                os.fsync(self.fd)
        except OSError as error:
            raise StepFailed(Sentence("drive_unflushed", why=errno_text(error))) from error
        finally:
            os.close(self.fd)
        return self._since(time.monotonic())

    def _since(self, now: float) -> Counts:
        """Return the counts since the last call."""
        cpu_s = busy_cpu_s()
        with self.lock:
            ios, moved, waited, squares, longest = self.sums
            bins, self.bins, self.sums = self.bins, {}, [0, 0, 0.0, 0.0, 0.0]
        tally = Tally(int(ios), int(moved), waited, squares, longest, dict(sorted(bins.items())))
        seconds, busy_s, self.ended, self.cpu_s = now - self.ended, max(cpu_s - self.cpu_s, 0.0), now, cpu_s
        return Counts(seconds, busy_s, *((Tally(), tally) if self.task.writes else (tally, Tally())))

    def _next_place(self) -> tuple[int, int]:
        """Return address and length of the next IO. The length is 0 at the end."""
        with self.lock:
            place = self.place if self.place < self.task.end_bytes else self.task.begin_bytes
            size = min(self.task.io_bytes, self.left, self.task.end_bytes - place)
            if self.stopping or self.failure or size <= 0:
                return 0, 0
            self.place, self.left = place + self.task.every_bytes, self.left - size
            return place, size

    def _work(self) -> None:
        """Write or compare until the end, in one thread."""
        try:
            buffer = Buffer(self.task.io_bytes)
            while (taken := self._next_place())[1]:
                self._one(buffer, *taken)
        except MemoryError:
            self.failure = StepFailed(Sentence("load_memory"))
        except Exception as error:  # raised again by the thread that reads the counts
            self.failure = error

    def _one(self, buffer: Buffer, place: int, size: int) -> None:
        blocks, expected = buffer.blocks[: size // BLOCK], buffer.expected[: size // BLOCK]
        written(blocks if self.task.writes else expected, addressed(place, size // BLOCK), self.task.tag)
        began = time.monotonic_ns()
        bad = self._moved(blocks, place)
        took_ns = time.monotonic_ns() - began
        if not self.task.writes:
            bad = [*bad, *self._compared(blocks, expected, bad)]
        self._count(size, took_ns, bad)

    def _moved(self, blocks: Words, place: int) -> list[Range]:
        """Write or read blocks. Return those that failed. Repeat a failed IO in pieces."""
        if self._io(blocks, place):
            return []
        self._check_presence()
        bad, step, until = list[Range](), self.task.piece_bytes // BLOCK, time.monotonic() + SPLIT_S
        for first in range(0, len(blocks), step):
            piece = blocks[first : first + step]
            fine = time.monotonic() < until and self._io(piece, place + first * BLOCK)
            again: Fault = "unwritable" if self.task.writes else "reread" if fine else "unreadable"
            if not (fine and self.task.writes):
                bad.append(of_blocks(again, place + first * BLOCK, len(piece)))
        return list(folded(bad))

    def _io(self, blocks: Words, place: int) -> bool:
        """Write or read blocks. Return False for an error of the medium. Raise StepFailed for any other error."""
        view, done = blocks.data.cast("B"), 0
        try:
            while done < len(view):
                call = os.pwritev if self.task.writes else os.preadv
                count = call(self.fd, [view[done:]], place + done)
                if not count:
                    raise StepFailed(Sentence("drive_ended", at=place + done))
                done += count
        except OSError as error:
            if error.errno in MEDIUM:
                return False
            raise StepFailed(Sentence("drive_io_failed", at=place + done, why=errno_text(error))) from error
        finally:
            self.answered = time.monotonic()
        return True

    def _check_presence(self) -> None:
        """Raise StepFailed if the target is gone or shorter than its range. Its IOs then fail for that reason."""
        size = size_bytes(self.task.path)
        if size < self.task.end_bytes:
            raise StepFailed(Sentence("drive_shrunk", size=size))

    def _compared(self, blocks: Words, expected: Words, failed: list[Range]) -> list[Range]:
        """Return the ranges of blocks that differ from what was written, without those that could not be read."""
        places = (ctypes.c_void_p(words.ctypes.data) for words in (blocks, expected))
        if LIBC.memcmp(*places, ctypes.c_size_t(blocks.nbytes)) == 0:
            return []
        unread = [part for part in failed if part.fault == "unreadable"]
        if unread:
            kept = np.ones(len(blocks), bool)
            first = int(expected[0, 1])
            for part in unread:
                kept[(part.first_bytes - first) // BLOCK : (part.end_bytes - first) // BLOCK] = False
            blocks, expected = blocks[kept], expected[kept]
        return list(bad_ranges(blocks, expected, self.task.tag))

    def _count(self, size: int, took_ns: int, bad: list[Range]) -> None:
        with self.lock:
            ios, moved, waited, squares, longest = self.sums
            self.sums = [ios + 1, moved + size, waited + took_ns, squares + took_ns**2, max(longest, took_ns)]
            slot = bin_index(took_ns)
            self.bins[slot] = self.bins.get(slot, 0) + 1
            self.blocks += size // BLOCK
            self.bad += bad
            if len(self.bad) > KEPT:
                self.bad = list(folded(self.bad))
