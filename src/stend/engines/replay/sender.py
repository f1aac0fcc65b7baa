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
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from stend.base.errors import StendError, StepFailed
from stend.engines.mapped import Requests, requests
from stend.engines.replay import aio, discards, kernel
from stend.engines.replay import memory as m
from stend.engines.replay.parts import FD, Flight, flight
from stend.engines.replay.task import GO, READY, Task
from stend.engines.simulated import Drawing, pattern
from stend.model.workload import Workload
from stend.sim.arrivals import Arrivals
from stend.sim.requests import stream
from stend.trace import form
from stend.trace.form import FUA, READ, WRITE

POOL_BYTES = 32 << 20
"""Size of the random data for writes. It is larger if one IO is longer than half of it."""
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
    scheduled = task.trace or task.workload.rate_iops
    send = _played(task, under_way, shared) if scheduled else _drawn(task, under_way, shared)
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
    if played is None:
        feed = Feed(arriving(_placed(task), **_drawing(task)), shared)
    else:
        trace = form.opened(Path(task.trace))
        batches = requests(trace, task.workload, task.range_bytes, task.block_bytes, discards=threads or fd < 0)
        feed = Feed(batches, shared, trace.ios)
    timed, from_due = played is None or played.timed, played is None
    return lambda memory: kernel.play(under_way, memory.at, memory, m.ledger(), feed.ring, timed, from_due)


def _drawn(task: Task, under_way: Flight, shared: m.Shared) -> Callable[[m.Shared], None]:
    if task.workload.trim_pct and (fd := int(under_way.set[FD])) >= 0:
        if not discards.taken(fd):
            raise StepFailed(f"{task.path} takes no trims")
        discards.start_threads(under_way, shared.at, lambda: _raise_priority(task))
    requests = stream(pattern(_placed(task), **_drawing(task)), 1)
    flags = aio.DSYNC if task.workload.sync == "fua" else 0
    return lambda memory: kernel.press(under_way, memory.at, memory, m.ledger(), requests, flags)


def _placed(task: Task) -> Workload:
    return msgspec.structs.replace(task.workload, range_bytes=task.range_bytes)


def _drawing(task: Task) -> Drawing:
    return {"seed": task.seed, "from_bytes": task.from_bytes, "limit_bytes": task.limit_bytes or None}


def _opened(task: Task) -> int:
    """Open the target with direct IO, for writing only if the load writes. Return its descriptor, -1 for no target."""
    if not task.path:
        return -1
    return os.open(task.path, (os.O_RDWR if task.writes else os.O_RDONLY) | os.O_DIRECT)


def _flight(task: Task, fd: int) -> Flight:
    played = task.workload.replay
    longest = played.longest_bytes if played else max(size for size, _ in task.workload.sizes)
    longest += 2 * task.block_bytes
    pool = max(POOL_BYTES, 2 * longest)
    room, drawn = mmap.mmap(-1, pool + longest), np.random.default_rng(task.seed)
    for at in range(0, pool if task.writes and fd >= 0 else 0, PIECE_BYTES):
        room[at : at + PIECE_BYTES] = drawn.bytes(PIECE_BYTES)
    kept.append(room)
    address = np.frombuffer(room, np.uint8).ctypes.data
    every = task.workload.flush_every if task.workload.sync == "flush" and fd >= 0 else 0
    return flight(task.bound, aio.setup(task.bound) if fd >= 0 else 0, fd, (address, pool, address + pool), every)


class Feed:
    """A thread that reads a schedule ahead of the compiled loop. `ios` is its length, 0 if it is endless."""

    def __init__(self, batches: Iterator[Requests], shared: m.Shared, ios: int = 0) -> None:
        self.ring, self.at, self.ios = kernel.ring(AHEAD), shared.at, ios
        self.parts = (part for batch in batches for part in batch.parts(AHEAD // 4))
        self._fill(AHEAD // 2)
        threading.Thread(target=self._fill_all, daemon=True).start()

    def _fill(self, least: int) -> None:
        while self.at[m.FED] < least and not self.at[m.FED_ALL]:
            part = next(self.parts, None)
            if part is None:
                self.at[m.LEFT_OUT] = max(self.ios - int(self.at[m.FED]), 0)
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


def arriving(workload: Workload, *, seed: int, from_bytes: int, limit_bytes: int | None) -> Iterator[Requests]:
    """Yield the requests of a workload with a rate, endlessly, due in ns from its start. See `Engine.start`."""
    drawn = pattern(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
    for offset, size, due in Arrivals(drawn, workload.rate_iops, even=workload.arrivals == "even"):
        op = np.where(size < 0, READ, WRITE)
        flags = np.full_like(op, FUA if workload.sync == "fua" else 0)
        yield Requests(due, op, flags, offset, np.abs(size), np.zeros_like(op))


if __name__ == "__main__":
    try:
        main(msgspec.json.decode(sys.argv[1], type=Task))
    except StendError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(error.strerror)
