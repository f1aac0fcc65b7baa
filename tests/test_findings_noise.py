"""Saturations whose pieces scatter so widely that no fall can be placed in them."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stend.findings import saturation
from stend.findings.look.curve import course
from stend.findings.look.grounds import Because
from stend.record import Counts
from stend.tally import Tally

HIGH, LOW = 90_000, 5_000
COUGHS = [
    *(83897, 91855, 26710, 21897, 80573, 86547, 2567, 92930, 16406, 89692, 90758, 93936),
    *(80213, 92496, 82714, 99805, 84712, 87163, 97467, 83225, 96892, 6536, 2154, 23075),
]
"""Its last blocks are lower than its first, a mean over its pieces is nowhere lower than half way."""


def knee(rates: Sequence[int]) -> dict[str, Any] | Because | None:
    pieces = [Counts(1.0, 0.0, Tally(), Tally(rate, rate * 4096, 1.0, 1.0, 1.0)) for rate in rates]
    return saturation._knee(pieces, course(pieces))


def test_a_fall_that_is_averaged_away_is_called_noise() -> None:
    told = knee(COUGHS)
    assert isinstance(told, Because)
    assert told.key == "noise"


@given(st.lists(st.integers(1, 100_000) | st.sampled_from([HIGH, LOW]), min_size=saturation.FEWEST, max_size=60))
def test_however_a_saturation_runs_its_knee_is_placed_or_said_to_be_none(rates: list[int]) -> None:
    told = knee(rates)
    assert told is None or isinstance(told, Because) or told["knee_s"] >= 0
