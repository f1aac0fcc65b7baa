"""Charts that can be read: round ticks, nothing cut, few lines, plateaus and ranges drawn as what they are."""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import pytest
from benchmarks.pages.texts import LEAST_PT

from stend.base.units import GB, GiB, MiB
from stend.charts import media_map, saturation, window
from stend.charts.beside import Side, courses, picture
from stend.charts.overlay import intervals
from stend.charts.parts import COLOURS, MOST_LINES, Picture, few, ladder
from stend.charts.parts.fit import LINE, fitted
from stend.charts.parts.half import ALONE, STRETCH, WIDTH, half, height, levelled, wide
from stend.charts.parts.marks import LIGHT, by_load, cells, ink, octaves
from stend.charts.parts.sides import GREYS, published_marks
from stend.charts.parts.ticks import logarithmic
from stend.findings import look
from stend.findings.look.figures import SATURATING
from stend.model.counts import added
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.report.parts import Page, Section, Text
from stend.report.parts.drawing import svgs
from stend.report.parts.markup import template_text
from stend.report.pdf import TEXT_MM, _alone
from stend.words import Language
from tests import pictures
from tests.synthetic import Truth, made

WORDS = Language("en")
PAGE_PT = TEXT_MM / 25.4 * 72
COLUMN_PT = (PAGE_PT - 8) / 2
"""Widths of a chart alone in a row of a PDF, and of one of two."""


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (56_000, 728_000, 10, [5e4, 1e5, 2e5, 5e5, 1e6]),
        (0.03, 4, 20, [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]),
        (0.03, 4, 4, [0.01, 0.1, 1, 10]),
        (7, 7, 10, [5, 10]),
    ],
)
def test_log_ticks_are_round_reach_both_ends_and_fit(low: float, high: float, most: float, ticks: list[float]) -> None:
    assert logarithmic(low, high, most) == pytest.approx(ticks)


def spec(rows: list[dict[str, Any]], **channels: Any) -> dict[str, Any]:
    whole = {"data": {"name": "rows"}, "mark": "point", "encoding": channels, "title": {"text": "title"}}
    return fitted(whole | {"datasets": {"rows": rows}}, 400, 460)


@pytest.mark.parametrize(("high", "kind"), [(320_000, None), (2_000_000, "log")])
def test_a_fall_by_less_than_ten_is_drawn_from_zero(high: float, kind: str | None) -> None:
    y = {"field": "y", "type": "quantitative", "scale": {"type": "log", "nice": True}, "axis": {"format": ",.3~r"}}
    drawn = spec([{"y": 100_000}, {"y": high}], y=y)["encoding"]["y"]
    assert drawn["scale"].get("type") == kind
    assert drawn["scale"].get("zero", False) == (kind is None)


def test_a_linear_axis_ends_at_a_tick() -> None:
    y = {"field": "y", "type": "quantitative", "scale": {"zero": True, "nice": True}}
    drawn = spec([{"y": 250_000}], y=y)["encoding"]["y"]
    assert drawn["scale"]["nice"] == drawn["axis"]["tickCount"] > 1


@pytest.mark.parametrize(
    ("kinds", "entries"), [(["a", "b"], ["a", "b"]), (["b"], None), (["a", "b", "c"], ["a", "b", "c"])]
)
def test_a_legend_has_the_entries_that_occur_and_at_least_two(kinds: list[str], entries: list[str] | None) -> None:
    colour = {"field": "k", "type": "nominal", "scale": {"domain": ["a", "b", "c"], "range": ["#1", "#2", "#3"]}}
    drawn = spec([{"k": kind} for kind in kinds], color=colour)["encoding"]["color"]
    assert drawn["scale"]["domain"] == kinds
    assert (drawn["legend"] and drawn["scale"]["domain"]) == entries


def test_a_legend_does_not_exceed_the_plot() -> None:
    names = ["KINGSTON SKC2000M8500G", "KINGSTON SKC2000M8500G, full"]
    colour = {"field": "k", "type": "nominal", "title": None}
    drawn = spec([{"k": name} for name in names], color=colour)["encoding"]["color"]
    assert drawn["legend"]["columns"] == 1


@pytest.mark.parametrize(("count", "columns"), [(6, 1), (7, 2)])
def test_a_legend_of_many_long_names_has_two_columns_of_names_in_lines(count: int, columns: int) -> None:
    names = [f"HGST Ultrastar SN150 number {n} of 1.6 TB, full" for n in range(count)]
    colour = {"field": "k", "type": "nominal", "title": None}
    legend = spec([{"k": name} for name in names], color=colour)["encoding"]["color"]["legend"]
    assert legend["columns"] == columns
    lines = json.loads(legend.get("labelExpr", "{}[datum.label]").removesuffix("[datum.label]"))
    assert [" ".join(lines[name]).replace("\u00a0", " ") for name in lines] == names[: count * (columns - 1)]
    assert all(len(line) * 6.2 + 30 <= 200 for name in lines for line in lines[name])


