"""What a load's counts tell of its queue: outstanding = IOPS x mean response time (Little), however short the interval.

A simulated IO of a scaled drive stands for `scale` of them, which are answered one after the other while it is under
way: an interval tells those of them that fall into it.
"""

import numpy as np
import numpy.typing as npt

from stend.sim.requests import BINS, OUTSTANDING_AT, Ledger, Loop, ledger

NS = 1_000_000_000
LITTLE = 0.005
"""By how much outstanding x time and the waiting told may differ before what is told is set right."""
MOST = 10.0
"""Times by which response times are set right at most at once."""


def bin_of(ns: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """fio's latency bins of response times."""
    power = np.maximum(np.floor(np.log2(np.maximum(ns, 1))).astype(np.int64) - 6, 0)
    bins: npt.NDArray[np.int64] = np.minimum((power << 6) + (ns / 2.0**power).astype(np.int64), BINS - 1)
    return bins


def stretch(done: Ledger, factor: float) -> None:
    """All response times grown by a factor."""
    done.sums[:, 2] *= factor
    done.sums[:, 3] *= factor**2
    done.sums[:, 4] *= factor
    old = np.flatnonzero(done.bins.any(axis=0))
    new = bin_of(_middle_ns(old) * factor)
    counts = done.bins[:, old]
    done.bins[:] = 0
    for way in (0, 1):
        np.add.at(done.bins[way], new, counts[way])


def met_limit(done: Ledger, limit: int, given: int, more: bool) -> int:
    """Meet a limit of bytes exactly, whatever scaling rounded; return the bytes given until now."""
    way = 1 if done.sums[1, 0] else 0
    sums, bins = done.sums[way], done.bins[way]
    over = limit - given - sums[1]
    if sums[0] and (over < 0 or not more) and over:
        size, peak = sums[1] / sums[0], int(bins.argmax())
        ios = max(round(over / size), 1 - int(bins[peak]))
        mean = sums[2] / sums[0]
        sums[0], sums[1], bins[peak] = sums[0] + ios, sums[1] + over, bins[peak] + ios
        sums[2] = mean * sums[0]
    return given + int(sums[1])


def delayed(done: Ledger, waits_ns: npt.NDArray[np.float64]) -> None:
    """As many of the IOs waited so much longer each, of both directions and of all response times alike."""
    ios, ways = done.sums[:, 0].copy(), done.sums[:, 2].copy()
    share = ways / ways.sum() if ways.sum() else ios / ios.sum()
    reads = min(round(len(waits_ns) * share[0]), int(ios[0]))
    for way, ns in ((0, waits_ns[:reads]), (1, waits_ns[reads : reads + int(ios[1])])):
        if len(ns):
            mean = ways[way] / ios[way]
            done.sums[way, 2] += ns.sum()
            done.sums[way, 3] += (ns * (2 * mean + ns)).sum()
            done.sums[way, 4] = max(done.sums[way, 4], mean + ns.max())
            _moved(done.bins[way], ns)


def _moved(bins: npt.NDArray[np.int64], ns: npt.NDArray[np.float64]) -> None:
    """IOs evenly over all those in the bins are `ns` longer."""
    edges = np.cumsum(bins)
    from_bins = np.searchsorted(edges, (np.arange(len(ns)) + 0.5) * edges[-1] / len(ns), side="right")
    np.subtract.at(bins, from_bins, 1)
    np.add.at(bins, bin_of(_middle_ns(from_bins) + ns), 1)


def _middle_ns(places: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The middle of fio's latency bins."""
    shift = np.maximum((places >> 6) - 1, 0)
    return np.where(shift > 0, ((places - (shift << 6)) + 0.5) * 2.0**shift, places)


class Account:
    """The waiting of one load: what there was, and what was told; `untold_ns` is that of the loads before it."""

    def __init__(self, slots: Loop, scale: int, now_ns: int, untold_ns: float) -> None:
        self.slots, self.scale, self.outstanding = slots, scale, int(slots.at[OUTSTANDING_AT])
        self.untold_ns = untold_ns
        self.owed_ns = self.lasted_ns = 0.0
        self.early = self._under_way(now_ns)

    def wait(self, seconds: float) -> None:
        """All that is outstanding waits so much longer while the drive says nothing."""
        self.slots.issued[:] -= round(seconds * NS)
        self.slots.waiting[:] -= round(seconds * NS)
        self.owed_ns += self.outstanding * seconds * NS * self.scale

    def settle(self, done: Ledger, now_ns: int, lasted_ns: float, untold_ns: float) -> None:
        """Set right what an interval's counts tell, which already stand for all IOs; inner times.

        `untold_ns` is waiting that later answers tell of; what of it was so before is not this load's.
        """
        if self.scale > 1:
            early = self._under_way(now_ns)
            _exchange(done, self.early, early)
            self.early = early
        self.lasted_ns += lasted_ns * self.scale
        waited = done.sums[:, 2].sum()
        self.owed_ns += self.outstanding * lasted_ns * self.scale - waited
        owed = self.owed_ns - (untold_ns - self.untold_ns)
        if waited > 0 and abs(owed) > LITTLE * self.outstanding * self.lasted_ns:
            factor = min(max(1 + owed / waited, 1 / MOST), MOST)
            stretch(done, factor)
            self.owed_ns -= (factor - 1) * waited

    def _under_way(self, now_ns: int) -> Ledger:
        """IOs of the drive as it is sold that were answered until now, of those that simulated ones stand for."""
        early = ledger()
        if self.scale == 1:
            return early
        keys = self.slots.heap[: self.slots.at[0]]
        ends, slot = (keys >> 16) + self.slots.at[1], keys & 0xFFFF
        size, ns = self.slots.size[slot], (ends - self.slots.issued[slot]).astype(float)
        share = np.minimum(np.maximum((now_ns - self.slots.issued[slot]) / np.maximum(ns, 1), 0), 1)
        ios = np.where(size != 0, np.floor(self.scale * share), 0)
        for way, mine in ((0, size < 0), (1, size > 0)):
            n, t, nbytes = ios[mine], ns[mine], abs(size[mine])
            if len(n):
                early.sums[way] = n.sum(), (n * nbytes).sum(), (n * t).sum(), (n * t * t).sum(), t.max()
                np.add.at(early.bins[way], bin_of(t), n.astype(np.int64))
        return early


def _exchange(done: Ledger, old: Ledger, new: Ledger) -> None:
    """Tell what is new; what was told before is not told again."""
    done.sums[:, :4] += new.sums[:, :4] - old.sums[:, :4]
    done.bins[:] += new.bins - old.bins
    for way in (0, 1):
        if new.sums[way, 0]:
            done.sums[way, 4] = max(done.sums[way, 4], new.sums[way, 4])
        bins = done.bins[way]
        if bins.min() < 0:  # a pause has since moved the end of what was told early
            lack = -int(bins[bins < 0].sum())
            bins[bins < 0] = 0
            _taken(bins, lack)


def _taken(bins: npt.NDArray[np.int64], count: int) -> None:
    """So many fewer IOs, from the fullest bins on; none gets below zero."""
    order = np.argsort(bins)[::-1]
    full = bins[order]
    bins[order] -= np.clip(count - (np.cumsum(full) - full), 0, full)
