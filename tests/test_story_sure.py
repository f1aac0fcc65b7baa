"""Page one states what a run deviates in and what is certain of it: each sentence for the runs that it is true of."""

from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from stend.findings import Finding
from stend.findings.judgement.named import of_findings
from stend.model.record import Run
from stend.planning.plan import load_profile
from stend.report.parts import Pair
from stend.report.story import certainty, questions, telling
from stend.report.story.page_one import sentence
from stend.suite import load
from stend.words import LANGUAGES, Language
from tests.synthetic import made


@cache
def run_of(*tests: str) -> Run:
    return made(*tests, shorten=600, rounds=2, interval_s=10.0)


def sentences(run: Run, lang: str = "en") -> list[str]:
    return list(certainty.certainty(telling.reviewed(run, {}, Language(lang))))


def planned(run: Run, **changes: Any) -> Run:
    """Return the run with another plan."""
    started = [replace(one, plan=replace(one.plan, **changes)) for one in run.started]
    return Run([*started, *run.results, *([run.ended] if run.ended else [])])


PTS, REVIEWS, INSPECTION = "modelled on SNIA PTS", "modelled on hardware reviews", "only read"


@pytest.mark.parametrize(
    ("tests", "named"),
    [
        (("iops",), {PTS}),
        (("block-sweep", "profiles"), {REVIEWS}),
        (("iops", "block-sweep"), {PTS, REVIEWS}),
        (("inspect",), {INSPECTION}),
        (("inspect", "iops"), {INSPECTION}),
    ],
)
def test_the_methods_are_those_of_the_tests_of_the_run(tests: tuple[str, ...], named: set[str]) -> None:
    every = sentences(run_of(*tests))
    assert {text for text in (PTS, REVIEWS, INSPECTION) if text in " ".join(every)} == named
    assert Language("en")("story.one_model") in every


def test_a_scaled_drive_states_for_how_many_each_io_stands() -> None:
    run, words = run_of("iops"), Language("en")
    assert run.plan.device.scale == 1
    scaled = planned(run, device=replace(run.plan.device, facts={**run.plan.device.facts, "scale": 2}))
    assert [text for text in sentences(scaled) if text not in sentences(run)] == [words("column.note_scaled", scale=2)]


def test_at_most_so_many_deviations_are_stated_and_the_tests_that_were_not_steady_are_named() -> None:
    run, most = run_of("iops"), certainty.MOST_DEVIATIONS
    many = planned(run, deviations=tuple(f"deviation {n}" for n in range(most + 2)))
    assert [text for text in sentences(many) if "eviation " in text] == [f"Deviation {n}." for n in range(most)]
    unmet = Language("en")("story.unmet", tests="IOPS")
    assert [unmet in sentences(run_of(test)) for test in ("iops", "inspect")] == [True, False]


def test_the_tests_whose_settings_depart_from_the_specification_are_named_and_no_others() -> None:
    """A plan of two rounds departs (PTS 2.0.2 allows 25); with its own settings again a test does not."""
    run = run_of("iops", "throughput")
    told = "settings differ from PTS 2.0.2: {}. The section “Method and deviations” lists them."
    assert f"In 2 tests the {told.format('IOPS, Throughput')}" in sentences(run)
    first, second = run.plan.tests
    usual = replace(
        first, profile=load_profile("enterprise-2.0.2").for_drive(run.plan.device).for_test("iops", load("iops"))
    )
    assert f"In 1 test the {told.format('Throughput')}" in sentences(planned(run, tests=(usual, second)))
    assert not [text for text in sentences(planned(run, tests=(usual,))) if "settings differ" in text]


@pytest.mark.parametrize(("range_of_mean", "stated"), [(0.2, False), (0.45, False), (0.55, True), (1.64, True)])
def test_a_window_that_scatters_although_its_rule_is_met_is_stated_with_its_range(
    range_of_mean: float, *, stated: bool
) -> None:
    run = made("iops", rounds=6, shorten=600, interval_s=10.0)
    last = [one for one in run.judged if one.verdicts][-1]
    wide = [replace(v, excursion=range_of_mean * v.average) for v in last.verdicts]
    settled = Run([*run.started, *run.results, replace(last, verdicts=tuple(wide), steady=True)])
    for lang, share in (("en", f"{range_of_mean:.0%}"), ("ru", f"{100 * range_of_mean:.0f}")):
        words, every = Language(lang), sentences(settled, lang)
        assert any(share in text and words.title("iops", "IOPS") in text for text in every) is stated
        assert (words("story.met") in every, words("story.steady") in every) == (stated, not stated)


