"""Short statements about a run for every page: how it ended, its stamps, its findings in words."""

from stend import findings
from stend.findings import Finding
from stend.model.record import Run
from stend.report.parts.method import departed
from stend.sentences import finding_said
from stend.words import Language, Sentence

HOT = ("counted", "throttled")
"""Findings on heat that every page must show: the drive throttled."""


def titles_of(run: Run, words: Language) -> dict[str, str]:
    """Return the titles of the tests of a run by their names."""
    return {test.name: words.title(test.name, test.title) for test in run.plan.tests}


def stamps(run: Run, words: Language, *, listed: bool = False) -> tuple[str, ...]:
    """Return the stamps that every page must show, the worst first; `listed` if the page lists the deviations below."""
    titles = titles_of(run, words)
    alike: dict[str, tuple[Sentence, list[str]]] = {}  # those that differ only in the test share one
    for stamp in run.stamps:
        test = stamp.values.get("test")
        about = f"{stamp.key} {stamp.values | {'test': ''}}" if test else stamp
        alike.setdefault(about, (stamp, []))[1].extend([titles[test]] if test else [])
    texts = [
        words.translated(Sentence(stamp.key, **stamp.values | {"test": ", ".join(tests)}) if tests else stamp)
        for stamp, tests in alike.values()
    ]
    ran = {result.where.test for result in run.results}
    if ran and (missing := [title for name, title in titles.items() if name not in ran]):
        texts.append(words("stamp.not_run", tests=", ".join(missing)))
    hot = [finding_said(f, words).rstrip(".") for f in findings.named("thermal", run, {}) if f.key in HOT]
    virtual = [words("stamp.virtual")] if run.plan.device.virtual else []
    asked = run.plan.deviations
    key = "stamp.deviations" if listed else "publish.why.deviations"
    deviated = [words(key, n=len(asked) + len(departed(run)))] if asked else []
    return (*texts, *hot, *deviated, *virtual)


def verdict(run: Run, words: Language) -> str:
    """Return how the run ended, in a few words."""
    return words(f"outcome.{run.outcome.replace(' ', '_')}")


def statement(finding: Finding, words: Language) -> tuple[str, str]:
    """Return a finding in words, and its confidence in words."""
    confidence = words(f"confidence.{finding.confidence.replace(' ', '_').replace(chr(39), '')}")
    return finding_said(finding, words), confidence
