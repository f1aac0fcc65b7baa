"""The surface of a drive: slow stretches and unreadable places in the results of surveys, and how sure that is.

A stretch is slow if at least half of its reads take twice as long as the reads all over the drive at the same moment.
The unit of a sample is the visit: four neighbouring reads, of which two slow ones make it late. Chance explains late
visits at the usual share of the drive. A stretch is reported if chance gives as many late visits, anywhere on the
drive, with a probability of at most FALSE: Chernoff's bound for the binomial distribution (Hoeffding 1963, theorem 1),
divided among all stretches that are examined. It must also show in two rounds of the survey. The probability of finding
a slow stretch is the exact binomial one, less the probability that fewer than two rounds show it.

If every block was read, in order, no moment covers the drive. Then the median of each part is compared with its
surroundings.
"""

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.model.definition import Hold
from stend.model.events import Result
from stend.model.stats import BINS, bin_edges_ns
from stend.model.surveyed import SHIFT, SLOW, Cell, Surveyed, Unread, places
from stend.model.tally import NS

HALF = 0.5
"""Least share of late visits in a slow stretch: two of four reads are slow as often if every second read is."""
FEW = 0.005
"""Least share of visits with a read that takes very long in a stretch where reads falter."""
FALSE = 0.001
"""Probability that a drive whose places are all alike gets any report."""
FEWEST, ROUNDS = 5, 2
"""Fewest late visits of a report, and the rounds of a sample that must show it."""
GROUP, EVENTS, LEAST_GROUPS = 64, 8, 8
"""Visits of a group of parts, and late ones among them, so that its share is known; and the fewest groups."""
CHANCE = 0.01
"""Probability that a second reading of a stretch like all others shows it."""
NEAR = 0.125
"""Surroundings of a part when every block is read: this share of the range on each side."""
COARSE = BINS >> SHIFT
Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Strip(NamedTuple):
    """A part of the drive from `first_bytes` to `end_bytes`, its reads, and those of each round."""

    first_bytes: int
    end_bytes: int
    cell: Cell
    rounds: tuple[Cell, ...] = ()


class Band(NamedTuple):
    """A stretch that reads slowly (`slow`), or where single reads take very long (`falters`).

    `share` of its `visits` are late, or have a read that takes very long. `usual_share` is that of the drive. Medians
    are in seconds.
    """

    kind: str
    first_bytes: int
    end_bytes: int
    median_s: float
    usual_s: float
    share: float
    usual_share: float
    visits: int


class Power(NamedTuple):
    """How sure a slow stretch of a share of the drive is found: the probability, and the numbers behind it.

    A stretch of that share gets at least `visits` visits, of which `late` must be late.
    """

    share: float
    probability: float
    visits: int
    late: int


def surveyed(results: Sequence[Result]) -> Surveyed:
    """Return the unreadable places, failed reads and the last block of several results together, without cells."""
    total = Surveyed()
    for found in (r.places for r in results if r.places):
        total += Surveyed(unread=found.unread, failed=found.failed, last=found.last)
    return total


def strips(results: Sequence[Result]) -> list[Strip]:
    """Return the parts of the drive with their reads, in order. Surveys of the same part are its rounds."""
    found: dict[tuple[int, int], list[Cell]] = {}
    for result in results:
        if isinstance(result.step, Hold) and result.places:
            for place, cell in zip(places(result.step.workload), result.places.cells, strict=False):
                found.setdefault(place, []).append(cell)
    return [Strip(*place, reduce(Cell.__add__, cells), tuple(cells)) for place, cells in sorted(found.items())]


def merged(unread: Sequence[Unread]) -> list[Unread]:
    """Return unreadable places in order, each once. Neighbours are joined, and places that were readable come last."""
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
    """Return the median of reads by coarse bin, in seconds, interpolated within its bin, or 0 without reads."""
    total = int(counts.sum())
    if not total:
        return 0.0
    sums = np.cumsum(counts)
    at = int(np.searchsorted(sums, total / 2))
    low = bin_edges_ns(at << SHIFT)[0] * NS
    before = int(sums[at] - counts[at])
    return float(low + (upper_s(at) - low) * (total / 2 - before) / int(counts[at]))


def table(parts: Sequence[Strip], kind: str) -> Counts:
    """Return reads by part and coarse bin. `kind` is `data` or `blank`."""
    rows: Counts = np.zeros((len(parts), COARSE), np.int64)
    for row, part in zip(rows, parts, strict=True):
        for index, count in getattr(part.cell, kind).items():
            row[index] += count
    return rows


def main_kind(parts: Sequence[Strip]) -> str:
    """Return whether most reads met data or zeros: `data` or `blank`."""
    data = sum(sum(part.cell.data.values()) for part in parts)
    return "data" if 2 * data >= sum(part.cell.reads for part in parts) else "blank"


