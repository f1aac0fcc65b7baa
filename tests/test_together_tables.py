"""Tables of a page of several drives state what their words mean."""

import re

import pytest
from msgspec.structs import replace

from stend.findings.judgement import Judged, Mark, Verdict
from stend.findings.judgement.evidence import Known
from stend.findings.look.grounds import Because
from stend.report.story import closing, questions, telling, together
from stend.sentences import reason_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made
from tests.test_story import reason, seen

EN = Language("en")


@pytest.mark.parametrize(("mark", "noted"), [("performance", True), ("yes", False)])
def test_a_use_that_is_fit_by_performance_only_is_explained(mark: Mark, noted: bool) -> None:
    (*_, uses) = together.tables({name: seen({"write": mark, "read": "no"}) for name in "AB"}, EN)
    assert (uses.note == EN("together.by_performance")) == noted


def test_drives_without_a_common_figure_have_no_table_of_figures() -> None:
    reviews = {name: seen({"write": "no"})._replace(figures={}) for name in "AB"}
    assert together.headline(reviews, EN) == EN("together.nothing")
    assert [table.title for table in together.tables(reviews, EN)] == [EN("together.verdicts_runs"), EN("story.uses")]


def uses_of(marks: dict[str, Mark], why: dict[str, Judged]) -> dict[str, str]:
    review = seen(marks)
    judged = tuple(why.get(one.use, one) for one in review.verdict.uses)
    review = review._replace(verdict=review.verdict._replace(uses=judged))
    (*_, uses) = together.tables({"A": review, "B": seen(dict.fromkeys(marks, "yes"))}, EN)
    return {row[0]: row[1] for row in uses.rows}


def test_each_use_that_a_drive_does_not_fit_has_its_reason() -> None:
    small, slow = reason("write_tail", "doubt"), reason("writes", "fail")
    why = {
        "mixed": Judged("mixed", "no", (slow,), facts=("dwpd",)),
        "database": Judged("database", "no", (slow, small)),
        "write": Judged("write", "no", (slow,)),
        "read": Judged("read", "can't tell", (), missing=("latency",)),
        "array": Judged("array", "can't tell", (), because=(Because("inspection_unfinished"),)),
    }
    cells = uses_of(dict.fromkeys(("desktop", "read", "array", "mixed", "database", "write"), "yes"), why)
    slowly, tail = (reason_said(one, EN) for one in (slow, small))
    assert list(cells.values()) == [
        "yes",
        f"unknown: {EN('why.tests', tests='Latency')}",
        f"unknown: {EN('because.inspection_unfinished')}",
        f"no: {slowly}",
        f"no: {tail}",  # another reason than in the row above
        f"no: {slowly}",
    ]


def test_uses_that_are_unknown_for_all_drives_have_all_that_they_lack() -> None:
    own = seen(dict.fromkeys(("read", "mixed", "write"), "can't tell"))
    tests = ("latency", "iops", "latency")
    judged = tuple(use._replace(missing=(name,)) for use, name in zip(own.verdict.uses, tests, strict=True))
    own = own._replace(verdict=own.verdict._replace(uses=judged))
    (*_, uses) = together.tables({"A": own, "B": own}, EN)
    assert [row[1:] for row in uses.rows] == [(f"unknown: {EN('why.tests', tests='Latency, IOPS')}",) * 2]


@pytest.mark.parametrize(
    ("second", "level"), [(7.8e5, "at most 10% apart"), (7.9e5, "at most 2% apart"), (8e5, "at most 2% apart")]
)
def test_the_two_drives_within_ten_percent_are_named_if_there_is_a_third(second: float, level: str) -> None:
    own = [seen({"write": "yes"})._replace(figures={"reads": reads}) for reads in (8e5, second, 1e5)]
    own = [one._replace(verdict=Verdict("write", (), Known(one.figures))) for one in own]
    for names, best in (("AB", level), ("ABC", f"A, B, {level}")):
        tables = list(together.tables(dict(zip(names, own, strict=False)), EN))
        assert tables[1].rows[0][-1] == best


