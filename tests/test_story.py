"""A review's sentences: conditions on figures, the uses that its verdict names, arguments for and against, rivals."""

import msgspec
import pytest
from msgspec.structs import replace

from stend.charts import Picture
from stend.findings.judgement import FIT, Judged, Mark, Reason, Verdict
from stend.findings.judgement.evidence import Known
from stend.findings.look.grounds import Because
from stend.publish.figures import key_figures
from stend.report.parts import Pair
from stend.report.story import closing, methods, page_one, questions, rivals, telling, together, verdict
from stend.report.story.page_one import Review
from stend.sentences import reason_said
from stend.words import Language
from tests import synthetic

EN = Language("en")
LADDER = ("desktop", "read", "mixed", "database", "write")


def answer(**own: object) -> questions.Answer:
    return msgspec.convert({"needs": (), "key": "answer_1", **own}, questions.Answer)


@pytest.mark.parametrize(
    ("own", "told", "holds"),
    [
        ({"needs": ("a", "b")}, {"a": 1.0}, False),
        ({"needs": ("a", "b")}, {"a": 1.0, "b": 0.0}, True),
        ({"above": {"a": 2.0}}, {"a": 2.0}, True),
        ({"above": {"a": 2.0}}, {"a": 1.9}, False),
        ({"below": {"a": 2.0}}, {"a": 2.0}, False),
        ({"below": {"a": 2.0}}, {"a": 1.9}, True),
        ({"above": {"a": 1.0}, "below": {"b": 1.0}}, {"a": 2.0, "b": 2.0}, False),
        ({"above": {"a": 1.0, "b": 1.0}}, {"a": 2.0, "b": 0.5}, False),
        ({"below": {"a": 1.0, "b": 1.0}}, {"a": 0.5, "b": 2.0}, False),
        ({"above_ratio": ("a", "b", 3.0)}, {"a": 6.0, "b": 2.0}, True),
        ({"above_ratio": ("a", "b", 3.0)}, {"a": 5.9, "b": 2.0}, False),
        ({"below_ratio": ("a", "b", 3.0)}, {"a": 6.0, "b": 2.0}, False),
        ({"below_ratio": ("a", "b", 3.0)}, {"a": 5.9, "b": 2.0}, True),
        ({"above_ratio": ("a", "b", 3.0)}, {"a": 6.0}, False),
        ({"below_ratio": ("a", "b", 3.0)}, {"b": 2.0}, False),
        ({"above_ratio": ("a", "b", 0.99), "below_ratio": ("a", "b", 1.01)}, {"a": 8.0, "b": 8.0}, True),
        ({"above_ratio": ("a", "b", 0.99), "below_ratio": ("a", "b", 1.01)}, {"a": 16.0, "b": 8.0}, False),
        ({"above_ratio": ("a", "b", 0.99), "below_ratio": ("a", "b", 1.01)}, {"a": 4.0, "b": 8.0}, False),
    ],
)
def test_an_answer_is_given_where_its_figures_are_known_and_its_conditions_hold(
    own: dict[str, object], told: dict[str, float], holds: bool
) -> None:
    assert answer(**own).holds(told) is holds


@pytest.mark.parametrize(
    ("question", "figures", "key"),
    [
        ("wait", {"deep_reads_at": 8.0, "deep_writes_at": 8.0}, "answer_5"),
        ("wait", {"deep_reads_at": 64.0, "deep_writes_at": 8.0}, "answer_4"),
        ("wait", {"deep_reads_at": 8.0, "deep_writes_at": 64.0}, "answer_4"),
        ("wait", {"deep_reads_at": 64.0, "deep_writes_at": 2.0, "deep_writes": 1.24}, "answer_15"),
        ("wait", {"deep_reads_at": 64.0, "deep_writes_at": 1.0, "deep_writes": 1.0}, "answer_3"),
        ("saturation", {"write_tail": 490e-6, "longest": 491e-6}, "answer_8"),
        ("saturation", {"write_tail": 490e-6, "longest": 900e-6}, "answer_3"),
        ("hot", {"small_range": 2.2}, "answer_8"),
        ("blocks", {"small_read": 610.0, "large_read": 162e6, "block_threads": 4.0}, "answer_1"),
        ("blocks", {"small_read": 610.0, "large_read": 162e6, "block_threads": 1.0}, "answer_4"),
        ("steady", {"streams_at": 8.0, "streams_read": 62e6, "streams_write": 59e6}, "answer_6"),
        ("cache", {"cache_begin": 235e6, "cache_end": 127e6, "cache_fall": 1.9, "stream_end": 127e6}, "answer_10"),
    ],
)
def test_each_answer_has_the_words_of_its_figures(question: str, figures: dict[str, float], key: str) -> None:
    known = {"deep_reads": 7.0, "deep_writes": 5.9, "sat_s": 36e3, **figures}
    answers = (a for one in questions.questions() if one.name == question for a in one.answers)
    assert [a.key for a in answers if a.holds(known)] == [key]


