"""Judgement: bounds have sources, nothing is granted that was not measured, no two sentences disagree."""

import re
from itertools import combinations
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stend.findings.judgement import FIT, RANK, Judged, Mark, Reason, Verdict, each_once, judge, verdict
from stend.findings.judgement.evidence import FACTS, TELLS, Evidence, Known
from stend.findings.judgement.uses import KINDS, Demand, uses
from stend.findings.look import inspected
from stend.findings.look.grounds import Because
from stend.report.story.page_one import Review, sentence
from stend.report.story.questions import questions
from stend.report.story.verdict import verdict as headline
from stend.sentences import reason_said
from stend.words import LANGUAGES, Language, phrases
from tests.sides import load, row
from tests.test_standing import whole

DESKTOP: Evidence = {
    "capacity": 500e9, "reads": 200e3, "mix": 120e3, "writes": 16e3, "start": 168e3, "fall": 10.5, "write_tail": 0.023,
    "write_tail_at": 256.0,
    "longest": 0.023, "seq_read": 3200e6, "seq_write": 720e6, "stream_end": 500e6, "read_wait": 110e-6,
    "mix_tail": 0.006, "mix_tail_at": 32.0, "mix_tail_reads": 65.0, "mix_tail_writes": 35.0,
    "uneven": 1.0, "cache_share": 0.14, "cache_bytes": 71e9, "cache_first": 2147e6,
    "cache_fall": 4.1, "back": 0.08, "back_rest": 5.0, "back_iops": 23e3, "sat_s": 36e3, "fallen_s": 7200.0,
    "dwpd": 0.33, "plp": 0.0,
}  # fmt: skip
SERVER = DESKTOP | {
    "writes": 135e3, "start": 430e3, "fall": 3.2, "write_tail": 0.0026, "reads": 735e3, "dwpd": 3.0, "plp": 1.0,
}  # fmt: skip
FALLING = Because("falling")


def marks(figures: Evidence, kind: str = "flash", **more: Any) -> dict[str, str]:
    return {one.use: one.mark for one in judge(Known(figures, **more), kind)}


def test_a_desktop_drive_that_falls_to_a_tenth_is_for_desktops_and_no_server_that_writes() -> None:
    told = marks(DESKTOP)
    assert told["desktop"] == "yes"
    assert {told[use] for use in ("mixed", "database", "write")} == {"no"}
    assert told["read"] == "doubt"
    assert verdict(Known(DESKTOP), "flash").best == "desktop"


def test_a_drive_that_keeps_a_third_of_its_rate_without_peaks_is_for_any_service() -> None:
    assert set(marks(SERVER).values()) == {"yes"}
    assert verdict(Known(SERVER), "flash").best == "write"


@pytest.mark.parametrize("figure", ["fall", "writes", "write_tail"])
def test_what_was_not_measured_is_not_granted_and_the_test_that_would_tell_is_named(figure: str) -> None:
    told = {name: value for name, value in SERVER.items() if name != figure}
    (heavy,) = (one for one in judge(Known(told), "flash") if one.use == "write")
    assert heavy.mark == "can't tell"
    assert heavy.missing == (TELLS[figure],)


@pytest.mark.parametrize("kind", ["flash", "array"])
@pytest.mark.parametrize("use", uses().use)
def test_a_demand_that_was_not_measured_is_not_met(use: str, kind: str) -> None:
    everything = _passing(kind)
    demands = [d for d in uses().use[use].demands if kind in d.kinds and not d.optional and not d.unless]
    if kind in uses().use[use].kinds:
        assert marks(everything, kind)[use] == "yes"
        for demand in demands:
            applies = uses().use[use].applies
            if applies and applies.figure == demand.figure:
                continue  # without it the use is not judged at all
            left = {k: v for k, v in everything.items() if k not in (demand.figure, demand.instead)}
            mark = marks(left, kind)[use]
            assert mark == "performance" if demand.figure in FACTS else mark in ("doubt", "can't tell"), demand.figure


def _passing(kind: str) -> Evidence:
    """Return figures that every demand of the table passes by far."""
    told: Evidence = {}
    for use in uses().use.values():
        for demand in (d for d in use.demands if kind in d.kinds):
            good = (demand.at_least or demand.at_most or (1.0, 1.0))[0]
            told[demand.figure] = (max if demand.at_least else min)(good, told.get(demand.figure, good))
    return told


