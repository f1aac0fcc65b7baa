"""The cause of a chapter's figures: at most one sentence, only with evidence in the run's record."""

from collections.abc import Sequence

from stend.findings import Finding
from stend.report.story.page_one import sentence
from stend.sentences import finding_said
from stend.words import Language

FIRST = ("mix_slower", "mixed_rounds", "falls_profile", "falls_profiles", "falls_beyond")
"""Causes of what a reader would not expect. A page states them before the causes of other tests of the chapter."""


def because(findings: Sequence[Finding], tests: Sequence[str], words: Language) -> str:
    """Return the sentence of the most important cause of these tests, or an empty string without evidence of one."""
    causes = [finding for finding in findings if finding.name == "cause" and finding.test in tests]
    causes.sort(key=lambda cause: (cause.key not in FIRST, -cause.values.get("seconds", 0.0)))  # the longest throttling
    return next((sentence(finding_said(cause, words)) for cause in causes), "")