@pytest.mark.parametrize(
    ("names", "lang", "told"),
    [
        ("AB", "en", ["A is better in 1 of 2 figures.", "In 1 of 2 figures the two are within 10% of each other."]),
        ("ABC", "en", ["A is best in 1 of 2 figures.", "In 1 of 2 figures the best are within 10% of each other."]),
        ("AB", "ru", ["A лучше по 1 из 2 показателей.", "По 1 показателю из 2 разница не больше 10 %."]),
        ("ABC", "ru", ["A лучше других по 1 из 2", "По 1 показателю из 2 разница между лучшими не больше"]),
    ],
)
def test_a_drive_beside_one_other_is_better_and_beside_several_best(names: str, lang: str, told: list[str]) -> None:
    figures = ({"reads": 8e5, "seq_read": 3.1e9}, {"reads": 4e5, "seq_read": 3e9}, {"reads": 1e5, "seq_read": 1e9})
    own = [seen({"write": "yes"})._replace(figures=one) for one in figures]
    own = [one._replace(verdict=Verdict("write", (), Known(one.figures))) for one in own]
    said = together.headline(dict(zip(names, own, strict=False)), Language(lang))
    assert all(text in said.replace("\u00a0", " ") for text in told)


def test_a_drive_that_is_best_of_those_that_were_measured_is_not_best_of_all_without_a_word() -> None:
    figures = ({"reads": 8e5, "seq_read": 3.1e9}, {"reads": 4e5, "seq_read": 1e9}, {"seq_read": 1e8})
    own = [seen({"write": "yes"})._replace(figures=one, verdict=Verdict("write", (), Known(one))) for one in figures]
    said = together.headline(dict(zip("ABC", own, strict=True)), Language("en")).replace("\u00a0", " ")
    assert "2 times better than B (400,000 IOPS), not measured on C" in said
    assert said.count("not measured") == 1


@pytest.mark.parametrize(
    ("options", "one"),
    [
        (("?run=1&unit=1&spread=1", "?run=2&unit=1&spread=1"), True),
        (("?seed=1", "?seed=2"), True),
        (("", "?flash.spare_pct=7"), False),
    ],
)
def test_repeats_of_one_virtual_drive_are_runs_of_one_drive(options: tuple[str, str], *, one: bool) -> None:
    reviews = {}
    for name, option in zip("AB", options, strict=True):
        run = made("fresh", truth=Truth(serial="SIM-1"), shorten=60)
        device = replace(
            run.plan.device, virtual=True, target=f"sim:kc2000{option}", facts={"title": "KC2000: a model"}
        )
        run.started[0] = replace(run.started[0], plan=replace(run.plan, device=device))
        reviews[name] = seen({"write": "yes"})._replace(run=run, figures={"reads": 8e5})
    assert together.of_one_drive(reviews) is one


@pytest.mark.parametrize(
    ("serials", "levels", "one"),
    [
        (("S1", "S1"), ("", ""), True),
        (("S1", "S2"), ("", ""), False),
        (("", ""), ("", ""), False),
        (("S1", "S1"), ("raid5", "raid10"), False),  # a controller has one serial number, whatever its array
    ],
)
def test_two_runs_of_one_drive_are_not_called_two_drives(
    serials: tuple[str, str], levels: tuple[str, str], *, one: bool
) -> None:
    reviews = {}
    for name, serial, level in zip("AB", serials, levels, strict=True):
        run = made("fresh", truth=Truth(serial=serial), shorten=60)
        device = replace(run.plan.device, facts={"level": level})
        run.started[0] = replace(run.started[0], plan=replace(run.plan, device=device))
        reviews[name] = seen({"write": "yes"})._replace(run=run, figures={"reads": 8e5})
    assert any("runs are of one drive (S1)" in line for line in together.drives(reviews, EN)) is one
    assert together.repeated(reviews) is one
    other = reviews["B"].run
    plan = replace(other.plan, profile=replace(other.plan.profile, active_range_pct=70))
    other.started[0] = replace(other.started[0], plan=plan)
    assert not together.repeated(reviews)
    assert (
        any("runs are of one drive (S1) with different settings" in line for line in together.drives(reviews, EN))
        is one
    )
    verdicts, figures, *_ = together.tables(reviews, EN)
    assert (verdicts.title, verdicts.head[0], figures.title) == (
        ("Verdict on each run", "Run", "Which run is better at what")
        if one
        else ("Verdict on each drive", "Drive", "Which drive is better at what")
    )


