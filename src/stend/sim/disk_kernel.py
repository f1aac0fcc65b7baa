"""The mechanical drive: arm, platter, queue, a little protected write memory, and for hybrids a flash read cache.

One head serves one request at a time: of the known requests it takes the one it reaches first (shortest positioning).
Writes that fit into the protected memory are answered immediately and join the queue as work without a waiting host.
"""

from typing import Any

import numpy as np

from stend.base.jit import compiled, i64, inlined, prefetch, u64
from stend.sim.disk_cache import cached, evict, kept
from stend.sim.disk_state import (
    CACHE_BUSY,
    CAPACITY,
    CHUNK,
    COMMAND_BUSY,
    DIRTY,
    FAR,
    FAVOUR,
    FLUSHING,
    HAND,
    HEAD,
    HELD,
    HIT_RATE,
    HITS,
    INNER,
    KNOWN,
    LARGEST,
    LINK,
    MISSES,
    NO_FLUSH,
    NOW,
    OUTER,
    PATIENCE,
    REACH,
    SAFE_AT,
    STREAM,
    SYNCED,
    T_COMMAND,
    T_FLUSH,
    T_HIT,
    T_HIT_READ,
    T_MEMORY,
    T_OVERHEAD,
    T_SEEK,
    T_SETTLE,
    T_TURN,
    T_WRITE_SETTLE,
    THROUGH,
    VOLATILE,
    WORKED,
)
from stend.sim.draws import LOW32, random64
from stend.sim.kernels import (
    LATER,
    NONE,
    answered,
    awake,
    flush_due,
    held_up,
    issue_time,
    made_durable,
    next_of,
    spend,
    worked,
)
from stend.sim.requests import EVERY, FUA, NOT_FLUSHING, PLAN, TURNS, WORK


@inlined
def seek(d: Any, distance: Any) -> Any:
    """Return the ns that the arm takes to move this distance in bytes."""
    p = d.parameters
    return (p[T_SETTLE] + p[T_SEEK] * np.sqrt(distance / p[CAPACITY])) * (distance > p[LARGEST])


@inlined
def angle_of(d: Any, offset: Any) -> Any:
    """Return the angle of a byte on its track, in turns. A track holds the data of one turn at the zone's rate."""
    p = d.parameters
    rate = p[OUTER] - (p[OUTER] - p[INNER]) * (offset / p[CAPACITY])
    turns = offset / (rate * p[T_TURN] * 1e-9)
    return turns - np.floor(turns)


@inlined
def positioning(d: Any, n: Any) -> Any:
    """Return the ns until the head is at request `n`: seek, settle, and the rest of the turn."""
    s, p = d.state, d.parameters
    distance = abs(d.queue_at[n] - s[HEAD])
    ns = seek(d, distance) + p[T_WRITE_SETTLE] * (d.queue_size[n] > 0)
    reached = (s[NOW] + ns) / p[T_TURN]
    wait = d.queue_angle[n] - (reached - np.floor(reached))
    wait += wait < 0
    return i64(ns + wait * p[T_TURN]) * (distance != 0)


@inlined
def passed(d: Any, n: Any) -> Any:
    """Return the ns until the platter is back at the next sector, which passed the head while it had no work.

    A write waits for it if its host waits until it is on the platter. Others in sequence are gathered in the write
    memory, and reads are read ahead.
    """
    reached = d.state[NOW] / d.parameters[T_TURN]
    wait = d.queue_angle[n] - (reached - np.floor(reached))
    return i64((wait + (wait < 0)) * d.parameters[T_TURN])


@inlined
def awaited(d: Any, n: Any) -> Any:
    """Return since when a host has been waiting for a request, FAR if none does.

    A host waits for a write in the write memory only if it has sent a flush since.
    """
    since = d.queue_since[n]
    if d.queue_slot[n] >= 0:
        return since
    return d.state[FLUSHING] if since <= d.state[FLUSHING] else i64(FAR)


@inlined
def nearest(d: Any) -> Any:
    """Return the place of the known request that the head reaches first, or of one whose host has waited too long.

    While hosts wait for requests, the head serves the other writes of the write memory only every second time, and not
    at all during a flush.
    """
    s, p = d.state, d.parameters
    many = min(s[KNOWN], p[REACH])
    longest, hosts = i64(FAR), 0
    for n in range(many):
        since = awaited(d, n)
        longest = min(longest, since)
        hosts += since < FAR
    s[FAVOUR] = (1 - s[FAVOUR] if s[FLUSHING] == NO_FLUSH else 1) if 0 < hosts < many else 0
    last = longest if longest < s[NOW] - PATIENCE else i64(FAR) - s[FAVOUR]
    best = i64(FAR)
    for n in range(many):  # without branches: eight at a time where the processor can
        key = positioning(d, n) << 8 | n
        best = min(best, key if awaited(d, n) <= last else i64(FAR))
    return first_of_stream(d, best & 0xFF, many)


