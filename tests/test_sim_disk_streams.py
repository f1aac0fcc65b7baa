"""Sequential streams on disks: without a write cache a write costs a turn at QD1, and no request is skipped.

The disk of these tests has 15,000 turns per minute: 4 ms per turn, and 171 MB/s on its outer tracks.
"""

import pytest

from stend.base.units import KiB
from stend.sim import Pattern, build, load
from stend.sim.drive import Drive

TURN_S, OUTER_BPS = 60 / 15_000, 171e6
MAX = 4
"""The column of a tally with the longest response time."""
TARGET = "sas15k"


def stream(target: str, read_pct: int, block: int, depth: int) -> Drive:
    """A drive whose sequential stream has just begun, after random reads that left the head elsewhere."""
    drive = build(load(target))
    size = drive.capacity_bytes
    drive.start(Pattern(random_pct=100, read_pct=100, sizes=((4 * KiB, 1.0),), range_bytes=size))
    drive.advance(1)
    drive.stop()
    drive.start(Pattern(random_pct=0, read_pct=read_pct, sizes=((block, 1.0),), range_bytes=size, depth=depth))
    return drive


def rate(target: str, read_pct: int, block: int, depth: int) -> float:
    """IOs per second in five seconds, after the first."""
    drive = stream(target, read_pct, block, depth)
    drive.advance(1)
    return float(drive.advance(5).tallies[:, 0].sum()) / 5


@pytest.mark.parametrize("protected", ["0", "1"])
@pytest.mark.parametrize("block", [4 * KiB, 64 * KiB])
def test_a_sequential_write_at_qd1_waits_a_turn_without_a_write_cache(block: int, protected: str) -> None:
    """When the host sends the next write, its sector has passed. The platter must bring it back."""
    per_s = rate(f"{TARGET}?protected={protected}", 0, block, 1)
    assert per_s == pytest.approx(1 / (TURN_S + block / OUTER_BPS), rel=0.01)


def test_two_writes_at_hand_are_written_in_one_turn() -> None:
    assert rate(TARGET, 0, 4 * KiB, 2) == pytest.approx(2 / TURN_S, rel=0.03)


def test_a_stream_with_many_writes_at_hand_loses_no_turn() -> None:
    assert rate(TARGET, 0, 64 * KiB, 16) == pytest.approx(OUTER_BPS / (64 * KiB), rel=0.02)


def test_sequential_reads_at_qd1_are_read_ahead() -> None:
    assert rate(TARGET, 100, 4 * KiB, 1) > 20 / TURN_S


def test_a_write_cache_takes_sequential_writes_at_qd1_without_a_turn() -> None:
    assert rate(f"{TARGET}?disk.write_memory_bytes=8388608", 0, 4 * KiB, 1) > 20 / TURN_S


@pytest.mark.parametrize("depth", [4, 16, 32, 64])
@pytest.mark.parametrize("read_pct", [100, 0])
@pytest.mark.parametrize("target", [TARGET, "sas15k?disk.spindle_rpm=10500&disk.outer_mb_s=226&disk.reorders=128"])
def test_no_request_of_a_sequential_stream_is_passed_over(target: str, read_pct: int, depth: int) -> None:
    """All wait for as many requests as are before them. The first ones wait for the arm and a turn too."""
    drive = stream(target, read_pct, 64 * KiB, depth)
    first = drive.advance(5).tallies[1 - read_pct // 100]
    done = drive.advance(5)
    assert drive.spec.disk
    usual_s = depth * 64 * KiB / (drive.spec.disk.outer_mb_s * 1e6)
    assert first[MAX] / 1e9 < usual_s + 0.02
    assert done.tallies[1 - read_pct // 100][MAX] / 1e9 < 1.1 * usual_s + 0.002