WAITS, RESTS = {"write_tail": 1e-3, "longest": 2e-3}, {"back_iops": 33e3, "back_rest": 5.0, "writes": 8e4}
CACHE = {"cache_first": 2e9, "stream_end": 2e8}
CROWD = {"sweep_least": 1e4, "sweep_shallow": 4.0}
BEST = {"sweep": 4e4, "sweep_at": 64.0, "sweep_near": 38e3}
DEPTHS = {"deep_reads_at": 64.0, "deep_writes_at": 8.0}
UNFALLEN = ["answer_10", "answer_20"]
ENDED = {"start": 164.0, "ended": 165.0, "ended_s": 36e3}


@pytest.mark.parametrize(
    ("chapter", "figures", "keys"),
    [
        ("wait", {**DEPTHS, "deep_reads": 1.0, "deep_writes": 1.05}, ["answer_11"]),
        ("wait", {**DEPTHS, "deep_reads": 1.02, "deep_writes": 3.0}, ["answer_12"]),
        ("saturation", {**ENDED, "ended_share": 0.3}, ["answer_13"]),
        ("saturation", ENDED, ["answer_15"]),
        ("crowd", {**CROWD, **BEST, "sweep_near_at": 16.0}, ["answer_1", "answer_4"]),
        ("crowd", {**CROWD, **BEST, "sweep_near_at": 64.0}, ["answer_1"]),
        ("saturation", {"fall": 1.05, "start": 115e3, "writes": 109e3, "sat_s": 1e3, "sat_fills": 1.04}, UNFALLEN),
        ("saturation", {"begun_s": 60.0, "writes": 109e3, "sat_s": 90.0, "sat_fills": 1.5}, ["answer_5"]),
        ("saturation", {**WAITS, "sat_s": 36e3}, ["answer_3"]),
        ("saturation", {**WAITS, "sat_s": 600.0}, ["answer_4"]),  # minutes do not show that there are no long delays
        ("recovery", {**RESTS, "unrested": 2e4}, ["answer_1"]),  # from the rate before the rests, not that of another
        ("recovery", {**RESTS, "unrested": 32e3}, ["answer_2"]),  # saturation
        ("recovery", {**RESTS, "unrested": 33.5e3, "rested_before": 33.5e3, "rested": 33.6e3}, ["answer_8"]),  # no gain
        ("recovery", {**RESTS, "unrested": 32.5e3, "rested_before": 32.5e3, "rested": 33.6e3}, ["answer_4"]),  # equal
        ("recovery", {**RESTS, "unrested": 50e3, "rested_before": 50e3, "rested": 33.6e3}, ["answer_5"]),  # slower
        (  # the rate fell further before the longest rests, which then double it
            "recovery",
            {**RESTS, "unrested": 33e3, "rested_before": 8e3, "rested": 16e3, "rested_rest": 50.0, "back_gain": 1.0},
            ["answer_4", "answer_12"],
        ),
        (  # every pause does the same
            "recovery",
            {**RESTS, "unrested": 2e4, "rested_before": 2e4, "rested": 33e3, "rested_rest": 50.0, "back_gain": 1.65},
            ["answer_1"],
        ),
        ("cache", {**CACHE, "cache_bytes": 5e11, "rested_bytes": 1e11, "rested_first": 3e8}, ["answer_1", "answer_3"]),
        ("cache", {**CACHE, "cache_bytes": 7e10, "cache_next": 69e7, "cache_last": 52e7}, ["answer_4"]),
        ("cache", {**CACHE, "cache_bytes": 7e10, "cache_next": 52e7, "cache_last": 52e7}, ["answer_5"]),
        ("cache", {**CACHE, "cache_bytes": 0.0, "rested_bytes": 1e11, "rested_first": 3e8}, ["answer_2"]),
        ("cache", {"again": 4.7e8, "again_end": 3.5e8}, ["answer_6"]),
        ("cache", {"again": 1.75e9, "again_end": 1.74e9}, ["answer_7"]),
        ("cache", {"again": 1.72e8, "again_end": 2.54e8}, ["answer_8"]),
        ("cache", {"again": 1.72e8, "again_end": 2.54e8, "stream_end": 2.15e8}, ["answer_8", "answer_9"]),
        ("cache", {"again": 1.72e8, "again_end": 1.72e8, "stream_end": 1.7e8}, ["answer_7"]),
        ("fresh", {"fresh_writes": 287e3, "start": 289e3, "sat_s": 36e3}, ["answer_1", "answer_3"]),
        ("fresh", {"fresh_writes": 287e3, "start": 285e3, "sat_s": 36e3}, ["answer_1", "answer_3"]),
        ("fresh", {"fresh_writes": 87e3, "start": 87e3, "sat_s": 36e3}, ["answer_1"]),  # both read as one figure
        ("recovery", {"rested_share": 0.32, "rested_of": 5e3}, ["answer_6"]),
        ("recovery", {"full_rest": 15.0, "rested_of": 5e3}, ["answer_7"]),
        (
            "recovery",
            {
                "full_rest": 1.0,
                "rested_of": 4e5,
                "rested": 36e4,
                "back_iops": 34e4,
                "rested_less": 22e4,
                "rested_less_rest": 2.0,
            },
            ["answer_7", "answer_13"],
        ),
        ("steady", {"seq_read": 3e9, "seq_write": 7e8}, ["answer_3"]),
        ("steady", {"seq_read": 3e9, "seq_write": 7e8, "seq_part": 0.75}, ["answer_4"]),
        ("steady", {"seq_read": 3e8, "seq_write": 2e8, "seq_along": 1.0}, []),  # the chapter on the range has it
        ("work", {"database": 6e4, "database_wait": 2e-4, "database_depth": 16.0}, ["answer_3"]),
        ("crowd", {**CROWD, "sweep": 2e4}, ["answer_1"]),
        ("crowd", {**CROWD, "sweep": 1.1e4}, ["answer_3"]),  # 10 % is no rise
    ],
)
def test_an_answer_claims_no_more_than_its_figures(chapter: str, figures: dict[str, float], keys: list[str]) -> None:
    asked = next(one for one in questions.questions() if one.name == chapter)
    assert [one.key for one in asked.answers if one.holds(figures)] == keys


