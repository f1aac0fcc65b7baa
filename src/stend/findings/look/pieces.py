"""The course of a phase in samples and in pieces: equal ones, or ones that grow with the time before them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.findings import look
from stend.findings.look.once import once
from stend.model.counts import Counts
from stend.model.events import Sample
from stend.model.record import Run
from stend.model.samples import COLUMNS, Samples
from stend.model.tally import Tally

Array = npt.NDArray[np.float64]

MOST = 3000
LONGEST = [name.endswith("max_ns") for name in COLUMNS]
"""Columns of which the longest is told, not the sum."""
GROWS = 0.02
"""A growing piece lasts this part of the time before it, and one sample at least."""


@once
def seconds(run: Run, test: str, phase: str) -> Array:
    """Return the samples of a phase as a table (`samples.COLUMNS`), about a second each, or its records."""
    records = look.records(run, test, phase)
    every = [run.tabled(record.result) for record in records]
    sampled = np.concatenate(every) if every else np.empty((0, len(COLUMNS)))
    sampled = sampled[sampled[:, COLUMNS.index("seconds")] > 0]
    if len(sampled) > len(records):
        return sampled
    few = Samples()
    for record in records:
        few.append(Sample(t=record.end_s, counts=record.counts))
    return few.table(0, len(few))


def equal(table: Array) -> list[Counts]:
    """Return samples in at most `MOST` pieces of as many samples each, in order.

    Cleaning comes in bursts: the median of single seconds is no level that a drive keeps.
    """
    each = -(-len(table) // MOST) or 1
    begins = np.arange(0, len(table), each)
    if not len(begins):
        return []
    sums, most = np.add.reduceat(table, begins), np.maximum.reduceat(table, begins)
    return [_counts(*row) for row in np.where(LONGEST, most, sums)[:, 1:].tolist()]


def _counts(seconds: float, cpu_s: float, *sums: float) -> Counts:
    return Counts(seconds, cpu_s, _tally(*sums[: len(sums) // 2]), _tally(*sums[len(sums) // 2 :]))


def _tally(ios: float, done: float, ns: float, ns2: float, max_ns: float) -> Tally:
    return Tally(int(ios), int(done), ns, ns2, max_ns)


class Line(NamedTuple):
    """A course as sums up to the end of each sample: seconds, IOs or bytes done, bytes written; each begins with 0."""

    s: Array
    done: Array
    written: Array

    @property
    def rates(self) -> Array:
        """What was done in a second, sample by sample."""
        rates: Array = np.diff(self.done) / np.diff(self.s)
        return rates

    def rate(self, first: int, last: int) -> float:
        """The mean of the samples [first, last)."""
        return float((self.done[last] - self.done[first]) / (self.s[last] - self.s[first]))

    def until(self, end_s: float) -> "Line":
        """The part of it that ends no later."""
        last = int(np.searchsorted(self.s, end_s, side="right"))
        return Line(self.s[:last], self.done[:last], self.written[:last])


def line(table: Array, *, by_bytes: bool = False) -> Line:
    """Return samples as a course of IOs, or of bytes."""
    told = dict(zip(COLUMNS, table.T, strict=True))
    unit = "bytes" if by_bytes else "ios"
    done = told[f"read_{unit}"] + told[f"write_{unit}"]
    return Line(*(np.concatenate([[0.0], np.cumsum(own)]) for own in (told["seconds"], done, told["write_bytes"])))


def of_counts(every: Sequence[Counts]) -> Line:
    """Return the writes of these samples as a course of bytes."""
    written = [0.0, *np.cumsum([float(c.write.bytes) for c in every])]
    return Line(np.array([0.0, *np.cumsum([c.seconds for c in every])]), np.array(written), np.array(written))


def growing(s: Array) -> list[int]:
    """Return where the growing pieces of a course begin and end, as indices of its sums."""
    cuts, last = [0], len(s) - 1
    while cuts[-1] < last:
        at = int(np.searchsorted(s, s[cuts[-1]] * (1 + GROWS), side="left"))
        cuts.append(min(max(at, cuts[-1] + 1), last))
    return cuts
