"""What the drive is for: every use with its mark and reasons, and one verdict over all (`judgement`, uses.toml)."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.findings import Finding, Sheet, Side
from stend.findings.judgement import MOST_REASONS, Judged, Missing, concluded
from stend.record import Run

NAME = "suitability"
OF_ALL = True
"""It rests on the other findings."""


def find(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Iterator[Finding]:
    """One for each use that a drive of this kind is asked."""
    for one in concluded(run, sheet, found).uses:
        side: Side = "pro" if one.mark == "yes" else "con" if one.mark == "no" else ""
        known = not run.unmet and one.mark != "can't tell"
        sure: Any = "can't tell" if one.mark == "can't tell" else "medium" if known else "low"
        yield Finding(name=NAME, key=one.key, values=_values(one), confidence=sure, side=side)


def _values(one: Judged) -> dict[str, Any]:
    return {"use": one.use, "reasons": one.reasons[:MOST_REASONS], "tests": (Missing(one.missing),)}
