"""Compiled parts that all kinds of virtual drives share: take requests, keep the heap of the closed loop, count IOs."""

from typing import Any

from stend.base.jit import bin_of, i64, inlined, u64
from stend.sim.draws import LOW32, draw, part, random64
from stend.sim.power import AFTER, AWAKE_AT, EXIT, LEFT, SINCE, SLEPT, STATE_WORDS, STATES, WOKE
from stend.sim.requests import (
    ANY_TIME,
    BEGUN,
    ENDED_AT,
    EVERY,
    FLUSH,
    FUA,
    LONGEST,
    NOT_FLUSHING,
    OUTSTANDING_AT,
    PLAN,
    ROWS,
    SLOW,
    SLOW_NS,
    SLOW_SHARE,
    STATE,
    TRIM,
    TRIMS,
    TURNS,
    WORK,
    WRITE,
)

BIN_BITS = 6
BINS = 29 << BIN_BITS  # fio's latency bins: stat.h of fio 3
WORST = 1 << 62
NONE, LATER = -1, -2
"""Instead of the place of a request: the stream is exhausted, or the slot waits until the request it claims is due."""
BUILD_UP_NS = 20_000_000
"""ns; a queue that answers all its first requests sooner needs no correction of its build-up."""


@inlined
def next_of(stream: Any, loop: Any, slot: Any, t: Any) -> Any:
    """Return the place of the slot's next request at `t`, NONE, or LATER if it is not due yet (`loop.claimed`).

    Each request of a schedule counts as work, because `Drive` gives a kernel no more work than it has requests.
    """
    if stream.due.shape[0] > 0:
        loop.at[WORK] -= 1
    claimed = loop.claimed[slot]
    if claimed > 0:
        loop.claimed[slot] = 0
        return claimed - 1
    k, at, first = i64(0), i64(0), i64(0)
    if stream.loads.shape[0] > 1:
        if loop.queued.shape[0] > 0:  # the request that has waited longest in the host takes the slot
            turn = loop.at[LONGEST]
            loop.load[slot], loop.queued[turn] = loop.queued[turn], loop.load[slot]
        k = loop.load[slot]
        at, first = k * STATE, stream.loads[k, 0]
        if stream.at[at] == stream.at[at + 1]:
            draw(part(stream, k))
    elif stream.at[0] == stream.at[1]:
        draw(stream)
    i = stream.at[at]
    if i == stream.at[at + 1]:
        return i64(NONE)
    stream.at[at] = i + 1
    i += first
    way = stream.reads[i]
    loop.row[slot] = k * ROWS + (i64(TRIM) if way == TRIMS else i64(1 - way))
    if stream.due.shape[0] > 0 and stream.due[i] > t:
        loop.claimed[slot] = i + 1
        loop.size[slot] = 0
        return i64(LATER)
    return i


@inlined
def held_up(stream: Any, offset: Any, size: Any, reads: Any) -> Any:
    """Return by how many ns a slow place delays the answer to a request."""
    plan = stream.plan
    if reads != 1 or offset >= plan[SLOW + 1] or offset + size <= plan[SLOW]:
        return i64(0)
    return plan[SLOW_NS] if i64(random64(stream.rng) & LOW32) < plan[SLOW_SHARE] else i64(0)


@inlined
def sooner(heap: Any, first: Any, second: Any) -> Any:
    """Return the one of two places with the smaller key."""
    return second if heap[second] < heap[first] else first


@inlined
def sink(heap: Any, used: Any, key: Any) -> None:
    """Replace the smallest key of a 4-ary heap by `key`."""
    sink_from(heap, used, u64(0), key)


@inlined
def sink_from(heap: Any, used: Any, i: Any, key: Any) -> None:
    """Replace the key at place `i` (u64) of a 4-ary heap by `key`, which is not smaller than the key above it."""
    c, end = u64(4) * i + u64(1), u64(used)
    while c < end:
        if c + u64(3) < end:
            at = sooner(heap, sooner(heap, c, c + u64(1)), sooner(heap, c + u64(2), c + u64(3)))
        else:
            at = c
            for q in range(c + u64(1), end):
                at = sooner(heap, at, q)
        if heap[at] >= key:
            break
        heap[i] = heap[at]
        i, c = at, u64(4) * at + u64(1)
    heap[i] = key


@inlined
def heaped(heap: Any, used: Any) -> None:
    """Make a 4-ary heap of `used` keys in any order."""
    for n in range(used):
        i = u64(used - 1 - n)
        sink_from(heap, used, i, heap[i])


