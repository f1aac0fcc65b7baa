"""The surface of a drive: slow stretches and unreadable places in the results of surveys, and how sure that is.

A stretch is slow if at least half of its reads take twice as long as the usual read of the drive. The usual share of
such reads is measured on the drive itself. A stretch is reported if chance gives as many slow reads, anywhere on the
drive, with a probability of at most FALSE: Chernoff's bound for the binomial distribution (Hoeffding 1963, theorem 1),
divided among all stretches that are examined. The probability of finding a slow stretch is the exact binomial one.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.model.definition import Hold
from stend.model.events import Result
from stend.model.stats import BINS, bin_edges_ns
from stend.model.surveyed import SHIFT, Cell, Surveyed, Unread, edges
from stend.model.tally import NS

SLOW, RARE = 2.0, 10.0
"""A read that takes this many times the usual response time is slow, or takes very long."""
HALF = 0.5
"""Share of slow reads in a slow stretch."""
FEW = 0.005
"""Least share of reads that take very long in a stretch where reads falter."""
FALSE = 0.001
"""Probability that a drive whose places are all alike gets any report."""
BLANK_S = 0.001
"""Seconds from which a read of zeros can be slow: more than any flash takes to read 128 KiB that are stored."""
FEWEST = 5
"""Fewest slow reads of a report."""
COARSE = BINS >> SHIFT
Counts = npt.NDArray[np.int64]


class Strip(NamedTuple):
    """A part of the drive from `first_bytes` to `end_bytes`, and its reads by response time.

    On a rotating drive all reads count as reads of data, because it has no map that could answer for the medium.
    """

    first_bytes: int
    end_bytes: int
    cell: Cell

    @property
    def reads(self) -> int:
        """Return the number of completed reads."""
        return sum(self.cell.data.values()) + sum(self.cell.blank.values())


class Band(NamedTuple):
    """A stretch that reads slowly (`slow`), or where single reads take very long (`falters`).

    `share` of its `reads` take longer than `limit_s`; the usual share is `usual_share`. Medians are in seconds.
    """

    kind: str
    first_bytes: int
    end_bytes: int
    median_s: float
    usual_s: float
    limit_s: float
    share: float
    usual_share: float
    reads: int


class Power(NamedTuple):
    """How sure a slow stretch of a share of the drive is found: the probability, and the numbers behind it.

    A stretch of that share gets at least `reads` reads, of which `slow` must take longer than `limit_s`.
    """

    share: float
    probability: float
    reads: int
    slow: int
    limit_s: float


def surveyed(results: Sequence[Result]) -> Surveyed:
    """Return the unreadable places, failed reads and the last block of several results together, without cells."""
    every = [r.places for r in results if r.places]
    total = Surveyed()
    for places in every:
        total += Surveyed(unread=places.unread, failed=places.failed, last=places.last)
    return total


def strips(results: Sequence[Result], *, rotational: bool = False) -> list[Strip]:
    """Return the parts of the drive with their reads, in order; surveys of the same range are added up."""
    found: dict[tuple[int, int], Cell] = {}
    for result in results:
        if not isinstance(result.step, Hold) or not result.places or not result.places.cells:
            continue
        at = edges(result.step.workload)
        for first, end, cell in zip(at, at[1:], result.places.cells, strict=False):
            cell = Cell(data=(cell + Cell(cell.blank)).data) if rotational else cell
            found[first, end] = found.get((first, end), Cell()) + cell
    return [Strip(*place, cell) for place, cell in sorted(found.items())]


def merged(unread: Sequence[Unread]) -> list[Unread]:
    """Return unreadable places in order, each once; neighbours are joined. A place that failed twice failed."""
    joined: list[Unread] = []
    for place in sorted(unread, key=lambda u: (u.again, u.first_bytes)):
        last = joined[-1] if joined else None
        if last and last.again == place.again and place.first_bytes <= last.first_bytes + last.size_bytes:
            end = max(last.first_bytes + last.size_bytes, place.first_bytes + place.size_bytes)
            joined[-1] = Unread(last.first_bytes, end - last.first_bytes, last.error, last.again)
        else:
            joined.append(place)
    return joined


def upper_s(index: int) -> float:
    """Return the upper edge of a coarse bin in seconds."""
    return bin_edges_ns(min((index << SHIFT) + (1 << SHIFT) - 1, BINS - 1))[1] * NS


def median_s(counts: Counts) -> float:
    """Return the median of reads by coarse bin, in seconds, interpolated within its bin; 0 without reads."""
    total = int(counts.sum())
    if not total:
        return 0.0
    sums = np.cumsum(counts)
    at = int(np.searchsorted(sums, total / 2))
    low = bin_edges_ns(at << SHIFT)[0] * NS
    before = int(sums[at] - counts[at])
    return low + (upper_s(at) - low) * (total / 2 - before) / int(counts[at])


def table(parts: Sequence[Strip], kind: str) -> Counts:
    """Return reads by part and coarse bin; `kind` is `data` or `blank`."""
    rows: Counts = np.zeros((len(parts), COARSE), np.int64)
    for row, part in zip(rows, parts, strict=True):
        bins = getattr(part.cell, kind)
        for index, count in bins.items():
            row[index] += count
    return rows


def main_kind(parts: Sequence[Strip]) -> str:
    """Return whether most reads met data or zeros: `data` or `blank`."""
    data = sum(sum(part.cell.data.values()) for part in parts)
    return "data" if 2 * data >= sum(part.reads for part in parts) else "blank"


def bands(parts: Sequence[Strip]) -> list[Band]:
    """Return the stretches that are slow or falter, in order; data and zeros are judged apart."""
    found = [band for kind in ("data", "blank") for band in _bands(parts, kind)]
    return sorted(found, key=lambda band: band.first_bytes)


def _bands(parts: Sequence[Strip], kind: str) -> Iterator[Band]:
    rows = table(parts, kind)
    if len(parts) < 4 or not rows.sum():
        return
    slow_from, rare_from = (_limit(parts, kind, times) for times in (SLOW, RARE))
    slow = list(_stretches(rows, slow_from, HALF))
    yield from (_band("slow", parts, rows, slow_from, *place) for place in slow)
    for first, end in _stretches(rows, rare_from, FEW):
        if not any(first < b and a < end for a, b in slow):
            yield _band("falters", parts, rows, rare_from, first, end)


def _band(kind: str, parts: Sequence[Strip], rows: Counts, limit: int, first: int, end: int) -> Band:
    inside, usual = rows[first:end].sum(axis=0), rows.sum(axis=0)
    return Band(
        kind=kind,
        first_bytes=parts[first].first_bytes,
        end_bytes=parts[end - 1].end_bytes,
        median_s=median_s(inside),
        usual_s=median_s(usual),
        limit_s=upper_s(limit - 1),
        share=float(inside[limit:].sum() / inside.sum()),
        usual_share=_usual_share(rows, limit),
        reads=int(inside.sum()),
    )


def _limit(parts: Sequence[Strip], kind: str, times: float) -> int:
    """Return the first coarse bin whose reads all take `times` the median.

    Blocks of zeros may be stored or missing in the drive's map, and only a stored one is read from the medium. For
    them the median of data counts too, and at least BLANK_S.
    """
    usual = median_s(table(parts, kind).sum(axis=0))
    if kind == "blank":
        usual = max(usual, median_s(table(parts, "data").sum(axis=0)), BLANK_S / SLOW)
    wanted = usual * times
    return next((n for n in range(COARSE) if bin_edges_ns(n << SHIFT)[0] * NS >= wanted), COARSE - 1)


def _usual_share(rows: Counts, limit: int) -> float:
    """Return the usual share of reads from a bin on: of the middle half of the parts, so that no stretch sets it."""
    reads, slow = rows.sum(axis=1), rows[:, limit:].sum(axis=1)
    known = np.flatnonzero(reads)
    order = known[np.argsort(slow[known] / reads[known], kind="stable")]
    middle = order[len(order) // 4 : max(len(order) - len(order) // 4, 1)]
    return float(max(slow[middle].sum(), 0.5) / reads[middle].sum())


def lengths(parts: int) -> list[int]:
    """Return the lengths of the stretches that are examined, in parts: up to a quarter of the drive."""
    found, length = [], 1
    while length <= max(parts // 4, 1):
        found.append(length)
        length = max(length + 1, length * 4 // 3)
    return found


def _level(usual: float, least: float) -> float:
    """Return the share of slow reads above which a stretch is reported: the middle between usual and slow."""
    return (usual + least) / 2 if least >= HALF else max(least, 10 * usual)


def _stretches(rows: Counts, limit: int, least: float) -> list[tuple[int, int]]:
    """Return stretches [first, end) with more reads from `limit` on than chance explains, those with most proof first."""
    reads, slow = rows.sum(axis=1), rows[:, limit:].sum(axis=1)
    usual = _usual_share(rows, limit)
    level, many = _level(usual, least), len(rows)
    if level >= 1 or usual >= least:
        return []
    sums_n, sums_k = (np.concatenate([[0], np.cumsum(a)]) for a in (reads, slow))
    proof: list[tuple[float, int, int]] = []
    needed = math.log(sum(many - length + 1 for length in lengths(many)) / FALSE)
    for length in lengths(many):
        n, k = (sums[length:] - sums[:-length] for sums in (sums_n, sums_k))
        share = k / np.maximum(n, 1)
        shown = n * _divergence(share, usual)
        for at in np.flatnonzero((k >= FEWEST) & (share >= level) & (shown >= needed)):
            proof.append((-float(shown[at]), int(at), int(at) + length))
    taken: list[tuple[int, int]] = []
    for _, first, end in sorted(proof):
        if not any(first < b and a < end for a, b in taken):
            taken.append((first, end))
    return _joined(taken)


def _joined(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, end in sorted(places):
        if joined and joined[-1][1] == first:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((first, end))
    return joined


def _divergence(share: npt.NDArray[np.float64], usual: float) -> npt.NDArray[np.float64]:
    """Return the Kullback-Leibler divergence of two Bernoulli distributions in nats; 0 below the usual share."""
    p = np.clip(share, 1e-12, 1 - 1e-12)
    nats: npt.NDArray[np.float64] = p * np.log(p / usual) + (1 - p) * np.log((1 - p) / (1 - usual))
    return np.where(share > usual, nats, 0.0)


def power(parts: Sequence[Strip], share: float) -> Power:
    """Return how sure a slow stretch of this share (0-1) of the range is found, wherever it is.

    Such a stretch contains at least `share` x parts - 1 whole parts; only these count. Half of their reads are slow.
    """
    kind = main_kind(parts)
    rows = table(parts, kind)
    whole = int(share * len(parts) + 1e-9) - 1
    if whole < 1 or not rows.sum():
        return Power(share, 0.0, 0, 0, 0.0)
    limit = _limit(parts, kind, SLOW)
    length = max(n for n in lengths(len(parts)) if n <= whole)
    sums = np.concatenate([[0], np.cumsum(rows.sum(axis=1))])
    reads = int((sums[length:] - sums[:-length]).min())
    slow = _needed(reads, _usual_share(rows, limit), len(parts))
    return Power(share, at_least(slow, reads, HALF), reads, slow, upper_s(limit - 1))


def _needed(reads: int, usual: float, parts: int) -> int:
    """Return how many of the reads of a stretch must be slow for a report; more than all if none suffices."""
    level = _level(usual, HALF)
    needed = math.log(sum(parts - length + 1 for length in lengths(parts)) / FALSE)
    counts = np.arange(FEWEST, reads + 1)
    enough = (counts >= level * reads) & (reads * _divergence(counts / max(reads, 1), usual) >= needed)
    return int(counts[enough][0]) if usual < HALF and enough.any() else reads + 1


def at_least(slow: int, reads: int, share: float) -> float:
    """Return the probability of `slow` or more of `reads`, each with probability `share` (exact binomial)."""
    if slow > reads:
        return 0.0
    terms = (
        math.lgamma(reads + 1) - math.lgamma(k + 1) - math.lgamma(reads - k + 1)
        + k * math.log(share) + (reads - k) * math.log1p(-share)
        for k in range(slow, reads + 1)
    )  # fmt: skip
    return min(sum(map(math.exp, terms)), 1.0)


def smallest(parts: Sequence[Strip], probability: float) -> Power | None:
    """Return the smallest share that is found with this probability, or None if a tenth of the range is not."""
    many = len(parts)
    shares = ((whole + 1) / many for whole in range(1, max(many // 10, 2)))
    found = (power(parts, share) for share in shares)
    return next((one for one in found if one.probability >= probability), None)