def test_without_a_sheet_a_use_that_wears_the_drive_is_granted_by_performance_alone() -> None:
    told = {name: value for name, value in SERVER.items() if name not in FACTS}
    found = {one.use: one for one in judge(Known(told), "flash")}
    assert {use for use, one in found.items() if one.mark == "performance"} == {
        "read",
        "array",
        "mixed",
        "database",
        "write",
    }
    assert found["write"].facts == ("dwpd", "plp")
    assert found["desktop"].mark == "yes"


def test_an_unprotected_buffer_leaves_a_doubt_where_writes_must_last() -> None:
    told = marks(SERVER | {"plp": 0.0})
    assert {told[use] for use in ("mixed", "database", "write")} == {"doubt"}
    assert told["read"] == "yes"


def test_a_drive_that_no_desktop_can_connect_is_not_judged_for_one() -> None:
    told = marks(SERVER | {"server_port": 1.0})
    assert told == {use: mark for use, mark in marks(SERVER).items() if use != "desktop"}
    assert "desktop" in marks(SERVER | {"server_port": 0.0})


def test_a_drive_that_no_server_has_is_not_judged_for_one() -> None:
    told = marks(SERVER | {"client_port": 1.0})
    assert set(marks(SERVER)) - set(told) == {"read", "array", "mixed", "database", "write"}
    assert told["desktop"] == "yes"


@pytest.mark.parametrize(
    ("kind", "port", "unjudged"),
    [
        ("flash", "server_port", ["desktop"]),
        ("flash", "client_port", ["read", "array", "mixed", "database", "write"]),
        ("array", "server_port", []),
        ("disk", "client_port", []),
        ("flash", "nvme", []),
    ],
)
def test_uses_that_no_drive_of_this_interface_has_are_named(kind: str, port: str, unjudged: list[str]) -> None:
    assert verdict(Known({**SERVER, port: 1.0}), kind).unjudged(kind) == unjudged


def test_a_fall_and_the_rate_at_its_end_are_one_doubt() -> None:
    """A drive that ends at 7,000 IOPS must not be refused where one that ends at 4,400 is not."""
    slow = SERVER | {"writes": 7_000.0, "start": 57_000.0, "fall": 8.1}
    slower = SERVER | {"writes": 4_400.0, "start": 23_300.0, "fall": 5.3}
    assert marks(slow)["read"] == marks(slower)["read"] == "doubt"
    assert marks(slow | {"mix_tail": 0.25})["read"] == "no"


def test_a_rate_that_lasts_is_not_refused_because_the_cache_is_faster_still() -> None:
    kept = SERVER | {"writes": 117_000.0, "start": 2_000_000.0, "fall": 17.0}
    assert marks(kept)["write"] == marks(kept)["mixed"] == "doubt"
    lost = kept | {"writes": 90_000.0, "fall": 22.0}
    assert marks(lost)["write"] == "no"


def test_an_array_without_redundancy_is_no_place_for_a_database_however_fast() -> None:
    fast = {"reads": 28e3, "writes": 28e3, "start": 28e3, "fall": 1.0, "mix": 28e3, "server_wait": 1e-3, "uneven": 1.0}
    fast |= {"database_wait": 1e-3, "big_share": 1.0, "seq_read": 1e9, "stream_end": 1e9, "capacity": 1e12}
    fast |= {"plp": 1.0, "mix_tail": 2e-3, "write_tail": 1e-3, "longest": 0.01}
    known, bare, kept = (marks(fast | extra, "array") for extra in ({}, {"redundant": 0.0}, {"redundant": 1.0}))
    assert {bare[use] for use in ("mixed", "database", "write")} == {"doubt"}
    assert bare["read"] == "yes"
    assert known == kept == dict.fromkeys(kept, "yes")
    assert marks(SERVER | {"redundant": 0.0}) == marks(SERVER), "a single drive has no members"


def test_a_hot_range_is_judged_only_where_a_cache_was_seen() -> None:
    disk = {
        "capacity": 16e12,
        "reads": 181.0,
        "seq_read": 190e6,
        "seq_write": 190e6,
        "hot_gain": 1.0,
        "hot_bytes": 2e10,
    }
    assert marks(disk, "disk") == {"streaming": "yes", "random": "no"}
    assert marks(disk | {"hot_gain": 15.0, "hot_hits": 0.99}, "disk")["hot"] == "yes"


