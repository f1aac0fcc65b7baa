"""Description of a replayed trace that a run keeps: enough for reports, without the addresses of IOs."""

import msgspec

from stend.base import limits
from stend.model.tally import Tally


class Moment(msgspec.Struct, frozen=True, array_like=True):
    """A step of a trace: its start and end in seconds, and its IOs without bins."""

    start_s: limits.Seconds
    end_s: limits.Seconds
    read: Tally = Tally()
    write: Tally = Tally()


class Traced(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A trace as captured. `number` is a hash of its IOs, `name` its file name, `source` the format it was read from.

    `read` and `write` count all its IOs; their sums, maxima and bins cover the IOs whose response time was captured.
    `flushes` and `discards` are counts. `depth` is the mean number of IOs in flight at issue, 0 if the source does not
    record it. Addresses begin at `first_bytes` and span `span_bytes`. IOs are whole multiples of `block_bytes`, and so
    are the distances between them. The longest has `longest_bytes`. `enlarged` counts, by the size of a drive's
    sectors, the reads and writes that are not whole sectors once the first address is at the start of one.
    """

    number: str
    name: str
    source: str
    device: str = ""
    begun_s: limits.Seconds | None = None
    ios: limits.Count
    seconds: limits.Seconds
    read: Tally
    write: Tally
    flushes: limits.Count = 0
    discards: limits.Count = 0
    first_bytes: limits.Count = 0
    span_bytes: limits.Count
    longest_bytes: limits.Count
    block_bytes: limits.Count = 512
    enlarged: dict[int, limits.Count] = {}
    depth: limits.Amount = 0
    lost: limits.Count = 0
    malformed: limits.Count = 0
    steps: tuple[Moment, ...] = ()

    @property
    def timed(self) -> int:
        """Return the number of IOs whose response time was captured."""
        return sum(self.read.bins.values()) + sum(self.write.bins.values())

    @property
    def read_pct(self) -> int:
        """Return the percentage of reads among reads and writes. 0 only without reads, 100 only without writes."""
        both = self.read.ios + self.write.ios
        share = round(100 * self.read.ios / both) if both else 0
        return share if self.read.ios in (0, both) else min(max(share, 1), 99)
