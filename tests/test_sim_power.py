"""Watts of virtual drives, their power states after a rest, and the first response after it, against plain sums."""

from itertools import pairwise

import msgspec
import pytest

from stend.base.units import KiB, MiB
from stend.sim import Pattern, build, load
from stend.sim.drive import Drive
from stend.sim.power import COARSE_S, FIELDS, FINE_S, MOST_READINGS, Reading
from stend.sim.spec import Power, PowerState, Thermal

SHALLOW = PowerState(sleep_after_ms=50, watts=0.04, exit_ms=1.2)
DEEP = PowerState(sleep_after_ms=2000, watts=0.005, exit_ms=9.5, exit_w=3)
WATTS = Power(idle_w=1, read_w=3, write_w=5, states=(SHALLOW, DEEP))
KINDS = ("small", "kc2000", "ideal", "ideal?scale=16", "sas15k", "x25e-raid")


def drive(name: str, power: Power = WATTS, **parts: object) -> Drive:
    return build(msgspec.structs.replace(load(name), power=power, **parts))


def reads(drive: Drive, *, size: int = 4096, threads: int = 1, depth: int = 1, read_pct: int = 100) -> Pattern:
    return Pattern(
        random_pct=100,
        read_pct=read_pct,
        sizes=((size, 1.0),),
        range_bytes=drive.spec.capacity_bytes,
        threads=threads,
        depth=depth,
        seed=7,
    )


def hold(drive: Drive, seconds: int) -> tuple[float, float, float]:
    """IOs, their mean and longest response time in ms."""
    ios = ns = most = 0.0
    for _ in range(seconds):
        done = drive.advance(1.0).tallies
        ios, ns, most = ios + done[:, 0].sum(), ns + done[:, 2].sum(), max(most, done[:, 4].max())
    return ios, ns / max(ios, 1) / 1e6, most / 1e6


def joules(readings: list[Reading]) -> float:
    return sum(seconds * watts for _, seconds, watts, _ in readings)


def awake_ms(drive: Drive) -> float:
    drive.start(reads(drive))
    _, mean_ms, _ = hold(drive, 2)
    drive.stop()
    return mean_ms


@pytest.mark.parametrize("name", KINDS)
def test_the_first_read_after_a_rest_waits_for_the_state_it_finds_the_drive_in(name: str) -> None:
    asleep = drive(name)
    usual_ms = awake_ms(asleep)
    for rest_s, exit_ms in ((0.03, 0.0), (0.1, 1.2), (1, 1.2), (10, 9.5), (60, 9.5)):
        asleep.arrive(reads(asleep), 1 / rest_s, even=True)
        ios, mean_ms, most_ms = hold(asleep, max(round(21 * rest_s), 1))
        asleep.stop()
        assert ios >= 19
        spread_ms = 4.0 if name == "sas15k" else 0.05 * usual_ms  # positions of a platter
        assert mean_ms == pytest.approx(usual_ms + exit_ms, abs=spread_ms)
        assert exit_ms < most_ms < exit_ms + 3 * usual_ms


@pytest.mark.parametrize("name", KINDS)
def test_after_a_rest_only_the_requests_in_flight_wait(name: str) -> None:
    asleep = drive(name)
    usual_ms = awake_ms(asleep)
    asleep.idle(30)
    asleep.start(reads(asleep, threads=2, depth=4))
    done = asleep.advance(1.0)
    assert 9.5 < done.tallies[0, 4] / 1e6 < 9.5 + 30 * usual_ms
    ios, ns = done.tallies[0, 0], done.tallies[0, 2]
    assert ns / 1e9 == pytest.approx(8 * done.seconds, rel=0.02)  # Little's law
    after = asleep.advance(1.0).tallies[0]
    assert after[2] / after[0] * ios + 8 * 9.5e6 == pytest.approx(ns, rel=0.02)
    assert ios == pytest.approx(after[0] * (1 - 9.5e-3), rel=0.008 if name != "sas15k" else 0.1)


@pytest.mark.parametrize("name", ["small", "kc2000"])
def test_a_scaled_open_loop_wakes_the_drive_once(name: str) -> None:
    asleep = drive(name)
    asleep.idle(30)
    asleep.arrive(reads(asleep, depth=256), 20_000, even=True)
    first, second = (asleep.advance(1.0).tallies[0] for _ in range(2))
    more_ns = first[2] - second[2] / second[0] * first[0]
    assert more_ns == pytest.approx(20_000 * 9.5e-3 * 9.5e6 / 2, rel=0.1)  # 190 arrive, and wait for half on average