def test_a_figure_that_was_still_getting_worse_passes_only_far_beyond_its_bound() -> None:
    found = {one.use: one for one in judge(Known(SERVER, bounds={"writes": FALLING, "fall": FALLING}), "flash")}
    assert found["write"].mark == "doubt"
    assert [(r.figure, r.caveat) for r in found["write"].reasons] == [("fall", FALLING)]  # 135,000 writes are safe
    failing = judge(Known(DESKTOP, bounds={"writes": FALLING}), "flash")
    assert all(r.caveat is None for one in failing for r in one.reasons if r.answer == "fail")


@pytest.mark.parametrize(("writes", "mark"), [(16e3, "no"), (99e3, "no"), (117e3, "doubt"), (500e3, "doubt")])
def test_a_drive_that_keeps_a_high_rate_is_not_refused_because_its_cache_is_faster_still(
    writes: float, mark: str
) -> None:
    assert marks(SERVER | {"writes": writes, "start": 17 * writes, "fall": 17.0})["mixed"] == mark


def test_a_test_that_ran_is_not_called_unmeasured_where_its_sample_is_too_small() -> None:
    lacking = {name: value for name, value in SERVER.items() if name not in ("read_wait", "mix_tail")}
    (unrun,) = (one for one in judge(Known(lacking), "flash") if one.use == "read")
    assert (unrun.missing, unrun.because) == (("latency",), ())
    known = Known(lacking, rows={"reads": row(load(), 1000.0, test="latency")})
    (ran,) = (one for one in judge(known, "flash") if one.use == "read")
    assert (ran.missing, ran.because) == ((), (Because("scant", {"tests": ["latency"]}),))
    assert ran.mark == unrun.mark


def test_figures_across_an_event_are_not_used_and_the_event_is_named() -> None:
    event = Because("unruled")
    unusable = dict.fromkeys(("writes", "fall", "start", "write_tail", "longest", "uneven"), event)
    found = {one.use: one for one in judge(Known(DESKTOP, unusable=unusable), "flash")}
    assert found["write"].mark == "can't tell"
    assert found["write"].because == (event,)
    assert not found["write"].missing


def test_of_two_temperatures_that_were_reached_the_higher_is_the_reason() -> None:
    hot = [Because("hot", {"top": top, "limit": 70.0}) for top in (70.5, 71.2, 70.9)]
    assert each_once([hot[0], Because("unruled"), *hot[1:], Because("unruled")]) == (hot[1], Because("unruled"))


FIGURES = sorted({demand.figure for use in uses().use.values() for demand in use.demands} - {"capacity"})
drives = st.fixed_dictionaries(
    {"capacity": st.floats(1e9, 1e13)}, optional={name: st.floats(1e-6, 1e7) for name in FIGURES}
)
FILLED = dict.fromkeys(
    ("start", "writes", "cache_bytes", "cache_first", "cache_fall", "stream_end", "back_rest", "back_iops", "hot_bytes",
     "sat_s", "fallen_s", "server", "server_depth", "database", "database_depth", "big_writes", "big_block",
     "write_tail_at", "mix_tail_at", "mix_tail_reads", "mix_tail_writes"), 1.0)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(drives, st.sampled_from(KINDS))
def test_a_drive_that_falls_to_less_than_a_quarter_is_never_for_heavy_writing(drawn: Evidence, kind: str) -> None:
    if drawn.get("fall", 5.0) > 4:
        assert marks(drawn, kind).get("write") not in FIT


@settings(max_examples=300, deadline=None)
@given(drives, st.sampled_from(["flash", "array"]))
def test_databases_and_heavy_writing_are_never_easier_than_mixed_service(drawn: Evidence, kind: str) -> None:
    told: dict[str, Any] = marks(drawn, kind)
    assert RANK.index(told["database"]) <= RANK.index(told["mixed"]) >= RANK.index(told["write"])


@settings(max_examples=200, deadline=None)
@given(drives, st.sampled_from(KINDS), st.sampled_from(LANGUAGES))
def test_no_two_sentences_of_a_judgement_contradict_each_other(drawn: Evidence, kind: str, lang: str) -> None:
    words, judged = Language(lang), verdict(Known(FILLED | drawn), kind)
    assert contradictions(judged, words) == []


