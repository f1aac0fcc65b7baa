"""Suitability: every use with its mark and reasons (`judgement`, uses.toml)."""

from collections.abc import Iterator, Sequence

from stend.findings import Confidence, Finding, Sheet, Side
from stend.findings.judgement import FIT, concluded
from stend.model.record import Run

OF_ALL = True
"""This finding needs all other findings."""
SURE: dict[str, Confidence] = {"can't tell": "can't tell", "doubt": "low"}


def find(run: Run, sheet: Sheet, others: Sequence[Finding]) -> Iterator[Finding]:
    """Yield one finding per use that a drive of this kind is judged for."""
    for use in concluded(run, sheet, others).uses:
        side: Side = "pro" if use.mark in FIT else "con" if use.mark == "no" else ""
        values = {"use": use.use, "why": use.why()}
        yield Finding(key=use.key, values=values, confidence=SURE.get(use.mark, "medium"), side=side)
