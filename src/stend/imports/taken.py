"""What a reader took from another tool's result, before it is a run: loads, what is known besides, what lacks."""

from typing import Any, NamedTuple

from stend.base.errors import BadInput
from stend.findings.look.figures import PERCENTS
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import ToolFigures
from stend.model.stats import MIN_BEYOND
from stend.model.tally import NS, Tally

NOMINAL_S = 60.0
"""For how long a load is counted whose time is not told; its rates are as told."""
UNKNOWN = ("drive", "steady state", "what the drive held before", "write cache")
"""Settings that most tools do not tell."""
SHORTEST_S, LONGEST_S = 1e-3, 1e6
"""Loads that last less have no time told; no IO takes eleven days."""


class Load(NamedTuple):
    """One load: what it was, what was counted, what was told in words of its own."""

    workload: Workload
    counts: Counts
    told: ToolFigures = ToolFigures()
    phase: str = "loads"


class Taken(NamedTuple):
    """A whole result. `at` is Unix time, 0 where it is not told; `drive` are fields of Identity, `host` of host.json.

    `notes` say what the format lacks and what was guessed; `unknown` names settings that nobody told.
    """

    tool: str
    version: str
    loads: tuple[Load, ...]
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    at: float = 0.0
    drive: dict[str, Any] = {}  # noqa: RUF012 nobody adds to it
    host: dict[str, Any] = {}  # noqa: RUF012


class Rates(NamedTuple):
    """One direction as most tools tell it: base units; None for what they do not tell."""

    iops: float = 0.0
    bytes_per_s: float = 0.0
    mean_s: float | None = None
    max_s: float | None = None
    percentiles_s: dict[str, float] = {}  # noqa: RUF012


def rated(workload: Workload, seconds: float, read: Rates, write: Rates, *unknown: str, phase: str = "loads") -> Load:
    """A load of which only rates are told: counts are those rates over its seconds, or over NOMINAL_S."""
    if not 0 <= seconds < 1e10:
        raise BadInput(f"a load of {seconds:g} s cannot be")
    lasted, lacks = (seconds, unknown) if seconds >= SHORTEST_S else (NOMINAL_S, (*unknown, "seconds"))
    ways = [_counted(one, lasted) for one in (read, write)]
    told = [_said(one, tally.ios) for one, tally in zip((read, write), ways, strict=True)]
    only = [said for said, tally in zip(told, ways, strict=True) if tally.ios]
    both = only[0] if len(only) == 1 else _together(read, write) if only else {}
    return Load(
        workload, Counts(lasted, 0, *ways), ToolFigures(both=both, read=told[0], write=told[1], unknown=lacks), phase
    )


def shared(workload: Workload, seconds: float, both: Rates, *unknown: str, phase: str = "loads") -> Load:
    """The same where a mix is told as a whole: IOs are shared out as was asked, response times are of no direction."""
    part = workload.read_pct / 100
    if part in (0, 1):
        read, write = (both, Rates()) if part else (Rates(), both)
        return rated(workload, seconds, read, write, *unknown, phase=phase)
    possible(both)
    read, write = (Rates(both.iops * share, both.bytes_per_s * share) for share in (part, 1 - part))
    load = rated(workload, seconds, read, write, *unknown, phase=phase)
    said = _said(both, load.counts.read.ios + load.counts.write.ios)
    return load._replace(told=ToolFigures(both=said, unknown=load.told.unknown))


def carried(percentiles_s: dict[str, float], ios: float) -> dict[str, float]:
    """Those percentiles that ten IOs lie beyond, which alone are shown. BadInput for one that cannot be."""
    if any(s > LONGEST_S for s in percentiles_s.values()):
        raise BadInput("it tells figures that cannot be")
    return {name: s for name, s in percentiles_s.items() if s > 0 and _beyond(name, ios) >= MIN_BEYOND}


def _beyond(name: str, ios: float) -> float:
    return round(ios * (100 - PERCENTS[name]) / 100, 6) if name in PERCENTS else 0


def _counted(rates: Rates, seconds: float) -> Tally:
    possible(rates)
    ios = max(round(rates.iops * seconds), 1) if rates.iops > 0 else 0
    mean_ns, max_ns = ((told or 0.0) / NS if ios else 0.0 for told in (rates.mean_s, rates.max_s))
    return Tally(ios, round(rates.bytes_per_s * seconds) if ios else 0, mean_ns * ios, 0.0, max_ns)


def possible(rates: Rates) -> None:
    """BadInput where a figure is none: negative, endless, or more than any drive does."""
    told = (rates.iops, rates.bytes_per_s, rates.mean_s or 0.0, rates.max_s or 0.0, *rates.percentiles_s.values())
    if not all(0 <= number <= 1e15 for number in told) or rates.iops > 1e12 or (rates.max_s or 0) > LONGEST_S:
        raise BadInput("it tells figures that cannot be")


def _said(rates: Rates, ios: int) -> dict[str, float]:
    if not ios:
        return {}
    own = {"iops": rates.iops, "throughput": rates.bytes_per_s, "mean": rates.mean_s, "max": rates.max_s}
    return {name: value for name, value in own.items() if value} | carried(rates.percentiles_s, ios)


def _together(read: Rates, write: Rates) -> dict[str, float]:
    """Rates of a mix add up; percentiles of two directions do not make one."""
    return {"iops": read.iops + write.iops, "throughput": read.bytes_per_s + write.bytes_per_s}
