"""Streams of a workload that nobody captured are said to be an example, and each test by what it runs."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from stend import findings, suite
from stend.charts.parts.sides import Side
from stend.findings import depth_scaling
from stend.findings.look import streams as streams_of
from stend.model.definition import Workload
from stend.model.record import Run
from stend.model.workload import Stream
from stend.report.parts.method import named_clause
from stend.report.story.tables import stream_tables
from stend.sentences import finding_said
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


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_each_test_of_streams_alone_is_described_by_what_it_runs(lang: str) -> None:
    """Only two of them together run the streams both at once and one at a time."""
    words, names = Language(lang), ("multi-wsat", "individual-streams", "rwsw-demand-intensity")
    assert len({words(f"question.streams.what_{name}") for name in names} | {words("question.streams.what")}) == 4
    assert all(words.knows(f"question.streams.what_{name}") for name in names)


def test_a_method_from_memory_is_named_in_the_language_of_the_page() -> None:
    for name in ("multi-wsat", "individual-streams", "rwsw-demand-intensity"):
        assert named_clause(suite.load(name).clause, Language("ru")) == "по образцу SNIA RWSW PTS, по памяти"


@pytest.mark.parametrize(
    ("rates", "key", "said"),
    [
        ((10, 19.5, 20), "scales", "For 95% of the highest IOPS, 8 are enough."),
        ((10, 15, 20), "deepest", "No smaller number in this test reaches 95% of that."),
    ],
)
def test_the_deepest_queue_is_not_called_enough(rates: tuple[float, ...], key: str, said: str) -> None:
    """Where the rate was still rising at the deepest queue, no depth of the test is known to be enough."""
    loads = (Workload(random_pct=100, read_pct=100, block_bytes=4096, depth=depth) for depth in (1, 8, 32))
    cells = [SimpleNamespace(workload=load, iops=iops) for load, iops in zip(loads, rates, strict=True)]
    found = depth_scaling._finding("latency-curve", cells)  # type: ignore[arg-type]
    assert found.key == key
    assert finding_said(replace(found, name="depth_scaling"), Language("en")).endswith(said)
    assert finding_said(replace(found, name="depth_scaling"), Language("ru"))


SMALL_READS, LARGE_READS, LOG = (
    Stream(share=share, random=random, read=read, block_bytes=block)
    for share, random, read, block in ((60, True, True, 4096), (40, True, True, 65536), (40, False, False, 4096))
)


@pytest.mark.parametrize(
    ("streams", "key", "said"),
    [
        ((SMALL_READS,), "single", "The workload's only stream reaches"),
        ((SMALL_READS, LARGE_READS), "mix", "Together, the workload's 2 streams reach"),
        ((LOG, replace(LOG, random=True)), "mix", "Together, the workload's 2 streams reach"),
        ((SMALL_READS, LOG), "mix", "Together, the workload's 2 streams reach"),
    ],
)
def test_the_streams_of_a_capture_of_one_kind_are_counted(
    monkeypatch: pytest.MonkeyPatch, streams: tuple[Stream, ...], key: str, said: str
) -> None:
    """A capture may have one stream, or only reads, or only writes."""
    monkeypatch.setattr("stend.suite.multi_wsat.applied", lambda profile: streams)
    run = made("multi-wsat", shorten=60, interval_s=10.0)
    first, *others = [finding for finding in findings.find(run) if finding.name == "streams"]
    assert first.key.removesuffix("_tail") == key
    assert not others
    assert finding_said(first, Language("en")).startswith(said)
    (table,) = stream_tables([Side("Drive", run)], Language("en"))
    assert len(table.rows) == len(streams) + 1
    assert len(streams_of.composition(run)) == len(streams)
