"""Correct the counts of an interval so that outstanding IOs = IOPS x mean response time (Little's law) always holds.

A simulated IO of a scaled drive represents `scale` IOs, which are answered one after the other while it is in flight.
Each interval reports those that fall into it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.sim.requests import BINS, NOT_FLUSHING, OUTSTANDING_AT, READ, ROWS, TRIM, WRITE, Ledger, Loop, ledger

NS = 1_000_000_000
SLOT_BITS, SLOT = 16, 0xFFFF
"""The keys of `Loop.heap`: time above these bits, the slot in them."""
LITTLE = 0.005
"""Share by which reported waiting may differ from outstanding IOs x time before it is corrected."""
MOST = 10.0
"""Largest factor of one correction of response times."""


class Done(NamedTuple):
    """Counts of an interval, for the drive at full size. Row 0 is reads, row 1 writes."""

    seconds: float
    tallies: npt.NDArray[np.float64]
    """[2, 5]: IOs, bytes, sum of ns, sum of ns^2, longest ns"""
    bins: npt.NDArray[np.int64]
    """[2, BINS]: IOs by fio's latency bins"""
    more: bool
    """False once a limited pattern has ended"""
    ledger: Ledger
    """the counts that `tallies` and `bins` are a part of, with flushes and trims, and those of the loads beside"""


