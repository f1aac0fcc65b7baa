"""The flash under a virtual drive: where a page is programmed, what moving costs, what guards the last free space."""

from typing import Any

import numpy as np
import pytest

from stend.base.jit import u64
from stend.base.units import KiB, MiB
from stend.sim import Pattern, Spec, build
from stend.sim import flash_state as k
from stend.sim.spec import Flash, Host
from tests import translation

CAPACITY = 64 * MiB
QUICK_HOST = Host(
    read_mb_s=3200, write_mb_s=3200, read_command_us=1, write_command_us=1, read_answer_us=1, write_answer_us=1
)


def filled(**changes: Any) -> Any:
    """A drive of eight dies that was written over once in order, and rests."""
    told = {"dies": 8, "channels": 4, "superblocks": 64, "read_us": 60, "program_us": 700, "erase_us": 3000} | changes
    flash = Flash(spare_pct=12, **told)
    d = build(
        Spec(name="t", title="t", model="t", interface="t", capacity_bytes=CAPACITY, flash=flash, host=QUICK_HOST)
    )
    done(d, 0, 0, 4 * KiB, CAPACITY)
    d.stop()
    d.idle(1)
    return d


def done(
    d: Any, random_pct: int, read_pct: int, block_bytes: int, limit_bytes: int, within: tuple[int, int] = (0, CAPACITY)
) -> float:
    """A limited load to its end; its longest response time in seconds."""
    d.start(
        Pattern(random_pct=random_pct, read_pct=read_pct, sizes=((block_bytes, 1),), start_bytes=within[0],
                range_bytes=within[1], limit_bytes=limit_bytes)
    )  # fmt: skip
    longest = 0.0
    while True:
        told = d.advance(60)
        longest = max(longest, float(told.tallies[:, 4].max()) / 1e9)
        if not told.more:
            return longest


def test_random_places_are_those_of_xorshift64(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shifts 13, 7, 17 from the seed of the paper's example (Marsaglia, Xorshift RNGs, 2003)."""
    monkeypatch.setattr(translation, "wrapped", lambda value: value)  # numpy has 64 bits itself
    x, told = u64(88172645463325252), []
    step: Any = translation.step
    for _ in range(3):
        x = step.py_func(x)
        told.append(int(x))
    assert told == [8748534153485358512, 3040900993826735515, 3453997556048239312]


def test_who_reads_what_is_being_programmed_waits_for_its_die() -> None:
    """A unit of 32 KiB is programmed for 20 ms on one of eight dies."""

    def waits(at: int) -> bool:
        d = filled(read_us=1, program_us=20000, suspend_us=20000)
        done(d, 0, 0, 32 * KiB, 32 * KiB)
        return done(d, 0, 100, 4 * KiB, 32 * KiB, (at, 4 * KiB)) > 0.01

    assert waits(0)
    assert [waits(unit * 32 * KiB) for unit in range(1, 9)].count(True) == 1


def test_neighbours_that_are_moved_are_read_from_their_die_at_once() -> None:
    def took_s(sense_bytes: int) -> float:
        d = filled(lanes=2, read_us=2000, move_sense_bytes=sense_bytes)
        began = d.now_s
        done(d, 100, 0, 4 * KiB, 16 * MiB)
        return float(d.now_s - began)

    assert took_s(16 * KiB) < 0.5 * took_s(4 * KiB)


def test_however_little_is_paid_for_cleaning_a_free_superblock_is_left_for_each_lane() -> None:
    d = filled(lanes=2)
    m, s = d.memory, d.memory.state
    d.start(Pattern(random_pct=100, read_pct=0, sizes=((4 * KiB, 1),), range_bytes=CAPACITY))
    while d.host_write_bytes < 2 * CAPACITY:
        s[k.EARNED] = s[k.RATIO] = 0
        d.advance(50e-6)
        assert s[k.FREE] >= 2
    assert (m.back[m.map] == np.arange(len(m.map))).all()


@pytest.mark.parametrize("dies", [4, 8, 32])
def test_a_read_whose_place_must_be_read_first_costs_two_senses_and_no_die_waits_for_it(dies: int) -> None:
    """Alone it takes twice the time of a sense; under load dies deliver half of their senses as data."""
    few = Flash(
        spare_pct=12, dies=dies, channels=dies, superblocks=64, read_us=60, program_us=700, erase_us=3000,
        transfer_us=1, sense_bytes=4 * KiB, table_bytes=MiB, segment_bytes=64 * KiB,
    )  # fmt: skip
    d = build(Spec(name="t", title="t", model="t", interface="t", capacity_bytes=512 * MiB, flash=few, host=QUICK_HOST))
    done(d, 0, 0, 64 * KiB, 512 * MiB, within=(0, 512 * MiB))
    d.stop()
    d.idle(1)
    rates = {}
    for depth in (1, 64 * dies):
        d.start(Pattern(random_pct=100, read_pct=100, sizes=((4 * KiB, 1),), range_bytes=512 * MiB, depth=depth))
        d.advance(0.2)
        rates[depth] = float(d.advance(1).ledger.sums[:, 0].sum())
        d.stop()
    assert rates[1] == pytest.approx(1 / 123e-6, rel=0.02)
    assert rates[64 * dies] == pytest.approx(dies / 120e-6, rel=0.06)