@settings(max_examples=200, deadline=None)
@given(drives, st.sampled_from(KINDS))
def test_a_headline_says_what_speaks_for_the_fit_and_against_the_unfit(drawn: Evidence, kind: str) -> None:
    words, judged = Language("en"), verdict(Known(FILLED | drawn), kind)
    text = headline(Review(whole(), judged.figures, judged, (), kind, words))
    every = [r for one in judged.uses for r in one.reasons if r.answer == r.key]
    clauses = {key: {reason_said(r, words) for r in every if r.answer == key} for key in ("pass", "doubt", "fail")}
    only_fails = clauses["fail"] - clauses["pass"]
    only_passes = clauses["pass"] - clauses["fail"] - clauses["doubt"]
    fit = re.search(r"(?<![Nn]ot )[Ff]it for (.*?)\.(?: [A-Z]|$)", text)
    unfit = re.search(r"(?:[Nn]ot fit|[Ff]it with reservations) for (.*?)\.(?: [A-Z]|$)", text)
    assert fit or unfit or text == words("story.verdict_none")
    assert not fit or not any(clause in fit[1] for clause in only_fails)
    assert not unfit or not any(clause in unfit[1] for clause in only_passes)


def contradictions(judged: Verdict, words: Language) -> list[tuple[str, str]]:
    """Pairs that give one figure two values, or a use both for and against."""
    told = [(r.figure, r.answer, sentence(reason_said(r, words)), one.use) for one in judged.uses for r in one.reasons]
    found = []
    for (figure, answer, text, use), (other, against, beside, place) in combinations(told, 2):
        numbers = [set(re.findall(r"\d(?:[\d.,\N{NO-BREAK SPACE}]*\d)?", said)) for said in (text, beside)]
        if figure == other and all(numbers) and not numbers[0] & numbers[1]:
            found.append((text, beside))
        if (figure, use) == (other, place) and {answer, against} == {"pass", "fail"}:
            found.append((text, beside))
    return found


def test_a_contradiction_is_found() -> None:
    one, *rest = judge(Known(DESKTOP), "flash")
    changed = DESKTOP | {"capacity": 600e9}
    other = next(o for o in judge(Known(changed), "flash") if o.use == one.use)
    judged = Verdict("", (one, other, *rest), Known(DESKTOP))
    assert contradictions(judged, Language("en"))


def test_a_headline_names_the_weightiest_reason_against_a_server() -> None:
    judged = verdict(Known(DESKTOP), "flash")
    text = headline(Review(whole(), judged.figures, judged, (), "flash", Language("en")))
    assert text.startswith("Fit for a desktop: ")
    assert "; for large files: the drive reads sequentially at " in text, "500 GB is not much beyond the bound"
    assert "Not fit for " in text
    assert text.count("from 168,000 to 16,000 IOPS, nine tenths of the drop within 2\u00a0h") == 1
    assert text.endswith("Fit with reservations for a read-mostly server and use in an array, for reasons named above.")


@pytest.mark.parametrize(
    ("fallen_s", "text"),
    [(28.8e3, "nine tenths of the drop within 8\u00a0h"), (32.4e3, "IOPS in 10\u00a0h"), (36e3, "IOPS in 10\u00a0h")],
)
def test_a_drop_that_lasts_to_the_end_has_the_time_of_the_test(fallen_s: float, text: str) -> None:
    values = {"fall": 5.4, "start": 60e3, "writes": 11.1e3, "sat_s": 36e3, "fallen_s": fallen_s}
    for answer in ("doubt", "fail"):
        assert reason_said(Reason("fall", answer, 3, values), Language("en")).endswith(text)


def test_every_bound_has_a_source_and_every_figure_its_sentences() -> None:
    table = uses()
    assert set(table.order) == set(table.use) >= set(table.ladder)
    assert set(RANK) == set(get_args(Mark))
    for name, use in table.use.items():
        assert Language("ru").knows(f"use_title.{name}")
        assert Language("ru").knows(f"use_for.{name}")
        assert use.no_better in ("", *table.order[: table.order.index(name)])
        for demand in use.demands:
            assert demand.source
            assert bool(demand.at_least) != bool(demand.at_most)
            keys = ("pass", "doubt", "fail", *filter(None, [demand.clause]))
            assert all(Language("ru").knows(f"reason.{demand.figure}.{key}") for key in keys)
            assert demand.figure in TELLS or demand.figure in FACTS or demand.optional
            good, bad = demand.at_least or demand.at_most or (0.0, 0.0)
            beyond = bad - (abs(bad) + 1) / 100 if demand.at_least else bad * 1.01
            assert [demand.answer(good), demand.answer(beyond)] == ["pass", "fail"]