def reason(figure: str, said: str, weight: float = 1.0, beyond: float = 1.0) -> Reason:
    figures = {"reads": 9e5, "writes": 9e4, "start": 4e5, "fall": 4.4, "fallen_s": 60.0, "read_wait": 1e-4, "mix": 2e4}
    figures |= {"write_tail": 0.02, "write_tail_at": 256.0, "longest": 0.021}
    return Reason(figure, said, weight, figures, beyond=beyond)


def seen(marks: dict[str, Mark], good: tuple[Reason, ...] = (reason("reads", "pass"),)) -> Review:
    bad = (reason("writes", "fail"),)
    uses = tuple(Judged(use, mark, good if mark in FIT else bad if good else ()) for use, mark in marks.items())
    best = [use for use, mark in marks.items() if mark in FIT]
    return Review(
        synthetic.made("fresh", shorten=60), {}, Verdict(best[-1] if best else "", uses, Known({})), (), "flash", EN
    )


def test_a_refused_use_shows_what_it_fails_even_if_an_earlier_use_showed_it() -> None:
    slow, rate = reason("read_wait", "fail", 3.0), reason("writes", "doubt", 1.0)
    uses = (Judged("read", "doubt", (slow,)), Judged("mixed", "no", (slow, rate)))
    own = seen({})._replace(verdict=Verdict("read", uses, Known({})))
    told = [entry.why for entry in page_one.marked(own, "")]
    assert all(page_one.sentence(reason_said(slow, EN))[:-1] in why for why in told)


def test_a_run_that_only_refuses_streams_opens_with_its_own_answer() -> None:
    uses = (Judged("streaming", "no", (reason("reads", "fail"),)), Judged("write", "can't tell", ()))
    own = seen({})._replace(verdict=Verdict("", uses, Known({})), figures={"fresh_writes": 1e4})
    assert telling.headline(own) == EN("question.fresh.answer_1", fresh_writes=1e4)


