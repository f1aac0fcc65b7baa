"""How a replay kept its schedule: how late its IOs were sent, why, and when that makes a run invalid."""

from collections.abc import Mapping

import msgspec

from stend.base import limits
from stend.model.tally import Tally

LATE_S = 0.001
"""An IO sent so much after its time is late."""
MOST_LATE = 0.01
"""Late IOs beyond this share of all are told on every page; beyond it by the host's own doing, the run is invalid."""


class Pace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Of one replay: IOs sent in all, those late (`LATE_S`), those of them that waited for room in the queue.

    `lateness` is {fio's latency bin: IOs} of how long after its time an IO was sent, `latest_ns` the longest. All but
    `sent` are 0 where the pace was not the trace's (closed loop). `flush` and `discard` are those; `left_out` counts,
    by kind, what was not sent at all.
    """

    sent: limits.Count = 0
    late: limits.Count = 0
    full: limits.Count = 0
    latest_ns: limits.Response = 0
    lateness: Mapping[limits.Bin, limits.Count] = {}
    flush: Tally = Tally()
    discard: Tally = Tally()
    left_out: dict[str, limits.Count] = {}

    @property
    def bins_told(self) -> bool:
        """Whether its lateness was measured: a virtual drive is never late."""
        return bool(self.lateness)

    @property
    def late_share(self) -> float:
        """Part of the IOs that were late, whoever's doing; 0 without IOs."""
        return self.late / self.sent if self.sent else 0.0

    @property
    def full_share(self) -> float:
        """Part of the IOs that were late because the queue was full: the drive did not keep up."""
        return self.full / self.sent if self.sent else 0.0

    @property
    def host_share(self) -> float:
        """Part of the IOs that were late although there was room: the host did not keep up."""
        return self.late_share - self.full_share

    @property
    def doubtful(self) -> bool:
        """Whether its response times are to be read with the share of late IOs beside them."""
        return self.late_share > MOST_LATE

    @property
    def invalid(self) -> bool:
        """Whether the schedule was not the trace's for a reason that is not the drive's."""
        return self.host_share > MOST_LATE
