"""Arrays: a controller with a protected cache over equal members, each with parallel units of work (flash channels).

RAID 0 stripes, 1 keeps a copy on every member, 10 stripes over pairs, 5 keeps parity. In RAID 5 a write of less than a
whole row reads old data and old parity and writes both again. The cache gathers sequential writes into whole rows.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled, i64, inlined, u64, wrapped
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
    sink,
    spend,
    worked,
)
from stend.sim.requests import WORK

# Indices of `parameters`; times in ns.
MEMBERS, LEVEL, STRIPE, UNITS, T_READ, T_WRITE, T_PAGE_IN, T_PAGE_OUT, CACHE, T_READ_COMMAND = range(10)
T_WRITE_COMMAND, T_LINK, T_READ_ANSWER, T_WRITE_ANSWER, T_PARITY, T_PIECE = range(10, 16)
T_PIECE_PAGE, T_LINK_IN, T_YIELD, VOLATILE, T_FLUSH = range(16, 21)
PARAMETERS = 21
# Indices of `state`.
COMMAND, LINK, HELD, FIRST, MANY, READS_BEHIND, BEHIND, SAFE_AT = range(8)
STATE = 8
PAGE = 4096
STREAMS = 4096
"""Places of the table in which the controller stores the ends of recent requests, to recognise sequential streams."""


class Array(NamedTuple):
    """The arrays that the kernel works on. Times are in ns."""

    state: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.int64]
    unit: npt.NDArray[np.int64]
    """[members * units * 2]: busy until, with reads and with all work, for each unit of each member"""
    port: npt.NDArray[np.int64]
    """[members * 2]: busy until, with reads and with all work, for the link of each member"""
    ends: npt.NDArray[np.int64]
    """[2, STREAMS]: where recent reads and writes ended"""
    done_at: npt.NDArray[np.int64]
    done_bytes: npt.NDArray[np.int64]


@inlined
def queued(until: Any, n: Any, ns: Any, writes: Any, at: Any, patience: Any) -> Any:
    """Add `ns` of work to something that is busy until `n` (with reads) and `n + 1` (all work). Return when it ends.

    Reads go before the writes of the cache, but wait up to `patience` ns for a write that has started.
    """
    if writes:
        until[n + 1] = max(until[n + 1], at) + ns
        return until[n + 1]
    start = max(until[n], at)
    start += min(max(until[n + 1] - start, 0), patience)
    until[n] = start + ns
    until[n + 1] = max(until[n + 1], start) + ns
    return until[n]


@inlined
def controller(a: Any, ns: Any, writes: Any, now: Any) -> Any:
    """Add `ns` of work at `now` to the controller's processor for the members, and return when it ends."""
    return queued(a.state, READS_BEHIND, ns, writes, now, a.parameters[T_YIELD])


