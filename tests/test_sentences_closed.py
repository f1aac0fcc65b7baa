"""Sentences of findings and judgements from made-up ones: every branch, with the words of the catalogue."""

from typing import Any

import pytest

from stend.findings import Finding
from stend.findings.judgement import Reason, Why
from stend.findings.look.grounds import Because
from stend.sentences import because_said, facts_said, finding_said, findings_said, of_run, reason_said, why_said
from stend.words import Language, Sentence

EN = Language("en")
QUICK, FILE = Because("quick"), Because("file")
HOT, THROTTLED = Because("hot", {"top": 80, "limit": 75}), Because("throttled", {"seconds": 90.0})
SHORT = "the run was shortened (quick)"
ON_FILE = "the target is a file, and its file system affects every figure"
WAIT = "a single read (QD1) takes 460 µs on average"


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def found(key: str, values: dict[str, Any]) -> Finding:
    return Finding(name="steady_state", test="iops", key=key, values=values)


def waits(answer: str = "doubt", **more: Any) -> Reason:
    return Reason("read_wait", answer, 1.0, {"read_wait": 456e-6}, **more)


def falls(answer: str, **more: Any) -> Reason:
    """Of 500 MB/s a fifth is left."""
    return Reason("cache_fall", answer, 1.0, {"cache_fall": 5.0, "stream_end": 98.6e6}, **more)


@pytest.mark.parametrize(
    ("answer", "near", "shown"),
    [("doubt", False, "460 µs"), ("doubt", True, "456 µs"), ("fail", True, "456 µs"), ("pass", True, "460 µs")],
)
def test_a_figure_that_misses_its_bound_by_little_is_not_rounded_to_it(answer: str, near: bool, shown: str) -> None:
    assert plain(reason_said(waits(answer, near=near), EN)) == f"a single read (QD1) takes {shown} on average"


def test_a_reason_that_is_stated_already_is_short_unless_it_is_for_the_use() -> None:
    whole = (
        "a sequential write of the whole drive slows down to 20% of its first rate, 99 MB/s on average towards its end"
    )
    short = "a sequential write of the whole drive slows down to 20% of its first rate"
    for answer in ("doubt", "fail"):
        assert plain(reason_said(falls(answer), EN)) == whole
        assert plain(reason_said(falls(answer), EN, "Something else.")) == whole
        stated = reason_said(falls(answer), EN)
        assert plain(reason_said(falls(answer), EN, f"A{stated[1:]}.")) == short, "a capital begins a sentence"
    kept = reason_said(falls("pass"), EN)
    assert plain(kept) == "a sequential write of the whole drive does not fall below 20% of its first rate"
    assert reason_said(falls("pass"), EN, kept) == kept
    assert plain(reason_said(waits(), EN, reason_said(waits(), EN))) == WAIT, "it has no short form"


def test_the_caveat_of_a_reason_is_in_brackets_after_it() -> None:
    assert plain(reason_said(waits(caveat=QUICK), EN)) == f"{WAIT} ({SHORT})"


def test_a_caveat_of_several_reasons_is_after_the_last_of_them() -> None:
    why = Why((waits(caveat=QUICK), waits(caveat=FILE), waits(caveat=QUICK), waits()))
    assert plain(why_said(why, EN)) == f"{WAIT}; {WAIT} ({ON_FILE}); {WAIT} ({SHORT}); {WAIT}"


@pytest.mark.parametrize(
    ("causes", "said"),
    [
        ((), []),
        ((HOT,), ["the drive reached 80 °C, and drives throttle from 75 °C on"]),
        ((THROTTLED,), ["the drive throttled because of heat"]),
        ((HOT, THROTTLED), ["the drive throttled because of heat"]),
        ((THROTTLED, FILE, HOT), ["the drive throttled because of heat", ON_FILE]),
        ((HOT, FILE), ["the drive reached 80 °C, and drives throttle from 75 °C on", ON_FILE]),
        ((QUICK, QUICK, FILE), [SHORT, ON_FILE]),
        ((Because("shortened", {"seconds": 60.0}),), ["the run was shortened"]),
    ],
)
def test_each_cause_is_stated_once_and_heat_only_where_it_did_not_throttle(
    causes: tuple[Because, ...], said: list[str]
) -> None:
    assert plain(why_said(Why(because=causes), EN)) == "; ".join(said)


def test_what_is_missing_comes_last() -> None:
    why = Why((waits(),), (QUICK,), ("iops", "wake"), ("plp", "dwpd"))
    names = f"{EN('test.iops')}, {EN('test.wake')}"
    facts = "its endurance and power-loss protection are unknown (no drive sheet states them)"
    assert plain(why_said(why, EN)) == f"{WAIT}; {SHORT}; not measured by this run ({names}); {facts}"
    stated = reason_said(falls("fail"), EN)
    assert why_said(Why((falls("fail"),)), EN, stated) == reason_said(falls("fail"), EN, stated) != stated


def test_facts_are_named_alone_or_together_in_any_order() -> None:
    for facts in (("dwpd",), ("plp",), ("plp", "dwpd"), ("dwpd", "plp")):
        assert facts_said(facts, EN) == EN("why.facts_" + "_".join(sorted(facts)))


@pytest.mark.parametrize("key", ["throttled", "shortened", "hot", "quick"])
def test_a_reason_of_several_runs_has_no_time_of_one(key: str) -> None:
    why = Because(key, {"seconds": 60.0})
    assert of_run(why) == (Because(f"{key}_run") if key in ("throttled", "shortened") else why)


def test_a_value_of_a_finding_is_shown_by_its_kind() -> None:
    steady = {"phase": "rounds", "round": 5, "excursion": 0.25, "slope": 0.05}
    text = EN("finding.steady_state.unmet", **steady)
    finding = found("unmet", steady)
    assert finding_said(finding, EN) == text[0].upper() + text[1:]
    disturbed = found("unmet", steady | {"disturbed": QUICK})
    assert (
        finding_said(disturbed, EN)
        == f"{finding_said(finding, EN)} But {SHORT}, and the drive itself may not be the cause."
    )


def test_what_disturbed_several_findings_is_stated_after_the_last_of_them() -> None:
    steady = {"phase": "rounds", "round": 5, "excursion": 0.25, "slope": 0.05}
    causes = (QUICK, FILE, QUICK, None)
    many = [found("unmet", steady | ({"disturbed": c} if c else {})) for c in causes]
    plain_one = finding_said(many[-1], EN)
    tails = [text.removeprefix(plain_one) for text in findings_said(many, EN)]
    assert [bool(tail) for tail in tails] == [False, True, True, False]
    assert ON_FILE in tails[1]
    assert SHORT in tails[2]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ((0.25, "pct"), "25%"), ((1500, "rate"), "1,500"), (QUICK, SHORT), ((QUICK, FILE), f"{SHORT}; {ON_FILE}"),
        (waits(), WAIT), (Why((waits(),)), WAIT), ("as it is", "as it is"),
    ],
)  # fmt: skip
def test_a_value_is_a_number_in_its_shape_a_reason_or_itself(value: object, shown: str) -> None:
    assert plain(because_said(Because("resyncing", {"what": value}), EN)) == f"the array was resynchronising ({shown})"


def test_a_sentence_of_a_record_in_a_finding_is_in_the_readers_language() -> None:
    error = Sentence("errno_space")
    for words in (EN, Language("ru")):
        assert words.translated(error) in because_said(Because("resyncing", {"what": error}), words)
    assert EN.translated(error) != Language("ru").translated(error)
