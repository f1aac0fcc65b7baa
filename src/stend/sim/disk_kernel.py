"""The mechanical drive: arm, platter, queue, a little protected write memory, and for hybrids a flash read cache.

One head serves one request at a time: of all it knows it takes the one it reaches first (shortest positioning). Writes
that fit the protected memory are answered at once and join the queue as work without a waiting host.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.sim.compiled import compiled, inlined
from stend.sim.kernels import LOW32, count, draw, i64, random64, u64

# Indices of `parameters`; times in ns.
T_TURN, T_SETTLE, T_SEEK, T_OVERHEAD, OUTER, INNER, CAPACITY, REACH, DIRTY, T_MEMORY = range(10)
CHUNK, T_HIT, T_HIT_READ, T_WRITE_SETTLE, T_COMMAND, LINK, LARGEST, HIT_RATE, THROUGH = range(10, 19)
PARAMETERS = 19
# Indices of `state`.
HEAD, NOW, KNOWN, HELD, CACHE_BUSY, CACHE_NEXT, LINK_BUSY, COMMAND_BUSY, HITS, MISSES, HAND = range(11)
STATE = 11
FAR = 1 << 62
PAGE = 4096
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
    where: npt.NDArray[np.int64]
    """place in the cache of each chunk, or -1"""
    holds: npt.NDArray[np.int64]
    """which chunk each place of the cache holds, or -1"""
    valid: npt.NDArray[np.uint64]
    """a bit for each page of it that is there"""


@inlined
def positioning(d: Any, offset: Any, writes: Any) -> Any:
    """ns until the head is at `offset`, from where and when it is: seek, settle, then the platter turns there."""
    s, p = d.state, d.parameters
    distance = abs(offset - s[HEAD])
    ns = 0.0
    if distance > p[LARGEST]:
        ns = p[T_SETTLE] + p[T_SEEK] * np.sqrt(distance / p[CAPACITY])
    if writes and distance != 0:
        ns += p[T_WRITE_SETTLE]
    if distance == 0:
        return i64(0)
    # Where around the track a byte lies: tracks hold what passes in one turn at the zone's rate.
    rate = p[OUTER] - (p[OUTER] - p[INNER]) * (offset / p[CAPACITY])
    turns = offset / (rate * p[T_TURN] * 1e-9)
    angle = turns - np.floor(turns)
    reached = (s[NOW] + ns) / p[T_TURN]
    wait = angle - (reached - np.floor(reached))
    if wait < 0:
        wait += 1.0
    return i64(ns + wait * p[T_TURN])


@inlined
def nearest(d: Any) -> Any:
    """The known request that the head reaches first, or the one whose host has waited too long."""
    s, p = d.state, d.parameters
    best, at = i64(FAR), 0
    many = min(s[KNOWN], p[REACH])
    longest = s[NOW] - PATIENCE
    late = -1
    for n in range(many):
        if d.queue_slot[n] >= 0 and d.queue_since[n] < longest:
            longest, late = d.queue_since[n], n
    if late >= 0:
        return late
    for n in range(many):
        ns = positioning(d, d.queue_at[n], d.queue_size[n] > 0)
        if ns < best:
            best, at = ns, n
    return at


@inlined
def touched(d: Any, chunk: Any, first: Any, end: Any) -> Any:
    """A bit for each page of a chunk that lies between two pages."""
    pages = d.parameters[CHUNK] // PAGE
    low = max(first - chunk * pages, i64(0))
    high = min(end - chunk * pages, pages)
    if high <= low:
        return u64(0)
    return (~u64(0) >> u64(64 - (high - low))) << u64(low)


@inlined
def admit(d: Any, chunk: Any, pages: Any) -> None:
    """Copy pages of a chunk to the flash cache, over the oldest chunk."""
    s = d.state
    if pages == u64(0):
        return
    if d.where[chunk] < 0:
        place = s[CACHE_NEXT]
        s[CACHE_NEXT] = place + 1 if place + 1 < d.holds.shape[0] else 0
        if d.holds[place] >= 0:
            d.where[d.holds[place]] = -1
        d.holds[place] = chunk
        d.valid[place] = u64(0)
        d.where[chunk] = place
    d.valid[d.where[chunk]] |= pages


@inlined
def evict(d: Any, chunk: Any) -> None:
    """A chunk written in part is no longer what the flash holds; written whole it comes back when it is on the disk."""
    if d.where[chunk] >= 0:
        d.holds[d.where[chunk]] = -1
        d.where[chunk] = -1


@inlined
def cached(d: Any, offset: Any, size: Any) -> Any:
    """Whether the flash cache has all of a range."""
    chunk = d.parameters[CHUNK]
    first, end = offset // PAGE, (offset + size - 1) // PAGE + 1
    for c in range(offset // chunk, (offset + size - 1) // chunk + 1):
        if d.where[c] < 0:
            return False
        wanted = touched(d, c, first, end)
        if d.valid[d.where[c]] & wanted != wanted:
            return False
    return True


@inlined
def serve_head(d: Any) -> Any:
    """Serve the request the head reaches first; its place in the queue. Time moves to its end."""
    s, p = d.state, d.parameters
    n = nearest(d)
    offset, size = d.queue_at[n], abs(d.queue_size[n])
    s[NOW] += positioning(d, offset, d.queue_size[n] > 0)
    rate = p[OUTER] - (p[OUTER] - p[INNER]) * (offset / p[CAPACITY])
    s[NOW] += i64(size / rate * 1e9)
    s[HEAD] = offset + size
    if p[CHUNK] > 0:
        first, last = offset // p[CHUNK], (offset + size - 1) // p[CHUNK]
        if d.queue_size[n] < 0:  # the rest of the chunks is read as well
            s[NOW] += i64(((last - first + 1) * p[CHUNK] - size) / rate * 1e9)
        for c in range(first, last + 1):
            whole = d.queue_size[n] < 0 or (c * p[CHUNK] >= offset and (c + 1) * p[CHUNK] <= offset + size)
            if whole:
                admit(d, c, ~u64(0))
            elif p[THROUGH] > 0:
                admit(d, c, touched(d, c, -(-offset // PAGE), (offset + size) // PAGE))
    return n


@inlined
def drop(d: Any, n: Any) -> None:
    """Take a request out of the queue; of those out of the head's reach each takes its place in turn."""
    s, last = d.state, d.state[KNOWN] - 1
    beyond = last + 1 - d.parameters[REACH]
    if beyond > 0:
        s[HAND] = (s[HAND] + 1) % beyond
        carry(d, d.parameters[REACH] + s[HAND], n)
        n = d.parameters[REACH] + s[HAND]
    carry(d, last, n)
    s[KNOWN] = last


