"""Findings and judgements as sentences of the catalogue: keys `finding.NAME.KEY` and `reason.FIGURE.ANSWER`."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stend.base.text import capital
from stend.findings import Finding
from stend.findings.judgement import Reason, Why
from stend.findings.look.grounds import Because
from stend.words import Language, Sentence
from stend.words.numbers import Exact


def finding_said(finding: Finding, words: Language) -> str:
    """Return a finding as a sentence. A value that is (number, shape) is formatted in that shape."""
    values = {name: _shown(value, words) for name, value in finding.values.items()}
    disturbed = values.pop("disturbed", None)
    text = capital(words(f"finding.{finding.name}.{finding.key}", **values))
    return text + words("because.disturbed", because=disturbed) if disturbed else text


def findings_said(findings: Sequence[Finding], words: Language) -> Iterator[str]:
    """Yield findings as sentences. What disturbed several of them is stated once, after the last one."""
    disturbed = _last([finding.values.get("disturbed") for finding in findings])
    for finding, cause in zip(findings, disturbed, strict=True):
        yield finding_said(msgspec.structs.replace(finding, values={**finding.values, "disturbed": cause}), words)


def _last(causes: Sequence[Because | None]) -> list[Because | None]:
    """Return causes with None in place of each that comes again later."""
    at = {str(cause): n for n, cause in enumerate(causes)}  # they hold dicts, which cannot be hashed
    return [cause if at[str(cause)] == n else None for n, cause in enumerate(causes)]


def reason_said(reason: Reason, words: Language, stated: str = "") -> str:
    """Return why a use fits or does not, as a clause, with its caveat; in short if `stated` has the whole clause."""
    values: dict[str, float] = reason.values
    if reason.near and reason.answer != "pass":
        values = values | {reason.figure: Exact(values[reason.figure])}
    clause = words(f"reason.{reason.figure}.{reason.key}", **values)
    short = f"reason.{reason.figure}.short"
    if reason.answer != "pass" and clause[1:] in stated and words.knows(short):
        clause = words(short, **values)
    return words("why.caveat", clause=clause, caveat=because_said(reason.caveat, words)) if reason.caveat else clause


def why_said(why: Why, words: Language, stated: str = "") -> str:
    """Return the reasons of a mark and what is missing, as clauses with semicolons between them. Reasons that the text
    `stated` has are short, and a caveat of several is after the last of them.
    """
    caveats = _last([reason.caveat for reason in why.reasons])
    clauses = [
        reason_said(msgspec.structs.replace(reason, caveat=caveat), words, stated)
        for reason, caveat in zip(why.reasons, caveats, strict=True)
    ]
    throttled = any(cause.key == "throttled" for cause in why.because)
    causes = [of_run(cause) for cause in why.because if not (throttled and cause.key == "hot")]
    clauses += dict.fromkeys(because_said(cause, words) for cause in causes)
    if why.tests:
        clauses.append(words("why.tests", tests=", ".join(words.title(name, name) for name in why.tests)))
    if why.facts:
        clauses.append(facts_said(why.facts, words))
    return "; ".join(clauses)


def because_said(why: Because, words: Language) -> str:
    """Return why a run cannot carry a conclusion, as a clause."""
    return words(f"because.{why.key}", **{name: _shown(value, words) for name, value in why.values.items()})


def of_run(why: Because) -> Because:
    """Return a reason for one of several runs: without the time that a drive throttled, or that a load took."""
    return Because(f"{why.key}_run") if why.key in ("throttled", "shortened") else why


def facts_said(facts: tuple[str, ...], words: Language) -> str:
    """Return that the drive sheet does not state these facts, as a clause."""
    return words("why.facts_" + "_".join(sorted(facts)))


def _shown(value: Any, words: Language) -> Any:
    match value:
        case Because():
            return because_said(value, words)
        case Why():
            return why_said(value, words)
        case Reason():
            return reason_said(value, words)
        case (int() | float() as number, str(shape)):
            return words.show(number, shape)
        case tuple():
            return "; ".join(_shown(part, words) for part in value)
    return words.translated(value) if isinstance(value, Sentence) else value
