"""What a number or a word from outside may be: every range of what operators, drives and programs write, in one place.

A bound below and one above also keep NaN and infinities out: neither lies between any two numbers.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

MOST = (1 << 63) - 1

Count = Annotated[int, Meta(ge=0, le=MOST)]
"""How many of anything, bytes too."""
Number = Annotated[float, Meta(ge=-1e15, le=1e15)]
"""Any figure that is told: finite, and small enough to be counted with."""
Amount = Annotated[float, Meta(ge=0, le=1e15)]
Seconds = Annotated[float, Meta(ge=0, le=1e10)]
"""At most some 300 years."""
Nanoseconds = Annotated[float, Meta(ge=0, le=1e36)]
"""Response times, single or summed over all IOs."""
Response = Annotated[float, Meta(ge=0, le=1e15)]
"""Of one IO, in nanoseconds: eleven days."""
Squares = Annotated[float, Meta(ge=0, le=1e60)]

Bin = Annotated[int, Meta(ge=0, le=29 * 64 - 1)]
"""An index of fio's latency bins."""

Percent = Annotated[int, Meta(ge=0, le=100)]
Share = Annotated[float, Meta(gt=0, le=100)]
"""A part of a whole in percent, never nothing."""
Place = Annotated[float, Meta(ge=0, le=100)]
"""Where in a range, in percent of it."""
Speed = Annotated[float, Meta(ge=0, le=10_000)]
"""Of a replay; 0 is a closed loop."""
Paced = Annotated[float, Meta(ge=0.001, le=10_000)]
"""The same with the trace's times."""
Threads = Annotated[int, Meta(ge=1, le=1024)]
Depth = Annotated[int, Meta(ge=1, le=65536)]
Rounds = Annotated[int, Meta(ge=1, le=1_000_000)]
Positive = Annotated[float, Meta(gt=0, le=1e15)]
MOST_BLOCK = 1 << 30
Block = Annotated[int, Meta(ge=1, le=MOST_BLOCK)]
"""Bytes of one IO."""
Errno = Annotated[int, Meta(ge=0, le=65535)]
Sector = Annotated[int, Meta(ge=1, le=1 << 20)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Part = Annotated[str, Meta(pattern=r"^[^/\x00]*$")]
"""A name that becomes a part of the names of files."""

# What an operator may set.
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
"""A ladder or a grid has so many steps in each direction."""

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
    "outstanding": Annotated[list[Depth], LONGEST],
    "point": Point,
    "percentile": Annotated[float, Meta(ge=1, le=99.999)],
    "passes": Annotated[int, Meta(ge=0, le=100)],
    "points": Annotated[list[Point], LONGEST],
    "positions": Annotated[int, Meta(ge=1, le=10_000)],
    "read_pct": Percent,
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
    "threads_ladder": Annotated[list[Threads], LONGEST],
    "warm_hours": Hours,
    "warm_point": Point,
    "speed": Speed,
    "trace": Annotated[str, Meta(max_length=4096)],
    "within_pct": Annotated[float, Meta(ge=0.5, le=100)],
    "workload": Name,
    "workloads": Annotated[list[Name], LONGEST],
}
"""The settings of single tests, by their names, which mean the same in all of them."""

GENERAL = {bool: bool, int: Amount, float: Amount, str: Name}
"""The same for settings whose name is not among these, by the kind of their usual value."""


def option(name: str, usual: Any) -> Any:
    """The type of a test's setting of that name."""
    if isinstance(usual, list | tuple):
        return OPTIONS.get(name) or Annotated[list[GENERAL[type(usual[0])] if usual else Any], LONGEST]  # type: ignore[misc]
    return OPTIONS.get(name) or GENERAL.get(type(usual), Any)


class Memory(Struct, frozen=True):
    """What a report tells of the memory that `stend host` measured."""

    words: str | Count
    kind: str
    mt_s: Amount


class Stream(Struct, frozen=True):
    """Its bandwidth by STREAM, in bytes per second."""

    triad: Amount


class Measured(Struct, frozen=True):
    """What a report tells of all that `stend host` measured."""

    memory: Memory | None = None
    stream_bytes_per_s: Stream | None = None
    fio_iops: dict[str, Amount] = {}


HOST_FACTS: dict[str, Any] = {
    "cpus": Count,
    "memory_bytes": Count,
    "adapters": list[dict[str, str]],
    "measured": Measured,
}
"""What reports reckon with of host.json; all others are words."""

FACTS: dict[str, Any] = {
    "native_bytes": Count,
    "doubts": list[str],
    "warnings": list[str],
    "warning_temperature_c": Number,
}
"""What is reckoned with of a drive's facts."""


class PurgeWish(Struct, frozen=True, forbid_unknown_fields=True):
    """`[options.purge]` of a profile: the method, the maker's command, the longest time."""

    method: Annotated[str, Meta(max_length=200)] = ""
    command: Annotated[str, Meta(max_length=4000)] = ""
    limit_s: Seconds = 0
