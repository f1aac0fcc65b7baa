"""Boundaries of what findings look at: links, levels, courses, arrays and caches, with values that follow on paper."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from stend.base.units import KiB
from stend.findings.look import arrays, levels, link, streams
from stend.findings.look.blocks import _equal, limit_of_mixes, limits_of_reads, part_of_sector, slow_mix
from stend.findings.look.figures import Figures, together
from stend.findings.look.hits import Cold, cold, explains, hits
from stend.findings.look.ladders import ends_at
from stend.findings.look.levels import Level
from stend.findings.look.link import Link
from stend.findings.look.pieces import MOST, Line, equal, growing, of_counts
from stend.model.bins import bin_index
from stend.model.counts import Counts
from stend.model.definition import Identity
from stend.model.samples import COLUMNS
from stend.model.tally import Tally
from stend.model.workload import Workload

LANE_3 = 8e9 * 128 / 130 / 8
"""Payload of a lane of PCIe 3.0: 8 GT/s, of 130 bits 128 are data."""


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("PCIe 1.0 x1", 0.25e9),
        ("PCIe 2.0 x2", 1e9),
        ("PCIe 3.0 x4", 4 * LANE_3),
        ("PCIe Gen 4 x4", 8 * LANE_3),
        ("pcie 5 ×2", 8 * LANE_3),
        ("PCIe 9.0 x4", 0.0),
        ("SATA 1.5 Gb/s", 0.15e9),
        ("SATA 3 Gb/s", 0.3e9),
        ("SATA 6,0 Gb/s", 0.6e9),
        ("SATA 600", 0.0),
        ("SATA 480 GiB", 0.0),
        ("SAS 12 Gbit", 1.2e9),
        ("SAS 12 Gbit x2", 2.4e9),
        ("SAS 24G", 2.4e9),
        ("USB 2.0, 480 Mbit/s", 0.06e9),
        ("USB 3.0, 5 Gbit/s", 0.5e9),
        ("USB 3.1, 10 Gb/s", 10e9 / 8 * 128 / 132),
        ("USB 3.2, 20 Gb/s", 20e9 / 8 * 128 / 132),
        ("USB 3.2, 7 Gb/s", 0.0),
        ("iSCSI, 10 GbE", 1.25e9),
        ("NVMe/TCP, 100 Gbit/s Ethernet", 12.5e9),
        ("iSCSI, 3 GbE", 0.0),
        ("eMMC 5.1 HS400", 0.4e9),
        ("eMMC HS200", 0.2e9),
        ("SD SDR104", 0.104e9),
        ("SD card", 0.0),
        ("something else", 0.0),
    ],
)
def test_a_link_carries_the_payload_of_its_standard_and_a_little_less_in_practice(name: str, payload: float) -> None:
    """Framing takes 3 to 20 % (more of USB 2.0, whose host polls): nothing is faster than the standard."""
    assert link.payload_bytes_per_s(name) == pytest.approx(payload)
    practice = link.link_bytes_per_s(name)
    if payload:
        assert practice is not None
        assert (0.65 if "USB 2" in name else 0.8) <= practice / payload <= 0.97
    else:
        assert practice is None


def test_a_rate_is_near_a_link_from_what_arrives_in_practice_to_its_payload() -> None:
    wire = Link("SATA 6 Gb/s", 100.0, payload=110.0)
    assert [wire.near(rate) for rate in (94.9, 95.0, 112.2, 112.3)] == [False, True, True, False]
    assert not Link("x", None, payload=110.0).near(100.0)


@pytest.mark.parametrize(("name", "sata", "rate"), [("SATA 6 Gb/s", True, 40.0), ("PCIe 3.0 x4", False, 30.0)])
def test_reads_and_writes_share_the_wire_of_sata_alone(name: str, sata: bool, rate: float) -> None:
    counts = Counts(2.0, 0.0, Tally(ios=1, bytes=20), Tally(ios=1, bytes=60))
    assert (Link(name, 1.0).sata, Link(name, 1.0).busier(counts)) == (sata, rate)


@pytest.mark.parametrize(
    ("interface", "facts", "sheet", "name", "capable"),
    [
        ("NVMe", {"link": "gen 3 x4", "link_capable": "gen 4 x4"}, {}, "PCIe 3 x4", "PCIe 4 x4"),
        ("NVMe", {"link": "gen 3 x4", "link_capable": "gen 3 x4"}, {}, "PCIe 3 x4", ""),
        ("SATA", {"link": "6.0 Gb/s"}, {"interface": "PCIe 3.0 x4"}, "SATA 6.0 Gb/s", ""),
        ("SATA", {"link": "SATA 3.0 Gb/s"}, {}, "SATA 3.0 Gb/s", ""),
        ("SAS", {"link": "12.0 Gbit", "link_capable": "24 Gbit"}, {}, "SAS 12.0 Gbit", ""),
        ("SATA", {}, {"interface": "SATA 6 Gb/s"}, "SATA 6 Gb/s", ""),
        ("SATA", {}, {}, "SATA", ""),
    ],
)  # fmt: skip
def test_the_link_that_was_negotiated_counts_before_the_sheet(
    interface: str, facts: dict[str, str], sheet: dict[str, str], name: str, capable: str
) -> None:
    drive = Identity(kind="block", target="/x", path="/x", capacity_bytes=1, interface=interface, facts=facts)
    found = link.link(drive, sheet)
    assert (found.name, found.capable) == (name, capable)
    assert (found.bytes_per_s, found.payload) == (link.link_bytes_per_s(name), link.payload_bytes_per_s(name))


# Levels of a series


def test_a_series_is_cut_where_its_level_changes() -> None:
    assert levels.levels([100.0] * 10 + [50.0] * 6) == [Level(0, 10, 100.0), Level(10, 16, 50.0)]
    assert levels.levels([100.0] * 4 + [50.0] * 4) == [Level(0, 4, 100.0), Level(4, 8, 50.0)]
    assert levels.levels([100.0] * 10 + [90.0] * 10) == [Level(0, 20, 95.0)], "less than 12 % is one level"
    assert levels.levels([100.0] * 10 + [88.0] * 10) == [Level(0, 10, 100.0), Level(10, 20, 88.0)]
    assert levels.levels([100.0] * 8) == [Level(0, 8, 100.0)]
    assert levels.levels([100.0] * 4) == [Level(0, 4, 100.0)]
    assert levels.levels([100.0] * 3) == []
    assert levels.levels([0.0] * 9) == []


def test_noise_is_that_of_neighbours_and_a_step_is_none() -> None:
    """Neighbours differ by 1: of normal values half of the differences exceed 0.6745 times the square root of 2."""
    assert levels.noise([0.0, 1.0, 0.0, 1.0]) == pytest.approx(1 / (0.6745 * 2**0.5))
    assert levels.noise([0.0, 0.0, 0.0, 5.0, 5.0]) == 0
    assert levels.scatter([1.0, np.e, 0.0, 1.0]) == pytest.approx(levels.noise([0.0, 1.0, 0.0]))
    assert (levels.scatter([5.0]), levels.scatter([0.0, 5.0]), levels.scatter([5.0, 5.0])) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("values", "edge", "before"),
    [
        ([100.0] * 5 + [75.0] + [50.0] * 5, 5, 11.0),
        ([100.0] * 5 + [75.0] + [50.0] * 5, 6, 11.0),
        ([100.0] * 5 + [50.0] * 6, 5, 10.0),
        ([100.0] * 4 + [60.0, 90.0] + [50.0] * 5, 5, 10.0),
        ([100.0] * 4 + [10.0, 120.0] + [50.0] * 5, 5, 10.0),
        ([50.0] * 5 + [75.0] + [100.0] * 5, 5, 11.0),
    ],
)
def test_a_step_within_a_sample_is_placed_by_the_value_of_the_sample(
    values: list[float], edge: int, before: float
) -> None:
    """Eleven samples of two units: those next to the step are shared out by how near they are to either level."""
    first, last = values[0], values[-1]
    assert levels.boundary(values, [2.0] * 11, Level(0, edge, first), Level(edge, 11, last)) == pytest.approx(before)


def test_a_fall_is_sharp_if_half_of_it_is_at_the_border() -> None:
    step, ramp = [100.0] * 20 + [50.0] * 20, [100.0 * 0.5 ** (n / 100) for n in range(100)]
    assert levels.sharp(step, Level(0, 20, 100.0), Level(20, 40, 50.0))
    assert not levels.sharp(ramp, Level(0, 50, ramp[25]), Level(50, 100, ramp[75]))
    assert levels.sharp(ramp[::-1], Level(0, 50, ramp[75]), Level(50, 100, ramp[25])), "a rise always is"


@pytest.mark.parametrize(("value", "is_sharp"), [(143, True), (146, False)])
def test_the_sample_at_the_border_does_not_tell_whether_a_fall_is_sharp(value: float, *, is_sharp: bool) -> None:
    """Without the samples next to it the medians are 85 and 50: half of a fall of 1.7 squared."""
    assert 143 / 50 < 1.7**2 < 146 / 50
    values = [100.0, 70.0, 60.0, 55.0, 50.0, 50.0]
    assert levels.sharp(values, Level(0, 3, value), Level(3, 6, 50.0)) == is_sharp
    early, late = [85.0] * 12 + [85.0, 60.0], [55.0, *[50.0] * 11, *[10.0] * 30]
    assert levels.sharp([900.0] * 30 + early + late, Level(0, 44, value), Level(44, 86, 50.0)) == is_sharp


def test_a_running_median_has_fewer_values_at_the_ends() -> None:
    assert levels.smooth([1.0, 9.0, 2.0, 8.0, 3.0, 7.0]) == [2.0, 5.0, 3.0, 7.0, 5.0, 7.0]
    assert levels.smooth([1.0, 9.0, 2.0]) == [2.0, 2.0, 2.0]
    assert levels.smooth([1.0, 9.0, 2.0, 8.0], 3) == [5.0, 2.0, 8.0, 5.0]


def test_a_running_mean_is_as_wide_as_the_scatter_needs() -> None:
    """Neighbours scatter by e: 1.05 of their deviation; four times as much as is allowed needs 16 samples."""
    values = [1.0, np.e] * 40
    most = levels.scatter(values) / 4
    assert levels.quiet_width(values, most) == 16
    assert levels.quiet_width(values[:32], most) == 8, "a quarter of the values"
    mean = levels.quieted(values, most)
    assert mean[40] == pytest.approx(np.mean(values[32:49]))
    assert [mean[0], mean[-1]] == pytest.approx([np.mean(values[:9]), np.mean(values[-9:])])
    assert levels.quieted([5.0] * 9, 0.1) == [5.0] * 9


@pytest.mark.parametrize(
    ("level", "x"), [(11.0, 0.0), (10.0, 0.5), (8.0, 0.75), (6.0, 1.0), (4.0, 2.0), (2.0, 3.0), (1.0, None)]
)
def test_a_course_crosses_a_level_between_two_samples(level: float, x: float | None) -> None:
    """From 10 to 6 in a unit, then to 2 in two units."""
    found = levels.crossing([0.0, 1.0, 3.0], [10.0, 6.0, 2.0], level)
    expected = {10.0: 0.0, 8.0: 0.5}.get(level, x)
    assert found == (None if level <= 2.0 else expected)


# Courses in pieces


def test_a_course_has_at_most_three_thousand_equal_pieces_which_are_sums_and_maxima() -> None:
    table = np.ones((2 * MOST + 1, len(COLUMNS)))
    table[:, COLUMNS.index("read_max_ns")] = np.arange(2 * MOST + 1)
    pieces = equal(table)
    assert len(pieces) == (2 * MOST + 1 + 2) // 3 == 2001
    assert (pieces[0].seconds, pieces[0].read.ios, pieces[0].write.bytes, pieces[0].read.max_ns) == (3, 3, 3, 2)
    assert (pieces[0].read.latency_ns, pieces[0].write.latency_ns2, pieces[0].write.max_ns, pieces[0].cpu_s) == (
        3,
        3,
        1,
        3,
    )
    assert len(equal(table[:MOST])) == MOST
    assert equal(table[:0]) == []


def test_pieces_of_a_course_grow_with_the_time_before_them() -> None:
    """Samples of a second: until 50 s each is a piece, then a fiftieth of the time before is more than one."""
    assert growing(np.arange(61.0)) == [*range(52), 53, 55, 57, 59, 60]
    assert growing(np.array([0.0])) == [0]


def test_rates_of_a_course_are_those_between_its_sums() -> None:
    course = of_counts([Counts(2.0, 0.0, Tally(), Tally(ios=1, bytes=size)) for size in (20, 60, 10)])
    assert (course.rates.tolist(), course.s.tolist(), course.written.tolist()) == (
        [10, 30, 5],
        [0, 2, 4, 6],
        [0, 20, 80, 90],
    )
    assert (course.rate(0, 2), course.rate(1, 3)) == (20.0, 17.5)
    assert [len(course.until(end_s).s) for end_s in (1.9, 2.0, 6.0)] == [1, 2, 4]
    assert isinstance(course.until(4.0), Line)


# Arrays, ladders, blocks


@pytest.mark.parametrize(
    ("level", "reads", "writes", "key"),
    [
        ("raid5", 400, 100, "raid5"), ("raid5", 300, 100, "raid5"), ("raid5", 299, 100, None),
        ("raid5", 800, 100, "raid5"), ("raid5", 801, 100, "penalty"), ("raid6", 600, 100, "raid6"),
        ("raid6", 440, 100, None), ("raid1", 200, 100, "raid1"), ("raid10", 149, 100, None),
        ("raid10", 401, 100, "penalty"), ("raid0", 100, 100, None), ("raid5", 100, 0, None),
    ],
)  # fmt: skip
def test_random_writes_of_an_array_are_as_much_slower_as_its_level_costs(
    level: str, reads: float, writes: float, key: str | None
) -> None:
    """A mirror writes twice, RAID 5 reads and writes data and parity, RAID 6 has two parities (Patterson et al.)."""
    found = arrays.penalty(level, reads, writes)
    assert (found and found[0]) == key
    if found:
        ios = {"raid1": 2, "raid10": 2, "raid5": 4, "raid6": 6}[level]
        plain = {"writes": writes, "reads": reads, "share": writes / reads, "left": 1 / ios}
        assert found[1] == (plain | {"ios": ios} if key == "penalty" else plain)


def rates(*iops: float, seconds: float = 60.0) -> list[Counts]:
    return [Counts(seconds, 0.0, Tally(), Tally(ios=round(rate * seconds), bytes=1)) for rate in iops]


def test_a_controllers_cache_absorbed_what_the_first_writes_had_above_the_level() -> None:
    course = rates(*[200] * 3, *[100] * 7)
    assert arrays.absorbed(course) == {"bytes": 100 * 60 * 3 * 4 * KiB, "s": 180.0}
    assert arrays.absorbed(course[:-1]) is None, "fewer than ten records"
    assert arrays.absorbed(rates(*[200] * 4, *[100] * 9)) is None, "it lasts longer than three minutes"
    assert arrays.absorbed(rates(*[200] * 6, *[100] * 4, seconds=30.0)) == {"bytes": 100 * 180 * 4 * KiB, "s": 180.0}
    assert arrays.absorbed(rates(*[200] * 7, *[100] * 3, seconds=20.0)) is None, "too few records of the level"
    assert arrays.absorbed(rates(200, *[100] * 5, 104, *[100] * 5)) is None, "the rest is not level"
    assert arrays.absorbed(rates(200, *[100] * 5, 96, *[100] * 5)) is None
    assert arrays.absorbed(rates(200, *[100] * 5, 103, *[100] * 5)) is not None
    assert arrays.absorbed(rates(*[100] * 12)) is None, "nothing is above it"


def rung(iops: float, **load: Any) -> Any:
    plain = {"random_pct": 0, "read_pct": 100, "block_bytes": 4 * KiB} | load
    work = Workload(**plain)
    numbers = {"iops": iops, "throughput": iops * work.block_bytes}
    return SimpleNamespace(iops=iops, workload=work, number=numbers.__getitem__)


@pytest.mark.parametrize(
    ("half", "full", "deeper", "ends"),
    [(100, 130, (130,), True), (100, 129, (129,), False), (100, 130, (136.5, 124), True), (100, 130, (136.6,), False),
     (100, 130, (123,), False), (100, 130, (), False)],
)  # fmt: skip
def test_a_ladder_ends_at_a_depth_if_the_rate_grew_up_to_it_and_not_beyond(
    half: float, full: float, deeper: tuple[float, ...], ends: bool
) -> None:
    ladder = {16: rung(half), 32: rung(full), **{64 * (n + 1): rung(rate) for n, rate in enumerate(deeper)}}
    assert ends_at(ladder, 32, 1.3, 1.05) == ends
    assert not ends_at({depth: row for depth, row in ladder.items() if depth != 16}, 32, 1.3, 1.05)


def test_reads_end_at_commands_for_small_blocks_and_at_bytes_for_large_ones() -> None:
    """1,000 IOs up to 16 KiB, 16 MB/s from 64 KiB on, each within 5 %."""
    sizes = {4: 1000, 8: 1040, 16: 960, 32: 400, 64: 256, 128: 128, 256: 62}
    sweep = [rung(iops, block_bytes=kib * KiB) for kib, iops in sizes.items()]
    assert limits_of_reads(sweep[::-1]) == {
        "small": 16 * KiB, "iops": 1000, "large": 64 * KiB, "rate": 62 * 256 * KiB,
    }  # fmt: skip
    assert limits_of_reads(sweep[1:]) is None, "two sizes are no limit"
    assert limits_of_reads(sweep[:-1]) is None
    assert limits_of_reads([*sweep, rung(1050, block_bytes=512)]) is None
    assert limits_of_reads([]) is None
    assert [row.iops for row in _equal(sweep, "iops")] == [1000, 1040, 960]


@pytest.mark.parametrize(("part", "whole", "known"), [(100, 200, True), (101, 200, False), (0, 200, False)])
def test_writes_of_half_a_sector_are_slower_if_by_half_at_least(part: float, whole: float, *, known: bool) -> None:
    sweep = [rung(part, read_pct=0, block_bytes=2048), rung(whole, read_pct=0), rung(9, block_bytes=2048)]
    expected = {"sector": 4096, "half": 2048, "part": part, "whole": whole}
    assert part_of_sector(sweep, 4096) == (expected if known else None)


def test_mixes_have_a_common_limit_within_a_twentieth_or_a_slow_one_below_half() -> None:
    def rows(**rates: float) -> list[Any]:
        return [rung(rate, random_pct=100, read_pct=int(name[1:])) for name, rate in rates.items()]

    assert limit_of_mixes(rows(r100=100, r65=104, r0=102)) == 102
    assert limit_of_mixes(rows(r100=100, r65=105, r0=102)) is None
    assert limit_of_mixes(rows(r100=100, r0=102)) is None
    assert limit_of_mixes(rows(r100=100, r65=101, r35=102)) is None
    assert slow_mix(rows(r100=100, r65=49, r35=60, r0=100)) == {"share": 0.65, "mix": 49, "reads": 100, "writes": 100}
    assert slow_mix(rows(r100=100, r65=50, r0=100)) is None
    assert slow_mix(rows(r100=100, r65=49)) is None
    assert slow_mix(rows(r100=100, r0=100)) is None


# Hits of a cache


def test_hits_are_the_reads_below_three_tenths_of_the_fast_cold_ones() -> None:
    than = Cold(100.0, 0.010, 0.020)
    quick, slow = bin_index(2.9e6), bin_index(12e6)
    assert hits(Tally(bins={quick: 30, slow: 70}), than) == 0.3
    assert hits(Tally(bins={bin_index(3.1e6): 30, slow: 70}), than) == 0.0
    assert hits(Tally(bins={bin_index(5e6): 95, slow: 5}), than) == 1.0, "many parallel hits wait"
    assert hits(Tally(bins={bin_index(5e6): 94, slow: 6}), than) == 0.0
    assert hits(Tally(), than) == 0.0
    assert cold(Counts(2.0, 0.0, Tally(ios=100, bins={slow: 100}), Tally()), 0.25).iops == 37.5


@pytest.mark.parametrize(("share", "gain", "explained"), [(0.5, 2.2, True), (0.5, 2.21, False), (0.0, 1.1, True)])
def test_hits_explain_a_gain_up_to_what_the_misses_alone_take(share: float, gain: float, *, explained: bool) -> None:
    assert explains(share, gain) == explained


# Streams and positions


def test_a_mix_takes_the_weighted_time_of_its_streams() -> None:
    """Of 100 IOs 75 take 1 ms each and 25 take 5 ms: 200 ms, 500 a second."""

    def expected(*rows: streams.Row) -> float | None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(streams, "streams", lambda _: list(rows))
            return streams.expected_iops(SimpleNamespace())  # type: ignore[arg-type]

    fast, slow = streams.Row("a", 75, rung(1000)), streams.Row("b", 25, rung(200))
    assert expected(fast, slow) == 500.0
    assert expected(fast, slow._replace(alone=None)) is None
    assert expected(fast, slow._replace(alone=rung(0))) is None
    assert expected(fast, slow._replace(share_pct=None)) is None
    assert expected(fast, slow._replace(share_pct=0)) == pytest.approx(100 / 0.075)
    assert expected() is None


def test_loads_that_differ_in_their_position_alone_are_one_figure() -> None:
    load = Workload(100, 100, 4 * KiB)
    first = Figures("t", "p", "window", "whole", load, 1, "both", (), None, 2.0, Tally(ios=10))
    second = first._replace(place=2, workload=replace(load, start_bytes=4096), seconds=3.0, tally=Tally(ios=20))
    other = first._replace(workload=replace(load, depth=2))
    whole, alone = together([first, other, second])
    assert (whole.place, whole.seconds, whole.tally.ios, whole.workload) == (0, 5.0, 30, load)
    assert alone is other
