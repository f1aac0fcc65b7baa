"""A percentile hardly above the mean of its load is the time in the queue: it is no tail, and no second fact.

With N outstanding IOs the mean is N / IOPS (Little's law), so that rate, mean and such a percentile are one figure.
"""

from dataclasses import replace

import pytest

from stend import findings
from stend.charts.beside import Side
from stend.findings.judgement import judge
from stend.findings.judgement.evidence import Known
from stend.findings.look.figures import listed
from stend.report.story import page_one, questions, telling, together
from stend.report.story.alike import alike
from stend.report.story.page_one import Review
from stend.report.story.tables import server_tables
from stend.words import LANGUAGES, Language
from tests import synthetic
from tests.synthetic import Truth, made
from tests.test_story import seen

EN = Language("en")
HIGH = {"reads": 9e4, "writes": 9e4, "start": 9e4, "fall": 1.0, "longest": 0.06, "uneven": 1.0, "stream_end": 5e8}
FAST = Truth(noise=0.0, steady_iops=2e5, write_bps=1e11, read_bps=1e11)
EVEN = ((1.0, 1.0),)
TAILED = ((1.0, 0.99), (20.0, 0.01))


@pytest.fixture(params=[EVEN, TAILED], ids=["even", "tailed"])
def queued(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Let response times of the synthetic drive be even or have a tail, and return which."""
    monkeypatch.setattr(synthetic, "SHAPE", request.param)
    monkeypatch.setattr(synthetic, "TOTAL", 1.0)
    return bool(request.param is EVEN)


def saturated(steady_iops: float) -> Review:
    """Return the review of a saturation of a small drive."""
    truth = Truth(capacity_bytes=16 << 30, steady_iops=steady_iops, noise=0.0)
    return telling.reviewed(made("write-saturation", truth=truth, shorten=20, interval_s=10.0), {}, EN)


def test_a_percentile_that_is_only_the_queue_is_told_as_such(queued: bool) -> None:
    review = saturated(20_000)
    assert ("write_queued" in review.figures) is queued
    asked = next(question for question in questions.questions() if question.name == "saturation")
    *_, answer = telling._answer(asked, review)
    assert ("about as long as the mean: this is time in the queue" in answer) is queued
    assert ("write_tail" in page_one.shown(review)) is not queued


def test_no_use_is_argued_with_a_percentile_that_is_only_the_queue() -> None:
    tail = {"write_tail": 0.031, "write_tail_at": 128.0}
    plain, queue = judge(Known(HIGH | tail), "flash"), judge(Known(HIGH | tail | {"write_queued": 1.0}), "flash")
    assert any(reason.figure == "write_tail" for use in plain for reason in use.reasons)
    assert not any(reason.figure == "write_tail" for use in queue for reason in use.reasons)
    assert not any("write-saturation" in use.missing for use in queue)


def test_the_tail_of_a_saturation_that_is_only_the_queue_has_no_class(queued: bool) -> None:
    (found,) = [f for f in findings.find(saturated(20_000).run, {}) if f.name == "tail"]
    assert found.key == ("queue" if queued else "class")


def test_rate_and_percentile_of_one_load_count_once(queued: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "usable", lambda review: review.figures)
    reviews = {"A": saturated(20_000), "B": saturated(40_000)}
    counted = [lead.figure for lead in together.leads(reviews)]
    assert "writes" in counted
    assert ("write_tail" in counted) is not queued


def profiled(half_depth: float) -> Review:
    """Return the review of the profiles of a drive that needs such a depth for half its rate."""
    run = made("profiles", truth=replace(FAST, half_depth=half_depth), shorten=20)
    return telling.reviewed(run, {}, EN)


def test_profiles_of_several_drives_are_compared_with_as_many_outstanding_ios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "usable", lambda review: review.figures)
    single = {"A": profiled(1.0), "B": profiled(100.0)}
    depths = [review.figures["server_depth"] for review in single.values()]
    assert depths[0] < depths[1]
    reviews = alike(single)
    assert {review.figures["server_depth"] for review in reviews.values()} == {depths[1]}
    for review in reviews.values():
        rows = listed(review.run, "profiles", "file-server")
        (row,) = [r for r in rows if (r.workload.outstanding, r.direction) == (depths[1], "both")]
        assert (review.figures["server"], review.figures["server_wait"]) == (row.iops, row.number("mean"))
    tables = list(server_tables([Side(name, own.run) for name, own in single.items()], EN))
    assert [table.rows[0][1] for table in tables] == [f"{depths[1]:.0f}"] * 2
    for table in tables:  # by hand: the rates add up, and the mean is that of both ways by their rates
        total, reads, writes = (float(table.rows[0][n].replace(",", "")) for n in (2, 3, 4))
        assert total == pytest.approx(reads + writes, abs=1.5)
        mean, read, write = (float(table.rows[0][n].split()[0]) for n in (6, 7, 8))
        assert mean * total == pytest.approx(read * reads + write * writes, rel=0.02)
    _, figures, *_ = together.tables(reviews, EN)
    assert figures.rows[0][0] == EN("together.at_depth", name="File server profile", depth=depths[1])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_counts_of_the_headline_add_up_to_the_rows_of_its_table(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "usable", lambda review: review.figures)
    monkeypatch.setattr(together, "_figures", lambda reviews: ["reads", "seq_read", "server"])
    plain, words = seen({"read": "yes"}), Language(lang)
    values = {"reads": (8e5, 4e5), "seq_read": (3e9, 3e9), "server": (1e4, 2e4), "server_depth": (8.0, 16.0)}
    reviews = {n: plain._replace(figures={k: v[i] for k, v in values.items()}) for i, n in enumerate("AB")}
    _, figures, *_ = together.tables(reviews, words)
    text = together.headline(reviews, words)
    assert len(figures.rows) == 3
    assert words("together.unranked_in", n=1, of=3) in text
    assert words("together.equal_in_of_two", n=1, of=3) in text
