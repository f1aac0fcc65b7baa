"""A run that cannot carry a verdict has none, and its headline says why."""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest

from stend.base.units import GiB
from stend.findings.judgement import Reason, verdict
from stend.findings.judgement.evidence import Known, evidence
from stend.findings.judgement.standing import standing
from stend.findings.look.because import Because
from stend.findings.look.saturated import Saturated
from stend.model.events import Source
from stend.model.record import Run
from stend.report.parts import Keys
from stend.report.story import telling
from stend.report.story.page_one import Review
from stend.report.story.verdict import verdict as headline
from stend.sentences import reason_said
from stend.words import LANGUAGES, Language, text
from tests import synthetic

FIGURES = {"capacity": 480e9, "read_wait": 1e-4, "start": 4e5, "stream_end": 5e8, "longest": 0.01}


def fresh() -> Run:
    """Return a whole run on a drive of 480 GB, as if it had not been shortened."""
    run = synthetic.made("fresh", shorten=60, rounds=5)
    _changed(shorten=1, quick=False)(run)
    return run


@cache
def whole() -> Run:
    """Return the same run each time, for tests that change nothing of it."""
    return fresh()


def _changed(**profile: Any) -> Callable[[Run], None]:
    def change(run: Run) -> None:
        plan = run.plan
        tests = tuple(
            msgspec.structs.replace(t, profile=msgspec.structs.replace(t.profile, **profile)) for t in plan.tests
        )
        run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(plan, tests=tests))

    return change


def _device(**facts: Any) -> Callable[[Run], None]:
    def change(run: Run) -> None:
        device = msgspec.structs.replace(run.plan.device, **facts)
        run.started[0] = msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, device=device))

    return change


def _range(share: float) -> Callable[[Run], None]:
    def change(run: Run) -> None:
        plan = msgspec.structs.replace(run.plan, range_bytes=int(share * run.plan.device.capacity_bytes))
        run.started[0] = msgspec.structs.replace(run.started[0], plan=plan)

    return change


def _imported(run: Run) -> None:
    run.started[0] = msgspec.structs.replace(run.started[0], source=Source("fio", "json", ()))


def _unfinished(run: Run) -> None:
    run.ended = None


def _damaged(run: Run) -> None:
    run.wrong = (text("line 7 was changed"),)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (_changed(quick=True), "shortened"),
        (_changed(minute_s=20.0), "shortened"),
        (_changed(shorten=60.0), "shortened"),
        (_device(capacity_bytes=134_217_728), "tiny"),
        (_device(kind="file"), "file"),
        (_range(0.1), "range"),
        (_imported, "imported"),
        (_unfinished, "unfinished"),
        (_damaged, "damaged"),
    ],
)
def test_a_run_that_carries_no_verdict_says_so_in_the_headline(change: Callable[[Run], None], key: str) -> None:
    run = fresh()
    assert standing(run) is None
    change(run)
    because = standing(run)
    assert because
    assert because.key == key
    judged = verdict(Known(FIGURES), "flash", because)
    assert {one.mark for one in judged.uses} == {"can't tell"}
    for lang in LANGUAGES:
        text = headline(Review(run, FIGURES, judged, (), "flash", Language(lang)))
        assert not any(text.startswith(word) for word in ("Fit", "Годится", "By perf", "По произв", "С оговор"))


@pytest.mark.parametrize(("why", "falling"), [("falling", True), ("fills", False), ("drifts", False)])
def test_a_saturation_that_ended_while_it_fell_is_a_figure_of_its_chapter(
    monkeypatch: pytest.MonkeyPatch, why: str, falling: bool
) -> None:
    monkeypatch.setattr(sys.modules[evidence.__module__], "_bounds", lambda *_: {"writes": Because(why)})
    assert ("still_falling" in evidence(whole(), {}, ()).figures) is falling


def test_the_tail_of_a_saturation_that_covers_too_little_is_not_called_unmeasured() -> None:
    truth = synthetic.Truth(capacity_bytes=40_000 * GiB, steady_iops=12_000, fresh_iops=12_500)
    known = evidence(synthetic.made("write-saturation", truth=truth, interval_s=60.0), {}, ())
    assert "write_tail" not in known.figures  # 10 h of 50 MB/s are 4 % of the capacity
    assert known.unusable["write_tail"].key == "fills"
    judged = {one.use: one for one in verdict(known, "array").uses}
    assert all("write-saturation" not in one.missing for one in judged.values())
    reads = Known({"reads": 30_000.0, "writes": 3_000.0, "fall": 2.0, "longest": 0.02, "server_wait": 1e-3})
    (read,) = (one for one in verdict(reads, "array").uses if one.use == "read")
    assert read.mark == "yes"  # no write is slower than the longest


def test_a_saturation_that_did_not_write_the_whole_drive_ends_at_its_own_rate() -> None:
    truth = synthetic.Truth(capacity_bytes=4_000 * GiB, fresh_iops=20_000, steady_iops=4_000)
    run = synthetic.made("fresh", "write-saturation", "iops", truth=truth, interval_s=60.0)
    _changed(shorten=1, quick=False)(run)
    known = evidence(run, {}, ())
    assert {"sat_s", "fallen_s", "held"}.isdisjoint(known.figures)
    assert known.figures["ended"] == pytest.approx(20_000, rel=0.05)
    assert known.figures["writes"] == pytest.approx(4_000, rel=0.05)  # of the filled drive, by another test
    for lang, share, full in (("en", "of the capacity was written", "after the fill"), ("ru", "ёмкости", "заполнения")):
        page = telling.story([(None, run, {})], [], lang)
        (section,) = (section for section in page.sections if section.anchor == "saturation")
        (answer,) = section.of_role("answer")
        assert Language(lang).show(known.figures["ended"], "said:rate") in answer
        assert share in answer
        assert Language(lang).show(4_000, "said:rate") not in answer
        titles = [key.name for block in page.lead.blocks if isinstance(block, Keys) for key in block.keys]
        assert any(full in title for title in titles)


@pytest.mark.parametrize(
    ("why", "even", "worse"), [("drifts", True, False), ("drifts", False, True), ("new", True, True)]
)
def test_a_rate_that_slid_down_to_a_level_may_not_become_worse(why: str, *, even: bool, worse: bool) -> None:
    slid = Saturated(560e3, 60.0, 390e3, 390e3, 36e3, 6e13, 18.8, even=even, why=Because(why))
    assert sys.modules[evidence.__module__]._worsens(slid) is worse


def test_a_reason_from_another_test_than_the_saturation_names_the_full_drive() -> None:
    full = Reason("writes", "pass", 3.0, {"writes": 53e3, "start": 95e3, "fall": 1.8})
    assert reason_said(full, Language("en")) == "random writes reach 53,000 IOPS on the full drive"
    saturated = Reason("writes", "pass", 3.0, {**full.values, "sat_s": 36e3})
    assert reason_said(saturated, Language("en")).startswith("continuous random writes end at 53,000")
