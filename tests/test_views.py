"""The quick view of the time that remains assumes more speed than the usual one, and the slow view less."""

import pytest

from stend.runner.progress import QUICK, SLOW, USUAL


@pytest.mark.parametrize("rate", ["known", "unknown", "floor"])
def test_rates_fall_from_the_quick_view_to_the_slow_one(rate: str) -> None:
    assert getattr(QUICK, rate) >= getattr(USUAL, rate) > getattr(SLOW, rate) > 0


@pytest.mark.parametrize("duration", ["pauses", "rounds", "slower"])
def test_durations_grow_from_the_quick_view_to_the_slow_one(duration: str) -> None:
    assert getattr(QUICK, duration) < getattr(USUAL, duration) <= getattr(SLOW, duration)
