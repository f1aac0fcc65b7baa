"""Service map: how many reads per second stay within a limit beside a rate of writes.

A cell is one load at a rate: random reads and sequential writes, timed from when each was due. A contour belongs to a
percentile and a limit: for each write rate it is the highest read rate whose reads keep that limit. Cells of the same
write rate are a column. Between columns a contour is a straight line. `service_search` chooses the cells.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from stend.model.counts import Counts
from stend.model.definition import Hold, PlannedTest
from stend.model.events import Result
from stend.model.pace import MOST_LATE, Pace
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND, least_beyond, percentile_s
from stend.model.tally import NS
from stend.model.workload import Workload

LIMITS, PHASE = "limits", "map"
"""Phases of the test: the closed loops that find the ends of both axes, and the cells."""
LEAST = 0.01
"""Smallest read rate of a cell, as a share of the closed loop's: without reads there is no response time of reads."""
SPARE = 1.2
"""Reads of the slowest cell per read that its percentiles need."""
MOST_S = 1.0
"""Longer waits count as this one: contours are far below."""
FLAT = 0.05
"""Waits this near to a limit, as a share of it, do not show on which side of it the drive is."""
TRUST = 0.5
"""Part of the distance from a contour to a cell that may be wrong, where waits are known on both sides of it."""
KEPT = 0.97
"""Share of its rate that an imported cell must have reached, as in diskplorer."""
Why = Literal["", "host", "full"]
"""Reason why a cell shows no response time of the drive: the host was late, or IOs were left unsent."""


class Key(NamedTuple):
    """A contour: the percentile in percent, and the limit in seconds."""

    percent: float
    limit_s: float


class Cell(NamedTuple):
    """One load: reads and written bytes per second as ordered, and the percentiles of its reads in seconds.

    A percentile is infinite if the drive left more IOs unsent, and None for too few reads. `scatter` holds estimates of
    the standard error of its logarithm, by what the parts of the cell differ by.
    """

    reads: float
    writes: float
    waits: dict[float, float | None]
    why: Why
    measured: Counts
    scatter: dict[float, float] = {}  # noqa: RUF012 for a named tuple


class Axes(NamedTuple):
    """Ends of both axes: reads and written bytes per second of a closed loop of each alone."""

    reads: float
    writes: float


class Search(NamedTuple):
    """Contours to find, most cells, and how near the search must come, as a share of an axis.

    `least` is the smallest read rate of a cell.
    """

    axes: Axes
    keys: tuple[Key, ...]
    cells: int
    within: float
    least: float


class Bracket(NamedTuple):
    """A part of one column with a contour: the highest read rate that kept the limit, and the lowest that did not.

    `held` is 0 and `failed` is the end of the axis where no cell shows it. The waits are None there.
    """

    held: float
    failed: float
    held_s: float | None = None
    failed_s: float | None = None


def rates(load: Workload) -> tuple[float, float]:
    """Return the whole reads and written bytes per second that a load at a rate orders."""
    reads = sum(stream.share for stream in load.streams if stream.read) / 100
    written = sum(stream.share / 100 * stream.block_bytes for stream in load.streams if not stream.read)
    return float(round(load.rate_iops * reads)), float(round(load.rate_iops * written))


def cells(run: Run, test: PlannedTest) -> list[Cell]:
    """Return the cells of a map in the order they were measured, without their warm-up. The parts of one are added."""
    percents = test.profile.options.get("percentiles", (99.0, 99.9))
    found: list[tuple[Workload, list[Result]]] = []
    for result in run.of(test.name, PHASE):
        if isinstance(result.step, Hold) and result.step.workload.rate_iops and (result.index or run.source):
            if result.index > 1 and not run.source:
                found[-1][1].append(result)
            else:
                found.append((result.step.workload, [result]))
    return [_cell(parts, load, percents) for load, parts in found]


