"""The questions of a review: questions.toml, with the conditions of each answer."""

import math
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from stend.words import Language


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
        ratios = [ratio for ratio in (self.above_ratio, self.below_ratio) if ratio]
        if any(name not in figures for name in (*self.needs, *(name for ratio in ratios for name in ratio[:2]))):
            return False
        checks = [figures.get(name, 0.0) >= bound for name, bound in self.above.items()]
        checks += [figures.get(name, 0.0) < bound for name, bound in self.below.items()]
        checks += [_ratio(figures, self.above_ratio) >= self.above_ratio[2]] if self.above_ratio else []
        checks += [_ratio(figures, self.below_ratio) < self.below_ratio[2]] if self.below_ratio else []
        return all(checks)


def _ratio(figures: Mapping[str, float], of: tuple[str, str, float]) -> float:
    """Return the first figure over the second; infinite over zero."""
    return figures[of[0]] / figures[of[1]] if figures[of[1]] else math.inf


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chapter, whose texts are in the section `question.NAME` of a language.

    `pictures` are (chart file, first picture, number) of the first test that has the chart; charts in `each` are drawn
    for every test that has them. `findings` are those whose sentences answer it too. `needs` are charts that are drawn
    only if a run of the page has the test.
    """

    name: str
    tests: tuple[str, ...]
    answers: tuple[Answer, ...] = ()
    charts: tuple[str, ...] = ()
    pictures: tuple[tuple[str, int, int], ...] = msgspec.field(default=(), name="own")
    each: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    needs: dict[str, str] = {}

    def described(self, tests: Collection[str], words: Language) -> str:
        """Return the description of the tests of a chapter; of a single one of them its own, if there is one."""
        own = f"question.{self.name}.what_{'+'.join(tests)}"
        return words(own if words.knows(own) else f"question.{self.name}.what")


@cache
def questions() -> tuple[Question, ...]:
    """Return the questions of questions.toml."""
    text: Any = (resources.files(__package__) / "questions.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, tuple[Question, ...]])["question"]
