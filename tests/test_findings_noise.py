"""Courses that scatter so widely that no fall can be placed in them."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend.findings.look.fall import Fall, falls
from stend.findings.look.pieces import Line
from stend.findings.look.saturated import FEWEST

HIGH, LOW = 90_000, 5_000
COUGHS = [
    *(83897, 91855, 26710, 21897, 80573, 86547, 2567, 92930, 16406, 89692, 90758, 93936),
    *(80213, 92496, 82714, 99805, 84712, 87163, 97467, 83225, 96892, 6536, 2154, 23075),
]
"""Its last samples are lower than its first, a mean over its pieces is nowhere lower than half way."""


def placed(rates: Sequence[int], step_s: float = 1.0) -> list[Fall]:
    """The falls of a course of samples of so many seconds."""
    sums = np.concatenate([[0.0], np.cumsum(rates)]) * step_s
    return list(falls(Line(np.arange(len(rates) + 1.0) * step_s, sums, 4096 * sums)))


@pytest.mark.parametrize("step_s", [0.2, 5.0, 60.0])
def test_a_slower_clock_moves_a_fall_and_leaves_its_uncertainty(step_s: float) -> None:
    [sharp], [stretched] = placed([1000] * 20 + [100] * 40), placed([1000] * 20 + [100] * 40, step_s)
    assert stretched.s == pytest.approx(step_s * sharp.s)
    assert stretched.blur == pytest.approx(sharp.blur)
    assert sharp.blur >= 1 / sharp.s, "a sample is as much as can be known"


def test_a_fall_that_is_averaged_away_is_called_noise() -> None:
    assert placed(COUGHS) == []


@given(st.lists(st.integers(1, 100_000) | st.sampled_from([HIGH, LOW]), min_size=FEWEST, max_size=60))
def test_however_a_course_runs_its_falls_lie_within_it_and_in_order(rates: list[int]) -> None:
    found = placed(rates)
    assert all(0 < fall.s <= len(rates) and 0 <= fall.written <= 4096 * sum(rates) for fall in found)
    assert [fall.s for fall in found] == sorted(fall.s for fall in found)
