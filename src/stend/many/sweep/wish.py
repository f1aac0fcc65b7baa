"""The best designs: the figure or parameter to maximize or minimize, and conditions.

    --best 'iops[saturate,saturated]' --require 'p99.9[saturated] < 5 ms' --require 'flash.spare_pct <= 15'

Brackets select figures as in the rules of a comparison. Without a unit a number is in base units (IOs/s, bytes/s,
seconds). A parameter has no brackets.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.many import limits
from stend.many.compare.differences import Figure
from stend.many.compare.rules import OTHER_NAMES
from stend.many.limits import Limit
from stend.many.sweep.design import Design, Value
from stend.many.sweep.folder import Line
from stend.many.sweep.results import Results, collected, matching, picked
from stend.model.quantities import QUANTITIES

WAYS = {"most": True, "least": False}
_WISH = re.compile(r"(?:(most|least)\s+)?([\w.-]+)(?:\[([^\[\]]*)\])?")


class Subject(NamedTuple):
    """A parameter, by its name, or figures."""

    text: str
    parameter: str
    figures: tuple[Figure, ...]

    def of(self, results: Results, drive: int) -> list[Value | None]:
        """Return its values for one drive."""
        if self.parameter:
            return [results.values[drive][self.parameter]]
        row = results.rows[drive]
        return [row[figure.key][figure.quantity] if figure.key in row else None for figure in self.figures]


class Bound(NamedTuple):
    """A condition in base units. It must hold for all its figures."""

    subject: Subject
    limit: Limit
    value: float

    @property
    def text(self) -> str:
        """Return the condition as typed."""
        return self.limit.text

    def holds(self, results: Results, drive: int) -> bool:
        """Return whether a drive meets the condition. It does not if a value is missing."""
        values = self.subject.of(results, drive)
        return all(isinstance(value, int | float) and self.limit.holds(value, self.value) for value in values)


class Wish(NamedTuple):
    """The subject to maximize or minimize, and the conditions."""

    text: str
    subject: Subject
    most: bool
    bounds: tuple[Bound, ...]

    def allowed(self, results: Results) -> list[int]:
        """Return the drives that meet all conditions, the best first."""
        meeting = [i for i in range(len(results.rows)) if all(bound.holds(results, i) for bound in self.bounds)]
        values = {i: value for i in meeting if isinstance(value := self.subject.of(results, i)[0], int | float)}
        return sorted(values, key=lambda i: values[i], reverse=self.most)


def check(design: Design, wanted: Sequence[str], best: str, where: Sequence[str]) -> None:
    """Raise BadInput for figures, `--best` or `--require` that are invalid whatever the results are."""
    for text in wanted:
        _quantity(design, *_figure(text), text)
    if match := _best(best, where):
        _quantity(design, match[2], limits.words(match[3]), best)
    for text in where:
        limit = limits.parsed(text)
        _quantity(design, limit.name, limit.where, text)


def check_best(design: Design, lines: Iterable[Line], best: str) -> None:
    """Raise BadInput if `--best` matches several figures of these drives, because more drives have no fewer."""
    if match := _best(best, ()):
        words = limits.words(match[3])
        if quantity := _quantity(design, match[2], words, best):
            _check_single(matching(collected(design, lines), quantity, words or ()), best)


def _check_single(figures: Sequence[Figure], best: str) -> None:
    if len(figures) > 1:
        listing = ", ".join(
            f"{figure.key.test} {figure.key.phase} {figure.key.state} {figure.key.load}" for figure in figures[:4]
        )
        raise BadInput(f"{best!r} matches {len(figures)} figures, but --best needs one: {listing}")


def _best(best: str, where: Sequence[str]) -> re.Match[str] | None:
    """Return the parts of `--best`, None without one."""
    if not best:
        if where:
            raise BadInput("--require needs --best; add it or leave --require out")
        return None
    match = _WISH.fullmatch(best.strip())
    if not match:
        raise BadInput(
            f"{best!r} is not a figure or parameter; write it like 'iops[saturated]' or 'least flash.spare_pct'"
        )
    return match


def wish(results: Results, best: str, where: Sequence[str]) -> Wish | None:
    """Parse `--best` and `--require`. Return None without `--best`. Raise BadInput if they are invalid."""
    if not (match := _best(best, where)):
        return None
    subject = _subject(results, match[2], limits.words(match[3]), best)
    _check_single(subject.figures, best)
    if subject.parameter and not isinstance(results.values[0][subject.parameter], int | float):
        raise BadInput(f"{subject.parameter} is not a number and cannot be ranked; choose another parameter")
    usual = QUANTITIES[subject.figures[0].quantity].more_is_better if subject.figures else False
    return Wish(best, subject, WAYS.get(match[1] or "", usual), tuple(bound(results, text) for text in where))


def bound(results: Results, text: str) -> Bound:
    """Parse a condition. Raise BadInput if it is invalid."""
    limit = limits.parsed(text)
    subject = _subject(results, limit.name, limit.where, text)
    return Bound(subject, limit, limit.bound(subject.figures[0].quantity if subject.figures else ""))


def _subject(results: Results, name: str, where: Sequence[str] | None, text: str) -> Subject:
    if not (quantity := _quantity(results.design, name, where, text)):
        return Subject(name, name, ())
    return Subject(text, "", tuple(picked(results, quantity, where or ())))


def _quantity(design: Design, name: str, where: Sequence[str] | None, text: str) -> str:
    """Return the quantity of a name, "" for a parameter. Raise BadInput for other names."""
    if where is None and name in design.parameters:
        return ""
    quantity = OTHER_NAMES.get(name.lower(), name.lower())
    if quantity not in QUANTITIES:
        known = ", ".join([*QUANTITIES, *design.parameters])
        raise BadInput(f"{text!r} is neither a quantity nor a parameter of this sweep; choose from {known}")
    return quantity


def chosen(results: Results, wanted: Sequence[str]) -> list[Figure]:
    """Return the figures of texts like those of `--best`. Raise BadInput for an invalid one."""
    figures = (_subject(results, *_figure(text), text).figures for text in wanted)
    return list(dict.fromkeys(chain.from_iterable(figures)))


def _figure(text: str) -> tuple[str, Sequence[str]]:
    """Return the name of a figure and the words in its brackets."""
    match = _WISH.fullmatch(text.strip())
    if not match or match[1]:
        raise BadInput(f"{text!r} is not a figure; write it like 'iops[saturated]'")
    return match[2], limits.words(match[3]) or ()