@inlined
def first_of_stream(d: Any, n: Any, many: Any) -> Any:
    """Return the place of the earliest of the requests that lead up to request `n` without a gap, or `n` itself.

    The head serves the requests of one stream in their order. Otherwise it passes over those before the one that it
    reaches first, and each of them waits until PATIENCE ends.
    """
    size, before = d.queue_size, n + 1
    while before > 0 and d.queue_at[n] != d.state[HEAD] and d.queue_slot[n] >= 0:
        before, at, reads, since = 0, d.queue_at[n], size[n] < 0, d.queue_since[n]
        for m in range(many):
            leads = (d.queue_at[m] + abs(size[m]) == at) & ((size[m] < 0) == reads)
            before = max(before, m + 1 if leads & (d.queue_slot[m] >= 0) & (d.queue_since[m] <= since) else 0)
        n = before - 1 if before > 0 else n
    return n


@inlined
def serve_head(d: Any) -> Any:
    """Serve the request the head reaches first, advance the time to its end, and return its place in the queue."""
    s, p = d.state, d.parameters
    n = nearest(d)
    offset, size = d.queue_at[n], abs(d.queue_size[n])
    idle, s[NOW] = d.queue_since[n] > s[NOW], max(s[NOW], d.queue_since[n])
    began, streams = s[NOW], 0 <= offset - s[HEAD] <= STREAM
    waited = s[SYNCED] > 0 or d.queue_slot[n] >= 0
    if idle and waited and offset == s[HEAD] and d.queue_size[n] > 0:
        s[NOW] += passed(d, n)
    s[NOW] += positioning(d, n)
    rate = p[OUTER] - (p[OUTER] - p[INNER]) * (offset / p[CAPACITY])
    s[NOW] += i64(size / rate * 1e9)
    s[HEAD] = offset + size
    if p[CHUNK] > 0:
        s[NOW] += i64(kept(d, offset, size, d.queue_size[n] < 0, streams or size > p[CHUNK]) / rate * 1e9)
    s[WORKED] += s[NOW] - began
    return n


@inlined
def drop(d: Any, n: Any) -> None:
    """Remove a request from the queue. Requests beyond the head's reach take over its place in turn."""
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
    """Copy the request at one place of the queue to another."""
    d.queue_at[target], d.queue_size[target] = d.queue_at[source], d.queue_size[source]
    d.queue_slot[target], d.queue_since[target] = d.queue_slot[source], d.queue_since[source]
    d.queue_angle[target] = d.queue_angle[source]


@inlined
def join(d: Any, slot: Any, offset: Any, size: Any, at: Any) -> None:
    """Add a request to the queue. One that a host waits for is placed within the head's reach."""
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
    d.queue_angle[n] = angle_of(d, offset)


@inlined
def accept(d: Any, loop: Any, slot: Any, offset: Any, size: Any, at: Any, fua: Any) -> None:
    """Accept a request: answer it from the cache or the write memory, or add it to the head's queue.

    An unprotected write memory does not answer a write with `fua`, and no write during a flush.
    """
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
    buffers = p[VOLATILE] == 0 or (fua == 0 and s[FLUSHING] == NO_FLUSH)
    if size > 0 and s[HELD] + nbytes <= p[DIRTY] and buffers:
        s[HELD] += nbytes
        join(d, -1, offset, size, at)
        loop.heap[slot] = at + p[T_MEMORY] + nbytes * 1000 // p[LINK]
    else:
        join(d, slot, offset, size, at)
        loop.heap[slot] = FAR


@inlined
def flush(d: Any, loop: Any, slot: Any, at: Any) -> None:
    """Accept a flush: answer it at once if the write memory is protected or empty, otherwise by `flushed`."""
    s, p = d.state, d.parameters
    at = max(at, s[COMMAND_BUSY]) + p[T_COMMAND]
    s[COMMAND_BUSY] = at
    if p[VOLATILE] == 0:
        loop.heap[slot] = at + p[T_MEMORY]
    else:
        waits = oldest(d) <= at
        loop.heap[slot] = FAR if waits else max(at, s[SAFE_AT]) + p[T_MEMORY] + p[T_FLUSH]
        if waits and s[FLUSHING] == NO_FLUSH:
            s[FLUSHING] = loop.flushing[slot]


@inlined
def oldest(d: Any) -> Any:
    """Return since when the oldest write has been in the write memory, or FAR if it is empty."""
    since = i64(FAR)
    for n in range(d.state[KNOWN]):
        since = min(since, d.queue_since[n] if d.queue_slot[n] < 0 else i64(FAR))
    return since


