"""Drives that hide each other on a chart are named below it."""

from typing import Any

import pytest

from stend.charts.beside import Side, picture
from stend.charts.parts.coincide import coinciding
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
    assert list(coinciding(rows)) == found


def test_levels_in_which_drives_coincide_are_named() -> None:
    values = {"reads": (5.0, 5.0, 9.0), "writes": (1.0, 2.0, 3.0)}
    rows = [
        {"level": level, "drive": drive, "value": value}
        for level, of in values.items()
        for drive, value in zip("abc", of, strict=True)
    ]
    published = {"level": "reads", "drive": "d", "from": 4.0, "to": 6.0}
    assert list(coinciding([*rows, published])) == [(("a", "b"), ("reads",))]


def test_the_caption_names_drives_that_coincide() -> None:
    truths = {"A": Truth(), "B": Truth(), "C": Truth(fresh_iops=99_000.0)}
    sides = [Side(name, made("fresh", truth=truth, shorten=60)) for name, truth in truths.items()]
    (*_, iops) = picture("peaks", sides, WORDS, [])
    assert iops.says.endswith("A, B and C coincide: random read 4 KiB. A and B coincide: random write 4 KiB.")
    (*_, iops) = picture("peaks", sides[:2], Language("ru"), [])
    assert iops.says.endswith("A и B совпадают.")
    (*_, iops) = picture("peaks", sides[1:], WORDS, [])
    assert iops.says.endswith("B and C coincide: random read 4 KiB.")
