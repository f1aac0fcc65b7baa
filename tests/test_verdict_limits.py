"""A difference at its limit is none, in both directions: a verdict is the mirror of that of the sides exchanged."""

from itertools import product

import pytest

from stend.many.compare.differences import BEYOND_ONE, Difference, _unproven, verdict_of
from stend.model.quantities import QUANTITIES

MIRROR = {"better": "worse", "worse": "better", "same": "same", "undecided": "undecided"}
STEPS = range(-4, 5)


def test_a_verdict_is_the_mirror_of_that_of_the_sides_exchanged() -> None:
    seen = set()
    for low, middle, high, limit in product(STEPS, STEPS, STEPS, (1, 2, 3)):
        if low <= middle <= high:
            verdict = verdict_of(middle, low, high, limit, more_is_better=True)
            assert verdict_of(-middle, -high, -low, limit, more_is_better=True) == MIRROR[verdict]
            assert verdict_of(middle, low, high, limit, more_is_better=False) == MIRROR[verdict]
            assert verdict != "same" or max(abs(low), abs(high)) < limit
            assert verdict in ("same", "undecided") or (low * high > 0 and abs(middle) > limit)
            seen.add(verdict)
    assert seen == MIRROR.keys()


@pytest.mark.parametrize(("name", "better"), [("iops", "ahead"), ("mean", "behind"), ("p99", "behind")])
def test_a_ratio_at_its_limit_is_close_in_both_directions(name: str, better: str) -> None:
    """Without an interval a side is ahead only beyond the limit."""
    most = 1 + BEYOND_ONE[QUANTITIES[name].kind]
    worse = {"ahead": "behind", "behind": "ahead"}[better]
    ratios = {most: "close", 1 / most: "close", 1.0: "close", most * 1.001: better, 0.999 / most: worse}
    for ratio, verdict in ratios.items():
        plain = Difference(("",) * 4, name, 1.0, ratio, (1, 1), (1, 1), ratio)  # type: ignore[arg-type]
        assert _unproven(plain) == verdict
