"""What reviews and their makers published of real drives (published.toml): facts to calibrate and to compare by."""

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
    "seq_read": (("throughput", "128K 100", MiB),),
    "seq_write": (("throughput", "128K 0", MiB),),
    "cache_bytes": (("steps", "cache_gib", GiB),),
    "hot_gain": (("warm", "4K 100", 1),),
    "outer": (("sequential", "outer_mb", MB),),
    "server": (("servers", "file raid5", 1), ("servers", "file raid10", 1)),
}
"""Where published.toml has a figure, the likeliest first, and what makes it base units."""


@cache
def published() -> dict[str, dict[str, Any]]:
    """All cells, by drive and kind of measurement; `about` says what the drive is and who published it."""
    return tomllib.loads((resources.files(__package__) / "published.toml").read_text())


def figure(facts: Mapping[str, Any], name: str) -> float | None:
    """A figure of PLACES of one drive, in base units; None where nobody published it."""
    told = ((facts.get(table, {}).get(cell), scale) for table, cell, scale in PLACES.get(name, ()))
    return next((middle(value) * scale for value, scale in told if value is not None), None)


def middle(told: Any) -> float:
    """Of a published range; a number is itself."""
    return float(mean(told)) if isinstance(told, list) else float(told)
