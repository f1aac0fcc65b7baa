"""Serve the IOs of a flash drive: link, command processor, table cache, buffer, mapping, dies and channels.

Clocks are "busy until" times in ns. An IO starts at the latest clock of the parts it needs and advances these clocks.
Links and channels count from when an IO was issued, not from when its data is ready, because data that is ready first
may go first. So does the die of data whose place must be read first.
"""

from typing import Any

from stend.base.jit import compiled, i64, inlined, prefetch, u64, wrapped
from stend.sim import flash_state as k
from stend.sim.draws import LOW32, exponential, random64
from stend.sim.flash_clean import between, clean, forget, program, turn, write_page
from stend.sim.kernels import (
    LATER,
    NONE,
    answered,
    awake,
    flush_due,
    heaped,
    held_up,
    issue_time,
    made_durable,
    next_of,
    sink,
    spend,
    worked,
)
from stend.sim.requests import NOT_FLUSHING, OUTSTANDING_AT, TRIMS, TURNS, WORK

MIB = 1 << 20


@inlined
def chance(f: Any, share: Any) -> Any:
    """Return True with the probability `share` / 2^32."""
    return i64(random64(f.rng) & LOW32) < share


@inlined
def evenly(f: Any, longest: Any) -> Any:
    """Draw a time in ns evenly from 0 up to the longest."""
    return i64(random64(f.rng) >> u64(32)) * longest >> 32


@inlined
def sensed(f: Any, d: Any, at: Any) -> Any:
    """Read die `d` at `at`, after other reads and a limited wait for programs, and return when the read is done."""
    p = f.parameters
    start = max(at, f.sense[d])
    busy = f.die[d] - start
    if busy > 0:
        wait = i64(0)
        if at >= f.sense[d]:  # another read would have suspended the program already
            now = min(busy % p[k.T_PROGRAM], p[k.T_SUSPEND])
            wait = now + ((busy - now) * p[k.BEHIND] >> 32)
        start += wait
        f.die[d] += p[k.T_READ] + min(wait, p[k.T_SUSPEND])
    f.sense[d] = start + p[k.T_READ]
    if p[k.RETRY] > 0 and chance(f, p[k.RETRY]):
        f.sense[d] += exponential(f, p[k.T_RETRY])
    if p[k.BACKGROUND] > 0 and chance(f, p[k.BACKGROUND]):
        f.sense[d] += evenly(f, p[k.T_BUSY])
    return f.sense[d]


@inlined
def looked_up(f: Any, page: Any, at: Any) -> Any:
    """Return when the controller has the map entry of a page. Drives with little DRAM hold only a part of the map."""
    p = f.parameters
    segment = page // p[k.SEGMENT]
    slot = segment % f.table.shape[0]
    if f.table[slot] == segment:
        return at
    f.table[slot] = segment
    return sensed(f, i64(wrapped(u64(segment) * u64(0x9E3779B97F4A7C15)) >> u64(40)) % p[k.DIES], at)


