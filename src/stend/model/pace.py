"""Schedule of a replay: how late its IOs were sent, why, and when that makes a run invalid."""

from collections.abc import Mapping

import msgspec

from stend.base import limits
from stend.model.tally import Tally

LATE_S = 0.001
"""An IO sent more than this many seconds after its time is late."""
MOST_LATE = 0.01
"""Above this share of late IOs every page shows the share. If the host caused that share, the run is invalid."""


class Pace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Counts of a replay: IOs sent, late ones (`LATE_S`), and late ones that waited for room in the queue.

    `lateness` is {fio's latency bin: IOs} of the delay after an IO's time, `latest_ns` the longest delay. All but
    `sent` are 0 in a closed loop, which does not keep the trace's times. `flush` and `discard` are tallies of these
    commands. `left_out` counts, by kind, commands that were not sent.
    """

    sent: limits.Count = 0
    late: limits.Count = 0
    full: limits.Count = 0
    latest_ns: limits.Response = 0
    lateness: Mapping[limits.Bin, limits.Count] = {}
    flush: Tally = Tally()
    discard: Tally = Tally()
    left_out: dict[str, limits.Count] = {}

    def since(self, before: "Pace | None") -> "Pace":
        """Return what was added to the counts `before`, of the same load; the maxima are at most the highest bins'."""
        if before is None or before == Pace():
            return self
        late = Tally(max_ns=self.latest_ns, bins=self.lateness).since(
            Tally(max_ns=before.latest_ns, bins=before.lateness)
        )
        return Pace(
            sent=self.sent - before.sent,
            late=self.late - before.late,
            full=self.full - before.full,
            latest_ns=late.max_ns,
            lateness=late.bins,
            flush=self.flush.since(before.flush),
            discard=self.discard.since(before.discard),
            left_out={kind: n for kind, count in self.left_out.items() if (n := count - before.left_out.get(kind, 0))},
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
