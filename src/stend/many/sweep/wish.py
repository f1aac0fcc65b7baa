"""The best designs: what is wanted most or least, and what must hold.

    --best 'iops[write-saturation,saturated]' --where 'p99.9[saturated] < 5 ms' --where 'flash.spare_pct <= 15'

The brackets pick figures as those of a comparison's rules do; without a unit a number is in base units (IOs and bytes
a second, seconds). A parameter stands without brackets.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.findings.look.figures import QUANTITIES
from stend.many import limits
from stend.many.compare.differences import Figure
from stend.many.compare.rules import OTHER_NAMES
from stend.many.limits import Limit
from stend.many.sweep.design import Value
from stend.many.sweep.results import Results, picked

WAYS = {"most": True, "least": False}
_WISH = re.compile(r"(?:(most|least)\s+)?([\w.-]+)(?:\[([^\[\]]*)\])?")


class Subject(NamedTuple):
    """A parameter by its name, or figures."""

    text: str
    parameter: str
    figures: tuple[Figure, ...]

    def of(self, results: Results, drive: int) -> list[Value | None]:
        """Its values of one drive."""
        if self.parameter:
            return [results.values[drive][self.parameter]]
        own = results.rows[drive]
        return [own[one.key][one.quantity] if one.key in own else None for one in self.figures]


class Bound(NamedTuple):
    """What must hold, in base units; of several figures all."""

    subject: Subject
    limit: Limit
    value: float

    @property
    def text(self) -> str:
        """As typed."""
        return self.limit.text

    def holds(self, results: Results, drive: int) -> bool:
        """Whether it does; a figure that a drive did not give holds nothing."""
        own = self.subject.of(results, drive)
        return all(isinstance(value, int | float) and self.limit.holds(value, self.value) for value in own)


class Wish(NamedTuple):
    """What is to be most or least, and what must hold."""

    text: str
    subject: Subject
    most: bool
    bounds: tuple[Bound, ...]

    def allowed(self, results: Results) -> list[int]:
        """The drives for which everything holds, the best first."""
        own = [i for i in range(len(results.rows)) if all(bound.holds(results, i) for bound in self.bounds)]
        told = {i: value for i in own if isinstance(value := self.subject.of(results, i)[0], int | float)}
        return sorted(told, key=lambda i: told[i], reverse=self.most)


def wish(results: Results, best: str, where: Sequence[str]) -> Wish | None:
    """What was asked for; None where nothing was. BadInput says what cannot be understood."""
    if not best:
        if where:
            raise BadInput("--where says what must hold of the best designs; --best says which these are")
        return None
    match = _WISH.fullmatch(best.strip())
    if not match:
        raise BadInput(f"{best!r} names nothing to be best; write it like 'iops[saturated]' or 'least flash.spare_pct'")
    subject = _subject(results, match[2], _words(match[3]), best)
    if len(subject.figures) > 1:
        told = ", ".join(
            f"{one.key.test} {one.key.phase} {one.key.state} {one.key.load}" for one in subject.figures[:4]
        )
        raise BadInput(f"the best of {best!r} is of {len(subject.figures)} figures, and must be of one: {told}")
    if subject.parameter and not isinstance(results.values[0][subject.parameter], int | float):
        raise BadInput(f"{subject.parameter} is no number, so none is the best of it")
    usual = QUANTITIES[subject.figures[0].quantity].more_is_better if subject.figures else False
    return Wish(best, subject, WAYS.get(match[1] or "", usual), tuple(bound(results, text) for text in where))


def bound(results: Results, text: str) -> Bound:
    """What must hold, as typed."""
    limit = limits.parsed(text)
    subject = _subject(results, limit.name, limit.where, text)
    return Bound(subject, limit, limit.bound(subject.figures[0].quantity if subject.figures else ""))


def _subject(results: Results, name: str, where: Sequence[str] | None, text: str) -> Subject:
    if where is None and name in results.design.parameters:
        return Subject(name, name, ())
    quantity = OTHER_NAMES.get(name.lower(), name.lower())
    if quantity not in QUANTITIES:
        known = ", ".join([*QUANTITIES, *results.design.parameters])
        raise BadInput(f"{text!r} names neither a quantity nor a parameter of this sweep; there are {known}")
    return Subject(text, "", tuple(picked(results, quantity, where or ())))


def _words(told: str | None) -> list[str] | None:
    return None if told is None else [word.strip() for word in told.split(",") if word.strip()]


def chosen(results: Results, asked: Sequence[str]) -> list[Figure]:
    """The figures that were asked for, written like those of `--best`."""
    found: list[Figure] = []
    for text in asked:
        match = _WISH.fullmatch(text.strip())
        if not match or match[1]:
            raise BadInput(f"{text!r} is no figure; write it like 'iops[saturated]'")
        subject = _subject(results, match[2], _words(match[3]) or (), text)
        found += subject.figures
    return list(dict.fromkeys(found))