@pytest.mark.parametrize(
    ("depths", "ticks"),
    [([1, 3, 8, 16], [1, 2, 4, 8, 16]), ([3, 6, 24], [2, 4, 8, 16, 32]), ([4, 16, 64], [4, 16, 64]), ([3], [3])],
)
def test_ticks_of_depths_are_powers_of_two(depths: list[float], ticks: list[float]) -> None:
    axis = octaves("n", "depth", depths)
    assert axis["axis"]["values"] == ticks
    assert axis["scale"].get("domain", [ticks[0], ticks[-1]]) == [ticks[0], ticks[-1]]


@pytest.mark.parametrize("name", ["последовательное чтение 128 КиБ", "sequential read 128 KiB"])
def test_names_of_rows_are_broken_into_lines_but_not_before_a_unit(name: str) -> None:
    axis = spec([{"k": name}], y={"field": "k", "type": "nominal"})["encoding"]["y"]["axis"]
    assert axis["labelLimit"] == 0
    assert re.search(r'", "[^"]*128\u00a0K?К?', axis["labelExpr"])


def test_the_title_of_a_legend_is_above_long_names_that_fit_in_fewer_rows_there() -> None:
    colour = {"field": "k", "type": "nominal", "title": "State of the whole drive before"}
    long = spec([{"k": name} for name in ("warmed by reads", "warmed by writes", "cold")], color=colour)
    short = spec([{"k": name} for name in "abc"], color=colour)
    assert (long["encoding"]["color"]["legend"] | {"labelLimit": 0})["titleOrient"] == "top"
    assert "titleOrient" not in short["encoding"]["color"]["legend"]


@cache
def all_halves(lang: str, *, alone: bool = False) -> list[tuple[str, str]]:
    tests = ("fresh", "iops", "profiles", "slc-cache", "idle-recovery", "write-saturation")
    every = [half(p, alone=alone) for test in tests for p in pictures.pictures(test, lang) if "vconcat" not in p.spec]
    return list(zip((p.name for p in every), svgs(every), strict=True))


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("alone", [False, True])
def test_half_charts_are_equally_wide_and_cut_no_text(lang: str, alone: bool) -> None:
    widest = ALONE if alone else WIDTH
    for name, drawing in all_halves(lang, alone=alone):
        assert widest - 40 <= float(re.search(r'width="([\d.]+)"', drawing)[1]) <= widest + 2, name  # type: ignore[index]
        assert "…" not in drawing, name
        least_px = min(map(float, re.findall(r'font-size="([\d.]+)px"', drawing)))
        assert least_px * (PAGE_PT if alone else COLUMN_PT) / widest >= LEAST_PT, name


@pytest.mark.parametrize(
    ("columns", "row", "is_wide"), [(8, "100/0", False), (9, "100/0", True), (2, "n" * 61, True), (2, "n" * 60, False)]
)
def test_a_map_of_many_columns_and_rows_with_long_names_need_a_row_of_the_page(
    columns: int, row: str, is_wide: bool
) -> None:
    rows = [{"x": str(number), "y": row, "n": number} for number in range(columns)]
    x, y = ({"field": name, "type": "nominal"} for name in "xy")
    for other, expected in ((y, is_wide), ({"field": "n", "type": "quantitative"}, False)):
        drawn = {"encoding": {"x": x, "y": other}, "datasets": {"rows": rows}}
        assert wide(Picture("name", "Title", drawn, "says")) is expected


def test_the_last_chart_before_a_wide_one_is_alone_if_their_number_is_odd() -> None:
    def drawn(columns: int) -> Picture:
        x, y = ({"field": name, "type": "nominal"} for name in "xy")
        rows = [{"x": str(number), "y": "a"} for number in range(columns)]
        return Picture("name", "Title", {"encoding": {"x": x, "y": y}, "datasets": {"rows": rows}}, "says")

    few, many = drawn(3), drawn(12)
    sections = (Section("a", "A", (few, few, few, many, many, Text("text"), few, few)),)
    page = Page("title", "en", "now", WORDS, Section("lead", "Lead", ()), sections)
    assert list(_alone(page)) == [False, False, True, True, True, False, False]


def test_a_chart_of_the_width_of_a_page_has_longer_names_in_fewer_lines() -> None:
    name = "Write Saturation, saturated: random write 4 KiB, T8 Q16, 99.99% response"
    y = {"field": "k", "type": "nominal"}
    whole = {"data": {"name": "rows"}, "mark": "point", "encoding": {"y": y}, "title": {"text": "title"}}
    lines = [
        json.loads(
            fitted(whole | {"datasets": {"rows": [{"k": name}]}}, plot, 895)["encoding"]["y"]["axis"]["labelExpr"][:-13]
        )
        for plot in (400, 730)
    ]
    assert [len(one[name]) for one in lines] == [3, 2]


