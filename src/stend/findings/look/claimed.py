"""Claims of a vendor: the keys of a drive sheet's `claimed`, and the load and figure that each means."""

import re
from typing import NamedTuple

from stend.base.units import KiB


class Claim(NamedTuple):
    """The load and figure that a key of a sheet means."""

    random_pct: int
    read_pct: int
    block_bytes: int
    figure: str

    @property
    def unit(self) -> float:
        """Return the factor from the sheet's unit to base units."""
        return {"throughput": 1e6, "latency": 1e-6}.get(self.figure, 1.0)


def meaning(key: str) -> Claim | None:
    """Return the load and figure of a key such as `rand_read_4k` or `seq_write_128k_MB`, or None for other keys.

    Further forms are `rand_7030_8k` and `rand_read_4k_us`. A claimed response time is the mean at QD1.
    """
    match = re.fullmatch(r"(seq|rand)_(read|write|\d{4})(?:_(\d+)k)?(_MB|_us)?", key)
    if not match:
        return None
    reads = {"read": 100, "write": 0}.get(match[2], int(match[2][:2]) if match[2].isdigit() else 0)
    block = int(match[3] or (128 if match[1] == "seq" else 4)) * KiB
    figure = {"_MB": "throughput", "_us": "latency"}.get(match[4], "iops")
    return Claim(0 if match[1] == "seq" else 100, reads, block, figure)
