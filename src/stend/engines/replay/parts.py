"""Compiled parts of both loops: the clock, sending an IO, taking answers, counting, writing snapshots.

`f` is the Flight: the IOs in flight and the memory of the system calls.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from stend.base.jit import bin_of, i64, inlined
from stend.engines.replay import aio
from stend.engines.replay import memory as m
from stend.model.stats import BIN_BITS, BINS

_types: Any = types
_system_call: Any = types.ExternalFunction("syscall", types.int64(*(types.int64,) * 6))
_errno: Any = _types.ExternalFunction("__errno_location", _types.CPointer(_types.int32)())
_clock: Any = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.uintp))
_sleep: Any = types.ExternalFunction("clock_nanosleep", types.int32(types.int32, types.int32, types.uintp, types.uintp))
_usage: Any = types.ExternalFunction("getrusage", types.int32(types.int32, types.uintp))
_write: Any = types.ExternalFunction("write", types.int64(types.int32, types.uintp, types.int64))

MONOTONIC, ABSOLUTE, THREAD = 1, 1, 1
SECOND = 1_000_000_000
SPIN_NS = 50_000
"""For an IO that is due sooner the loop spins, because a sleep ends some ten microseconds late."""
EARLY_NS = 30_000
"""A sleep ends this long before the IO is due."""
ROUND_NS = 50_000_000
"""The longest time between two rounds of the loop, which writes snapshots, checks STOP and shows that it runs."""
HELD_NS = 500_000
"""A submission that took longer, and put the thread to sleep, waited for room in the kernel's queue."""
SLEPT = 16
"""Place of ru_nvcsw, the number of voluntary context switches of the thread, in struct rusage."""
EIO, EAGAIN = 5, 11
AWAKE_NS, NAP_NS = 1_000_000, 100_000
"""After AWAKE_NS without sleep the sender sleeps NAP_NS; else the kernel would run waiting processes for 50 ms."""
CONTEXT, FD, SUBMIT, GETEVENTS, FREE, POOL, POOL_BYTES, SCRATCH, RESTED, BELL, EVERY = range(11)
"""Places in `Flight.set`.

CONTEXT: AIO context. FD: descriptor (negative: no drive). SUBMIT, GETEVENTS: system calls. FREE: free slots. POOL,
POOL_BYTES: memory that writes send. SCRATCH: memory for reads. RESTED: the time of the last sleep. BELL: the pipe that
hands trims over (see `discards.py`). EVERY: writes of a slot between two flushes, or 0 for no flushes.
"""


class Flight(NamedTuple):
    """IOs in flight, one slot each, and the memory of the system calls."""

    set: npt.NDArray[np.int64]
    iocb: npt.NDArray[np.int64]
    pointer: npt.NDArray[np.int64]
    events: npt.NDArray[np.int64]
    free: npt.NDArray[np.int64]
    ended: npt.NDArray[np.int64]
    """[bound]: response time of an ended trim in ns, or the negative errno"""
    issued: npt.NDArray[np.int64]
    unsynced: npt.NDArray[np.int64]
    """[bound]: writes of a slot since its last flush"""
    wrote: npt.NDArray[np.int64]
    """[bound, 2]: time of issue (-1: none) and bytes of the write whose flush is in flight"""
    op: npt.NDArray[np.int64]
    time: npt.NDArray[np.int64]
    usage: npt.NDArray[np.int64]


def flight(bound: int, context: int, fd: int, pool: tuple[int, int, int], every: int) -> Flight:
    """Return an empty Flight for `bound` IOs. `pool` is (address, bytes) for writes, and the address for reads."""
    calls = aio.numbers()
    words = np.array([context, fd, calls.submit, calls.getevents, bound, *pool, 0, -1, every], np.int64)
    iocb, events = np.zeros((bound, 8), np.int64), np.zeros((bound, 4), np.int64)
    free, issued, op = np.arange(bound), np.zeros(bound, np.int64), np.zeros(bound, np.int64)
    unsynced, wrote, ended = np.zeros(bound, np.int64), np.full((bound, 2), -1), np.zeros(bound, np.int64)
    pointer, times, usage = (np.zeros(size, np.int64) for size in (1, 4, 18))
    return Flight(words, iocb, pointer, events, free, ended, issued, unsynced, wrote, op, times, usage)