@inlined
def work(a: Any, member: Any, address: Any, size: Any, writes: Any, at: Any, now: Any, out: Any) -> Any:
    """Read or write `size` bytes of a member and return when it is done. Its 4 KiB pages are on its units in turn.

    Work issued at `now` that cannot start before `at` takes its share of units and port as soon as the controller has
    handled it. Until `at` they do other work. `out` marks work of the cache, also reads of old data for its writes.
    """
    p = a.parameters
    units = p[UNITS]
    first, last = address // PAGE, (address + size - 1) // PAGE
    now = controller(a, p[T_PIECE] + p[T_PIECE_PAGE] * size // PAGE, out, now)
    ns, over = (p[T_WRITE], p[T_PAGE_IN]) if writes else (p[T_READ], p[T_PAGE_OUT])
    at = max(at, now)
    done = at
    for page in range(first, last + 1):
        u = i64((page * 2654435761 >> 7) % units) if first == last else page % units
        busy = max(queued(a.unit, (member * units + u) * 2, ns, out, now, p[T_WRITE]), at + ns)
        done = max(done, busy + over, queued(a.port, member * 2, over, out, now, over))
    return done


@inlined
def copies_of(a: Any) -> Any:
    """Return the number of copies of data: all members in RAID 1, two in RAID 10, otherwise one."""
    level = a.parameters[LEVEL]
    return a.parameters[MEMBERS] if level == 1 else i64(2) if level == 10 else i64(1)


@inlined
def piece(a: Any, offset: Any, size: Any, writes: Any, now: Any) -> Any:
    """Serve the part of a request within one stripe unit, and return when it is done."""
    p = a.parameters
    members, level, stripe = p[MEMBERS], p[LEVEL], p[STRIPE]
    row = offset // stripe
    if level == 0:
        return work(a, row % members, row // members * stripe + offset % stripe, size, writes, now, now, writes)
    if level == 5:
        data = members - 1
        line = row // data
        parity = line % members
        member = (parity + 1 + row % data) % members
        address = line * stripe + offset % stripe
        if not writes:
            return work(a, member, address, size, False, now, now, False)
        ready = work(a, member, address, size, False, now, now, True)
        ready = max(ready, work(a, parity, address, size, False, now, now, True))
        ready = max(ready, controller(a, p[T_PARITY], True, now))
        done = work(a, member, address, size, True, ready, now, True)
        return max(done, work(a, parity, address, size, True, ready, now, True))
    copies = copies_of(a)
    sets = members // copies
    member, line = row % sets, row // sets
    address = line * stripe + offset % stripe
    if not writes:
        return work(a, member + sets * (line % copies), address, size, False, now, now, False)
    done = now
    for copy in range(copies):
        done = max(done, work(a, member + sets * copy, address, size, True, now, now, True))
    return done


@inlined
def read_ahead(a: Any, size: Any, at: Any) -> Any:
    """Serve a sequential read that the controller has read ahead, and return when it is done: only links take time."""
    p = a.parameters
    done = at
    for m in range(p[MEMBERS]):
        done = max(done, queued(a.port, m * 2, size * p[T_PAGE_OUT] // (PAGE * p[MEMBERS]), False, at, p[T_PAGE_OUT]))
    return done


@inlined
def whole_rows(a: Any, size: Any, at: Any) -> Any:
    """Write sequential data that the cache has gathered into whole rows, without reading old data. Return its end."""
    p = a.parameters
    copies = p[MEMBERS] / (p[MEMBERS] - 1.0) if p[LEVEL] == 5 else float(copies_of(a))
    share = i64(size * copies / p[MEMBERS] / PAGE * 1024)
    done = at
    for m in range(p[MEMBERS]):
        for u in range(m * p[UNITS], (m + 1) * p[UNITS]):
            done = max(done, queued(a.unit, u * 2, share * p[T_WRITE] // (1024 * p[UNITS]), True, at, 0))
        done = max(done, queued(a.port, m * 2, share * p[T_PAGE_IN] // 1024, True, at, 0))
    return done


@inlined
def spread(a: Any, offset: Any, size: Any, writes: Any, at: Any) -> Any:
    """Serve all pieces of a request, and return when the last one is done."""
    stripe = a.parameters[STRIPE]
    done, end = at, offset + size
    while offset < end:
        part = min(stripe - offset % stripe, end - offset)
        done = max(done, piece(a, offset, part, writes, at))
        offset += part
    return done


@inlined
def follows(a: Any, way: Any, offset: Any, size: Any) -> Any:
    """Return True if a request starts where a recent one of its direction ended, and store where it ends."""
    known = a.ends[way, stream_place(offset)] == offset
    a.ends[way, stream_place(offset + size)] = offset + size
    return known


@inlined
def stream_place(offset: Any) -> Any:
    """Return the place in the table for the end of a stream.

    Two multiplications: with one, streams at some equal distances share their places in every step.
    """
    mixed = wrapped(u64(offset) * u64(0x9E3779B97F4A7C15))
    return i64(wrapped((mixed ^ (mixed >> u64(32))) * u64(0xD6E8FEB86659FD93)) >> u64(52))


@inlined
def request(a: Any, offset: Any, size: Any, reads: Any, at: Any, fua: Any) -> Any:
    """Serve a request issued at `at`, and return when its answer arrives. With `fua` a write is then on the members."""
    s, p = a.state, a.parameters
    at = max(s[COMMAND], at) + (p[T_READ_COMMAND] if reads else p[T_WRITE_COMMAND])
    s[COMMAND] = at
    s[LINK] = max(s[LINK], at) + (p[T_LINK] if reads else p[T_LINK_IN]) * size // PAGE
    if reads:
        done = read_ahead(a, size, at) if follows(a, 0, offset, size) else spread(a, offset, size, False, at)
        return max(done, s[LINK]) + p[T_READ_ANSWER]
    at = s[LINK]
    ring = a.done_at.shape[0] - 1
    while s[MANY] > 0 and (s[HELD] + size > p[CACHE] or s[MANY] > ring):
        at = max(at, a.done_at[s[FIRST]])
        s[HELD] -= a.done_bytes[s[FIRST]]
        s[FIRST] = (s[FIRST] + 1) & ring
        s[MANY] -= 1
    done = whole_rows(a, size, at) if follows(a, 1, offset, size) else spread(a, offset, size, True, at)
    s[SAFE_AT] = max(s[SAFE_AT], done)
    if size > p[CACHE]:
        return done + p[T_WRITE_ANSWER]
    place = (s[FIRST] + s[MANY]) & ring
    a.done_at[place], a.done_bytes[place] = done, size
    s[MANY] += 1
    s[HELD] += size
    if fua > 0 and p[VOLATILE] > 0:
        return done + p[T_WRITE_ANSWER] + p[T_FLUSH]
    return at + p[T_WRITE_ANSWER]


@inlined
def flush(a: Any, at: Any) -> Any:
    """Serve a flush issued at `at`, and return when its answer arrives: at once from a protected cache."""
    s, p = a.state, a.parameters
    at = max(s[COMMAND], at) + p[T_WRITE_COMMAND]
    s[COMMAND] = at
    if p[VOLATILE] > 0:
        at = max(at, s[SAFE_AT]) + p[T_FLUSH]
    return at + p[T_WRITE_ANSWER]


@compiled
def serve(a: Any, stream: Any, loop: Any, ledger: Any, until: Any) -> Any:
    """Run the closed loop until `until` ns. Return True while the stream goes on."""
    base, used = loop.at[1], loop.at[0]
    while used > 0:
        t = (loop.heap[0] >> 16) + base
        if t >= until or loop.at[WORK] <= 0:
            loop.at[0] = used
            return True
        spend(loop, 1)
        slot = loop.heap[0] & 0xFFFF
        if loop.size[slot] != 0:
            if flush_due(stream, loop, ledger, slot, t):
                sink(loop.heap, used, ((flush(a, t) - base) << 16) | slot)
                continue
            answered(loop, ledger, slot, t)
        i = next_of(stream, loop, slot, t)
        if i == LATER:
            sink(loop.heap, used, ((stream.due[loop.claimed[slot] - 1] - base) << 16) | slot)
            continue
        if i == NONE:
            used -= 1
            sink(loop.heap, used, loop.heap[used])
            continue
        size, reads = stream.size[i], stream.reads[i]
        spend(loop, size // PAGE + a.unit.shape[0] // 64)
        done = request(a, stream.offset[i], size, reads, awake(loop, t), made_durable(stream, loop, slot))
        done += held_up(stream, stream.offset[i], size, reads)
        worked(loop, done)
        loop.issued[slot] = issue_time(stream, loop, i, t)
        loop.size[slot] = -size if reads else size
        sink(loop.heap, used, ((done - base) << 16) | slot)
    loop.at[0] = 0
    return False
