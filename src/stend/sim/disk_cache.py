"""The flash read cache of a hybrid, a part of the disk kernel: chunks of the disk, first in, first out.

Streams and requests larger than a chunk bypass it.
"""

from typing import Any

from stend.base.jit import i64, inlined, u64
from stend.sim.disk_state import CACHE_NEXT, CHUNK, PAGE, THROUGH

ALL = u64(0xFFFFFFFFFFFFFFFF)


@inlined
def touched(d: Any, chunk: Any, first: Any, end: Any) -> Any:
    """Return the mask of a chunk's pages that are between two pages of the disk, `end` excluded."""
    pages = d.parameters[CHUNK] // PAGE
    low = max(first - chunk * pages, i64(0))
    high = min(end - chunk * pages, pages)
    if high <= low:
        return u64(0)
    return (ALL >> u64(64 - (high - low))) << u64(low)


@inlined
def admit(d: Any, chunk: Any, pages: Any) -> None:
    """Copy pages of a chunk to the flash cache, over the oldest chunk."""
    s = d.state
    if pages == u64(0):
        return
    if d.where[chunk] == 0:
        place = s[CACHE_NEXT]
        s[CACHE_NEXT] = place + 1 if place + 1 < d.holds.shape[0] else 0
        if d.holds[place] >= 0:
            d.where[d.holds[place]] = 0
        d.holds[place] = chunk
        d.valid[place] = u64(0)
        d.where[chunk] = place + 1
    d.valid[d.where[chunk] - 1] |= pages


@inlined
def evict(d: Any, chunk: Any) -> None:
    """Drop a chunk that is being written from the cache. A chunk written whole returns once it is on the disk."""
    if d.where[chunk] > 0:
        d.holds[d.where[chunk] - 1] = -1
        d.where[chunk] = 0


@inlined
def cached(d: Any, offset: Any, size: Any) -> Any:
    """Return True if the flash cache holds the whole range."""
    chunk = d.parameters[CHUNK]
    first, end = offset // PAGE, (offset + size - 1) // PAGE + 1
    for c in range(offset // chunk, (offset + size - 1) // chunk + 1):
        if d.where[c] == 0:
            return False
        wanted = touched(d, c, first, end)
        if d.valid[d.where[c] - 1] & wanted != wanted:
            return False
    return True


@inlined
def kept(d: Any, offset: Any, size: Any, reads: Any, passes: Any) -> Any:
    """Update the cache after a request that the head served. Return the bytes that the head also reads for it."""
    p = d.parameters
    first, last = offset // p[CHUNK], (offset + size - 1) // p[CHUNK]
    for c in range(first, last + 1):
        if passes:
            if not reads:
                evict(d, c)
        elif reads or (c * p[CHUNK] >= offset and (c + 1) * p[CHUNK] <= offset + size):
            admit(d, c, ALL)
        elif p[THROUGH] > 0:
            admit(d, c, touched(d, c, -(-offset // PAGE), (offset + size) // PAGE))
    return (last - first + 1) * p[CHUNK] - size if reads and not passes else i64(0)
