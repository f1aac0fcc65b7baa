"""A disk's memory: the arrays its kernel works on and the meaning of each place in them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Indices of `parameters`; times in ns.
T_TURN, T_SETTLE, T_SEEK, T_OVERHEAD, OUTER, INNER, CAPACITY, REACH, DIRTY, T_MEMORY = range(10)
CHUNK, T_HIT, T_HIT_READ, T_WRITE_SETTLE, T_COMMAND, LINK, LARGEST, HIT_RATE, THROUGH = range(10, 19)
PARAMETERS = 19
# Indices of `state`.
HEAD, NOW, KNOWN, HELD, CACHE_BUSY, CACHE_NEXT, LINK_BUSY, COMMAND_BUSY, HITS, MISSES, HAND, FAVOUR = range(12)
STATE = 12
FAR = 1 << 62
PAGE = 4096
STREAM = 256 * 1024
"""Reads that go on so near before the head are a stream: it passes the flash cache by, as requests larger than its
chunks do."""
PATIENCE = 2_000_000_000
"""ns after which a waiting host is served before anything that lies nearer: no drive lets a request starve"""


class Disk(NamedTuple):
    """The arrays; places in `queue_*` below `state[KNOWN]` are in use."""

    state: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.int64]
    rng: npt.NDArray[np.uint64]
    queue_at: npt.NDArray[np.int64]
    """byte offset"""
    queue_size: npt.NDArray[np.int64]
    """bytes, negative for reads"""
    queue_slot: npt.NDArray[np.int64]
    """which slot of the loop waits; -1: nobody, the write memory holds it"""
    queue_since: npt.NDArray[np.int64]
    queue_angle: npt.NDArray[np.float64]
    """where around its track it lies, in turns"""
    where: npt.NDArray[np.int64]
    """one more than the place in the cache of each chunk, 0 without one: what nobody asked for takes no memory"""
    holds: npt.NDArray[np.int64]
    """which chunk each place of the cache holds, or -1"""
    valid: npt.NDArray[np.uint64]
    """a bit for each page of it that is there"""
