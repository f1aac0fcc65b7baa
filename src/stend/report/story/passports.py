"""The logs of an inspected drive side by side: one row per value, with the log that states it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stend.charts.beside import Side
from stend.findings import look
from stend.findings.look.inspected import TESTS, counts
from stend.model.record import Run
from stend.report.parts import Table
from stend.report.story.drives import measured, titled
from stend.words import Language

PARTS = {"hours": "whole", "written_bytes": "gb", "wear_pct": "whole", "spare": "whole", "counts": "whole"}
"""Parts of a passport in the order of the table, and the shapes of their values."""


def passport_tables(sides: Sequence[Side], words: Language) -> Iterator[Table]:
    """Yield a table per inspected drive: the values that its logs state."""
    head = tuple(words(f"passport.{name}") for name in ("what", "log", "value"))
    for side, run in measured(sides):
        if rows := tuple(_rows(run, words)) if look.tests(run, *TESTS) else ():
            yield Table(titled(words("passport.title"), side, sides), head, rows, (2,), words("passport.note"))


def _rows(run: Run, words: Language) -> Iterator[tuple[str, str, str]]:
    passport: Mapping[str, Any] = run.plan.device.facts.get("passport") or {}
    for part, shape in PARTS.items():
        for name, value in counts(passport, part).items():
            row = f"passport.{part}_{name}" if part in ("counts", "spare") else f"passport.{part}"
            log = "SMART" if part in ("counts", "spare") else name
            yield words(row) if words.knows(row) else name, log, words.show(value, shape)
