"""An opinion on one statement: the numbers that are wrong, the facts that it states and those that it may state."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from stend.findings import Finding
from stend.words import texts
from tests.drives.course import ABOUT, NEAR, near
from tests.drives.law import SURE, Played

IGNORED = {"state", "phase", "rule", "records", "load", "blur", "all", "test", "about", "what"}
"""Names that are no numbers about the drive."""
DERIVED = {"end", "ratio", "settled_s", "scatter", "rate", "link", "busy", "threads", "rates", "levels", "own"}
"""Values that are statements only where the sentence shows them."""
Test = Callable[[Any], bool]


@dataclass
class Opinion:
    """What a judge says of one statement.

    `facts` are stated, `tells` are those that a careful expert states; `most` is the highest confidence that the record
    allows; `unjudged` are names of values that no judge knows.
    """

    finding: Finding
    text: str
    wrong: list[str] = field(default_factory=list)
    facts: set[str] = field(default_factory=set)
    tells: frozenset[str] = frozenset()
    most: int = SURE
    unjudged: list[str] = field(default_factory=list)
    judged: set[str] = field(default_factory=set)

    @property
    def within(self) -> float:
        """The tolerance of a place: wider where the sentence says "about"."""
        return ABOUT if "about" in self.text.lower() else NEAR

    def fact(self, name: str, truth: bool, why: str) -> None:
        """Hold a statement of the sentence against its truth."""
        if not truth:
            self.wrong.append(f"{name}: {why}")

    def number(self, name: str, *truths: float, within: float = NEAR) -> None:
        """Hold a value against its true values, where the finding has it."""
        self.test(name, lambda value: any(near(value, truth, within) for truth in truths), truths)

    def test(self, name: str, holds: Test, truths: Iterable[float] = ()) -> None:
        """Hold a value against a test."""
        if name in self.finding.values and (name not in DERIVED or self.shows(name)):
            self.judged.add(name)
            value = self.finding.values[name]
            value = value[0] if isinstance(value, tuple) and isinstance(value[0], int | float) else value
            if not holds(value):
                shown = " or ".join(f"{truth:,.4g}" for truth in truths)
                stated = f"{value:,.4g}" if isinstance(value, int | float) else str(value)
                self.wrong.append(f"{name} {stated}, true {shown}")

    def shows(self, name: str) -> bool:
        """Return whether the sentence shows a value."""
        template = texts("en")[f"finding.{self.finding.name}.{self.finding.key}"]
        return name in self.finding.values and f"{{{name}" in template

    def close(self) -> "Opinion":
        """Name the values that nobody judged."""
        left = set(self.finding.values) - self.judged - IGNORED - {name for name in DERIVED if not self.shows(name)}
        self.unjudged = [name for name in left if not isinstance(self.finding.values[name], str)]
        return self


Judge = Callable[[Finding, Played, str], Opinion | None]
