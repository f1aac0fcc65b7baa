"""The content of another tool's result before it becomes a run: loads, facts, and notes on what is missing."""

from typing import Any, NamedTuple, get_type_hints

from stend.base.errors import BadInput
from stend.base.text import plain
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import ToolFigures
from stend.model.stats import MIN_BEYOND
from stend.model.tally import NS, PERCENTS, Tally
from stend.words import Sentence

NOMINAL_S = 60.0
"""Seconds assumed for a load without a time. Its rates stay as reported."""
UNKNOWN = ("drive", "steady state", "what the drive held before", "write cache")
"""Settings that most tools do not report."""
KINDS = get_type_hints(Workload, include_extras=True)
SHORTEST_S, LONGEST_S = 1e-3, 1e6
"""A load shorter than the first counts as one without a time; no response time exceeds the second (eleven days)."""


class Load(NamedTuple):
    """One load: its workload, its counts, and the figures as the tool reported them."""

    workload: Workload
    counts: Counts
    reported: ToolFigures = ToolFigures()
    phase: str = "loads"


class Taken(NamedTuple):
    """A whole result. `at` is Unix time, 0 if unknown. `drive` has fields of Identity, `host` those of host.json.

    `notes` state what the format lacks and what was guessed. `unknown` names the settings that were not reported.
    """

    tool: str
    version: str
    loads: tuple[Load, ...]
    notes: tuple[Sentence, ...] = ()
    unknown: tuple[str, ...] = UNKNOWN
    at: float = 0.0
    drive: dict[str, Any] = {}  # noqa: RUF012 never changed
    host: dict[str, Any] = {}  # noqa: RUF012


class Rates(NamedTuple):
    """Figures of one direction as most tools report them, in base units, or None for those that a tool lacks."""

    iops: float = 0.0
    bytes_per_s: float = 0.0
    mean_s: float | None = None
    max_s: float | None = None
    percentiles_s: dict[str, float] = {}  # noqa: RUF012


def within(**figures: float | None) -> dict[str, Any]:
    """Return figures of a workload, each in the range that a record can have. None becomes the least one."""
    bounds = {name: KINDS[name].__metadata__[0] for name in figures}
    return {name: int(min(max(value or 0, bounds[name].ge), bounds[name].le)) for name, value in figures.items()}


def short(name: str) -> str:
    """Return a name, a version or a setting that a tool printed, as far as a page has room for it."""
    return plain(name)[:60]


def fact(text: str) -> str:
    """Return a fact or a line that a tool printed, as far as a record keeps it."""
    return plain(text)[:200]


def drive(target: Any) -> dict[str, Any]:
    """Return the facts about a drive of which only the path or the name is known, or {} if it is empty."""
    return {"target": fact(str(target))} if target else {}


def lasted(seconds: float) -> None:
    """Raise BadInput if no load can last so long."""
    if not 0 <= seconds < 1e10:
        raise BadInput(f"a load of {seconds:g} s is impossible")


def rated(workload: Workload, seconds: float, read: Rates, write: Rates, *unknown: str, phase: str = "loads") -> Load:
    """Return a load from its rates: counts are the rates times its seconds, or times NOMINAL_S if unknown.

    Raise BadInput for impossible figures.
    """
    lasted(seconds)
    counted_s, lacks = (seconds, unknown) if seconds >= SHORTEST_S else (NOMINAL_S, (*unknown, "seconds"))
    tallies = [_counted(rates, counted_s) for rates in (read, write)]
    figures = [_figures(rates, tally.ios) for rates, tally in zip((read, write), tallies, strict=True)]
    used = [values for values, tally in zip(figures, tallies, strict=True) if tally.ios]
    both = used[0] if len(used) == 1 else {}
    if len(used) > 1:  # rates add up; percentiles of two directions cannot be combined
        both = {"iops": read.iops + write.iops, "throughput": read.bytes_per_s + write.bytes_per_s}
    reported = ToolFigures(both=both, read=figures[0], write=figures[1], unknown=lacks)
    return Load(workload, Counts(counted_s, 0, *tallies), reported, phase)


def shared(workload: Workload, seconds: float, both: Rates, *unknown: str, phase: str = "loads") -> Load:
    """Return a load from rates of both directions together, like `rated`.

    IOs are split by the workload's share of reads. For a mix the response times belong to neither direction.
    """
    part = workload.read_pct / 100
    if part in (0, 1):
        read, write = (both, Rates()) if part else (Rates(), both)
        return rated(workload, seconds, read, write, *unknown, phase=phase)
    possible(both)
    read, write = (Rates(both.iops * share, both.bytes_per_s * share) for share in (part, 1 - part))
    load = rated(workload, seconds, read, write, *unknown, phase=phase)
    figures = _figures(both, load.counts.read.ios + load.counts.write.ios)
    return load._replace(reported=ToolFigures(both=figures, unknown=load.reported.unknown))


def carried(percentiles_s: dict[str, float], ios: float) -> dict[str, float]:
    """Return the percentiles with at least ten IOs beyond them. Only these are shown.

    Raise BadInput for an impossible value.
    """
    if any(s > LONGEST_S for s in percentiles_s.values()):
        raise BadInput("it has impossible figures")
    return {name: s for name, s in percentiles_s.items() if s > 0 and _beyond(name, ios) >= MIN_BEYOND}


def _beyond(name: str, ios: float) -> float:
    return round(ios * (100 - PERCENTS[name]) / 100, 6) if name in PERCENTS else 0


def _counted(rates: Rates, seconds: float) -> Tally:
    possible(rates)
    ios = max(round(rates.iops * seconds), 1) if rates.iops > 0 else 0
    mean_ns, max_ns = ((wait_s or 0.0) / NS if ios else 0.0 for wait_s in (rates.mean_s, rates.max_s))
    return Tally(ios, round(rates.bytes_per_s * seconds) if ios else 0, mean_ns * ios, 0.0, max_ns)


def possible(rates: Rates) -> None:
    """Raise BadInput if a figure is negative, infinite, not a number, or more than any drive does."""
    figures = (rates.iops, rates.bytes_per_s, rates.mean_s or 0.0, rates.max_s or 0.0, *rates.percentiles_s.values())
    if not all(0 <= number <= 1e15 for number in figures) or rates.iops > 1e12 or (rates.max_s or 0) > LONGEST_S:
        raise BadInput("it has impossible figures")


def _figures(rates: Rates, ios: int) -> dict[str, float]:
    if not ios:
        return {}
    figures = {"iops": rates.iops, "throughput": rates.bytes_per_s, "mean": rates.mean_s, "max": rates.max_s}
    return {name: value for name, value in figures.items() if value} | carried(rates.percentiles_s, ios)
