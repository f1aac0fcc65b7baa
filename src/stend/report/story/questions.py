"""The questions of a review: questions.toml, with the conditions of each answer."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence of evidence, by its key in the section of the question, and the conditions under which it is shown."""

    needs: tuple[str, ...]
    key: str
    above: dict[str, float] = {}
    below: dict[str, float] = {}
    above_ratio: tuple[str, str, float] | None = None
    below_ratio: tuple[str, str, float] | None = None

    def holds(self, figures: Mapping[str, float]) -> bool:
        """Return whether its figures are known and its conditions met."""
        ratio = self.above_ratio or self.below_ratio
        if any(name not in figures for name in (*self.needs, *(ratio[:2] if ratio else ()))):
            return False
        checks = [figures.get(name, 0.0) >= bound for name, bound in self.above.items()]
        checks += [figures.get(name, 0.0) < bound for name, bound in self.below.items()]
        if ratio:
            checks.append((figures[ratio[0]] >= ratio[2] * figures[ratio[1]]) == bool(self.above_ratio))
        return all(checks)


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chapter, whose texts are in the section `question.NAME` of a language.

    `pictures` are (chart file, first picture, number); `findings` are those whose sentences answer it too.
    """

    name: str
    tests: tuple[str, ...]
    answers: tuple[Answer, ...] = ()
    charts: tuple[str, ...] = ()
    pictures: tuple[tuple[str, int, int], ...] = msgspec.field(default=(), name="own")
    findings: tuple[str, ...] = ()


@cache
def questions() -> tuple[Question, ...]:
    """Return the questions of questions.toml."""
    text: Any = (resources.files(__package__) / "questions.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, tuple[Question, ...]])["question"]
