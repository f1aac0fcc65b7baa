"""What is tried: a reader or a verb, good documents to begin with, and an oracle for whatever it takes."""

import math
import re
from collections.abc import Callable, Iterator
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
    return next(_senseless(value, name), "")


def _senseless(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, msgspec.Struct):
        value = {field: getattr(value, field) for field in value.__struct_fields__}
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _senseless(one, key if isinstance(key, str) else name)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _senseless(one, name)
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{name} is {value}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < 0 and not SIGNED.search(name):
            yield f"{name} is {value}"
        if abs(value) > 1e61:
            yield f"{name} is more than there can be"


def unprintable(texts: str) -> str:
    """What must not reach a terminal, if it is in there."""
    found = UNPRINTABLE.search(texts)
    return f"{found[0]!r} is shown" if found else ""