def test_no_figure_is_an_argument_for_the_drive_and_against_it() -> None:
    both = (reason("reads", "pass", 2.0), reason("read_wait", "pass", 1.0), reason("longest", "pass", beyond=9.0))
    against = (reason("reads", "fail", 3.0), reason("write_tail", "doubt", 1.0))
    uses = (Judged("desktop", "yes", both), Judged("write", "no", against))
    own = seen({})._replace(verdict=Verdict("desktop", uses, Known({})))
    (section,) = closing.closing({"": own})
    (pair,) = section.blocks
    assert isinstance(pair, Pair)
    lists = {items.items[0].mark: tuple(item.text for item in items.items) for items in pair.lists}
    said = {one.figure: page_one.sentence(reason_said(one, EN)) for one in (both[1], *against)}
    assert lists["pro"] == (said["read_wait"],)
    assert lists["con"] == (said["reads"], said["write_tail"]), "the weightiest first"


@pytest.mark.parametrize(("good", "bad"), [("stream_end", "cache_fall"), ("writes", "fall")])
def test_a_number_that_the_reason_against_a_drive_states_is_no_argument_for_it(good: str, bad: str) -> None:
    values = {
        "stream_end": 2e8,
        "cache_fall": 9.5,
        "writes": 19e3,
        "fall": 25.0,
        "start": 4.8e5,
        "sat_s": 36e3,
        "fallen_s": 60.0,
    }
    pros = (Reason(good, "pass", 2.0, values), reason("read_wait", "pass", 1.0))
    cons = (Reason(bad, "fail", 2.0, values),)
    uses = (Judged("desktop", "yes", pros), Judged("write", "no", cons))
    own = seen({})._replace(verdict=Verdict("desktop", uses, Known({})))
    said = page_one.sentence(reason_said(pros[0], EN))[1:-1]
    assert said not in verdict.verdict(own)
    (section,) = closing.closing({"": own})
    assert said not in str(section)


def test_without_rivals_the_extremes_are_the_demands_exceeded_and_missed_most() -> None:
    good = (
        reason("reads", "pass", 1.0, 4.0),
        reason("writes", "pass", 3.0, 1.1),
        reason("read_wait", "pass", 3.0, 9.0),
    )
    bad = (reason("writes", "fail", 1.0), reason("start", "doubt", 3.0))
    uses = (Judged("desktop", "yes", good), Judged("write", "no", bad))
    own = seen({})._replace(verdict=Verdict("desktop", uses, Known({})))
    for told, one in zip(page_one.extremes(own), (good[0], bad[1]), strict=True):
        assert told == page_one.sentence(reason_said(one, EN))
    assert page_one.extremes(seen({}, ())) == ("", "")


def test_beside_rivals_the_extremes_are_figures_beyond_all_of_them() -> None:
    figures = {"writes": 134e3, "sat_s": 36e3, "read_wait": 90e-6, "write_wait": 90e-6}
    known = (
        rivals.Rival("A", {"writes": 135e3, "read_wait": 94e-6, "write_wait": 21e-6}),
        rivals.Rival("B", {"writes": 56e3, "write_wait": 41e-6}),
        rivals.Rival("C", {"read_wait": 120e-6, "write_wait": 30e-6}),
    )
    own = seen({"write": "yes"})._replace(figures=figures, rivals=known)
    _, worst = page_one.extremes(own)
    assert "90\u00a0µs" in worst
    assert "41\u00a0µs" in worst, "of the rivals the nearest, which is the worst of them"
    assert "fourth of four" in worst
    judged = own.verdict._replace(known=own.verdict.known._replace(unusable={"write_wait": Because("quick")}))
    assert page_one.extremes(own._replace(verdict=judged))[1] == "", "a figure that cannot be used is not ranked"
    best, _ = page_one.extremes(own._replace(figures={"writes": 300e3, "sat_s": 36e3}))
    assert (
        best == "Random writes, saturated: 300,000\u00a0IOPS, "
        "2.2\u00a0times better than A (135,000\u00a0IOPS), first of three."
    )
    assert page_one.extremes(own._replace(rivals=()))[1] != worst


