"""Every number from outside has its bounds: both are accepted, and the next number beyond either is refused.

The bounds are stated here by their reasons: 64 bits, a year, fio's bins, what numbers of 64 bits hold exactly.
"""

import math
from typing import Any

import msgspec
import pytest

from stend.base import limits
from stend.base.limits import OPTIONS

DAY_S, YEAR_DAYS = 24 * 60 * 60, 366
YEAR_S, YEAR_HOURS, YEAR_MINUTES = YEAR_DAYS * DAY_S, YEAR_DAYS * 24, YEAR_DAYS * 24 * 60
ABOVE = math.ulp(0.0)
"""The least number above 0, where 0 is not allowed."""
LONGEST_LADDER, LONGEST_NAME, LONGEST_PATH = 24, 200, 4096
WHOLE: dict[str, tuple[int, int]] = {
    "Count": (0, 2**63 - 1),
    "Signed": (1 - 2**63, 2**63 - 1),
    "Bin": (0, 29 * 64 - 1),  # fio: FIO_IO_U_PLAT_GROUP_NR groups of FIO_IO_U_PLAT_VAL
    "Percent": (0, 100),
    "Cells": (1, 4096),
    "Threads": (1, 1024),
    "Depth": (1, 65_536),
    "Rounds": (1, 1_000_000),
    "Block": (1, 2**30),
    "Bytes": (0, 2**30),
    "Errno": (0, 65_535),
    "Sector": (1, 2**20),
    "Minutes": (0, YEAR_MINUTES),
}
FRACTIONAL: dict[str, tuple[float, float]] = {
    "Number": (-1e15, 1e15),
    "Amount": (0.0, 1e15),
    "Seconds": (0.0, 1e10),
    "Nanoseconds": (0.0, 1e36),
    "Response": (0.0, 1e15),
    "Squares": (0.0, 1e60),
    "Share": (ABOVE, 100.0),
    "Place": (0.0, 100.0),
    "Speed": (0.0, 1e4),
    "Paced": (0.001, 1e4),
    "Positive": (ABOVE, 1e15),
    "Range": (ABOVE, 100.0),
    "Minute": (0.001, DAY_S),
    "Second": (0.0, DAY_S),
    "Divisor": (1.0, 1e6),
    "BlockKib": (0.5, 65_536),
    "Hours": (ABOVE, YEAR_HOURS),
    "Rest": (ABOVE, YEAR_S),
}
SETTINGS: dict[str, tuple[float, float]] = {
    "fills": (0.0, 1e4),
    "histogram_minutes": (0, YEAR_MINUTES),
    "hot_gib": (ABOVE, 2.0**30),
    "hours": (ABOVE, YEAR_HOURS),
    "least_speed": (0.001, 1e4),
    "limit_ms": (ABOVE, 1e6),
    "percentile": (1.0, 99.999),
    "passes": (0, 100),
    "positions": (1, 10_000),
    "reads": (1, 1_000_000),
    "repeats": (1, 100_000),
    "rest_s": (0.0, YEAR_S),
    "saturation_minutes": (1, YEAR_MINUTES),
    "survey_minutes": (0.0, YEAR_MINUTES),
    "cells": (1, 10_000),
    "within_pct": (0.5, 100.0),
}
LADDERS: dict[str, tuple[float, float]] = {
    "blocks_kib": (0.5, 65_536.0),
    "depths": (1, 65_536),
    "full_pct": (1, 99),
    "levels": (1, 1024),
    "limits_ms": (0.001, 1e6),
    "mixes": (0, 100),
    "open_pcts": (1.0, 200.0),
    "percentiles": (1.0, 99.999),
    "rate_pcts": (0.1, 200.0),
    "rests_s": (ABOVE, YEAR_S),
}
EACH = [
    *((name, getattr(limits, name), False, bounds) for name, bounds in (WHOLE | FRACTIONAL).items()),
    *((name, OPTIONS[name], False, bounds) for name, bounds in SETTINGS.items()),
    *((name, OPTIONS[name], True, bounds) for name, bounds in LADDERS.items()),
]


