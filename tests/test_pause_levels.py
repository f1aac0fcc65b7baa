"""Whether the chart of pauses says that the level does not depend on them."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.charts.beside import pauses

REST, SATURATION = pauses.TEST, pauses.SATURATION


def side(*levels: tuple[str, str, float]) -> Any:
    return SimpleNamespace(rows=[SimpleNamespace(test=test, state=state, iops=iops) for test, state, iops in levels])


@pytest.mark.parametrize(
    ("levels", "one"),
    [
        ([(REST, "saturated", 87e3), (REST, "rested", 88e3), (REST, "rested", 87e3)], True),
        ([(SATURATION, "saturated", 87e3), (REST, "rested", 88e3)], True),
        ([(SATURATION, "saturated", 112e3), (REST, "rested", 177e3), (REST, "rested", 200e3)], False),
        ([(SATURATION, "saturated", 50e3), (REST, "saturated", 87e3), (REST, "rested", 88e3)], True),
        ([(REST, "rested", 88e3), (REST, "rested", 200e3)], False),
        ([], False),
    ],
)
def test_pauses_change_nothing_only_if_the_writes_before_them_were_as_fast(
    levels: list[tuple[str, str, float]], *, one: bool
) -> None:
    assert pauses._level(side(*levels)) is one
