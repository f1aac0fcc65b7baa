"""Shared parts of charts by arithmetic on paper: thinned courses, axes, colours, lines of titles, equal marks."""

from typing import Any

import pytest

from stend.charts import parts
from stend.charts.parts import COLOURS, DASHES, SHAPES, coincide, fit
from stend.charts.parts.coincide import Fields
from stend.words import Language

EN = Language("en")


def course(*values: float, first: float = 0.0) -> list[dict[str, Any]]:
    return [{"t": first + t, "y": y} for t, y in enumerate(values)]


def test_a_thinned_course_keeps_the_lowest_and_the_highest_of_each_stretch() -> None:
    """Four of ten points: two stretches of five."""
    points = course(5, 1, 2, 9, 3, 4, 8, 4, 0, 4)
    assert [point["t"] for point in parts.thin(points, "t", "y", 4)] == [1, 3, 6, 8]
    assert parts.thin(points, "t", "y", 10) == points
    assert len(parts.thin(course(*[7] * 10), "t", "y", 10)) == 10
    assert [point["t"] for point in parts.thin(points, "t", "y", 9)] == [0, 1, 3, 4, 6, 8, 9]
    assert [point["t"] for point in parts.thin(course(*[7] * 10), "t", "y", 4)] == [0, 5]


def test_a_binned_course_is_the_median_of_each_equal_stretch_with_its_tenths() -> None:
    points = course(8, 2, 5, 7, 1, 3, 9, 4, 6, first=10.0)
    assert parts.binned(points, "t", "y", 9) == points
    kept = parts.binned(points, "t", "y", 4)
    assert kept[0] == points[0], "the first of a stretch of two"
    assert [(one["t"], one["y"], one["low"], one["high"]) for one in kept[1:]] == [
        (11, 5.0, 2, 8), (13, 6.0, 5, 7), (15, 2.0, 1, 3), (17, 6, 4, 9),
    ]  # fmt: skip
    many = parts.binned(course(*range(44)), "t", "y", 4)
    assert [(one["y"], one["low"], one["high"]) for one in many] == [
        (5, 1, 9), (16, 12, 20), (27, 23, 31), (38, 34, 42),
    ]  # fmt: skip
    nines = parts.binned(course(*range(36)), "t", "y", 4)
    assert [(one["y"], one["low"], one["high"]) for one in nines] == [
        (4, 0, 8),
        (13, 9, 17),
        (22, 18, 26),
        (31, 27, 35),
    ]
    short = [point | {"t": point["t"] * 1e-9} for point in course(*range(36))]
    assert [one["y"] for one in parts.binned(short, "t", "y", 4)] == [4, 13, 22, 31], "of nanoseconds too"
    assert len(parts.binned([{"t": 3.0, "y": y} for y in range(9)], "t", "y", 4)) == 1, "all at one time"


@pytest.mark.parametrize(
    ("longest_s", "scale", "unit"),
    [
        (0.0, 1e-3, "ms"), (0.1, 1e-3, "ms"), (0.101, 1.0, "s"), (300.0, 1.0, "s"), (300.1, 60.0, "min"),
        (21_600.0, 60.0, "min"), (21_600.1, 3600.0, "h"),
    ],
)  # fmt: skip
def test_a_time_axis_has_the_largest_unit_of_which_it_has_several(longest_s: float, scale: float, unit: str) -> None:
    """Milliseconds up to a tenth of a second, seconds up to five minutes, minutes up to six hours."""
    assert parts.time_scale(longest_s, EN) == (scale, EN(f"axis.time_{unit}"))


@pytest.mark.parametrize(
    ("values", "far"), [([1.0, 10.0], True), ([1.0, 9.99], False), ([0.0, 1.0, 9.0], False), ([0.0], False),
                        ([2.0, 19.0], False),
                        ([], False), ([-5.0, 2.0, 20.0], True)]
)  # fmt: skip
def test_values_are_far_apart_from_ten_times_on(values: list[float], far: bool) -> None:
    assert parts.far_apart([{"y": value} for value in values], "y") is far
    assert parts.far_apart([{"y": 1.0}, {"y": 3.0}], "y", 3.0)


@pytest.mark.parametrize(
    ("end_gb", "axis_gb"),
    [
        (3840.0, 3840.0), (3970.0, 4000.0), (2000.0, 2000.0), (480.1, 480.1), (9900.0, 9900.0), (9950.0, 10_000.0),
        (199.0, 200.0), (201.0, 201.0), (2190.0, 2190.0), (5450.0, 5450.0), (6950.0, 7000.0),
        (496.0, 500.0), (15.9, 16.0),
    ],
)  # fmt: skip
def test_an_axis_of_positions_ends_at_a_round_number_that_is_a_hundredth_away(end_gb: float, axis_gb: float) -> None:
    """Steps of labels are 0.2, 0.5 or 1 of the decade, ten of them at most."""
    channel = parts.position("at", end_gb * 1e9, EN)
    assert channel["scale"] == {"nice": False, "domain": [0, pytest.approx(axis_gb, rel=1e-12)]}
    assert (channel["field"], channel["title"]) == ("at", EN("axis.position"))


