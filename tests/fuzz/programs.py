"""What programs print: fio; and words that people type: sizes, durations."""

from typing import Any

from stend.base.errors import BadInput
from stend.base.units import duration, parse_bytes
from stend.engines import _fio_json as fio
from tests.fuzz.target import Target, senseless

FIO = b"""{"fio version" : "fio-3.33", "timestamp_ms" : 1700000000123, "jobs" : [{"jobname" : "s0", "error" : 0,
"read" : {"io_bytes" : 409600, "total_ios" : 100, "runtime" : 1000, "lat_ns" : {"min" : 90, "max" : 90000,
"mean" : 500.5, "stddev" : 20.25, "N" : 100, "bins" : {"100" : 60, "502" : 30, "90000" : 10}}},
"write" : {"io_bytes" : 4096, "runtime" : 999, "lat_ns" : {"max" : 70, "mean" : 70.0, "stddev" : 0.0, "N" : 1,
"bins" : {"70" : 1}}}}]}"""
SIZES = [b"4K", b"4KiB", b"500GB", b"1.5 TiB", b"0", b"128 kib"]


def _counted(data: bytes) -> Any:
    before, now = fio.read(FIO), fio.read(data)
    if before is None or now is None:
        return None
    totals = {way: fio.total(now, way) for way in ("read", "write")}
    told = [fio.since(fio.total(before, way), totals[way]) for way in totals]
    return now, totals, told, now.runtime_s, now.bytes, now.error


def _cut(data: bytes) -> Any:
    cutter = fio.Cutter()
    half = len(data) // 2
    return [*cutter.feed(data[:half]), *cutter.feed(data[half:] + b"\n}\n")]


def _size(data: bytes) -> Any:
    return parse_bytes(data.decode(errors="surrogateescape"))


def _time(data: bytes) -> Any:
    try:
        seconds = float(data)
    except ValueError as error:
        raise BadInput("not a number") from error
    return duration(seconds)


def targets() -> list[Target]:
    """All of them."""
    return [
        Target("fio", "json", [FIO], _counted, senseless, 10),
        Target("fio's stream", "text", [FIO, b"fio: notice\n{\n" + FIO + b"\n}\n"], _cut, lambda taken: "", 1),
        Target("size", "text", SIZES, _size, lambda taken: "" if 0 <= taken < 1 << 63 else str(taken), 4),
        Target("time", "text", [b"55800", b"0.25", b"90", b"inf", b"nan", b"1e18"], _time,
               lambda taken: "" if taken and "nan" not in taken else repr(taken), 4),
    ]  # fmt: skip