@pytest.mark.parametrize("name", ["small", "sas15k"])
def test_a_wait_longer_than_an_interval_is_one_wait(name: str) -> None:
    spin_up = PowerState(sleep_after_ms=5000, watts=0.5, exit_ms=8400, exit_w=20)
    asleep = drive(name, msgspec.structs.replace(WATTS, states=(spin_up,)))
    asleep.idle(60)
    asleep.power.read()
    asleep.start(reads(asleep, depth=4))
    seconds = [asleep.advance(1.0) for _ in range(12)]
    assert [done.tallies[0, 0] > 0 for done in seconds] == [False] * 8 + [True] * 4
    longest = max(done.tallies[0, 4] for done in seconds) / 1e9
    assert longest == pytest.approx(8.4, abs=0.2)
    waited_s = sum(done.tallies[0, 2] for done in seconds) / 1e9
    assert waited_s == pytest.approx(4 * 12, rel=0.02)
    watts = [mean for _, _, mean, _ in asleep.power.read()]
    assert watts[:8] == pytest.approx([20] * 8, rel=1e-3)
    assert watts[8] == pytest.approx(0.4 * 20 + 0.6 * watts[9], rel=0.02)


@pytest.mark.parametrize("name", ["small", "kc2000"])
def test_a_long_wait_of_a_scaled_drive_is_one_wait_too(name: str) -> None:
    slow = PowerState(sleep_after_ms=1000, watts=0.5, exit_ms=2500, exit_w=2)
    asleep = drive(name, msgspec.structs.replace(WATTS, states=(slow,)))
    asleep.idle(10)
    asleep.start(reads(asleep, depth=4))
    seconds = [asleep.advance(1.0) for _ in range(4)]
    assert [done.tallies[0, 0] > 0 for done in seconds] == [False, False, True, True]
    late = seconds[2].tallies[0]
    assert late[4] / 1e9 == pytest.approx(2.5, rel=0.01)
    assert late[2] / 1e9 == pytest.approx(4 * 0.5 + 4 * 2.5, rel=0.02)


@pytest.mark.parametrize("name", KINDS)
def test_a_rest_has_the_watts_of_its_states(name: str) -> None:
    asleep = drive(name)
    asleep.idle(1)
    asleep.power.read()
    for _ in range(22):
        asleep.idle(0.5)
    told = asleep.power.read()
    assert joules(told) == pytest.approx(1 * 0.04 + 10 * 0.005)
    assert told[-1][0] == asleep.now_s == 12
    assert all(after[0] - after[1] == pytest.approx(before[0]) for before, after in pairwise(told))


def test_a_rest_is_read_finely_at_first_and_coarsely_later() -> None:
    asleep = drive("ideal")
    asleep.idle(7)
    told = asleep.power.read()
    assert joules(told) == pytest.approx(0.05 * 1 + 1.95 * 0.04 + 5 * 0.005)
    assert all(seconds <= FINE_S + 1e-9 for end, seconds, *_ in told if end <= 1)
    assert all(seconds <= COARSE_S + 1e-9 for _, seconds, *_ in told)
    assert all(mean == most for _, _, mean, most in told)
    assert len(told) < 25


def test_each_second_of_a_slow_open_loop_has_its_own_watts() -> None:
    asleep = drive("ideal")
    asleep.arrive(reads(asleep), 0.1, even=True)
    for _ in range(30):
        asleep.advance(1.0)
    told = asleep.power.read()
    watts = [mean for _, _, mean, _ in told]
    assert watts[5:9] == pytest.approx([0.005] * 4)
    wakes = 9.557e-3 * 3 + 0.05 * 1 + (1 - 0.05 - 9.557e-3) * 0.04  # exit at 3 W, awake, shallow
    assert watts[10] == pytest.approx(wakes, rel=0.01)
    assert told[10][3] == pytest.approx(3, rel=0.01)
    assert told[5][3] == pytest.approx(0.005)


