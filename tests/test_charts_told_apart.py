"""Marks of a picture that a reader can name, see and read: alone, of unlike drives, and next to another picture."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from stend.charts import batched, journal, replay_time, saturation, surface_map, trims, watts
from stend.charts.beside import picture
from stend.charts.beside.courses import WIDE
from stend.charts.overlay import intervals, pictures, ratio_map
from stend.charts.parts import Drawing, axis
from stend.charts.parts.fit import units
from stend.charts.parts.marks import ratio_axis, series, thin_lines
from stend.charts.parts.sides import Side
from stend.charts.parts.theme import finished
from stend.charts.parts.vega import Chart
from stend.model.counts import Counts
from stend.model.tally import Tally
from stend.report.parts.drawing import svg
from stend.words import LANGUAGES, Language
from tests.pictures import run_of
from tests.synthetic import Truth, made
from tests.test_charts_many import drawn_batch
from tests.test_overlay_readable import swept

EN = Language("en")
X, Y = axis("x", "X"), axis("y", "Y")


def colours(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The colour channels of a chart."""
    yield from (view["encoding"]["color"] for view in units(spec) if "color" in view["encoding"])


@pytest.mark.parametrize(
    ("names", "shown", "title"),
    [
        (["a", "b"], ["a"], "T: a"),
        (["a", "b"], ["a", "b"], "T"),
        (["a"], ["a"], "T"),
        (["T", "b"], ["T"], "T"),
    ],
)
def test_a_series_that_is_alone_in_its_chart_is_named_in_the_title(
    names: list[str], shown: list[str], title: str
) -> None:
    rows = [{"x": 1, "y": 1, "k": name} for name in shown]
    drawn = finished("n", Drawing("T", thin_lines(X, Y, series("k", None, names)), {"rows": rows}, "S."), EN, [])
    assert drawn.title == drawn.spec["title"]["text"] == title


def test_a_series_of_gaps_has_no_entry_in_the_legend() -> None:
    rows = [{"x": 1, "y": None if name == "c" else 1, "k": name} for name in "abc"]
    drawn = finished("n", Drawing("T", thin_lines(X, Y, series("k", None, "abc")), {"rows": rows}, "S."), EN, [])
    assert [channel["scale"]["domain"] for channel in colours(drawn.spec)] == [["a", "b"]]


def test_a_block_size_of_synced_writes_has_one_colour_in_all_charts() -> None:
    run = made("journal", shorten=60, rounds=5)
    scales = [c["scale"] for drawn in journal.draw(run, run.plan.tests[0], EN) for c in colours(drawn.chart.to_dict())]
    assert len(scales) > 3
    assert all(scale == scales[0] for scale in scales)
    assert len(scales[0]["domain"]) == 3


def test_a_captured_trace_and_its_replay_have_the_same_colours_in_all_charts() -> None:
    run = run_of("replay")
    (course,) = replay_time.draw(run, run.plan.tests[0], EN)
    (over_time,) = (channel["scale"]["range"] for channel in colours(course.chart.to_dict()))
    shares = [c["scale"]["range"] for p in picture("replay", [Side("D", run)], EN, ()) for c in colours(p.spec)]
    assert shares
    assert all(share == over_time for share in shares)


def test_a_replay_over_time_does_not_end_in_a_zigzag() -> None:
    def counts(seconds: float, ios: int) -> Counts:
        return Counts(seconds, 0, Tally(ios, ios * 4096, ios * 1000))

    points = [(0.5, counts(1, 10)), (1.5, counts(1, 20)), (2.001, counts(0.002, 1))]
    assert replay_time.joined(points) == [points[0], (1.5, counts(1.002, 21))]
    assert replay_time.joined(points[:2]) == points[:2]
    assert replay_time.joined(points[:1]) == points[:1]
    run = run_of("replay")
    (course,) = replay_time.draw(run, run.plan.tests[0], EN)
    times = [row["t"] for row in course.rows["rows"]]
    assert max(times) < run.plan.tests[0].traced.seconds, "each point is in the middle of its time"  # type: ignore[union-attr]


@pytest.mark.parametrize(("minute_s", "title"), [(0.2, "axis.time_s"), (60.0, "axis.time_s"), (600.0, "axis.time_min")])
def test_writes_to_a_half_have_a_time_axis_of_round_numbers(minute_s: float, title: str) -> None:
    run = made("trim", interval_s=minute_s / 6, shorten=60, rounds=5, minute_s=minute_s)
    (half,) = (drawn for drawn in trims.draw(run, run.plan.tests[0], EN) if drawn.title == EN("chart.trims_half"))
    assert half.chart.to_dict()["encoding"]["x"]["title"] == EN(title)
    assert max(row["t"] for row in half.rows["rows"]) > 0.9


