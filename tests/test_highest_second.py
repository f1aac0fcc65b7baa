"""The highest mean of a second, against the definition: every second that ends with a reading and lies in the test."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.findings.look import powered


def highest(rows: list[tuple[float, float, float]]) -> float | None:
    table = np.array([(end, seconds, watts, watts) for end, seconds, watts in rows]).reshape(-1, 4)
    run: Any = SimpleNamespace(readings=SimpleNamespace(table=lambda *asked: table))
    return powered._highest(run, 0, [(0, 0.0, 100.0)])


@given(watts=st.lists(st.integers(0, 20), min_size=1, max_size=60), period=st.sampled_from([0.1, 0.25, 0.5]))
def test_it_is_that_of_every_second(watts: list[int], period: float) -> None:
    each, steps = round(1 / period), len(watts)
    means = [sum(watts[n - each : n]) / each for n in range(each, steps + 1)]
    found = highest([((n + 1) * period, period, float(w)) for n, w in enumerate(watts)])
    if len(watts) * period >= 1:
        assert found == pytest.approx(max(means))
    elif len(watts) * period < 0.9:
        assert found is None


def test_readings_longer_than_a_second_tell_none() -> None:
    assert highest([]) is None
    assert highest([(2.0, 2.0, 5.0), (4.0, 2.0, 6.0)]) is None
    assert highest([(1.05, 1.05, 5.0), (2.1, 1.05, 6.0)]) == pytest.approx(6.0)
