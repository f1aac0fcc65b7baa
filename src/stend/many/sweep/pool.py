"""Many drives at once: worker processes that each run one drive after the other, in process.

Workers are forks of one process that has loaded the simulation and does nothing else (`ready`), never of the program
itself, which may have threads; they end with the process that began them.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, forkserver, get_context, parent_process
from multiprocessing.context import BaseContext

from stend.base.errors import StepFailed
from stend.many.sweep import drives
from stend.many.sweep.design import Design, Point
from stend.many.sweep.folder import Line

AHEAD = 2
"""Drives handed to each worker: one that runs, one that waits."""
READY = "stend.many.sweep.ready"
Worker = Callable[[Design, Point], Line]


def run(design: Design, points: Iterable[Point], workers: int, one: Worker = drives.run) -> Iterator[Line]:
    """The drives as they come to their ends. Whoever stops early loses those that run.

    StepFailed where a worker dies.
    """
    left = iter(points)
    pool = ProcessPoolExecutor(workers, mp_context=beginning(), initializer=_begin)
    try:
        under_way: set[Future[Line]] = set()
        while True:
            while len(under_way) < AHEAD * workers and (point := next(left, None)):
                under_way.add(pool.submit(one, design, point))
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    except BrokenProcessPool as error:
        raise StepFailed("a worker of the sweep died, may be for want of memory; the same command goes on") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def beginning() -> BaseContext:
    """How workers begin: as such forks, or each for itself where no socket can be made (a TMPDIR too long, or none)."""
    context = get_context("forkserver")
    context.set_forkserver_preload([READY])
    try:
        forkserver.ensure_running()
    except OSError:
        return get_context("spawn")
    return context


def _begin() -> None:
    """In a worker: Ctrl-C is for who began it, and its end is this one's end too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