def test_watts_follow_bytes_and_commands() -> None:
    working = drive("ideal", msgspec.structs.replace(WATTS, command_uj=4, peak_w=6))

    def watts(pattern: Pattern, rate: float) -> tuple[float, float]:
        working.arrive(pattern, rate, even=True)
        working.advance(1.0)
        working.power.read()
        working.advance(1.0)
        ((_, _, mean, most),) = working.power.read()
        working.stop()
        return mean, most

    deep = {"depth": 32}
    mib = 2000e6 / MiB  # a second at the rate of the link
    assert watts(reads(working, size=MiB, **deep), mib / 4)[0] == pytest.approx(1 + 2 / 4, rel=0.01)
    assert watts(reads(working, size=MiB, read_pct=0, **deep), mib / 4)[0] == pytest.approx(1 + 4 / 4, rel=0.01)
    small = 10_000 * 4 * KiB / 2000e6
    assert watts(reads(working, **deep), 10_000)[0] == pytest.approx(1 + 2 * small + 0.04, rel=0.005)
    mean, most = watts(reads(working, size=MiB, read_pct=0, **deep), mib / 2)
    assert most == pytest.approx(1 + (mean - 1) * 5 / 4)
    working.start(reads(working, **deep))
    working.advance(1.0)
    assert working.power.read()[-1][2] == pytest.approx(min(1 + 2 * 20 * small + 20 * 0.04, 3), rel=0.01)


def test_a_disk_draws_more_while_its_head_works() -> None:
    disk = drive("sas15k", msgspec.structs.replace(WATTS, states=()))
    disk.arrive(reads(disk), 10, even=True)
    _, mean_ms, _ = hold(disk, 20)
    told = disk.power.read()
    assert joules(told) / 20 == pytest.approx(1 + 2 * 10 * (mean_ms - 0.1) / 1e3, rel=0.02)


def test_writing_in_the_background_is_no_rest() -> None:
    tidy = drive("kc2000")
    tidy.start(reads(tidy, size=MiB, depth=8, read_pct=0))
    hold(tidy, 40)
    tidy.stop()
    tidy.power.read()
    for _ in range(400):
        tidy.idle(0.5)
    told = tidy.power.read()
    share = tidy.spec.flash.idle_cleaning_pct / 100 if tidy.spec.flash else 0.0
    first = [row for row in told if row[0] < tidy.now_s - 100]  # it tidies up for 150 s or more
    assert joules(first) / sum(row[1] for row in first) == pytest.approx(1 + 4 * share, rel=0.03)
    worked_s = max(end for end, _, mean, _ in told if mean > 1)
    awake_s = sum(seconds for end, seconds, mean, _ in told if end > worked_s + 1e-6 and mean == 1)
    assert awake_s == pytest.approx(SHALLOW.sleep_after_ms / 1e3)
    assert told[-1][2] == 0.005


def test_a_drive_that_is_kept_awake_never_sleeps() -> None:
    kept = drive("small")
    kept.power.saving = False
    kept.idle(30)
    kept.arrive(reads(kept), 0.5, even=True)
    _, _, most_ms = hold(kept, 20)
    assert most_ms < 1
    assert all(mean == pytest.approx(1, rel=1e-4) for _, _, mean, _ in kept.power.read())


def test_readings_that_nothing_reads_are_bounded() -> None:
    kept = drive("ideal", Power())
    kept.idle(1.5 * MOST_READINGS)
    told = kept.power.read()
    assert MOST_READINGS / 2 <= len(told) <= MOST_READINGS + FIELDS
    assert told[-1][0] == kept.now_s
    assert kept.power.read() == []


def test_a_slower_clock_draws_less_and_cools_the_drive() -> None:
    hot = drive(
        "ideal",
        Power(idle_w=1, read_w=11, write_w=11),
        thermal=Thermal(ambient_c=25, kelvin_per_w=5, seconds=20, limit_c=70, throttle_pct=40),
    )
    hot.start(reads(hot, size=MiB, depth=8))
    done = [hot.advance(1.0).tallies[0] for _ in range(400)]
    speeds = [second[1] / 2000e6 for second in done]
    assert [second[2] / 1e9 for second in done] == [pytest.approx(8, rel=0.02)] * 400, (
        "8 are outstanding (Little's law)"
    )
    watts = [mean for _, _, mean, _ in hot.power.read()]
    assert [watt == pytest.approx(1 + 10 * speed, rel=0.02) for watt, speed in zip(watts, speeds, strict=True)]
    assert {round(speed, 1) for speed in speeds[200:]} == {0.4, 1.0}
    assert 65 < hot.heat.celsius < 72
    mean = sum(watts[200:]) / len(watts[200:])
    assert 25 + 5 * mean == pytest.approx(68.5, abs=2)  # between the limit and where it ends
