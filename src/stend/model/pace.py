"""Schedule of a replay or an open loop: how late its IOs were sent, why, and when that makes a run invalid."""

from collections.abc import Mapping

import msgspec

from stend.base import limits
from stend.model.bins import bin_edges_ns
from stend.model.tally import NONE, Tally

LATE_S = 0.001
"""An IO sent more than this many seconds after its time is late."""
MOST_LATE = 0.01
"""Above this share of late IOs every page shows the share. If the host caused that share, the run is invalid."""


class Pace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Counts of a schedule: IOs sent, late ones (`LATE_S`), and late ones that waited for room in the queue.

    `lateness` is {fio's latency bin: IOs} of the delay after an IO's time, `latest_ns` the longest delay. All but
    `sent` are 0 in a closed loop, which does not keep the trace's times. `flush` and `discard` are tallies of these
    commands. `left_out` counts, by kind, commands that were not sent. `unsent` counts the IOs of an open loop that were
    due at its end and still waited for room: they have no response time, and it would be long.
    """

    sent: limits.Count = 0
    late: limits.Count = 0
    full: limits.Count = 0
    latest_ns: limits.Response = 0
    lateness: Mapping[limits.Bin, limits.Count] = {}
    flush: Tally = Tally()
    discard: Tally = Tally()
    left_out: dict[str, limits.Count] = {}
    unsent: limits.Count = 0

    def since(self, earlier: "Pace") -> "Pace":
        """Return the counts after an earlier moment of the same load.

        Where a maximum was not exceeded since, it is the upper edge of the highest latency bin that grew.
        """
        lateness = _grown(self.lateness, earlier.lateness)
        return Pace(
            sent=self.sent - earlier.sent,
            late=self.late - earlier.late,
            full=self.full - earlier.full,
            latest_ns=self.latest_ns if self.latest_ns > earlier.latest_ns else _longest_ns(lateness),
            lateness=lateness,
            flush=_tally_since(self.flush, earlier.flush),
            discard=_tally_since(self.discard, earlier.discard),
            left_out=self.left_out,
            unsent=self.unsent,
        )

    @property
    def lateness_measured(self) -> bool:
        """Return True if lateness was measured. A virtual drive is never late."""
        return bool(self.lateness)

    @property
    def late_share(self) -> float:
        """Return the share of IOs that were late for any reason; 0 without IOs."""
        return self.late / self.sent if self.sent else 0.0

    @property
    def full_share(self) -> float:
        """Return the share of IOs that were late because the queue was full: the drive did not keep up."""
        return self.full / self.sent if self.sent else 0.0

    @property
    def host_share(self) -> float:
        """Return the share of IOs that were late although the queue had room: the host did not keep up."""
        return self.late_share - self.full_share

    @property
    def doubtful(self) -> bool:
        """Return True if response times are valid only together with the share of late IOs."""
        return self.late_share > MOST_LATE

    @property
    def invalid(self) -> bool:
        """Return True if the host, and not the drive, changed the schedule of the trace."""
        return self.host_share > MOST_LATE


def _grown(bins: Mapping[int, int], before: Mapping[int, int]) -> dict[int, int]:
    return {n: count - before.get(n, 0) for n, count in bins.items() if count > before.get(n, 0)}


def _longest_ns(bins: Mapping[int, int]) -> int:
    return bin_edges_ns(max(bins))[1] - 1 if bins else 0


def _tally_since(tally: Tally, earlier: Tally) -> Tally:
    if earlier == NONE:
        return tally
    bins = _grown(tally.bins, earlier.bins)
    return Tally(
        tally.ios - earlier.ios,
        tally.bytes - earlier.bytes,
        tally.latency_ns - earlier.latency_ns,
        tally.latency_ns2 - earlier.latency_ns2,
        tally.max_ns if tally.max_ns > earlier.max_ns else _longest_ns(bins),
        bins,
    )
