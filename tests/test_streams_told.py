"""Streams of a captured workload in the review: which they are, what each gives alone, what all do to each other."""

from pathlib import Path

import pytest

from stend import findings, store
from stend.charts import pictures
from stend.cli import main
from stend.findings.look import streams
from stend.model.record import Run
from stend.report.story.telling import story
from stend.sentences import finding_said
from stend.suite._streams import USUAL
from stend.words import Language

pytestmark = [pytest.mark.slow, pytest.mark.together]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("streams") / "run"
    words = ["multi-wsat", "individual-streams", "--target", "sim:small", "--quick", "--seed", "1"]
    assert main(["run", *words, "--into", str(folder)]) == 0
    return store.load(folder)


def test_each_stream_is_named_with_its_share_and_what_it_gives_alone(run: Run) -> None:
    chapter = story([(None, run, {})], [], "en").section("streams")
    (table,) = chapter.tables
    labels = [Language("en").show(stream.label, "load") for stream in USUAL]
    assert [row[0] for row in table.rows] == [*labels, "all at once"]
    assert [row[1] for row in table.rows] == ["46%", "17%", "16%", "8%", "7%", "6%", "100%"]
    alone = {Language("en").show(row.label, "load"): row.alone for row in streams.streams(run)}
    for row in table.rows[:-1]:
        own = alone[row[0]]
        assert own is not None
        last = run.of("individual-streams", own.phase)[-1]
        assert own.workload == last.step.workload  # type: ignore[union-attr]
        assert row[2] == Language("en").show(own.iops, "rate")


def test_both_pictures_have_a_mark_for_each_stream_once_a_run(run: Run) -> None:
    multi, individual = run.plan.tests
    shares, rates = pictures("streams", run, multi, "en")
    assert not list(pictures("streams", run, individual, "en"))
    assert [row["share"] for row in shares.spec["datasets"]["rows"]] == [stream.share for stream in USUAL]
    drawn = {row["stream"]: row["iops"] for row in rates.spec["datasets"]["rows"]}
    assert len(drawn) == len(USUAL) + 1
    mix = streams.together(run)
    assert mix is not None
    assert drawn["all at once"] == pytest.approx(mix.iops, rel=1e-4)


def test_what_streams_do_to_each_other_is_told_by_their_rates_alone_and_their_shares(run: Run) -> None:
    alone = {row.label: row.alone.iops for row in streams.streams(run) if row.alone}
    foretold = 1 / sum(stream.share / 100 / alone[stream.label] for stream in USUAL)
    assert streams.expected_iops(run) == pytest.approx(foretold)
    found = [one for one in findings.find(run) if one.name == "streams"]
    (both,) = [one for one in found if one.key in ("alike", "disturbed", "helped")]
    assert both.values["foretold"] == pytest.approx(foretold)
    for one in found:
        for lang in ("en", "ru"):
            assert "{" not in finding_said(one, Language(lang))


def test_a_run_with_streams_alone_says_no_more_than_it_knows(tmp_path: Path) -> None:
    words = ["multi-wsat", "--target", "sim:small", "--quick", "--seed", "1", "--into", str(tmp_path / "run")]
    assert main(["run", *words]) == 0
    run = store.load(tmp_path / "run")
    assert streams.expected_iops(run) is None
    assert all(row.alone is None for row in streams.streams(run))
    assert {one.key for one in findings.find(run) if one.name == "streams"} <= {"mix", "mix_tail"}