def _cell(parts: Sequence[Result], load: Workload, percents: Sequence[float]) -> Cell:
    result, *others = parts
    counts, pace = result.counts, result.pace or Pace()
    for other in others:
        counts, pace = counts + other.counts, pace + (other.pace or Pace())
    reads, writes = rates(load)
    unsent = pace.unsent / max(pace.sent + pace.unsent, 1)
    full = unsent > MOST_LATE or (result.told is not None and not _kept(counts, reads, writes))
    why: Why = "host" if pace.invalid else "full" if full else ""
    reported = result.told.read if result.told else {}
    waits = {p: math.inf if full else reported.get(f"p{p:g}") or wait_of(counts, unsent, p) for p in percents}
    due, least = reads * counts.seconds, least_beyond(counts.read.bins, counts.write.bins)
    for percent in [percent for percent, wait in waits.items() if wait is None]:
        if due * (1 - percent / 100) >= least:  # enough were due and too few were answered
            waits[percent] = math.inf
    return Cell(reads, writes, waits, why, counts, scattered([part.counts for part in parts], percents))


def scattered(parts: Sequence[Counts], percents: Sequence[float]) -> dict[float, float]:
    """Return {percentile: the standard error of the logarithm of the whole}, of those that each of two parts carries.

    The halves of a cell scatter by sqrt(2) times as much as the cell, and their difference by twice as much.
    """
    found: dict[float, float] = {}
    for percent in percents if len(parts) == 2 else ():
        first, second = (percentile_s(part.read, percent) for part in parts)
        if first and second:
            found[percent] = abs(math.log(first / second)) / 2
    return found


def _kept(counts: Counts, reads: float, writes: float) -> bool:
    done = counts.read.ios / counts.seconds, counts.write.bytes / counts.seconds
    return done[0] >= KEPT * reads and done[1] >= KEPT * writes


def wait_of(counts: Counts, unsent: float, percent: float) -> float | None:
    """Return the percentile of all reads that were due: a share `unsent` of them has waited longest."""
    among = percent / (1 - unsent)
    if among >= 100:
        return math.inf
    return percentile_s(counts.read, among)


def axes(run: Run, test: PlannedTest) -> Axes:
    """Return the ends of both axes from the closed loops, or from the cells of an imported map."""
    every = run.of(test.name, LIMITS)
    done = [r.counts for r in every if isinstance(r.step, Hold)]
    if done:
        reads = max((c.read.ios / c.seconds for c in done if c.seconds), default=0.0)
        return Axes(reads, max((c.write.bytes / c.seconds for c in done if c.seconds), default=0.0))
    measured = cells(run, test)
    return Axes(max((c.reads for c in measured), default=0.0), max((c.writes for c in measured), default=0.0))


def needed(percent: float, seconds: float, scale: int = 1) -> float:
    """Return the reads per second that a percentile needs in a step of these seconds."""
    return SPARE * scale * MIN_BEYOND / (1 - percent / 100) / seconds


def search(run: Run, test: PlannedTest, seconds: float, scale: int = 1) -> Search:
    """Return the search of a test with cells of this length. A scaled virtual drive counts each IO `scale` times.

    A percentile is left out if half of the read axis does not give it enough reads.
    """
    options, ends = test.profile.options, axes(run, test)
    needs = {p: needed(p, seconds, scale) for p in options["percentiles"]}
    kept = [p for p in options["percentiles"] if needs[p] <= ends.reads / 2]
    least = float(math.ceil(max([LEAST * ends.reads, *(needs[p] for p in kept)])))
    keys = tuple(Key(percent, ms / 1e3) for percent in kept for ms in options["limits_ms"])
    return Search(ends, keys, options["cells"], options["within_pct"] / 100, least)


def percents(run: Run, test: PlannedTest) -> list[float]:
    """Return the percentiles that the map has contours of: those of the search, or all of an imported map."""
    measured = cells(run, test)
    known = dict.fromkeys(percent for cell in measured for percent in cell.waits)
    if run.source or not measured:
        return list(known)
    seconds, scale = max(cell.measured.seconds for cell in measured), run.plan.device.scale
    keys = {key.percent for key in search(run, test, seconds, scale).keys}
    return [percent for percent in known if percent in keys]


