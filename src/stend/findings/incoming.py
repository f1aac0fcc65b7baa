"""The verdict of an inspection: fit to be tested, look here first, or send it back, each with its reasons.

It says nothing about remaining life. Only what the run found counts. What could not be read is named.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stend.findings import Confidence, Finding, Sheet, look
from stend.findings.look.grounds import Because
from stend.findings.look.inspected import FIT, FIT_SHORT, LOOK_FIRST, SEND_BACK, TESTS
from stend.model.record import Run

DISTURBED = ()
"""No conclusion here depends on the load."""
OF_ALL = True
"""This finding needs all other findings."""
BACK = {
    "surface": ("shrunk", "unreadable"),
    "passport": (
        *("failing", "hours", "too_fast", "older", "serials", "spare", "wear", "uncorrectable", "self_test"),
        *("warning_spare", "warning_unreliable", "warning_read_only", "warning_backup"),
    ),
}
"""Findings that a buyer need not accept."""
SOURCES = ("surface", "passport", "untouched")
MOST = 4
"""Reasons that the verdict shows."""


class Inspection(NamedTuple):
    """The verdict and the findings that are its reasons, the weightiest first."""

    verdict: str
    reasons: tuple[Finding, ...]


def judged(run: Run, findings: Sequence[Finding]) -> Inspection:
    """Return the verdict of an inspection from its findings, or `look` if the run did not end."""
    cons = [f for f in findings if f.name in SOURCES and f.side == "con"]
    back = [f for f in cons if f.key in BACK.get(f.name, ())]
    reasons = (*back, *(f for f in cons if f not in back))
    unfinished = run.outcome != "complete"
    return Inspection(SEND_BACK if back else LOOK_FIRST if cons or unfinished else FIT, tuple(reasons))


def find(run: Run, sheet: Sheet, others: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the verdict with its reasons as clauses."""
    for test in look.tests(run, *TESTS):
        verdict = judged(run, others)
        reasons = tuple(Because(f"{f.name}_{f.key}", f.values) for f in verdict.reasons[:MOST])
        if len(verdict.reasons) > MOST:
            reasons = (*reasons, Because("inspection_more", {"n": len(verdict.reasons) - MOST}))
        if run.outcome != "complete":
            reasons = (*reasons, Because("inspection_unfinished"))
        short = any(f.name == "surface" and f.key == "unsure" and f.test == test.name for f in others)
        key = FIT_SHORT if verdict.verdict == FIT and short else verdict.verdict
        sure: Confidence = "medium" if verdict.verdict == FIT else "high"
        values = {"why": reasons} if reasons else {}
        yield Finding(key=key, test=test.name, values=values, confidence=sure)
