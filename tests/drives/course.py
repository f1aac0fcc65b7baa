"""The true course of a drawn drive in its run: the first record, the levels, and the places where they end."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from stend.model.events import Result
from tests.drives.law import Played

Floats = npt.NDArray[np.float64]
NEAR, ABOUT = 0.10, 0.25


def near(value: float, truth: float, within: float = NEAR) -> bool:
    """Return whether a value is within a share of the truth."""
    return abs(value - truth) <= within * abs(truth) + 1e-9


def between(value: float, low: float, high: float, within: float = NEAR) -> bool:
    """Return whether a value lies between two others, each wider by a share."""
    return low * (1 - within) - 1e-9 <= value <= high * (1 + within) + 1e-9


@dataclass
class Course:
    """A phase of a played drive: rates in the drive's unit, places in bytes and in seconds since the first write."""

    played: Played
    phase: str

    @cached_property
    def records(self) -> list[Result]:
        """The records of the phase."""
        return [r for r in self.played.run.of(self.played.drive.test, self.phase) if r.counts.seconds]

    @cached_property
    def table(self) -> Floats:
        """Seconds and bytes of each sample of the phase."""
        run = self.played.run
        spans = [run.spans[r.where, r.index] for r in self.records]
        if not spans:
            return np.zeros((0, 2))
        rows = run.samples.table(spans[0][0], spans[-1][1])
        return np.column_stack([rows[:, 1], rows[:, 4] + rows[:, 9]])

    @property
    def unit(self) -> float:
        """Bytes of one unit of the rate."""
        return self.played.drive.scale

    @property
    def rested(self) -> bool:
        """Whether the phase follows a rest and keeps the last level."""
        return self.phase == "rested"

    @cached_property
    def first(self) -> float:
        """The rate of the first record; of a phase that is one record, of its first sample."""
        if len(self.records) > 1:
            return self.records[0].counts.bytes_per_s / self.unit
        return float(self.table[0, 1] / self.table[0, 0]) / self.unit

    def rate(self, first: float, last: float) -> float:
        """Return the mean rate between two shares of the samples."""
        rows = len(self.table)
        part = self.table[int(first * rows) : max(int(last * rows), int(first * rows) + 1)]
        return float(part[:, 1].sum() / part[:, 0].sum()) / self.unit

    def late(self, value: float) -> bool:
        """Return whether a value is the rate at the end of the phase, by any usual stretch of it."""
        shares = [0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 1 / len(self.table)]
        shares += [many / len(self.records) for many in (1, 5, 10, 20) if many < len(self.records) / 3]
        rates = [self.rate(1 - share, 1) for share in shares]
        rates.append(self.records[-1].counts.bytes_per_s / self.unit if len(self.records) > 1 else rates[0])
        return between(value, min(rates), max(rates))

    def early(self, value: float) -> bool:
        """Return whether a value is the rate at the beginning, by any stretch of the first level."""
        share = self.crossed[0][1] / max(self.written, 1) if self.crossed else 1.0
        rows = max(int((np.cumsum(self.table[:, 1]) <= share * self.written).sum()), 1)
        rates = [self.rate(0, part * rows / len(self.table)) for part in (0.05, 0.1, 0.2, 0.5, 1)]
        return between(value, min(*rates, self.first), max(*rates, self.first))

    @cached_property
    def reached(self) -> int:
        """The number of the level at the end of the run."""
        return self.played.player.at

    @cached_property
    def crossed(self) -> list[tuple[float, float]]:
        """(seconds, bytes) of the end of each level that ended."""
        return [] if self.rested else self.played.player.crossed

    def levels(self, at: int) -> tuple[float, ...]:
        """Return the true rate of a level and the mean that was recorded of it."""
        drive, player = self.played.drive, self.played.player
        last = at == len(drive.levels) - 1
        true = min(drive.levels[at].rate, drive.cap) * (drive.mean if last else 1.0)
        if self.rested:
            return true, self.written / self.seconds / self.unit
        seconds, done = player.spent[at]
        return (true, done / seconds / self.unit) if seconds else (true,)

    def is_level(self, value: float, at: int, within: float = NEAR) -> bool:
        """Return whether a value is the rate of a level."""
        return any(near(value, rate, within) for rate in self.levels(at))

    @cached_property
    def written(self) -> float:
        """Bytes of the phase."""
        return float(self.table[:, 1].sum())

    @cached_property
    def seconds(self) -> float:
        """Seconds of the phase."""
        return float(self.table[:, 0].sum())

    def fall(self, at: int) -> tuple[float, float]:
        """Return the bytes over which the rate falls from a level: until half way, and until 2 % are left."""
        drive = self.played.drive
        high, low, over = self.levels(at)[0], self.levels(at + 1)[0], drive.levels[at].over
        if not over or high <= low:
            return 0.0, 0.0
        half = (math.sqrt(high * low) - low) / (high - low)
        return over * -math.log(half), over * -math.log(min(0.02 * low / (high - low), 1.0))

    def samples_before(self, seconds: float) -> int:
        """Return how many samples ended by then."""
        return int((np.cumsum(self.table[:, 0]) <= seconds + 1e-6).sum())

    def seconds_at(self, written: float) -> float:
        """Return when so many bytes were written."""
        done = np.cumsum(self.table[:, 1])
        return float(np.interp(written, np.r_[0, done], np.r_[0, np.cumsum(self.table[:, 0])]))