def test_every_chapter_asks_describes_its_test_and_answers_in_both_languages() -> None:
    for question in questions():
        by_all_findings = set(question.tests) <= set(inspected.TESTS)
        assert question.answers or question.findings or by_all_findings
        keys = [f"question.{question.name}.{part}" for part in ("title", "what")]
        keys += [f"question.{question.name}.{answer.key}" for answer in question.answers]
        assert all(phrases("en")[key] and phrases("ru")[key] != phrases("en")[key] for key in keys)


def test_a_mark_is_lowered_to_that_of_another_use_with_its_reasons() -> None:
    found: dict[str, Judged] = {one.use: one for one in judge(Known(DESKTOP), "flash")}
    assert found["database"].reasons == found["mixed"].reasons


@pytest.mark.parametrize(("end", "mark"), [(9e8, "doubt"), (1.1e9, "yes")])
def test_a_drive_that_still_writes_a_gigabyte_per_second_is_not_doubted_for_its_fast_cache(
    end: float, mark: str
) -> None:
    assert marks(DESKTOP | {"cache_fall": 8.0, "stream_end": end})["streaming"] == mark


@pytest.mark.parametrize(("longest", "mark"), [(0.2, "yes"), (0.43, "doubt"), (8.0, "no")])
def test_a_member_of_an_array_has_no_stall(longest: float, mark: str) -> None:
    assert marks(SERVER | {"longest": longest})["array"] == mark


DEMANDS = [(use, demand) for use, one in uses().use.items() for demand in one.demands]


@pytest.mark.parametrize(("use", "demand"), DEMANDS, ids=[f"{use}-{demand.figure}" for use, demand in DEMANDS])
def test_a_figure_passes_up_to_its_first_bound_and_fails_beyond_the_second(use: str, demand: Demand) -> None:
    good, bad = demand.at_least or demand.at_most or (0.0, 0.0)
    better = 1e-9 if demand.at_least else -1e-9
    around = [(bad, -1), (bad, 0), (bad, 1), (good, -1), (good, 0), (good, 1)]
    answers = [demand.answer(bound + by * better * max(abs(bound), 1)) for bound, by in around]
    if good != bad:
        assert answers == ["fail", "doubt", "doubt", "doubt", "pass", "pass"]
    else:
        assert answers == ["fail", "pass", "pass"] * 2
    if good:
        assert demand.beyond(good) == 1
        assert demand.beyond(2 * good) == demand.beyond(good / 2) == 2


@pytest.mark.parametrize(
    ("bounds", "value", "near"),
    [
        ({"at_most": (0.3e-3, 2e-3)}, 0.303e-3, True),
        ({"at_most": (0.3e-3, 2e-3)}, 0.297e-3, False),
        ({"at_most": (0.3e-3, 2e-3)}, 0.32e-3, False),
        ({"at_most": (0.3e-3, 2e-3)}, 2.02e-3, True),
        ({"at_least": (30_000, 5_000)}, 29_900, True),
        ({"at_least": (30_000, 5_000)}, 30_100, False),
        ({"at_least": (1, 0)}, 0, False),
    ],
)
def test_a_figure_that_misses_a_bound_by_little_is_near_it(bounds: dict[str, Any], value: float, near: bool) -> None:
    assert Demand(figure="reads", weight=1, source="x", **bounds).near(value) is near


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_reason_does_not_round_a_figure_to_the_bound_that_it_misses(lang: str) -> None:
    """A desktop asks for a single read within 300 us: 303 us would read as 300 us in two digits."""
    words = Language(lang)
    for wait, shown in ((0.303e-3, "303"), (0.36e-3, "360")):
        desktop = next(one for one in judge(Known({"read_wait": wait}), "flash") if one.use == "desktop")
        (reason,) = (one for one in desktop.reasons if one.figure == "read_wait")
        assert reason.answer == "doubt"
        assert shown in reason_said(reason, words)