def allowed(kind: Any, value: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def beyond(bound: float, towards: float) -> float:
    return bound + math.copysign(1, towards) if isinstance(bound, int) else math.nextafter(bound, towards)


@pytest.mark.parametrize(("name", "kind", "in_list", "bounds"), EACH, ids=[name for name, *_ in EACH])
def test_a_number_is_allowed_at_its_bounds_and_refused_beyond_them(
    name: str, kind: Any, in_list: bool, bounds: tuple[float, float]
) -> None:
    least, most = (float(bound) if name in FRACTIONAL else bound for bound in bounds)
    for value, good in (
        (least, True),
        (most, True),
        (beyond(least, -math.inf), False),
        (beyond(most, math.inf), False),
    ):
        whole = int(value) if isinstance(least, int) else value
        if abs(whole) < 2**63:  # a whole number of more bits is no number of TOML
            assert allowed(kind, [whole] if in_list else whole) == good, (name, value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", FRACTIONAL)
def test_no_number_is_infinite_or_none(name: str, value: float) -> None:
    assert not allowed(getattr(limits, name), value)


@pytest.mark.parametrize(
    ("kind", "least", "most", "one"),
    [
        (OPTIONS["depths"], 1, LONGEST_LADDER, 1),
        (OPTIONS["full_pct"], 0, LONGEST_LADDER, 50),
        (OPTIONS["hours"], 3, 3, 1.0),
        (OPTIONS["victims"], 1, LONGEST_LADDER, {"depth": 1}),
        (OPTIONS["neighbours"], 1, LONGEST_LADDER, "reads"),
    ],
)
def test_a_list_is_as_long_as_a_ladder_may_be(kind: Any, least: int, most: int, one: Any) -> None:
    fitting = [count for count in range(LONGEST_LADDER + 3) if allowed(kind, [one] * count)]
    assert fitting == list(range(least, most + 1))


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        (limits.Name, 1, LONGEST_NAME),
        (OPTIONS["workload"], 1, LONGEST_NAME),
        (OPTIONS["trace"], 0, LONGEST_PATH),
        (OPTIONS["source"], 0, LONGEST_PATH),
    ],
)
def test_a_text_is_as_long_as_a_name_or_a_path_may_be(kind: Any, least: int, most: int) -> None:
    assert [allowed(kind, "x" * count) for count in (least, most, most + 1)] == [True, True, False]
    assert allowed(kind, "") == (least == 0)


def test_all_loads_together_have_as_many_ios_in_flight_as_one_may_have() -> None:
    assert WHOLE["Depth"][1] == limits.MOST_OUTSTANDING


@pytest.mark.parametrize(
    ("usual", "fitting", "unfitting"),
    [
        ([[1, 2], [3, 4]], [[5, 6]], [[5]]),
        ([[1, 2], [3, 4]], [[5, 6]], [[5, 6, 7]]),
        ([[1], [2, 3]], [[1, 2, 3]], [[]]),
        ([1, 2], [1] * LONGEST_LADDER, [1] * (LONGEST_LADDER + 1)),
        ([1, 2], [0.5], []),
        ([1, "x"], [1, 2], ["x"]),
        ((1, 2), [3], ["x"]),
        ([], ["x", 1, None], "x"),
        ({"a": 1}, {"b": 2.5}, {"b": "x"}),
        ({"a": 1}, {"b": 2.5}, {"": 1}),
        ({}, {"b": "x"}, ["b"]),
        (True, False, 1),
        (1, 2.5, -1),
        ("x", "y", ""),
        ("x", "y", "y" * (LONGEST_NAME + 1)),
    ],
)
def test_a_setting_without_bounds_of_its_own_is_like_its_usual_value(usual: Any, fitting: Any, unfitting: Any) -> None:
    kind = limits.option("a setting of no test", usual)
    assert allowed(kind, fitting)
    assert not allowed(kind, unfitting)


def test_a_setting_with_bounds_has_them_whatever_its_usual_value_is() -> None:
    kind = limits.option("passes", "text")
    assert (allowed(kind, 3), allowed(kind, "text"), allowed(kind, 101)) == (True, False, False)


def test_without_a_usual_value_of_a_known_type_any_value_fits() -> None:
    assert all(allowed(limits.option("a setting of no test", None), value) for value in ("x", 1, [2], {"a": 3}))


@pytest.mark.parametrize(("name", "texts"), [("doubts", True), ("warnings", True), ("in_use", False)])
def test_what_is_known_about_a_drive_is_a_sentence_or_the_parts_of_one(name: str, texts: bool) -> None:
    kind = limits.FACTS[name]
    for good in ("mounted", {"key": "mounted"}):
        assert allowed(kind, [good] if texts else good)
    assert not allowed(kind, [1] if texts else 1)


def test_the_wish_for_a_purge_has_no_method_no_limit_and_no_unknown_field() -> None:
    assert msgspec.convert({}, limits.PurgeWish) == limits.PurgeWish("", "", 0)
    assert not allowed(limits.PurgeWish, {"methods": "crypto"})