def test_labels_and_rows_of_a_fitted_chart_follow_another_width() -> None:
    names = [f"Write Saturation, saturated: random write 4 KiB, T8 Q{n}, 99.99% response" for n in range(16)]
    y = {"field": "k", "type": "nominal"}
    whole = {"data": {"name": "rows"}, "mark": "point", "encoding": {"y": y}, "title": {"text": "title"}, "height": 100}
    narrow = fitted(whole | {"datasets": {"rows": [{"k": name} for name in names]}}, 400, 895)
    wide_one = fitted(narrow | {"height": 100}, 730, 895)
    for drawn, count in ((narrow, 3), (wide_one, 2)):
        shown = json.loads(drawn["encoding"]["y"]["axis"]["labelExpr"].removesuffix("[datum.label]"))
        assert {len(lines) for lines in shown.values()} == {count}
        assert drawn["height"] == len(names) * (LINE * count + 8)


def test_at_most_five_lines_from_the_first_to_the_last() -> None:
    assert few([1, 2, 4, 6, 8, 16, 32]) == [1, 2, 6, 8, 32]
    assert few("ab") == ["a", "b"]
    for test in ("iops", "composite", "profiles", "thread-queue-sweep"):
        for one in pictures.pictures(test):
            if one.name in ("iops_matrix", "profiles", "thread_queue") and "layer" in one.spec:
                colour = one.spec["layer"][0]["encoding"].get("color", {})
                assert len(colour.get("scale", {}).get("domain", ())) <= MOST_LINES, (test, one.title)


@pytest.mark.parametrize(
    ("rates", "by"), [([10, 20, 40, 80], "iops"), ([50, 100, 101, 102], "depth"), ([50, 140, 100, 150], "depth")]
)
def test_depth_is_on_the_x_axis_where_iops_do_not_rise_with_it(rates: list[float], by: str) -> None:
    rows = [{"n": 2**i, "iops": rate, "name": "mean"} for i, rate in enumerate(rates)]
    assert by_load(rows, "name", WORDS)[2] == by


def luminances() -> Iterator[float]:
    yield from (i / 1000 for i in range(1001))


def test_text_on_every_cell_has_contrast_and_keeps_its_colour_on_dark_pages() -> None:
    contrasts = [(lum + 0.05) / 0.05 if lum > LIGHT else 1.05 / (lum + 0.05) for lum in luminances()]
    assert min(contrasts) >= 4.5
    told = ink("iops")
    assert str(LIGHT) in told["condition"]["test"]
    night = (resources.files("stend.report.parts") / "templates" / "page.js").read_text()
    replaced = re.findall(r'"(#[0-9a-f]+)":', night)
    assert replaced
    for colour in (told["condition"]["value"], told["value"]):
        assert not any(day in colour for day in replaced)
    column = {"field": "b", "type": "nominal"}
    text = cells(column, column, {"field": "iops", "type": "quantitative"}, ()).to_dict()["layer"][1]
    assert text["encoding"]["color"] == told


def line_colours() -> set[str]:
    """Return the colours of all lines and marks."""
    verdicts = (colour for colour, _ in intervals.LOOKS.values())
    faults = (colour for kind, colour in media_map.COLOUR.items() if kind != "sampled")  # an area
    compared = re.findall(r'"(#[0-9a-f]{6})"', (resources.files("stend.publish") / "static/compare.js").read_text())
    ladders = (colour for count in range(1, 13) for colour in ladder(count))
    return {*COLOURS, *window.COLOURS, *GREYS, *verdicts, *faults, *compared, *ladders}


@pytest.mark.parametrize("colour", sorted(line_colours()))
def test_lines_and_marks_are_visible_on_light_and_dark_pages(colour: str) -> None:
    night = dict(re.findall(r'"(#[0-9a-f]+)": "(#[0-9a-f]+)"', template_text("page.js")))
    assert 1.05 / (luminance(colour) + 0.05) >= 3
    assert (luminance(night.get(colour, colour)) + 0.05) / (luminance("#0d1117") + 0.05) >= 3


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@cache
def run_of(*tests: str, steady: float = 20_000) -> Run:
    truth = Truth(
        capacity_bytes=8 * GiB, steady_iops=steady, fresh_iops=max(steady, 200_000) if steady < 1e5 else steady
    )
    return made(*tests, truth=truth, interval_s=20.0, shorten=60, rounds=5)