def bands(parts: Sequence[Strip]) -> list[Band]:
    """Return the stretches that are slow or falter, in order."""
    if len(parts) < 4:
        return []
    sampled = any(part.cell.visits for part in parts)
    slow = _stretches(parts, "late", HALF) if sampled else _slower(parts)
    found = [_band(parts, "slow", "late", *place) for place in slow]
    if sampled:
        rare = [p for p in _stretches(parts, "rare", FEW) if not any(p[0] < b and a < p[1] for a, b in slow)]
        found += [_band(parts, "falters", "rare", *place) for place in rare]
    return sorted(found, key=lambda band: band.first_bytes)


def _band(parts: Sequence[Strip], kind: str, counter: str, first: int, end: int) -> Band:
    inside = parts[first:end]
    rows = table(parts, main_kind(inside))
    visits = sum(part.cell.visits for part in inside)
    return Band(
        kind=kind,
        first_bytes=inside[0].first_bytes,
        end_bytes=inside[-1].end_bytes,
        median_s=median_s(rows[first:end].sum(axis=0)),
        usual_s=median_s(rows.sum(axis=0)),
        share=sum(getattr(part.cell, counter) for part in inside) / visits if visits else 1.0,
        usual_share=_usual_share(*(rows.sum(axis=0) for rows in _visits(parts, counter))) if visits else 0.0,
        visits=visits,
    )


def _slower(parts: Sequence[Strip]) -> list[tuple[int, int]]:
    """Return stretches whose parts have a median SLOW times that of their surroundings."""
    rows = table(parts, main_kind(parts))
    medians = np.array(list(map(median_s, rows)))
    near = max(round(len(parts) * NEAR), 2)
    usual = [np.median(medians[max(n - near, 0) : n + near + 1]) for n in range(len(parts))]
    return _joined([(n, n + 1) for n, level in enumerate(usual) if medians[n] >= SLOW * level > 0])


def _visits(parts: Sequence[Strip], counter: str) -> tuple[Counts, Counts]:
    """Return visits, and those that count as `late` or `rare`, by round and part."""
    rounds = max((len(part.rounds) for part in parts), default=0)
    cells = [[part.rounds[n] if n < len(part.rounds) else Cell() for part in parts] for n in range(rounds)]
    visits = np.array([[cell.visits for cell in row] for row in cells], np.int64).reshape(rounds, len(parts))
    late = np.array([[getattr(cell, counter) for cell in row] for row in cells], np.int64).reshape(rounds, len(parts))
    return visits, late