def columns(measured: Sequence[Cell]) -> dict[float, list[Cell]]:
    """Return the cells by write rate, in the order the columns were begun. Each column by rising read rate.

    Equal cells are one, with the geometric mean of their waits. Those of the host count only where there is no other.
    """
    places: dict[tuple[float, float], list[Cell]] = {}
    for cell in measured:
        places.setdefault((cell.writes, cell.reads), []).append(cell)
    made: dict[float, list[Cell]] = {}
    for (writes, _), equal in places.items():
        made.setdefault(writes, []).append(_mean([c for c in equal if c.why != "host"] or equal))
    return {writes: sorted(column, key=lambda cell: cell.reads) for writes, column in made.items()}


def _mean(equal: Sequence[Cell]) -> Cell:
    """Return equal cells as one. It is `full` if all of them are."""
    if len(equal) == 1:
        return equal[0]
    waits: dict[float, float | None] = {}
    for percent in equal[0].waits:
        known = [min(wait, MOST_S) for cell in equal if (wait := cell.waits[percent]) is not None]
        waits[percent] = math.exp(sum(map(math.log, known)) / len(known)) if known else None
    return min(equal, key=lambda cell: cell.why)._replace(waits=waits)


def rising(column: Sequence[Cell], percent: float) -> list[tuple[float, float]]:
    """Return (reads per second, wait in seconds) of a column's cells, with waits that never fall as the rate rises.

    Neighbours whose waits fall share their geometric mean, weighted by reads: isotonic regression by the algorithm of
    pool adjacent violators (Ayer et al. 1955). A wait counts as at most MOST_S. Cells with too few reads are left out.
    """
    pools: list[tuple[float, float, list[float]]] = []
    for cell in column:
        wait = cell.waits.get(percent)
        if cell.why == "host" or wait is None:
            continue
        weight = max(float(cell.measured.read.ios), 1.0)
        value, places = math.log(min(max(wait, NS), MOST_S)), [cell.reads]
        while pools and pools[-1][0] > value:
            before, more, others = pools.pop()
            value = (before * more + value * weight) / (more + weight)
            weight, places = weight + more, others + places
        pools.append((value, weight, places))
    return [(reads, math.exp(value)) for value, _, places in pools for reads in places]


def bracket(column: Sequence[Cell], key: Key, top: float) -> Bracket:
    """Return where a column's contour is: between two cells, by waits that never fall (`rising`).

    A cell that the host could not send ends the column: nothing is known of the drive from there on.
    """
    held, held_s = 0.0, None
    top = min([top, *(cell.reads for cell in column if cell.why == "host")])
    for reads, wait_s in rising(column, key.percent):
        if wait_s > key.limit_s:
            return Bracket(held, min(reads, top), held_s, wait_s)
        held, held_s = reads, wait_s
    return Bracket(held, top, held_s)


def crossing(bracket: Bracket, key: Key) -> tuple[float, float]:
    """Return the read rate of a contour in a bracket, and how far from it the contour may be, or 0 if no cell held.

    Below the drive's limit the logarithm of the wait grows about linearly, near to it the inverse of the wait falls
    linearly (as in queues). The rate is the middle of both crossings, the doubt half of their distance.
    """
    width, low, high = bracket.failed - bracket.held, bracket.held_s, bracket.failed_s
    if not bracket.held:
        return 0.0, bracket.failed / 2
    if not low or high is None or high <= low:
        return bracket.held + width / 2, width / 2
    growing = math.log(key.limit_s / low) / math.log(high / low)
    queueing = (1 - low / key.limit_s) / (1 - low / high)
    return bracket.held + width * (growing + queueing) / 2, width * abs(queueing - growing) / 2


def contour(measured: Sequence[Cell], key: Key, ends: Axes) -> list[tuple[float, float]]:
    """Return the points (written bytes, reads) per second of a contour, by rising write rate.

    It ends at no reads where writes alone fill the drive: at that load a queue has no steady state, and its waits
    grow with the time of the measurement.
    """
    found = brackets(columns(measured), key, ends.reads)
    points = sorted((x, crossing(bounded(found, x), key)[0]) for x in found)
    return [*points, (ends.writes, 0.0)] if points and points[-1][0] < ends.writes else points


