"""Commands and times of a load beyond its reads and writes: lateness, flushes, trims."""

from collections.abc import Mapping

import msgspec

from stend.base import limits
from stend.model.bins import added
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
    flush: Tally = NONE
    discard: Tally = NONE
    left_out: dict[str, limits.Count] = {}
    unsent: limits.Count = 0

    def __add__(self, other: "Pace") -> "Pace":
        return Pace(
            sent=self.sent + other.sent,
            late=self.late + other.late,
            full=self.full + other.full,
            latest_ns=max(self.latest_ns, other.latest_ns),
            lateness=added(self.lateness, other.lateness),
            flush=self.flush + other.flush,
            discard=self.discard + other.discard,
            left_out=added(self.left_out, other.left_out),
            unsent=other.unsent,
        )

    def weighed(self, weight: int) -> "Pace":
        """Return this pace. Each observed flush and trim counts as `weight` of them."""
        if weight == 1:
            return self
        return msgspec.structs.replace(self, flush=self.flush.weighed(weight), discard=self.discard.weighed(weight))

    @property
    def lateness_measured(self) -> bool:
        """Return True if lateness was measured. A virtual drive is never late."""
        return bool(self.lateness)

    @property
    def late_share(self) -> float:
        """Return the share of IOs that were late for any reason, or 0 without IOs."""
        return self.late / self.sent if self.sent else 0.0

    @property
    def full_share(self) -> float:
        """Return the share of IOs that were late because the queue was full: the drive did not keep up."""
        return self.full / self.sent if self.sent else 0.0

    @property
    def host_share(self) -> float:
        """Return the share of IOs that were late although the queue had room: the host did not keep up."""
        return (self.late - self.full) / self.sent if self.sent else 0.0

    @property
    def doubtful(self) -> bool:
        """Return True if response times are valid only together with the share of late IOs."""
        return self.late_share > MOST_LATE

    @property
    def invalid(self) -> bool:
        """Return True if the host, and not the drive, changed the schedule of the trace."""
        return self.host_share > MOST_LATE


def paces(first: Pace | None, second: Pace | None) -> Pace | None:
    """Return two paces added up, or None if there is neither."""
    return first + second if first and second else first or second
