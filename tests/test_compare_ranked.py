"""Comparisons at a glance: one run per side, unlike runs, settings of virtual drives and arrays, reasons once."""

from math import log
from typing import Any

import msgspec
import pytest

from stend import devices
from stend.charts.overlay import intervals
from stend.cli.compare import summary
from stend.live import compared as beside
from stend.many.compare import Comparison, Side, compared, side
from stend.many.compare.groups import CLASSES, classes
from stend.many.read import with_names
from stend.many.sides import array
from stend.many.sides import outcome as reduced
from stend.report.parts import ranked
from stend.report.parts.versus import versus
from stend.words import LANGUAGES, Language, Sentence
from tests.sides import load, of_rates, outcome, row
from tests.synthetic import Truth, made

EN = Language("en")


@pytest.mark.parametrize(("after", "verdict"), [(5000, "ahead"), (200, "behind"), (1190, "close"), (840, "close")])
def test_one_run_a_side_gives_a_ratio_and_no_proof(after: float, verdict: str) -> None:
    whole = compared(of_rates("a", 1000), of_rates("b", after, first_s=50))
    (one,) = whole.differences
    assert (one.verdict, one.low, one.p, one.more) == (verdict, None, None, None)
    assert one.ratio == pytest.approx(after / 1000)


@pytest.mark.parametrize(
    ("quantity", "ratio", "verdict"),
    [
        ("mean", 1.5, "behind"),
        ("mean", 0.5, "ahead"),
        ("p99.9", 1.9, "close"),
        ("p99.9", 2.2, "behind"),
        ("max", 0.4, "ahead"),
    ],
)
def test_shorter_response_times_are_ahead_and_tails_need_twice(quantity: str, ratio: float, verdict: str) -> None:
    first, second = (
        side(name, [outcome(name, [row(load(), 1000 / scale, test="latency")], at)])
        for name, scale, at in (("a", 1.0, 0.0), ("b", ratio, 50.0))
    )
    found = {one.quantity: one for one in compared(first, second).differences}
    assert found[quantity].verdict == verdict


def several(*ratios: float, runs: int = 1, settings: dict[str, Any] | None = None) -> Comparison:
    """Two sides with a figure per ratio, each of another block size."""
    sides = []
    for name, first_s in (("a", 0.0), ("b", 50.0)):
        made_runs = []
        for number in range(runs):
            scale = 1 + number / 100
            rows = [
                row(load(0, 4 * (i + 1)), 1000 * scale * (ratio if name == "b" else 1))
                for i, ratio in enumerate(ratios)
            ]
            own = settings if name == "b" else None
            made_runs.append(outcome(f"{name}{number}", rows, first_s + 200 * number, settings=own))
        sides.append(side(name, made_runs))
    first, second = sides
    return compared(first, second)


def test_classes_are_ranked_and_a_group_that_turns_is_neither_better_nor_worse() -> None:
    found = classes(several(5.0, 0.2).differences)
    assert [len(found[name]) for name in CLASSES] == [0, 0, 0, 0, 1, 0]
    assert [len(found) for found in classes(several(5.0, 5.0, 1.0, 1.0, 1.0).differences).values()] == [
        0,
        0,
        0,
        0,
        1,
        0,
    ]
    (group,) = classes(several(5.0, 2.0, 1.0).differences)["ahead"]
    assert group.largest.ratio == pytest.approx(5.0)
    assert group.far == pytest.approx(log(2.0))


@pytest.mark.parametrize(("noise", "steady"), [(0.01, None), (0.6, False)])
def test_a_histogram_after_rounds_that_were_not_steady_is_not_steady(noise: float, steady: bool | None) -> None:
    run = made("latency", truth=Truth(noise=noise), interval_s=20.0, shorten=60, rounds=5)
    rows = reduced("a", run, {}).rows.items()
    assert {row.steady for key, row in rows if key.phase.startswith("rounds")} == {steady is None}
    assert {row.steady for key, row in rows if key.phase.startswith("histogram")} == {steady}


