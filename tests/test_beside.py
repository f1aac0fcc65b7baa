"""Drives beside each other: each mark is one recorded or published figure, whatever runs are laid together."""

from functools import cache
from math import isclose
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stend.base.errors import BadInput
from stend.base.units import GiB, MiB
from stend.charts.beside import KINDS, Side, courses, picture
from stend.charts.parts import time_scale, warm
from stend.charts.parts.sides import dashes
from stend.findings import look
from stend.findings.look import headline
from stend.findings.look.figures import figures
from stend.model.published import middle, published
from stend.model.quantities import QUANTITIES
from stend.model.record import Run
from stend.report.story.rivals import published_rival, side
from stend.report.story.tables import key_table
from stend.words import Language
from tests.pictures import short
from tests.synthetic import Truth, made

WORDS = Language("en")
TESTS = ("fresh", "iops", "throughput", "latency", "write-saturation", "idle-recovery", "slc-cache")
DRIVES = ("sn150", "kc2000", "saber1000", "p3600", "flashmax3")


@cache
def run_of(tests: tuple[str, ...], model: str) -> Run:
    truth = Truth(capacity_bytes=8 * GiB, model=model)
    return made(*tests, truth=truth, interval_s=20.0, shorten=60, rounds=5)


def recorded(one: Side) -> list[float]:
    """Every figure of a drive, as charts show them."""
    told = [row.value(quantity) or 0.0 for row in one.rows for quantity in QUANTITIES]
    facts = [middle(v) for table in one.facts.values() if isinstance(table, dict) for v in table.values() if number(v)]
    return [value * scale for value in (*told, *facts) for scale in (1, 1e3, 1e-3, 1e-6, MiB / 1e6)]


def number(value: Any) -> bool:
    return isinstance(value, int | float | list) and not (isinstance(value, list) and isinstance(value[0], str))