@inlined
def flushed(d: Any, loop: Any) -> None:
    """Answer the flushes for which no older write is left in an unprotected write memory."""
    s, p = d.state, d.parameters
    since, first = oldest(d), i64(FAR)
    for slot in range(loop.heap.shape[0]):
        if loop.flushing[slot] != NOT_FLUSHING and loop.heap[slot] == FAR:
            if since > loop.flushing[slot]:
                loop.heap[slot] = s[NOW] + p[T_MEMORY] + p[T_FLUSH]
            else:
                first = min(first, loop.flushing[slot])
    s[FLUSHING] = first if first < FAR else i64(NO_FLUSH)


@inlined
def issue(d: Any, stream: Any, loop: Any, slot: Any, at: Any) -> Any:
    """Issue the next request of a slot. Return False if the stream is exhausted."""
    i = next_of(stream, loop, slot, at)
    if i == LATER:
        loop.heap[slot] = stream.due[loop.claimed[slot] - 1]
        return True
    if i == NONE:
        loop.heap[slot] = FAR
        loop.size[slot] = 0
        loop.at[0] -= 1
        return False
    if d.parameters[CHUNK] > 0 and i + 12 < stream.at[1]:
        prefetch(d.where, u64(stream.offset[i + 12] // d.parameters[CHUNK]))
    size = -stream.size[i] if stream.reads[i] else stream.size[i]
    loop.issued[slot], loop.size[slot] = issue_time(stream, loop, i, at), size
    loop.at[WORK] -= stream.size[i] >> 12
    if d.state[KNOWN] > 0:
        worked(loop, at)
    accept(d, loop, slot, stream.offset[i], size, awake(loop, at), made_durable(stream, loop, slot))
    worked(loop, loop.heap[slot] if loop.heap[slot] < FAR else at)
    return True


@inlined
def synced(stream: Any) -> Any:
    """Return 1 if the host of a load waits until each of its writes is durable, else 0."""
    waits = i64(0)
    for first in range(0, stream.plan.shape[0], PLAN):
        if stream.plan[first + EVERY] == 1 or stream.plan[first + FUA] > 0:
            waits = i64(1)
    return waits


@compiled
def serve(d: Any, stream: Any, loop: Any, ledger: Any, until: Any) -> Any:
    """Run the closed loop until `until` ns. Return True while the stream goes on.

    `loop.heap` is used as an array here: the time of each slot's answer, FAR while its request is in the head's queue.
    """
    s = d.state
    s[SYNCED] = synced(stream) * d.parameters[VOLATILE]
    slots = loop.heap.shape[0]
    while loop.at[0] > 0:
        soonest = i64(FAR)
        for j in range(slots):
            soonest = min(soonest, loop.heap[j])
        head = s[NOW] if s[KNOWN] > 0 else i64(FAR)
        if min(head, soonest) >= until or loop.at[WORK] <= 0:
            return True
        spend(loop, 1 + (slots >> 4))
        if soonest <= head:
            slot = 0
            while loop.heap[slot] != soonest:
                slot += 1
            if loop.size[slot] != 0:
                if flush_due(stream, loop, ledger, slot, soonest):
                    flush(d, loop, slot, soonest)
                    continue
                answered(loop, ledger, slot, soonest)
            if s[KNOWN] == 0:
                s[NOW] = max(s[NOW], soonest)
            issue(d, stream, loop, slot, soonest)
        else:
            before = s[NOW]
            finish(d, stream, loop)
            if s[NOW] > before:
                loop.at[TURNS] = 0
    return False


@inlined
def finish(d: Any, stream: Any, loop: Any) -> None:
    """Let the head do its next piece of work, and schedule the answer if a host waits for it."""
    s, p = d.state, d.parameters
    n = serve_head(d)
    s[NOW] += held_up(stream, d.queue_at[n], abs(d.queue_size[n]), d.queue_size[n] < 0)  # it reads the track again
    if d.queue_slot[n] >= 0:
        loop.heap[d.queue_slot[n]] = (
            s[NOW] + p[T_OVERHEAD] + i64(random64(d.rng) & LOW32) * 50_000 // i64(u64(1) << u64(32))
        )
    else:
        s[HELD] -= d.queue_size[n]
        s[SAFE_AT] = s[NOW]
    worked(loop, s[NOW])
    drop(d, n)
    if s[FLUSHING] != NO_FLUSH:
        flushed(d, loop)


@compiled
def rest(d: Any, until: Any) -> None:
    """Write out the write memory of an idle drive until `until` ns."""
    s = d.state
    while s[KNOWN] > 0 and s[NOW] < until:
        n = serve_head(d)
        if d.queue_slot[n] < 0:
            s[HELD] -= d.queue_size[n]
        drop(d, n)
    s[NOW] = max(s[NOW], until)
