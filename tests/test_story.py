"""A review's sentences: conditions on figures, the uses that its verdict names, arguments for and against, rivals."""

import msgspec
import pytest

from stend.definition import Identity
from stend.findings.judgement import Judged, Mark, Reason, Verdict
from stend.published import published
from stend.record import Run
from stend.report.story import page_one, rivals, telling
from stend.report.story.page_one import Seen
from stend.words import Language
from stend.words.sentences import reason_said

EN = Language("en")
ANY = ["x", "x"]
LADDER = ("desktop", "read", "mixed", "database", "write")


def answer(**own: object) -> telling.Answer:
    return msgspec.convert({"needs": (), "text": ANY, **own}, telling.Answer)


@pytest.mark.parametrize(
    ("own", "told", "holds"),
    [
        ({"needs": ("a", "b")}, {"a": 1.0}, False),
        ({"needs": ("a", "b")}, {"a": 1.0, "b": 0.0}, True),
        ({"above": ("a", 2.0)}, {"a": 2.0}, True),
        ({"above": ("a", 2.0)}, {"a": 1.9}, False),
        ({"below": ("a", 2.0)}, {"a": 2.0}, False),
        ({"below": ("a", 2.0)}, {"a": 1.9}, True),
        ({"above": ("a", 1.0), "below": ("b", 1.0)}, {"a": 2.0, "b": 2.0}, False),
        ({"above_ratio": ("a", "b", 3.0)}, {"a": 6.0, "b": 2.0}, True),
        ({"above_ratio": ("a", "b", 3.0)}, {"a": 5.9, "b": 2.0}, False),
        ({"below_ratio": ("a", "b", 3.0)}, {"a": 6.0, "b": 2.0}, False),
        ({"below_ratio": ("a", "b", 3.0)}, {"a": 5.9, "b": 2.0}, True),
        ({"above_ratio": ("a", "b", 3.0)}, {"a": 6.0}, False),
        ({"below_ratio": ("a", "b", 3.0)}, {"b": 2.0}, False),
    ],
)
def test_an_answer_is_given_where_its_figures_are_known_and_its_conditions_hold(
    own: dict[str, object], told: dict[str, float], holds: bool
) -> None:
    assert answer(**own).holds(told) is holds


def reason(figure: str, said: str, weight: float = 1.0) -> Reason:
    return Reason(figure, said, weight, {"reads": 9e5, "writes": 9e4, "start": 4e5, "fall": 4.4, "read_wait": 1e-4})


def seen(marks: dict[str, Mark], reasons: tuple[Reason, ...] = (reason("reads", "pass"),)) -> Seen:
    uses = tuple(Judged(use, mark, reasons, ()) for use, mark in marks.items())
    best = [use for use, mark in marks.items() if mark == "yes"]
    told = Verdict(best[-1] if best else "", uses, reasons, {})
    return Seen(Run(()), {}, told, (), "flash", EN)


def named(text: str) -> list[str]:
    return [use for use in LADDER if EN(f"use_for.{use}") in text]


def test_a_verdict_names_the_lightest_and_the_heaviest_use_that_it_refuses() -> None:
    marks: dict[str, Mark] = {"desktop": "yes", "read": "yes", "mixed": "no", "database": "no", "write": "no"}
    told = page_one.verdict(seen(marks))
    assert named(told) == ["desktop", "read", "mixed", "write"]
    assert named(page_one.verdict(seen(marks | {"mixed": "yes", "database": "yes"}))) == ["mixed", "database", "write"]
    assert named(page_one.verdict(seen(dict.fromkeys(LADDER, "yes")))) == ["database", "write"]
    assert named(page_one.verdict(seen(dict.fromkeys(LADDER, "no")))) == ["desktop", "write"]
    assert named(page_one.verdict(seen(dict.fromkeys(LADDER, "doubt")))) == ["desktop", "read"]
    assert page_one.verdict(seen(dict.fromkeys(LADDER, "can't tell"))) == EN("story.verdict_none")
    assert page_one.verdict(seen(marks, ())) == EN("story.verdict_none")


def test_no_figure_is_an_argument_for_the_drive_and_against_it() -> None:
    both = (reason("reads", "pass", 2.0), reason("read_wait", "pass", 1.0))
    against = (reason("reads", "fail", 3.0), reason("writes", "doubt", 1.0))
    uses = (Judged("desktop", "yes", both, ()), Judged("write", "no", against, ()))
    own = seen({})._replace(verdict=Verdict("desktop", uses, both, {}))
    closing = {side: texts for _, side, texts in telling._closing(own, {}).lists if side}
    said = {one.figure: page_one.sentence(reason_said(one, EN)) for one in (*both[1:], *against)}
    assert closing["pro"] == (said["read_wait"],)
    assert closing["con"] == (said["reads"], said["writes"]), "the weightiest first"


def test_the_extremes_are_the_weightiest_measured_reasons() -> None:
    good = (reason("reads", "pass", 1.0), reason("read_wait", "pass", 2.0))
    bad = (reason("writes", "fail", 1.0), reason("start", "doubt", 3.0))
    uses = (Judged("desktop", "yes", good, ()), Judged("write", "no", bad, ()))
    own = seen({})._replace(verdict=Verdict("desktop", uses, (), {}))
    for told, one in zip(page_one.extremes(own), (good[1], bad[1]), strict=True):
        assert told == page_one.sentence(reason_said(one, EN))
    assert page_one.extremes(seen({}, ())) == ("", "")


@pytest.mark.parametrize(
    ("interface", "kind", "classes"),
    [
        ("NVMe 1.4", "flash", {"nvme-server", "nvme-desktop"}),
        ("SATA 6 Gb/s", "flash", {"sata", "sas"}),
        ("SAS 12 Gb/s", "flash", {"sas", "sata"}),
        ("sas", "disk", {"hybrid"}),
        ("mSATA", "flash", {"sata", "sas"}),
        ("PCIe", "flash", {"nvme-server", "nvme-desktop"}),
        ("md", "array", {"array"}),
    ],
)
def test_rivals_are_the_published_drives_of_its_class(interface: str, kind: str, classes: set[str]) -> None:
    drive = Identity(kind="sim", target="sim:x", path="", capacity_bytes=1, interface=interface)
    own = {facts["about"]["class"] for facts in rivals.peers(drive, kind).values()}
    there = {facts.get("about", {}).get("class") for facts in published().values()}
    assert own == classes & there
    assert own