@inlined
def count(ledger: Any, row: Any, size: Any, ns: Any) -> None:
    """Add a completed IO or flush to its row's [IOs, bytes, sum ns, sum ns^2, max ns] and latency bins."""
    tallies = ledger.sums
    tallies[row, 0] += 1
    tallies[row, 1] += abs(size)
    tallies[row, 2] += ns
    tallies[row, 3] += float(ns) * float(ns)
    tallies[row, 4] = max(tallies[row, 4], float(ns))
    ledger.bins[row, bin_of(ns, BIN_BITS, BINS)] += 1


@inlined
def made_durable(stream: Any, loop: Any, slot: Any) -> Any:
    """Return 1 if the load of a slot makes each write durable by itself, else 0."""
    return stream.plan[loop.load[slot] * PLAN + FUA]


@inlined
def flushes(stream: Any) -> Any:
    """Return 1 if a load sends flushes, else 0."""
    sends = i64(0)
    for first in range(0, stream.plan.shape[0], PLAN):
        sends = i64(1) if stream.plan[first + EVERY] > 0 else sends
    return sends


@inlined
def awake(loop: Any, at: Any) -> Any:
    """Return when the drive serves a request issued at `at`: a request that ends a rest waits for the exit latency."""
    rest = loop.rest
    if rest.shape[0] == 0:
        return at
    slept = at - rest[SINCE]
    for s in range(STATES, rest.shape[0], STATE_WORDS):
        if slept >= rest[s + AFTER]:
            deeper = s + STATE_WORDS
            if deeper < rest.shape[0] and slept >= rest[deeper + AFTER]:
                rest[s + SLEPT] += rest[deeper + AFTER] - rest[s + AFTER]
            else:
                rest[s + SLEPT] += slept - rest[s + AFTER]
                rest[s + WOKE] += rest[s + EXIT]
                rest[AWAKE_AT], rest[LEFT] = at + rest[s + EXIT], s
    worked(loop, at)
    return max(at, rest[AWAKE_AT])


@inlined
def worked(loop: Any, until: Any) -> None:
    """Let the drive's next rest begin at `until` at the earliest."""
    if loop.rest.shape[0] > 0:
        loop.rest[SINCE] = max(loop.rest[SINCE], until)


@inlined
def flush_due(stream: Any, loop: Any, ledger: Any, slot: Any, at: Any) -> Any:
    """Return True if the slot sends a flush at `at`, when its request is done. Count a flush that has ended."""
    load = loop.load[slot]
    every = stream.plan[load * PLAN + EVERY]
    if every == 0 or loop.row[slot] != load * ROWS + WRITE:
        return False
    if loop.flushing[slot] != NOT_FLUSHING:
        count(ledger, load * ROWS + FLUSH, i64(0), at - loop.flushing[slot])
        worked(loop, at)
        loop.flushing[slot] = NOT_FLUSHING
        return False
    loop.unsynced[slot] += 1
    if loop.unsynced[slot] < every:
        return False
    loop.unsynced[slot], loop.flushing[slot] = 0, at
    return True


@inlined
def issue_time(stream: Any, loop: Any, i: Any, at: Any) -> Any:
    """Return when the host issued request `i`, which takes a slot that is free at `at`.

    That is its due time if it has one, otherwise `at`, or the issue time of the request that has waited longest in the
    host.
    """
    if stream.due.shape[0] > 0 and stream.due[i] > ANY_TIME:
        return stream.due[i]
    many = loop.waiting.shape[0]
    if many == 0:
        return at
    turn = loop.at[LONGEST]
    since = loop.waiting[turn]
    loop.waiting[turn] = at
    loop.at[LONGEST] = turn + 1 if turn + 1 < many else 0
    return since


@inlined
def answered(loop: Any, ledger: Any, slot: Any, at: Any) -> None:
    """Count the answer to a slot's request.

    A load starts as if its queue was in steady state already: a request that is served k-th of those issued together
    gets the wait it would have in a full queue.
    """
    ns = at - loop.issued[slot]
    if loop.at[BEGUN] < loop.at[OUTSTANDING_AT]:
        loop.at[BEGUN] += 1
        since = at - (max(loop.at[1], loop.rest[AWAKE_AT]) if loop.rest.shape[0] > 0 else loop.at[1])
        if since > BUILD_UP_NS:
            ns = max(ns, since * loop.at[OUTSTANDING_AT] // loop.at[BEGUN])
    count(ledger, loop.row[slot], loop.size[slot], ns)
    loop.at[ENDED_AT] = at


@inlined
def spend(loop: Any, work: Any) -> None:
    """Count a request served and its work against what one call of a kernel may do."""
    loop.at[WORK] -= work
    loop.at[TURNS] += 1
