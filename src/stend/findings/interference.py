"""Read/write interference: how much a mix slows the reads in it, against reads alone."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look, side
from stend.record import Run

NAME = "interference"
MIX = (60, 75)
MUCH, LITTLE = 3.0, 1.5
SAYS = {
    "slowed": (
        "{load}: reads take {mixed:lat} on average beside writes, {alone:lat} alone: {ratio:times}.",
        "{load}: чтение рядом с записью занимает в среднем {mixed:lat}, без записи — {alone:lat}: в {ratio:times}"
        " дольше.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """For the 4 KiB (or smallest shared) cell of the latency test, each depth."""
    for test in look.tests(run, "latency"):
        cells = look.cells(run, test)
        for phase in dict.fromkeys(c.phase for c in cells):
            own = {(c.workload.read_pct, c.workload.block_bytes): c for c in cells if c.phase == phase}
            for (read_pct, block), cell in own.items():
                alone = own.get((100, block))
                if block == 4096 and MIX[0] <= read_pct <= MIX[1] and alone and cell.counts.read.ios:
                    mixed_s, alone_s = cell.counts.read.mean_s, alone.counts.read.mean_s
                    ratio = mixed_s / alone_s
                    values = {"load": cell.workload.label, "mixed": mixed_s, "alone": alone_s, "ratio": ratio}
                    speaks = side(pro=ratio < LITTLE, con=ratio > MUCH)
                    yield Finding(name=NAME, key="slowed", test=test.name, values=values, side=speaks)