def test_a_tail_argues_for_a_drive_only_far_below_its_bound() -> None:
    assert not page_one.argues(Reason("longest", "pass", 3, {"longest": 0.43}, beyond=2.3))
    assert not page_one.argues(Reason("longest", "pass", 3, {"longest": 0.051}, beyond=16.0))
    assert page_one.argues(Reason("longest", "pass", 3, {"longest": 0.005}, beyond=50.0))
    assert not page_one.argues(Reason("fall", "pass", 3, {"fall": 2.5}, beyond=2.8))


def test_a_tail_that_speaks_against_one_drive_does_not_argue_for_another() -> None:
    """49 ms of an array are far below what a read-mostly server tolerates, but 21 ms are too long for heavy writing."""
    assert not page_one.argues(Reason("write_tail", "pass", 1, {"write_tail": 0.049}, beyond=20.0))


def test_at_most_two_response_times_are_among_the_arguments() -> None:
    tails = [
        Reason(name, "pass", 3, {name: 1e-4, "write_tail_at": 256.0}, beyond=90.0)
        for name in ("longest", "write_tail", "mix_tail")
    ]
    uses = (Judged("desktop", "yes", (*tails, reason("reads", "pass", 1.0, 2.0))),)
    (section,) = closing.closing({"": seen({})._replace(verdict=Verdict("desktop", uses, Known({})))})
    (pair,) = section.blocks
    assert isinstance(pair, Pair)
    texts = [item.text for item in pair.lists[0].items]
    said = [page_one.sentence(reason_said(one, EN)) for one in (*tails[:2], reason("reads", "pass"))]
    assert texts == said


def test_a_reason_that_weighs_little_follows_the_weightiest() -> None:
    light, heavy = (
        Reason(*args, {"uneven": 1.0, "writes": 9e4}) for args in (("uneven", "pass", 1), ("writes", "pass", 3))
    )
    uses = (Judged("mixed", "yes", (heavy,)), Judged("write", "yes", (heavy, light)))
    *_, shown = page_one.marked(seen({})._replace(verdict=Verdict("write", uses, Known({}))), "")
    assert shown.why == page_one.sentence("; ".join(reason_said(one, EN) for one in (heavy, light)))


def test_the_headline_of_an_archive_begins_with_a_large_capacity() -> None:
    large = [
        Reason(name, "pass", weight, {name: value}, beyond=beyond)
        for name, weight, value, beyond in (("capacity", 3, 16e12, 32.0), ("seq_read", 2, 2e8, 1.3))
    ]
    small = [msgspec.structs.replace(large[0], beyond=1.2), large[1]]
    for use, reasons, names in (
        ("streaming", large, large),
        ("streaming", small, small[1:]),
        ("read", large, large[1:]),
    ):
        told = verdict.verdict(
            seen({})._replace(verdict=Verdict(use, (Judged(use, "yes", tuple(reasons)),), Known({})))
        )
        assert told == EN("story.fit", uses=EN(f"use_for.{use}"), reasons="; ".join(reason_said(r, EN) for r in names))


def test_texts_of_some_drives_are_stated_once_after_their_names() -> None:
    texts = {"A": ["all", "some"], "B": ["all", "some"], "C": ["all", "own"]}
    assert methods.of_all(texts) == ["all", "A, B: some", "C: own"]


def test_a_quantity_is_stated_once_in_a_list_of_reasons() -> None:
    both = (reason("fall", "fail", 3.0), reason("reads", "fail", 2.0), reason("writes", "doubt", 1.0))
    assert [one.figure for one in page_one.once(both)] == ["fall", "reads"]


def test_drives_are_told_apart_by_the_sentences_that_differ() -> None:
    """The first sentence stays, because others refer to it."""
    own = {"A": ("same", "also", "a"), "B": ("same", "b", "also")}
    assert telling._apart(own) == {"A": ("same", "a"), "B": ("same", "b")}
    assert telling._apart({"A": ("same",), "B": ("same",)}) == {"A": ("same",), "B": ("same",)}
    assert telling._apart({"": ("one", "two")}) == {"": ("one", "two")}


def test_drives_are_ranked_by_figures_that_two_of_them_have() -> None:
    one = seen({"write": "yes"})._replace(figures={"fresh_writes": 4e5, "start": 4e5, "reads": 7e5, "server": 1e3})
    two = seen({"write": "yes"})._replace(figures={"fresh_writes": 3e5, "start": 3e5, "reads": 6e5})
    (_, figures, _) = together.tables({"A": one, "B": two}, EN)
    assert [row[0] for row in figures.rows] == ["Random reads, 4 KiB", "Random writes, fresh, best minute"]


