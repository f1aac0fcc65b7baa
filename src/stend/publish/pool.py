"""Processes that make drives in parallel. A process that dies fails its drive, not the site."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from stend.base.errors import StepFailed
from stend.many.sweep import pool
from stend.publish.drive import Made, Order, make

READY = "stend.publish.drive"
FEW = 3
"""So few drives are made sooner than another process starts."""


def run(orders: Sequence[Order], workers: int) -> Iterator[Made]:
    """Yield the drives as they are made. Raise StepFailed if a process dies."""
    if len(orders) <= FEW or workers < 2:
        yield from map(make, orders)
        return
    executor = ProcessPoolExecutor(workers, mp_context=pool.context(READY), initializer=pool.begin)
    try:
        with pool.held():
            under_way = [executor.submit(make, order) for order in orders]
        for done in as_completed(under_way):
            yield done.result()
    except BrokenProcessPool as error:
        raise StepFailed("a process that makes pages died, possibly for lack of memory; repeat the command") from error
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
