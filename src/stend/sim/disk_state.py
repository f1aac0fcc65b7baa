"""A disk's memory: the arrays its kernel works on and the meaning of each place in them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

# Indices of `parameters`; times in ns.
T_TURN, T_SETTLE, T_SEEK, T_OVERHEAD, OUTER, INNER, CAPACITY, REACH, DIRTY, T_MEMORY = range(10)
CHUNK, T_HIT, T_HIT_READ, T_WRITE_SETTLE, T_COMMAND, LINK, LARGEST, HIT_RATE, THROUGH = range(10, 19)
VOLATILE, T_FLUSH = 19, 20
PARAMETERS = 21
# Indices of `state`.
HEAD, NOW, KNOWN, HELD, CACHE_BUSY, CACHE_NEXT, LINK_BUSY, COMMAND_BUSY, HITS, MISSES, HAND, FAVOUR = range(12)
SYNCED, SAFE_AT, WORKED, FLUSHING = range(12, 16)
"""Indices of `state`. SYNCED is 1 if hosts wait until each write is durable. SAFE_AT is the end of the last write from
the write memory, WORKED the time of work in the background, FLUSHING that of the oldest flush that waits, or NO_FLUSH.
"""
STATE = 16
NO_FLUSH = -1
FAR = 1 << 62
PAGE = 4096
STREAM = 256 * 1024
"""A request that starts at most this many bytes after the head belongs to a stream. Streams bypass the flash cache, as
requests larger than its chunks do."""
PATIENCE = 2_000_000_000
"""ns after which the request of a waiting host goes before nearer ones: drives do not let requests starve"""


class Disk(NamedTuple):
    """The arrays that the kernel works on. Places in `queue_*` below `state[KNOWN]` are in use."""

    state: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.int64]
    rng: npt.NDArray[np.uint64]
    queue_at: npt.NDArray[np.int64]
    """byte offset"""
    queue_size: npt.NDArray[np.int64]
    """bytes, negative for reads"""
    queue_slot: npt.NDArray[np.int64]
    """slot of the loop that waits; -1: no slot, because the write memory holds the data"""
    queue_since: npt.NDArray[np.int64]
    queue_angle: npt.NDArray[np.float64]
    """angle on its track, in turns"""
    where: npt.NDArray[np.int64]
    """1 + place in the cache of each chunk, 0 if it is not cached (memory that is never written stays unallocated)"""
    holds: npt.NDArray[np.int64]
    """chunk in each place of the cache, or -1"""
    valid: npt.NDArray[np.uint64]
    """mask of the chunk's pages that are cached"""