def test_percentiles_of_the_saturation_are_those_of_all_ios_of_a_stretch() -> None:
    run = run_of("write-saturation")
    (test,) = run.plan.tests
    phase = next(p.name for p in test.phases if p.name in SATURATING)
    records = look.records(run, test.name, phase)
    drawn = list(saturation.draw(run, test, WORDS))[1].rows
    size = -(-len(records) // saturation.COLUMNS)
    first = added(record.counts for record in records[:size]).both
    assert drawn["band"][0]["low"] == pytest.approx((percentile_s(first, 50) or 0) * 1e3)
    assert drawn["band"][0]["high"] == pytest.approx((percentile_s(first, 99) or 0) * 1e3)
    assert drawn["longest"][0]["ms"] == pytest.approx(first.max_s * 1e3)
    assert {row["figure"] for row in drawn["rows"]} <= {"mean", "99.9%"}


@pytest.mark.parametrize("room", [100 * GB, 500 * GB, 2000 * GB])
def test_a_published_course_ends_with_the_smaller_drive(room: int) -> None:
    facts = {"about": {"capacity_gb": 500}, "steps": {"first": 2000, "second": 700, "third": 500, "first_end_s": 32, "second_end_s": 900}}  # fmt: skip # noqa: E501
    places = [row["gib"] for row in courses._steps(Side("published", facts=facts), room)]
    assert max(places) == pytest.approx(min(room, 500 * GB) / GiB)
    assert min(places) == 0
    assert places == sorted(places)
    levels = [row["value"] for row in courses._steps(Side("published", facts=facts), room)]
    assert levels[0] == pytest.approx(2000 * MiB / 1e6)


def test_a_published_range_is_a_bar_and_a_single_number_no_measured_dot() -> None:
    facts = {"about": {}, "saturation": {"end": [130_000, 140_000]}}
    (row,) = courses._course(Side("published", facts=facts), 60.0, 36_000.0)
    assert (row["from"], row["to"]) == (130_000, 140_000)
    (row,) = courses._course(Side("published", facts={"about": {}, "saturation": {"end": 20_000}}), 60.0, 36_000.0)
    assert row["from"] == row["to"] == 20_000
    value = {"field": "value", "type": "quantitative"}
    mark = published_marks({"field": "t", "type": "quantitative"}, value, {}, WORDS).to_dict()
    assert (mark["mark"]["type"], mark["encoding"]["y"]["field"], mark["encoding"]["y2"]["field"]) == (
        "errorbar", "from", "to")  # fmt: skip


@pytest.mark.parametrize(("steady", "shown"), [(20_000, 1), (200_000, 0)])
def test_single_bursts_are_drawn_only_of_a_drive_that_pauses_bring_back(steady: float, shown: int) -> None:
    side = Side("drive", run_of("idle-recovery", steady=steady))
    assert len(list(picture("rests", [side], WORDS, []))) == 1
    for name in ("bursts", "recovery_course"):
        assert len(list(picture(name, [side], WORDS, []))) == shown, name
        both = [side, Side("other", side.run)]
        assert not list(picture(name, both, WORDS, [])), "it would show the first drive alone"
        assert len(list(picture(name, [side, Side("idle", made("fresh", shorten=60))], WORDS, []))) == shown


@pytest.mark.parametrize(("rate", "drawn"), [(200_000, True), (40, False)])
def test_a_percentile_that_its_ios_do_not_carry_leaves_a_gap_and_no_line_across(rate: float, drawn: bool) -> None:
    run = made("write-saturation", truth=Truth(fresh_iops=rate, steady_iops=rate), interval_s=20.0, shorten=60)
    rows = list(saturation.draw(run, run.plan.tests[0], WORDS))[1].rows
    tails = [row["ms"] for row in rows["rows"] if row["figure"] == WORDS("figure.p99.9")]
    assert tails
    assert all((value is not None) == drawn for value in tails)


@pytest.mark.parametrize("ratio", [1.0, 1.3, STRETCH, 2.0])
def test_plots_of_a_row_begin_and_end_level_unless_one_would_be_stretched_too_far(ratio: float) -> None:
    left = half(pictures.pictures("iops", "en")[0])
    right = half(pictures.pictures("latency", "en")[0])
    low = min(height(left.spec), height(right.spec))
    left = left._replace(spec={**left.spec, "height": low, "title": {"text": ["One", "Two"], "subtitle": ["Quick"]}})
    right = right._replace(spec={**right.spec, "height": low * ratio, "title": {"text": "One"}})
    made = levelled(left, right)
    assert [height(one.spec) for one in made] == ([low * ratio] * 2 if ratio <= STRETCH else [low, low * ratio])
    assert made[0].spec["title"] == left.spec["title"]
    assert made[1].spec["title"]["text"] == ["One", " ", " "]
    assert levelled(right, right)[0].spec["title"] == right.spec["title"]
