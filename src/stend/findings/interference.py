"""Read/write interference: how much slower reads of a mix are than reads alone."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look, side
from stend.findings.look.figures import loads
from stend.model.record import Run

MIX = (60, 75)
MUCH, LITTLE = 3.0, 1.5
ALIKE = 1.05
"""Means that differ by less are equal."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per phase of the latency test and mix of 60 to 75 % reads, at 4 KiB."""
    for test in look.tests(run, "latency"):
        rows = [row for row in loads(run, test) if row.tally.ios and row.workload.block_bytes == 4096]
        for phase in dict.fromkeys(row.phase for row in rows):
            by_load = {(row.workload.read_pct, row.direction): row for row in rows if row.phase == phase}
            alone = by_load.get((100, "both"))
            for (read_pct, direction), mixed in by_load.items():
                if alone and direction == "read" and MIX[0] <= read_pct <= MIX[1]:
                    mixed_s, alone_s = mixed.number("mean"), alone.number("mean")
                    ratio = mixed_s / alone_s
                    values = {"load": mixed.workload.label, "mixed": mixed_s, "alone": alone_s, "ratio": ratio}
                    key = "slowed" if ratio >= ALIKE else "kept" if ratio * ALIKE > 1 else "shorter"
                    speaks = side(pro=ratio < LITTLE, con=ratio > MUCH)
                    yield Finding(key=key, test=test.name, values=values, side=speaks)