def test_a_marked_drive_is_drawn_above_the_others() -> None:
    (strips,) = batched.pictures(drawn_batch(), EN, [])
    by_figure: dict[str, list[bool]] = {}
    for row in strips.spec["datasets"]["rows"]:
        by_figure.setdefault(row["figure"], []).append(row["kind"] == row["drive"])
    assert by_figure
    assert all(marked == sorted(marked) and any(marked) for marked in by_figure.values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_map_of_changes_names_its_quantity_and_has_both_lines_in_the_middle_of_a_cell(lang: str) -> None:
    (drawn,) = ratio_map.draw(swept(), Language(lang))
    assert "IOPS" in drawn.title.partition(":")[2]
    (label,) = (view["mark"] for view in units(drawn.chart.to_dict()) if view["mark"]["type"] == "text")
    assert label["dy"] == pytest.approx(-13 / 2)  # the second line is 13 pixels below the first


def test_differences_of_one_verdict_have_it_in_the_title() -> None:
    (one,) = (p for p in pictures(swept(0.5), EN, lambda _: []) if p.name == "intervals")
    assert one.title.endswith(f": {EN('verdict.behind')}")
    (drawing,) = intervals.draw(swept(0.5), EN)
    assert not drawing.title.endswith(EN("verdict.behind"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_chart_of_ratios_states_which_side_of_1_is_better(lang: str) -> None:
    words = Language(lang)
    better = next(text for text in words("overlay.ratios_says").split(". ") if "1" in text)
    assert better.rstrip(".") in words("overlay.intervals_says")


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("times", "log"), [(WIDE / 2, False), (WIDE * 2, True)])
def test_courses_of_drives_far_apart_have_a_logarithmic_axis_in_either_order(
    times: float, *, log: bool, turned: bool
) -> None:
    runs = [
        made("write-saturation", truth=Truth(fresh_iops=iops, steady_iops=iops / 2), shorten=60)
        for iops in (1000, 1000 * times)
    ]
    sides = [Side(f"{n}", run) for n, run in enumerate(runs)]
    course = next(picture("saturation_course", sides[:: -1 if turned else 1], EN, ()))
    axes = [view["encoding"]["y"]["scale"] for view in units(course.spec)]
    assert all((scale.get("type") == "log") is log for scale in axes)


@pytest.mark.parametrize(("sets", "key"), [({"longest": []}, "saturation_few"), ({"longest": [], "band": []}, "")])
def test_a_caption_names_no_band_that_is_not_drawn(sets: dict[str, list[dict[str, Any]]], key: str) -> None:
    assert saturation._hidden(sets, "99.9%") == key


@pytest.mark.parametrize(
    ("reads", "dots"),
    [((1, 0, 2, 0, 1), True), ((1, 1, 1, 1), False), ((1, 1, 0, 1, 1, 0, 1), False), ((0, 3, 0), True)],
)
def test_parts_that_were_read_apart_are_dots_and_not_a_line_without_pieces(
    reads: tuple[int, ...], *, dots: bool
) -> None:
    assert surface_map._scattered(reads) is dots


@pytest.mark.parametrize(("peaks", "higher"), [((7.0, 7.0), False), ((7.0, 8.0), True), ((1.0, 7.05), False)])
def test_a_caption_of_power_states_that_peaks_are_above_its_line(peaks: tuple[float, float], *, higher: bool) -> None:
    assert watts._exceeds([(0.0, 1.0, peaks[0]), (1.0, 7.0, peaks[1])]) is higher


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_direction_in_the_title_of_a_replay_begins_small(lang: str) -> None:
    titles = [p.title for p in picture("replay", [Side("D", run_of("replay"))], Language(lang), ())]
    ways = [Language(lang)(f"direction.{way}") for way in ("read", "write")]
    assert [title.rpartition(": ")[2] for title in titles] == [way.lower() for way in ways]


@pytest.mark.parametrize(
    ("low", "high", "labels"), [(0.9, 1.12, {"0.90", "1.00", "1.10"}), (0.1, 8.0, {"0.1", "1", "5"})]
)
def test_labels_of_ratios_on_a_linear_axis_have_equal_decimal_places(low: float, high: float, labels: set[str]) -> None:
    x = ratio_axis(low, high, "overlay.ratio", EN) | {"field": "x"}
    chart = Chart().mark("point").encode(x=x)
    drawn = svg(finished("n", Drawing("T", chart, {"rows": [{"x": low}, {"x": high}]}, "S."), EN, []))
    assert labels <= set(re.findall(r">([\d.]+)</text>", drawn))