@pytest.mark.parametrize(
    ("depths", "shown"),
    [((8.0, 8.0), "A, 2 times better"), ((16.0, 8.0), "not ranked: with 16 / 8 outstanding IOs")],
)
def test_response_times_are_ranked_only_with_as_many_outstanding_ios(
    monkeypatch: pytest.MonkeyPatch, depths: tuple[float, float], shown: str
) -> None:
    """By Little's law a response time grows with the number of outstanding IOs where a drive is at its limit."""
    monkeypatch.setattr(together, "usable", lambda review: review.figures)
    monkeypatch.setattr(together, "_figures", lambda reviews: ["server_wait"])
    waits = zip("AB", (1e-3, 2e-3), depths, strict=True)
    plain = seen({"read": "yes"})
    reviews = {n: plain._replace(figures={"server_wait": wait, "server_depth": at}) for n, wait, at in waits}
    _, figures, *_ = together.tables(reviews, EN)
    assert figures.rows[0][-1].replace("\N{NO-BREAK SPACE}", " ") == shown
    assert len(list(together.leads(reviews))) == (depths[0] == depths[1])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("drives", ["AB", "ABC"])
def test_the_headline_counts_all_close_figures_and_the_table_states_which_are_equal(
    monkeypatch: pytest.MonkeyPatch, lang: str, drives: str
) -> None:
    values = {"reads": (200_000.0, 100_000.0), "seq_read": (3.1e9, 3e9), "read_wait": (1e-4, 1.0001e-4)}
    own = {name: {figure: value[min(n, 1)] for figure, value in values.items()} for n, name in enumerate(drives)}
    monkeypatch.setattr(together, "usable", lambda review: review.figures)
    monkeypatch.setattr(together, "_figures", lambda reviews: list(values))
    plain = seen({"read": "yes"})
    reviews = {name: plain._replace(figures=figures) for name, figures in own.items()}
    words = Language(lang)
    _, figures, *_ = together.tables(reviews, words)
    sentences = together.headline(reviews, words)
    ending = "_of_two" if len(drives) == 2 else ""
    every = ending or "_of_all"
    cells = [
        words(f"together.{key}", name="A", gain=2.0) for key in (f"best{ending}", f"close{every}", f"equal{every}")
    ]
    assert [row[-1] for row in figures.rows] == cells
    assert sentences.endswith(words(f"together.close_in{ending}", n=2, of=3))
    monkeypatch.setattr(together, "_figures", lambda reviews: ["reads", "read_wait"])
    assert together.headline(reviews, words).endswith(words(f"together.equal_in{ending}", n=1, of=2))


@pytest.mark.parametrize(
    ("serials", "title"),
    [
        (["S1"], "How fast is it out of the box?"),
        (["S1", "S1"], "How fast is it out of the box?"),
        (["S1", "S2"], "How fast are they out of the box?"),
    ],
)
def test_the_title_of_a_chapter_is_about_one_drive_or_about_several(serials: list[str], title: str) -> None:
    runs = [made("fresh", truth=Truth(serial=serial), shorten=60) for serial in serials]
    page = telling.story([(None, run, {}) for run in runs], [], "en", names=("A", "B"))
    assert [section.title for section in page.sections if section.anchor == "fresh"] == [title]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_title_about_several_drives_is_about_one(lang: str) -> None:
    words, singular = Language(lang), re.compile(r"\b(?:it|its|the drive|это(?:т|го)|он|его)\b", re.IGNORECASE)
    for question in questions.questions():
        key = f"question.{question.name}.title"
        assert not singular.search(words(f"{key}_several" if words.knows(f"{key}_several") else key)), question.name


@pytest.mark.parametrize(("hours", "ranked"), [(36e3, True), (None, False)])
def test_saturated_writes_are_not_ranked_with_writes_of_a_filled_drive(hours: float | None, *, ranked: bool) -> None:
    one = seen({"write": "yes"})._replace(figures={"reads": 7e5, "writes": 2e4, "sat_s": 36e3})
    two = one._replace(figures={"reads": 6e5, "writes": 6e4} | ({"sat_s": hours} if hours else {}))
    (_, figures, _) = together.tables({"A": one, "B": two}, EN)
    assert len(figures.rows) == 2
    name, *_, best = figures.rows[1]
    assert (best == EN("together.unlike_state")) != ranked
    assert name == EN("figure_name.writes" if ranked else "figure_name.writes_last")