@inlined
def carry(d: Any, source: Any, target: Any) -> None:
    """Copy a place of the queue."""
    d.queue_at[target], d.queue_size[target] = d.queue_at[source], d.queue_size[source]
    d.queue_slot[target], d.queue_since[target] = d.queue_slot[source], d.queue_since[source]


@inlined
def join(d: Any, slot: Any, offset: Any, size: Any, at: Any) -> None:
    """Take a request into the queue; one that a host waits for comes within the head's reach."""
    s, n, reach = d.state, d.state[KNOWN], d.parameters[REACH]
    s[KNOWN] = n + 1
    if slot >= 0 and n >= reach:
        s[HAND] += 1
        for i in range(reach):
            inside = (s[HAND] + i) % reach
            if d.queue_slot[inside] < 0:
                carry(d, inside, n)
                n = inside
                break
    d.queue_at[n], d.queue_size[n], d.queue_slot[n], d.queue_since[n] = offset, size, slot, at


@inlined
def accept(d: Any, loop: Any, slot: Any, offset: Any, size: Any, at: Any) -> None:
    """A request arrives: answered from the cache or the write memory, or known to the head from now on."""
    s, p = d.state, d.parameters
    nbytes = abs(size)
    at = max(at, s[COMMAND_BUSY]) + p[T_COMMAND]
    s[COMMAND_BUSY] = at
    if size < 0 and p[CHUNK] > 0 and cached(d, offset, nbytes):
        s[HITS] += 1
        begin = max(at, s[CACHE_BUSY])
        s[CACHE_BUSY] = begin + p[T_HIT_READ] + nbytes * 1000 // p[HIT_RATE]
        loop.heap[slot] = s[CACHE_BUSY] + p[T_HIT]
        return
    if size > 0 and p[CHUNK] > 0 and p[THROUGH] == 0:
        for c in range(offset // p[CHUNK], (offset + size - 1) // p[CHUNK] + 1):
            evict(d, c)
    s[MISSES] += 1
    if size > 0 and s[HELD] + nbytes <= p[DIRTY]:
        s[HELD] += nbytes
        join(d, -1, offset, size, at)
        loop.heap[slot] = at + p[T_MEMORY] + nbytes * 1000 // p[LINK]
    else:
        join(d, slot, offset, size, at)
        loop.heap[slot] = FAR


@inlined
def ask(d: Any, stream: Any, loop: Any, slot: Any, at: Any) -> Any:
    """Give the slot its next request; False when there are none."""
    if stream.at[0] == stream.at[1]:
        draw(stream)
    i = stream.at[0]
    if i == stream.at[1]:
        loop.heap[slot] = FAR
        loop.size[slot] = 0
        loop.at[0] -= 1
        return False
    stream.at[0] = i + 1
    size = -stream.size[i] if stream.reads[i] else stream.size[i]
    loop.issued[slot], loop.size[slot] = at, size
    accept(d, loop, slot, stream.offset[i], size, at)
    return True


@compiled
def serve(d: Any, stream: Any, loop: Any, ledger: Any, until: Any) -> Any:
    """The closed loop up to `until`; `loop.heap` is no heap here: when each slot answers (FAR: at the head)."""
    s = d.state
    slots = loop.heap.shape[0]
    while loop.at[0] > 0:
        slot, soonest = 0, i64(FAR)
        for j in range(slots):
            if loop.heap[j] < soonest:
                slot, soonest = j, loop.heap[j]
        head = s[NOW] if s[KNOWN] > 0 else i64(FAR)
        if min(head, soonest) >= until:
            return True
        if soonest <= head:
            if loop.size[slot] != 0:
                count(ledger, loop.size[slot], soonest - loop.issued[slot])
                loop.at[2] = soonest
            if s[KNOWN] == 0:
                s[NOW] = max(s[NOW], soonest)
            ask(d, stream, loop, slot, soonest)
        else:
            finish(d, loop)
    return False


@inlined
def finish(d: Any, loop: Any) -> None:
    """Let the head do its next piece of work and tell who waits for it."""
    s, p = d.state, d.parameters
    n = serve_head(d)
    if d.queue_slot[n] >= 0:
        loop.heap[d.queue_slot[n]] = (
            s[NOW] + p[T_OVERHEAD] + i64(random64(d.rng) & LOW32) * 50_000 // i64(u64(1) << u64(32))
        )
    else:
        s[HELD] -= d.queue_size[n]
    drop(d, n)


@compiled
def rest(d: Any, until: Any) -> None:
    """Write out what the memory holds while nobody asks."""
    s = d.state
    while s[KNOWN] > 0 and s[NOW] < until:
        n = serve_head(d)
        if d.queue_slot[n] < 0:
            s[HELD] -= d.queue_size[n]
        drop(d, n)
    s[NOW] = max(s[NOW], until)
