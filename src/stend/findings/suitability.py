"""What the drive is for: every use with its mark and reasons, and one verdict over all (`judgement`, uses.toml)."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.findings import Finding, Sheet, Side
from stend.findings.judgement import MOST_REASONS, Judged, Missing, Verdict, verdict
from stend.findings.judgement.evidence import evidence
from stend.record import Run

NAME = "suitability"
OF_ALL = True
"""It rests on the other findings."""
SAYS = {
    "yes": ("Fit for {use:t:use_for.}: {reasons}.", "Годится для {use:t:use_for.}: {reasons}."),
    "doubt": (
        "Fit for {use:t:use_for.} with doubts: {reasons}.",
        "Для {use:t:use_for.} годится с оговорками: {reasons}.",
    ),
    "no": ("Not fit for {use:t:use_for.}: {reasons}.", "Для {use:t:use_for.} не годится: {reasons}."),
    "unknown": (
        "Can't tell whether it is fit for {use:t:use_for.}: {tests} would tell.",
        "Годится ли для {use:t:use_for.}, сказать нельзя: это покажет {tests}.",
    ),
}
KEYS = {"yes": "yes", "doubt": "doubt", "no": "no", "can't tell": "unknown"}


def find(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Iterator[Finding]:
    """One for each use that a drive of this kind is asked."""
    for one in concluded(run, sheet, found).uses:
        side: Side = "pro" if one.mark == "yes" else "con" if one.mark == "no" else ""
        known = not run.unmet and one.mark != "can't tell"
        sure: Any = "can't tell" if one.mark == "can't tell" else "medium" if known else "low"
        yield Finding(name=NAME, key=KEYS[one.mark], values=_values(one), confidence=sure, side=side)


def _values(one: Judged) -> dict[str, Any]:
    return {"use": one.use, "reasons": one.reasons[:MOST_REASONS], "tests": (Missing(one.missing),)}


def concluded(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Verdict:
    """The whole judgement of a run."""
    return verdict(evidence(run, sheet, found), kind(run))


def kind(run: Run) -> str:
    """ "disk", "array" or "flash"."""
    drive = run.plan.device
    if drive.rotational:
        return "disk"
    return (
        "array" if "raid" in f"{drive.interface} {drive.kind} {drive.model}".lower() or drive.kind == "md" else "flash"
    )
