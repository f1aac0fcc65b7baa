"""Course of a phase in samples and in pieces: equal ones, or ones that grow with the time before them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stend.findings import look
from stend.findings.look.levels import Array
from stend.findings.look.once import once
from stend.model.counts import Counts
from stend.model.events import Sample
from stend.model.record import Run
from stend.model.samples import COLUMNS, Samples
from stend.model.tally import Tally

MOST = 3000
LONGEST = [name.endswith("max_ns") for name in COLUMNS]
"""Columns that are combined by their maximum, not by their sum."""
GROWS = 0.02
"""A growing piece lasts this share of the time before it, at least one sample."""


@once
def seconds(run: Run, test: str, phase: str) -> Array:
    """Return the samples of a phase as a table (`samples.COLUMNS`), about one per second, or else its records."""
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
    """Return the samples in at most `MOST` pieces with equal numbers of samples, in order.

    Pieces are sums: cleaning comes in bursts, and a median of single seconds would not be a level that a drive keeps.
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
    """A course as sums up to the end of each sample: seconds, IOs or bytes done, bytes written. Each starts with 0."""

    s: Array
    done: Array
    written: Array

    @property
    def rates(self) -> Array:
        """Return the amount done per second, sample by sample."""
        rates: Array = np.diff(self.done) / np.diff(self.s)
        return rates

    def rate(self, first: int, last: int) -> float:
        """Return the mean rate of the samples [first, last)."""
        return float((self.done[last] - self.done[first]) / (self.s[last] - self.s[first]))

    def until(self, end_s: float) -> "Line":
        """Return the part of the course that ends no later."""
        last = int(np.searchsorted(self.s, end_s, side="right"))
        return Line(self.s[:last], self.done[:last], self.written[:last])


def line(table: Array) -> Line:
    """Return samples as a course of IOs."""
    columns = dict(zip(COLUMNS, table.T, strict=True))
    done = columns["read_ios"] + columns["write_ios"]
    return Line(
        *(np.concatenate([[0.0], np.cumsum(sums)]) for sums in (columns["seconds"], done, columns["write_bytes"]))
    )


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
