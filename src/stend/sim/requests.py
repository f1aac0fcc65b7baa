"""Turn a Pattern into an endless or limited stream of requests, drawn ahead in batches.

The stream depends only on the pattern and its seed, never on the timing of the drive. It is therefore repeatable and
the same for every kind of drive, and kernels can prefetch for coming requests.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.base.limits import MOST_OUTSTANDING
from stend.base.units import KiB

SECTOR = 512
BATCH = 2048
LARGE = 1 << 62
ANY_TIME = -(1 << 62)
"""In `Stream.due`: a request that is issued as soon as a slot is free, and counts from then."""
BINS = 29 << 6
ENDED, DRAINED, FAILED = 3, 1, 2
"""Index in `Stream.at`. Its values when no more requests are drawn."""
DRAWN = 4
"""Index in `Stream.at` of the place where the next batch begins."""
ENDED_AT, LONGEST, BEGUN, OUTSTANDING_AT, WORK, TURNS = 2, 3, 4, 5, 6, 7
"""Indices in `Loop.at`, which describes them."""
BAD, FAILED_AT, FUA, EVERY = 4, 6, 7, 8
"""Indices in `Stream.plan`. BAD is the range [from, to) where IOs fail, FAILED_AT the offset of the first failure. FUA
is 1 if each write is made durable by itself. EVERY is the number of writes of a slot between two flushes, or 0."""
SLOW, SLOW_NS, SLOW_SHARE, PLAN = 9, 11, 12, 13
"""Indices in `Stream.plan` of the range [from, to) where reads are answered late, the ns, and the share of 2^32. Those
of the first load count for all. PLAN is the length of the `plan` of one load."""
STATE = 5
"""The length of `Stream.at` of one load."""
READ, WRITE, FLUSH, TRIM, ROWS = range(5)
"""Rows of one load in a Ledger. A load beside another one has the next rows."""
TRIMS = 2
"""Value of `Stream.reads` for a trim. 1 is a read and 0 a write."""
TRIM_SHARE, TRIM_BYTES, TRIM_AT, TRIM_START, TRIM_RANGE, TRIM_LEFT = range(6)
"""Indices in `Stream.trim`."""


class Weighted(NamedTuple):
    """One of several kinds of requests, in the part of the range from `first` to `last` (shares of it, 0-1)."""

    weight: float
    random: bool
    read: bool
    size: int
    first: float
    last: float


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """Description of a load. Bytes are those of the drive at full size, before scaling.

    `sizes` is ((bytes, weight), ...), `zones` is ((weight, share of the range), ...), `limit_bytes` 0 means endless.
    `weighted` ties size, access and direction together. If given, all requests come from it, endlessly. With `fua` each
    write is made durable by itself. With `flush_every` above 0 each slot sends a flush after that many writes.
    `trim_pct` of all requests are trims of `trim_bytes`. A limit counts them only if all are. With `rate_iops` requests
    are due at this rate, `even` or by a Poisson process. `beside` are patterns that run at the same time.
    """

    random_pct: int
    read_pct: int
    sizes: tuple[tuple[int, float], ...]
    range_bytes: int
    start_bytes: int = 0
    threads: int = 1
    depth: int = 1
    zones: tuple[tuple[float, float], ...] = ()
    align_bytes: int = 0
    from_bytes: int = 0
    limit_bytes: int = 0
    seed: int = 0
    weighted: tuple[Weighted, ...] = ()
    fua: bool = False
    flush_every: int = 0
    trim_pct: int = 0
    trim_bytes: int = 0
    rate_iops: float = 0
    even: bool = False
    beside: tuple["Pattern", ...] = ()

    @property
    def synced(self) -> bool:
        """Return True if the host waits until its writes are durable."""
        return self.fua or self.flush_every > 0

    @property
    def loads(self) -> tuple["Pattern", ...]:
        """Return this pattern and those beside it."""
        return (self, *self.beside)

    @property
    def timed(self) -> bool:
        """Return True if this pattern or one beside it has a rate."""
        return any(load.rate_iops for load in self.loads)

    @property
    def outstanding(self) -> int:
        """Return the most requests in flight, without those of patterns beside it."""
        return self.threads * self.depth

    @property
    def writes(self) -> bool:
        """Return True if this pattern or one beside it writes or trims."""
        return any(p.read_pct < 100 or p.trim_pct > 0 for p in self.loads)


class Stream(NamedTuple):
    """Arrays that the kernels share: the requests drawn ahead, and the state to draw more.

    For several loads each array holds the parts of all loads, one after the other.
    """

    offset: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    reads: npt.NDArray[np.uint8]
    at: npt.NDArray[np.int64]
    """[next to serve, end of those drawn, thread whose turn it is, reason of the end: 0, DRAINED, FAILED, begin of the
    next batch]"""
    rng: npt.NDArray[np.uint64]
    plan: npt.NDArray[np.int64]
    """[random and read shares of 2^32, alignment (0: size of the request), limit of random requests, then see BAD]"""
    sizes: npt.NDArray[np.int64]
    size_edges: npt.NDArray[np.uint64]
    zone_start: npt.NDArray[np.int64]
    zone_bytes: npt.NDArray[np.int64]
    zone_edges: npt.NDArray[np.uint64]
    region_start: npt.NDArray[np.int64]
    region_bytes: npt.NDArray[np.int64]
    cursor: npt.NDArray[np.int64]
    left: npt.NDArray[np.int64]
    kind_edges: npt.NDArray[np.uint64]
    kinds: npt.NDArray[np.int64]
    """[kinds, 6]: 1 if random, 1 if read, bytes, start of its zone, bytes of a thread's part and of the zone"""
    kind_cursor: npt.NDArray[np.int64]
    """[kinds, 1 + threads]: thread whose turn it is, then the position of each in its part"""
    due: npt.NDArray[np.int64]
    """inner ns when a request is due (negative: before the clock began, after a long silence), or ANY_TIME. Empty if
    all are due at any time"""
    trim: npt.NDArray[np.int64]
    """[share of trims of 2^32, bytes of one, position of the next sequential one, start and length of the range, limit
    of trims]"""
    pace: npt.NDArray[np.float64]
    """[inner ns of the last due request, mean ns between two, 1 if that is constant]"""
    loads: npt.NDArray[np.int64]
    """[loads, 2 x fields]: begin and end of each array's part of a load. The table itself has no part"""


