"""Write amplification comes out of the cleaning itself and agrees with the closed forms."""

from typing import Any

import msgspec
import pytest

from stend.base.units import KiB, MiB
from stend.sim import Pattern, Spec, build, load
from stend.sim.spec import Flash, Host
from tests import closed_forms

HOST = Host(
    read_mb_s=3200, write_mb_s=3200, read_command_us=1, write_command_us=1, read_answer_us=15, write_answer_us=8
)
CAPACITY = 1024 * MiB


def drive(spare_pct: float, host: Host = HOST, **changes: Any) -> Any:
    flash = Flash(
        spare_pct=spare_pct,
        **{"dies": 8, "channels": 4, "superblocks": 1024, "read_us": 60, "program_us": 700, "erase_us": 3000} | changes,
    )
    d = build(Spec(name="t", title="t", model="t", interface="t", capacity_bytes=CAPACITY, flash=flash, host=host))
    d.start(Pattern(random_pct=0, read_pct=0, sizes=((128 * KiB, 1),), range_bytes=CAPACITY, limit_bytes=CAPACITY))
    while d.advance(60).more:
        pass
    return d


def amplification(d: Any, writes: Pattern, settle: float, measure: float) -> float:
    """NAND over host writes, after `settle` capacities, during `measure` more."""
    d.start(writes)
    write_on(d, settle)
    at, nand = d.host_write_bytes, d.health()["nand_write_bytes"]
    write_on(d, measure)
    return float((d.health()["nand_write_bytes"] - nand) / (d.host_write_bytes - at))


def write_on(d: Any, times: float) -> None:
    at = d.host_write_bytes
    while d.host_write_bytes < at + times * CAPACITY:
        d.advance(1)


UNIFORM = Pattern(random_pct=100, read_pct=0, sizes=((4 * KiB, 1),), range_bytes=CAPACITY, depth=64, seed=3)
HOT = Pattern(
    random_pct=100,
    read_pct=0,
    sizes=((4 * KiB, 1),),
    range_bytes=CAPACITY,
    depth=64,
    seed=3,
    zones=((80, 20), (20, 80)),
)


@pytest.mark.parametrize("spare_pct", [7, 12, 20, 28, 50])
def test_greedy_is_within_two_percent_of_the_closed_form(spare_pct: float) -> None:
    expected = closed_forms.greedy(1 + spare_pct / 100, CAPACITY // 1024 // (4 * KiB))
    assert amplification(drive(spare_pct), UNIFORM, 4, 3) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("spare_pct", [7, 28])
def test_translation_without_time_agrees_too(spare_pct: float) -> None:
    from tests import translation

    d = drive(spare_pct)
    translation.age(d.memory, 4)
    expected = closed_forms.greedy(1 + spare_pct / 100, CAPACITY // 1024 // (4 * KiB))
    assert translation.age(d.memory, 3, seed=9) == pytest.approx(expected, rel=0.02)


def test_first_in_first_out_with_hot_and_cold_data_is_as_published() -> None:
    expected = closed_forms.classes(1.28, ((0.2, 0.8), (0.8, 0.2)))
    assert amplification(drive(28, cleaning="fifo"), HOT, 5, 3) == pytest.approx(expected, rel=0.02)
    assert expected > closed_forms.fifo(1.28)


def test_keeping_moved_data_apart_helps_when_some_data_is_hot() -> None:
    mixed = amplification(drive(28), HOT, 5, 3)
    apart = amplification(drive(28, lanes=2), HOT, 5, 3)
    assert apart < 0.97 * mixed


def test_policies_rank_as_published() -> None:
    figures = [amplification(drive(12, cleaning=c), UNIFORM, 4, 2) for c in ("greedy", "sampled", "fifo")]
    assert figures[0] < figures[1] * 1.01
    assert figures[0] < figures[2] * 1.01


def test_a_format_makes_the_drive_fresh_at_once() -> None:
    d = drive(7)
    before = amplification(d, UNIFORM, 2, 0.2)
    d.stop()
    d.format()
    assert before > 4
    assert amplification(d, UNIFORM, 0, 0.5) == pytest.approx(1, abs=0.01)


def moving_us(d: Any, settle: float) -> float:
    """What a moved page costs the host's writes beyond the microsecond of each command, after `settle` capacities."""
    d.start(UNIFORM)
    write_on(d, settle)
    at, began, nand = d.host_write_bytes, d.now_s, d.health()["nand_write_bytes"]
    write_on(d, 0.2)
    written = d.host_write_bytes - at
    moved = d.health()["nand_write_bytes"] - nand - written
    return float(((d.now_s - began) * 1e6 - written / (4 * KiB)) / (moved / (4 * KiB)))


def test_scattered_pages_cost_the_command_processor_one_move_each() -> None:
    assert moving_us(drive(12, lanes=2, move_us=100), 4) == pytest.approx(100, rel=0.03)


def test_neighbours_written_in_order_are_moved_at_the_cost_of_one() -> None:
    """Just after a fill, runs are as long as the few random writes between them leave them."""
    assert moving_us(drive(12, lanes=2, move_us=100), 0.15) < 40


def test_moves_are_hidden_between_commands_while_there_is_time() -> None:
    slow = msgspec.structs.replace(HOST, write_answer_us=200)
    means, longest = [], []
    for depth in (1, 64):
        d = drive(12, slow, lanes=2, move_us=10, gather_bytes=MiB)
        d.start(msgspec.structs.replace(UNIFORM, depth=depth))
        write_on(d, 3)
        writes = d.advance(1).tallies[1]
        means.append(writes[2] / writes[0] / 1e3)
        longest.append(writes[4] / 1e3)
    assert means[0] == pytest.approx(200 + 1 + 1.3, rel=0.03)
    assert longest[0] < 300
    assert longest[1] > 0.9 * 10 * MiB / (4 * KiB)  # a stripe's worth of moves comes due at once


@pytest.mark.parametrize("full_pct", [25, 50, 75])
def test_a_rested_drive_has_emptied_its_cache_and_has_a_share_of_what_is_free(full_pct: int) -> None:
    spec = load("kc2000")
    assert spec.flash
    assert spec.flash.slc
    d, part = build(spec), spec.capacity_bytes * full_pct // 100 // MiB * MiB
    fill = Pattern(random_pct=0, read_pct=0, sizes=((MiB, 1),), depth=16, range_bytes=part, limit_bytes=part)
    d.start(fill)
    while d.advance(1).more:
        pass
    d.stop()
    d.idle(1800)
    d.start(msgspec.structs.replace(fill, start_bytes=part, range_bytes=spec.capacity_bytes - part, limit_bytes=0))
    fast, rate = 0.0, d.advance(1).tallies[1, 1]
    while (written := d.advance(1).tallies[1, 1]) > 0.6 * rate:
        fast += written
    free = spec.capacity_bytes * (1 + spec.flash.spare_pct / 100) - part
    slc = spec.flash.slc
    assert fast + rate == pytest.approx(free * slc.share_pct / 100 / slc.levels, rel=0.1)
