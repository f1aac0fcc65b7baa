"""Whom a drive is for: bounds are data with sources, none is granted against its figures, no two sentences disagree."""

import re
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stend.findings.judgement import Verdict, judge, verdict
from stend.findings.judgement.evidence import TELLS, Evidence
from stend.findings.judgement.uses import uses
from stend.report.story.page_one import sentence
from stend.report.story.telling import questions
from stend.words import LANGUAGES, Language
from stend.words.sentences import reason_said

DESKTOP: Evidence = {
    "capacity": 500e9, "reads": 200e3, "mix": 120e3, "writes": 16e3, "start": 168e3, "fall": 10.5, "write_tail": 0.023,
    "longest": 0.023, "seq_read": 3200e6, "seq_write": 720e6, "read_wait": 110e-6, "mix_tail": 0.006, "uneven": 1.0,
    "cache_share": 0.14, "cache_bytes": 71e9, "cache_first": 2147e6, "cache_last": 520e6, "cache_fall": 4.1,
    "back": 0.08, "back_rest": 5.0, "back_iops": 23e3, "dwpd": 0.33,
}  # fmt: skip
SERVER = DESKTOP | {"writes": 135e3, "start": 430e3, "fall": 3.2, "write_tail": 0.0026, "dwpd": 3.0, "reads": 735e3}


def marks(told: Evidence, kind: str = "flash") -> dict[str, str]:
    return {one.use: one.mark for one in judge(told, kind)}


def test_a_desktop_drive_that_falls_ten_times_is_for_desktops_and_no_server_that_writes() -> None:
    told = marks(DESKTOP)
    assert told["desktop"] == "yes"
    assert {told[use] for use in ("mixed", "database", "write")} == {"no"}
    assert told["read"] == "doubt"
    assert verdict(DESKTOP, "flash").best == "desktop"


def test_a_drive_that_keeps_a_third_of_its_rate_without_peaks_is_for_any_service() -> None:
    assert set(marks(SERVER).values()) == {"yes"}
    assert verdict(SERVER, "flash").best == "write"


@pytest.mark.parametrize("figure", ["fall", "writes", "write_tail"])
def test_what_was_not_measured_is_not_granted_and_the_test_that_would_tell_is_named(figure: str) -> None:
    told = {name: value for name, value in SERVER.items() if name != figure}
    (heavy,) = (one for one in judge(told, "flash") if one.use == "write")
    assert heavy.mark == "can't tell"
    assert heavy.missing == (TELLS[figure],)


FIGURES = sorted({demand.figure for use in uses().use.values() for demand in use.demands} - {"capacity"})
drives = st.fixed_dictionaries(
    {"capacity": st.floats(1e9, 1e13)}, optional={name: st.floats(1e-6, 1e7) for name in FIGURES}
)
FILLED = {"start": 1.0, "writes": 1.0, "cache_bytes": 1.0, "cache_first": 1.0, "cache_last": 1.0, "back_rest": 5.0,
          "back_iops": 1.0, "hot_bytes": 1.0}  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(drives, st.sampled_from(["flash", "disk", "array"]))
def test_a_drive_that_falls_more_than_four_times_is_never_for_heavy_writing(drawn: Evidence, kind: str) -> None:
    told = marks(drawn, kind)
    if drawn.get("fall", 5.0) > 4:
        assert told.get("write") != "yes"


@settings(max_examples=200, deadline=None)
@given(drives, st.sampled_from(["flash", "disk", "array"]), st.sampled_from(LANGUAGES))
def test_no_two_sentences_of_a_judgement_contradict_each_other(drawn: Evidence, kind: str, lang: str) -> None:
    words, judged = Language(lang), verdict(FILLED | drawn, kind)
    assert contradictions(judged, words) == []


def contradictions(judged: Verdict, words: Language) -> list[tuple[str, str]]:
    """Pairs that give one figure two values, or a use both for and against."""
    told = [(r.figure, r.answer, sentence(reason_said(r, words)), one.use) for one in judged.uses for r in one.reasons]
    found = []
    for (figure, answer, text, use), (other, against, beside, place) in combinations(told, 2):
        numbers = [re.findall(r"\d[\d.,\N{NO-BREAK SPACE}]*", said) for said in (text, beside)]
        if figure == other and numbers[0] and numbers[1] and numbers[0][-1] != numbers[1][-1]:
            found.append((text, beside))
        if (figure, use) == (other, place) and answer != against:
            found.append((text, beside))
    return found


def test_a_contradiction_is_found() -> None:
    one, *rest = judge(DESKTOP, "flash")
    changed = DESKTOP | {"capacity": 600e9}
    other = next(o for o in judge(changed, "flash") if o.use == one.use)
    judged = Verdict("", (one, other, *rest), (), DESKTOP)
    assert contradictions(judged, Language("en"))


def test_the_weightiest_reasons_are_three_and_say_what_keeps_it_from_servers_first() -> None:
    reasons = verdict(DESKTOP, "flash").reasons
    assert len(reasons) == 3
    assert reasons[0].figure == "fall"
    assert "fall 11 times" in reason_said(reasons[0], Language("en")) or "fall 10" in reason_said(
        reasons[0], Language("en")
    )


def test_every_bound_has_a_source_and_every_figure_its_sentences() -> None:
    table = uses()
    assert set(table.order) == set(table.use) >= set(table.ladder)
    for name, use in table.use.items():
        assert Language("ru").knows(f"use_title.{name}")
        assert Language("ru").knows(f"use_for.{name}")
        for demand in use.demands:
            assert demand.source
            assert bool(demand.at_least) != bool(demand.at_most)
            assert all(Language("ru").knows(f"reason.{demand.figure}.{answer}") for answer in ("pass", "doubt", "fail"))
            assert not demand.needed or demand.figure in TELLS
            good, bad = demand.at_least or demand.at_most or (0.0, 0.0)
            assert [demand.answer(good), demand.answer(bad * (0.99 if demand.at_least else 1.01))] == ["pass", "fail"]


def test_every_chapter_asks_answers_and_explains_in_both_languages() -> None:
    for question in questions():
        assert question.answers or question.findings
        assert all(pair[0] != pair[1] and all(pair) for pair in (question.title, question.what, question.why))
