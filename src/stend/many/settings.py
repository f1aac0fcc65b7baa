"""Settings that differ between two sides, and reasons why figures cannot be compared."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from stend.many.sides import Key, Side
from stend.model.stats import MIN_BEYOND, least_beyond

BLOCKING = ("profile", "quick", "minute", "rule", "range", "range_limit", "cache", "provisioned", "engine")
"""Settings of a whole run that must be equal on both sides; `obstacles` checks those of single figures."""
STATED = ("label", "meter", "model", "array", "virtual", "firmware", "serial", "capacity", "interface", "temperature",
          "cpu", "kernel", "fio", "tool", "stend", "deviations")  # fmt: skip
WARM_C = 5.0
"""Temperature difference in K below which sides count as equal."""


class Differing(NamedTuple):
    """A setting with the values of each side, most frequent first. `blocks` if it makes figures incomparable."""

    name: str
    a: tuple[Any, ...]
    b: tuple[Any, ...]
    blocks: bool


class Reason(NamedTuple):
    """Why figures are not comparable or have no interval: a key below `compare.why.` of the catalogue, and values."""

    key: str
    values: Mapping[str, Any] = MappingProxyType({})


def differing(a: Side, b: Side) -> tuple[Differing, ...]:
    """Return the settings that differ, blocking ones first. A blocking one also counts if it varies within a side."""
    settings = []
    for name in (*BLOCKING, *STATED):
        first, second = (_values(side, name) for side in (a, b))
        blocks = name in BLOCKING
        differs = len({*first, *second}) > 1 if blocks else set(first) != set(second)
        if differs and (blocks or not _equally_warm(name, first, second)):
            settings.append(Differing(name, first, second, blocks))
    return tuple(settings)


def _values(side: Side, name: str) -> tuple[Any, ...]:
    values = [run.settings.get(name) for run in side.runs if run.settings.get(name) not in (None, "")]
    return tuple(sorted(set(values), key=lambda value: (-values.count(value), str(value))))


def _equally_warm(name: str, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    if name != "temperature":
        return False
    return not first or not second or max(*first, *second) - min(*first, *second) < WARM_C


def obstacles(a: Side, b: Side, key: Key, other: Key) -> list[Reason]:
    """Return the reasons against a comparison of one figure.

    Threads and depth, the trace and its replay, the part of the drive, the entropy of the data, an unmet steady-state
    rule, counts of so few IOs that even a rate is chance, and facts that an imported result lacks.
    """
    reasons = []
    if (key.threads, key.depth) != (other.threads, other.depth):
        loads = {"a": f"T{key.threads} Q{key.depth}", "b": f"T{other.threads} Q{other.depth}"}
        reasons.append(Reason("outstanding", loads))
    reasons += _replays(a, b, key, other)
    for name, of in (("part", _part), ("entropy", lambda run, row: row.workload.entropy_pct / 100)):
        values = [sorted({of(run, run.rows[k]) for run in s.runs if k in run.rows}) for s, k in ((a, key), (b, other))]
        if len({*values[0], *values[1]}) > 1:
            reasons.append(Reason(name, {"a": values[0][0], "b": values[1][-1]}))
    for side, of_side in ((a, key), (b, other)):
        rows = [run.rows[of_side] for run in side.runs if of_side in run.rows]
        unmet = sum(row.steady is False for row in rows)
        if any(row.state == "unknown" for row in rows) and key.state != other.state:
            reasons.append(Reason("untold_state", {"side": side.name}))
        if any(0 < row.tally.ios < least_beyond(row.tally.bins) for row in rows if not row.reported):
            reasons.append(Reason("few", {"side": side.name, "least": MIN_BEYOND}))
        if unmet:
            reasons.append(Reason("unmet", {"n": unmet, "runs": len(rows), "side": side.name}))
        if lacks := dict.fromkeys(
            what for row in rows if row.reported for what in row.reported.unknown if what != "seconds"
        ):
            reasons.append(Reason("untold", {"what": ", ".join(lacks), "side": side.name}))
    return reasons


def meters(a: Side, b: Side) -> list[Reason]:
    """Return the reason against a comparison of watts: meters that include different things."""
    scopes = [sorted({run.scope for run in side.runs if run.scope}) for side in (a, b)]
    if len({*scopes[0], *scopes[1]}) < 2:
        return []
    return [Reason("meter", {"a": ", ".join(scopes[0]), "b": ", ".join(scopes[1])})]


def _replays(a: Side, b: Side, key: Key, other: Key) -> Iterator[Reason]:
    """Yield reasons of replays: other traces, paces or mappings, late submission, searches that the host limited."""
    played = [[run.played[k.test] for run in s.runs if k.test in run.played] for s, k in ((a, key), (b, other))]
    if not all(played):
        return
    every = [play for plays in played for play in plays]
    if len({play.number for play in every}) > 1:
        first = played[0][0]
        last = next((play for play in reversed(every) if play.number != first.number), played[1][-1])
        yield Reason("trace", {"a": f"{first.name} ({first.number[:8]})", "b": f"{last.name} ({last.number[:8]})"})
    for name in ("pace", "mapping"):
        values = list(dict.fromkeys(str(getattr(play, name)) for play in every))
        if len(values) > 1:
            yield Reason(name, {"a": values[0], "b": values[-1]})
    for side, plays in zip((a, b), played, strict=True):
        if late := [play.late_share for play in plays if play.invalid]:
            yield Reason("late", {"n": len(late), "runs": len(plays), "side": side.name, "share": max(late)})
        if limited := sum(play.limited for play in plays):
            yield Reason("host", {"n": limited, "runs": len(plays), "side": side.name})


def _part(run: Any, row: Any) -> float:
    """Return the share of the drive that a figure covers, or 1 for a replay unless its trace is scaled to the range."""
    replay = row.workload.replay
    share: float = run.share(row.workload.range_bytes) if not replay or replay.fit == "scale" else 1.0
    return share


def blocked(settings: tuple[Differing, ...]) -> list[Reason]:
    """Return a reason for each setting that blocks the comparison of all figures."""
    return [Reason("setting", {"name": s.name, "a": s.a[:1], "b": s.b[-1:]}) for s in settings if s.blocks]
