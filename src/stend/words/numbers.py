"""Numbers, units and plural forms in the format of each language. Every value is in base units."""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import msgspec

from stend.base.units import BINARY, DECIMAL, places_beyond, scaled, time_parts
from stend.words import loads

NBSP = "\u00a0"
LATENCY_UNITS = ((1e-6, "µs"), (1e-3, "ms"), (1, "s"))
EXACT = 100
"""Ratios from this one on are rounded, as the rates beside them are."""
CONVERTED = (
    "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "MB/s", "MiB/s", "GB/s", "Gbit/s",
    "Gb/s", "ns", "µs", "ms", "s", "min", "h", "d", "bytes", "GT/s", "°C", "W", "mW", "MB/J",
)  # fmt: skip
"""Units that follow a number in sentences of a record."""


class Format(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language writes numbers and dates. The defaults are English.

    `group_from` is the number of digits from which they are grouped. `day` and `year` follow these numbers in a date.
    `ratio` and `fold` are what follows "3.4" in "3.4×" and "10 times", one text or one per plural form. `loads` names
    kinds of loads.
    """

    name: str = ""
    decimal: str = "."
    group: str = ","
    group_from: int = 4
    percent: str = "%"
    plural: Literal["one-other", "one-few-many"] = "one-other"
    ratio: tuple[str, ...] = ("×",)
    fold: tuple[str, ...] = ("\u00a0times",)
    fold_before: str = ""
    day: str = ""
    year: str = ""
    units: dict[str, str] = {}
    loads: dict[str, str] = {}


def unit(form: Format, name: str) -> str:
    """Return a unit's name in a language."""
    return form.units.get(name, name)


def plural(form: Format, value: float) -> int:
    """Return the index of the plural form: one|other, or one|few|many with few (genitive singular) for fractions."""
    if form.plural == "one-other":
        return 0 if value == 1 else 1
    if value != int(value):
        return 1
    last, two = int(abs(value)) % 10, int(abs(value)) % 100
    if last == 1 and two != 11:
        return 0
    return 1 if last in (2, 3, 4) and two not in (12, 13, 14) else 2


def one_of(form: Format, value: float, forms: Sequence[str]) -> str:
    """Return the form of a word for a number; the last of `forms` is also for the plural forms that they lack."""
    return forms[min(plural(form, value), len(forms) - 1)]


def number(form: Format, value: float, digits: int | None = None) -> str:
    """Return `12,345.6` or `12 345,6`. Without `digits`, use three or four significant digits, no trailing zeros."""
    text = f"{value:z,.{_places(value) if digits is None else digits}f}".replace("-", "\u2212")
    if digits is None and "." in text:
        text = text.rstrip("0").rstrip(".")
    whole, dot, part = text.partition(".")
    grouped = sum(map(str.isdigit, whole)) >= form.group_from
    return whole.replace(",", form.group if grouped else "") + (form.decimal if dot else "") + part


def _places(value: float) -> int:
    """Return the decimal places of three or four significant digits."""
    size = abs(value)
    return 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3 if size >= 0.1 else 4


def measured(form: Format, value: float) -> str:
    """Return a number with trailing zeros: 0.11 -> `0.110`, as wide as 0.123 beside it. Zero is `0`."""
    return number(form, value, _places(significant(value, 3)) if value else 0)


def cell(form: Format, value: float) -> str:
    """Return a number for a cell of a map with trailing zeros, of at most four digits below 10,000: 0.05, 1.20, 45.0.

    All numbers of a map have three significant digits, or two decimal places if that is less.
    """
    return number(form, value, _three(value) if value else 0)


def _with(form: Format, value: float, name: str, digits: int | None = None) -> str:
    return number(form, value, digits) + NBSP + unit(form, name)


def rate(form: Format, value: float) -> str:
    """Return IOs per second, as a whole number from ten on."""
    return number(form, value, 0 if abs(value) >= 10 else None)


def decimal(form: Format, value: float) -> str:
    """Return a size in bytes with a decimal prefix, as vendors print it."""
    return _with(form, *scaled(value, DECIMAL))


def binary(form: Format, value: float) -> str:
    """Return a size in bytes with a binary prefix."""
    return _with(form, *scaled(value, BINARY))


def latency(form: Format, value: float) -> str:
    """Return a response time in µs, ms or s with three significant digits."""
    scale, name = latency_unit(value)
    return _with(form, value / scale, name, _three(value / scale))


def watts(form: Format, value: float) -> str:
    """Return a power in W, below 0.1 W in mW, with three significant digits."""
    scale, name = power_unit(value)
    return _with(form, value / scale, name, _three(value / scale))


def _three(value: float) -> int:
    """Return the decimal places of three significant digits, two at most."""
    return min(_places(significant(value, 3)), 2)


def latency_unit(value: float) -> tuple[float, str]:
    """Return the unit of a response time, in seconds and by name."""
    return next((s, n) for s, n in LATENCY_UNITS if value < 999.5 * s or s == 1)


def power_unit(value: float) -> tuple[float, str]:
    """Return the unit of a power, in W and by name."""
    return (1.0, "W") if abs(value) >= 0.09995 or not value else (1e-3, "mW")


def duration(form: Format, seconds: float) -> str:
    """Return a duration as `15 h 30 min`, `1 min 30 s` or `250 ms`."""
    if seconds < 10:
        return _with(form, seconds, "s") if seconds >= 1 or not seconds else _with(form, seconds * 1e3, "ms")
    return " ".join(f"{n}{NBSP}{unit(form, name)}" for n, name in time_parts(seconds))


def _short(form: Format, value: float, digits: int) -> str:
    """Return a number with at most `digits` decimal places, without trailing zeros."""
    text = number(form, value, digits)
    return text.rstrip("0").rstrip(".,") if digits else text


def steps(form: Format, values: Sequence[float]) -> str:
    """Return a series of rates in bytes per second as `680 → 485 MB/s`."""
    return " → ".join(number(form, value / 1e6, 0) for value in values) + NBSP + unit(form, "MB/s")


def percent(form: Format, value: float) -> str:
    """Return a share as a percentage: `12%` in English, `12 %` in Russian. A share below 0.05% is not shown as zero."""
    shown = value * 100
    if 0 < shown < 0.05:
        return small(form, value)
    text = _short(form, shown, 0 if abs(shown) >= 20 else 1)
    return text + form.percent


def beyond(form: Format, value: float) -> str:
    """Return a share like `percent`, with the decimal places that separate it from a limit of a whole ten: `20.04%`."""
    shown = value * 100
    return _short(form, shown, places_beyond(shown, 0 if abs(shown) >= 20 else 1)) + form.percent


def change(form: Format, value: float) -> str:
    """Return a change as a percentage; below 20% with one decimal place, also if that is zero: `12.0%`."""
    shown = value * 100
    return number(form, shown, 0 if shown >= 20 else 1) + form.percent


def tenths(form: Format, value: float) -> str:
    """Return a change as a percentage with one decimal place, for tables that hold small changes too: `21.0%`."""
    return number(form, value * 100, 1) + form.percent


def small(form: Format, value: float) -> str:
    """Return a small share as a percentage with two significant digits: 0.000012 -> `0.0012%`."""
    shown = float(f"{value * 100:.1e}")
    places = max(1 - math.floor(math.log10(shown)), 0) if shown else 0
    return _short(form, shown, places) + form.percent


def sure(form: Format, value: float) -> str:
    """Return a probability as a percentage that is never rounded up to certainty: 0.99999 -> `99.99%`."""
    return _short(form, min(math.floor(value * 10_000 + 1e-9) / 100, 99.99), 2) + form.percent


def nines(form: Format, value: float) -> str:
    """Return a percentile's name with all its digits: 99.99 -> `99.99%`."""
    return f"{value:g}".replace(".", form.decimal) + form.percent


def _counted(form: Format, text: str, forms: Sequence[str]) -> str:
    """Return a formatted number with what follows it in its plural form."""
    count = float(text.replace(form.group, "").replace(form.decimal, ".").replace("\u2212", "-"))
    return text + one_of(form, count, forms)


def times(form: Format, value: float) -> str:
    """Return a ratio as `3.4×`; in Russian as `3,4 раза`, for use after «в»."""
    return _counted(form, _short(form, value, 0 if value >= 20 else 1 if value >= 3 else 2), form.ratio)


def fold(form: Format, value: float) -> str:
    """Return a ratio as `10 times` or `3.2 times`; in Russian as `в 10 раз`. Large ratios are rounded."""
    value = rounded(value) if value >= EXACT else value
    return form.fold_before + _counted(form, _short(form, value, 0 if value >= 10 else 1), form.fold)


def part(form: Format, value: float) -> str:
    """Return the inverse of a ratio as a percentage with two significant digits at most: 5.4 -> `19%`."""
    if value >= EXACT:
        return small(form, 1 / value)
    return _short(form, 100 / value, 0 if value <= 10 else 1) + form.percent  # 10: a tenth


def significant(value: float, digits: int) -> float:
    """Round to a number of significant digits, halves away from zero: 725,000 -> 730,000."""
    return float(f"{value * (1 + 1e-12):.{digits - 1}e}")


def rounded(value: float) -> float:
    """Round to two significant digits, or to three from 100 on if the first digit is 1 or 2."""
    if not value or not math.isfinite(value):
        return value
    size = math.floor(math.log10(abs(value)))
    first = abs(value) / 10**size
    return significant(value, 3 if size >= 2 and first < 3 else 2)


def rounded_bytes(value: float) -> float:
    """Round bytes per second to three significant digits, below 100 MB/s to two."""
    return significant(value, 3 if value >= 1e8 else 2)


ROUGH_S = ((7200.0, 600.0), (600.0, 60.0))
"""From the first time on, running text rounds to the second one; both in seconds."""


def approximate(form: Format, value: float, shape: str) -> str:
    """Return a value in its shape, rounded for running text."""
    if shape in ("lat", "watts"):
        scale, name = latency_unit(value) if shape == "lat" else power_unit(value)
        shown = rounded(value / scale)
        return _with(form, shown, name, 0 if shown >= 10 or shown == int(shown) else 1)
    if shape in ("gib", "gb"):
        if shape == "gib" and value >= 2**30:
            in_gib = value / 2**30
            return binary(form, (round(in_gib) if in_gib >= 10 else significant(in_gib, 2)) * 2.0**30)
        return SHAPES[shape](form, significant(value, 3))
    if shape == "time":
        step = next((step for least, step in ROUGH_S if value >= least), 0.0)
        return duration(form, round(value / step) * step if step else value)
    return SHAPES[shape](form, rounded_bytes(value) if shape == "mbs" else rounded(value))


def converted(form: Format, text: str) -> str:
    """Return a sentence with its sizes and times in a language's format: `4.5 GiB` -> `4,5 ГиБ`. Other numbers stay."""
    known = "|".join(sorted(map(re.escape, CONVERTED), key=len, reverse=True))

    def change(match: re.Match[str]) -> str:
        return match[1].replace(".", form.decimal) + NBSP + unit(form, match[2])

    return re.sub(rf"(\d+(?:\.\d+)?) ({known})(?![\w/])", change, text)


def load(form: Format, label: Any) -> str:
    """Return a load's label in words: `random write 4 KiB, T4 Q32`."""
    return loads.described(form.loads, str(label), partial(binary, form), partial(number, form))


SHAPES: dict[str, Callable[[Format, Any], str]] = {
    "n": number,
    "measured": measured,
    "cell": cell,
    "whole": lambda form, value: number(form, value, 0),
    "rate": rate,
    "mbs": lambda form, value: _with(form, value / 1e6, "MB/s", 0 if value >= 1e8 else None),  # decimal (PTS 2.4.1)
    "money": lambda form, value: number(form, value, 0 if value == int(value) else 2),
    "gb": decimal,
    "gib": binary,
    "lat": latency,
    "watts": watts,
    "per_watt": lambda form, value: _with(form, value, "IOPS/W", 0 if value >= 10 else None),
    "per_joule": lambda form, value: _with(form, value / 1e6, "MB/J", 0 if value >= 1e8 else None),
    "time": duration,
    "pct": percent,
    "beyond": beyond,
    "change": change,
    "tenths": tenths,
    "times": times,
    "fold": fold,
    "part": part,
    "gain": lambda form, value: percent(form, value - 1),  # 1.15 -> 15%
    "nines": nines,
    "small": small,
    "sure": sure,
    "steps": steps,
    "load": load,
}

OF_LISTS = ("steps",)
"""Shapes of a list as a whole."""
OF_LABELS = ("load",)
"""Shapes of text. A text in any other shape is a number that an old record holds as it was shown."""


class Exact(float):
    """A number near a limit, which rounding for running text would make equal to it."""


def shown(form: Format, value: Any, kind: str, rest: str) -> str:
    """Return a value in a shape, or with N decimals by `fixed:N`.

    `with:UNIT` adds a unit, and `said:SHAPE` rounds for running text, unless the value is `Exact`.
    """
    if kind == "with":
        return _with(form, value, rest)
    if kind == "fixed":
        return number(form, value, int(rest))
    if kind == "said" and not isinstance(value, Exact):
        return approximate(form, float(value), rest)
    return SHAPES[rest if kind == "said" else kind](form, value)
