"""Suitability: every use with its mark and reasons (`judgement`, uses.toml)."""

from collections.abc import Iterator, Sequence

from stend.findings import Confidence, Finding, Sheet, Side
from stend.findings.judgement import FIT, concluded
from stend.model.record import Run

NAME = "suitability"
OF_ALL = True
"""It needs the other findings."""
SURE: dict[str, Confidence] = {"can't tell": "can't tell", "doubt": "low"}


def find(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield one finding for each use that a drive of this kind is judged for."""
    for one in concluded(run, sheet, found).uses:
        side: Side = "pro" if one.mark in FIT else "con" if one.mark == "no" else ""
        values = {"use": one.use, "why": one.why()}
        yield Finding(name=NAME, key=one.key, values=values, confidence=SURE.get(one.mark, "medium"), side=side)
