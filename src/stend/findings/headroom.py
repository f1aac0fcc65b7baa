"""Headroom: how many times as fast a trace can run on this drive before its response times exceed the limit."""

from collections.abc import Iterator, Sequence

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.model import headroom
from stend.model.headroom import Headroom, Pass
from stend.model.record import Run

TESTS = ("headroom",)
HARDLY = 1.1
"""Headroom below this ratio is negligible."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per search.

    Yield further ones if a pass held at a higher speed than one that failed, or if a speed held in one pass only.
    """
    for test in look.tests(run, *TESTS):
        done = headroom.passes(run, test)
        if not done:
            continue
        result, options = headroom.evaluate(done), test.profile.options
        goal = {"percentile": options["percentile"], "limit": options["limit_ms"] / 1e3}
        key, held = _key(done, result), result.held.speed if result.held else 0.0
        sure: Confidence = "can't tell" if key == "few" else "medium"
        speaks = side(pro=held >= HARDLY, con=key in ("never", "never_own", "slower"))
        values = goal | _values(done, result)
        yield Finding(key=key, test=test.name, values=values, confidence=sure, side=speaks)
        yield from uneven(done, result, test.name, goal)


def uneven(done: Sequence[Pass], result: Headroom, test: str, goal: dict[str, float]) -> Iterator[Finding]:
    """Yield a finding if a speed above a failed one held, and one if a speed held in one pass and not in another."""
    if result.beyond and result.failed:
        values = goal | {"failed": result.failed.speed, "beyond": result.beyond[-1].speed}
        yield Finding(key="uneven", test=test, values=values, confidence="low")
    if speeds := headroom.changed(done):
        values = goal | {"least": speeds[0], "most": speeds[-1]}
        key = "changed_at" if speeds[-1] < speeds[0] * HARDLY else "changed"
        yield Finding(key=key, test=test, values=values, confidence="low")


def _key(done: Sequence[Pass], result: Headroom) -> str:
    if any(tried.why == "few" for tried in done):
        return "few"
    if result.failed is None:
        return "most"
    if result.failed.why == "host":
        return "host" if result.held else "host_never"
    if result.held is None:
        known = (own := _own(done)) and own.waited_s is not None and result.failed.waited_s is not None
        return "never_own" if known and result.failed.speed < 1 else "never"
    if result.held.speed < 1:
        return "slower"
    return "full" if result.failed.why == "full" else "found" if result.held.speed >= HARDLY else "own"


def _own(done: Sequence[Pass]) -> Pass | None:
    """Return the pass at the trace's own speed, or None without one that the host kept."""
    return next((tried for tried in done if tried.speed == 1 and tried.why != "host"), None)


def _values(done: Sequence[Pass], result: Headroom) -> dict[str, float]:
    """Return speeds, the percentile at each in seconds, and late shares, as far as they are known."""
    own = _own(done)
    values: dict[str, float] = {"passes": len(done)}
    values |= {"own_s": own.waited_s, "own_iops": own.iops} if own and own.waited_s is not None else {}
    for name, tried in (("held", result.held), ("failed", result.failed)):
        if tried:
            values |= {name: tried.speed, f"{name}_late": tried.pace.host_share, f"{name}_full": tried.pace.full_share}
            values |= {f"{name}_s": tried.waited_s} if tried.waited_s is not None else {}
    return values
