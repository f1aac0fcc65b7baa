"""Heat: how warm the drive became, and whether it slowed down for it."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet
from stend.findings.look.grounds import HOT_C
from stend.findings.look.heat import slow
from stend.record import Run

NAME = "thermal"


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for the run."""
    told = [float(t.values["temperature_c"]) for t in run.telemetry if t.values.get("temperature_c") is not None]
    spans = _spans(run)
    top = f"{max(told):.0f} °C" if told else "–"
    if spans:
        values = {"spans": len(spans), "seconds": sum(end - begin for begin, end in spans), "top": top}
        yield Finding(name=NAME, key="throttled", values=values, side="con")
    elif not told:
        yield Finding(name=NAME, key="silent", confidence="can't tell")
    else:
        limit = float(run.plan.device.facts.get("warning_temperature_c") or HOT_C)
        hot = max(told) >= limit
        values = {"top": top, "limit": limit}
        yield Finding(name=NAME, key="hot" if hot else "cool", values=values, confidence="medium" if hot else "high")


def _spans(run: Run) -> list[tuple[float, float]]:
    """Each stretch of throttling, from the look before it to the last one that tells of it."""
    found: list[tuple[float, float]] = []
    for before, now in slow(run):
        if found and found[-1][1] == before.t:
            found[-1] = (found[-1][0], now.t)
        else:
            found.append((before.t, now.t))
    return found