def _usual_share(visits: Counts, late: Counts) -> float:
    """Return the usual share of late visits: of the middle half of the drive, so that no stretch sets it.

    Neighbouring parts are grouped, because the share in a few visits is mostly 0, and so is then that of the middle.
    """
    groups = min(int(visits.sum()) // GROUP, int(late.sum()) // EVENTS, len(visits))
    groups = min(max(groups, LEAST_GROUPS), len(visits))
    size, more = divmod(len(visits), groups)  # as np.array_split does
    first = np.arange(groups) * size + np.minimum(np.arange(groups), more)
    n, k = np.add.reduceat(visits, first), np.add.reduceat(late, first)
    known = np.flatnonzero(n)
    if not len(known):
        return 1.0
    order = known[np.argsort(k[known] / n[known], kind="stable")]
    middle = order[len(order) // 4 : max(len(order) - len(order) // 4, 1)]
    return float(max(k[middle].sum(), 0.5) / n[middle].sum())


def lengths(parts: int) -> list[int]:
    """Return the lengths of the stretches that are examined, in parts: up to a quarter of the drive."""
    found, length = [], 1
    while length <= max(parts // 4, 1):
        found.append(length)
        length = max(length + 1, length * 4 // 3)
    return found


def _level(usual: float, least: float) -> float:
    """Return the share of late visits above which a stretch is reported."""
    return (usual + least) / 2 if least >= HALF else max(least, 10 * usual)


def _proof(parts: int) -> float:
    """Return the nats that a report needs."""
    return math.log(sum(parts - length + 1 for length in lengths(parts)) / FALSE)


def _sums(counts: Counts) -> Counts:
    """Return the sums of the first parts, from none to all of them, by round."""
    sums: Counts = np.zeros((counts.shape[0], counts.shape[1] + 1), np.int64)
    np.cumsum(counts, axis=1, out=sums[:, 1:])
    return sums


def _windows(sums: Counts, length: int) -> Counts:
    """Return the sums over all stretches of a length, by round."""
    windows: Counts = sums[:, length:] - sums[:, :-length]
    return windows


def _stretches(parts: Sequence[Strip], counter: str, least: float) -> list[tuple[int, int]]:
    """Return stretches [first, end) with more late visits than chance explains, in two rounds, in order."""
    visits, late = _visits(parts, counter)
    usual = _usual_share(visits.sum(axis=0), late.sum(axis=0))
    level = _level(usual, least)
    if level >= 1 or usual >= least:
        return []
    needed, sums_n, sums_k = _proof(len(parts)), _sums(visits), _sums(late)
    proof: list[tuple[float, int, int]] = []
    for length in lengths(len(parts)):
        each_n, each_k = _windows(sums_n, length), _windows(sums_k, length)
        n, k = each_n.sum(axis=0), each_k.sum(axis=0)
        share = k / np.maximum(n, 1)
        shows = ((each_n > 0) & (each_k > 0) & (each_k >= level / 2 * each_n)).sum(axis=0) >= min(ROUNDS, len(visits))
        shown = n * _divergence(share, usual)
        found = np.flatnonzero((k >= FEWEST) & (share >= level) & (shown >= needed) & shows)
        proof += [(-float(shown[at]), int(at), int(at) + length) for at in found]
    taken: list[tuple[int, int]] = []
    for _, first, end in sorted(proof):
        if not any(first < b and a < end for a, b in taken):
            taken.append((first, end))
    return _joined(taken)


def _joined(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, end in sorted(stretches):
        if joined and joined[-1][1] == first:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((first, end))
    return joined


def _divergence(share: Floats, usual: float) -> Floats:
    """Return the Kullback-Leibler divergence of two Bernoulli distributions in nats, or 0 below the usual share."""
    p = np.clip(share, 1e-12, 1 - 1e-12)
    nats: Floats = p * np.log(p / usual) + (1 - p) * np.log((1 - p) / (1 - usual))
    return np.where(share > usual, nats, 0.0)


def power(parts: Sequence[Strip], share: float) -> Power:
    """Return how sure a slow stretch of this share (0-1) of the range is found, wherever it is.

    Such a stretch contains at least `share` x parts - 1 whole parts. Only these count. Half of their visits are late.
    """
    whole = int(share * len(parts) + 1e-9) - 1
    visits, late = _visits(parts, "late")
    if whole < 1 or not visits.sum():
        return Power(share, 0.0, 0, 0)
    windows = _windows(_sums(visits), max(n for n in lengths(len(parts)) if n <= whole))
    worst = windows[:, int(windows.sum(axis=0).argmin())]
    usual, many = _usual_share(visits.sum(axis=0), late.sum(axis=0)), int(worst.sum())
    needed, level = _needed(many, usual, len(parts)), _level(usual, HALF)
    seen = [at_least(max(math.ceil(level / 2 * n), 1), int(n), HALF) if n else 0.0 for n in worst]
    sure = at_least(needed, many, HALF) + _several(seen) - 1
    return Power(share, max(sure, 0.0), many, needed)


def _several(chances: Sequence[float]) -> float:
    """Return the probability that at least ROUNDS of independent events occur, or all if there are fewer."""
    spread = [1.0]
    for chance in chances:
        spread = [a * (1 - chance) + b * chance for a, b in zip([*spread, 0.0], [0.0, *spread], strict=True)]
    return sum(spread[min(ROUNDS, len(chances)) :])


def _needed(visits: int, usual: float, parts: int) -> int:
    """Return how many visits of a stretch must be late for a report; more than all if none suffices."""
    counts = np.arange(FEWEST, visits + 1)
    enough = counts >= _level(usual, HALF) * visits
    enough &= visits * _divergence(counts / max(visits, 1), usual) >= _proof(parts)
    return int(counts[enough][0]) if usual < HALF and enough.any() else visits + 1


def at_least(late: int, visits: int, share: float) -> float:
    """Return the probability of `late` or more of `visits`, each with probability `share` (exact binomial)."""
    if late > visits:
        return 0.0
    terms = (
        math.lgamma(visits + 1) - math.lgamma(k + 1) - math.lgamma(visits - k + 1)
        + k * math.log(share) + (visits - k) * math.log1p(-share)
        for k in range(late, visits + 1)
    )  # fmt: skip
    return min(sum(map(math.exp, terms)), 1.0)


def smallest(parts: Sequence[Strip], probability: float) -> Power | None:
    """Return the smallest share that is found with this probability, or None if a tenth of the range is not."""
    many = len(parts)
    found = (power(parts, (whole + 1) / many) for whole in range(1, max(many // 10, 2)))
    return next((one for one in found if one.probability >= probability), None)


def again(band: Band, results: Sequence[Result]) -> bool | None:
    """Return whether a second reading showed a stretch too, or None if it was not read again.

    The second reading goes to the stretch and to the whole range in turn (`Survey.places`). The stretch must have more
    late visits than chance gives it at the share of the others, with a probability of at most CHANCE.
    """
    parts = strips(results)
    near = [part for part in parts if (part.first_bytes, part.end_bytes) == (band.first_bytes, band.end_bytes)]
    visits, late = _late(near, band)
    if not visits:
        return None
    beside = [part for part in parts if part.end_bytes <= band.first_bytes or band.end_bytes <= part.first_bytes]
    others, as_late = _late(beside, band)
    least = (HALF if band.kind == "slow" else FEW) / 2
    usual = max((as_late + HALF) / (others + 1), band.usual_share)
    return late >= max(ROUNDS, least * visits) and (usual < 1 and at_least(late, visits, usual) <= CHANCE)


def _late(parts: Sequence[Strip], band: Band) -> tuple[int, int]:
    """Return the visits of these parts, and how many count for the kind of the stretch."""
    counter = "late" if band.kind == "slow" else "rare"
    return sum(part.cell.visits for part in parts), sum(getattr(part.cell, counter) for part in parts)
