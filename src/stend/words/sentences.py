"""What findings and judgements yield, as sentences of the catalogue: `finding.NAME.KEY`, `reason.FIGURE.ANSWER`."""

from typing import Any

from stend.findings import Finding
from stend.findings.judgement import Missing, Reason
from stend.findings.look.grounds import Because
from stend.words import Language


def finding_said(finding: Finding, words: Language) -> str:
    """A finding as a sentence of that language; a value that is (number, shape) brings its own shape."""
    values = {name: _shown(value, words) for name, value in finding.values.items()}
    disturbed = values.pop("disturbed", None)
    text = words(f"finding.{finding.name}.{finding.key}", **values)
    return text + words("because.disturbed", because=disturbed) if disturbed else text


def reason_said(reason: Reason, words: Language) -> str:
    """Why a use fits or does not, as a clause."""
    return words(f"reason.{reason.figure}.{reason.key}", **reason.values)


def _shown(value: Any, words: Language) -> Any:
    match value:
        case Because():
            return words(f"because.{value.key}", **{name: _shown(one, words) for name, one in value.values.items()})
        case Missing():
            return ", ".join(words(f"test.{name}") for name in value.tests)
        case Reason():
            return reason_said(value, words)
        case (int() | float() as number, str(shape)):
            return words.show(number, shape)
        case tuple():
            return "; ".join(_shown(one, words) for one in value)
    return value