@inlined
def read(f: Any, page: Any, pages: Any, at: Any, known: Any) -> Any:
    """Read `pages` pages whose places are `known` at that time, and return when the last one has left its channel.

    A page never written takes no time.
    """
    p = f.parameters
    done, last, ready = known, k.NONE, known
    for w in range(page, page + pages):
        q = f.map[w]
        if q == k.NONE:
            continue
        d = i64((u64(q) // u64(p[k.UNIT])) % u64(p[k.DIES]))
        group = q // p[k.SENSE]
        if group != last:
            last = group
            ready = max(sensed(f, d, at), known + p[k.T_READ])
        bus = i64(u64(d) % u64(p[k.CHANNELS]))
        f.channel[bus] = max(f.channel[bus], at) + p[k.T_CHANNEL]
        ready = max(ready + p[k.T_CHANNEL], f.channel[bus])
        done = max(done, ready)
    return done


@inlined
def jittered(f: Any, done: Any, mean: Any) -> Any:
    """Return when an answer that is ready at `done` arrives, after a drawn wait for the command processor."""
    return done + exponential(f, mean) if mean > 0 else done


@inlined
def write_wait(f: Any, at: Any) -> Any:
    """Return how many ns a read waits for the work of a write shortly before `at`."""
    p = f.parameters
    if p[k.BUSY] + p[k.T_MIXED] == 0 or at - f.state[k.WROTE] >= p[k.T_NEAR]:
        return i64(0)
    if p[k.BUSY] > 0 and chance(f, p[k.BUSY]):
        return p[k.T_MIXED] + evenly(f, p[k.T_BUSY])
    return p[k.T_MIXED]


@inlined
def acknowledged(f: Any, at: Any) -> Any:
    """Return when the answer to a write that is done at `at` arrives."""
    p = f.parameters
    if p[k.T_MIXED] > 0 and at - f.state[k.READ_AT] < p[k.T_NEAR]:
        at += p[k.T_MIXED]
    at += p[k.T_ANSWER_WRITE]
    return jittered(f, at, p[k.T_JITTER_WRITE]) if p[k.T_JITTER_WRITE] > 0 and chance(f, p[k.LATE]) else at


@inlined
def through(f: Any, at: Any) -> Any:
    """Write through, without a buffer: pad the gathered pages, program them, and return when that is done."""
    lanes, lane = f.lanes, k.HOST_LANE
    if lanes[lane, 3] == 0:
        return at
    rest = -lanes[lane, 0] % f.parameters[k.GATHER]
    f.valid[lanes[lane, 2]] -= rest
    lanes[lane, 0] += rest
    at = program(f, lane, at)
    if lanes[lane, 0] == lanes[lane, 1]:
        turn(f, lane)
    return at


@inlined
def flush(f: Any, at: Any) -> Any:
    """Serve a flush issued at `at`, and return when its answer arrives: once a volatile buffer is empty."""
    s, p = f.state, f.parameters
    at = max(s[k.FIRMWARE], at) + p[k.T_COMMAND_WRITE]
    s[k.FIRMWARE] = at
    if p[k.VOLATILE] > 0:
        through(f, at)
        at = max(at, s[k.SAFE_AT]) + p[k.T_FLUSH]
    return acknowledged(f, at)


@inlined
def taken(f: Any, page: Any, pages: Any, at: Any, fua: Any) -> Any:
    """Take the pages of a write, and return when they are where its answer requires: in the buffer or in the flash."""
    s, p = f.state, f.parameters
    earlier, s[k.SAFE_AT] = s[k.SAFE_AT], 0
    for w in range(page, page + pages):
        at = write_page(f, w, at)
        if s[k.STUCK] > 0:
            break
    if p[k.THROUGH] > 0:
        at = through(f, at)
    elif fua > 0 and p[k.VOLATILE] > 0:
        through(f, at)
        at = max(at, s[k.SAFE_AT]) + p[k.T_FLUSH]
    s[k.SAFE_AT] = max(s[k.SAFE_AT], earlier)
    return at


@inlined
def discard(f: Any, offset: Any, size: Any, at: Any) -> Any:
    """Trim the whole pages in a range, and return when the answer arrives: the map changes, and no die works."""
    s, p = f.state, f.parameters
    at = max(s[k.FIRMWARE], at) + p[k.T_TRIM] + p[k.T_TRIM_MIB] * size // MIB
    s[k.FIRMWARE] = at
    for w in range((offset + k.PAGE - 1) // k.PAGE, (offset + size) // k.PAGE):
        forget(f, w)
        f.map[w] = k.NONE
    return at + p[k.T_ANSWER_WRITE]


@inlined
def request(f: Any, offset: Any, size: Any, reads: Any, at: Any, fua: Any) -> Any:
    """Serve a request issued at `at`, and return when its answer arrives. With `fua` a write is then in the flash."""
    if reads == TRIMS:
        return discard(f, offset, size, at)
    s, p = f.state, f.parameters
    if p[k.T_TURN] > 0:
        s[k.FIRMWARE] += p[k.T_TURN] * (reads ^ s[k.READ_LAST])
        s[k.READ_LAST] = reads
    if p[k.T_MOVE] > 0:
        between(f, at)
    page = offset // k.PAGE
    pages = (offset + size - 1) // k.PAGE - page + 1
    if reads:
        at = max(s[k.FIRMWARE], at) + p[k.T_COMMAND_READ] + (pages - 1) * p[k.T_PAGE_READ]
        s[k.FIRMWARE] = at
        known = looked_up(f, page, at) if p[k.SEGMENT] > 0 else at
        done = read(f, page, pages, at, known)
        over = p[k.T_LINK_OUT] * size // k.PAGE
        s[k.LINK_OUT] = max(s[k.LINK_OUT], at) + over
        done = max(done + over, s[k.LINK_OUT]) + p[k.T_ANSWER_READ]
        s[k.READ_AT] = at
        return jittered(f, done + write_wait(f, at), p[k.T_JITTER_READ])
    s[k.BEFORE_PAUSE] -= 1
    at = max(s[k.FIRMWARE], at) + p[k.T_COMMAND_WRITE] + (pages - 1) * p[k.T_PAGE_WRITE]
    s[k.FIRMWARE] = at
    link = k.LINK_OUT if p[k.ONE_WAY] > 0 else k.LINK_IN
    at = max(s[link], at) + p[k.T_LINK_IN] * size // k.PAGE
    s[link] = at
    if p[k.SEGMENT] > 0:
        at = looked_up(f, page, at)
    if size % k.PAGE != 0 or offset % k.PAGE != 0:
        at = read(f, page, 1, at, at) + p[k.T_PARTIAL]  # the rest of the page must be read to be written again
    at = taken(f, page, pages, at, fua)
    s[k.WROTE] = at
    return acknowledged(f, at)


@inlined
def pause(f: Any, loop: Any, used: Any, now: Any) -> None:
    """Stop all work for the time of a pause.

    A scaled drive pauses for a time divided by the scale and counts the IOs that waited. For each of them one IO
    reports the whole pause (`FlashDrive._report_single_ios`), and the others that it represents report none. Requests
    that are not due yet come at their times, and find the drive busy.
    """
    s, p = f.state, f.parameters
    s[k.BEFORE_PAUSE] = p[k.PAUSE]
    ns, coming = p[k.T_PAUSE] // p[k.SCALE], 0
    for i in range(used):
        if loop.claimed[loop.heap[i] & 0xFFFF] > 0:
            coming += 1
        else:
            loop.heap[i] += ns << 16
    if coming > 0:
        heaped(loop.heap, used)
    later(f, now, ns)
    if p[k.SCALE] == 1:
        return
    s[k.PAUSED] += loop.at[OUTSTANDING_AT] - coming
    for i in range(loop.flushing.shape[0]):
        loop.flushing[i] += ns * (loop.flushing[i] != NOT_FLUSHING)
    for since in (loop.issued, loop.waiting):
        for i in range(since.shape[0]):
            since[i] += ns


@inlined
def later(f: Any, now: Any, ns: Any) -> None:
    """Let all work in progress end `ns` later."""
    s = f.state
    s[k.FIRMWARE] = max(s[k.FIRMWARE], now) + ns
    for clock in (k.LINK_IN, k.LINK_OUT, k.ROOM_AT, k.SAFE_AT):
        s[clock] += ns
    for clocks in (f.die, f.sense, f.channel):
        for n in range(clocks.shape[0]):
            clocks[n] += ns
    for n in range(s[k.PENDING]):
        f.release_at[(s[k.OLDEST] + n) & (f.release_at.shape[0] - 1)] += ns


@inlined
def look_ahead(f: Any, stream: Any, i: Any) -> None:
    """Prefetch the map entries of requests that follow request `i`."""
    last = i64(f.map.shape[0]) - 1
    if i + 12 < stream.at[1]:
        prefetch(f.map, u64(min(stream.offset[i + 12] // k.PAGE, last)))
        prefetch(f.live, u64(f.map[u64(min(stream.offset[i + 6] // k.PAGE, last))]) >> u64(6))


@compiled
def serve(f: Any, stream: Any, loop: Any, ledger: Any, until: Any) -> Any:
    """Run the closed loop until `until` ns. Return True while the stream goes on."""
    base = loop.at[1]
    used = loop.at[0]
    while used > 0:
        t = (loop.heap[0] >> 16) + base
        if t >= until or loop.at[WORK] <= 0:
            loop.at[0] = used
            return True
        spend(loop, 1 + f.state[k.WORK])
        f.state[k.WORK] = 0
        loop.at[TURNS] += f.state[k.STUCK]
        slot = loop.heap[0] & 0xFFFF
        if loop.size[slot] != 0:
            if flush_due(stream, loop, ledger, slot, t):
                sink(loop.heap, used, ((flush(f, t) - base) << 16) | slot)
                continue
            answered(loop, ledger, slot, t)
        i = next_of(stream, loop, slot, t)
        if i == LATER:
            sink(loop.heap, used, ((stream.due[loop.claimed[slot] - 1] - base) << 16) | slot)
            continue
        if i == NONE:
            used, loop.size[slot] = used - 1, 0
            sink(loop.heap, used, loop.heap[used])
            continue
        look_ahead(f, stream, i)
        size, reads = stream.size[i], stream.reads[i]
        f.state[k.WORK] += size // k.PAGE
        late = loop.issued[slot]
        if f.state[k.BEFORE_PAUSE] < 0:
            pause(f, loop, used, t)
        late = loop.issued[slot] - late if loop.waiting.shape[0] == 0 else i64(0)
        done = request(f, stream.offset[i], size, reads, awake(loop, t), made_durable(stream, loop, slot))
        done += held_up(stream, stream.offset[i], size, reads)
        worked(loop, done)
        loop.issued[slot] = issue_time(stream, loop, i, t) + late
        loop.size[slot] = -size if reads == 1 else size
        sink(loop.heap, used, ((done - base) << 16) | slot)
    loop.at[0] = 0
    return False


@compiled
def rest(f: Any, now: Any, pages: Any) -> None:
    """Clean in the background: move up to `pages` pages while space is short or one-bit superblocks remain."""
    s, p = f.state, f.parameters
    s[k.EARNED] = 0
    for _ in range(pages):
        low = i64(f.valid.shape[0]) if s[k.SLC_USED] > 1 else p[k.REST_TARGET]
        if s[k.VICTIM_AT] < 0 and s[k.FREE] >= low:
            break
        s[k.EARNED] += k.CREDIT
        clean(f, now, low)
    s[k.EARNED] = 0


@compiled
def settle(f: Any, now: Any) -> None:
    """Set the clocks of dies, channels and command processor of an idle drive to `now` at the latest."""
    for clocks in (f.die, f.sense, f.channel):
        for n in range(clocks.shape[0]):
            clocks[n] = min(clocks[n], now)
    f.state[k.FIRMWARE] = min(f.state[k.FIRMWARE], now)
