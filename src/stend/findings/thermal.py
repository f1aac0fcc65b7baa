"""Heat: the highest temperature, heat warnings, and thermal throttling."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.findings.look.because import Because
from stend.findings.look.grounds import NEAR_C, limit_c
from stend.findings.look.heat import COUNTER, slow, throttled, warmest
from stend.findings.look.moments import Moment, looks, minute
from stend.model.record import Run
from stend.model.warming import growth
from stend.runner.telemetry import HEAT_BIT

COLD_C = 5.0
"""A warning of a drive that stays below this is one of cold: NVMe has one bit for both. A choice of stend."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding for the run."""
    most, spans, limit = warmest(run), _spans(run), limit_c(run)
    top = f"{round(most)} °C".replace("-", "\u2212") if most is not None else ""
    up_to = Because("up_to", {"top": top}) if top else ""
    warned = [moment for moment, seen in looks(run) if int(seen.values.get("critical_warning") or 0) & HEAT_BIT]
    if spans:
        loaded = [throttled(run, look.records(run, test.name)) for test in run.plan.tests]
        seconds = sum(to_s - from_s for stretches in loaded for from_s, to_s in stretches)
        counted = sum(growth(before.values, now.values, COUNTER) for (_, before), (_, now) in slow(run))
        values = {"spans": len(spans), "seconds": seconds, "counted": counted, "up_to": up_to}
        yield Finding(key="counted" if counted else "throttled", values=values, side="con")
    elif warned and most is not None and most <= COLD_C:
        values = {"minute": minute(run, warned[0]), "top": top}
        yield Finding(key="warned_cold", values=values, confidence="medium")
    elif warned:
        values = {"minute": minute(run, warned[0]), "up_to": up_to}
        yield Finding(key="warned", values=values, confidence="medium", side="con")
    elif most is None:
        yield Finding(key="silent", confidence="can't tell")
    elif most >= limit:
        yield Finding(key="hot", values={"top": top, "limit": limit}, confidence="medium")
    else:
        sure = most < limit - NEAR_C
        key = "cool" if sure else "warm"
        yield Finding(key=key, values={"top": top, "limit": limit}, confidence="high" if sure else "medium")


def _spans(run: Run) -> list[tuple[Moment, Moment]]:
    """Return each stretch of throttling, from the reading before it to the last one that reports it."""
    spans: list[tuple[Moment, Moment]] = []
    for (before, _), (now, _) in slow(run):
        if spans and spans[-1][1] == before:
            spans[-1] = (spans[-1][0], now)
        else:
            spans.append((before, now))
    return spans
