"""Drives that hide each other on a chart are named below it."""

from typing import Any

import pytest

from stend.charts import saturation
from stend.charts.beside import Side, picture
from stend.charts.parts import Drawing, axis
from stend.charts.parts.coincide import Fields, coinciding
from stend.charts.parts.marks import bars, category, series
from stend.charts.parts.marks import lines as drawn
from stend.charts.parts.theme import finished
from stend.words import Language
from tests.synthetic import Truth, made

WORDS = Language("en")


def lines(**of: list[float | None]) -> list[dict[str, Any]]:
    return [{"t": t, "value": value, "drive": drive} for drive, values in of.items() for t, value in enumerate(values)]


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (lines(a=[1.0, 2.0], b=[1.01, 2.0]), [(("a", "b"), ())]),
        (lines(a=[1.0, 2.0], b=[1.0, 2.1]), []),
        (lines(a=[1.0, 2.0], b=[1.0]), []),  # one is longer, and is seen
        (lines(a=[1.0, None], b=[1.0, None]), [(("a", "b"), ())]),
        (lines(a=[1.0, None], b=[1.0, 2.0]), []),
        (lines(a=[1.0], b=[2.0], c=[2.0], d=[1.0]), [(("a", "d"), ()), (("b", "c"), ())]),
    ],
)
def test_lines_that_hide_each_other_are_found(rows: list[dict[str, Any]], found: list[Any]) -> None:
    assert list(coinciding(rows, Fields("drive", ("value",), ("t",)))) == found


def test_levels_in_which_drives_coincide_are_named() -> None:
    values = {"reads": (5.0, 5.0, 9.0), "writes": (1.0, 2.0, 3.0)}
    rows = [
        {"level": level, "drive": drive, "value": value}
        for level, of in values.items()
        for drive, value in zip("abc", of, strict=True)
    ]
    assert list(coinciding(rows, Fields("drive", ("value",), parts=("level",)))) == [(("a", "b"), ("reads",))]


def test_the_caption_names_drives_that_coincide() -> None:
    truths = {"A": Truth(), "B": Truth(), "C": Truth(fresh_iops=99_000.0)}
    sides = [Side(name, made("fresh", truth=truth, shorten=60)) for name, truth in truths.items()]
    (*_, iops) = picture("peaks", sides, WORDS, [])
    assert iops.says.endswith("A, B and C coincide (random read 4 KiB). A and B coincide (random write 4 KiB).")
    (*_, iops) = picture("peaks", sides[:2], Language("ru"), [])
    assert iops.says.endswith("Совпадают: A и B.")
    (*_, iops) = picture("peaks", sides[1:], WORDS, [])
    assert iops.says.endswith("B and C coincide (random read 4 KiB).")


@pytest.mark.parametrize(
    ("lang", "zero", "values", "says"),
    [
        ("en", True, {"read": [100.0, 50.0], "write": [100.0, 50.5]}, "Read and write coincide."),
        ("en", True, {"Read": [100.0, 50.0], "Write": [100.0, 50.5]}, "Read and write coincide."),
        ("ru", True, {"Чтение": [100.0, 50.0], "Запись": [100.0, 50.5]}, "Совпадают: чтение и запись."),
        ("ru", True, {"чтение": [100.0, 50.0], "запись": [100.0, 50.5]}, "Совпадают: чтение и запись."),
        ("en", True, {"read": [100.0, 50.0], "write": [100.0, 60.0]}, ""),
        ("en", False, {"read": [100.0, 99.0], "write": [100.5, 99.5]}, ""),  # far apart on an axis of 99 to 100.5
        ("en", False, {"read": [20.0, 70.0], "write": [20.5, 70.5]}, "Read and write coincide."),
        ("en", True, {"a": [0.0], "b": [0.0], "c": [0.0]}, "A, b and c coincide."),
    ],
)
def test_the_caption_names_lines_of_one_drive_that_coincide(
    lang: str, values: dict[str, list[float]], says: str, *, zero: bool
) -> None:
    rows = [{"t": t, "v": v, "way": way} for way, of in values.items() for t, v in enumerate(of)]
    x, y, kinds = axis("t", "T"), axis("v", "V", zero=zero), series("way", None, list(values))
    picture = finished("plot", Drawing("Rates", drawn(x, y, kinds), {"rows": rows}, "Two ways."), Language(lang), [])
    assert picture.says == " ".join(filter(None, ("Two ways.", says)))


