"""Streams of a captured workload: the rate of all of them together, and how much they disturb each other."""

from collections.abc import Iterator

from stend.findings import Confidence, Finding, Sheet, side
from stend.findings.look import streams
from stend.model.record import Run

APART = 1.1
"""The mix is compared with its streams alone. Ratios below this count as equal."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding about the mix, one about its streams alone, and one about both."""
    rows, mix = streams.streams(run), streams.together(run)
    if mix:
        values = {"n": len(rows), "iops": mix.iops, "mbs": mix.number("throughput"), "mean": mix.number("mean")}
        tail = mix.value("p99.9")
        key = "mix" if tail is None else "mix_tail"
        if len(rows) == 1:
            key = "single" if tail is None else "single_tail"
        yield Finding(key=key, test=mix.test, values=values | ({"tail": tail} if tail else {}))
    alone = sorted((row for row in rows if row.alone), key=lambda row: row.alone.iops if row.alone else 0)
    if len(alone) > 1 and (least := alone[0].alone) and (most := alone[-1].alone):
        ends = {"least": alone[0].label, "least_iops": least.iops, "most": alone[-1].label, "most_iops": most.iops}
        yield Finding(key="alone", test="individual-streams", values=ends)
    expected = streams.expected_iops(run)
    if mix and expected and len(rows) > 1:
        yield _against(mix.iops, expected, sure=not run.unmet)


def _against(iops: float, expected: float, *, sure: bool) -> Finding:
    """Return the mix compared with `expected`, the IOPS predicted from streams alone. `sure` if all were steady."""
    values = {"iops": iops, "foretold": expected, "times": max(iops / expected, expected / iops)}
    key = "alike" if values["times"] < APART else "disturbed" if iops < expected else "helped"
    confidence: Confidence = "medium" if sure else "low"
    speaks = side(con=key == "disturbed", pro=key == "helped")
    return Finding(key=key, test="multi-wsat", values=values, confidence=confidence, side=speaks)
