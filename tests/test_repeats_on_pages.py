"""Several runs of one drive beside another drive: what is judged, drawn and repeated on the page."""

from functools import partial

import pytest
from msgspec.structs import replace

from stend.charts.overlay import pictures
from stend.charts.overlay.courses import few
from stend.many import read
from stend.many.compare import compared
from stend.report.parts import Table, Text
from stend.report.parts.written import stamped
from stend.report.story import page_one, tables, telling, together
from stend.report.story.page_one import Review
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made
from tests.test_compare_pages import both, runs
from tests.test_story import seen

EN = Language("en")
SERIALS = ("S1", "S1", "S2")


def fits(serial: str, uses: int) -> Review:
    """The review of a drive that is fit for so many of two uses."""
    run = made("fresh", truth=Truth(serial=serial), shorten=60)
    own = seen({"read": "yes" if uses else "no", "write": "yes" if uses > 1 else "no"})
    return own._replace(run=run, figures={"reads": 8e5})


def test_of_several_runs_of_a_drive_the_one_that_fits_the_fewest_uses_is_judged() -> None:
    reviews = {"A, 1": fits("S1", 2), "A, 2": fits("S1", 1), "B": fits("S2", 2)}
    verdicts, _, uses = together.tables(reviews, EN)
    names = (EN("together.with_repeats", name="A, 1", n=2), "B")
    assert tuple(name for name, _ in verdicts.rows) == uses.head[1:] == names
    assert {row[1][:3] for row in uses.rows if row[0] == EN("use_title.write")} == {"no:"}
    assert verdicts.note == EN("together.weakest")
    assert together.weakest(reviews) == {"A, 2": ["A, 1", "A, 2"], "B": ["B"]}


@pytest.mark.parametrize(
    ("runs", "name"),
    [
        (("small (1)", "small (2)"), "small"),
        (("small (134 MB, 1)", "small (134 MB, 2)"), "small (134 MB)"),
        (("A (2020), 1", "A (2020), 2"), "A (2020)"),
        (("A (2020) (1)", "A (2020) (2)"), "A (2020)"),
    ],
)
def test_the_name_of_repeats_closes_only_the_brackets_that_it_opens(runs: tuple[str, ...], name: str) -> None:
    assert together.named(runs, EN) == EN("together.with_repeats", name=name, n=2)


def test_all_runs_of_a_single_drive_are_judged_one_by_one() -> None:
    verdicts, *_ = together.tables({"A, 1": fits("S1", 2), "A, 2": fits("S1", 1)}, EN)
    assert [name for name, _ in verdicts.rows] == ["A, 1", "A, 2"]
    assert verdicts.note == ""


def test_runs_with_different_settings_are_judged_one_by_one() -> None:
    reviews = {"A, 1": fits("S1", 2), "A, 2": fits("S1", 1), "B": fits("S2", 2)}
    other = reviews["A, 2"].run
    plan = replace(other.plan, profile=replace(other.plan.profile, active_range_pct=70))
    other.started[0] = replace(other.started[0], plan=plan)
    assert list(together.weakest(reviews)) == ["A, 1", "A, 2", "B"]


@pytest.mark.parametrize(("many", "drawn"), [(3, {"A1", "A2", "A3", "B1", "B2"}), (4, {"A1", "B1"})])
def test_charts_of_more_than_five_runs_show_one_run_of_each_drive(many: int, drawn: set[str]) -> None:
    names = [f"A{n + 1}" for n in range(many)] + ["B1", "B2"]
    every = [made("fresh", truth=Truth(serial=f"S-{name[0]}"), shorten=60) for name in names]
    page = telling.story([(None, run, {}) for run in every], [], "en", names=names)
    lines = {str(row["drive"]) for one in page.pictures for row in one.spec["datasets"]["rows"] if "drive" in row}
    assert lines == drawn
    (note,) = {block.note for block in page.lead.blocks if isinstance(block, Table) and block.title.startswith("Verd")}
    assert (EN("together.weakest_drawn") in note) == (many > 3)
    (columns,) = {
        tuple(name for name in block.head[1:] if name != EN("together.best_column"))
        for block in page.lead.blocks
        if isinstance(block, Table) and "better" in block.title
    }
    assert columns == tuple(names)


def test_equal_answers_of_several_drives_are_one_sentence_with_all_names() -> None:
    """Three runs with equal figures: the page has the sentence once, after two names or after "all"."""
    every = [made("fresh", truth=Truth(serial=serial), shorten=60) for serial in SERIALS]
    slower = made("fresh", truth=Truth(serial="S3", fresh_iops=90_000), shorten=60)
    for measured, begins in ((every, "All drives: "), ([*every[:2], slower], "A, B: ")):
        page = telling.story([(None, run, {}) for run in measured], [], "en", names="ABC")
        (chapter,) = (section for section in page.sections if section.anchor == "fresh")
        answers = [block.text for block in chapter.blocks if isinstance(block, Text) and block.role == "answer"]
        assert answers[0].startswith(begins), answers
        assert len(answers) == (1 if measured is every else 2)


def test_equal_tables_of_several_drives_are_one_table_with_all_names() -> None:
    rows = (("1", "2"),)
    every = [Table(f"{name}: T", ("a", "b"), rows if name != "C" else (("3", "4"),)) for name in ("A", "A (2)", "C")]
    kept = list(tables.once(iter([*every, Table("A: U", ("a",), ())]), ["A", "A (2)", "C"]))
    assert [(table.title, table.rows) for table in kept] == [
        ("A, A (2): T", rows),
        ("C: T", (("3", "4"),)),
        ("A: U", ()),
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_of_more_than_five_compared_runs_the_outer_ones_of_each_side_are_drawn(lang: str) -> None:
    words, many = Language(lang), both()
    old, new = (read.named([runs() / name / str(n) for n in range(2)]) for name in ("old", "new"))
    for whole in (many, compared(*read.with_names(old, new))):
        every = pictures(whole, words, partial(stamped, whole.runs, words))
        drawn = [one for one in every if one.name in ("courses", "tails")]
        assert {one.name for one in drawn} == {"courses", "tails"}
        for one in drawn:
            lines = {(row["side"], row["run"]) for row in one.spec["datasets"]["rows"]}
            assert sorted(side for side, _ in lines) == sorted([whole.a.name, whole.b.name] * 2)
            assert (words("overlay.few_says") in one.says) == (whole is many)
    levels = {run.name: float(run.name[-1]) for run in many.runs}
    ends = few(many, lambda run: levels[run.name])
    assert sorted(levels[run.name] for _, run in ends) == [0, 0, 2, 2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Время отклика, Насыщение записью: не достигнуто", "A: Время отклика, Насыщение записью: не достигнуто"),
        ("Время отклика: не достигнуто", "A: время отклика: не достигнуто"),
        ("Случайная запись, IOPS: 5", "A: случайная запись, IOPS: 5"),
    ],
)
def test_the_first_of_several_titles_after_a_name_is_written_as_the_others(text: str, told: str) -> None:
    assert page_one.after("A", text) == told