SETTLED = {"writes": 2e4, "write_tail": 3e-3, "write_tail_at": 32.0, "sat_s": 36e3, "seq_write": 2e9, "seq_read": 3e9}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("figure", "state", "name"),
    [
        ("writes", {"still_falling": 1.0}, "writes_unlike"),
        ("writes", {"sat_part": 0.25}, "writes_unlike"),
        ("write_tail", {"still_falling": 1.0}, "write_tail_ended"),
        ("seq_write", {"seq_part": 0.25}, "seq_write_unlike"),
        ("seq_write", {"seq_along": 1.0}, "seq_write_unlike"),
        ("seq_read", {"seq_along": 1.0}, "seq_read"),
    ],
)
def test_the_name_of_a_figure_is_true_of_every_drive(
    figure: str, state: dict[str, float], name: str, *, first: bool
) -> None:
    settled = seen({"write": "yes"})._replace(figures=SETTLED)
    other = settled._replace(figures=SETTLED | state)
    every = {"A": other, "B": settled} if first else {"A": settled, "B": other}
    _, table, *_ = together.tables(every, EN)
    names = [row[0] for row in table.rows]
    at = EN("together.at_depth", name=EN(f"figure_name.{name}"), depth=32.0) if figure == "write_tail" else ""
    assert (at or EN(f"figure_name.{name}")) in names
    _, table, *_ = together.tables({"A": other, "B": other}, EN)
    assert not {row[0] for row in table.rows} & {EN("figure_name.writes_unlike"), EN("figure_name.seq_write_unlike")}


@pytest.mark.parametrize("lacks", [False, True])
def test_filled_drives_are_ranked_where_one_of_them_was_not_saturated(lacks: bool) -> None:
    """The saturated drive writes 20,000 in the end and 70,000 after the fill, the other one 60,000 after the fill."""
    one, two = (
        seen({"write": "yes"})._replace(figures=own, verdict=Verdict("write", (), Known(own)))
        for own in ({"writes": 2e4, "sat_s": 36e3} | ({} if lacks else {"writes_filled": 7e4}),
                    {"writes": 6e4, "writes_filled": 6e4})
    )  # fmt: skip
    reviews = {"A": one, "B": two}
    _, figures, *_ = together.tables(reviews, EN)
    (name, *cells, best) = figures.rows[0]
    if lacks:
        assert (name, best) == (EN("figure_name.writes_last"), EN("together.unlike_state"))
    else:
        assert (name, cells) == (EN("figure_name.writes_filled"), ["70,000\xa0IOPS", "60,000\xa0IOPS"])
        assert best.startswith("A, ")
        assert together.headline(reviews, EN).startswith("A is better in 1 of 1 figure")


def test_two_saturated_drives_are_ranked_beside_one_that_was_only_filled() -> None:
    """The disk has no hours of random writes: the two others are ranked by these, all three after the fill."""
    figures = (
        {"writes": 134e3, "sat_s": 36e3, "writes_filled": 135e3},
        {"writes": 18e3, "sat_s": 36e3, "writes_filled": 26e3},
        {"writes": 163.0, "writes_filled": 163.0},
    )
    own = [seen({"write": "yes"})._replace(figures=one, verdict=Verdict("write", (), Known(one))) for one in figures]
    reviews = dict(zip("ABC", own, strict=True))
    _, table, *_ = together.tables(reviews, EN)
    rows = {name: (cells, best) for name, *cells, best in table.rows}
    saturated, filled = (rows[EN(f"figure_name.{name}")] for name in ("writes", "writes_filled"))
    assert saturated == (["134,000\u00a0IOPS", "18,000\u00a0IOPS", "–"], "A, 7.4\u00a0times")
    assert filled == (["135,000\u00a0IOPS", "26,000\u00a0IOPS", "163\u00a0IOPS"], "A, 5.2\u00a0times")
    texts = " ".join(closing._beside("C", reviews, ())[1])
    assert "134,000" not in texts
    assert "135,000" in texts