def test_a_series_beyond_the_colours_has_another_dash_and_another_shape() -> None:
    names = [f"n{n}" for n in range(18)]
    for channel, turned in ((COLOURS, False), (DASHES, True), (SHAPES, True)):
        scale = parts.series_scale(names, channel)
        assert scale["domain"] == names
        assert scale["range"][:8] == list(channel)
        again = [*range(8)] if not turned else [1, 2, 3, 4, 5, 6, 7, 0]
        assert scale["range"][8:16] == [channel[i] for i in again]
        assert scale["range"][16] == channel[2 if turned else 0]
    pairs = zip(*(map(str, parts.series_scale(names, channel)["range"]) for channel in (COLOURS, DASHES)), strict=True)
    assert len({*pairs}) == len(names)


def test_an_axis_of_cells_has_its_field_and_its_title_and_begins_with_them() -> None:
    channel = parts.whole_axis("at", "Place")
    assert (channel["field"], channel["title"], channel["scale"]) == ("at", "Place", {"nice": False, "zero": False})


@pytest.mark.parametrize(
    ("count", "kept"), [(0, []), (4, [0, 1, 2, 3]), (5, [0, 1, 2, 3, 4]), (6, [0, 1, 2, 3, 5]), (9, [0, 2, 4, 6, 8])]
)
def test_five_lines_at_most_from_the_first_to_the_last(count: int, kept: list[int]) -> None:
    assert parts.few(range(count)) == kept


def test_a_ladder_of_colours_goes_from_dark_to_light() -> None:
    five, seven = parts.ladder(5), parts.ladder(7)
    assert (len({*five}), len({*seven})) == (5, 7)
    assert parts.ladder(1) == parts.ladder(0) == five[:1]
    assert parts.ladder(2) == [five[0], five[4]]
    assert parts.ladder(3) == [five[0], five[2], five[4]]
    assert parts.ladder(6) == [seven[i] for i in (0, 1, 2, 4, 5, 6)]  # 0, 1.2, 2.4, 3.6, 4.8, 6
    brightness = [
        sum(int(colour[i : i + 2], 16) * part for i, part in ((1, 0.2), (3, 0.7), (5, 0.1))) for colour in seven
    ]
    assert brightness == sorted(brightness)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("aaaa bbbbb", ["aaaa bbbbb"]), ("aaaa bbbbbb", ["aaaa", "bbbbbb"]),
        ("AAAA bbbb", ["AAAA bbbb"]),  # 4 capitals are 4.72 small letters: 9.72
        ("AAAAA bbbb", ["AAAAA", "bbbb"]),  # 10.9
        ("aaaaaaaaaaaa bb", ["aaaaaaaa", "aaaa bb"]),  # a part of eight letters fits also in capitals
        ("a b c d e f g", ["a b c d e", "f g"]), ("", []),
    ],
)  # fmt: skip
def test_a_title_is_broken_where_ten_small_letters_do_not_fit(text: str, lines: list[str]) -> None:
    assert fit._wrapped(text, 10.0) == lines


def rows(line: str, part: str, *values: float | None) -> list[dict[str, Any]]:
    return [{"line": line, "part": part, "t": t, "y": y} for t, y in enumerate(values)]


FIELDS = Fields("line", ("y",), ("t",), ("part",))


@pytest.mark.parametrize(
    ("other", "coincide_"),
    [
        ((100.0, 200.0), True), ((101.5, 200.0), True), ((101.6, 200.0), False), ((100.0,), False),
        ((100.0, None), False), ((100.0, 200.0, 300.0), False),
    ],
)  # fmt: skip
def test_lines_coincide_where_all_their_places_do_by_one_and_a_half_percent(
    other: tuple[float | None, ...], coincide_: bool
) -> None:
    found = list(coincide.coinciding(rows("a", "p", 100.0, 200.0) + rows("b", "p", *other), FIELDS))
    assert found == ([(("a", "b"), ())] if coincide_ else [])


def test_on_an_axis_that_does_not_begin_at_zero_the_part_of_its_span_counts() -> None:
    fields = FIELDS._replace(spans=("y",))
    for end, same in ((1002.0, True), (1001.0, False)):  # 0.015 of spans of 2 and 1
        lines = rows("a", "p", 1000.0, end) + rows("b", "p", 1000.025, end)
        assert bool(list(coincide.coinciding(lines, fields))) is same


def test_parts_are_named_unless_lines_coincide_in_all_of_them() -> None:
    p = rows("a", "p", 1.0) + rows("b", "p", 1.0) + rows("c", "p", 1.0)
    q = rows("a", "q", 1.0) + rows("b", "q", 1.0) + rows("c", "q", 9.0)
    assert list(coincide.coinciding(p + q, FIELDS)) == [(("a", "b", "c"), ("p",)), (("a", "b"), ("q",))]
    assert list(coincide.coinciding(p, FIELDS)) == [(("a", "b", "c"), ())]
    assert not list(coincide.coinciding(rows("a", "p", 1.0) + rows("a", "q", 1.0), FIELDS)), "one line"
    assert not list(coincide.coinciding(rows("a", "p", 1.0) + rows("", "p", 1.0), FIELDS)), "the same drive again"
    apart = rows("a", "p", 1.0) + rows("b", "p", 9.0) + rows("c", "p", 9.0)
    assert list(coincide.coinciding(apart, FIELDS)) == [(("b", "c"), ())]
    two = rows("a", "p", None) + rows("b", "p", None) + rows("c", "p", 1.0) + rows("d", "p", 1.0)
    assert list(coincide.coinciding(two, FIELDS)) == [(("a", "b"), ()), (("c", "d"), ())]