def test_names_of_sides_keep_their_first_letter() -> None:
    rows = [{"t": 1, "v": 1.0, "side": side} for side in ("firmware 1", "firmware 2")]
    chart = drawn(axis("t", "T"), axis("v", "V"), series("side", None, ["firmware 1", "firmware 2"]))
    assert finished("plot", Drawing("R", chart, {"rows": rows}, "."), WORDS, []).says.endswith(
        ". firmware 1 and firmware 2 coincide."
    )


def test_bars_are_beside_each_other() -> None:
    rows = [{"size": "4", "v": 1.0, "way": way} for way in ("read", "write")]
    chart = bars(category("size", "Size", ["4"]), axis("v", "V"), series("way", None, ["read", "write"]))
    assert finished("plot", Drawing("Rates", chart, {"rows": rows}, "Bars."), WORDS, []).says == "Bars."


def test_two_lines_of_one_name_are_not_one_line() -> None:
    rows = [
        {"t": 0, "v": v, "way": way, "part": part} for way, v, part in (("a", 1, ""), ("b", 9, "low"), ("b", 1, "high"))
    ]
    fields = Fields("way", ("v",), ("t",), ("part",))
    assert list(coinciding(rows, fields)) == []
    assert list(coinciding([*rows, {"t": 0, "v": 1, "way": "c", "part": ""}], fields)) == [(("a", "c"), ())]


def test_dots_in_one_row_are_not_one_dot() -> None:
    rows = [{"figure": "iops", "v": v, "kind": kind} for v, kind in ((1.0, "others"), (2.0, "others"), (2.0, "S20"))]
    assert list(coinciding(rows, Fields("kind", ("v",), parts=("figure",)))) == []


def test_a_caption_does_not_list_many_marks() -> None:
    rows = [{"figure": f"figure {n}", "v": 1.0, "drive": f"drive {i + 2 * n}"} for n in range(9) for i in range(2)]
    y = {"field": "figure", "type": "nominal"}
    chart = drawn(axis("v", "V"), y, series("drive", None, [f"drive {n}" for n in range(18)]))
    assert finished("plot", Drawing("R", chart, {"rows": rows}, "Dots."), WORDS, []).says == (
        "Dots. Marks at the same place hide each other."
    )


@pytest.mark.parametrize(("high", "told"), [(1.04, True), (1.2, False)])
def test_the_caption_of_response_times_says_that_all_of_them_coincide(high: float, *, told: bool) -> None:
    band = [{"t": t, "low": 49.0, "high": 49.0} for t in range(10)]
    longest = [{"t": t, "ms": 49.0 * (2.0 if t < 2 else high)} for t in range(10)]  # the first two differ anyway
    apart = [{**row, "ms": 98.0} for row in longest[:3]] + longest[3:]
    tails = [{**row, "figure": "99.9%"} for row in longest]
    assert bool(saturation._hidden({"band": band, "longest": longest}, "99.9%")) is told
    assert not saturation._hidden({"band": band, "longest": apart}, "99.9%")
    key = saturation._hidden({"band": band, "longest": apart, "rows": tails}, "99.9%")
    assert key == ("saturation_alike_tail" if told else "")
    assert not saturation._hidden({"band": band, "longest": apart, "rows": tails}, "mean")
    assert not saturation._hidden({"rows": band}, "99.9%")


@pytest.mark.parametrize("alike", [True, False])
def test_that_caption_is_of_the_response_times_alone(monkeypatch: pytest.MonkeyPatch, *, alike: bool) -> None:
    run = made("write-saturation", shorten=60)
    monkeypatch.setattr(saturation, "CLOSE", 1e9 if alike else 1.0)
    rate, times = saturation.draw(run, run.plan.tests[0], WORDS)
    assert (times.says == WORDS("says.saturation_alike")) is alike
    assert rate.says == WORDS("says.saturation")
