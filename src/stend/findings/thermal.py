"""Heat: how warm the drive became, and whether it slowed down for it."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet
from stend.record import Run

NAME = "thermal"
HOT_C = 70
"""Most drives begin to slow down between 70 and 85 °C."""
SAYS = {
    "throttled": (
        "The drive slowed itself down for heat: it said so {times_said} {times_said:plural:time|times}, at up to"
        " {top:n} °C.",
        "Накопитель замедлялся из-за нагрева: сообщил об этом {times_said} {times_said:plural:раз|раза|раз}, до"
        " {top:n} °C.",
    ),
    "hot": (
        "Up to {top:n} °C: hot enough to slow down, though it did not say that it did.",
        "До {top:n} °C: достаточно, чтобы замедлиться, хотя накопитель об этом не сообщал.",
    ),
    "cool": ("Never above {top:n} °C: heat played no part.", "Не выше {top:n} °C: нагрев не сказался."),
    "silent": (
        "Can't tell whether heat played a part: the drive told no temperature.",
        "Нельзя сказать, сказался ли нагрев: температуру накопитель не сообщал.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for the run."""
    told = [float(t.values["temperature_c"]) for t in run.telemetry if t.values.get("temperature_c") is not None]
    throttled = sum(bool(t.values.get("throttled")) for t in run.telemetry)
    if not told:
        yield Finding(name=NAME, key="silent", confidence="can't tell")
        return
    values = {"top": max(told), "times_said": throttled}
    if throttled:
        yield Finding(name=NAME, key="throttled", values=values, side="con")
    elif max(told) >= HOT_C:
        yield Finding(name=NAME, key="hot", values=values, confidence="medium")
    else:
        yield Finding(name=NAME, key="cool", values=values)
