"""A captured workload's streams: what the drive gives all of them at once, and how far they disturb each other."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, side
from stend.findings.look import streams
from stend.model.record import Run

NAME = "streams"
APART = 1.1
"""What the mix gives is told against its streams alone where they are so far apart."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One of the mix, one of its streams alone, one of both."""
    rows, mix = streams.streams(run), streams.together(run)
    if mix:
        values = {"n": len(rows), "iops": mix.iops, "mbs": mix.number("throughput"), "mean": mix.number("mean")}
        tail = mix.value("p99.9")
        key = "mix" if tail is None else "mix_tail"
        yield Finding(name=NAME, key=key, test=mix.test, values=values | ({"tail": tail} if tail else {}))
    alone = sorted((row for row in rows if row.alone), key=lambda row: row.alone.iops if row.alone else 0)
    if len(alone) > 1 and (least := alone[0].alone) and (most := alone[-1].alone):
        ends = {"least": alone[0].label, "least_iops": least.iops, "most": alone[-1].label, "most_iops": most.iops}
        yield Finding(name=NAME, key="alone", test="individual-streams", values=ends)
    told = streams.foretold(run)
    if mix and told:
        yield _against(mix.iops, told, sure=not run.unmet)


def _against(iops: float, told: float, *, sure: bool) -> Finding:
    """`told` is what the streams alone foretell; surely where all were steady."""
    values = {"iops": iops, "foretold": told, "times": max(iops / told, told / iops)}
    key = "alike" if values["times"] < APART else "disturbed" if iops < told else "helped"
    return Finding(
        name=NAME,
        key=key,
        test="multi-wsat",
        values=values,
        confidence="medium" if sure else "low",
        side=side(con=key == "disturbed", pro=key == "helped"),
    )