def test_the_best_of_two_drives_is_better_and_not_better_than_the_next() -> None:
    own = [seen({"write": "yes"})._replace(figures={"reads": reads}) for reads in (8e5, 4e5, 4e5)]
    own = [one._replace(verdict=Verdict("write", (), Known(one.figures))) for one in own]
    for names, best in (("AB", "A, 2\u00a0times better"), ("ABC", "A, 2\u00a0times")):
        tables = list(together.tables(dict(zip(names, own, strict=False)), EN))
        assert tables[1].rows[0][-1] == best


def test_a_rate_that_still_falls_is_marked_so_and_the_cache_of_an_array_is_not_ranked() -> None:
    one = seen({"write": "yes"})._replace(figures={"start": 9e4, "writes": 2e4, "sat_s": 36e3, "reads": 1e5})
    two = one._replace(figures={**one.figures, "still_falling": 1.0})
    (_, figures, _) = together.tables({"A": one, "B": two}, EN)
    (row,) = (row for row in figures.rows if row[0] == EN("figure_name.writes_unlike"))
    assert row[1:3] == ("20,000\xa0IOPS", "20,000\xa0IOPS, falling")
    assert len(figures.rows) == 3
    arrays = {name: own._replace(kind="array") for name, own in (("A", one), ("B", two))}
    (_, figures, _) = together.tables(arrays, EN)
    assert len(figures.rows) == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The rate falls.", "A: the rate falls."),
        ("A mix reads.", "A: a mix reads."),
        ("IOPS fall.", "A: IOPS fall."),
        ("В смеси чтений меньше.", "A: в смеси чтений меньше."),
        ("RAID 5 writes twice.", "A: RAID 5 writes twice."),
        ("At QD1 a read waits.", "A: at QD1 a read waits."),
    ],
)
def test_a_sentence_after_a_name_begins_small_unless_with_an_acronym(text: str, told: str) -> None:
    assert page_one.after("A", text) == told


@pytest.mark.parametrize(("hours", "beside"), [(36e3, True), (None, False)])
def test_only_saturated_writes_are_compared_with_saturated_writes(hours: float | None, beside: bool) -> None:
    figures = {"writes": 9e4} | ({"sat_s": hours} if hours else {})
    own = seen({"write": "yes"})._replace(figures=figures, rivals=(rivals.Rival("Other", {"writes": 2e4}),))
    assert [bool(key.band) for key in page_one.keys(own)] == [beside]
    assert bool(page_one.extremes(own)[0].startswith("Random writes")) == beside
    assert bool(key_figures(own)) == beside


def test_writes_without_gain_are_stated_only_of_a_cache_that_gains() -> None:
    (hot,) = (question for question in questions.questions() if question.name == "hot")
    (writes,) = (answer for answer in hot.answers if answer.key == "answer_4")
    assert writes.holds({"warm_writes": 1.0, "hot_gain": 16.0})
    assert not writes.holds({"warm_writes": 1.0, "hot_gain": 1.0})


def test_a_tail_that_one_use_merely_allows_is_no_argument_at_all() -> None:
    reasons = [replace(reason("longest", "pass", 1.0, by), values={"longest": 0.4}) for by in (9.0, 2.0)]
    uses = tuple(Judged(use, "yes", (one,)) for use, one in zip(("desktop", "array"), reasons, strict=True))
    assert not list(closing.closing({"": seen({})._replace(verdict=Verdict("desktop", uses, Known({})))}))


@pytest.mark.parametrize(
    ("tests", "drawn"),
    [(("throughput", "block-sweep"), ["stream_levels"]), (("iops", "block-sweep"), ["iops_levels", "mixes"])],
)
def test_a_chapter_draws_levels_only_of_its_own_tests(tests: tuple[str, ...], drawn: list[str]) -> None:
    page = telling.story([(None, synthetic.made(*tests, shorten=60, rounds=5), {})], [], "en")
    (chapter,) = (section for section in page.sections if section.anchor == "steady")
    levels = ("iops_levels", "mixes", "stream_levels")
    assert [block.name for block in chapter.blocks if isinstance(block, Picture) and block.name in levels] == drawn