def between(points: Sequence[tuple[float, float]], writes: float) -> float | None:
    """Return the read rate of a contour at a write rate, on the line between its points, or None outside of them."""
    for (x1, y1), (x2, y2) in pairwise(points):
        if x1 <= writes <= x2:
            return y1 + (y2 - y1) * ((writes - x1) / (x2 - x1) if x2 > x1 else 0)
    return next((y for x, y in points if x == writes), None)


def brackets(begun: dict[float, list[Cell]], key: Key, top: float) -> dict[float, Bracket]:
    """Return the bracket of a contour in each column, by write rate."""
    return {writes: bracket(column, key, top) for writes, column in begun.items()}


def bounded(edges: dict[float, Bracket], writes: float) -> Bracket:
    """Return the bracket of a column, narrowed by those of others: more writes leave room for fewer reads."""
    own = edges[writes]
    more = [other.held for x, other in edges.items() if x > writes]
    fewer = [other.failed for x, other in edges.items() if x < writes]
    held, failed = max([own.held, *more]), min([own.failed, *fewer])
    if held >= failed:  # not monotonous: only the column itself counts
        return own
    return Bracket(
        held, failed, own.held_s if held == own.held else None, own.failed_s if failed == own.failed else None
    )


class Stretch(NamedTuple):
    """Two neighbouring columns, and how far a contour may be from the line between them.

    `columns` and `brackets` are those parts of it, as shares of an axis, along the shortest way: the distance of the
    columns, and the width of the brackets on the left and on the right.
    """

    left: float
    right: float
    key: Key
    columns: float
    brackets: tuple[float, float]

    @property
    def most(self) -> float:
        """Return the most that the contour may be off, as a share of an axis."""
        return self.columns + max(self.brackets)


def stretches(measured: Sequence[Cell], wanted: Search) -> list[Stretch]:
    """Return how far each contour may be from its line between each pair of columns.

    More writes leave room for fewer reads, thus a contour is below the failed cell on its left and above the held cell
    on its right. A column of waits that all are near the limit (`flat`) is left out: noise decides where it crosses.
    """
    begun, (reads, writes) = columns(measured), wanted.axes
    found: list[Stretch] = []
    for key in wanted.keys:
        edges = brackets(begun, key, reads)
        sides = {x: _side(bounded(edges, x), key, wanted) for x in sorted(edges)}
        if writes > max(begun, default=writes):
            sides[writes] = (0.0, 0.0, 0.0)
        for (left, a), (right, b) in pairwise(sides.items()):
            if a and b:
                wide, high = (right - left) / writes, max(a[1] - b[1], 0.0) / reads
                steep = wide / (wide + high)
                before, after = (max(y - low, top - y) / reads for low, y, top in (a, b))
                around = before * (steep if left else 1.0), after * steep
                found.append(Stretch(left, right, key, high * steep, around))
    return found


def _side(found: Bracket, key: Key, wanted: Search) -> tuple[float, float, float] | None:
    """Return the lowest, the likely and the highest read rate of a column's contour, or None if its waits are flat."""
    if found.failed <= wanted.least * (1 + 1e-9):
        return 0.0, 0.0, 0.0
    if flat(found, key):
        return None
    (likely, off), (low, high) = crossing(found, key), found[:2]
    if found.held_s is not None and found.failed_s is not None:
        low, high = (
            likely
            + max(off, TRUST * abs(end - likely)) * sign  # no farther than the cell, which is `off` away at least
            for end, sign in ((low, -1), (high, 1))
        )
    return low, likely, high


def flat(edges: Bracket, key: Key) -> bool:
    """Return True if the waits of both cells are so near the limit that noise decides which of them keeps it."""
    waits = edges.held_s, edges.failed_s
    return all(wait is not None and abs(math.log(wait / key.limit_s)) < FLAT for wait in waits)


def doubt(measured: Sequence[Cell], wanted: Search) -> float:
    """Return how far a contour may be from its cells at most, as a share of an axis, where its waits are not flat."""
    return max((stretch.most for stretch in stretches(measured, wanted)), default=0.0)