@pytest.mark.parametrize(
    ("ratio", "runs", "key"), [(5.0, 1, "ahead"), (0.2, 1, "behind"), (5.0, 4, "up"), (0.2, 4, "down")]
)
def test_a_class_is_called_better_or_worse_only_if_that_is_proven(ratio: float, runs: int, key: str) -> None:
    found = classes(several(ratio, runs=runs).differences)
    assert [name for name in CLASSES if found[name]] == [key]


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", "b against a in 2 figures: 1 ahead, 1 behind."),
        ("ru", "b против a, 2 величины: впереди — 1, позади — 1."),
    ],
)
def test_figures_are_counted_by_verdict_in_one_sentence(lang: str, told: str) -> None:
    assert ranked.counts(several(5.0, 0.2), Language(lang)) == told


def test_a_saturation_that_ended_regularly_without_a_steady_state_has_a_note() -> None:
    whole = several(5.0)
    assert not [note for note in whole.notes if note.key == "saturated"]
    stamp = Sentence("saturated", test="write-saturation", ended=Sentence("limit_written", size=4e9))
    ended = [run._replace(stamps=(stamp,)) for run in whole.b.runs]
    (note,) = compared(whole.a, side("b", ended)).notes
    assert EN(f"note.{note.key}", **note.values).startswith("b: Write Saturation ended after four times")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_terminal_warns_of_unlike_runs_before_anything_else(lang: str) -> None:
    words = Language(lang)
    said = summary(several(5.0, settings={"cache": "enabled"}), None, lang)
    assert words("setting.cache") in said[0]
    assert "--anyway" in said[0]
    assert said[1].startswith("a (1) | b (1)")
    texts = versus(several(5.0, settings={"cache": "enabled"}), None, lang, drawn=False).every[0].texts
    assert texts[0] == said[0]
    assert summary(several(5.0), None, lang)[0].startswith("a (1) | b (1)")


@pytest.mark.parametrize("runs", [1, 4])
def test_a_line_of_the_terminal_has_the_interval_if_there_is_one(runs: int) -> None:
    whole = several(5.0, 4.0, runs=runs)
    _, *lines = ranked.lines(whole, EN, 9)
    row = next(d for d in whole.differences if d.quantity == "iops")
    assert [EN("column.interval") in line for line in lines if "IOPS" in line] == [runs > 1]
    assert (row.low is not None) == (runs > 1)


def test_a_kind_of_which_half_is_proven_is_not_called_better() -> None:
    rows = several(5.0, 4.0, 3.0, 2.0).differences
    for proven, key in ((2, "ahead"), (3, "up")):
        mixed = [row._replace(verdict="better" if n < proven else "ahead") for n, row in enumerate(rows)]
        assert [name for name, found in classes(mixed).items() if found] == [key]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_run_a_side_prints_the_classes_and_why_nothing_is_proven(lang: str) -> None:
    said = "\n".join(summary(several(5.0, 4.0), None, lang))
    words = Language(lang)
    assert words("versus.class_ahead", b="b") in said
    assert words("versus.class_up", b="b") not in said
    assert words("overlay.factor", ratio=5.0) in said
    assert "≈" in said
    assert words("verdict.undecided") not in said
    assert "RND" not in said


def test_reasons_are_below_the_table_once_and_empty_columns_are_left_out() -> None:
    doc = {section.anchor: section for section in versus(several(5.0, 0.2, 1.0), None, "en", drawn=False).every}
    (table,) = doc["test-iops"].tables
    assert EN("column.p") not in table.head
    assert EN("column.interval") not in table.head
    assert [cells[-1] for cells in table.rows] == ["ahead", "behind", "unproven"]
    blocked = versus(several(5.0, 0.2, settings={"cache": "enabled"}), None, "en", drawn=False)
    (table,) = next(section for section in blocked.sections if section.anchor == "test-iops").tables
    assert {cells[-1] for cells in table.rows} == {EN("verdict.not_comparable")}
    assert table.note.count(EN("setting.cache")) == 1