def stream(pattern: Pattern, scale: int, now_ns: int = 0) -> Stream:
    """Return the stream of a pattern and those beside it, on a drive whose capacity is divided by `scale`.

    Requests of a pattern with a rate are due from `now_ns` on.
    """
    streamed = {load.threads for load in pattern.loads if load.weighted}
    if len(streamed) > 1:
        raise BadInput("on a virtual drive workloads of streams that run together need equal numbers of threads")
    width = 1 + max(streamed, default=0)
    parts = [_stream(load, scale, now_ns, timed=pattern.timed, width=width) for load in pattern.loads]
    if len(parts) == 1:
        return parts[0]
    fields = range(len(Stream._fields) - 1)
    ends = np.array([np.cumsum([len(part[n]) for part in parts]) for n in fields])
    begins = np.column_stack([np.zeros(len(ends), np.int64), ends[:, :-1]])
    table = np.stack([begins, ends], axis=1).reshape(-1, len(parts)).T
    arrays: list[npt.NDArray[Any]] = [np.concatenate([part[n] for part in parts]) for n in fields]
    return Stream._make((*arrays, np.ascontiguousarray(table)))


def _stream(pattern: Pattern, scale: int, now_ns: int, *, timed: bool, width: int) -> Stream:
    block = pattern.sizes[0][0]
    start = pattern.start_bytes // scale // (4 * KiB) * (4 * KiB) if scale > 1 else pattern.start_bytes
    range_bytes = max(pattern.range_bytes // scale // SECTOR * SECTOR, *(s for s, _ in pattern.sizes))
    zone_start, zone_bytes = _zones(pattern, start, range_bytes)
    regions = _regions(start, range_bytes, pattern.threads, block)
    left, shared = _limits(pattern, regions[1], range_bytes, block)
    skip = pattern.from_bytes * int(regions[1].sum()) // max(pattern.range_bytes, 1) // pattern.threads // block * block
    places = BATCH * (2 + pattern.outstanding // BATCH) if timed else BATCH  # slots hold requests until they are due
    return Stream(
        offset=np.zeros(places, np.int64),
        size=np.zeros(places, np.int64),
        reads=np.zeros(places, np.uint8),
        at=np.zeros(STATE, np.int64),
        rng=np.array([_mixed(pattern.seed)], np.uint64),
        plan=np.array(
            [
                *(_share(pattern.random_pct), _share(pattern.read_pct), pattern.align_bytes, shared),
                *(0, 0, 0, pattern.fua, pattern.flush_every, *[0] * 4),
            ],
            np.int64,
        ),
        sizes=np.array([s for s, _ in pattern.sizes], np.int64),
        size_edges=_edges([w for _, w in pattern.sizes]),
        zone_start=zone_start,
        zone_bytes=zone_bytes,
        zone_edges=_edges([w for w, _ in pattern.zones] or [1.0]),
        region_start=regions[0],
        region_bytes=regions[1],
        cursor=np.minimum(skip, regions[1] - block) % np.maximum(regions[1], 1),
        left=left,
        kind_edges=_edges([kind.weight for kind in pattern.weighted]),
        kinds=np.array(
            [_kind(kind, start, range_bytes, pattern.threads) for kind in pattern.weighted], np.int64
        ).reshape(-1, 6),
        kind_cursor=np.zeros((len(pattern.weighted), width), np.int64),
        due=np.full(places if timed else 0, ANY_TIME, np.int64),
        trim=np.array(_trims(pattern, start, range_bytes), np.int64),
        pace=np.array([now_ns, 1e9 / pattern.rate_iops if pattern.rate_iops else 0, pattern.even], float),
        loads=np.zeros((1, 0), np.int64),
    )


def _trims(pattern: Pattern, start: int, range_bytes: int) -> tuple[int, ...]:
    """Return `Stream.trim` of a pattern. A trim that is larger than the range takes all of it."""
    size = max(min(pattern.trim_bytes or pattern.sizes[0][0], range_bytes), SECTOR)
    only = pattern.trim_pct == 100
    share = pattern.limit_bytes / max(pattern.range_bytes, 1)
    limit = max(round(share * range_bytes / size), 1) if only and pattern.limit_bytes else LARGE
    place = pattern.from_bytes * range_bytes // max(pattern.range_bytes, 1) // size * size if only else 0
    return _share(pattern.trim_pct), size, place % max(range_bytes // size * size, 1), start, range_bytes, limit


def _kind(kind: Weighted, start: int, range_bytes: int, threads: int) -> tuple[int, ...]:
    """Return the row of a kind in `Stream.kinds`; threads share a zone that is too small for a block of each."""
    page = 4 * KiB
    begin = min(int(kind.first * range_bytes) // page * page, max(range_bytes - kind.size, 0))
    length = max(min(int(kind.last * range_bytes), range_bytes) - begin, kind.size)
    each = length // threads // kind.size * kind.size if not kind.random else length
    return int(kind.random), int(kind.read), kind.size, start + begin, max(each, kind.size), length


def schedule(requests: Sequence[npt.NDArray[np.int64]], seed: int = 0) -> Stream:
    """Return a stream of given requests: offset, size (negative: read), due ns. No more are drawn after them."""
    offset, size, due = requests
    drawn = Stream._make(part.copy() for part in ANY)
    drawn.at[:] = 0, len(offset), 0, DRAINED, 0
    drawn.rng[:] = _mixed(seed)
    return drawn._replace(offset=offset, size=np.abs(size), reads=(size < 0).astype(np.uint8), due=due)


def mean_bytes(pattern: Pattern) -> int:
    """Return the mean size of a pattern's requests in bytes."""
    return max(int(sum(s * w for s, w in pattern.sizes) / sum(w for _, w in pattern.sizes)), 1)


def _share(percent: int) -> int:
    return (percent << 32) // 100


def _mixed(seed: int) -> int:
    """Return SplitMix64 of a seed, never 0. Neighbouring seeds give unrelated streams."""
    z = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return (z ^ (z >> 31)) or 1


def _edges(weights: list[float]) -> npt.NDArray[np.uint64]:
    if not weights:
        return np.zeros(0, np.uint64)
    total = np.cumsum(np.array(weights, float))
    edges: npt.NDArray[np.uint64] = np.floor(total / total[-1] * 2**32).astype(np.uint64)
    edges[-1] = np.uint64(2**32)
    return edges


def _zones(pattern: Pattern, start: int, range_bytes: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return starts and lengths of adjacent zones from the start of the range, each at least one largest block long."""
    least = max(s for s, _ in pattern.sizes)
    starts, lengths, at = [], [], 0.0
    for _, share in pattern.zones or ((1.0, 1.0),):
        whole = sum(s for _, s in pattern.zones) or 1.0
        first = int(at / whole * range_bytes) // SECTOR * SECTOR
        if not pattern.align_bytes:
            first = first // least * least
        last = int((at + share) / whole * range_bytes) // SECTOR * SECTOR
        starts.append(min(start + first, start + range_bytes - least))
        lengths.append(max(last - first, least))
        at += share
    return np.array(starts, np.int64), np.array(lengths, np.int64)


def _regions(
    start: int, range_bytes: int, threads: int, block: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return starts and lengths of the threads' shares of the range. Every block belongs to exactly one thread."""
    blocks = max(range_bytes // block, 1)
    first = np.array([blocks * j // threads for j in range(threads + 1)], np.int64)
    return start + first[:-1] * block, np.diff(first) * block


def _limits(
    pattern: Pattern, regions: npt.NDArray[np.int64], range_bytes: int, block: int
) -> tuple[npt.NDArray[np.int64], int]:
    if not pattern.limit_bytes:
        return np.where(regions > 0, LARGE, 0).astype(np.int64), LARGE
    mean = sum(s * w for s, w in pattern.sizes) / sum(w for _, w in pattern.sizes)
    share = pattern.limit_bytes / max(pattern.range_bytes, 1)
    if pattern.random_pct:
        return np.where(regions > 0, LARGE, 0).astype(np.int64), max(round(share * range_bytes / mean), 1)
    each = np.ceil(regions / block * share - 1e-9).astype(np.int64)
    return each, LARGE


NO_REST = np.zeros(0, np.int64)


class Loop(NamedTuple):
    """The closed loop: one slot for each IO that may be in flight, in a heap by completion time."""

    heap: npt.NDArray[np.int64]
    """(nanoseconds since base << 16) | slot"""
    issued: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    """bytes of the IO in the slot, or 0 while it has none. Negative for reads"""
    at: npt.NDArray[np.int64]
    """[slots in use, base ns, last completion ns, place in `waiting` of the longest waiting request, answers while the
    queue builds up, all outstanding IOs, work left for this call of the kernel, requests served since its clock last
    moved]"""
    waiting: npt.NDArray[np.int64]
    """issue time of each request that waits in the host because the drive's queue is full"""
    claimed: npt.NDArray[np.int64]
    """1 + place of the request that the slot waits for until it is due, or 0"""
    unsynced: npt.NDArray[np.int64]
    """writes of the slot since its last flush"""
    flushing: npt.NDArray[np.int64]
    """issue time of the slot's flush, or NOT_FLUSHING"""
    load: npt.NDArray[np.int64]
    """the load whose request is in the slot, or will be next"""
    queued: npt.NDArray[np.int64]
    """the loads of the requests in `waiting`"""
    row: npt.NDArray[np.int64]
    """the row of the ledger for the request in the slot"""
    rest: npt.NDArray[np.int64]
    """the drive's rests and power states, see `sim.power`, empty for a drive that never sleeps"""


def loop(
    outstanding: int, slots: int, now_ns: int, loads: Sequence[int] = (), rest: npt.NDArray[np.int64] = NO_REST
) -> Loop:
    """Return a loop with all slots free to issue, and the remaining requests waiting in the host.

    `loads` are the outstanding requests of each of several loads. Raise BadInput for more than MOST_OUTSTANDING, which
    is also the limit of the heap's keys.
    """
    if outstanding > MOST_OUTSTANDING:
        raise BadInput(f"a virtual drive has at most {MOST_OUTSTANDING} IOs outstanding, not {outstanding}")
    turns = sorted(((n + 0.5) / many, k) for k, many in enumerate(loads or (outstanding,)) for n in range(many))
    load = np.array([k for _, k in turns], np.int64)
    return Loop(
        heap=np.arange(slots, dtype=np.int64),
        issued=np.zeros(slots, np.int64),
        size=np.zeros(slots, np.int64),
        at=np.array([slots, now_ns, now_ns, 0, 0, outstanding, 0, 0], np.int64),
        waiting=np.full(outstanding - slots, now_ns, np.int64),
        claimed=np.zeros(slots, np.int64),
        unsynced=np.zeros(slots, np.int64),
        flushing=np.full(slots, NOT_FLUSHING, np.int64),
        load=load[:slots].copy(),
        queued=load[slots:].copy(),
        row=np.zeros(slots, np.int64),
        rest=rest,
    )


NOT_FLUSHING = -(1 << 62)


class Ledger(NamedTuple):
    """Counts of completed IOs, ROWS rows for each load: reads, writes, flushes, trims."""

    sums: npt.NDArray[np.float64]
    """[rows, 5]: IOs, bytes, sum of ns, sum of ns^2, longest ns"""
    bins: npt.NDArray[np.int64]
    """[rows, BINS]: IOs by fio's latency bins"""

    def answers(self) -> npt.NDArray[np.float64]:
        """Return a copy of `sums` without flushes, whose time is also a part of the write before them."""
        answers = self.sums.copy()
        answers.reshape(-1, ROWS, 5)[:, FLUSH] = 0
        return answers

    def ways(self) -> npt.NDArray[np.float64]:
        """Return `sums` of reads, writes, flushes and trims, [ROWS, 5], added up over all loads."""
        added: npt.NDArray[np.float64] = self.sums.reshape(-1, ROWS, 5).sum(axis=0)
        return added


def ledger(loads: int = 1) -> Ledger:
    """Return an empty Ledger."""
    return Ledger(np.zeros((loads * ROWS, 5)), np.zeros((loads * ROWS, BINS), np.int64))


ANY = stream(Pattern(random_pct=100, read_pct=100, sizes=((SECTOR, 1.0),), range_bytes=SECTOR), 1)
"""A schedule has copies of the parts of this stream that it does not use."""
