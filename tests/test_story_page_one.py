"""Page one states a reason in full once, and no capacity as a reason that is hardly enough."""

import msgspec
import pytest

from stend.findings.judgement import Judged, Mark, Reason, Verdict, Why
from stend.findings.judgement.evidence import Known
from stend.findings.look.grounds import Because
from stend.report.parts import Pair
from stend.report.story import closing, page_one, rivals, telling
from stend.sentences import because_said, reason_said, why_said
from stend.words import Language
from tests.test_story import EN, seen


def test_a_cache_is_not_compared_with_that_of_another_capacity() -> None:
    known = (rivals.Rival("A", {"cache_bytes": 66e9}), rivals.Rival("B", {"cache_bytes": 44e9}))
    own = seen({"write": "yes"})._replace(figures={"cache_bytes": 1.3e12, "cache_first": 1e9}, rivals=known)
    assert not any("A" in text.split() for text in page_one.extremes(own))


@pytest.mark.parametrize(("beyond", "named"), [(1.25, False), (2.0, True)])
def test_a_capacity_is_a_reason_for_large_files_only_far_above_its_bound(beyond: float, named: bool) -> None:
    room = Reason("capacity", "pass", 3, {"capacity": 500e9}, beyond=beyond)
    rate = Reason("seq_read", "pass", 2, {"seq_read": 3.2e9}, beyond=9.0)
    for reasons, wanted in (((room, rate), named), ((room,), True)):
        uses = (Judged("streaming", "yes", reasons),)
        (entry,) = page_one.marked(seen({})._replace(verdict=Verdict("", uses, Known({}))), "")
        assert ("capacity" in entry.why) is wanted
    few = Reason("capacity", "fail", 3, {"capacity": 224e9}, beyond=1.3)
    (entry,) = page_one.marked(
        seen({})._replace(verdict=Verdict("", (Judged("streaming", "no", (few,)),), Known({}))), ""
    )
    assert "capacity" in entry.why


def test_a_start_that_is_shorter_than_a_minute_has_its_time() -> None:
    own = seen({"write": "yes"})._replace(figures={"start": 58e3, "brief_s": 29.0})
    assert page_one.title("start", own) == EN("figure_name.start_brief", brief_s=29.0)
    assert page_one.title("start", own._replace(figures={"start": 58e3})) == EN("figure_name.start")


def test_the_best_of_page_one_does_not_repeat_a_use() -> None:
    assert telling._unstated("One is fast.", "Uses: one is slow.") == "One is fast."
    assert telling._unstated("One is fast.", "Uses: one is slow; one is fast.") == ""


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("above", [True, False])
def test_a_reason_is_stated_in_full_once_on_page_one(lang: str, above: bool) -> None:
    words = Language(lang)
    values = {"fall": 18.0, "start": 289e3, "writes": 15.8e3, "sat_s": 36e3, "fallen_s": 18e3, "reads": 9e4}
    drop, rate = Reason("fall", "fail", 3, values), Reason("reads", "doubt", 1, values)
    marks: dict[str, Mark] = {"read": "doubt", "array": "doubt", "write": "no"}
    uses = tuple(Judged(use, mark, (drop, rate)) for use, mark in marks.items())
    full, own = reason_said(drop, words), seen({})._replace(verdict=Verdict("", uses, Known({})), words=words)
    entries = [entry.why for entry in page_one.marked(own, f"(...: {full})." if above else "")]
    assert sum(full[1:] in why for why in entries) == (0 if above else 1)
    short = words("reason.fall.short", **values)
    assert all(short[1:] in why for why in entries)


def test_a_short_reason_still_says_that_the_drive_was_getting_worse() -> None:
    values = {"fall": 2.9, "start": 500e3, "writes": 175e3, "sat_s": 36e3, "fallen_s": 18e3}
    drop = Reason("fall", "doubt", 3, values, Because("falling"))
    full = reason_said(msgspec.structs.replace(drop, caveat=None), EN)
    assert reason_said(drop, EN, stated=f"(...: {full}).") == EN(
        "why.caveat", clause=EN("reason.fall.short", **values), caveat=because_said(Because("falling"), EN)
    )


def test_the_longest_wait_does_not_argue_for_a_drive_whose_slow_writes_are_behind_its_rivals() -> None:
    """They stand in the sentence with the rival alone, and still speak against the drive."""
    values = {"write_tail": 0.05, "write_tail_at": 128.0, "longest": 0.001}
    slow = Reason("write_tail", "fail", 3, values, beyond=3.0)
    longest = Reason("longest", "pass", 3, values, beyond=90.0)
    uses = (
        Judged("desktop", "yes", (longest, Reason("reads", "pass", 3, {"reads": 9e4}))),
        Judged("write", "no", (slow,)),
    )
    known = tuple(rivals.Rival(name, {"write_tail": 0.001}) for name in "AB")
    own = seen({})._replace(verdict=Verdict("", uses, Known({})), figures={**values, "sat_s": 36e3}, rivals=known)
    assert page_one.behind(own) == "write_tail"
    (section,) = closing.closing({"": own})
    (pair,) = section.blocks
    assert isinstance(pair, Pair)
    texts = [item.text for items in pair.lists for item in items.items]
    assert not [text for text in texts if "longest" in text]
    assert len([text for text in texts if "A" in text.split() or "50" in text]) == 1


def test_a_caveat_of_several_reasons_is_said_once_after_the_last() -> None:
    values = {"fall": 2.9, "start": 500e3, "writes": 175e3, "sat_s": 36e3, "fallen_s": 18e3, "reads": 9e4}
    falls, ends = (Reason(name, "doubt", 3, values, Because("falling")) for name in ("fall", "writes"))
    text = why_said(Why((ends, falls, Reason("reads", "doubt", 1, values))), EN)
    caveat = because_said(Because("falling"), EN)
    assert text.count(caveat) == 1
    assert text.index("drop to") < text.index(caveat) < text.index("reads")


@pytest.mark.parametrize(("after", "argues"), [(7600.0, False), (8200.0, False), (22_300.0, True)])
def test_pauses_that_gain_nothing_are_no_argument_for_a_drive(after: float, *, argues: bool) -> None:
    """The chapter states that no pause gains anything: 7,600 IOPS before them, and at best 7,600 after."""
    values = {"back": after / 68e3, "back_iops": after, "back_rest": 5.0, "unrested": 7600.0}
    assert page_one.argues(Reason("back", "pass", 1, values, beyond=5.0)) is argues


@pytest.mark.parametrize("key", ["question.work.answer_1", "cause.falls_profile"])
@pytest.mark.parametrize(("depth", "words"), [(1, "1 outstanding IO"), (8, "8 outstanding IOs")])
def test_one_outstanding_io_is_singular(key: str, depth: int, words: str) -> None:
    work = {"server": 1470.0, "server_depth": float(depth), "server_wait": 680e-6}
    falls = {"of": 9, "phase": "file-copy", "most": 2640.0, "at": depth, "least": 1070.0, "deep": 512}
    said = EN(key if key.startswith("question") else f"finding.{key}", **(work | falls))
    assert f"{words} " in said.replace("\N{NO-BREAK SPACE}", " ").replace(",", " ")
