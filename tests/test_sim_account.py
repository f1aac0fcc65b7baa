"""A scaled drive: what one simulated IO stands for is spread over the time that it takes."""

import pytest

from tests.test_sim_scaling import drive, pattern, rates


@pytest.mark.parametrize("read_pct", [100, 0])
def test_intervals_shorter_than_an_io_of_a_scaled_drive_have_their_share_of_it(read_pct: int) -> None:
    """One IO in flight stands for 1,024: counted at its end alone, intervals would have all of them or none."""
    d = drive(1024)
    one_s = 1024 / rates(d, pattern(d, read_pct, 4, depth=1, threads=1), 5, 5)[0]
    made = rates(d, pattern(d, read_pct, 4, depth=1, threads=1), 40 * one_s / 4, one_s / 4)
    assert made == pytest.approx([1024 / one_s] * len(made), rel=0.6)
