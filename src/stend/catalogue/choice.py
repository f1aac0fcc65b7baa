"""Runs are chosen and ordered by what is known of them: `model=KC*`, `seconds>3600`, `-started`."""

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from operator import attrgetter
from typing import Any

from stend.base.errors import BadInput
from stend.catalogue.columns import TYPES, About

SHORT = {"started": "started_s", "capacity": "capacity_bytes"}
"""What people type for what the tables call by its unit."""
_ASKED = re.compile(r"\s*(\w+)\s*(!=|>=|<=|=|>|<)\s*(.*?)\s*")
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}
Choice = Callable[[About], bool]


def column(word: str) -> str:
    """The column of `runs` that is meant. BadInput lists them."""
    name = SHORT.get(word, word)
    if name not in TYPES:
        raise BadInput(f"runs have no column {word!r}; they have {', '.join(TYPES)}")
    return name


def chosen(runs: Iterable[About], asked: Sequence[str]) -> list[About]:
    """The runs that all of these are true of. BadInput for what cannot be asked."""
    choices = [choice(text) for text in asked]
    return [one for one in runs if all(true(one) for true in choices)] if choices else list(runs)


def choice(text: str) -> Choice:
    """`COLUMN=PATTERN` (as file names are matched, without regard to case), `COLUMN!=PATTERN`, `COLUMN>NUMBER`, ..."""
    name, sign, wanted = parsed(text)
    if TYPES[name] in ("DOUBLE", "BIGINT", "INTEGER"):
        return _number(text, name, sign, wanted)
    if sign not in ("=", "!="):
        raise BadInput(f"{text!r}: {name} is no number; it can be = or != a pattern")
    return lambda one: _like(getattr(one, name), wanted) == (sign == "=")


def parsed(text: str) -> tuple[str, str, str]:
    """Column, sign and what is wanted. BadInput for what is no choice."""
    match = _ASKED.fullmatch(text)
    if match is None:
        raise BadInput(f"{text!r} chooses nothing; write it like model=KC*, outcome!=complete or seconds>3600")
    return column(match[1]), match[2], match[3]


def ordered(runs: Iterable[About], by: str) -> list[About]:
    """By a column, downwards with `-` before it; what is not told comes last either way."""
    name, down = column(by.removeprefix("-")), by.startswith("-")
    own, many = attrgetter(name), list(runs)
    told = [one for one in many if own(one) is not None]
    return sorted(told, key=own, reverse=down) + [one for one in many if own(one) is None]


def _number(text: str, name: str, sign: str, wanted: str) -> Choice:
    try:
        number = float(wanted)
    except ValueError as error:
        raise BadInput(f"{text!r}: {name} is a number, and {wanted!r} is none") from error

    def true(one: About) -> bool:
        own = getattr(one, name)
        return own is not None and _ORDERS[sign](own, number)

    return true


def _like(own: Any, pattern: str) -> bool:
    if isinstance(own, tuple):
        return any(_like(one, pattern) for one in own) if own else pattern == ""
    told = "" if own is None else str(own).lower()
    return fnmatchcase(told, pattern.lower())
