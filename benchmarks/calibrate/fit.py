"""Compare virtual drives with published figures of real ones, and fit the parameters that have no source."""

import math
import statistics
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

import msgspec

from benchmarks.calibrate.experiments import KINDS, Bench, Cells
from stend.model.published import published
from stend.sim.named import profiles
from stend.sim.spec import Part, Spec

LATENCY_SCALE_DIVISOR = 8
"""The latency test runs at a scale that is this many times smaller: percentiles at QD1 need more simulated IOs."""


class Row(msgspec.Struct, frozen=True):
    """One published cell and its simulated value; cells with `kept` were not used for fitting."""

    drive: str
    cell: str
    published: float
    simulated: float
    kept: bool

    @property
    def error(self) -> float:
        """Return the relative error against the published value (the middle of a published range)."""
        return self.simulated / self.published - 1


def drives() -> list[str]:
    """Return the names of profiles with published figures."""
    return [name for name in published() if name in profiles()]


def measured(spec: Spec, kinds: Iterable[str] = ()) -> Iterator[Row]:
    """Yield every published cell of a drive, simulated under the conditions of the publication."""
    facts = published()[spec.name]
    kept = set(facts.get("kept", {}).get("cells", ()))
    for kind, cells in facts.items():
        if kind not in KINDS or (kinds and kind not in kinds):
            continue
        values = simulated(spec, kind)
        for cell, value in cells.items():
            middle = statistics.mean(value) if isinstance(value, list) else value
            yield Row(spec.name, f"{kind} {cell}", middle, values[cell], f"{kind} {cell}" in kept)


def simulated(spec: Spec, kind: str) -> Cells:
    """Return every cell of one kind of measurement, run under the publication's conditions."""
    finer = kind == "latency" and spec.scale > LATENCY_SCALE_DIVISOR
    used = msgspec.structs.replace(spec, scale=spec.scale // LATENCY_SCALE_DIVISOR) if finer else spec
    return KINDS[kind](Bench(used, published()[spec.name].get("conditions", {})))


def table(rows: Iterable[Row]) -> str:
    """Return Markdown: every cell, then the median and worst error of each drive, of all cells and of those kept."""
    lines, all_rows = ["| drive | cell | published | simulated | error | |", "|---|---|--:|--:|--:|---|"], list(rows)
    for r in all_rows:
        kept = "kept aside" if r.kept else ""
        lines.append(f"| {r.drive} | {r.cell} | {r.published:.6g} | {r.simulated:.4g} | {r.error:+.1%} | {kept} |")
    return "\n".join([*lines, "", *summary(all_rows)])


def summary(rows: list[Row]) -> list[str]:
    """Return the lines of a table with the median and worst error of each drive."""
    lines = ["| drive | cells | median error | worst | median of those kept aside |", "|---|--:|--:|--:|--:|"]
    for drive in dict.fromkeys(r.drive for r in rows):
        errors = [abs(r.error) for r in rows if r.drive == drive]
        aside = [abs(r.error) for r in rows if r.drive == drive and r.kept]
        kept = f"{statistics.median(aside):.1%}" if aside else "-"
        lines.append(f"| {drive} | {len(errors)} | {statistics.median(errors):.1%} | {max(errors):.1%} | {kept} |")
    return lines


def misfit(spec: Spec) -> float:
    """Return the mean square of the logarithmic errors of the cells that may be fitted."""
    logs = [math.log(max(r.simulated, 1e-9) / r.published) ** 2 for r in measured(spec) if not r.kept]
    return sum(logs) / len(logs)


def free(spec: Spec) -> list[str]:
    """Return the parameters that fitting may change: numbers without a source, except sizes, which must match."""
    places = [p for p in spec.sources.get("fitted", ()) if not p.endswith("_bytes")]
    return [p for p in places if type(attrgetter(p)(spec)) in (int, float)]


def changed(part: Part, place: str, factor: float) -> Any:
    """Return the Spec, or a part of it, with one number such as `flash.slc.program_us` multiplied."""
    name, _, rest = place.partition(".")
    inner = getattr(part, name)
    value = changed(inner, rest, factor) if rest else type(inner)(inner * factor)
    return msgspec.structs.replace(part, **{name: value})


def fitted(spec: Spec, places: Iterable[str], steps: Iterable[float] = (0.1, 0.04)) -> tuple[Spec, float]:
    """Fit the named parameters by coordinate descent; return the best Spec and its misfit."""
    best, least = spec, misfit(spec)
    for step in steps:
        for place in places:
            for factor in (1 + step, 1 / (1 + step)):
                tried = changed(best, place, factor)
                value = misfit(tried)
                if value < least:
                    best, least = tried, value
                    break
    return best, least
