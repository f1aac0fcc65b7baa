"""Axes of charts: digits as in the text around them, and ends where the data can end."""

import re
from typing import Any

import pytest

from stend import charts
from stend.base.units import GB, TB
from stend.charts.beside import Side
from stend.charts.beside.levels import iops_levels
from stend.charts.parts import Drawing, axis, position, time_scale
from stend.charts.parts.marks import ratio_axis, tips
from stend.charts.parts.sides import RANGE_KEY
from stend.charts.parts.theme import finished
from stend.charts.parts.vega import Chart
from stend.report.parts.drawing import svgs
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made

VALUES = (728_818.0, 12_345.6, 1234.5, 12.3456, 0.000012345)


def texts(chart: Chart, rows: list[dict[str, Any]], lang: str) -> list[str]:
    picture = finished("x", Drawing("X", chart, {"rows": rows}), Language(lang), [])
    (drawing,) = svgs([picture])
    return re.findall(r"<text[^>]*>([^<]+)</text>", drawing)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("log", [False, True])
def test_an_axis_groups_digits_as_sentences_do(lang: str, log: bool) -> None:
    words, rows = Language(lang), [{"a": 1000, "b": 3000}, {"a": 100_000, "b": 9000}]
    shown = texts(Chart().mark("point").encode(x=axis("a", "x", log=log), y=axis("b", "y")), rows, lang)
    numbers = {re.sub(r"\D", "", text): text for text in shown if re.fullmatch(r"[\d\s,]+", text)}
    assert {"4000", "100000"} <= set(numbers)
    assert [text for digits, text in numbers.items() if text != words.show(int(digits), "whole")] == []


def test_tooltips_show_four_digits_and_no_powers() -> None:
    channel = tips(axis("a", "x"))[0]
    shown = texts(Chart().mark("text").encode(text=channel), [{"a": value} for value in VALUES], "en")
    assert shown[:-1] == ["728,800", "12,350", "1,235", "12.35", "0.00001234"]


@pytest.mark.parametrize("capacity", [16_000_900_661_248, 600_127_266_816])
def test_an_axis_of_positions_ends_at_the_end_of_the_drive(capacity: int) -> None:
    truth = Truth(capacity_bytes=capacity, outer_bps=250e6, inner_bps=120e6)
    run = made("lba-profile", truth=truth, profile="review", shorten=60, interval_s=600.0)
    (picture,) = charts.pictures("lba_profile", run, run.plan.tests[0])
    scale = picture.spec["encoding"]["x"]["scale"]
    assert scale["domain"] == [0, capacity / 1e9]
    assert not scale.get("nice")


@pytest.mark.parametrize(
    ("end_bytes", "end_gb"),
    [
        (30 * TB - 4096, 30_000),
        (29_750 * GB, 30_000),
        (500 * GB, 500),
        (500_107_862_016, 500.107862016),
    ],
)
def test_an_axis_of_positions_ends_at_a_label_if_the_drive_ends_just_below_it(end_bytes: int, end_gb: float) -> None:
    channel = position("gb", end_bytes, Language("en"))
    assert channel["scale"]["domain"] == [0, end_gb]
    rows = [{"gb": place * end_bytes / 1e9, "y": 1} for place in (0, 0.5, 1)]
    shown = texts(Chart().mark("point").encode(x=channel, y=axis("y", "y")), rows, "en")
    assert Language("en").show(int(end_gb), "whole") in shown


@pytest.mark.parametrize("ratios", [[1.0, 1.0], [0.99, 1.01]])
def test_an_axis_of_ratios_that_hardly_differ_from_1_has_labels_on_both_sides(ratios: list[float]) -> None:
    x = ratio_axis(min(ratios), max(ratios), "batched.ratio", Language("en"))
    chart = Chart().mark("point").encode(x={**x, "field": "x"}, y=axis("y", "y"))
    shown = texts(chart, [{"x": ratio, "y": 1} for ratio in ratios], "en")
    numbers = [float(text) for text in shown[: shown.index(Language("en")("batched.ratio_even"))]]
    assert min(numbers) <= 0.96
    assert max(numbers) >= 1.04


@pytest.mark.parametrize(
    ("longest_s", "scale", "title"),
    [(0.02, 1e-3, "Time, ms"), (0.2, 1.0, "Time, s"), (600.0, 60.0, "Time, min"), (36e3, 3600.0, "Time, h")],
)
def test_the_unit_of_a_time_axis_fits_its_length(longest_s: float, scale: float, title: str) -> None:
    assert time_scale(longest_s, Language("en")) == (scale, title)


@pytest.mark.parametrize(("end", "key"), [([130_000, 140_000], RANGE_KEY), (130_000, "square")])
def test_the_legend_shows_a_range_where_only_ranges_are_published(end: Any, key: str) -> None:
    """It showed the symbol of a point that the chart does not have."""
    run, facts = made("iops", shorten=60), {"saturation": {"end": end}}
    (drawing,) = iops_levels([Side("run", run), Side("paper", facts=facts)], Language("en"))
    unit = next(part for part in drawing.chart.spec.get("layer", [drawing.chart.spec]) if "shape" in part["encoding"])
    scale = unit["encoding"]["shape"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["paper"] == key
