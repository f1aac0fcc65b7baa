"""A scaled drive: what one simulated IO stands for is spread over the time that it takes."""

import pytest

from stend.base.units import KiB, MiB
from stend.engines.simulated import counts
from stend.model.bins import bin_index
from stend.sim import Pattern, build, load
from tests.test_sim_scaling import drive, pattern, rates


@pytest.mark.parametrize("read_pct", [100, 0])
def test_intervals_shorter_than_an_io_of_a_scaled_drive_have_their_share_of_it(read_pct: int) -> None:
    """One IO in flight stands for 1,024: counted at its end alone, intervals would have all of them or none."""
    d = drive(1024)
    one_s = 1024 / rates(d, pattern(d, read_pct, 4, depth=1, threads=1), 5, 5)[0]
    made = rates(d, pattern(d, read_pct, 4, depth=1, threads=1), 40 * one_s / 4, one_s / 4)
    assert made == pytest.approx([1024 / one_s] * len(made), rel=0.6)


def test_a_trim_that_outlasts_an_interval_takes_its_own_time() -> None:
    """Three trims of 68 ms end in three intervals of 0.1 s: none of them took 100 ms."""
    d = build(load("small?host.trim_command_us=68000&host.trim_mib_us=0&host.write_answer_us=0"))
    size = ((MiB, 1.0),)
    d.start(Pattern(random_pct=0, read_pct=100, sizes=size, range_bytes=64 * MiB, trim_pct=100, trim_bytes=MiB))
    trims = sum(d.advance(0.1).ledger.ways()[3] for _ in range(3))
    assert trims[0] == 4
    assert trims[2] / trims[0] == pytest.approx(68e6)


def test_writers_that_wait_for_their_flushes_at_the_same_time_do_not_wait_for_each_other() -> None:
    """Sixteen flushes of 25 ms begin together. The first that ends has not waited for a queue of sixteen."""
    d = build(load("small?protected=0&host.flush_us=25000"))
    d.start(
        Pattern(
            random_pct=0, read_pct=0, sizes=((4 * KiB, 1.0),), range_bytes=64 * MiB, threads=16, depth=1, flush_every=1
        )
    )
    writes = [d.advance(0.1).ledger.ways()[1] for _ in range(4)]
    assert max(part[4] for part in writes) < 1.3 * min(part[2] / part[0] for part in writes)


@pytest.mark.parametrize("name", ["flashmax3", "px02sm", "saber1000", "sn150", "st1800mm0088"])
def test_the_longest_response_time_is_in_the_highest_bin_that_has_ios(name: str) -> None:
    """Corrections for waking, stalls and scale move whole bins, but the longest time by itself."""
    for read_pct, kib in ((70, 4), (50, 128)):
        d = build(load(name))
        d.start(Pattern(random_pct=100, read_pct=read_pct, sizes=((kib * KiB, 1.0),), range_bytes=64 * MiB, threads=4))
        steps = [counts(d.advance(1.0)) for _ in range(6)]
        every = [tally for step in steps for tally in (step.read, step.write) if tally.ios]
        assert len(every) > 6
        assert [bin_index(tally.max_ns) for tally in every] == [max(tally.bins) for tally in every]