@inlined
def now(f: Any, at: Any) -> Any:
    """Return nanoseconds since the load began."""
    _clock(MONOTONIC, f.time.ctypes.data)
    return f.time[0] * SECOND + f.time[1] - at[m.BEGAN]


@inlined
def slept(f: Any) -> Any:
    """Return the number of voluntary context switches of this thread."""
    _usage(THREAD, f.usage.ctypes.data)
    return f.usage[SLEPT]


@inlined
def answered(f: Any, at: Any, done: Any, op: Any, nbytes: Any, ns: Any) -> None:
    """Count one answer."""
    done.sums[op, 0] += 1
    done.sums[op, 1] += nbytes
    done.sums[op, 2] += ns
    done.sums[op, 3] += float(ns) * float(ns)
    done.sums[op, 4] = max(done.sums[op, 4], float(ns))
    done.bins[op, bin_of(ns, BIN_BITS, BINS)] += 1


@inlined
def under_way(f: Any, at: Any) -> None:
    """Take the top free slot for an IO in flight."""
    f.set[FREE] -= 1
    at[m.FLYING] += 1


@inlined
def landed(f: Any, at: Any, slot: Any) -> None:
    """Free a slot."""
    f.free[f.set[FREE]] = slot
    f.set[FREE] += 1
    at[m.FLYING] -= 1


@inlined
def send(f: Any, at: Any, done: Any, op: Any, flags: Any, offset: Any, nbytes: Any, place: Any, at_ns: Any) -> Any:
    """Issue one IO at `at_ns`. Return False if the kernel accepts none now. `place` selects the written data."""
    if f.set[FD] < 0:
        answered(f, at, done, op, nbytes, now(f, at) - at_ns)
        at[m.ANSWERED] = at_ns
        return True
    slot = f.free[f.set[FREE] - 1]
    c = f.iocb[slot]
    code = aio.PREAD if op == m.READ else aio.PWRITE if op == m.WRITE else aio.FDSYNC
    room = (f.set[POOL_BYTES] - nbytes) >> 12
    c[aio.DATA] = slot
    c[aio.KEY_FLAGS] = i64(flags) << 32
    c[aio.OPCODE_FD] = i64(code) | (f.set[FD] << 32)
    c[aio.BUFFER] = (
        f.set[SCRATCH] if op == m.READ else f.set[POOL] + (place % max(room, 1) << 12) if op == m.WRITE else 0
    )
    c[aio.LENGTH] = nbytes
    c[aio.OFFSET] = offset
    f.issued[slot], f.op[slot] = at_ns, op
    if op == m.DISCARD:
        f.pointer[0] = slot
        _write(f.set[BELL], f.pointer.ctypes.data, 8)
        under_way(f, at)
        return True
    f.pointer[0] = c.ctypes.data
    if _system_call(f.set[SUBMIT], f.set[CONTEXT], 1, f.pointer.ctypes.data, 0, 0) != 1:
        error = i64(_errno()[0])
        if error == EAGAIN and at[m.FLYING] > 0:
            return False
        at[m.ERRNO], at[m.FAILED_AT] = error, offset
        return False
    under_way(f, at)
    return True


@inlined
def flushes(f: Any, at: Any, slot: Any, t: Any) -> Any:
    """Send the flush that is due after the slot's write, which ends with it. Return False if none is due."""
    if f.set[EVERY] == 0 or f.op[slot] != m.WRITE:
        return False
    f.unsynced[slot] += 1
    if f.unsynced[slot] < f.set[EVERY]:
        return False
    c = f.iocb[slot]
    f.unsynced[slot], f.wrote[slot, 0], f.wrote[slot, 1] = 0, f.issued[slot], c[aio.LENGTH]
    c[aio.OPCODE_FD] = i64(aio.FDSYNC) | (f.set[FD] << 32)
    c[aio.KEY_FLAGS], c[aio.BUFFER], c[aio.LENGTH], c[aio.OFFSET] = 0, 0, 0, 0
    f.issued[slot], f.op[slot], f.pointer[0] = t, m.FLUSH, c.ctypes.data
    while _system_call(f.set[SUBMIT], f.set[CONTEXT], 1, f.pointer.ctypes.data, 0, 0) != 1:
        if i64(_errno()[0]) != EAGAIN:  # EAGAIN: the place of the write's answer is not free yet
            at[m.ERRNO], at[m.FAILED_AT] = i64(_errno()[0]), c[aio.OFFSET]
            return False
    return True


