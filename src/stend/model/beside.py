"""Counts of a load that runs beside another one on the same drive."""

import msgspec

from stend.model.counts import Counts, packed
from stend.model.pace import Pace, paces


class Beside(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Counts of a load beside another one, and its `pace` if its workload is paced."""

    counts: Counts = Counts()
    pace: Pace | None = None

    def __add__(self, other: "Beside") -> "Beside":
        return Beside(counts=self.counts + other.counts, pace=paces(self.pace, other.pace))

    def weighed(self, weight: int) -> "Beside":
        """Return this load with compact bins whose observed IOs count as `weight` IOs each."""
        return Beside(counts=packed(self.counts, weight), pace=self.pace and self.pace.weighed(weight))
