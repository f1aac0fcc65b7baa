"""Streams of a workload that nobody captured are said to be an example."""

import pytest
from msgspec.structs import replace

from stend.charts.parts.sides import Side
from stend.model.record import Run
from stend.report.story.tables import stream_tables
from stend.words import Language
from tests.synthetic import made


def run_of(source: str) -> Run:
    run = made("multi-wsat", shorten=60, interval_s=10.0)
    (test,) = run.plan.tests
    captured = replace(test, profile=replace(test.profile, options=test.profile.options | {"source": source}))
    run.started[0] = replace(run.started[0], plan=replace(run.plan, tests=(captured,)))
    return run


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(("source", "example"), [("", True), ("/captures/shop.steps", False)])
def test_streams_without_a_capture_are_called_an_example(source: str, lang: str, *, example: bool) -> None:
    words = Language(lang)
    (table,) = stream_tables([Side("Drive", run_of(source))], words)
    assert (words("says.stream_example") in table.note) is example
    assert words("says.stream_shares") in table.note
    assert "captur" not in table.title
