"""What every page says of a run in a few words: how it ended, its stamps, what was found."""

from stend.findings import Finding
from stend.model.record import Run
from stend.report.parts import Said
from stend.words import Language
from stend.words.sentences import finding_said


def stamps(run: Run, words: Language) -> tuple[str, ...]:
    """What every page must say, worst first."""
    titles = {test.name: words.title(test.name, test.title) for test in run.plan.tests}
    said = []
    for stamp in run.stamps:
        name, colon, rest = stamp.partition(": ")
        said.append(words.translated(f"{titles[name]}: {rest}" if colon and name in titles else stamp))
    virtual = [words("stamp.virtual")] if run.plan.device.virtual else []
    deviated = [words("stamp.deviations", n=len(run.plan.deviations))] if run.plan.deviations else []
    return (*said, *deviated, *virtual)


def verdict(run: Run, words: Language) -> str:
    """How the run ended, in a few words."""
    outcome = run.ended.outcome if run.ended else "unfinished"
    return words(f"outcome.{outcome.replace(' ', '_')}")


def said(finding: Finding, words: Language) -> Said:
    """A finding in words, with how sure it is."""
    confidence = words(f"confidence.{finding.confidence.replace(' ', '_').replace(chr(39), '')}")
    return Said(finding.name, finding_said(finding, words), confidence, finding.side)
