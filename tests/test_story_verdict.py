"""The headline names each use that it grants, refuses or doubts, and one rate for one quantity."""

from itertools import product

import pytest

from stend.findings.judgement import Judged, Mark, Reason, Verdict
from stend.findings.judgement.evidence import Known
from stend.findings.look.grounds import Because
from stend.report.parts import Pair
from stend.report.story import closing, page_one, verdict
from stend.report.story.rivals import Rival
from stend.sentences import reason_said
from stend.words import Language
from tests.test_story import EN, LADDER, reason, seen

RU = Language("ru")


def named(text: str) -> list[str]:
    return [use for use in (*LADDER, "server") if EN(f"use_for.{use}") in text]


def test_a_verdict_names_every_use_that_it_grants_refuses_and_doubts() -> None:
    marks: dict[str, Mark] = {"desktop": "yes", "read": "yes", "mixed": "no", "database": "no", "write": "no"}
    told = verdict.verdict(seen(marks))
    assert named(told) == ["desktop", "read", "mixed", "database", "write"]
    assert f"Not fit for {EN('use_for.mixed')}, {EN('use_for.database')} or {EN('use_for.write')}: " in told
    assert named(verdict.verdict(seen(marks | {"mixed": "yes", "database": "doubt"}))) == list(LADDER)
    assert named(verdict.verdict(seen(dict.fromkeys(LADDER, "yes")))) == ["desktop", "server"]
    assert named(verdict.verdict(seen(dict.fromkeys(LADDER, "no")))) == ["desktop", "server"]
    assert "; by performance" not in verdict.verdict(seen(dict.fromkeys(LADDER, "yes")))
    some = verdict.verdict(seen({"read": "yes", "mixed": "doubt", "write": "no"}))
    assert [some.count(EN(f"use_for.{use}")) for use in ("read", "mixed", "write")] == [1, 1, 1]
    assert verdict.verdict(seen(dict.fromkeys(LADDER, "can't tell"))) == EN("story.verdict_none")


def test_doubts_of_two_reasons_are_two_sentences() -> None:
    fall, slow = reason("fall", "fail", 3.0), reason("mix", "doubt", 2.0)
    doubted = {"streaming": slow, "read": fall, "array": fall}
    judged = [*(Judged(use, "doubt", (why,)) for use, why in doubted.items()), Judged("write", "no", (fall,))]
    told = verdict.verdict(seen({})._replace(verdict=Verdict("", tuple(judged), Known({}))))
    refused, same, other = told.split(" Fit with reservations for ")
    assert refused.startswith("Not fit for heavy writing: ")
    assert same == "a read-mostly server and use in an array, for reasons named above."
    assert other == f"large files: {reason_said(slow, EN)}."


def test_uses_that_are_doubted_for_reasons_of_their_own_are_one_sentence() -> None:
    whys = {"array": reason("longest", "doubt", 2.0), "mixed": reason("mix", "doubt", 3.0),
            "database": reason("reads", "doubt", 2.5)}  # fmt: skip
    uses = tuple(Judged(use, "doubt", (why,)) for use, why in whys.items())
    told = verdict.verdict(seen({})._replace(verdict=Verdict("", uses, Known({}))))
    assert told.count("Fit with reservations") == 1
    assert told.count(". ") == 0
    array, mixed, database = (reason_said(why, EN) for why in whys.values())
    assert f"for use in an array and mixed workloads: {array}; {mixed}; for databases: {database}." in told


ANSWERS: dict[Mark, str] = {"yes": "pass", "performance": "pass", "doubt": "doubt", "no": "fail"}
WHYS = dict(zip(LADDER, ("read_wait", "reads", "mix", "write_tail", "writes"), strict=True))


def test_a_brief_verdict_names_the_same_uses_in_at_most_as_many_letters() -> None:
    for marks in product(ANSWERS, repeat=len(LADDER)):
        chosen = zip(WHYS.items(), marks, strict=True)
        judged = [Judged(use, mark, (reason(figure, ANSWERS[mark], 3.0),)) for (use, figure), mark in chosen]
        own = seen({})._replace(verdict=Verdict("", tuple(judged), Known({})))
        full, brief = verdict.verdict(own), verdict.verdict(own, brief=True)
        assert sorted(named(brief)) == sorted(named(full)), marks
        assert len(brief) <= len(full), marks
        assert brief.count(". ") <= 2, marks  # fit for, not fit for, fit with reservations for
        assert ": " in brief, marks  # with a reason at least
        russian = verdict.verdict(own._replace(words=RU), brief=True)
        assert russian.count(": ") == brief.count(": "), marks  # one and the same verdict


@pytest.mark.parametrize(("missing", "told"), [((), True), (("iops",), False)])
def test_a_run_whose_figures_cannot_be_used_says_why_and_one_of_too_few_tests_does_not(
    missing: tuple[str, ...], told: bool
) -> None:
    hot = Because("throttled", {"seconds": 60.0})
    uses = tuple(Judged(use, "can't tell", (), missing, because=(hot,)) for use in LADDER)
    text = verdict.verdict(seen({})._replace(verdict=Verdict(None, uses, Known({}))))
    assert text == ("No verdict: the drive throttled because of heat." if told else EN("story.verdict_none"))


