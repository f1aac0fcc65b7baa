"""Heat: how warm the drive became, and whether it slowed down for it."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet
from stend.findings.look.grounds import HOT_C
from stend.findings.look.heat import slow
from stend.record import Run

NAME = "thermal"
SAYS = {
    "throttled": (
        "The drive slowed itself down for heat: {spans} {spans:plural:time|times}, {seconds:time} between the looks at"
        " it that tell so, at up to {top}.",
        "Накопитель замедлялся из-за нагрева: {spans:num:раз|раза|раз}, {seconds:time} между опросами, которые об"
        " этом говорят, при температуре до {top}.",
    ),
    "hot": (
        "Up to {top}: hot enough to slow down (from {limit:n} °C), though it did not say that it did.",
        "До {top}: достаточно, чтобы замедлиться (с {limit:n} °C), хотя накопитель об этом не сообщал.",
    ),
    "cool": (
        "Never above {top} when asked, and no word of slowing down: heat played no part that could be seen.",
        "При опросах не выше {top}, о замедлении накопитель не сообщал: влияния нагрева не видно.",
    ),
    "silent": (
        "Can't tell whether heat played a part: the drive told no temperature.",
        "Нельзя сказать, сказался ли нагрев: температуру накопитель не сообщал.",
    ),
}


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
