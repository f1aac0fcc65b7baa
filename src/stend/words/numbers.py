"""Numbers, units and plural forms in the format of each language; every value is in base units."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from stend.words import loads

NBSP, NNBSP = "\u00a0", "\u202f"

UNITS: dict[str, str] = {
    "B": "Б", "kB": "кБ", "MB": "МБ", "GB": "ГБ", "TB": "ТБ", "KiB": "КиБ", "MiB": "МиБ", "GiB": "ГиБ", "TiB": "ТиБ",
    "MB/s": "МБ/с", "MiB/s": "МиБ/с", "GB/s": "ГБ/с", "ns": "нс", "µs": "мкс", "ms": "мс", "s": "с", "min": "мин",
    "h": "ч", "d": "сут", "bytes": "байт", "GT/s": "ГТ/с", "°C": "°C", "W": "Вт",
}  # fmt: skip

LATENCY_UNITS = ((1e-6, "µs"), (1e-3, "ms"), (1, "s"))


def unit(language: str, name: str) -> str:
    """Return a unit's name in a language."""
    return UNITS.get(name, name) if language == "ru" else name


def plural(language: str, value: float) -> int:
    """Return the index of the plural form: en one|other; ru one|few|many, few (genitive singular) for fractions."""
    if language == "en":
        return 0 if value == 1 else 1
    if value != int(value):
        return 1
    last, two = int(abs(value)) % 10, int(abs(value)) % 100
    if last == 1 and two != 11:
        return 0
    return 1 if last in (2, 3, 4) and two not in (12, 13, 14) else 2


def number(language: str, value: float, digits: int | None = None) -> str:
    """Return `12,345.6` or `12 345,6`; without `digits` with three or four significant digits, no trailing zeros."""
    if digits is None:
        size = abs(value)
        places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.1 else 4
        text = f"{value:,.{places}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{value:,.{digits}f}"
    if text in ("-0", ""):
        text = "0"
    text = text.replace("-", "\u2212")
    if language == "ru":
        whole, dot, part = text.partition(".")
        # Russian groups digits from five on: 1234, but 12 345.
        whole = whole.replace(",", "") if len(whole) <= 5 else whole.replace(",", NBSP)
        text = whole + ("," if dot else "") + part
    return text


def _with(language: str, value: float, name: str, digits: int | None = None) -> str:
    return number(language, value, digits) + NBSP + unit(language, name)


def rate(language: str, value: float) -> str:
    """Return IOs per second, as a whole number from ten on."""
    return number(language, value, 0 if abs(value) >= 10 else None)


def megabytes_per_s(language: str, value: float) -> str:
    """Return bytes per second as decimal MB/s (PTS 2.4.1)."""
    return _with(language, value / 1e6, "MB/s", 0 if value >= 1e8 else None)


def _scaled(language: str, value: float, base: int, names: tuple[str, ...]) -> str:
    power = 0
    while abs(value) >= base and power < len(names) - 1:
        value, power = value / base, power + 1
    return _with(language, value, names[power])


def decimal(language: str, value: float) -> str:
    """Return a size in bytes with a decimal prefix, as vendors print it."""
    return _scaled(language, value, 1000, ("B", "kB", "MB", "GB", "TB"))


def binary(language: str, value: float) -> str:
    """Return a size in bytes with a binary prefix."""
    return _scaled(language, value, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))


def latency(language: str, value: float) -> str:
    """Return a response time in µs, ms or s with three significant digits."""
    scale, name = next((s, n) for s, n in LATENCY_UNITS if value < 999.5 * s or s == 1)
    shown = value / scale
    return _with(language, shown, name, 0 if shown >= 100 else 1 if shown >= 10 else 2)


def milliseconds(language: str, value: float) -> str:
    """Return a response time in ms without the unit, for columns that readers compare."""
    shown = value * 1e3
    return number(language, shown, 1 if shown >= 100 else 2 if shown >= 10 else 3)


def duration(language: str, seconds: float) -> str:
    """Return a duration as `15 h 30 min`, `1 min 30 s` or `250 ms`."""
    if seconds < 10:
        return _with(language, seconds, "s") if seconds >= 1 or not seconds else _with(language, seconds * 1e3, "ms")
    whole = round(seconds)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    first = next(i for i, (n, _) in enumerate(parts) if n)
    return " ".join(f"{n}{NBSP}{unit(language, name)}" for n, name in parts[first : first + 2] if n)


def _short(language: str, value: float, digits: int) -> str:
    """Return a number with at most `digits` decimal places, without trailing zeros."""
    text = number(language, value, digits)
    return text.rstrip("0").rstrip(".,") if digits else text


