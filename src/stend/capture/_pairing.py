"""Pair the records of all processors, in order, into IOs with response time and depth (compiled)."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled, inlined
from stend.capture._records import AGAIN, DONE, FLUSH, ISSUE, KEPT_FLAGS, NO_DATA, WRITE, ZEROES

i64, u64 = np.int64, np.uint64


FEW, FAR = 1 << 12, 1 << 14
"""Limits of `rewind`. FAR is more than FEW, so that no place is moved onto one that is not moved yet."""


class InFlight(NamedTuple):
    """IOs in order of issue, in a ring, and a hash table of those that have not ended."""

    t_ns: npt.NDArray[np.int64]
    op: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    offset: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    latency_ns: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int32]
    process: npt.NDArray[np.int32]
    left: npt.NDArray[np.int64]
    """sectors not yet answered, or 0 after the end, negative while it is requeued"""
    sector: npt.NDArray[np.int64]
    """the first sector not yet answered"""
    slots: npt.NDArray[np.int64]
    """1 + running number of the IO that hashes here, 0 for none"""
    at: npt.NDArray[np.int64]
    """counters and positions, see TAIL and the following names"""


TAIL, NEXT, OPEN, BEFORE, OWN, OTHER, STRAY, ZEROED, FORGOTTEN, ASKED = range(10)
"""Places in `InFlight.at`.

