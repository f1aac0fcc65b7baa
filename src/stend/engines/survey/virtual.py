"""Surveys of virtual drives: the same visits as on a real drive, on the drive's own clock."""

import errno
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from stend.engines.survey.collected import Collected, Visited
from stend.engines.survey.visits import Visit, survey, visits
from stend.engines.tallied import tally
from stend.model.counts import Counts
from stend.model.stats import bin_edges_ns
from stend.model.surveyed import Surveyed, Unread
from stend.model.tally import Tally
from stend.model.workload import Workload
from stend.sim.drive import Drive

FAILED_S = 0.1
"""Seconds that a failed read takes."""
UNIT = 4096
Places = npt.NDArray[np.int64]


class VirtualSurvey:
    """A survey running on a virtual drive. `taken` returns its places since the last call."""

    def __init__(self, drive: Drive, workload: Workload, seed: int, interval_s: float, from_bytes: int = 0) -> None:
        self.drive, self.workload, self.interval_s = drive, workload, interval_s
        self.collected = Collected(workload)
        self.visits, self.seed = visits(self._fitting(workload), seed, from_bytes), seed
        self.began = self.ended = drive.now_s
        self.over, self.weight = False, drive.spec.scale if drive.spec.scale > 1 else 0

    def _fitting(self, workload: Workload) -> Workload:
        """Return the workload with visits that a scaled drive can thin out: one simulated read stands for `scale`."""
        part = survey(workload)
        reads = part.reads and -(-part.reads // self.drive.spec.scale) * self.drive.spec.scale
        return replace(workload, survey=replace(part, reads=reads))

    def next(self) -> Counts | None:
        """Return the counts of the next interval of virtual time, or None after the last read."""
        interval = self.advance(self.interval_s)
        return interval if interval.seconds else None

    def advance(self, seconds: float) -> Counts:
        """Return the counts of an interval of at least this length, or of the rest of the survey."""
        began, done = self.drive.now_s, Tally()
        while not self.over and self.drive.now_s < began + seconds:
            visit = next(self.visits, None)
            self.over = visit is None
            done += self._visit(visit) if visit else Tally()
        self.ended = self.drive.now_s
        return Counts(seconds=self.ended - began, read=done)

    def stop(self) -> Counts | None:
        """End the survey. No read is in flight between two intervals."""
        self.over = True
        return None

    def taken(self) -> Surveyed:
        """Return the places since the last call."""
        return self.collected.taken()

    def _visit(self, visit: Visit) -> Tally:
        size = self.workload.block_bytes
        failed = list(self._failures(visit.offsets))
        bad = [at for at, _ in failed]
        for _, places in failed:
            self.drive.idle(FAILED_S)
            self.collected.fail(places)
        good = visit.offsets[~np.isin(visit.offsets, bad)] if failed else visit.offsets
        if visit.offsets[-1] + size >= self.workload.start_bytes + self.workload.range_bytes:
            self.collected.last = int(visit.offsets[-1]) not in bad
        return self._read(visit.cell, good, whole=not failed) if len(good) else Tally()

    def _read(self, cell: int, offsets: Places, *, whole: bool) -> Tally:
        """Read blocks one at a time; on a scaled drive at least as many as one simulated read stands for."""
        spec, size = self.drive.spec, self.workload.block_bytes
        ios = -(-len(offsets) // spec.scale) * spec.scale
        at = np.resize(offsets, ios)
        self.seed += 1
        self.drive.play(iter([(at, np.full(ios, -size), np.zeros(ios, np.int64))]), ios, 1, timed=False, seed=self.seed)
        total = Tally()
        while True:
            done = self.drive.advance(self.interval_s)
            total += self._counted(cell, done.tallies[0], done.bins[0], whole=whole)
            if not done.more:
                break
        self.drive.stop()
        return total

    def _counted(self, cell: int, row: npt.NDArray[np.float64], bins: Places, *, whole: bool) -> Tally:
        """Count each simulated read once, in the middle of its bin. The tally has all that they stand for."""
        used = np.flatnonzero(bins)
        times = [
            sum(bin_edges_ns(at)) // 2 for at in used.tolist() for _ in range(int(bins[at]) // self.drive.spec.scale)
        ]
        self.collected.add(Visited(cell, times, [False] * len(times), whole), self.workload.block_bytes)
        return tally(row.tolist(), bins)

    def _failures(self, offsets: Places) -> Iterator[tuple[int, list[Unread]]]:
        """Yield the reads that fail with their unreadable places."""
        once, size, lies = self.drive.course.accidents.errors_once, self.workload.block_bytes, self.drive.spec.lies
        begin, end = (edge * self.drive.spec.scale for edge in self.drive.course.bad(self.drive.now_s))
        low, high = lies.unreadable_from_bytes, lies.unreadable_from_bytes + lies.unreadable_bytes
        errors = (offsets < end) & (offsets + size > begin)
        for at in offsets[errors | ((offsets < high) & (offsets + size > low))].tolist():
            if once and begin < at + size and at < end:
                yield at, [Unread(at, size, errno.EIO, True)]
            elif unread := [*_units(at, size, begin, end), *_units(at, size, low, high)]:
                yield at, unread


def _units(at: int, size: int, begin: int, end: int) -> Iterator[Unread]:
    """Yield the whole units of a block that lie, if only in part, between two addresses."""
    first, last = max(at, begin // UNIT * UNIT), min(at + size, -(-end // UNIT) * UNIT)
    if begin < end and first < last:
        yield Unread(first, last - first, errno.EIO)
