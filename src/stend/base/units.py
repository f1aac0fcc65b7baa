"""Format and parse bytes, seconds and rates. All values inside the program are in base units."""

import math
import re

from stend.base.errors import BadInput

KiB = 1024
MiB = 1024 * KiB
GiB = 1024 * MiB
TiB = 1024 * GiB
KB = 1000
MB = 1000 * KB
GB = 1000 * MB
TB = 1000 * GB

_BINARY = {"": 1, "b": 1, "k": KiB, "kib": KiB, "m": MiB, "mib": MiB, "g": GiB, "gib": GiB, "t": TiB, "tib": TiB}
_DECIMAL = {"kb": KB, "mb": MB, "gb": GB, "tb": TB}
_TIMES = ((1e-6, "µs"), (1e-3, "ms"), (1, "s"))
ROUNDS_UP = 999.5
"""Values from here on would round to 1000 at three significant digits."""
_SPANS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|m|min|h|d|)\s*", re.IGNORECASE)
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_bytes(text: str) -> int:
    """Parse `4K`, `4KiB` (binary) or `500GB` (decimal) into bytes. Raise BadInput for anything else."""
    match = _SIZE.fullmatch(text)
    scale = _BINARY.get(match[2].lower(), _DECIMAL.get(match[2].lower())) if match else None
    if match is None or scale is None:
        raise BadInput(f"{text[:40]!r} is not a size; write it like 4KiB, 1GiB or 500GB")
    size = float(match[1]) * scale
    if size >= 1 << 63:
        raise BadInput(f"{text[:40]!r} is too large; the largest size is 8 EiB")
    return round(size)


def parse_seconds(text: str) -> float:
    """Parse `90s`, `10min`, `1h`, `2d` or a number of seconds above 0. Raise BadInput for anything else."""
    match = _SPAN.fullmatch(text)
    seconds = float(match[1]) * _SPANS[match[2].lower()] if match else 0.0
    if not 0 < seconds <= 366 * 86400:
        raise BadInput(f"{text[:40]!r} is not a time; write it like 90s, 10min, 1h or 2d, a year at most")
    return seconds


def places_beyond(percent: float, least: int) -> int:
    """Return the decimal places, at least `least`, with which a percentage does not read as the whole ten beside it.

    Limits are whole tens: 20.04 % of at most 20 % must not read as 20 %.
    """
    told = (n for n in range(least, 6) if round(percent, n) % 10 or round(percent, n) in (percent, 0))
    return next(told, least)


def access_label(random_pct: int) -> str:
    """Return the access in the specification's notation: `SEQ`, `RND`, or `30%RND` for a share of random accesses."""
    return {0: "SEQ", 100: "RND"}.get(random_pct, f"{random_pct}%RND")


def mix_label(read_pct: int) -> str:
    """Return the shares of reads and writes in percent: `65/35`."""
    return f"{read_pct}/{100 - read_pct}"


def block_label(size_bytes: int) -> str:
    """Return a transfer size in the specification's notation: 512 B -> `0.5K`, 4096 -> `4K`, 1 MiB -> `1024K`."""
    whole, rest = divmod(size_bytes, KiB)
    return f"{size_bytes / KiB:g}K" if rest else f"{whole}K"


DECIMAL = (1000, ("B", "kB", "MB", "GB", "TB"))
BINARY = (1024, ("B", "KiB", "MiB", "GiB", "TiB"))
"""The step from each unit of size to the next, and the units."""


def scaled(size_bytes: float, prefixes: tuple[int, tuple[str, ...]]) -> tuple[float, str]:
    """Return a size in the unit that it rounds to at least one of, and that unit: 999600 -> (0.9996, "MB")."""
    base, names = prefixes
    power = 0
    while abs(size_bytes) >= base - 0.5 and power < len(names) - 1:
        size_bytes, power = size_bytes / base, power + 1
    return size_bytes, names[power]


def binary(size_bytes: float) -> str:
    """Return a size with a binary prefix, three significant digits: 1073741824 -> `1 GiB`."""
    value, name = scaled(size_bytes, BINARY)
    return f"{_three(value)} {name}"


def decimal(size_bytes: float) -> str:
    """Return a size with a decimal prefix, the unit of drive labels: 1600321314816 -> `1.6 TB`."""
    value, name = scaled(size_bytes, DECIMAL)
    return f"{_three(value)} {name}"


def duration(seconds: float) -> str:
    """Return seconds in readable units: 55800 -> `15 h 30 min`, 90 -> `1 min 30 s`, 0.25 -> `0.25 s`."""
    if not math.isfinite(seconds):
        return "an unknown time"
    if seconds < 10:
        return f"{seconds:.2g} s"
    return " ".join(f"{n} {name}" for n, name in time_parts(seconds))


def time_parts(seconds: float) -> list[tuple[int, str]]:
    """Return a time from 1 s on as numbers of its two largest units, rounded: 4235 -> [(1, "h"), (11, "min")]."""
    unit = next((small for large, small in ((86400, 3600), (3600, 60)) if round(seconds) >= large), 1)
    whole = round(seconds / unit) * unit
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    first = next(i for i, (n, _) in enumerate(parts) if n)
    return [part for part in parts[first : first + 2] if part[0]]


def latency(seconds: float) -> str:
    """Return a response time in a readable unit: 0.000021 -> `21 µs`, 0.0026 -> `2.6 ms`."""
    scale, name = next(unit for unit in _TIMES if seconds < ROUNDS_UP * unit[0] or unit[0] == 1)
    return f"{_three(seconds / scale)} {name}"


def rate(per_second: float) -> str:
    """Return IOs per second in short form: 430000 -> `430k`, 1430000 -> `1.43M`."""
    for scale, name in ((1_000_000, "M"), (1000, "k")):
        if per_second >= (ROUNDS_UP * 1000 if scale > 1000 else 10_000):
            return f"{_three(per_second / scale)}{name}"
    return f"{per_second:.0f}" if per_second >= 9.95 else f"{round(per_second, 4):.2g}"


def _three(value: float) -> str:
    """Return three significant digits, never with an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
