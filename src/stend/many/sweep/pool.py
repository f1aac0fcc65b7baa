"""A pool of worker processes that run virtual drives.

Workers are forks of one process that has only loaded the simulation (`ready`). They are not forks of the main program,
because that may have threads. They end with the process that started them.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, forkserver, get_context, parent_process, resource_tracker
from multiprocessing.context import BaseContext

from stend.base.errors import StepFailed
from stend.many.sweep import drives
from stend.many.sweep.design import Design, Point
from stend.many.sweep.folder import Line

AHEAD = 2
"""Drives submitted per worker: one that runs, one that waits."""
READY = "stend.many.sweep.ready"
Worker = Callable[[Design, Point], Line]


def run(design: Design, points: Iterable[Point], workers: int, work: Worker = drives.run) -> Iterator[Line]:
    """Yield the drives as their runs end. A caller that stops early loses the running ones.

    Raise StepFailed if a worker dies.
    """
    left = iter(points)
    pool = ProcessPoolExecutor(workers, mp_context=context(), initializer=begin)
    try:
        under_way: set[Future[Line]] = set()
        while True:
            while len(under_way) < AHEAD * workers and (point := next(left, None)):
                with held():
                    under_way.add(pool.submit(work, design, point))
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool as error:
        raise StepFailed(
            "a worker of the sweep died, possibly for lack of memory; repeat the command to continue"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def context(ready: str = READY) -> BaseContext:
    """Return how workers start: as forks, or as new processes if no socket can be made (TMPDIR too long or missing).

    They are forks of a process that has imported the module `ready`.
    """
    forking = get_context("forkserver")
    forking.set_forkserver_preload([ready])
    try:
        resource_tracker.ensure_running()  # its start ends the mask of `held`
        with held():
            forkserver.ensure_running()
    except OSError:
        return get_context("spawn")
    return forking


@contextmanager
def held() -> Iterator[None]:
    """Let Ctrl-C wait until processes have started, which inherit that. A pool that is interrupted there never ends."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = list[int]()
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))  # another thread may get it
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


def begin() -> None:
    """Set up a worker: ignore Ctrl-C, which the parent handles, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
