"""A virtual drive goes on, or says that it does not: no load on it can hang the program that runs it."""

from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput, StepFailed
from stend.base.units import KiB, MiB
from stend.devices import virtual
from stend.planning import plan
from stend.runner.bench import Stopped
from stend.session.engine import simulated
from stend.session.stopping import Stop
from stend.sim import Pattern, Spec, build, load, serving
from stend.sim import flash_state as k
from stend.sim.spec import Flash, Host, Slc

CAPACITY = 64 * MiB
HOST = Host(
    read_mb_s=3200, write_mb_s=3200, read_command_us=4, write_command_us=4, read_answer_us=15, write_answer_us=8
)
FLASH = Flash(spare_pct=9, dies=8, channels=4, superblocks=64, read_us=60, program_us=700, erase_us=3000)


def flash(host: Host = HOST, **changes: Any) -> Any:
    told = msgspec.structs.replace(FLASH, **changes)
    return build(Spec(name="t", title="t", model="t", interface="t", capacity_bytes=CAPACITY, flash=told, host=host))


def write(drive: Any, times: float = 3, random_pct: int = 100, block_bytes: int = 4 * KiB) -> None:
    limit = int(times * CAPACITY)
    drive.start(
        Pattern(random_pct=random_pct, read_pct=0, sizes=((block_bytes, 1),), range_bytes=CAPACITY, depth=8,
                limit_bytes=limit)
    )  # fmt: skip
    while drive.advance(10).more:
        pass
    drive.stop()


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("share_pct", [0, 16, 10_000])
@pytest.mark.parametrize("short_pct", [-100, 6])
def test_what_is_written_with_one_bit_a_cell_is_folded_into_dense_superblocks(
    lanes: int, share_pct: float, short_pct: float
) -> None:
    """With one lane moved pages went to one-bit superblocks again, which frees no space: it never ended."""
    d = flash(lanes=lanes, slc=Slc(program_us=200, levels=4, share_pct=share_pct, short_pct=short_pct, leave_pct=14))
    write(d, 1, 0, 128 * KiB)
    write(d)
    m = d.memory
    assert (m.back[m.map[m.map != k.NONE]] == (m.map != k.NONE).nonzero()[0]).all()


def test_cleaning_that_frees_no_space_ends_in_a_sentence() -> None:
    d = flash(slc=Slc(program_us=200, levels=4, share_pct=16, short_pct=6, leave_pct=14))
    d.memory.parameters[k.LANES] = 1
    with pytest.raises(StepFailed, match=r"virtual drive t makes no progress: cleaning frees no space.*spare_pct"):
        write(d)
    d.format()
    d.memory.parameters[k.LANES] = 2
    write(d)


@pytest.mark.parametrize("kind", ["ideal", "flash", "array", "disk"])
def test_a_drive_whose_clock_stands_still_ends_in_a_sentence(kind: str) -> None:
    base = load({"ideal": "ideal", "flash": "small", "array": "x25e-raid", "disk": "st600mx0052"}[kind])
    host = Host(
        read_mb_s=1e6, write_mb_s=1e6, read_command_us=0, write_command_us=0, read_answer_us=0, write_answer_us=0
    )
    spec = msgspec.structs.replace(base, name="instant", host=host)
    if spec.array:
        told = msgspec.structs.replace(
            spec.array, read_us=0, write_us=0, member_command_us=0, member_page_us=0, read_mb_s=1e6, write_mb_s=1e6
        )
        spec = msgspec.structs.replace(spec, array=told)
    if spec.disk:
        told_disk = msgspec.structs.replace(spec.disk, cache_read_us=0, cache_mb_s=1e6, cache_answer_us=0)
        spec = msgspec.structs.replace(spec, disk=told_disk)
    d = build(spec)  # of flash that was never written: a read takes no time
    span = 512 if kind == "disk" else 64 * MiB
    d.start(Pattern(random_pct=0, read_pct=100, sizes=((512, 1),), range_bytes=span))
    with pytest.raises(StepFailed, match="virtual drive instant makes no progress: it answers in no time"):
        d.advance(1)


def test_between_two_calls_of_a_kernel_the_end_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "WORK_A_CALL", 1000)
    device, stop = virtual.find("sim:ideal"), Stop()
    names, profile, _ = plan.gather(["iops"], None, {})
    simulated(device, plan.draw(names, profile, device.identity), stop)
    drive = device.sim.drive
    drive.start(Pattern(random_pct=100, read_pct=50, sizes=((4096, 1),), range_bytes=64 * MiB, depth=4))
    drive.advance(1)
    stop.requested = True
    with pytest.raises(Stopped):
        drive.advance(1e9)
    assert drive.stop()


def test_how_much_a_kernel_does_in_one_call_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(name: str, work: int) -> list[Any]:
        monkeypatch.setattr(serving, "WORK_A_CALL", work)
        d = build(load(name))
        d.start(Pattern(random_pct=100, read_pct=40, sizes=((16384, 1),), range_bytes=64 * MiB, depth=8))
        return [d.advance(0.5).tallies.tolist() for _ in range(3)]

    for name in ("small", "sas15k", "x25e-raid", "ideal"):
        assert told(name, 7) == told(name, 1 << 22)


@pytest.mark.parametrize(("level", "each"), [(0, 250.0), (1, 8 * 250.0), (10, 2 * 250.0), (5, 2 * 75.0 + 2 * 250.0)])
@pytest.mark.parametrize("units", [1, 10])
def test_an_arrays_members_work_without_a_gap_on_random_writes(level: int, units: int, each: float) -> None:
    """Microseconds of a member for each write, by what a level does; RAID 5 lost 57 % waiting for what it had read."""
    base = load(f"x25e-raid?array.level={level}&array.units={units}&array.parity_us=0&array.cache_bytes=0")
    assert base.array
    told = msgspec.structs.replace(base.array, member_command_us=0, member_page_us=0, read_mb_s=1e6, write_mb_s=1e6)
    host = Host(
        read_mb_s=1e6, write_mb_s=1e6, read_command_us=0.1, write_command_us=0.1, read_answer_us=1, write_answer_us=1
    )
    d = build(msgspec.structs.replace(base, array=told, host=host))
    d.start(Pattern(random_pct=100, read_pct=0, sizes=((4096, 1),), range_bytes=d.capacity_bytes, depth=1024))
    d.advance(0.5)
    assert d.advance(1).tallies[1, 0] == pytest.approx(8 * units * 1e6 / each, rel=0.05)


@pytest.mark.parametrize(
    ("level", "members", "said"),
    [(1, 1, "2 members or more"), (5, 2, "3 members or more"), (10, 7, "an even number"), (10, 1, "an even number")],
)
def test_an_array_of_too_few_members_is_a_sentence(level: int, members: int, said: str) -> None:
    with pytest.raises(BadInput, match=f"has {members} members: RAID {level} needs {said}"):
        build(load(f"x25e-raid?array.level={level}&array.members={members}"))