def test_several_reasons_are_numbered() -> None:
    unsteady = outcome("b", [row(load(), 1000, steady=False), row(load(0, 8), 1000)], 50.0)
    whole = compared(side("a", [outcome("a", [row(load(), 1000), row(load(0, 8), 900)])]), side("b", [unsteady]))
    (table,) = next(s for s in versus(whole, None, "en", drawn=False).every if s.anchor == "test-iops").tables
    assert [cells[-1] for cells in table.rows] == [f"{EN('verdict.not_comparable')} [1]", EN("verdict.close")]
    assert " [1] " in f" {table.note}"


def test_no_difference_is_drawn_at_the_edge_of_its_axis() -> None:
    (drawing,) = intervals.draw(several(300.0, 0.002, 2.0), EN)
    shown = [row["ratio"] for row in drawing.rows["rows"]]
    text = msgspec.json.encode(drawing.chart.spec).decode() if hasattr(drawing.chart, "spec") else str(drawing.chart)
    assert "clamp" not in text
    assert max(shown) == pytest.approx(300.0)


@pytest.mark.parametrize(
    ("first", "second", "setting"),
    [
        ("sim:x25e-raid", "sim:x25e-raid?array.level=10", "array"),
        ("sim:small?seed=3", "sim:small?seed=4&flash.spare_pct=28", "virtual"),
        ("sim:small", "sim:small?firmware=2", "firmware"),
    ],
)
def test_parameters_of_virtual_drives_are_settings_that_differ(first: str, second: str, setting: str) -> None:
    whole = compared(*with_names(of_target(first, 0), of_target(second, 1)))
    assert setting in {one.name for one in whole.settings}
    assert {whole.a.name, whole.b.name} != {"A", "B"}, "the sides are named by what differs"


def test_seeds_are_repeats_and_no_difference() -> None:
    whole = compared(of_target("sim:small?seed=3", 0), of_target("sim:small?seed=4&run=2&pace=0", 1))
    assert not whole.settings


def of_target(target: str, number: int) -> Side:
    """Return a side of one run that states this virtual drive."""
    run = made("fresh", shorten=60)
    plan = msgspec.structs.replace(run.plan, device=devices.find(target).identity)
    run.started[0] = msgspec.structs.replace(run.started[0], at=1e5 * number, plan=plan)
    return side("", [reduced(str(number), run, {})])


def test_an_array_is_told_by_level_members_and_chunk() -> None:
    drive = devices.find("sim:x25e-raid").identity
    of_md = msgspec.structs.replace(drive, facts={"level": "raid6", "raid_disks": "6", "chunk_bytes": 524288})
    assert array(of_md.facts) == "RAID 6 × 6, 512 KiB"
    assert array(drive.facts).startswith("RAID 5 × 8, ")
    assert array({"level": "raid1", "chunk_bytes": "x"}) == "RAID 1 × ?"
    assert not array({})


def test_a_row_of_the_live_comparison_names_its_quantity() -> None:
    """A test that is named as its figures are (IOPS) too: on that page the name of the test is above the rows."""
    rows = [beside._row([row], EN)["figure"] for row in several(2.0).differences]
    assert [text for text in rows if text.endswith(", IOPS")] == ["random write 4\xa0KiB, T4 Q32, IOPS"]
    assert all(text.startswith("random write 4\xa0KiB, T4 Q32, ") for text in rows)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_terminal_says_that_runs_were_shortened_or_virtual(lang: str) -> None:
    whole = several(5.0, settings={"virtual": True})
    short = [run._replace(stamps=(Sentence("quick"),)) for run in whole.b.runs]
    words = Language(lang)
    said = summary(compared(whole.a, side("b", short)), None, lang)
    warned = {f"  ! {words.translated(Sentence('quick'))}", f"  ! {words('stamp.virtual')}"}
    assert warned <= set(said)
    assert not warned & set(summary(several(5.0), None, lang))
