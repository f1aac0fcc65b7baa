"""Compiled parts that both kernels share: the clock, sending an IO, taking answers, counting, telling.

`f` is the Flight: what is under way and the memory that the system calls work on.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from stend.base.jit import bin_of, inlined
from stend.engines.replay import aio
from stend.engines.replay import memory as m
from stend.model.stats import BIN_BITS, BINS
from stend.sim.kernels import i64

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
"""What is due sooner is waited for awake: a sleeper comes back some ten microseconds late."""
EARLY_NS = 30_000
"""By so much a sleep ends before what it waits for."""
ROUND_NS = 50_000_000
"""The sender comes round at least so often, to tell, to end and to show that it lives."""
HELD_NS = 500_000
"""A submission that took longer, and put the thread to sleep, waited for room in the kernel's queue."""
SLEPT = 16
"""Place of ru_nvcsw, how often the thread gave the processor away, in struct rusage."""
EIO, EAGAIN, EINTR = 5, 11, 4
AWAKE_NS, NAP_NS = 1_000_000, 100_000
"""After so long awake a sender naps: others are waiting, and the kernel would let them in for 50 ms at once."""
LOOK_NS = 200_000
"""While a discard is in flight its end is looked for so often: no AIO tells it."""
CONTEXT, FD, SUBMIT, GETEVENTS, FREE, POOL, POOL_BYTES, SCRATCH, RESTED, BELL, HANDED, ENDED, SEEN = range(13)
"""Words of `Flight.set`: AIO context, descriptor (negative: no drive), two system calls, free slots, memory that is
written from, and where is read into; when the sender slept last. Of discards (see `discards.py`): the eventfd that
tells of one, how many were handed over, how many ended, how many of those ends were seen."""


class Flight(NamedTuple):
    """IOs in flight, a slot each, and what the system calls need."""

    set: npt.NDArray[np.int64]
    iocb: npt.NDArray[np.int64]
    pointer: npt.NDArray[np.int64]
    events: npt.NDArray[np.int64]
    free: npt.NDArray[np.int64]
    handed: npt.NDArray[np.int64]
    """[bound]: slots of discards handed over, discard n at n modulo its length"""
    ended: npt.NDArray[np.int64]
    """[bound, 2]: slots of those that ended, and after how many ns, or minus the error's number"""
    issued: npt.NDArray[np.int64]
    op: npt.NDArray[np.int64]
    time: npt.NDArray[np.int64]
    usage: npt.NDArray[np.int64]


def flight(bound: int, context: int, fd: int, pool: tuple[int, int, int]) -> Flight:
    """Nothing in flight yet, at most `bound`; `pool` is (address, bytes) written from, and the address read into."""
    calls = aio.numbers()
    words = np.array([context, fd, calls.submit, calls.getevents, bound, *pool, 0, -1, 0, 0, 0], np.int64)
    iocb, events = np.zeros((bound, 8), np.int64), np.zeros((bound, 4), np.int64)
    free, issued, op = np.arange(bound), np.zeros(bound, np.int64), np.zeros(bound, np.int64)
    handed, ended = np.zeros(bound, np.int64), np.zeros((bound, 2), np.int64)
    one, times, usage = (np.zeros(size, np.int64) for size in (1, 4, 18))
    return Flight(words, iocb, one, events, free, handed, ended, issued, op, times, usage)


@inlined
def now(f: Any, at: Any) -> Any:
    """Nanoseconds since the load began."""
    _clock(MONOTONIC, f.time.ctypes.data)
    return f.time[0] * SECOND + f.time[1] - at[m.BEGAN]


@inlined
def slept(f: Any) -> Any:
    """How often this thread has given the processor away by itself."""
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
    """The slot on top of the free ones is in flight."""
    f.set[FREE] -= 1
    at[m.FLYING] += 1


@inlined
def landed(f: Any, at: Any, slot: Any) -> None:
    """This one is free again."""
    f.free[f.set[FREE]] = slot
    f.set[FREE] += 1
    at[m.FLYING] -= 1


@inlined
def send(f: Any, at: Any, done: Any, op: Any, flags: Any, offset: Any, nbytes: Any, place: Any, at_ns: Any) -> Any:
    """Issue one IO at `at_ns`; False where the kernel takes none now. `place` chooses the data that is written."""
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
        f.handed[f.set[HANDED] % f.handed.shape[0]] = slot
        f.set[HANDED] += 1
        f.pointer[0] = 1
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
def discarded(f: Any, at: Any, done: Any) -> None:
    """Take the ends of discards that are there."""
    while f.set[SEEN] < f.set[ENDED]:
        n = f.set[SEEN] % f.ended.shape[0]
        slot, ns = f.ended[n, 0], f.ended[n, 1]
        if ns < 0:
            at[m.ERRNO], at[m.FAILED_AT] = -ns, f.iocb[slot, aio.OFFSET]
        else:
            answered(f, at, done, i64(m.DISCARD), f.iocb[slot, aio.LENGTH], ns)
            at[m.ANSWERED] = max(at[m.ANSWERED], f.issued[slot] + ns)
        landed(f, at, slot)
        f.set[SEEN] += 1


@inlined
def reap(f: Any, at: Any, done: Any, least: Any, wait_ns: Any) -> None:
    """Take the answers that are there; wait so long for the first where `least` is 1."""
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
        if result != (nbytes if op <= m.WRITE else 0):
            at[m.ERRNO] = -result if result < 0 else EIO
            at[m.FAILED_AT] = f.iocb[slot, aio.OFFSET]
        else:
            answered(f, at, done, op, nbytes, t - f.issued[slot])
        landed(f, at, slot)


@inlined
def wait(f: Any, at: Any, done: Any, t: Any, until: Any, full: Any) -> None:
    """Take answers until something else is to be done at `until`; awake if that is soon and there is room for it."""
    until = min(until, at[m.NEXT_TELL], t + ROUND_NS)
    length = i64(0) if until - t < SPIN_NS and not full else max(until - t - EARLY_NS, i64(EARLY_NS))
    nap = t - f.set[RESTED] > AWAKE_NS and length < NAP_NS
    if nap or (length > 0 and at[m.FLYING] <= 0):
        ends = at[m.BEGAN] + t + max(length, i64(NAP_NS) if nap else i64(0))
        f.time[2], f.time[3] = ends // SECOND, ends % SECOND
        _sleep(MONOTONIC, ABSOLUTE, f.time.ctypes.data + 16, 0)
        f.set[RESTED] = now(f, at)
        length = i64(0)
    discarded(f, at, done)
    if at[m.FLYING] > 0:
        if f.set[HANDED] > f.set[SEEN]:
            length = min(length, i64(LOOK_NS))
        if length >= NAP_NS:
            f.set[RESTED] = t + length
        reap(f, at, done, 1 if length > 0 else 0, length)


@inlined
def tell(at: Any, told: Any, done: Any, t: Any) -> None:
    """A snapshot for whoever counts; the longest response times begin anew."""
    slot = at[m.TOLD] % m.SLOTS
    done.words[m.UNTIL] = t
    for row in range(done.bins.shape[0]):
        for n in range(done.bins.shape[1]):
            told.bins[slot, row, n] = done.bins[row, n]
    for row in range(done.sums.shape[0]):
        for n in range(done.sums.shape[1]):
            told.sums[slot, row, n] = done.sums[row, n]
        done.sums[row, 4] = 0.0
    for n in range(done.words.shape[0]):
        told.words[slot, n] = done.words[n]
    at[m.TOLD] += 1
    while at[m.NEXT_TELL] <= t:
        at[m.NEXT_TELL] += at[m.INTERVAL]
