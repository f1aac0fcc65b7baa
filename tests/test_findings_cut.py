"""A run that was cut off anywhere has its findings and its page: what was not measured yet is not asked."""

import pytest

from stend import findings, suite
from stend.model.events import Ended, Event, Result
from stend.model.record import Run
from stend.report import html
from stend.report.parts.made import page
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events


@pytest.mark.parametrize("test", suite.names())
def test_a_run_that_was_cut_off_anywhere_has_its_findings_and_its_page(test: str) -> None:
    every = events([test], Truth(), interval_s=10.0, shorten=60, rounds=3)
    results = [place for place, event in enumerate(every) if isinstance(event, Result)]
    for last in sorted({*results[:3], results[len(results) // 3], results[len(results) // 2]}):
        run = cut(every, last)
        for finding in findings.find(run):
            assert all(finding_said(finding, Language(lang)) for lang in LANGUAGES)
    assert html.rendered(page([(None, cut(every, results[0]), {})], "en", "review")).rstrip().endswith("</html>")


def cut(every: list[Event], before: int) -> Run:
    """The run as it is when somebody stops it before that result."""
    result = every[before]
    assert isinstance(result, Result)
    return Run([*every[:before], Ended(t=result.t, outcome="stopped")])