drives = st.lists(
    st.tuples(st.sets(st.sampled_from(TESTS), min_size=1, max_size=3), st.sampled_from("AB")), min_size=1, max_size=3
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(drives, st.sets(st.sampled_from(DRIVES), max_size=3))
def test_every_mark_is_one_figure_of_one_drive_in_one_state(asked: list[Any], rivals: set[str]) -> None:
    own = [Side(f"{model} {n}", run_of(tuple(sorted(tests)), model)) for n, (tests, model) in enumerate(asked)]
    sides = [*own, *(side(f"published:{name}") for name in sorted(rivals))]
    known = {one.name: recorded(one) for one in sides}
    for name in ("iops_levels", "stream_levels", "mixes", "single_waits"):
        for made_of in picture(name, sides, WORDS, []):
            rows = made_of.spec["datasets"]["rows"]
            value = "ms" if "ms" in rows[0] else "value"
            places = [(row["drive"], row.get("level", row.get("read"))) for row in rows]
            assert len(places) == len(set(places)), "two figures never share a place"
            assert all(any(isclose(row[value], v, rel_tol=1e-5) for v in known[row["drive"]]) for row in rows)
            assert "bar" not in str(made_of.spec.get("mark")), "nothing is stacked"


def test_published_drives_are_grey_and_runs_keep_their_colours() -> None:
    sides = [Side("own", run_of(("iops",), "A")), side("published:kc2000"), Side("other", run_of(("iops",), "B"))]
    (chart,) = picture("mixes", sides, WORDS, [])
    scale = chart.spec["layer"][0]["encoding"]["color"]["scale"]
    told = dict(zip(scale["domain"], scale["range"], strict=True))
    assert told["own"] == "#0072b2"
    assert told["other"] == "#d55e00"
    assert told["Kingston KC2000 500 GB"] == "#6e7781"


def test_published_drives_on_one_chart_differ_in_their_dashes() -> None:
    sides = [Side("own", run_of(("iops",), "A")), *map(side, ("published:sn150", "published:p3600"))]
    own, *published = map(tuple, dashes(sides))
    assert own == (1, 0)
    assert len({own, *published}) == len(sides)


def test_a_published_saturation_begins_at_its_start_and_its_end_is_a_level_from_the_knee_on() -> None:
    facts = {"saturation": {"start": 430e3, "end": 130e3, "knee_min": 5}, "conditions": {"minutes": 60}}
    points = [(row["t"], row["value"]) for row in courses._published(facts)]
    assert points == [(0, 430e3), (300, 130e3), (3600, 130e3)]
    assert [*courses._published({"saturation": {"end": [130e3, 140e3]}})] == [{"t": 36000, "from": 130e3, "to": 140e3}]


def test_the_courses_of_a_saturation_end_with_the_longest_run_whatever_the_order() -> None:
    """A drive that saturates sooner, or a run that was stopped, does not cut off the others."""
    truth = Truth(capacity_bytes=8 * GiB)
    brief = Side("brief", made("write-saturation", truth=truth, interval_s=20.0, shorten=60, rounds=5, minute_s=30))
    long = Side("long", made("write-saturation", truth=truth, interval_s=20.0, shorten=60, rounds=5))
    last_s = {one.name: one.records("write-saturation", "saturate")[-1].end_s for one in (brief, long)}
    assert last_s["brief"] < last_s["long"]
    for sides in ([brief, long], [long, brief]):
        drawing = next(iter(courses.saturation(sides, WORDS)))
        ends = {row["drive"]: row["t"] for row in drawing.rows["rows"]}
        assert ends == {
            name: pytest.approx(end_s / time_scale(last_s["long"], WORDS)[0]) for name, end_s in last_s.items()
        }


def test_who_is_not_published_is_refused_with_the_names_of_those_who_are() -> None:
    with pytest.raises(BadInput, match=r"nothing is published of 'kc200'; there are .*saber1000"):
        side("published:kc200")


def test_every_published_drive_says_what_it_is_and_who_says_so() -> None:
    for facts in published().values():
        assert {"title", "class", "source"} <= facts["about"].keys()


def test_every_kind_of_chart_is_known_to_a_chapter() -> None:
    from stend.report.story.questions import questions

    assert {name for question in questions() for name in question.charts} == set(KINDS)


def test_the_specification_beside_a_published_drive_is_the_golden_one() -> None:
    assert golden() == GOLDEN.read_text(), "write anew with python -m tests.test_beside, and read the diff"


GOLDEN = Path(__file__).parent / "goldens" / "beside.json"


def golden() -> str:
    """Every chart of a run beside another and the published Saber 1000, its rows shortened."""
    sides = [Side(model, run_of(TESTS, model)) for model in "AB"] + [side("published:saber1000")]
    return "".join(short(made_of.spec) for name in sorted(KINDS) for made_of in picture(name, sides, WORDS, []))


@pytest.mark.parametrize(
    ("lang", "states"), [("en", {"fresh", "full, after a pause"}), ("ru", {"свежий", "полный, после паузы"})]
)
def test_a_fill_of_one_drive_names_its_states_and_not_the_drive(lang: str, states: set[str]) -> None:
    (drawing, *_) = courses.cache([Side("A", run_of(("slc-cache",), "A"))], Language(lang))
    assert {row["drive"] for row in drawing.rows["rows"]} == states


def test_a_cache_is_drawn_whichever_drive_has_one() -> None:
    plain, cached = Side("A", run_of(("fresh",), "A")), Side("B", run_of(("slc-cache",), "B"))
    for sides in ([plain, cached], [cached, plain]):
        first = next(picture("cache_course", sides, WORDS, []))
        assert {row["drive"] for row in first.spec["datasets"]["rows"]} >= {"B"}


def test_a_chart_of_one_drive_names_it_beside_other_runs() -> None:
    sides = [Side("A", run_of(("fresh",), "A")), Side("B", run_of(("latency-curve",), "B"))]
    alone = [next(picture("waits_by_iops", some, WORDS, [])).title for some in (sides[1:], sides)]
    assert alone[1] == f"{alone[0]}, B"


@pytest.mark.parametrize(
    ("name", "test"),
    [("peaks", "fresh"), ("growing_waits", "latency-curve")],
)
def test_several_drives_share_a_chart(name: str, test: str) -> None:
    sides = [Side(model, run_of((test,), model)) for model in "AB"]
    drawn = list(picture(name, sides, WORDS, []))
    assert len(drawn) == 2
    for one in drawn:
        assert {row["drive"] for row in one.spec["datasets"]["rows"]} == {"A", "B"}
    assert not list(picture("waits_by_iops", sides, WORDS, [])), "tails of both are on the charts of `growing_waits`"


def test_several_drives_share_the_chart_of_their_temperatures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "readings", lambda run, records: [(one.end_s, 40.0 + one.end_s) for one in records])
    sides = [Side(model, run_of(("write-saturation",), model)) for model in "AB"]
    (rate, heat) = picture("saturation_course", sides, WORDS, [])
    rows = heat.spec["datasets"]["rows"]
    assert {row["drive"] for row in rows} == {"A", "B"}
    scale, _ = time_scale(
        look.records(run_of(("write-saturation",), "A"), "write-saturation", "saturate")[-1].end_s, WORDS
    )
    assert all(row["value"] == pytest.approx(40 + scale * row["t"], rel=1e-4) for row in rows)
    assert max(row["t"] for row in rows) <= max(row["t"] for row in rate.spec["datasets"]["rows"])
    (_, alone) = picture("saturation_course", sides[:1], WORDS, [])
    assert "drive" not in alone.spec["datasets"]["rows"][0]


