"""A Described trace as plain data in base units. Unknown values are null."""

from typing import Any

import msgspec

from stend.base.version import __version__
from stend.charts.traced.named import OPERATIONS
from stend.model.stats import percentile_s
from stend.model.tally import PERCENTS, Tally
from stend.trace.described import Described, Places
from stend.trace.form import READ, WRITE
from stend.trace.steps import Part, Step, answered
from stend.words import english

FORMAT = 1


def plain(trace: Described) -> dict[str, Any]:
    """Return the data of trace.json."""
    return {
        "format": FORMAT,
        "stend": __version__,
        "about": msgspec.to_builtins(trace.about, enc_hook=english) | {"version": trace.about.version},
        "seconds": trace.end_ns / 1e9 if trace.about.timed else None,
        "ios": trace.ios,
        "bytes": trace.bytes,
        "depth": _plain_depth(trace.whole, derived=trace.derived),
        "idle_share": trace.whole.idle_share if trace.about.timed else None,
        "compressibility": None,
        "operations": {OPERATIONS[op]: _plain_tally(tally) for op in OPERATIONS if (tally := trace.of(op)).ios},
        "streams": [_plain_part(part) for part in trace.parts],
        "steps": [_plain_step(step) for step in trace.steps],
        "gaps": _plain_times(trace.gaps) if trace.gaps and trace.gaps.ios and trace.about.timed else None,
        "places": _plain_places(trace.places) if trace.places else None,
    }


def _plain_depth(step: Step, *, derived: bool) -> dict[str, Any] | None:
    if step.depth is None:
        return None
    return {"mean": step.depth, "half": step.half_depth, "most": max(step.depths), "derived": derived}


def _plain_times(tally: Tally) -> dict[str, Any]:
    names = {name: percentile_s(tally, percent) for name, percent in PERCENTS.items()}
    return {"count": tally.ios, "mean": tally.mean_s, "deviation": tally.deviation_s, "longest": tally.max_s} | names


def _plain_tally(tally: Tally) -> dict[str, Any]:
    timed = answered(tally)
    return {"ios": tally.ios, "bytes": tally.bytes, "seconds": _plain_times(timed) if timed.ios else None}


def _plain_part(part: Part) -> dict[str, Any]:
    key = {"operation": OPERATIONS[part.op], "block_bytes": part.block_bytes, "random": part.random}
    return {"label": part.key.label} | key | _plain_tally(part.tally) | {"depth": part.depth}


def _plain_step(step: Step) -> dict[str, Any]:
    ios = {part.key.label: part.tally.ios for part in step.parts}
    at = {"start": step.start_ns / 1e9, "seconds": step.length_ns / 1e9}
    return at | {"depth": step.depth, "idle_share": step.idle_share, "ios": ios}


def _plain_places(places: Places) -> dict[str, Any]:
    read, write, both = places.touched_bytes
    touched = {"reads": read, "writes": write, "all": both, "unit_bytes": places.fine_bytes}
    zones = [{"of_range": size, "of_ios": share} for size, share in places.zones]
    heat = {"row_bytes": places.row_bytes, "seconds": places.step_ns / 1e9}
    heat |= {OPERATIONS[op]: places.heat[op].tolist() for op in (READ, WRITE)}
    return {"span_bytes": places.span_bytes, "touched_bytes": touched, "zones": zones, "heat": heat}
