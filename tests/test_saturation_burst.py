"""A controller's cache that takes the first second of a saturation is no gradual decline of the array behind it."""

import pytest

from stend.findings.look.fall import Fall
from stend.findings.look.saturated import Saturated
from stend.findings.saturation import _without_knee

BURST = Fall(level=250e3, after=31e3, begin_s=0, s=1.2, written=1e9, blur=0.5, lasting=True, flat=False, done=2)


@pytest.mark.parametrize(
    ("start", "falls", "declines", "key"),
    [
        (32_342, (BURST,), False, "flat"),  # 250,000 IOPS for 1.2 s of the first minute
        (38_000, (BURST,), False, "flat"),
        (60_000, (BURST,), False, "declines"),
        (32_342, (), False, "flat"),
        (32_342, (BURST,), True, "declines"),
    ],
)
def test_a_rate_that_hardly_differs_from_its_start_does_not_decline(
    start: float, falls: tuple[Fall, ...], declines: bool, key: str
) -> None:
    course = Saturated(start, 60.0, 31_250, 31_250, 36e3, 4e12, 4.8, falls, declines=declines)
    assert _without_knee(course, "write-saturation", {}).key == key