def steps(language: str, values: Sequence[float]) -> str:
    """Return a series of rates in bytes per second as `680 → 485 MB/s`."""
    return " → ".join(number(language, value / 1e6, 0) for value in values) + NBSP + unit(language, "MB/s")


def percent(language: str, value: float) -> str:
    """Return a share as a percentage: `12%` in English, `12 %` in Russian."""
    shown = value * 100
    text = _short(language, shown, 0 if abs(shown) >= 20 else 1)
    return text + (NBSP + "%" if language == "ru" else "%")


def nines(language: str, value: float) -> str:
    """Return a percentile's name with all its digits: 99.99 -> `99.99%`."""
    text = f"{value:g}" + (NBSP if language == "ru" else "") + "%"
    return text.replace(".", ",") if language == "ru" else text


def times(language: str, value: float) -> str:
    """Return a ratio as `3.4×`; in Russian as `3,4 раза`, for use after «в»."""
    digits = 0 if value >= 20 else 1 if value >= 3 else 2
    text = _short(language, value, digits)
    if language != "ru":
        return text + "×"
    return text + NBSP + ("раз" if text.isdigit() and plural("ru", int(text)) != 1 else "раза")


def fold(language: str, value: float) -> str:
    """Return a ratio as `10 times` or `3.2 times`; in Russian as `в 10 раз`."""
    text = _short(language, value, 0 if value >= 10 else 1)
    if language != "ru":
        return text + " times"
    return "в" + NBSP + text + NBSP + ("раз" if text.isdigit() and plural("ru", int(text)) != 1 else "раза")


def part(language: str, value: float) -> str:
    """Return the inverse of a ratio as a percentage: 4 -> `25%`."""
    return percent(language, 1 / value)


def gain(language: str, value: float) -> str:
    """Return a small ratio as a gain: 1.15 -> `15%`."""
    return percent(language, value - 1)


def rounded(value: float) -> float:
    """Round to two significant digits, or to three from 100 on if the first digit is 1 or 2."""
    if not value or not math.isfinite(value):
        return value
    size = math.floor(math.log10(abs(value)))
    first = abs(value) / 10**size
    return float(f"{value:.{2 if first < 3 else 1}e}") if size >= 2 else float(f"{value:.1e}")


def approximate(language: str, value: float, shape: str) -> str:
    """Return a value in its shape, rounded for running text."""
    if shape == "lat":
        scale, name = next((s, n) for s, n in LATENCY_UNITS if value < 999.5 * s or s == 1)
        shown = float(f"{value / scale:.1e}")
        return _with(language, shown, name, 0 if shown >= 10 or shown == int(shown) else 1)
    if shape in ("gib", "gb"):
        whole = float(f"{value:.3g}") if shape == "gb" or value < 2**30 else round(value / 2**30) * 2.0**30
        return SHAPES[shape](language, whole)
    scale = 1e6 if shape == "mbs" else 1.0
    return SHAPES[shape](language, rounded(value / scale) * scale)


def converted(language: str, text: str) -> str:
    """Return a sentence with its sizes and times in Russian format: `4.5 GiB` -> `4,5 ГиБ`; other numbers stay."""
    if language != "ru":
        return text
    known = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))

    def change(match: re.Match[str]) -> str:
        return match[1].replace(".", ",") + NBSP + UNITS[match[2]]

    return re.sub(rf"(\d+(?:\.\d+)?) ({known})(?![\w/])", change, text)


SHAPES: dict[str, Callable[[str, Any], str]] = {
    "n": number,
    "whole": lambda language, value: number(language, value, 0),
    "rate": rate,
    "mbs": megabytes_per_s,
    "money": lambda language, value: number(language, value, 0 if value == int(value) else 2),
    "gb": decimal,
    "gib": binary,
    "lat": latency,
    "ms": milliseconds,
    "time": duration,
    "pct": percent,
    "times": times,
    "fold": fold,
    "part": part,
    "gain": gain,
    "nines": nines,
    "steps": steps,
    "load": lambda language, label: loads.described(language, str(label), binary),
}

QUANTITIES = {"iops": "rate", "throughput": "mbs", "headroom": "times"}
"""The shape of each quantity; all others are response times."""


def shown(language: str, value: Any, kind: str, rest: str) -> str:
    """Return a value in a shape, or rounded for running text by `said:SHAPE`."""
    return approximate(language, float(value), rest) if kind == "said" else SHAPES[kind](language, value)