def test_a_reason_that_was_not_measured_is_given_for_its_use_alone() -> None:
    small = Reason("capacity", "doubt", 3.0, {"capacity": 3e11})
    uses = (Judged("streaming", "doubt", (small,)), Judged("read", "doubt", (), missing=("latency",)))
    own = seen({})._replace(verdict=Verdict("", uses, Known({})))
    assert verdict.verdict(own) == (
        f"Fit with reservations for large files: {reason_said(small, EN)}; "
        f"for a read-mostly server: {EN('why.tests', tests='Latency')}."
    )


def test_a_use_that_lacks_only_facts_of_the_sheet_is_named_with_what_is_not_known() -> None:
    judged = Judged("write", "performance", (reason("writes", "pass"),), facts=("dwpd", "plp"))
    own = seen({})._replace(verdict=Verdict("write", (judged,), Known({})))
    assert verdict.verdict(own).startswith("By performance, fit for heavy writing: ")
    assert verdict.verdict(own).endswith(
        "Its endurance and power-loss protection are unknown (no drive sheet states them)."
    )


@pytest.mark.parametrize(
    ("sure", "opening"),
    [
        (["desktop", "read"], "Fit for a desktop and a read-mostly server; by performance, also for mixed workloads, "),
        (
            ["desktop", "read", "database"],
            "Fit for a desktop, a read-mostly server and databases; by performance, also for mixed workloads and ",
        ),
        ([], "By performance, fit for a desktop and any server use: "),
    ],
)
def test_a_use_without_reserve_is_named_before_those_by_performance(sure: list[str], opening: str) -> None:
    why = (reason("writes", "pass"),)
    uses = [
        Judged(use, "yes", why) if use in sure else Judged(use, "performance", why, facts=("plp",)) for use in LADDER
    ]
    assert verdict.verdict(seen({})._replace(verdict=Verdict("write", tuple(uses), Known({})))).startswith(opening)


@pytest.mark.parametrize(
    ("start", "names"), [(287e3, ["fresh_writes"]), (288e3, ["start"]), (350e3, ["fresh_writes", "start"])]
)
def test_of_two_equal_rates_of_a_fresh_drive_the_key_figure_is_that_of_the_sentences(
    start: float, names: list[str]
) -> None:
    review = seen({"desktop": "yes"})._replace(figures={"fresh_writes": 287e3, "start": start})
    assert [key.name for key in page_one.keys(review)] == [EN(f"figure_name.{name}") for name in names]


def test_a_rate_that_was_still_falling_is_not_titled_saturated() -> None:
    ended = seen({"write": "doubt"})._replace(figures={"writes": 11e3, "sat_s": 36e3})
    falling = ended._replace(figures=ended.figures | {"still_falling": 1.0})
    for name, key in (("writes", "writes_falling"), ("write_tail", "write_tail_ended")):
        titles = [page_one.title(name, review) for review in (ended, falling)]
        assert titles == [EN(f"figure_name.{name}"), EN(f"figure_name.{key}")]


@pytest.mark.parametrize(("figures", "name"), [({"seq_part": 0.009}, "writes_filled_part"), ({}, "writes_filled")])
def test_writes_to_a_part_are_not_titled_as_of_a_filled_drive(figures: dict[str, float], name: str) -> None:
    review = seen({"write": "doubt"})._replace(figures={"writes": 2e4} | figures)
    assert page_one.title("writes", review) == EN(f"figure_name.{name}", **figures)


@pytest.mark.parametrize(("state", "key"), [({}, "write_tail"), ({"still_falling": 1.0}, "write_tail_ended")])
def test_a_percentile_of_many_outstanding_writes_states_their_number(state: dict[str, float], key: str) -> None:
    figures = {"write_tail": 0.271, "write_tail_at": 128.0} | state
    review = seen({"write": "doubt"})._replace(figures=figures)
    (only,) = page_one.keys(review)
    assert only.name == EN(f"figure_name.{key}_alone", depth=128.0)
    assert "with 128 outstanding" in only.name
    assert page_one.title("write_tail", review) == EN(f"figure_name.{key}"), "beside others the depth is stated once"


def test_the_worst_of_page_one_is_in_the_conclusion() -> None:
    behind = Rival("Other", {"mix_p99": 230e-6})
    review = seen({"write": "yes"})._replace(figures={"mix_p99": 2e-3}, rivals=(behind,))
    _, worst = page_one.extremes(review)
    (section,) = closing.closing({"": review})
    (pair,) = section.blocks
    assert isinstance(pair, Pair)
    assert "Other is 8.7\u00a0times better" in worst
    assert [item.text for items in pair.lists for item in items.items if item.mark == "con"] == [worst]
