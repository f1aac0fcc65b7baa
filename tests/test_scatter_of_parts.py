"""The scatter of a cell is known for those percentiles alone that both of its parts carry."""

import math

import pytest

from stend.model.counts import Counts
from stend.model.service_map import scattered
from stend.model.stats import bin_index, percentile_s
from stend.model.tally import Tally


def part(ios: int, ns: int) -> Counts:
    """IOs of one latency."""
    return Counts(1.0, 0.0, Tally(ios, ios * 4096, ns * ios, ns**2 * ios, ns, {bin_index(ns): ios}))


@pytest.mark.parametrize("many", [(5, 5), (5, 10**5), (10**5, 5), (10**5, 2000), (10**5, 10**5)])
def test_of_percentiles_that_both_parts_carry(many: tuple[int, int]) -> None:
    parts = [part(ios, ns) for ios, ns in zip(many, (100_000, 300_000), strict=True)]
    percents = (50.0, 99.0, 99.9, 99.99)
    both = {p for p in percents if all(percentile_s(counts.read, p) for counts in parts)}
    found = scattered(parts, percents)
    assert found.keys() == both
    assert all(error == pytest.approx(math.log(3) / 2, rel=0.02) for error in found.values())
    assert scattered(parts[:1], percents) == scattered([*parts, parts[0]], percents) == {}
