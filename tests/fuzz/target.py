"""What is tried: a reader or a verb, good documents to begin with, and an oracle for whatever it takes."""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

SIGNED = re.compile(
    r"temperature|slope|fit|correlation|intercept|ambient|_c$|short_pct|cpu_s|gap_s|^t$|limit_c|excursion"
)
"""Names of figures that may be below zero."""
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Target(NamedTuple):
    """`read` gives what was taken from a document, or raises a StendError; `wrong` says what is wrong with that."""

    name: str
    kind: str
    seeds: list[bytes]
    read: Callable[[bytes], Any]
    wrong: Callable[[Any], str]
    weight: float = 1


def senseless(value: Any, name: str = "") -> str:
    """The first figure in it that cannot be one: NaN, infinite, negative where nothing is, more than there can be."""
    if isinstance(value, (int, float)):
        return "" if isinstance(value, bool) else _number(value, name)
    if isinstance(value, msgspec.Struct):
        value = {field: getattr(value, field) for field in value.__struct_fields__}
    if isinstance(value, dict):
        within = (senseless(one, key if isinstance(key, str) else name) for key, one in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        within = (senseless(one, name) for one in value)
    else:
        return ""
    return next(filter(None, within), "")


def _number(value: float, name: str) -> str:
    if not math.isfinite(value):
        return f"{name} is {value}"
    if value < 0 and not SIGNED.search(name):
        return f"{name} is {value}"
    return f"{name} is more than there can be" if abs(value) > 1e61 else ""


def unprintable(texts: str) -> str:
    """What must not reach a terminal, if it is in there."""
    found = UNPRINTABLE.search(texts)
    return f"{found[0]!r} is shown" if found else ""
