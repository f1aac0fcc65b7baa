"""Times before anything was measured: the arithmetic of plans and of the time to go."""

import math

import pytest

from stend.base.units import GB, GiB, KiB
from stend.model.definition import Bytes, Hold, Identity, Idle, Phase, Purge, Rule, Seconds, Steady, Workload
from stend.model.estimate import Speed, assumed, fresh_seconds, phase_seconds, slowest, step_seconds, sure_bytes
from stend.model.workload import Verify

WRITES = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB)
READS = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB)
MINUTE = Hold(workload=WRITES, amount=Seconds(seconds=60))
SPEED = Speed(1e9, 30.0, 0.5)
STEADY = Steady(track=(WRITES,))


def phase(*until: Rule, rounds: int = 25, steps: tuple[Hold | Idle | Purge, ...] = (MINUTE,)) -> Phase:
    return Phase(name="phase", round=steps, until=until, rounds=rounds)


def drive(interface: str, *, rotational: bool = False, kind: str = "nvme") -> Identity:
    place = "/dev/x"
    return Identity(kind=kind, target=place, path=place, capacity_bytes=GB, interface=interface, rotational=rotational)


def test_a_phase_takes_its_rounds_and_no_longer_than_its_limits() -> None:
    assert phase_seconds(phase(rounds=4), SPEED, 2) == 4 * 60.5
    assert phase_seconds(phase(STEADY), SPEED, 7) == 7 * 60.5
    assert phase_seconds(phase(STEADY, rounds=3), SPEED, 7) == 3 * 60.5
    assert phase_seconds(phase(STEADY, Seconds(seconds=100)), SPEED, 7) == 100
    assert phase_seconds(phase(STEADY, Seconds(seconds=1e6)), SPEED, 7) == 7 * 60.5
    assert phase_seconds(phase(Bytes(bytes=20 * GB)), SPEED, 7) == 20


def test_a_step_takes_its_time_its_bytes_or_a_purge() -> None:
    assert step_seconds(MINUTE, SPEED) == 60.5
    assert step_seconds(Idle(seconds=5), SPEED) == 5.5
    assert step_seconds(Hold(workload=WRITES, amount=Bytes(bytes=3 * GB)), SPEED) == 3.5
    assert step_seconds(Purge(), SPEED) == 30


def test_what_is_written_for_certain_is_what_no_clock_ends_and_no_read() -> None:
    fill = Hold(workload=WRITES, amount=Bytes(bytes=GiB))
    look = Hold(workload=READS, amount=Bytes(bytes=GiB))
    assert sure_bytes(phase(rounds=3, steps=(fill, look, MINUTE))) == 3 * GiB


@pytest.mark.parametrize(
    ("found", "megabytes_a_second"),
    [
        (drive("NVMe"), 1500),
        (drive("SATA 6 Gb/s"), 450),
        (drive("SAS"), 800),
        (drive("SATA", rotational=True), 150),
        (drive("", kind="file"), 500),
        (drive("USB", kind="scsi"), 500),
    ],
)
def test_a_kind_of_drive_is_assumed_to_write_so_fast_and_at_worst_a_fifth(
    found: Identity, megabytes_a_second: int
) -> None:
    assert assumed(found).bytes_per_s == megabytes_a_second * 10**6
    assert slowest(found).bytes_per_s == pytest.approx(megabytes_a_second * 10**6 / 5)
    assert assumed(found).purge_s == (1 if found.kind == "file" else 60)


def test_random_writes_go_at_full_rate_for_a_capacity_and_then_fall_towards_a_share_of_it() -> None:
    assert fresh_seconds(0, 1.1, 100) == pytest.approx(110)
    late = fresh_seconds(20, 1, 100, floor=0.25)
    assert late == pytest.approx(100)
    assert fresh_seconds(0, 21, 100, floor=0.25) - fresh_seconds(0, 20, 100, floor=0.25) == pytest.approx(400, rel=0.01)
    ahead = sum(100 / (0.3 + 0.7 * math.exp(-max(n / 1000 - 1.1, 0) / 0.8)) for n in range(3000)) / 1000
    assert fresh_seconds(0, 3, 100) == pytest.approx(ahead, rel=0.01)


@pytest.mark.parametrize(
    ("verify", "size", "span", "whole"),
    [
        (False, 3 * GiB, 4 * GiB, 15 * GiB),
        (False, 5 * GiB, 4 * GiB, 25 * GiB),
        (True, 5 * GiB, 4 * GiB, 25 * GiB),
        (True, 4 * GiB, 4 * GiB, 4 * GiB),
        (True, GiB // 2, 4 * GiB, 5 * GiB // 2),
    ],
)
def test_verified_content_that_continues_from_round_to_round_ends_once(
    verify: bool, size: int, span: int, whole: int
) -> None:
    checked = Verify() if verify else None
    write = Workload(random_pct=0, read_pct=0, block_bytes=KiB * 128, range_bytes=span, verify=checked)
    own = phase(rounds=5, steps=(Hold(workload=write, amount=Bytes(bytes=size)),))
    assert sure_bytes(own) == whole
