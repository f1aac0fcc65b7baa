"""Translation and cleaning without time, on the arrays of a FlashDrive: the fastest way to a steady state.

Victims are moved whole, and no clock advances. The write amplification equals that of the timed kernel.
"""

from typing import Any

import numpy as np

from stend.base.jit import compiled, i64, inlined, prefetch, trailing_zeros, u32, u64, wrapped
from stend.sim import flash_state as k
from stend.sim.flash_clean import turn
from stend.sim.flash_victims import emptiest

AHEAD = 32


@inlined
def step(x: Any) -> Any:
    """Return the next state of xorshift64 (Marsaglia 2003)."""
    x ^= wrapped(x << u64(13))
    x ^= x >> u64(7)
    return x ^ wrapped(x << u64(17))


@inlined
def place(f: Any, page: Any, pos: Any) -> None:
    """Map a logical page to a physical one and back."""
    f.map[page] = u32(pos)
    f.back[pos] = u32(page)
    f.live[pos >> u64(6)] |= u64(1) << (pos & u64(63))


@inlined
def gather(f: Any, victim: Any, moved: Any) -> Any:
    """Copy the victim's current logical pages into `moved`, free its places, and return the number of pages."""
    pages = f.parameters[k.PAGES]
    first, many = u64(victim * pages) >> u64(6), u64(0)
    for word in range(pages >> 6):
        w = first + u64(word)
        bits = f.live[w]
        f.live[w] = u64(0)
        while bits != u64(0):
            page = f.back[(w << u64(6)) + trailing_zeros(bits)]
            prefetch(f.map, u64(page))
            moved[many] = page
            many += u64(1)
            bits &= bits - u64(1)
    return many


@compiled
def overwrite(f: Any, room: Any, span: Any, count: Any, seed: Any) -> None:
    """Write `count` random single pages over the first `span` pages, without time.

    It is one loop because position and random state must stay in registers.
    """
    s = f.state
    pages = u64(f.parameters[k.PAGES])
    moved, ring = room
    x = u64(seed) | u64(1)
    for i in range(AHEAD):
        x = step(x)
        ring[u64(i)] = ((x >> u64(32)) * u64(span)) >> u64(32)
    pos, end = u64(f.lanes[0, 0]), u64(f.lanes[0, 1])
    for it in range(count):
        j = u64(it) & u64(AHEAD - 1)
        page = ring[j]
        x = step(x)
        coming = ((x >> u64(32)) * u64(span)) >> u64(32)
        ring[j] = coming
        prefetch(f.map, coming)
        prefetch(f.live, u64(f.map[ring[u64(it + AHEAD // 2) & u64(AHEAD - 1)]] >> u32(6)))
        old = f.map[page]
        if old != k.NONE:
            f.live[u64(old) >> u64(6)] &= ~(u64(1) << (u64(old) & u64(63)))
            f.valid[u64(old) // pages] -= u32(1)
        place(f, page, pos)
        pos += u64(1)
        if pos == end:
            turn(f, k.HOST_LANE)
            pos, end = u64(f.lanes[0, 0]), u64(f.lanes[0, 1])
            s[k.FLASH] += i64(pages)
            while s[k.FREE] < f.parameters[k.LOW]:
                pos, end = collect(f, moved, pos, end)
    f.lanes[0, 0] = i64(pos)
    s[k.HOST] += count


@inlined
def collect(f: Any, moved: Any, pos: Any, end: Any) -> Any:
    """Clean one whole victim, and return the position and end of the open superblock."""
    s = f.state
    pages = u64(f.parameters[k.PAGES])
    victim = i64(emptiest(f.valid))
    many = gather(f, victim, moved)
    f.valid[victim] = k.OPEN
    for q in range(s[k.FREE], 0, -1):
        f.free[q] = f.free[q - 1]
    f.free[0] = victim
    s[k.FREE] += 1
    for i in range(many):
        place(f, u64(moved[u64(i)]), pos)
        pos += u64(1)
        if pos == end:
            turn(f, k.HOST_LANE)
            pos, end = u64(f.lanes[0, 0]), u64(f.lanes[0, 1])
            s[k.FLASH] += i64(pages)
    return pos, end


def age(f: k.Flash, times: float, seed: int = 1) -> float:
    """Overwrite the whole drive at random `times` times, and return the write amplification meanwhile."""
    span, flash, host = f.map.shape[0], int(f.state[k.FLASH]), int(f.state[k.HOST])
    room = (np.empty(f.parameters[k.PAGES], np.uint32), np.empty(AHEAD, np.uint64))
    overwrite(f, room, span, round(span * times), seed)
    return (int(f.state[k.FLASH]) - flash) / (int(f.state[k.HOST]) - host)
