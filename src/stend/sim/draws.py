"""Compiled parts that draw requests: random numbers, and the next batch of a Stream."""

import math
from typing import Any

from stend.base.jit import compiled, i64, inlined, u64, wrapped
from stend.sim.requests import (
    ANY_TIME,
    BAD,
    BATCH,
    DRAWN,
    ENDED,
    FAILED,
    FAILED_AT,
    TRIM_AT,
    TRIM_BYTES,
    TRIM_LEFT,
    TRIM_RANGE,
    TRIM_SHARE,
    TRIM_START,
    TRIMS,
    Stream,
)

LOW32 = u64(0xFFFFFFFF)
FRACTION = 2.0**-53


@inlined
def random64(state: Any) -> Any:
    """Advance state[0] by one step of xorshift64* (Vigna 2016), and return 64 random bits."""
    x = state[0]
    x ^= x >> u64(12)
    x ^= wrapped(x << u64(25))
    x ^= x >> u64(27)
    state[0] = x
    return wrapped(x * u64(0x2545F4914F6CDD1D))


@inlined
def exponential(f: Any, mean: Any) -> Any:
    """Draw a time in ns from the exponential distribution of this mean, by the random numbers of `f.rng`."""
    return i64(-math.log((float(random64(f.rng) >> u64(11)) + 0.5) * FRACTION) * float(mean))


@inlined
def below(bits: Any, count: Any) -> Any:
    """Return a number in [0, count) from 64 random bits. The bias is below 2^-32 for count < 2^31, above below 1e-6."""
    if count < i64(1 << 31):
        return i64(((bits >> u64(32)) * u64(count)) >> u64(32))
    return i64(bits % u64(count))


@inlined
def pick(edges: Any, bits: Any) -> Any:
    """Return the class that 32 random bits fall into."""
    k = 0
    while bits >= edges[k]:
        k += 1
    return k


