"""Choose and sort runs by columns of the catalogue: `model=KC*`, `seconds>3600`, `-started`."""

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from operator import attrgetter, eq, ge, gt, le, lt, ne
from typing import Any

from stend.base.errors import BadInput
from stend.base.text import nearest
from stend.catalogue.columns import TYPES, About
from stend.words import Sentence

SHORT = {"started": "started_s", "capacity": "capacity_bytes"}
"""Short forms that people type for columns whose names have a unit."""
_CONDITION = re.compile(r"\s*(\w+)\s*(!=|>=|<=|=|>|<)\s*(.*?)\s*")
ORDERS: dict[str, Callable[[float, float], bool]] = {"=": eq, "!=": ne, ">": gt, "<": lt, ">=": ge, "<=": le}
Choice = Callable[[About], bool]


def column(word: str) -> str:
    """Return the column of `runs` for a name. Raise BadInput, which lists all columns, for an unknown name."""
    name = SHORT.get(word, word)
    if name not in TYPES:
        meant = nearest(word, TYPES)
        raise BadInput(
            Sentence("column_meant", word=word, name=meant)
            if meant
            else Sentence("column_none", word=word, names=", ".join(TYPES))
        )
    return name


def chosen(runs: Iterable[About], conditions: Sequence[str]) -> list[About]:
    """Return the runs that fulfil all conditions. Raise BadInput for an invalid condition."""
    choices = [choice(text) for text in conditions]
    return [run for run in runs if all(fulfils(run) for fulfils in choices)] if choices else list(runs)


def choice(text: str) -> Choice:
    """Return the predicate of a condition: `COLUMN=PATTERN`, `COLUMN!=PATTERN`, `COLUMN>NUMBER`, ...

    Patterns are matched like file names, without regard to case.
    """
    name, sign, wanted = parsed(text)
    if TYPES[name] in ("DOUBLE", "BIGINT", "INTEGER"):
        return _number(text, name, sign, wanted)
    if sign not in ("=", "!="):
        raise BadInput(Sentence("condition_pattern", text=text, name=name))
    return lambda run: _matches(getattr(run, name), wanted) == (sign == "=")


def parsed(text: str) -> tuple[str, str, str]:
    """Return column, operator and value of a condition. Raise BadInput if it is not one."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        examples = {"example": "model=KC*, outcome!=complete", "other": "seconds>3600"}
        raise BadInput(Sentence("condition", text=text, **examples))
    return column(match[1]), match[2], match[3]


def ordered(runs: Iterable[About], by: str) -> list[About]:
    """Sort runs by a column, descending with `-` before it. Runs without a value come last either way."""
    name, down = column(by.removeprefix("-")), by.startswith("-")
    value, every = attrgetter(name), list(runs)
    known = [run for run in every if value(run) is not None]
    return sorted(known, key=value, reverse=down) + [run for run in every if value(run) is None]


def _number(text: str, name: str, sign: str, wanted: str) -> Choice:
    try:
        number = float(wanted)
    except ValueError as error:
        raise BadInput(Sentence("condition_number", text=text, name=name, value=wanted)) from error

    def fulfils(run: About) -> bool:
        value = getattr(run, name)
        return value is not None and ORDERS[sign](value, number)

    return fulfils


def _matches(value: Any, pattern: str) -> bool:
    if isinstance(value, tuple):
        return any(_matches(item, pattern) for item in value) if value else pattern == ""
    return fnmatchcase("" if value is None else str(value).lower(), pattern.lower())
