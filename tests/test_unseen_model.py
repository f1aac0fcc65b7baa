"""Boundaries of counts, paces, heat and wear, with values that follow on paper."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from stend.model import warming
from stend.model.beside import Beside
from stend.model.bins import BINS, added
from stend.model.counts import Counts, lasted
from stend.model.counts import added as summed_counts
from stend.model.definition import Hold, Seconds
from stend.model.events import Telemetry
from stend.model.pace import Pace, paces
from stend.model.tally import NONE, Tally
from stend.model.wear import amplification
from stend.model.workload import Workload

FIRST = Tally(ios=2, bytes=8192, latency_ns=4000, latency_ns2=10_000_000, max_ns=3000, bins={100: 1, 130: 1})


def test_the_mean_and_the_deviation_of_two_response_times_are_theirs() -> None:
    """1 and 3 us: the mean is 2 us, the squares about it make 2 us^2 over one degree of freedom."""
    assert [FIRST.mean_s, FIRST.max_s] == pytest.approx([2e-6, 3e-6])
    assert FIRST.deviation_s == pytest.approx(math.sqrt(2) * 1e-6)
    one = Tally(ios=1, latency_ns=5, latency_ns2=100)
    assert (one.deviation_s, NONE.deviation_s, NONE.mean_s) == (0.0, 0.0, 0.0)


def test_tallies_add_up_and_one_without_ios_adds_nothing() -> None:
    second = Tally(ios=1, bytes=512, latency_ns=7000, latency_ns2=49_000_000, max_ns=7000, bins={130: 1, 700: 1})
    for both in (FIRST + second, second + FIRST):
        assert (both.ios, both.bytes, both.latency_ns, both.latency_ns2, both.max_ns) == (
            3,
            8704,
            11_000,
            59_000_000,
            7000,
        )
        assert dict(both.bins.items()) == {100: 1, 130: 2, 700: 1}
    assert FIRST + NONE is FIRST
    assert NONE + FIRST is FIRST


@pytest.mark.parametrize(
    ("max_ns", "bins", "longest"),
    [
        (3001, {100: 2, 130: 3}, 3001),
        (3000, {100: 2, 130: 1}, 101),
        (3000, {100: 1, 130: 3}, 134),
        (3000, {100: 1, 130: 1}, 0),
        (3000, {100: 2, 130: 1, BINS - 1: 1}, 3000),
    ],
)
def test_the_longest_of_a_stretch_is_that_of_all_or_the_end_of_its_highest_bin(
    max_ns: int, bins: dict[int, int], longest: int
) -> None:
    """Bin 100 is 100 to 101 ns, bin 130 is 132 to 134 ns: 64 bins from 128 ns to 256 ns."""
    later = Tally(ios=5, bytes=9000, latency_ns=9000, latency_ns2=90_000_000, max_ns=max_ns, bins=bins)
    more = later.since(FIRST)
    assert (more.ios, more.bytes, more.latency_ns, more.latency_ns2) == (3, 808, 5000, 80_000_000)
    assert more.max_ns == longest
    assert dict(more.bins.items()) == {
        index: n - FIRST.bins.get(index, 0) for index, n in bins.items() if n > FIRST.bins.get(index, 0)
    }
    assert later.since(NONE) is later
    assert replace(later, max_ns=133, bins={130: 3}).since(replace(FIRST, max_ns=133)).max_ns == 133


def test_sums_that_a_tool_rounded_never_fall() -> None:
    less = replace(FIRST, latency_ns=3999, latency_ns2=9_999_999).since(FIRST)
    assert (less.latency_ns, less.latency_ns2) == (0, 0)


def test_counts_have_rates_of_reads_and_writes_together() -> None:
    write = Tally(ios=3, bytes=3 * 4096, latency_ns=30_000, max_ns=20_000)
    counts = Counts(0.5, 0.25, FIRST, write)
    assert (counts.ios, counts.iops, counts.bytes_per_s) == (5, 10.0, 2 * (8192 + 12_288))
    assert [counts.mean_s, counts.max_s] == pytest.approx([34e-6 / 5, 20e-6])
    assert [counts.quantity(name) for name in ("iops", "throughput", "latency", "longest")] == [
        counts.iops, counts.bytes_per_s, counts.mean_s, counts.max_s,
    ]  # fmt: skip
    twice = summed_counts([counts, counts])
    assert twice == counts + counts
    assert (twice.seconds, twice.cpu_s, twice.read.ios, twice.write.ios) == (1.0, 0.5, 4, 6)
    empty = Counts()
    assert (empty.iops, empty.bytes_per_s, empty.mean_s, empty.max_s) == (0.0, 0.0, 0.0, 0.0)
    assert summed_counts([]) == empty
    assert not counts.without_bins().read.bins
    assert replace(counts, read=replace(FIRST, bins={})) == counts.without_bins()


@pytest.mark.parametrize(("seconds", "kept"), [(0.0, 0.0), (0.9e-9, 0.0), (1e-9, 1e-9), (2.0, 2.0)])
def test_less_than_a_nanosecond_is_no_time(seconds: float, kept: float) -> None:
    assert lasted(seconds) == Counts(seconds=seconds).seconds == kept


# Paces


@pytest.mark.parametrize(
    ("late", "full", "doubtful", "invalid"),
    [(0, 0, False, False), (1, 0, False, False), (2, 0, True, True), (2, 1, True, False), (5, 4, True, False),
     (6, 4, True, True), (100, 100, True, False)],
)  # fmt: skip
def test_more_than_one_late_io_in_a_hundred_makes_times_doubtful_and_invalid_if_the_host_was_late(
    late: int, full: int, *, doubtful: bool, invalid: bool
) -> None:
    """Five late IOs of which four waited for room are one in a hundred by the host: not more."""
    pace = Pace(sent=100, late=late, full=full)
    assert (pace.late_share, pace.full_share) == (late / 100, full / 100)
    assert pace.host_share == pytest.approx((late - full) / 100)
    assert (pace.doubtful, pace.invalid) == (doubtful, invalid)


def test_paces_add_up_but_for_the_longest_and_those_that_wait_at_the_end() -> None:
    first = Pace(sent=10, late=3, full=2, latest_ns=900, lateness={5: 1}, flush=FIRST, left_out={"trim": 1}, unsent=7)
    second = Pace(sent=20, late=4, full=1, latest_ns=700, lateness={5: 2, 9: 1}, discard=FIRST, unsent=3)
    both = first + second
    assert (both.sent, both.late, both.full, both.latest_ns, both.unsent) == (30, 7, 3, 900, 3)
    assert (both.lateness, both.flush, both.discard, both.left_out) == ({5: 3, 9: 1}, FIRST, FIRST, {"trim": 1})
    assert (second + first).latest_ns == 900
    assert [paces(first, None), paces(None, second), paces(None, None), paces(first, second)] == [
        first,
        second,
        None,
        both,
    ]
    assert (first.lateness_measured, Pace(sent=5).lateness_measured) == (True, False)
    nothing = Pace()
    assert (nothing.late_share, nothing.full_share, nothing.host_share, nothing.invalid) == (0.0, 0.0, 0.0, False)


def test_each_observed_flush_and_trim_of_a_scaled_drive_counts_as_many() -> None:
    pace = Pace(sent=10, flush=FIRST, discard=FIRST)
    assert pace.weighed(1) is pace
    weighed = Beside(counts=Counts(1.0, 0.0, FIRST, NONE), pace=pace).weighed(4)
    assert weighed.pace
    for tally in (weighed.pace.flush, weighed.pace.discard, weighed.counts.read):
        assert (tally.ios, getattr(tally.bins, "weight", 0)) == (2, 4)
    assert Beside().weighed(4).pace is None


def test_bins_and_other_counts_add_up_by_key() -> None:
    assert added({1: 2, 3: 4}, {3: 5, 6: 7}) == {1: 2, 3: 9, 6: 7}
    assert added({}, {3: 5}) == {3: 5}
    assert added({"a": 1}, {}) == {"a": 1}


# Heat


@pytest.mark.parametrize(
    ("was", "is_now", "grown"), [(5, 7, 2), (5, 5, 0), (7, 5, 0), (None, 5, 0), (5, None, 0), (0, 1, 1)]
)
def test_a_counter_grew_by_its_difference_unless_it_started_again(was: Any, is_now: Any, grown: float) -> None:
    assert warming.growth({"n": was}, {"n": is_now}, "n") == grown
    assert warming.growth({}, {"n": 5}, "n") == 0


@pytest.mark.parametrize(
    ("values", "degrees"),
    [
        ({"temperature_c": 40}, 40.0),
        ({"temperature_c": 40, "sensor_2_c": 55.5}, 55.5),
        ({"temperature_c": [41, 43, 42]}, 43.0),
        ({"temperature_c": 0, "sensor_1_c": 30}, 30.0),
        ({"temperature_c": -40}, None),
        ({"temperature_c": -39.5}, -39.5),
        ({"temperature_c": 149}, 149.0),
        ({"temperature_c": 150}, None),
        ({"temperature_c": True}, None),
        ({"temperature_c": "warm"}, None),
        ({"temperature_warning_min": 90, "sensor_events": 9, "temperature_s": 9}, None),
        ({"power_c": 60}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_the_temperature_of_a_drive_is_its_hottest_sensor_that_is_possible(
    values: dict[str, Any], degrees: float | None
) -> None:
    assert warming.celsius(Telemetry(t=0.0, values=values)) == degrees


@pytest.mark.parametrize(
    ("degrees", "level"),
    [([40.0] * 11, True), ([40.0] * 10, False), ([60.0] * 5 + [40.0] * 11, True), ([60.0, *[40.0] * 10], False),
     ([40.0, 41.0] * 6, True), ([40.0, 41.1] * 6, False)],
)  # fmt: skip
def test_ten_rounds_within_a_kelvin_are_level(degrees: list[float], *, level: bool) -> None:
    assert warming.steady(degrees) == level


@pytest.mark.parametrize(
    ("before", "now", "slowed"),
    [({"throttle_s": 1}, {"throttle_s": 1}, False), ({"throttle_s": 1}, {"throttle_s": 2}, True),
     ({"throttle_events": 0}, {"throttle_events": 1}, True), ({}, {"throttled": True}, True),
     ({"warning_temperature_min": 3}, {"warning_temperature_min": 4}, True), ({"throttled": True}, {}, False)],
)  # fmt: skip
def test_a_drive_throttled_if_a_counter_of_it_grew_or_it_says_so_now(
    before: dict[str, Any], now: dict[str, Any], *, slowed: bool
) -> None:
    assert warming.slowed(Telemetry(t=0.0, values=before), Telemetry(t=1.0, values=now)) == slowed


LOAD = Hold(workload=Workload(0, 0, 4096), amount=Seconds(seconds=60))


def loaded(rounds: int, looks: list[tuple[float, dict[str, Any]]], *before: float) -> bool:
    """So many minutes of a load from 1,000 s on; other loads ended `before` that."""

    def result(phase: str, t: float) -> Any:
        return SimpleNamespace(
            where=SimpleNamespace(test="t", phase=phase), t=t, counts=Counts(seconds=60.0), step=LOAD
        )

    results = [*(result("other", t) for t in before), *(result("p", 1000.0 + 60 * (n + 1)) for n in range(rounds))]
    run: Any = SimpleNamespace(present=(results, [Telemetry(t=t, values=values) for t, values in looks]))
    return warming.heated(run, "t", "p")


def at(*degrees: float) -> list[tuple[float, dict[str, Any]]]:
    """A temperature after each minute."""
    return [(1001.0 + 60 * (n + 1), {"temperature_c": c}) for n, c in enumerate(degrees)]


@pytest.mark.parametrize(
    ("rounds", "looks", "enough"),
    [
        (0, [], False),
        (29, [], False),
        (30, [], True),
        (30, at(*[40.0] * 30), True),
        (29, at(*[40.0] * 29), False),
        (12, at(37.0, *[40.0] * 11), True),
        (11, at(37.0, *[40.0] * 10), False),
        (12, at(37.5, *[40.0] * 11), False),
        (30, at(*[40.0 + n for n in range(30)]), False),
        (12, [(999.0, {"temperature_c": 20.0}), *at(*[40.0] * 12)], False),
        (7, [(1070.0, {}), (1130.0, {"throttled": True})], True),
        (6, [(1070.0, {}), (1130.0, {"throttled": True})], False),
        (7, [(1070.0, {"throttle_s": 1}), (1130.0, {"throttle_s": 2})], True),
        (9, [(940.0, {"throttle_s": 1}), (1000.0, {"throttle_s": 2})], False),
    ],
)
def test_a_load_has_heated_a_drive_enough_if_it_is_level_or_throttled_for_five_minutes(
    rounds: int, looks: list[tuple[float, dict[str, Any]]], *, enough: bool
) -> None:
    """Level are ten minutes within a kelvin, after half an hour or three kelvin of warming."""
    assert loaded(rounds, looks) == enough


def test_a_counter_that_may_have_grown_in_an_earlier_load_does_not_count() -> None:
    looks: list[tuple[float, dict[str, Any]]] = [(900.0, {"throttle_s": 1}), (1060.0, {"throttle_s": 2})]
    assert loaded(6, looks, 900.0)
    assert not loaded(6, looks, 901.0)
    assert loaded(6, [looks[0], (1060.0, {"throttle_s": 2, "throttled": True})], 901.0)


# Wear


@pytest.mark.parametrize(
    ("host", "flash", "unit", "ratio"),
    [(100, 250, 1, 2.5), (99, 250, 1, None), (100, 99, 1, None), (2000, 1000, 10, 0.5), (999, 5000, 10, None),
     (1, 3, 0, 3.0), (0, 3, 0, None)],
)  # fmt: skip
def test_an_amplification_needs_growth_by_a_hundred_units_of_both_counters(
    host: int, flash: int, unit: int, ratio: float | None
) -> None:
    before = {"host_write_bytes": 7, "nand_write_bytes": 9}
    now = {
        "host_write_bytes": 7 + host,
        "nand_write_bytes": 9 + flash,
        "host_unit_bytes": unit,
        "nand_unit_bytes": unit,
    }
    assert amplification(before, now) == ratio
    for name in before:
        assert amplification({key: before[key] for key in before if key != name}, now) is None
    others = {"endurance_write_bytes": 7 + host, "nand_write_bytes": 9 + flash}
    known = amplification({"endurance_write_bytes": 7, "nand_write_bytes": 9}, others, "endurance_write_bytes")
    assert known == (flash / host if host else None), "its unit is not stated"
