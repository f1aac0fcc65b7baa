"""Allowed ranges of all numbers and words from outside: operators, drives and programs.

Lower and upper bounds together also exclude NaN and infinities.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

MOST = (1 << 63) - 1

Count = Annotated[int, Meta(ge=0, le=MOST)]
"""A number of items or bytes."""
Signed = Annotated[int, Meta(ge=-MOST, le=MOST)]
"""A difference of two such numbers."""
Number = Annotated[float, Meta(ge=-1e15, le=1e15)]
"""Any reported figure: finite, and small enough for arithmetic."""
Amount = Annotated[float, Meta(ge=0, le=1e15)]
Seconds = Annotated[float, Meta(ge=0, le=1e10)]
"""At most some 300 years."""
Nanoseconds = Annotated[float, Meta(ge=0, le=1e36)]
"""Response times, single or summed over all IOs."""
Response = Annotated[float, Meta(ge=0, le=1e15)]
"""Response time of one IO in nanoseconds, at most eleven days."""
Squares = Annotated[float, Meta(ge=0, le=1e60)]

Bin = Annotated[int, Meta(ge=0, le=29 * 64 - 1)]
"""An index of fio's latency bins."""

Percent = Annotated[int, Meta(ge=0, le=100)]
Share = Annotated[float, Meta(gt=0, le=100)]
"""A part of a whole in percent, above 0."""
Place = Annotated[float, Meta(ge=0, le=100)]
"""A position in a range, in percent of the range."""
Speed = Annotated[float, Meta(ge=0, le=10_000)]
"""Speed of a replay relative to the trace. 0 is a closed loop."""
Paced = Annotated[float, Meta(ge=0.001, le=10_000)]
"""Speed of a replay that keeps the trace's times."""
Cells = Annotated[int, Meta(ge=1, le=4096)]
"""Parts of a surveyed range."""
Threads = Annotated[int, Meta(ge=1, le=1024)]
Depth = Annotated[int, Meta(ge=1, le=65536)]
MOST_OUTSTANDING = 1 << 16
"""IOs in flight of all loads together: Linux's usual `fs.aio-max-nr`, and the limit of a virtual drive's queue."""
Rounds = Annotated[int, Meta(ge=1, le=1_000_000)]
Positive = Annotated[float, Meta(gt=0, le=1e15)]
MOST_BLOCK = 1 << 30
Block = Annotated[int, Meta(ge=1, le=MOST_BLOCK)]
"""Bytes of one IO."""
Bytes = Annotated[int, Meta(ge=0, le=MOST_BLOCK)]
"""Bytes of one IO, or 0 for another length that is stated there."""
Errno = Annotated[int, Meta(ge=0, le=65535)]
Sector = Annotated[int, Meta(ge=1, le=1 << 20)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
END = r"(?![\s\S])"
"""End of a pattern. `$` of Python also fits before a line break, and JSON Schema has no `\\Z`."""
Part = Annotated[str, Meta(pattern=r"^[^/\x00]*$")]
"""A name that becomes part of file names."""

# Settings of an operator.
Range = Annotated[float, Meta(gt=0, le=100)]
Minute = Annotated[float, Meta(ge=0.001, le=86_400)]
Second = Annotated[float, Meta(ge=0, le=86_400)]
Divisor = Annotated[float, Meta(ge=1, le=1e6)]
BlockKib = Annotated[float, Meta(ge=0.5, le=1 << 16)]
Minutes = Annotated[int, Meta(ge=0, le=366 * 24 * 60)]
Hours = Annotated[float, Meta(gt=0, le=366 * 24)]
Rest = Annotated[float, Meta(gt=0, le=366 * 86_400)]
Point = tuple[Threads, Depth]

LONGEST = Meta(min_length=1, max_length=24)
"""Number of steps of a ladder, or of a grid in each direction."""

LOADS = Annotated[list[Name | dict[str, Any]], LONGEST]
"""Loads by name, or as the fields of a `Workload`, which the test checks."""

OPTIONS: dict[str, Any] = {
    "after": Literal["steady", "saturation", "fill"],
    "block_kib": BlockKib,
    "blocks_kib": Annotated[list[BlockKib], LONGEST],
    "depths": Annotated[list[Depth], LONGEST],
    "fit": Literal["auto", "shift", "scale", "wrap"],
    "fills": Annotated[float, Meta(ge=0, le=10_000)],
    "full_pct": Annotated[list[Annotated[int, Meta(ge=1, le=99)]], Meta(max_length=24)],
    "histogram_minutes": Minutes,
    "hot_gib": Annotated[float, Meta(gt=0, le=1 << 30)],
    "hours": Annotated[list[Hours], Meta(min_length=3, max_length=3)] | Hours,
    "least_speed": Paced,
    "levels": Annotated[list[Threads], LONGEST],
    "limit_ms": Annotated[float, Meta(gt=0, le=1e6)],
    "minutes": Minutes,
    "mixes": Annotated[list[Percent], LONGEST],
    "most_speed": Paced,
    "neighbours": LOADS,
    "outstanding": Annotated[list[Depth], LONGEST],
    "point": Point,
    "percentile": Annotated[float, Meta(ge=1, le=99.999)],
    "percentiles": Annotated[list[Annotated[float, Meta(ge=1, le=99.999)]], LONGEST],
    "passes": Annotated[int, Meta(ge=0, le=100)],
    "points": Annotated[list[Point], LONGEST],
    "positions": Annotated[int, Meta(ge=1, le=10_000)],
    "rate_pcts": Annotated[list[Annotated[float, Meta(ge=0.1, le=200)]], LONGEST],
    "read_pct": Percent,
    "reads": Rounds,
    "repeats": Annotated[int, Meta(ge=1, le=100_000)],
    "rest_minutes": Minutes,
    "rest_s": Annotated[float, Meta(ge=0, le=366 * 86_400)],
    "rests_s": Annotated[list[Rest], LONGEST],
    "saturation_minutes": Annotated[int, Meta(ge=1, le=366 * 24 * 60)],
    "seconds": Rest,
    "seek_steady": bool,
    "sequential": Point,
    "share_pct": Share,
    "source": Annotated[str, Meta(max_length=4096)],
    "survey_minutes": Annotated[float, Meta(ge=0, le=366 * 24 * 60)],
    "threads_ladder": Annotated[list[Threads], LONGEST],
    "warm_hours": Hours,
    "warm_point": Point,
    "speed": Speed,
    "open_pcts": Annotated[list[Annotated[float, Meta(ge=1, le=200)]], LONGEST],
    "limits_ms": Annotated[list[Annotated[float, Meta(ge=0.001, le=1e6)]], LONGEST],
    "cells": Annotated[int, Meta(ge=1, le=10_000)],
    "trace": Annotated[str, Meta(max_length=4096)],
    "victims": LOADS,
    "within_pct": Annotated[float, Meta(ge=0.5, le=100)],
    "workload": Name,
    "workloads": Annotated[list[Name], LONGEST],
}
"""Settings of single tests by name. A name means the same in all tests."""

GENERAL = {bool: bool, int: Amount, float: Amount, str: Name}
"""Types of settings that OPTIONS does not list, by the type of their default value."""


def option(name: str, usual: Any) -> Any:
    """Return the type of a test's setting, by its name, otherwise by its default value."""
    return OPTIONS.get(name) or _like(usual)


def _like(usual: Any, length: Meta = LONGEST) -> Any:
    """Return the type of a value of any shape: parts of lists and tables are like the first part.

    Lists in a list have its length if the default has them all of one length, as a list of pairs does.
    """
    match usual:
        case list() | tuple():
            sizes = {len(part) for part in usual if isinstance(part, list | tuple)}
            inner = Meta(min_length=max(sizes), max_length=max(sizes)) if len(sizes) == 1 else LONGEST
            return Annotated[list[_like(usual[0], inner) if usual else Any], length]  # type: ignore[misc]
        case dict():
            return Annotated[dict[Name, _like(next(iter(usual.values()), None))], LONGEST]  # type: ignore[misc]
    return GENERAL.get(type(usual), Any)


class Memory(Struct, frozen=True):
    """Facts in a report about the memory that `stend host` measured."""

    words: str | Count
    kind: str
    mt_s: Amount


class Stream(Struct, frozen=True):
    """Bandwidth by STREAM, in bytes per second."""

    triad: Amount


class Measured(Struct, frozen=True):
    """Facts in a report about everything that `stend host` measured."""

    memory: Memory | None = None
    stream_bytes_per_s: Stream | None = None
    fio_iops: dict[str, Amount] = {}


HOST_FACTS: dict[str, Any] = {
    "cpus": Count,
    "memory_bytes": Count,
    "adapters": list[dict[str, str]],
    "measured": Measured,
}
"""Numbers of host.json that reports calculate with. All other facts are text."""

FACTS: dict[str, Any] = {
    "native_bytes": Count,
    "trim_max_bytes": Count,
    "doubts": list[str | dict[str, Any]],
    "warnings": list[str | dict[str, Any]],
    "warning_temperature_c": Number,
    "passport": dict[str, Any],
    "in_use": str | dict[str, Any],
}
"""Numbers among a drive's facts that stend calculates with."""


class PurgeWish(Struct, frozen=True, forbid_unknown_fields=True):
    """`[options.purge]` of a profile: the method, the manufacturer's command, the longest time."""

    method: Annotated[str, Meta(max_length=200)] = ""
    command: Annotated[str, Meta(max_length=4000)] = ""
    limit_s: Seconds = 0