@inlined
def reap(f: Any, at: Any, done: Any, least: Any, wait_ns: Any) -> None:
    """Take all available answers. If `least` is 1, wait up to `wait_ns` for the first one."""
    f.time[2], f.time[3] = wait_ns // SECOND, wait_ns % SECOND
    most = i64(f.events.shape[0])
    got = _system_call(f.set[GETEVENTS], f.set[CONTEXT], least, most, f.events.ctypes.data, f.time.ctypes.data + 16)
    if got <= 0:
        return
    t = now(f, at)
    at[m.ANSWERED] = t
    for n in range(got):
        slot, result = f.events[n, aio.EVENT_DATA], f.events[n, aio.EVENT_RESULT]
        nbytes = f.iocb[slot, aio.LENGTH]
        op = f.op[slot]
        if op == m.DISCARD and f.ended[slot] < 0:
            at[m.ERRNO], at[m.FAILED_AT] = -f.ended[slot], f.iocb[slot, aio.OFFSET]
        elif op == m.DISCARD:
            answered(f, at, done, op, nbytes, f.ended[slot])
        elif result != (nbytes if op <= m.WRITE else 0):
            at[m.ERRNO] = -result if result < 0 else EIO
            at[m.FAILED_AT] = f.iocb[slot, aio.OFFSET]
        elif flushes(f, at, slot, t):
            continue
        elif op == m.FLUSH and f.wrote[slot, 0] >= 0:
            answered(f, at, done, op, nbytes, t - f.issued[slot])
            answered(f, at, done, i64(m.WRITE), f.wrote[slot, 1], t - f.wrote[slot, 0])
            f.wrote[slot, 0] = -1
        else:
            answered(f, at, done, op, nbytes, t - f.issued[slot])
        landed(f, at, slot)


@inlined
def wait(f: Any, at: Any, done: Any, t: Any, until: Any, full: Any) -> None:
    """Take answers until `until`, the time of the next action. Spin if that is soon and the queue is not `full`."""
    until = min(until, at[m.NEXT_SNAPSHOT], t + ROUND_NS)
    length = i64(0) if until - t < SPIN_NS and not full else max(until - t - EARLY_NS, i64(EARLY_NS))
    nap = t - f.set[RESTED] > AWAKE_NS and length < NAP_NS
    if nap or (length > 0 and at[m.FLYING] <= 0):
        ends = at[m.BEGAN] + t + max(length, i64(NAP_NS) if nap else i64(0))
        f.time[2], f.time[3] = ends // SECOND, ends % SECOND
        _sleep(MONOTONIC, ABSOLUTE, f.time.ctypes.data + 16, 0)
        f.set[RESTED] = now(f, at)
        length = i64(0)
    if at[m.FLYING] > 0:
        if length >= NAP_NS:
            f.set[RESTED] = t + length
        reap(f, at, done, 1 if length > 0 else 0, length)


@inlined
def write_snapshot(at: Any, shared: Any, done: Any, t: Any) -> None:
    """Write a snapshot of the counts at time `t` into the shared memory, and reset the longest response times."""
    slot = at[m.SNAPSHOTS] % m.SLOTS
    done.words[m.UNTIL] = t
    for row in range(done.bins.shape[0]):
        for n in range(done.bins.shape[1]):
            shared.bins[slot, row, n] = done.bins[row, n]
    for row in range(done.sums.shape[0]):
        for n in range(done.sums.shape[1]):
            shared.sums[slot, row, n] = done.sums[row, n]
        done.sums[row, 4] = 0.0
    for n in range(done.words.shape[0]):
        shared.words[slot, n] = done.words[n]
    done.words[m.LATEST] = 0
    at[m.SNAPSHOTS] += 1
    while at[m.NEXT_SNAPSHOT] <= t:
        at[m.NEXT_SNAPSHOT] += at[m.INTERVAL]
