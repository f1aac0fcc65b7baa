"""How many times as fast a trace can run on this drive before its response times exceed the limit."""

from collections.abc import Iterator, Sequence

from stend.findings import Finding, Sheet, look, side
from stend.model import headroom
from stend.model.headroom import Headroom, Pass
from stend.model.record import Run

NAME = "headroom"
TESTS = ("headroom",)
HARDLY = 1.1
"""Headroom below this is none to speak of."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each search; more where it held beyond what did not, or no more where it had held."""
    for test in look.tests(run, *TESTS):
        done = headroom.passes(run, test)
        if not done:
            continue
        told, own = headroom.evaluate(done), test.profile.options
        asked = {"percentile": own["percentile"], "limit": own["limit_ms"] / 1e3}
        key = _key(done, told)
        values = asked | _values(done, told)
        held = told.held.speed if told.held else 0.0
        yield Finding(
            name=NAME,
            key=key,
            test=test.name,
            values=values,
            confidence="can't tell" if key == "few" else "medium",
            side=side(pro=held >= HARDLY, con=key in ("never", "slower")),
        )
        if told.beyond and told.failed:
            uneven = asked | {"failed": told.failed.speed, "beyond": told.beyond[-1].speed}
            yield Finding(name=NAME, key="uneven", test=test.name, values=uneven, confidence="low")
        if speeds := headroom.changed(done):
            between = asked | {"least": speeds[0], "most": speeds[-1]}
            yield Finding(name=NAME, key="changed", test=test.name, values=between, confidence="low")


def _key(done: Sequence[Pass], told: Headroom) -> str:
    if any(one.why == "few" for one in done):
        return "few"
    if told.failed is None:
        return "most"
    if told.failed.why == "host":
        return "host" if told.held else "host_never"
    if told.held is None:
        return "never"
    if told.held.speed < 1:
        return "slower"
    return "full" if told.failed.why == "full" else "found" if told.held.speed >= HARDLY else "own"


def _values(done: Sequence[Pass], told: Headroom) -> dict[str, float]:
    """Speeds, the percentile at each in seconds, late shares; in order only what there is."""
    found: dict[str, float] = {"passes": len(done)}
    for name, one in (("held", told.held), ("failed", told.failed)):
        if one:
            found |= {name: one.speed, f"{name}_late": one.pace.host_share, f"{name}_full": one.pace.full_share}
            found |= {f"{name}_s": one.waited_s} if one.waited_s is not None else {}
    return found
