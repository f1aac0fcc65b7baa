"""Sentences about lines of a chart that hide each other, from made-up charts."""

from typing import Any

import pytest

from stend.base.text import capital
from stend.charts.parts import coincide
from stend.words import LANGUAGES, Language

EN = Language("en")


def rows(name: str, *values: float, part: str = "p", field: str = "line", x: float = 0.0) -> list[dict[str, Any]]:
    return [{field: name, "part": part, "t": t + x, "n": t, "y": y} for t, y in enumerate(values)]


def number(field: str, **more: Any) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", **more}


def nominal(field: str) -> dict[str, Any]:
    return {"field": field, "type": "nominal"}


def chart(data: list[dict[str, Any]], mark: str = "line", field: str = "line", **more: Any) -> dict[str, Any]:
    encoding = {"x": number("t"), "y": number("y"), "color": nominal(field), **more}
    return {"datasets": {"rows": data}, "mark": {"type": mark}, "encoding": encoding}


def said(spec: dict[str, Any], words: Language = EN) -> list[str]:
    return list(coincide.sentences(spec, words))


def together(*names: str, at: str = "", words: Language = EN) -> str:
    drives = f"{', '.join(names[:-1])} {words('beside.and')} {names[-1]}"
    return capital(words("beside.coincide_at" if at else "beside.coincide", drives=drives, names=at))


PAIR = rows("a", 1.0, 2.0) + rows("b", 1.0, 2.0)


@pytest.mark.parametrize("mark", ["line", "point", "circle"])
def test_two_lines_in_one_place_are_named_and_three_too(mark: str) -> None:
    assert said(chart(PAIR, mark)) == [together("a", "b")]
    assert said(chart(PAIR + rows("c", 1.0, 2.0), mark)) == [together("a", "b", "c")]
    assert said(chart(PAIR[:2] + rows("b", 1.0, 3.0), mark)) == []


def test_bars_and_marks_beside_each_other_hide_nothing() -> None:
    assert said(chart(PAIR, "bar")) == []
    assert said(chart(PAIR, color=number("line"))) == []
    assert said(chart(PAIR, yOffset=nominal("line"))) == []
    assert said(chart(PAIR, yOffset=nominal("part"))) == [together("a", "b")]


@pytest.mark.parametrize("field", ["drive", "side", "run"])
def test_the_name_of_a_drive_keeps_its_first_letter(field: str) -> None:
    data = rows("alpha", 1.0, field=field) + rows("beta", 1.0, field=field)
    (sentence,) = said(chart(data, field=field))
    assert sentence[0] == "a"
    assert capital(sentence) == together("alpha", "beta")


def test_the_part_of_a_chart_in_which_lines_coincide_is_named() -> None:
    data = PAIR + rows("a", 5.0, 6.0, part="q") + rows("b", 7.0, 8.0, part="q")
    by_dash = chart(data, strokeDash=nominal("part"))
    assert said(by_dash) == [together("a", "b", at="p")]
    small = {key: by_dash[key] for key in ("mark",)} | {"encoding": chart(data)["encoding"]}
    assert said({"datasets": {"rows": data}, "facet": nominal("part"), "spec": small}) == [together("a", "b", at="p")]
    assert said(chart(data, shape=number("part"))) == [], "a channel of numbers makes no parts"
    nested = {"datasets": {"rows": [], "other": PAIR}, "layer": [chart(PAIR) | {"data": {"name": "other"}}]}
    assert said(nested) == [together("a", "b")]


def test_a_group_that_a_larger_one_has_is_not_named_again() -> None:
    data = PAIR + rows("c", 1.0, 2.0) + rows("a", 1.0, part="") + rows("b", 1.0, part="") + rows("c", 9.0, part="")
    assert said(chart(data, strokeDash=nominal("part"))) == [together("a", "b", "c", at="p")]
    data = [row | {"part": row["part"] or "q"} for row in data]
    assert said(chart(data, strokeDash=nominal("part"))) == [
        together("a", "b", "c", at="p"),
        together("a", "b", at="q"),
    ]


def test_points_in_an_order_coincide_by_both_of_their_axes() -> None:
    near = rows("a", 1000.0, 2000.0, x=100.0) + rows("b", 1000.0, 2000.0, x=101.0)
    assert said(chart(near)) == [], "other places"
    assert said(chart(near, order=number("n"))) == [together("a", "b")]
    far = rows("a", 1000.0, 2000.0, x=100.0) + rows("b", 1000.0, 2000.0, x=103.0)
    assert said(chart(far, order=number("n"))) == []


def test_an_axis_that_does_not_begin_at_zero_is_finer() -> None:
    data = rows("a", 1000.0, 1002.0) + rows("b", 1005.0, 1002.0)
    assert said(chart(data)) == [together("a", "b")]
    assert said(chart(data, y=number("y", scale={"zero": False}))) == []
    assert said(chart(data, y=number("y", scale={"zero": True}))) == [together("a", "b")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_ways_are_small_within_a_sentence(lang: str) -> None:
    words = Language(lang)
    names = [words(f"direction.{way}") for way in ("read", "write")]
    assert names[0] != names[0].lower()
    data = [row for name in names for row in rows(name, 1.0)]
    assert said(chart(data), words) == [together(*(name.lower() for name in names), words=words)]


def test_a_caption_that_would_be_longer_than_240_letters_says_that_many_coincide() -> None:
    bare = len(together("a", "b")) - 1
    for length, listed in ((240, True), (241, False)):
        name = "a" * (length - bare)
        sentence = together(name, "b")
        assert len(sentence) == length
        expected = sentence if listed else EN("beside.coincide_many")
        assert said(chart(rows(name, 1.0) + rows("b", 1.0))) == [expected]
