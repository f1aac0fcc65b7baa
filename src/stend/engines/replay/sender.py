"""The process that sends IOs: `python -m stend.engines.replay.sender TASK`, which begins at a line of its input.

It is a separate process, because a thread that waits for a dead drive can be neither stopped nor abandoned by a process
that must finish its record. In a separate process no other work of stend delays an IO.
"""

import contextlib
import ctypes
import gc
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from stend.base.errors import StendError, StepFailed
from stend.engines.mapped import Requests, requests
from stend.engines.replay import aio, discards, kernel
from stend.engines.replay import memory as m
from stend.engines.replay.parts import FD, Flight, flight
from stend.engines.replay.task import GO, READY, Task
from stend.engines.simulated import pattern
from stend.sim.requests import stream
from stend.trace import form

POOL_BYTES = 32 << 20
"""Size of the random data for writes; it is larger if one IO is longer than half of it."""
PIECE_BYTES = 256 << 10
"""Bytes of random data drawn at a time: they stay in the processor's cache, which halves the time."""
AHEAD = 1 << 17
"""The number of IOs of a schedule that are read ahead."""
FEED_S = 0.002
kept: list[mmap.mmap] = []
"""Memory that the kernel reads and writes, kept until the process ends."""
PR_SET_PDEATHSIG, PR_SET_TIMERSLACK = 1, 29


def main(task: Task) -> None:
    """Prepare the load, print READY, wait for GO, and send."""
    # 1. End with the parent, and wake up from sleeps without slack.
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    # 2. Open the target and compile the kernel.
    shared, fd = m.mapped(task.memory), _opened(task)
    under_way = _flight(task, fd)
    send = _played(task, under_way, shared) if task.trace else _drawn(task, under_way, shared)
    send(m.nothing())  # compile the kernel, or load it from the cache
    # 3. Wait for GO and send, without interruptions by the garbage collector.
    sys.stdout.write(f"{READY}\n")
    sys.stdout.flush()
    if sys.stdin.readline().strip() != GO:
        return
    gc.disable()
    _raise_priority(task)
    shared.at[m.INTERVAL] = shared.at[m.NEXT_SNAPSHOT] = task.interval_ns
    shared.at[m.BEGAN] = time.monotonic_ns()
    send(shared)


def _raise_priority(task: Task) -> None:
    """Run before other processes, if the host allows it and has more processors than loads that run together.

    Otherwise a sender that never waits would keep another one from its processor for a tenth of a second.
    """
    if (os.cpu_count() or 1) > task.loads:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def _played(task: Task, under_way: Flight, shared: m.Shared) -> Callable[[m.Shared], None]:
    fd, played = int(under_way.set[FD]), task.workload.replay
    if threads := fd >= 0 and discards.taken(fd):
        discards.start_threads(under_way, shared.at, lambda: _raise_priority(task))
    feed = Feed(task, shared, discards=threads or fd < 0)
    timed = played is not None and played.timed
    return lambda memory: kernel.play(under_way, memory.at, memory, m.ledger(), feed.ring, timed)


def _drawn(task: Task, under_way: Flight, shared: m.Shared) -> Callable[[m.Shared], None]:
    fd = int(under_way.set[FD])
    if task.workload.trim_pct and fd >= 0:
        if not discards.taken(fd):
            raise StepFailed(f"{task.path} takes no trims")
        discards.start_threads(under_way, shared.at, lambda: _raise_priority(task))
    load = msgspec.structs.replace(task.workload, range_bytes=task.range_bytes)
    drawn = pattern(load, seed=task.seed, from_bytes=task.from_bytes, limit_bytes=task.limit_bytes or None)
    requests = stream(drawn, 1)
    return lambda memory: kernel.press(under_way, memory.at, memory, m.ledger(), requests)


def _opened(task: Task) -> int:
    """Open the target with direct IO, for writing only if the load writes; return its descriptor, -1 for no target."""
    if not task.path:
        return -1
    return os.open(task.path, (os.O_RDWR if task.writes else os.O_RDONLY) | os.O_DIRECT)


def _flight(task: Task, fd: int) -> Flight:
    played = task.workload.replay
    longest = played.longest_bytes if played else max(size for size, _ in task.workload.sizes)
    longest += task.block_bytes
    pool = max(POOL_BYTES, 2 * longest)
    room, drawn = mmap.mmap(-1, pool + longest), np.random.default_rng(task.seed)
    for at in range(0, pool if task.writes and fd >= 0 else 0, PIECE_BYTES):
        room[at : at + PIECE_BYTES] = drawn.bytes(PIECE_BYTES)
    kept.append(room)
    address = np.frombuffer(room, np.uint8).ctypes.data
    return flight(task.bound, aio.setup(task.bound) if fd >= 0 else 0, fd, (address, pool, address + pool))


class Feed:
    """Reads the schedule ahead of the compiled loop, in a separate thread."""

    def __init__(self, task: Task, shared: m.Shared, *, discards: bool) -> None:
        self.ring, self.at, self.trace = kernel.ring(AHEAD), shared.at, form.opened(Path(task.trace))
        batches = requests(self.trace, task.workload, task.range_bytes, task.block_bytes, discards=discards)
        self.parts = (part for batch in batches for part in batch.parts(AHEAD // 4))
        self._fill(AHEAD // 2)
        threading.Thread(target=self._fill_all, daemon=True).start()

    def _fill(self, least: int) -> None:
        while self.at[m.FED] < least and not self.at[m.FED_ALL]:
            part = next(self.parts, None)
            if part is None:
                self.at[m.LEFT_OUT] = self.trace.ios - int(self.at[m.FED])
                self.at[m.FED_ALL] = 1
            else:
                self._put(part)

    def _put(self, part: Requests) -> None:
        while self.at[m.FED] + len(part.due) - self.at[m.TAKEN] > AHEAD:
            time.sleep(FEED_S)
        places = (np.arange(len(part.due)) + int(self.at[m.FED])) % AHEAD
        for into, values in zip(self.ring, part, strict=True):
            into[places] = values
        self.at[m.FED] += len(part.due)

    def _fill_all(self) -> None:
        while not self.at[m.FED_ALL]:
            self._fill(1 << 62)


if __name__ == "__main__":
    try:
        main(msgspec.json.decode(sys.argv[1], type=Task))
    except StendError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(error.strerror)
