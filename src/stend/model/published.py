"""Figures that reviews and manufacturers published for real drives (published.toml), for calibration and comparison."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from statistics import mean
from typing import Any

from stend.base.units import MB, GiB, MiB

PREFIX = "published:"
PLACES: dict[str, tuple[tuple[str, str, float], ...]] = {
    "reads": (("iops", "4K 100", 1),),
    "mix": (("iops", "4K 65", 1),),
    "filled_writes": (("iops", "4K 0", 1),),
    "fresh_writes": (("fresh", "4K 0", 1),),
    "start": (("saturation", "start", 1),),
    "writes": (("saturation", "end", 1),),
    "read_wait": (("latency", "avg 4K 100", 1e-6),),
    "mix_wait": (("latency", "avg 4K 65", 1e-6),),
    "write_wait": (("latency", "avg 4K 0", 1e-6),),
    "read_p99": (("latency", "p99 4K 100", 1e-6),),
    "write_p99": (("latency", "p99 4K 0", 1e-6),),
    "mix_p99": (("latency", "p99 4K 65", 1e-6),),
    "seq_read": (("throughput", "128K 100", MiB), ("throughput_mb", "128K 100", MB)),
    "seq_write": (("throughput", "128K 0", MiB), ("throughput_mb", "128K 0", MB)),
    "cache_bytes": (("steps", "cache_gib", GiB),),
    "hot_gain": (("warm", "4K 100", 1),),
    "outer": (("sequential", "outer_mb", MB),),
    "inner": (("sequential", "inner_mb", MB),),
    "server": (("servers", "file raid5", 1), ("servers", "file raid10", 1)),
}
"""Places of a figure in published.toml, the most likely first, and the factor that converts it to base units."""

OF_FULL = ("mix", "filled_writes")
"""Figures that are of a full drive only if the publication filled it first (`fill` of its conditions)."""


@cache
def published() -> dict[str, dict[str, Any]]:
    """Return all published figures by drive and kind of measurement. `about` names the drive and the publisher."""
    return tomllib.loads((resources.files(__package__) / "published.toml").read_text())


def span(facts: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    """Return the published range of a figure of PLACES in base units (a number twice), or None if it is unknown."""
    if name in OF_FULL and not filled(facts):
        return None
    values = ((facts.get(table, {}).get(cell), scale) for table, cell, scale in PLACES.get(name, ()))
    return next(
        ((ends(value)[0] * scale, ends(value)[1] * scale) for value, scale in values if value is not None), None
    )


def filled(facts: Mapping[str, Any]) -> bool:
    """Return whether a publication filled its drive before it measured, as far as it says."""
    return facts.get("conditions", {}).get("fill") is not False


def figure(facts: Mapping[str, Any], name: str) -> float | None:
    """Return a figure of PLACES for a drive, in base units, or None if it was not published."""
    known = span(facts, name)
    return None if known is None else mean(known)


def ends(value: Any) -> tuple[float, float]:
    """Return the lowest and the highest value of a published range, or the number itself twice."""
    return (float(min(value)), float(max(value))) if isinstance(value, list | tuple) else (float(value), float(value))


def middle(value: Any) -> float:
    """Return the mean of a published range, or the number itself."""
    return mean(ends(value))
