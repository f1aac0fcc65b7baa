"""The controller of a virtual array recognises sequential streams wherever these begin."""

import pytest

from stend.sim import build, load
from stend.sim.requests import Pattern

GB = 1_000_000_000


@pytest.mark.parametrize("level", [0, 5, 10])
def test_sequential_streams_at_any_distance_are_recognised(level: int) -> None:
    """Eight streams begin an eighth of the range apart: of some ranges all were taken for random accesses."""
    rates = []
    for gigabytes in (96, 100, 128, 160, 192, 200, 224, 256, 320, 384, 448, 500):
        drive = build(load(f"x25e-raid?array.level={level}&capacity_bytes={gigabytes * GB}"))
        sizes = ((512, 1.0),)
        drive.start(Pattern(random_pct=0, read_pct=100, sizes=sizes, range_bytes=gigabytes * GB, threads=8, depth=32))
        drive.advance(0.05)
        rates.append(drive.advance(0.1).tallies[0, 0])
    assert min(rates) > 0.95 * max(rates)
    assert max(rates) == pytest.approx(16_000, rel=0.2)  # a command takes 6.25 us
