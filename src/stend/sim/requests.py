"""What is asked of a drive: a Pattern becomes an endless or limited stream of requests, drawn ahead in batches.

The stream depends on the pattern and its seed only, never on the drive's timing: that makes it repeatable, lets every
kind of drive share it, and lets kernels prefetch what comes next.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.base.units import KiB

SECTOR = 512
BATCH = 2048
LARGE = 1 << 62
OUTSTANDING = 1 << 16
BINS = 29 << 6
ENDED, DRAINED, FAILED = 3, 1, 2
"""Place in `Stream.at`; why no more requests are drawn."""
ENDED_AT, LONGEST, BEGUN, OUTSTANDING_AT, WORK, TURNS = 2, 3, 4, 5, 6, 7
"""Places in `Loop.at`: see there."""
BAD, FAILED_AT = 4, 6
"""Places in `Stream.plan` of the range [from, to) where IOs fail, and of the first one that did."""


class Weighted(NamedTuple):
    """Requests of one kind among others; its place is a part of the range, from and to in shares of it."""

    weight: float
    random: bool
    read: bool
    size: int
    first: float
    last: float


class Pattern(msgspec.Struct, frozen=True, kw_only=True):
    """Random or sequential, reading or writing; bytes on the drive as it is sold, before any scaling.

    `sizes` is ((bytes, weight), ...); `zones` ((weight, share of the range), ...); `limit_bytes` 0 is endless.
    `weighted` ties size to access and direction; requests are drawn of these alone then, endlessly.
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


class Stream(NamedTuple):
    """The arrays the kernels share: requests drawn ahead and what is needed to draw more."""

    offset: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    reads: npt.NDArray[np.uint8]
    at: npt.NDArray[np.int64]
    """[next to serve, drawn, thread whose turn it is, why it ended: 0, DRAINED, FAILED]"""
    rng: npt.NDArray[np.uint64]
    plan: npt.NDArray[np.int64]
    """[random and read shares of 2^32, alignment (0: own size), shared limit of random requests, then see BAD]"""
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
    """[kinds, 6]: whether random, whether read, bytes, where its zone begins, bytes of a thread's part and of all"""
    kind_cursor: npt.NDArray[np.int64]
    """[kinds, 1 + threads]: thread whose turn it is, then how far each is in its part"""
    due: npt.NDArray[np.int64]
    """inner ns before which a request is not asked, -1 for none; empty where requests are drawn"""


def stream(pattern: Pattern, scale: int) -> Stream:
    """The stream of a pattern on a drive whose capacity is divided by `scale`."""
    block = pattern.sizes[0][0]
    start = pattern.start_bytes // scale // (4 * KiB) * (4 * KiB) if scale > 1 else pattern.start_bytes
    range_bytes = max(pattern.range_bytes // scale // SECTOR * SECTOR, *(s for s, _ in pattern.sizes))
    zone_start, zone_bytes = _zones(pattern, start, range_bytes)
    regions = _regions(start, range_bytes, pattern.threads, block)
    left, shared = _limits(pattern, regions[1], range_bytes, block)
    skip = pattern.from_bytes * int(regions[1].sum()) // max(pattern.range_bytes, 1) // pattern.threads // block * block
    return Stream(
        offset=np.zeros(BATCH, np.int64),
        size=np.zeros(BATCH, np.int64),
        reads=np.zeros(BATCH, np.uint8),
        at=np.zeros(4, np.int64),
        rng=np.array([_mixed(pattern.seed)], np.uint64),
        plan=np.array(
            [_share(pattern.random_pct), _share(pattern.read_pct), pattern.align_bytes, shared, 0, 0, 0], np.int64
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
        kind_cursor=np.zeros((len(pattern.weighted), 1 + pattern.threads), np.int64),
        due=np.zeros(0, np.int64),
    )


def _kind(kind: Weighted, start: int, range_bytes: int, threads: int) -> tuple[int, ...]:
    """Its row of `Stream.kinds`; a zone too small for a block of each thread belongs to all of them together."""
    page = 4 * KiB
    begin = min(int(kind.first * range_bytes) // page * page, max(range_bytes - kind.size, 0))
    length = max(min(int(kind.last * range_bytes), range_bytes) - begin, kind.size)
    each = length // threads // kind.size * kind.size if not kind.random else length
    return int(kind.random), int(kind.read), kind.size, start + begin, max(each, kind.size), length


def schedule(requests: Sequence[npt.NDArray[np.int64]]) -> Stream:
    """Requests that are known, with their times: offset, size (negative: read), due; no more are drawn after them."""
    offset, size, due = requests
    drawn = stream(Pattern(random_pct=100, read_pct=100, sizes=((SECTOR, 1.0),), range_bytes=SECTOR), 1)
    drawn.at[:] = 0, len(offset), 0, DRAINED
    return drawn._replace(offset=offset, size=np.abs(size), reads=(size < 0).astype(np.uint8), due=due)


def mean_bytes(pattern: Pattern) -> int:
    """Of its requests."""
    return max(int(sum(s * w for s, w in pattern.sizes) / sum(w for _, w in pattern.sizes)), 1)


def _share(percent: int) -> int:
    return (percent << 32) // 100


def _mixed(seed: int) -> int:
    """SplitMix64 of a seed: neighbouring seeds give unrelated streams; never zero."""
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
    """Zones lie side by side from the range's start, each at least one largest block long."""
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
    """Every thread writes its own share of the range; all blocks of the range belong to exactly one."""
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


class Loop(NamedTuple):
    """The closed loop: one slot for each IO that may be outstanding, kept in a heap by completion time."""

    heap: npt.NDArray[np.int64]
    """(nanoseconds since base << 16) | slot"""
    issued: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    """bytes of the IO in the slot; 0 while it has none; negative for reads"""
    at: npt.NDArray[np.int64]
    """[slots in use, base ns, last completion ns, place in `waiting` of who waits longest, answers while the queue
    builds up, all outstanding, work left to this call of the kernel, requests served since its clock last moved]"""
    waiting: npt.NDArray[np.int64]
    """when each request was asked that waits in the host because the drive takes no more at once"""
    claimed: npt.NDArray[np.int64]
    """1 + place of the request whose time the slot waits for; 0: none"""


def loop(outstanding: int, slots: int, now_ns: int) -> Loop:
    """All slots free and asking at once, the rest in the host; BadInput for more than the heap's keys can tell."""
    if outstanding > OUTSTANDING:
        raise BadInput(f"a virtual drive has at most {OUTSTANDING} IOs outstanding, not {outstanding}")
    return Loop(
        heap=np.arange(slots, dtype=np.int64),
        issued=np.zeros(slots, np.int64),
        size=np.zeros(slots, np.int64),
        at=np.array([slots, now_ns, now_ns, 0, 0, outstanding, 0, 0], np.int64),
        waiting=np.full(outstanding - slots, now_ns, np.int64),
        claimed=np.zeros(slots, np.int64),
    )


class Ledger(NamedTuple):
    """What was done; row 0 reads, row 1 writes."""

    sums: npt.NDArray[np.float64]
    """[2, 5]: IOs, bytes, sum of ns, sum of ns^2, longest ns"""
    bins: npt.NDArray[np.int64]
    """[2, BINS]: IOs by fio's latency bins"""


def ledger() -> Ledger:
    """An empty one."""
    return Ledger(np.zeros((2, 5)), np.zeros((2, BINS), np.int64))
