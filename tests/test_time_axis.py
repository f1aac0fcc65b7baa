"""Where a time axis ends: with a labelled round number, unless the course is just above one."""

from typing import Any

import pytest

from stend.charts.parts import ticks


@pytest.mark.parametrize(
    ("end", "own"),
    [(10.0003, True), (60.02, True), (5.0017, True), (10.0, False), (9.98, False), (10.2, False), (22.03, False),
     (9.02, False), (0.0, False)],
)  # fmt: skip
def test_a_course_just_above_a_round_time_ends_there(end: float, *, own: bool) -> None:
    channel: dict[str, Any] = {"field": "t", "type": "quantitative", "scale": {"zero": True, "nice": True}}
    ticks._place(channel, [0.0, end], "x", 600.0)
    assert (channel["scale"].get("domain") == [0, end]) is own
    assert bool(channel["scale"]["nice"]) is not own
    other: dict[str, Any] = {"field": "iops", "type": "quantitative", "scale": {"zero": True, "nice": True}}
    ticks._place(other, [0.0, end], "x", 600.0)
    assert "domain" not in other["scale"]
