"""Read/write interference: how much a mix slows the reads in it, against reads alone."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look, side
from stend.findings.look.figures import loads
from stend.model.record import Run

NAME = "interference"
MIX = (60, 75)
MUCH, LITTLE = 3.0, 1.5


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """For the 4 KiB (or smallest shared) cell of the latency test, each depth."""
    for test in look.tests(run, "latency"):
        rows = [row for row in loads(run, test) if row.tally.ios and row.workload.block_bytes == 4096]
        for phase in dict.fromkeys(row.phase for row in rows):
            own = {(row.workload.read_pct, row.direction): row for row in rows if row.phase == phase}
            alone = own.get((100, "both"))
            for (read_pct, direction), mixed in own.items():
                if alone and direction == "read" and MIX[0] <= read_pct <= MIX[1]:
                    mixed_s, alone_s = mixed.number("mean"), alone.number("mean")
                    ratio = mixed_s / alone_s
                    values = {"load": mixed.workload.label, "mixed": mixed_s, "alone": alone_s, "ratio": ratio}
                    speaks = side(pro=ratio < LITTLE, con=ratio > MUCH)
                    yield Finding(name=NAME, key="slowed", test=test.name, values=values, side=speaks)
