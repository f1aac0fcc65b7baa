"""The two compiled loops that send: a schedule by its times or by its queue depths, and weighted streams."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import bin_of, compiled, i64, inlined
from stend.engines.replay import aio
from stend.engines.replay import memory as m
from stend.engines.replay.parts import HELD_NS, now, send, slept, wait, write_snapshot
from stend.model.stats import BIN_BITS, BINS
from stend.sim.draws import draw
from stend.sim.requests import ENDED, TRIMS

BATCH = 64
"""The most IOs that are sent before answers are taken."""
NEVER = 1 << 62


class Ring(NamedTuple):
    """IOs of the schedule that are read ahead. IO n is at place n modulo the length."""

    due: npt.NDArray[np.int64]
    """ns since the start, or 0 if `depth` limits when an IO is sent"""
    op: npt.NDArray[np.int64]
    flags: npt.NDArray[np.int64]
    offset: npt.NDArray[np.int64]
    length: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int64]
    """the most IOs in flight with this one; 0: as many as there is room for"""


def ring(ios: int) -> Ring:
    """Return an empty ring."""
    return Ring(*(np.zeros(ios, np.int64) for _ in Ring._fields))


@inlined
def late(at: Any, done: Any, ns: Any) -> None:
    """Count the lateness of a sent IO in ns, and whether the queue was full."""
    done.words[m.SENT] += 1
    done.bins[m.LATENESS, bin_of(max(ns, i64(0)), BIN_BITS, BINS)] += 1
    done.words[m.LATEST] = max(done.words[m.LATEST], ns)
    if ns > m.LATE_NS:
        done.words[m.LATE] += 1
        done.words[m.FULL] += at[m.BLAMED]


@inlined
def sent(f: Any, at: Any, done: Any, r: Any, n: Any, t: Any, timed: Any, from_due: Any) -> Any:
    """Send the IO at place `n` of the ring. Return False if the kernel accepts none now."""
    flags = aio.DSYNC if r.flags[n] & 1 and r.op[n] == m.WRITE else 0
    begins = r.due[n] if from_due else t
    if not send(f, at, done, r.op[n], flags, r.offset[n], r.length[n], at[m.TAKEN] * 7919, begins):
        return False
    if timed:
        late(at, done, t - r.due[n])
        if now(f, at) - t > HELD_NS and slept(f) != at[m.SLEPT]:
            at[m.BLAMED], at[m.SLEPT] = 1, slept(f)
    at[m.TAKEN] += 1
    return True


@inlined
def waiting(at: Any, r: Any, t: Any) -> Any:
    """Return how many IOs that were read ahead are due at `t` and not sent: their times in the ring rise."""
    low, high = at[m.TAKEN], at[m.FED]
    while low < high:
        middle = (low + high) // 2
        if r.due[middle % r.due.shape[0]] <= t:
            low = middle + 1
        else:
            high = middle
    return low - at[m.TAKEN]


@compiled
def play(f: Any, at: Any, shared: Any, done: Any, r: Any, timed: Any, from_due: Any) -> None:
    """Send the schedule in `r` until its end, STOP, or an error. The caller sets BEGAN and NEXT_SNAPSHOT.

    With `from_due` response times count from when an IO was due, otherwise from when it was sent.
    """
    places, bound, stopped = i64(r.due.shape[0]), i64(f.iocb.shape[0]), i64(NEVER)
    while True:
        t = now(f, at)
        at[m.BEAT] = t
        if t >= at[m.NEXT_SNAPSHOT]:
            done.words[m.UNSENT] = waiting(at, r, t) if from_due else 0
            write_snapshot(at, shared, done, t)
        until, full, ending = i64(NEVER), False, at[m.STOP] != 0 or at[m.ERRNO] != 0
        stopped = min(stopped, t) if ending else stopped
        for _ in range(BATCH):
            if ending or at[m.TAKEN] >= at[m.FED]:
                break
            n = at[m.TAKEN] % places
            if timed and r.due[n] > t:
                until, at[m.BLAMED] = r.due[n], 0
                break
            full = at[m.FLYING] >= bound or (not timed and r.depth[n] > 0 and at[m.FLYING] >= r.depth[n])
            full = full or not sent(f, at, done, r, n, t, timed, from_due)
            if full or at[m.ERRNO] != 0:
                at[m.BLAMED] = 1
                break
            t = now(f, at)
        else:
            until = t
        if at[m.TAKEN] >= at[m.FED] and not ending:
            until = t + m.LATE_NS // 4 if at[m.FED_ALL] == 0 else until
            ending = at[m.FED_ALL] != 0
        if ending and at[m.FLYING] <= 0:
            break
        wait(f, at, done, t, i64(NEVER) if ending else until, full or ending)
        at[m.SLEPT] = slept(f)
    done.words[m.UNSENT] = waiting(at, r, stopped) if from_due else 0
    write_snapshot(at, shared, done, max(at[m.ANSWERED], i64(1)))
    at[m.OVER] = 1


@compiled
def press(f: Any, at: Any, shared: Any, done: Any, s: Any, flags: Any) -> None:
    """Send requests of the stream `s`, as many in flight as there is room for, until its end, STOP, or an error.

    `flags` are those of each write. Each slot of the Flight is a writer with flushes of its own (EVERY).
    """
    while True:
        t = now(f, at)
        at[m.BEAT] = t
        if t >= at[m.NEXT_SNAPSHOT]:
            write_snapshot(at, shared, done, t)
        ending = at[m.STOP] != 0 or at[m.ERRNO] != 0
        for _ in range(BATCH):
            if ending or at[m.FLYING] >= f.iocb.shape[0]:
                break
            if s.at[0] == s.at[1] and (s.at[ENDED] != 0 or draw(s) == 0):
                ending = True
                break
            i = s.at[0]
            op = i64(m.DISCARD) if s.reads[i] == TRIMS else i64(m.WRITE) - i64(s.reads[i])
            how = i64(flags) if op == m.WRITE else i64(0)
            if not send(f, at, done, op, how, s.offset[i], s.size[i], at[m.TAKEN] * 7919, now(f, at)):
                break
            s.at[0] = i + 1
            at[m.TAKEN] += 1
        if ending and at[m.FLYING] <= 0:
            break
        wait(f, at, done, t, i64(NEVER), True)
    write_snapshot(at, shared, done, max(at[m.ANSWERED], i64(1)))
    at[m.OVER] = 1