def bin_of(ns: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return fio's latency bins of response times in ns."""
    power = np.maximum(np.floor(np.log2(np.maximum(ns, 1))).astype(np.int64) - 6, 0)
    bins: npt.NDArray[np.int64] = np.minimum((power << 6) + (ns / 2.0**power).astype(np.int64), BINS - 1)
    return bins


def stretch(done: Ledger, factor: float) -> None:
    """Multiply all response times by a factor."""
    done.sums[:, 2] *= factor
    done.sums[:, 3] *= factor**2
    done.sums[:, 4] *= factor
    old = np.flatnonzero(done.bins.any(axis=0))
    new = bin_of(_middle_ns(old) * factor)
    counts = done.bins[:, old]
    done.bins[:] = 0
    for way in range(len(done.bins)):
        np.add.at(done.bins[way], new, counts[way])


def delay(slots: Loop, seconds: float) -> None:
    """Let all outstanding IOs and flushes of a loop wait this much longer."""
    for since in (slots.issued, slots.waiting):
        since[:] -= round(seconds * NS)
    slots.flushing[slots.flushing != NOT_FLUSHING] -= round(seconds * NS)


def wake(slots: Loop, now_ns: int) -> None:
    """Let the slots that wait for a request's time claim one again now."""
    keys = slots.heap[: slots.at[0]]
    slot = keys & SLOT
    claims = slots.claimed[slot] > 0
    keys[claims] = (now_ns - slots.at[1]) << SLOT_BITS | slot[claims]
    keys.sort()
    slots.claimed[:] = 0


def met_limit(done: Ledger, limit: int, given: int, more: bool) -> int:
    """Correct rounding by the scale so that a limit of bytes is met exactly. Return the bytes done so far."""
    way = next((row for row in (WRITE, TRIM) if done.sums[row, 0]), READ)
    sums, bins = done.sums[way], done.bins[way]
    over = limit - given - sums[1]
    if sums[0] and (over < 0 or not more) and over:
        size, peak = sums[1] / sums[0], int(bins.argmax())
        ios = max(round(over / size), 1 - int(bins[peak]))
        mean = sums[2] / sums[0]
        sums[0], sums[1], bins[peak] = sums[0] + ios, sums[1] + over, bins[peak] + ios
        sums[2] = mean * sums[0]
    return given + int(sums[1])


def parts(done: Ledger) -> list[Ledger]:
    """Return the rows of each load. They share their numbers with the whole."""
    loads = range(0, len(done.sums), ROWS)
    return [Ledger(done.sums[load : load + ROWS], done.bins[load : load + ROWS]) for load in loads]


def delayed(done: Ledger, waits_ns: npt.NDArray[np.float64]) -> None:
    """Add a wait in ns to as many IOs as there are waits, spread evenly over all rows and response times."""
    answers, whole = done.answers(), len(waits_ns)
    ios, ways = answers[:, 0], answers[:, 2]
    share = ways / ways.sum() if ways.sum() else ios / ios.sum()
    used = np.flatnonzero(ios)
    for way in used:
        many = len(waits_ns) if way == used[-1] else round(whole * share[way])
        ns, waits_ns = np.split(waits_ns, [min(many, int(ios[way]), len(waits_ns))])
        if len(ns):
            mean = ways[way] / ios[way]
            done.sums[way, 2] += ns.sum()
            done.sums[way, 3] += (ns * (2 * mean + ns)).sum()
            done.sums[way, 4] = max(done.sums[way, 4], mean + ns.max())
            _move(done.bins[way], ns)


def _move(bins: npt.NDArray[np.int64], ns: npt.NDArray[np.float64]) -> None:
    """Move IOs, chosen evenly over the bins, to the bins of response times that are `ns` longer."""
    edges = np.cumsum(bins)
    from_bins = np.searchsorted(edges, (np.arange(len(ns)) + 0.5) * edges[-1] / len(ns), side="right")
    np.subtract.at(bins, from_bins, 1)
    np.add.at(bins, bin_of(_middle_ns(from_bins) + ns), 1)


def _middle_ns(places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the middle of fio's latency bins in ns."""
    shift = np.maximum((places >> 6) - 1, 0)
    return np.where(shift > 0, ((places - (shift << 6)) + 0.5) * 2.0**shift, places)


class Account:
    """Compares the waiting of one load with the waiting that its counts report.

    `pending_ns` is waiting of earlier loads that the drive has still to report. `flush_every` has one number for each
    load beside the others: a flush follows after so many of its writes, or 0. With `aged` the ages of all IOs in flight
    are such waiting.
    """

    def __init__(
        self,
        slots: Loop,
        scale: int,
        now_ns: int,
        pending_ns: float,
        flush_every: Sequence[int] = (0,),
        *,
        aged: bool = False,
    ) -> None:
        self.slots, self.scale, self.outstanding = slots, scale, int(slots.at[OUTSTANDING_AT])
        self.pending_ns, self.flush_every, self.aged = 0.0 if aged else pending_ns, np.array(flush_every), aged
        self.owed_ns = self.lasted_ns = 0.0
        self.early = self._under_way(now_ns)

    def wait(self, seconds: float) -> None:
        """Let all outstanding IOs wait this much longer while the drive is silent."""
        delay(self.slots, seconds)
        self.owed_ns += self.outstanding * seconds * NS * self.scale

    def settle(self, done: Ledger, now_ns: int, lasted_ns: float, pending_ns: float) -> None:
        """Correct the counts of an interval, which are multiplied by the scale already. Times are scaled ns.

        `pending_ns` is waiting that later answers will report. The part that the earlier loads left does not count.
        """
        if self.scale > 1:
            early = self._under_way(now_ns)
            _exchange(done, self.early, early)
            self.early = early
        if self.aged:
            ages = (self.slots.size != 0) * (now_ns - self.slots.issued)
            pending_ns = float(ages.sum() + (now_ns - self.slots.waiting).sum())
        self.lasted_ns += lasted_ns * self.scale
        waited = done.answers()[:, 2].sum()
        self.owed_ns += self.outstanding * lasted_ns * self.scale - waited
        owed = self.owed_ns - (pending_ns - self.pending_ns)
        if waited > 0 and abs(owed) > LITTLE * self.outstanding * self.lasted_ns:
            factor = min(max(1 + owed / waited, 1 / MOST), MOST)
            stretch(done, factor)
            self.owed_ns -= (factor - 1) * waited

    def _under_way(self, now_ns: int) -> Ledger:
        """Return the full-size IOs answered by now, of those that the simulated IOs in flight represent."""
        early = ledger(len(self.flush_every))
        if self.scale == 1:
            return early
        keys = self.slots.heap[: self.slots.at[0]]
        ends, slot = (keys >> 16) + self.slots.at[1], keys & 0xFFFF
        size, ns = self.slots.size[slot], (ends - self.slots.issued[slot]).astype(float)
        share = np.minimum(np.maximum((now_ns - self.slots.issued[slot]) / np.maximum(ns, 1), 0), 1)
        ios = np.where((size != 0) & ~self._awaits_flush(slot), np.floor(self.scale * share), 0)
        for way in np.unique(self.slots.row[slot]):
            chosen = (self.slots.row[slot] == way) & (size != 0)
            n, t, nbytes = ios[chosen], ns[chosen], abs(size[chosen])
            if len(n):
                early.sums[way] = n.sum(), (n * nbytes).sum(), (n * t).sum(), (n * t * t).sum(), t.max()
                np.add.at(early.bins[way], bin_of(t), n.astype(np.int64))
        return early

    def _awaits_flush(self, slot: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return for each slot if its write ends with a flush that is not sent yet: its end is then unknown."""
        slots, every = self.slots, self.flush_every[self.slots.load[slot]]
        last = (every > 0) & (slots.unsynced[slot] + 1 >= every) & (slots.row[slot] % ROWS == WRITE)
        awaits: npt.NDArray[np.bool_] = last & (slots.flushing[slot] == NOT_FLUSHING)
        return awaits


def _exchange(done: Ledger, old: Ledger, new: Ledger) -> None:
    """Add the early answers of this interval and subtract those reported in the interval before.

    A row has less than 0 IOs if its IOs in flight will end later than it seemed then. It reports none, and `new` keeps
    the lack, which the next interval subtracts.
    """
    done.sums[:, :4] += new.sums[:, :4] - old.sums[:, :4]
    done.bins[:] += new.bins - old.bins
    for way in range(len(done.sums)):
        if new.sums[way, 0]:
            done.sums[way, 4] = max(done.sums[way, 4], new.sums[way, 4])
        bins = done.bins[way]
        if done.sums[way, 0] < 0:
            new.sums[way, :4] -= done.sums[way, :4]
            new.bins[way] -= bins
            done.sums[way], bins[:] = 0, 0
        if bins.min() < 0:  # a pause has since moved the end of IOs that were reported early
            lack = -int(bins[bins < 0].sum())
            bins[bins < 0] = 0
            _remove(bins, lack)


def _remove(bins: npt.NDArray[np.int64], count: int) -> None:
    """Remove this many IOs from the fullest bins. No bin gets below zero."""
    order = np.argsort(bins)[::-1]
    full = bins[order]
    bins[order] -= np.clip(count - (np.cumsum(full) - full), 0, full)