def test_a_published_course_that_lasts_longer_than_the_run_has_neither_a_line_nor_a_name() -> None:
    run = run_of(("write-saturation",), "A")  # of seconds; the published knee comes after three hours
    (chart,) = picture("saturation_course", [Side("A", run), side("published:sn150")], WORDS, [])
    assert {row["drive"] for row in chart.spec["datasets"]["rows"]} == {"A"}
    until_s = {drawn: len(courses._course(side("published:sn150"), 60.0, drawn)) for drawn in (60.0, 36_000.0)}
    assert until_s == {60.0: 0, 36_000.0: 4}
    assert WORDS("beside.published_joined") not in chart.says


def test_the_caption_says_that_published_points_are_joined() -> None:
    run = run_of(("write-saturation",), "A")
    minutes = look.records(run, "write-saturation", "saturate")[-1].end_s / 60
    level = {"start": 90_000, "end": 20_000, "knee_min": minutes / 3}
    other = Side("P", facts={"saturation": level, "conditions": {"minutes": minutes * 0.9}})
    (chart,) = picture("saturation_course", [Side("A", run), other], WORDS, [])
    assert [row["value"] for row in chart.spec["datasets"]["rows"] if row["drive"] == "P"] == [90_000, 20_000, 20_000]
    assert WORDS("beside.published_joined") in chart.says
    (chart,) = picture("saturation_course", [Side("A", run)], WORDS, [])
    assert WORDS("beside.published_joined") not in chart.says


@pytest.mark.parametrize(
    ("ends", "until"), [([0.01], 0.06), ([0.01, 0.1], 0.15), ([0.01, 0.3], 0.06), ([0.05], 0.3), ([0.06], 0), ([], 0)]
)
def test_a_level_that_hours_would_hide_has_a_chart_of_its_beginning(
    monkeypatch: pytest.MonkeyPatch, ends: list[float], until: float
) -> None:
    """Ends of levels and of that chart are shares of the whole time."""
    run = made("write-saturation", interval_s=1.0, shorten=60)
    sides = [Side(name, run) for name in "AB"]
    whole_s = look.records(run, "write-saturation", "saturate")[-1].end_s
    monkeypatch.setattr(courses, "_falls", lambda side: [SimpleNamespace(s=end * whole_s) for end in ends])
    title = WORDS("beside.saturation_beginning")
    drawn = [chart for chart in picture("saturation_course", sides, WORDS, []) if chart.title == title]
    assert len(drawn) == bool(until)
    for chart in drawn:
        rows = chart.spec["datasets"]["rows"]
        assert {row["drive"] for row in rows} == {"A", "B"}
        last_s = max(row["t"] for row in rows) * time_scale(until * whole_s, WORDS)[0]
        assert until * whole_s * (1 - 1 / 160) - 2 <= last_s <= until * whole_s * 1.00001


def test_no_chart_shows_published_figures_alone() -> None:
    own, other = Side("A", run_of(("throughput",), "A")), side("published:saber1000")
    assert {name for name in KINDS for _ in picture(name, [own, other], WORDS, [])} == {"stream_levels"}


if __name__ == "__main__":
    GOLDEN.write_text(golden())


def test_the_saturation_is_the_course_although_the_histogram_of_a_shortened_run_is_longer() -> None:
    run = run_of(("write-saturation",), "X")
    (test,) = run.plan.tests
    seconds = {name: sum(r.counts.seconds for r in run.of(test.name, name)) for name in ("saturate", "histogram")}
    assert seconds["histogram"] > seconds["saturate"]
    assert look.main_phase(run, test) == "saturate"
    rows = [row._replace(seconds=row.seconds / 10) if row.phase == "histogram" else row for row in figures(run)]
    end = headline.level(rows, "write_saturated")
    assert end
    assert end.phase == "saturate"


@pytest.mark.parametrize(("lang", "shown"), [("en", "130,000 … 140,000"), ("ru", "130 000 … 140 000")])
def test_a_published_range_is_shown_with_both_ends(lang: str, shown: str) -> None:
    """The review of the SN150 gives 130,000 to 140,000 IOPS after ten hours of random writes, not 135,000."""
    words = Language(lang)
    table = key_table([Side("A", run_of(TESTS, "A")), side("published:sn150")], words, {})
    assert table
    assert shown in {row[2].replace("\N{NO-BREAK SPACE}", " ") for row in table.rows}
    ends = published_rival(side("published:sn150")).ends("writes")
    assert words.ranged(ends, "said:rate").replace("\N{NO-BREAK SPACE}", " ") == shown
