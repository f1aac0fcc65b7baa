"""Write and clean flash in units and superblocks; a part of the flash kernel.

Cleaning is paced. While free superblocks are short, every host page earns credit to move victim pages in proportion to
the victim's fill. The space is then free when it is needed, and no IO waits for a whole victim.
"""

from typing import Any

from stend.base.jit import i64, inlined, prefetch, trailing_zeros, u32, u64
from stend.sim import flash_state as k
from stend.sim.draws import random64
from stend.sim.flash_victims import choose

AHEAD = u64(32)
"""Distance in pages between the page being moved and the one whose map entry is prefetched."""


@inlined
def program(f: Any, lane: Any, at: Any) -> Any:
    """Program the units that end at the lane's next page. Return when all are done and release their buffer space."""
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
        s[k.SAFE_AT] = max(s[k.SAFE_AT], done)
        f.lanes[lane, 3] = 0
    return done


@inlined
def opens_slc(f: Any, lane: Any) -> Any:
    """Return True if the lane's next superblock is written with one bit per cell.

    Fresh drives do so up to a share of the available space. Full drives write everything to such blocks and fold them.
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
    """Close the lane's full superblock and open a free one."""
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
def put(f: Any, page: Any, pos: Any) -> None:
    """Map a logical page to a physical one."""
    f.map[page] = u32(pos)
    f.back[pos] = u32(page)
    f.live[pos >> u64(6)] |= u64(1) << (pos & u64(63))


@inlined
def written(f: Any, lane: Any, pos: Any, at: Any) -> None:
    """Advance the lane to `pos`: program the gathered units if complete, and close a full superblock."""
    f.lanes[lane, 0] = i64(pos)
    if pos % u64(f.parameters[k.GATHER]) == u64(0):
        program(f, lane, at)
        if f.lanes[lane, 0] == f.lanes[lane, 1]:
            turn(f, lane)


@inlined
def begin(f: Any) -> None:
    """Choose a victim, and set how many of its pages each host page must move."""
    s, p = f.state, f.parameters
    victim = choose(f)
    pages = i64(f.valid[victim])
    s[k.WORK] += f.valid.shape[0] >> 4
    s[k.VICTIM_AT] = victim
    s[k.CURSOR] = victim * p[k.PAGES]
    s[k.VICTIM_END] = s[k.CURSOR] + (p[k.SLC_PAGES] if f.slc[victim] else p[k.PAGES])
    f.valid[victim] |= k.VICTIM
    s[k.RATIO] = (pages << 32) // max(p[k.PAGES] - pages, 1) + (1 << 28)
    if p[k.SLC_PAGES] > 0 and f.slc[f.lanes[k.HOST_LANE, 2]]:
        s[k.RATIO] = s[k.RATIO] * p[k.PAGES] // p[k.SLC_PAGES]  # host pages take more room while they are written so


