"""The flash drive, one IO at a time: link, command processor, write buffer, mapping, cleaning, dies and channels.

Clocks are "busy until" times in ns; an IO takes the latest of what it needs and pushes it on. Cleaning is paced: while
free superblocks are short, every host page earns the credit to move victim pages in proportion to the victim's fill.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.sim.compiled import compiled, prefetch, trailing_zeros
from stend.sim.kernels import count, draw, i64, random64, sink, u64

u32 = np.uint32
OPEN = u32(1 << 30)  # in `valid`: free or being filled, no victim
VICTIM = u32(1 << 29)
NONE = u32(0xFFFFFFFF)
CREDIT = 1 << 32  # one page's worth of cleaning
PAGE = 4096

# Indices of `state`.
POS, FRONTIER, FREE, SINCE, IN_BUFFER, RELEASED, OLDEST, PENDING, VICTIM_AT, CURSOR, VICTIM_END, RATIO, EARNED = range(
    13
)
HOST, FLASH, LINK_IN, LINK_OUT, FIRMWARE = range(13, 18)
STATE = 18
# Indices of `parameters`.
PAGES, UNIT, DIES, CHANNELS, LOW, T_READ, T_PROGRAM, T_ERASE, T_CHANNEL, T_LINK, T_COMMAND_READ, T_COMMAND_WRITE = (
    range(12)
)
T_ANSWER_READ, T_ANSWER_WRITE, BUFFER, SENSE, T_SUSPEND, SPREAD, T_LINK_READ = range(12, 19)
PARAMETERS = 19


class Flash(NamedTuple):
    """A drive's memory."""

    state: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.int64]
    rng: npt.NDArray[np.uint64]
    map: npt.NDArray[np.uint32]
    """logical page -> physical page"""
    back: npt.NDArray[np.uint32]
    """physical page -> logical page"""
    live: npt.NDArray[np.uint64]
    """one bit for each physical page that holds current data"""
    valid: npt.NDArray[np.uint32]
    """current pages of each superblock, plus OPEN or VICTIM"""
    free: npt.NDArray[np.int64]
    die: npt.NDArray[np.int64]
    sense: npt.NDArray[np.int64]
    """when each die's last read ends"""
    channel: npt.NDArray[np.int64]
    release_at: npt.NDArray[np.int64]
    release_pages: npt.NDArray[np.int64]