TAIL and NEXT: running numbers of the first IO kept and of the next one. OPEN: IOs that have not ended. BEFORE: those
in flight when the capture began that have not ended. OWN: IOs left out because this process sent them. OTHER: commands
that are not IOs. STRAY: ends of IOs without a recorded issue. ZEROED: writes of zeroes. FORGOTTEN: IOs given up without
an end. ASKED: requested flushes. The block layer counts each one as a write, and sends it alone or merged with others.
"""


def in_flight(room: int, slots: int, before: int) -> InFlight:
    """Return an empty ring. `room` and `slots` are powers of two, `before` is the number of IOs in flight now."""
    at = np.zeros(10, np.int64)
    at[BEFORE] = before
    wide = [np.zeros(room, np.int64) for _ in range(6)]
    return InFlight(
        t_ns=wide[0],
        op=np.zeros(room, np.uint8),
        flags=np.zeros(room, np.uint8),
        offset=wide[1],
        length=wide[2],
        latency_ns=wide[3],
        depth=np.zeros(room, np.int32),
        process=np.zeros(room, np.int32),
        left=wide[4],
        sector=wide[5],
        slots=np.zeros(slots, np.int64),
        at=at,
    )


@inlined
def _home(f: Any, sector: Any, op: Any) -> Any:
    z = (u64(sector) * u64(8) + u64(op)) * u64(0x9E3779B97F4A7C15)
    return i64((z >> u64(32)) & u64(f.slots.shape[0] - 1))


@inlined
def _insert(f: Any, number: Any) -> Any:
    i = number & (f.t_ns.shape[0] - 1)
    slot = _home(f, f.sector[i], f.op[i])
    while f.slots[slot] != 0:
        slot = (slot + 1) & (f.slots.shape[0] - 1)
    f.slots[slot] = number + 1


@inlined
def _find(f: Any, sector: Any, op: Any) -> Any:
    """Return the slot of the IO in flight at a sector, or -1 for none."""
    slot = _home(f, sector, op)
    while f.slots[slot] != 0:
        i = (f.slots[slot] - 1) & (f.t_ns.shape[0] - 1)
        if f.sector[i] == sector and f.op[i] == op:
            return slot
        slot = (slot + 1) & (f.slots.shape[0] - 1)
    return i64(-1)


@inlined
def _remove(f: Any, slot: Any) -> Any:
    """Remove an IO from the hash table, and move up later entries that hashed before it."""
    last = f.slots.shape[0] - 1
    hole, look = slot, slot
    while True:
        look = (look + 1) & last
        if f.slots[look] == 0:
            break
        i = (f.slots[look] - 1) & (f.t_ns.shape[0] - 1)
        home = _home(f, f.sector[i], f.op[i])
        if ((look - home) & last) >= ((look - hole) & last):
            f.slots[hole] = f.slots[look]
            hole = look
    f.slots[hole] = 0


@inlined
def _forget(f: Any) -> Any:
    """Give up the first IO kept, which has not ended."""
    i = f.at[TAIL] & (f.t_ns.shape[0] - 1)
    slot = _home(f, f.sector[i], f.op[i])
    while f.slots[slot] != f.at[TAIL] + 1:
        slot = (slot + 1) & (f.slots.shape[0] - 1)
    _remove(f, slot)
    f.left[i] = 0
    f.at[OPEN] -= 1
    f.at[FORGOTTEN] += 1


@inlined
def _issued(r: Any, n: Any, sector: Any, slot: Any, own_pid: Any, f: Any) -> Any:
    """Add an issued IO. An IO that was requeued continues instead."""
    room, op, sectors = f.t_ns.shape[0], r.op[n], r.sectors[n]
    if slot >= 0 and f.left[(f.slots[slot] - 1) & (room - 1)] < 0:
        i = (f.slots[slot] - 1) & (room - 1)
        f.left[i] = -f.left[i]
        return
    if r.pid[n] == own_pid:
        f.at[OWN] += 1
        return
    number = f.at[NEXT]
    i = number & (room - 1)
    f.t_ns[i], f.op[i], f.flags[i] = r.t_ns[n], op, r.flags[n] & KEPT_FLAGS
    if number > 0:  # a record may be read after a later one of another processor
        f.t_ns[i] = max(f.t_ns[i], f.t_ns[(number - 1) & (room - 1)])
    f.offset[i] = 0 if op == FLUSH or sectors == 0 else sector * 512
    f.length[i], f.process[i], f.latency_ns[i] = sectors * 512, r.pid[n], -1
    f.left[i], f.sector[i] = max(sectors, 1), sector
    f.at[NEXT] = number + 1
    f.at[OPEN] += 1
    f.at[ZEROED] += (r.flags[n] & ZEROES) > 0
    f.depth[i] = f.at[OPEN] + f.at[BEFORE]
    _insert(f, number)


@inlined
def _ended(t_ns: Any, sectors: Any, slot: Any, f: Any) -> Any:
    """End an IO, or the first part of it."""
    number = f.slots[slot] - 1
    i = number & (f.t_ns.shape[0] - 1)
    if f.length[i] == 0 or sectors >= abs(f.left[i]):
        _remove(f, slot)
        f.left[i] = 0
        f.latency_ns[i] = max(t_ns - f.t_ns[i], 0)
        f.at[OPEN] -= 1
    elif sectors > 0:
        _remove(f, slot)
        f.left[i], f.sector[i] = abs(f.left[i]) - sectors, f.sector[i] + sectors
        _insert(f, number)


@compiled
def pair(r: Any, order: Any, until: Any, own_pid: Any, f: Any) -> Any:
    """Pair the records before `until` in this order. Return their number, or fewer if the ring is full."""
    room = f.t_ns.shape[0]
    for k in range(order.shape[0]):
        n = order[k]
        if r.t_ns[n] >= until:
            return k
        kind, op, sectors = r.kind[n], r.op[n], r.sectors[n]
        if kind == ISSUE and (f.at[NEXT] - f.at[TAIL] >= room or f.at[OPEN] * 2 >= f.slots.shape[0]):
            return k
        if op == NO_DATA:
            f.at[OTHER] += kind == ISSUE
            continue
        sector = i64(-1) if op == FLUSH else r.sector[n]
        slot = _find(f, sector, op)
        if kind == ISSUE:
            _issued(r, n, sector, slot, own_pid, f)
        elif slot < 0:
            strange = kind == DONE and sectors > 0
            f.at[STRAY] += strange
            f.at[BEFORE] = max(f.at[BEFORE] - strange, 0)
            f.at[ASKED] += kind == DONE and op == WRITE and sectors == 0 and sector == 0
        elif kind == AGAIN:
            i = (f.slots[slot] - 1) & (room - 1)
            f.left[i] = -abs(f.left[i])
        else:
            _ended(r.t_ns[n], sectors, slot, f)
    return order.shape[0]


@compiled
def over(f: Any, before_ns: Any, most_open: Any) -> Any:
    """Return the running number of the first IO to keep. All before it have ended or are given up.

    An IO is given up if it is older than `before_ns`, or if `most_open` or more IOs are kept. Writes of 0 bytes become
    flushes.
    """
    room = f.t_ns.shape[0]
    while f.at[TAIL] < f.at[NEXT]:
        i = f.at[TAIL] & (room - 1)
        if f.left[i] != 0:
            if f.t_ns[i] >= before_ns and f.at[NEXT] - f.at[TAIL] < most_open:
                break
            _forget(f)
        if f.op[i] == WRITE and f.length[i] == 0:
            f.op[i] = FLUSH
        f.at[TAIL] += 1
    return f.at[TAIL]


@compiled
def rewind(f: Any) -> None:
    """Move the kept IOs to the start of the ring if they are few and far from it, because recently used memory is fast.

    The IO before them is moved too, for its time. Running numbers restart at 1.
    """
    room, tail = f.t_ns.shape[0], f.at[TAIL]
    kept, place = f.at[NEXT] - tail, tail & (room - 1)
    if kept > FEW or place < FAR or place + kept >= room:
        return
    f.slots[:] = 0
    for k in range(kept + 1):
        i = (tail - 1 + k) & (room - 1)
        f.t_ns[k], f.op[k], f.flags[k], f.process[k] = f.t_ns[i], f.op[i], f.flags[i], f.process[i]
        f.offset[k], f.length[k], f.latency_ns[k] = f.offset[i], f.length[i], f.latency_ns[i]
        f.depth[k], f.left[k], f.sector[k] = f.depth[i], f.left[i], f.sector[i]
        if k > 0 and f.left[k] != 0:
            _insert(f, i64(k))
    f.at[TAIL], f.at[NEXT] = 1, 1 + kept
