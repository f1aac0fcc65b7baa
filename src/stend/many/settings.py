"""Which settings of two sides differ, and which of them make their figures incomparable."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from stend.many.sides import Key, Side

BLOCKING = (
    "profile",
    "quick",
    "minute",
    "rule",
    "range",
    "range_limit",
    "cache",
    "provisioned",
    "engine",
)
"""Settings of a whole run that must be alike; those of one figure are in `obstacles`."""
TOLD = ("label", "model", "firmware", "serial", "capacity", "interface", "temperature", "cpu", "kernel", "fio", "tool",
        "stend", "deviations")  # fmt: skip
WARM_C = 5.0
"""Medians of temperature that differ by less are alike."""


class Differing(NamedTuple):
    """A setting with what each side has, most frequent first; `blocks` where figures cannot be compared for it."""

    name: str
    a: tuple[Any, ...]
    b: tuple[Any, ...]
    blocks: bool


class Reason(NamedTuple):
    """Why figures are not comparable, or no interval can be given: a key of the catalogue `compare.why.` and values."""

    key: str
    values: Mapping[str, Any] = MappingProxyType({})


def differing(a: Side, b: Side) -> tuple[Differing, ...]:
    """What is not alike, first what blocks; of that also what varies within the sides alike."""
    found = []
    for name in (*BLOCKING, *TOLD):
        first, second = (_values(side, name) for side in (a, b))
        blocks = name in BLOCKING
        unlike = len({*first, *second}) > 1 if blocks else set(first) != set(second)
        if unlike and (blocks or not _as_warm(name, first, second)):
            found.append(Differing(name, first, second, blocks))
    return tuple(found)


def _values(side: Side, name: str) -> tuple[Any, ...]:
    own = [run.settings.get(name) for run in side.runs if run.settings.get(name) not in (None, "")]
    return tuple(sorted(set(own), key=lambda value: (-own.count(value), str(value))))


def _as_warm(name: str, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    if name != "temperature":
        return False
    return not first or not second or max(*first, *second) - min(*first, *second) < WARM_C


def obstacles(a: Side, b: Side, key: Key, other: Key) -> list[Reason]:
    """What of one figure is unlike: threads and depth, the trace and how it was played, the part of the drive, the
    data's entropy, an unmet rule; and what another tool did not tell of it."""
    found = []
    if (key.threads, key.depth) != (other.threads, other.depth):
        loads = {"a": f"T{key.threads} Q{key.depth}", "b": f"T{other.threads} Q{other.depth}"}
        found.append(Reason("outstanding", loads))
    found += _replays(a, b, key, other)
    for name, of in (("part", _part), ("entropy", lambda run, row: row.workload.entropy_pct / 100)):
        values = [sorted({of(run, run.rows[k]) for run in s.runs if k in run.rows}) for s, k in ((a, key), (b, other))]
        if len({*values[0], *values[1]}) > 1:
            found.append(Reason(name, {"a": values[0][0], "b": values[1][-1]}))
    for one, own in ((a, key), (b, other)):
        rows = [run.rows[own] for run in one.runs if own in run.rows]
        unmet = sum(row.steady is False for row in rows)
        if any(row.state == "unknown" for row in rows) and key.state != other.state:
            found.append(Reason("untold_state", {"side": one.name}))
        if unmet:
            found.append(Reason("unmet", {"n": unmet, "runs": len(rows), "side": one.name}))
        if lacks := dict.fromkeys(
            what for row in rows if row.reported for what in row.reported.unknown if what != "seconds"
        ):
            found.append(Reason("untold", {"what": ", ".join(lacks), "side": one.name}))
    return found


def _replays(a: Side, b: Side, key: Key, other: Key) -> Iterator[Reason]:
    """Traces, paces and mappings that differ, replays that the host did not keep, searches that it ended."""
    own = [[run.played[k.test] for run in s.runs if k.test in run.played] for s, k in ((a, key), (b, other))]
    if not all(own):
        return
    every = [one for plays in own for one in plays]
    if len({one.number for one in every}) > 1:
        first, last = own[0][0], next((one for one in reversed(every) if one.number != own[0][0].number), own[1][-1])
        yield Reason("trace", {"a": f"{first.name} ({first.number[:8]})", "b": f"{last.name} ({last.number[:8]})"})
    for name in ("pace", "mapping"):
        told = list(dict.fromkeys(str(getattr(one, name)) for one in every))
        if len(told) > 1:
            yield Reason(name, {"a": told[0], "b": told[-1]})
    for side, plays in zip((a, b), own, strict=True):
        if late := [one.late_share for one in plays if one.invalid]:
            yield Reason("late", {"n": len(late), "runs": len(plays), "side": side.name, "share": max(late)})
        if limited := sum(one.limited for one in plays):
            yield Reason("host", {"n": limited, "runs": len(plays), "side": side.name})


def _part(run: Any, row: Any) -> float:
    """Only a trace that is spread over the range is laid by how large that is."""
    replay = row.workload.replay
    share: float = run.share(row.workload.range_bytes) if not replay or replay.fit == "scale" else 1.0
    return share


def blocked(settings: tuple[Differing, ...]) -> list[Reason]:
    """A reason for each setting that blocks everything."""
    return [Reason("setting", {"name": one.name, "a": one.a[:1], "b": one.b[-1:]}) for one in settings if one.blocks]