@pytest.mark.parametrize(("level", "stated"), [("raid0", True), ("raid10", False), ("raid5", False), ("", False)])
def test_an_array_known_to_be_of_raid_0_has_its_lack_of_redundancy_against_it(level: str, *, stated: bool) -> None:
    run = run_of("block-sweep")
    run = planned(run, device=replace(run.plan.device, facts=run.plan.device.facts | {"level": level}))
    for lang in LANGUAGES:
        page = telling.story([(None, run, {})], [], lang)
        against = [
            item.text
            for section in (page.lead, *page.sections)
            for block in section.blocks if isinstance(block, Pair)
            for items in block.lists
            for item in items.items if item.mark == "con"
        ]  # fmt: skip
        assert against.count(sentence(Language(lang)("reason.redundant.doubt"))) == 2 * stated


def test_a_fall_without_a_visible_cache_is_stated_in_its_chapter() -> None:
    """The rate of a worn-out QLC drive jumps to and fro: it ends at a sixteenth of its first rate all the same."""
    (chapter,) = (one for one in questions.questions() if one.name == "cache")
    for fall, keys in ((16.0, ["answer_11"]), (1.2, ["answer_12"]), (1.0, [])):
        figures = {"cache_fall": fall, "stream_end": 103e6}
        assert [answer.key for answer in chapter.answers if answer.holds(figures)] == keys


@pytest.mark.parametrize(
    ("figures", "keys"),
    [
        ({"fall": 5.0, "still_falling": 1.0}, ["answer_1", "answer_6"]),
        ({"fall": 5.0}, ["answer_1"]),
        ({"fall": 5.0, "fallen_s": 60.0}, ["answer_1", "answer_11"]),
        ({"fall": 5.0, "fallen_s": 30e3}, ["answer_1"]),  # it took nearly the whole time
        ({"fall": 5.0, "knee_s": 29.0, "knee_bytes": 6e9, "still_falling": 1.0}, ["answer_1", "answer_6", "answer_7"]),
        (
            {"fall": 5.0, "knee_s": 60.0, "knee_bytes": 7e10, "later": 3e4, "later_s": 692.0},
            ["answer_1", "answer_7", "answer_14"],
        ),
        ({"fall": 5.0, "later": 3e4, "later_s": 692.0}, ["answer_1"]),
        (
            {"fall": 1.3, "fallen_s": 60.0, "wavers": 1.0, "wavers_low": 1e4, "wavers_high": 5e4},
            ["answer_10", "answer_18"],
        ),
        ({"fall": 5.0, "wavers": 0.0, "wavers_low": 5e3, "wavers_high": 2e4}, ["answer_1", "answer_18"]),
        ({"fall": 5.0, "still_rising": 1.0}, ["answer_1", "answer_19"]),
        ({"fall": 1.1, "held": 1.0}, ["answer_9"]),
        ({"fall": 1.04, "held": 1.0}, ["answer_2"]),
        ({"fall": 1.04, "held": 0.0}, ["answer_10"]),
        ({"fall": 0.6, "held": 0.0}, ["answer_10"]),
    ],
)
def test_a_rate_that_was_still_falling_is_not_given_as_a_level(figures: dict[str, float], keys: list[str]) -> None:
    known = {"start": 5e4, "writes": 1e4, "sat_s": 36e3, **figures}
    saturation = next(one for one in questions.questions() if one.name == "saturation")
    assert [one.key for one in saturation.answers if one.holds(known)] == keys


@pytest.mark.parametrize("key", ["spot", "slower"])
def test_a_slow_stretch_inside_the_range_is_part_of_the_answer_about_the_range(key: str) -> None:
    values = {"low": 2e8, "low_from": 0.41, "low_to": 0.46, "outer": 5e8, "inner": 5e8}
    found = {
        one.name: one.value or 0.0 for one in of_findings([Finding(name="zones", key=key, test="t", values=values)])
    }
    surface = next(one for one in questions.questions() if one.name == "surface")
    known = found | {"outer": 5e8, "inner": 5e8}
    (last,) = [one.key for one in surface.answers if one.holds(known)][1:]
    said = Language("en")(f"question.surface.{last}", **known)
    assert [place for place in ("41", "46", "200") if place not in said] == []