@inlined
def weighted(s: Any, at: Any) -> Any:
    """Draw request `at` from one of several kinds, and return its size."""
    k = pick(s.kind_edges, random64(s.rng) & LOW32)
    size, part = s.kinds[k, 2], s.kinds[k, 4]
    if s.kinds[k, 0] == 1:
        place = below(random64(s.rng), part // size) * size
    else:
        j = s.kind_cursor[k, 0]
        s.kind_cursor[k, 0] = j + 1 if j + 2 < s.kind_cursor.shape[1] else 0
        c = s.kind_cursor[k, 1 + j]
        s.kind_cursor[k, 1 + j] = c + size if c + 2 * size <= part else 0
        place = c + j * part
        if place + size > s.kinds[k, 5]:
            place = c
    s.offset[at] = s.kinds[k, 3] + place
    s.reads[at] = s.kinds[k, 1]
    return size


@inlined
def trimmed(s: Any, at: Any, random: Any) -> Any:
    """Draw request `at` as a trim, and return its size, 0 once the limit of trims is reached."""
    if s.trim[TRIM_LEFT] <= 0:
        return i64(0)
    size = s.trim[TRIM_BYTES]
    place = s.trim[TRIM_AT]
    if random:
        place = below(random64(s.rng), s.trim[TRIM_RANGE] // size) * size
    else:
        s.trim[TRIM_AT] = place + size if place + 2 * size <= s.trim[TRIM_RANGE] else 0
    s.trim[TRIM_LEFT] -= 1
    s.offset[at] = s.trim[TRIM_START] + place
    return size


@inlined
def scattered(s: Any, at: Any, choice: Any) -> Any:
    """Draw request `at` at a random place, and return its size, 0 once the limit of random requests is reached."""
    if s.plan[3] <= 0:
        return i64(0)
    s.plan[3] -= 1
    k = pick(s.size_edges, choice & LOW32) if s.sizes.shape[0] > 1 else 0
    size = s.sizes[k]
    place = random64(s.rng)
    z = pick(s.zone_edges, place & LOW32) if s.zone_start.shape[0] > 1 else 0
    step = s.plan[2] if s.plan[2] > 0 else size
    blocks = (s.zone_bytes[z] - size) // step + 1
    if s.zone_start.shape[0] > 1:
        place = random64(s.rng)
    s.offset[at] = s.zone_start[z] + below(place, blocks) * step
    return size


@inlined
def ordered(s: Any, at: Any) -> Any:
    """Draw request `at` as the next one of a thread in turn, and return its size, 0 once no thread has any left."""
    j = s.at[2]
    threads, tried = s.left.shape[0], 0
    while s.left[j] <= 0 and tried < threads:
        j = j + 1 if j + 1 < threads else 0
        tried += 1
    if tried == threads:
        return i64(0)
    s.left[j] -= 1
    size = s.sizes[0]
    c = s.cursor[j]
    s.offset[at] = s.region_start[j] + c
    s.cursor[j] = c + size if c + 2 * size <= s.region_bytes[j] else 0
    s.at[2] = j + 1 if j + 1 < threads else 0
    return size


@inlined
def due(s: Any) -> Any:
    """Return the ns when the next request is due, or ANY_TIME."""
    if s.pace[1] <= 0.0:
        return i64(ANY_TIME)
    gap = s.pace[1]
    if s.pace[2] == 0.0:
        gap *= -math.log((float(random64(s.rng) >> u64(11)) + 0.5) * FRACTION)
    s.pace[0] += gap
    return i64(s.pace[0])


@inlined
def draw(s: Any) -> Any:
    """Draw the next batch of a Stream. Return the number drawn, 0 once its limit is reached or it has ended."""
    mixed, kinds, trims = s.plan[0], s.kinds.shape[0], s.trim[TRIM_SHARE]
    first = s.at[DRAWN]
    count, end = first, first + BATCH
    while count < end and s.at[ENDED] == 0:
        trim = trims > 0 and i64(random64(s.rng) & LOW32) < trims
        choice = random64(s.rng)
        random = i64(choice >> u64(32)) < mixed
        if trim:
            size = trimmed(s, count, random)
        elif kinds > 0:
            size = weighted(s, count)
        elif random:
            size = scattered(s, count, choice)
        else:
            size = ordered(s, count)
        if size == 0:
            break
        if s.offset[count] < s.plan[BAD + 1] and s.offset[count] + size > s.plan[BAD]:
            s.at[ENDED], s.plan[FAILED_AT] = FAILED, s.offset[count]
            break
        s.size[count] = size
        if trim:
            s.reads[count] = TRIMS
        elif kinds == 0:
            s.reads[count] = i64(random64(s.rng) & LOW32) < s.plan[1]
        if s.due.shape[0] > 0:
            s.due[count] = due(s)
        count += 1
    s.at[0], s.at[1] = first, count
    s.at[DRAWN] = end if end < s.offset.shape[0] else 0
    return count - first


@inlined
def part(s: Any, k: Any) -> Any:
    """Return the part of a Stream that belongs to load `k`."""
    t = s.loads
    return Stream(
        s.offset[t[k, 0] : t[k, 1]],
        s.size[t[k, 2] : t[k, 3]],
        s.reads[t[k, 4] : t[k, 5]],
        s.at[t[k, 6] : t[k, 7]],
        s.rng[t[k, 8] : t[k, 9]],
        s.plan[t[k, 10] : t[k, 11]],
        s.sizes[t[k, 12] : t[k, 13]],
        s.size_edges[t[k, 14] : t[k, 15]],
        s.zone_start[t[k, 16] : t[k, 17]],
        s.zone_bytes[t[k, 18] : t[k, 19]],
        s.zone_edges[t[k, 20] : t[k, 21]],
        s.region_start[t[k, 22] : t[k, 23]],
        s.region_bytes[t[k, 24] : t[k, 25]],
        s.cursor[t[k, 26] : t[k, 27]],
        s.left[t[k, 28] : t[k, 29]],
        s.kind_edges[t[k, 30] : t[k, 31]],
        s.kinds[t[k, 32] : t[k, 33]],
        s.kind_cursor[t[k, 34] : t[k, 35]],
        s.due[t[k, 36] : t[k, 37]],
        s.trim[t[k, 38] : t[k, 39]],
        s.pace[t[k, 40] : t[k, 41]],
        s.loads[k : k + 1],
    )


@compiled
def drawn(s: Any) -> Any:
    """Draw the next batch of a Stream into its arrays, and return the number drawn."""
    return draw(s)