@compiled
def program(f: Any, at: Any) -> None:
    """The unit that ends before `state[POS]` goes to its die; its buffer space is released when that is done."""
    s, p = f.state, f.parameters
    unit = p[UNIT]
    d = ((s[POS] - 1) // unit) % p[DIES]
    k = d % p[CHANNELS]
    s[FLASH] += unit
    z = max(max(at, f.die[d]), f.channel[k]) + p[T_CHANNEL] * unit
    f.channel[k] = z
    spread = p[SPREAD]
    z += p[T_PROGRAM] + (i64(random64(f.rng) >> u64(33)) * spread >> 30) - spread
    f.die[d] = z
    if s[SINCE] > 0:
        q = (s[OLDEST] + s[PENDING]) & (f.release_at.shape[0] - 1)
        f.release_at[q] = z
        f.release_pages[q] = s[SINCE]
        s[PENDING] += 1
        s[SINCE] = 0


@compiled
def turn(f: Any) -> None:
    """The open superblock is full: close it and open a free one."""
    s, p = f.state, f.parameters
    f.valid[s[FRONTIER]] = f.valid[s[FRONTIER]] - OPEN + u32(p[PAGES])
    s[FREE] -= 1
    s[FRONTIER] = f.free[s[FREE]]
    s[POS] = s[FRONTIER] * p[PAGES]
    f.valid[s[FRONTIER]] = OPEN


@compiled
def append(f: Any, page: Any, at: Any) -> None:
    """Write a logical page to the open superblock."""
    s, p = f.state, f.parameters
    pos = u64(s[POS])
    f.map[page] = u32(pos)
    f.back[pos] = u32(page)
    f.live[pos >> u64(6)] |= u64(1) << (pos & u64(63))
    s[POS] += 1
    if s[POS] % p[UNIT] == 0:
        program(f, at)
        if s[POS] % p[PAGES] == 0:
            turn(f)


@compiled
def choose(f: Any) -> None:
    """Greedy: the closed superblock with the fewest current pages."""
    s, p = f.state, f.parameters
    least, at = NONE, 0
    for b in range(f.valid.shape[0]):
        if f.valid[b] < least:
            least, at = f.valid[b], b
    s[VICTIM_AT] = at
    s[CURSOR] = at * p[PAGES]
    s[VICTIM_END] = s[CURSOR] + p[PAGES]
    s[RATIO] = (i64(least) << 32) // max(p[PAGES] - i64(least), 1) + (1 << 28)
    f.valid[at] |= VICTIM


@compiled
def erase(f: Any, at: Any) -> None:
    """The victim is empty: erase it on all dies and queue it as free."""
    s, p = f.state, f.parameters
    for d in range(f.die.shape[0]):
        f.die[d] = max(f.die[d], at) + p[T_ERASE]
    f.valid[s[VICTIM_AT]] = OPEN
    for q in range(s[FREE], 0, -1):
        f.free[q] = f.free[q - 1]
    f.free[0] = s[VICTIM_AT]
    s[FREE] += 1
    s[VICTIM_AT] = -1


@compiled
def next_live(f: Any) -> Any:
    """The next current page of the victim, or its end."""
    s = f.state
    q, end = u64(s[CURSOR]), u64(s[VICTIM_END])
    while q < end:
        bits = f.live[q >> u64(6)] >> (q & u64(63))
        if bits != u64(0):
            return min(q + trailing_zeros(bits), end)
        q = ((q >> u64(6)) + u64(1)) << u64(6)
    return end


@compiled
def clean(f: Any, at: Any, below: Any) -> None:
    """Spend the earned credit: move victim pages, erase empty victims, while fewer than `below` superblocks are free."""
    s, p = f.state, f.parameters
    while True:
        if s[VICTIM_AT] < 0:
            if s[FREE] >= below:
                s[EARNED] = 0
                return
            choose(f)
        if s[EARNED] < CREDIT:
            return
        q = next_live(f)
        if q == u64(s[VICTIM_END]):
            erase(f, at)
            continue
        sense = p[SENSE]
        if i64(q) // sense != (s[CURSOR] - 1) // sense or s[CURSOR] == s[VICTIM_END] - p[PAGES]:
            d = (i64(q) // p[UNIT]) % p[DIES]
            f.die[d] = max(f.die[d], at) + p[T_READ]
        s[CURSOR] = i64(q) + 1
        f.live[q >> u64(6)] &= ~(u64(1) << (q & u64(63)))
        s[EARNED] -= CREDIT
        prefetch(f.map, u64(f.back[min(q + u64(12), u64(f.back.shape[0] - 1))]))
        append(f, u64(f.back[q]), at)


@compiled
def write(f: Any, page: Any, pages: Any, at: Any) -> Any:
    """Take `pages` pages into the buffer, as soon as there is room; when the last one was taken."""
    s, p = f.state, f.parameters
    for w in range(page, page + pages):
        while s[IN_BUFFER] >= p[BUFFER]:
            q = s[OLDEST]
            at = max(at, f.release_at[q])
            s[IN_BUFFER] -= f.release_pages[q]
            s[OLDEST] = (q + 1) & (f.release_at.shape[0] - 1)
            s[PENDING] -= 1
        s[IN_BUFFER] += 1
        old = f.map[w]
        if old != NONE:
            f.live[u64(old) >> u64(6)] &= ~(u64(1) << (u64(old) & u64(63)))
            f.valid[i64(old) // p[PAGES]] -= u32(1)
        s[HOST] += 1
        s[SINCE] += 1
        if s[VICTIM_AT] >= 0 or s[FREE] < p[LOW]:
            s[EARNED] += s[RATIO]
        append(f, u64(w), at)
        clean(f, at, p[LOW])
    return at


@compiled
def read(f: Any, page: Any, pages: Any, at: Any) -> Any:
    """Read `pages` pages; when the last one left its channel. A never-written page costs nothing."""
    s, p = f.state, f.parameters
    done, last = at, i64(-1)
    ready = at
    for w in range(page, page + pages):
        place = f.map[w]
        if place == NONE:
            continue
        q = i64(place)
        d = (q // p[UNIT]) % p[DIES]
        if q // p[SENSE] != last:
            last = q // p[SENSE]
            start = max(at, f.sense[d])
            busy = f.die[d] - start
            if busy > 0:
                rest = busy % p[T_PROGRAM] if busy > p[T_PROGRAM] else busy
                start += min(rest, p[T_SUSPEND])
                f.die[d] += p[T_READ] + min(rest, p[T_SUSPEND])
            ready = start + p[T_READ]
            f.sense[d] = ready
        k = d % p[CHANNELS]
        ready = max(ready, f.channel[k]) + p[T_CHANNEL]
        f.channel[k] = ready
        done = max(done, ready)
    return done


@compiled
def request(f: Any, offset: Any, size: Any, reads: Any, at: Any) -> Any:
    """One request issued at `at`; when its answer is back."""
    s, p = f.state, f.parameters
    page = offset // PAGE
    pages = (offset + size - 1) // PAGE - page + 1
    if reads:
        s[FIRMWARE] = max(s[FIRMWARE], at) + p[T_COMMAND_READ]
        done = read(f, page, pages, s[FIRMWARE])
        s[LINK_OUT] = max(s[LINK_OUT], done) + p[T_LINK_READ] * size // PAGE
        return s[LINK_OUT] + p[T_ANSWER_READ]
    s[FIRMWARE] = max(s[FIRMWARE], at) + p[T_COMMAND_WRITE]
    s[LINK_IN] = max(s[LINK_IN], s[FIRMWARE]) + p[T_LINK] * size // PAGE
    begin = s[LINK_IN]
    if size % PAGE != 0 or offset % PAGE != 0:
        begin = read(f, page, 1, begin)  # the rest of the page must be read to be written again
    return write(f, page, pages, begin) + p[T_ANSWER_WRITE]


@compiled
def serve(f: Any, stream: Any, loop: Any, tallies: Any, bins: Any, until: Any) -> Any:
    """The closed loop up to `until` ns; True while the stream goes on."""
    base = loop.at[1]
    pages = i64(f.map.shape[0])
    used = loop.at[0]
    while used > 0:
        t = (loop.heap[0] >> 16) + base
        if t >= until:
            loop.at[0] = used
            return True
        slot = loop.heap[0] & 0xFFFF
        if loop.size[slot] != 0:
            count(tallies, bins, loop.size[slot], t - loop.issued[slot])
            loop.at[2] = t
        i = stream.at[0]
        if i == stream.at[1]:
            draw(stream)
            i = stream.at[0]
        if i == stream.at[1]:
            used -= 1
            loop.size[slot] = 0
            sink(loop.heap, used, loop.heap[used])
            continue
        ahead = i + 12
        if ahead < stream.at[1]:
            prefetch(f.map, u64(min(stream.offset[ahead] // PAGE, pages - 1)))
        stream.at[0] = i + 1
        size, reads = stream.size[i], stream.reads[i]
        done = request(f, stream.offset[i], size, reads, t)
        loop.issued[slot] = t
        loop.size[slot] = -size if reads else size
        sink(loop.heap, used, ((done - base) << 16) | slot)
    loop.at[0] = 0
    return False
