"""Writing to flash and cleaning it: units and superblocks. Parts of the flash kernel.

Cleaning is paced: while free superblocks are short, every host page earns the credit to move victim pages in proportion
to the victim's fill, so that the space is there when it is needed and no IO pays for a whole victim.
"""

from typing import Any

import numpy as np

from stend.compiled import inlined, prefetch, trailing_zeros
from stend.sim import flash_state as k
from stend.sim.flash_victims import choose
from stend.sim.kernels import i64, random64, u64

u32 = np.uint32


@inlined
def program(f: Any, lane: Any, at: Any) -> Any:
    """The units that end at the lane's next page go to their dies, and release their buffer space when all are done."""
    s, p = f.state, f.parameters
    unit, done = p[k.UNIT], at
    for end in range(f.lanes[lane, 0] - p[k.GATHER] + unit, f.lanes[lane, 0] + 1, unit):
        d = i64((u64(end - 1) // u64(unit)) % u64(p[k.DIES]))
        bus = i64(u64(d) % u64(p[k.CHANNELS]))
        s[k.FLASH] += unit
        f.channel[bus] = max(f.channel[bus], at) + p[k.T_CHANNEL] * unit
        z = max(max(f.die[d], at) + p[k.T_CHANNEL] * unit, f.channel[bus])
        if f.slc[f.lanes[lane, 2]]:
            s[k.SLC_FLASH] += unit
            z += p[k.T_SLC]
        else:
            z += p[k.T_PROGRAM]
        if p[k.SPREAD] > 0:
            z += (i64(random64(f.rng) >> u64(33)) * p[k.SPREAD] >> 30) - p[k.SPREAD]
        f.die[d] = z
        done = max(done, z)
    if f.lanes[lane, 3] > 0:
        q = (s[k.OLDEST] + s[k.PENDING]) & (f.release_at.shape[0] - 1)
        f.release_at[q] = done
        f.release_pages[q] = f.lanes[lane, 3]
        s[k.PENDING] += 1
        f.lanes[lane, 3] = 0
    return done


@inlined
def opens_slc(f: Any, lane: Any) -> Any:
    """Whether the lane's next superblock is written with one bit per cell.

    Fresh drives do so up to a share of the space at hand; full ones pass everything through such blocks and fold it.
    """
    s, p = f.state, f.parameters
    if p[k.SLC_PAGES] == 0 or lane != k.HOST_LANE:
        return False
    if s[k.FREE] <= p[k.SLC_SHORT]:
        s[k.PASSING] = 1
    elif s[k.FREE] > p[k.SLC_LEAVE]:
        s[k.PASSING] = 0
    if s[k.PASSING]:
        return True
    return (s[k.SLC_USED] + 1) * k.CREDIT <= p[k.SLC_SHARE] * (s[k.FREE] + s[k.SLC_USED])


@inlined
def turn(f: Any, lane: Any) -> None:
    """The lane's superblock is full: close it and open a free one."""
    s, p, fronts = f.state, f.parameters, f.lanes
    full = fronts[lane, 2]
    f.valid[full] = f.valid[full] - k.OPEN + u32(p[k.SLC_PAGES] if f.slc[full] else p[k.PAGES])
    s[k.CLOSED] += 1
    f.age[full] = s[k.CLOSED]
    slc = opens_slc(f, lane)
    s[k.FREE] -= 1
    opened = f.free[s[k.FREE]]
    f.slc[opened] = slc
    s[k.SLC_USED] += slc
    fronts[lane, 2] = opened
    fronts[lane, 0] = opened * p[k.PAGES]
    fronts[lane, 1] = fronts[lane, 0] + (p[k.SLC_PAGES] if slc else p[k.PAGES])
    f.valid[opened] = k.OPEN


@inlined
def append(f: Any, page: Any, lane: Any, at: Any) -> None:
    """Write a logical page to the lane's superblock."""
    pos = u64(f.lanes[lane, 0])
    f.map[page] = u32(pos)
    f.back[pos] = u32(page)
    f.live[pos >> u64(6)] |= u64(1) << (pos & u64(63))
    f.lanes[lane, 0] = i64(pos) + 1
    if (pos + u64(1)) % u64(f.parameters[k.GATHER]) == u64(0):
        program(f, lane, at)
        if f.lanes[lane, 0] == f.lanes[lane, 1]:
            turn(f, lane)


@inlined
def begin(f: Any) -> None:
    """Choose a victim and what each host page must pay for it."""
    s, p = f.state, f.parameters
    victim = choose(f)
    pages = i64(f.valid[victim])
    s[k.VICTIM_AT] = victim
    s[k.CURSOR] = victim * p[k.PAGES]
    s[k.VICTIM_END] = s[k.CURSOR] + (p[k.SLC_PAGES] if f.slc[victim] else p[k.PAGES])
    f.valid[victim] |= k.VICTIM
    s[k.RATIO] = (pages << 32) // max(p[k.PAGES] - pages, 1) + (1 << 28)
    if p[k.SLC_PAGES] > 0 and f.slc[f.lanes[k.HOST_LANE, 2]]:
        s[k.RATIO] = s[k.RATIO] * p[k.PAGES] // p[k.SLC_PAGES]  # host pages take more room while they are written so


@inlined
def erase(f: Any, at: Any) -> None:
    """The victim is empty: erase it on all dies and queue it as free."""
    s, p = f.state, f.parameters
    for d in range(f.die.shape[0]):
        f.die[d] = max(f.die[d], at) + p[k.T_ERASE]
    victim = s[k.VICTIM_AT]
    f.valid[victim] = k.OPEN
    s[k.SLC_USED] -= f.slc[victim]
    f.slc[victim] = 0
    for q in range(s[k.FREE], 0, -1):
        f.free[q] = f.free[q - 1]
    f.free[0] = victim
    s[k.FREE] += 1
    s[k.ERASED] += 1
    s[k.VICTIM_AT] = -1


@inlined
def next_live(f: Any) -> Any:
    """The next current page of the victim, or its end."""
    q, end = u64(f.state[k.CURSOR]), u64(f.state[k.VICTIM_END])
    while q < end:
        bits = f.live[q >> u64(6)] >> (q & u64(63))
        if bits != u64(0):
            return min(q + trailing_zeros(bits), end)
        q = ((q >> u64(6)) + u64(1)) << u64(6)
    return end


@inlined
def move(f: Any, q: Any, at: Any) -> None:
    """Move the victim's page at `q`; a sense of its die brings several of them."""
    s, p = f.state, f.parameters
    sense = u64(p[k.MOVE_SENSE])
    if q // sense != u64(s[k.CURSOR] - 1) // sense or s[k.CURSOR] % p[k.PAGES] == 0:
        d = (q // u64(p[k.UNIT])) % u64(p[k.DIES])
        f.die[d] = max(f.die[d], at) + p[k.T_READ]
    s[k.CURSOR] = i64(q) + 1
    if i64(f.back[q]) != s[k.MOVED_LAST] + 1:
        s[k.FIRMWARE] += p[k.T_MOVE]
    s[k.MOVED_LAST] = f.back[q]
    f.live[q >> u64(6)] &= ~(u64(1) << (q & u64(63)))
    prefetch(f.map, u64(f.back[min(q + u64(12), u64(f.back.shape[0] - 1))]))
    append(f, u64(f.back[q]), k.CLEAN_LANE if p[k.LANES] > 1 else k.HOST_LANE, at)


@inlined
def clean(f: Any, at: Any, low: Any) -> None:
    """Spend the earned credit: move victim pages, erase empty victims, while fewer than `low` superblocks are free."""
    s = f.state
    while True:
        if s[k.VICTIM_AT] < 0:
            if s[k.FREE] >= low:
                s[k.EARNED] = 0
                return
            begin(f)
        if s[k.EARNED] < k.CREDIT and s[k.FREE] > 1:
            return
        q = next_live(f)
        if q == u64(s[k.VICTIM_END]):
            erase(f, at)
            continue
        s[k.EARNED] -= k.CREDIT
        move(f, q, at)


@inlined
def room(f: Any, at: Any) -> Any:
    """When the buffer has room for one more page, at `at` or after: nobody overtakes who waits for room."""
    s = f.state
    while s[k.IN_BUFFER] >= f.parameters[k.BUFFER]:
        q = s[k.OLDEST]
        s[k.ROOM_AT] = max(s[k.ROOM_AT], f.release_at[q])
        s[k.IN_BUFFER] -= f.release_pages[q]
        s[k.OLDEST] = (q + 1) & (f.release_at.shape[0] - 1)
        s[k.PENDING] -= 1
    s[k.IN_BUFFER] += 1
    return max(at, s[k.ROOM_AT])


@inlined
def forget(f: Any, page: Any) -> None:
    """The physical page of a logical one is no longer current."""
    old = f.map[page]
    if old != k.NONE:
        f.live[u64(old) >> u64(6)] &= ~(u64(1) << (u64(old) & u64(63)))
        f.valid[old // u32(f.parameters[k.PAGES])] -= u32(1)


@inlined
def folds(f: Any) -> Any:
    """Whether one-bit superblocks are folded on the side, while space is not short yet.

    So it is where the host writes dense ones, and where all it writes passes through them.
    """
    s, p = f.state, f.parameters
    if p[k.SLC_FOLD] == 0 or s[k.FREE] < p[k.LOW]:
        return False
    return s[k.SLC_USED] > 1 and (s[k.PASSING] == 1 or f.slc[f.lanes[k.HOST_LANE, 2]] == 0)


@inlined
def write_page(f: Any, page: Any, at: Any) -> Any:
    """One host page into the buffer and to the host's lane; when the buffer took it."""
    s, p = f.state, f.parameters
    at = room(f, at)
    forget(f, page)
    s[k.HOST] += 1
    f.lanes[k.HOST_LANE, 3] += 1
    low = p[k.LOW]
    if folds(f):
        s[k.EARNED] += k.CREDIT if s[k.PASSING] else p[k.SLC_FOLD]
        low = i64(f.valid.shape[0])
    elif s[k.VICTIM_AT] >= 0 or s[k.FREE] < low:
        s[k.EARNED] += s[k.RATIO]
    append(f, u64(page), k.HOST_LANE, at)
    if p[k.T_MOVE] == 0 or s[k.EARNED] >= p[k.GATHER] * k.CREDIT or s[k.FREE] < p[k.LOW] - 1:
        clean(f, at, low)
    return at


@inlined
def between(f: Any, at: Any) -> None:
    """The command processor had nothing to do until `at`: it moves what is due of the victim."""
    s, p = f.state, f.parameters
    while s[k.EARNED] >= k.CREDIT and s[k.FIRMWARE] + p[k.T_MOVE] <= at:
        due = s[k.EARNED] - k.CREDIT
        s[k.EARNED] = k.CREDIT
        clean(f, s[k.FIRMWARE], p[k.LOW])
        s[k.EARNED] += due