@inlined
def erase(f: Any, at: Any) -> None:
    """Erase the empty victim on all dies and queue it as free."""
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
def move(f: Any, most: Any, at: Any, until: Any) -> Any:
    """Move up to `most` pages of the victim and return how many were moved.

    It ends when the victim is empty or the lane's gathered pages are full. One sense of a die reads several pages. If
    `until` is not 0, the command processor moves pages one after the other between commands, while time is left for
    one more before `until`.
    """
    s, p = f.state, f.parameters
    lane = u64(k.CLEAN_LANE if p[k.LANES] > 1 else k.HOST_LANE)
    gather, sense, last = u64(p[k.GATHER]), u64(p[k.MOVE_SENSE]), u64(f.back.shape[0] - 1)
    cursor, end, before = u64(s[k.CURSOR]), u64(s[k.VICTIM_END]), s[k.MOVED_LAST]
    sensed = cursor if s[k.CURSOR] == s[k.VICTIM_AT] * p[k.PAGES] else ((cursor - u64(1)) // sense + u64(1)) * sense
    begin = u64(f.lanes[lane, 0])
    pos, full = begin, begin + min(u64(most), gather - begin % gather)
    word = cursor >> u64(6)
    while pos < full and word << u64(6) < end:
        bits = f.live[word]
        while bits != u64(0) and pos < full:
            q = (word << u64(6)) + trailing_zeros(bits)
            if until > 0:
                if s[k.FIRMWARE] + p[k.T_MOVE] > until:
                    full = pos
                    break
                at = s[k.FIRMWARE]
            bits &= bits - u64(1)
            if q >= sensed:
                d = (q // u64(p[k.UNIT])) % u64(p[k.DIES])
                f.die[d] = max(f.die[d], at) + p[k.T_READ]
                sensed = (q // sense + u64(1)) * sense
            page = f.back[q]
            if i64(page) != before + 1:
                s[k.FIRMWARE] += p[k.T_MOVE]
            before = i64(page)
            prefetch(f.map, u64(f.back[min(q + AHEAD, last)]))
            put(f, u64(page), pos)
            pos += u64(1)
            cursor = q + u64(1)
        f.live[word] = bits
        word += u64(1)
    s[k.CURSOR], s[k.MOVED_LAST] = i64(cursor), before
    if pos > begin:
        written(f, lane, pos, at)
    return i64(pos - begin)


@inlined
def clean(f: Any, at: Any, low: Any) -> None:
    """Spend the earned credit: move victim pages and erase empty victims while fewer than `low` superblocks are free.

    If moving all pages of the drive several times frees no superblock, mark the drive as stuck.
    """
    s, p = f.state, f.parameters
    most = k.MOST_MOVES * i64(f.back.shape[0])
    while True:
        if most < 0 or s[k.STUCK] > 0:
            s[k.STUCK] = s[k.WORK] = k.GIVEN_UP
            s[k.EARNED] = 0
            return
        if s[k.VICTIM_AT] < 0:
            if s[k.FREE] >= low:
                s[k.EARNED] = 0
                return
            begin(f)
        if s[k.EARNED] < k.CREDIT and s[k.FREE] > 1:
            return
        moved = move(f, s[k.EARNED] >> 32 if s[k.FREE] > 1 else p[k.GATHER], at, 0)
        s[k.EARNED] -= moved * k.CREDIT
        s[k.WORK] += moved
        most -= moved + 1
        if moved == 0:
            erase(f, at)


@inlined
def room(f: Any, at: Any) -> Any:
    """Return when the buffer has room for one more page, not before `at`. Pages get room in the order of arrival."""
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
    """Mark the physical page of a logical one as not current any more."""
    old = f.map[page]
    if old != k.NONE:
        f.live[u64(old) >> u64(6)] &= ~(u64(1) << (u64(old) & u64(63)))
        f.valid[old // u32(f.parameters[k.PAGES])] -= u32(1)


@inlined
def folds(f: Any) -> Any:
    """Return True if one-bit superblocks are folded in the background although space is not short yet.

    That is so while the host writes dense superblocks, and while all host data goes through one-bit ones.
    """
    s, p = f.state, f.parameters
    if p[k.SLC_FOLD] == 0 or s[k.FREE] < p[k.LOW]:
        return False
    return s[k.SLC_USED] > 1 and (s[k.PASSING] == 1 or f.slc[f.lanes[k.HOST_LANE, 2]] == 0)


@inlined
def write_page(f: Any, page: Any, at: Any) -> Any:
    """Write one host page to the buffer and the host's lane, clean if due, and return when the buffer took the page."""
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
    pos = u64(f.lanes[k.HOST_LANE, 0])
    put(f, u64(page), pos)
    written(f, k.HOST_LANE, pos + u64(1), at)
    if p[k.T_MOVE] == 0 or s[k.EARNED] >= p[k.GATHER] * k.CREDIT or s[k.FREE] < p[k.LOW] - 1:
        clean(f, at, low)
    return at


@inlined
def between(f: Any, at: Any) -> None:
    """Move the victim's due pages in the time until `at`, in which the command processor is idle."""
    s, p = f.state, f.parameters
    while s[k.EARNED] >= k.CREDIT and s[k.FIRMWARE] + p[k.T_MOVE] <= at and s[k.STUCK] == 0:
        if s[k.VICTIM_AT] >= 0 and s[k.FREE] > 2:
            moved = move(f, s[k.EARNED] >> 32, at, at)
            s[k.EARNED] -= moved * k.CREDIT
            if moved > 0:
                continue
        due = s[k.EARNED] - k.CREDIT
        s[k.EARNED] = k.CREDIT
        clean(f, s[k.FIRMWARE], p[k.LOW])
        s[k.EARNED] += due
