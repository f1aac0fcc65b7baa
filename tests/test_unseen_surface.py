"""Boundaries of surfaces and of named figures, with values that follow on paper."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.base.units import GiB, KiB
from stend.findings import Finding, look
from stend.findings.judgement.named import Named, of_findings
from stend.findings.look import remains
from stend.many.sides import _unstated
from stend.model import surface
from stend.model.definition import Hold, Seconds
from stend.model.surface import Band, Strip
from stend.model.surveyed import Cell, Surveyed, Unread
from stend.model.workload import Survey, Workload
from stend.words import Sentence
from tests.synthetic import Truth, made

BLOCK = 4 * KiB


def visited(*cells: tuple[int, int]) -> list[Strip]:
    """Parts of a block each, by their visits and the late ones among them."""
    strips = []
    for n, (visits, late) in enumerate(cells):
        cell = Cell(data={40: visits}, visits=visits, late=late)
        strips.append(Strip(n * BLOCK, (n + 1) * BLOCK, cell, (cell,)))
    return strips


def test_a_median_is_interpolated_within_its_bin() -> None:
    """Coarse bin 20 is fio's bins 160 to 167: 192 to 208 ns. Bin 21 ends at 224 ns."""
    counts = np.zeros(surface.COARSE, np.int64)
    assert surface.median_s(counts) == 0.0
    counts[20] = 10
    assert surface.median_s(counts) == pytest.approx(200e-9)
    assert surface.upper_s(20) == pytest.approx(208e-9)
    counts[21] = 10
    assert surface.median_s(counts) == pytest.approx(208e-9)
    counts[21] = 30
    assert surface.median_s(counts) == pytest.approx((208 + 16 / 3) * 1e-9)


@pytest.mark.parametrize(("data", "blank", "kind"), [(3, 2, "data"), (2, 2, "data"), (2, 3, "blank"), (0, 0, "data")])
def test_a_surface_is_of_data_unless_most_reads_met_zeros(data: int, blank: int, kind: str) -> None:
    parts = [Strip(0, 1, Cell(data={5: data} if data else {}, blank={5: blank} if blank else {}))]
    assert surface.main_kind(parts) == kind
    assert surface.table(parts, kind)[0, 5] == max(data, blank)


def test_unreadable_places_that_touch_are_one_and_those_that_were_readable_come_last() -> None:
    places = [
        Unread(8, 4, 5),
        Unread(0, 4, 7),
        Unread(4, 2, 9),
        Unread(6, 1, 5, again=True),
        Unread(13, 4, 5),
        Unread(10, 1, 5),
    ]
    assert surface.merged(places) == [Unread(0, 6, 7), Unread(8, 4, 5), Unread(13, 4, 5), Unread(6, 1, 5, again=True)]
    assert surface.merged([]) == []


def test_stretches_are_examined_up_to_a_quarter_of_the_drive() -> None:
    assert surface.lengths(40) == [1, 2, 3, 4, 5, 6, 8, 10]
    assert surface.lengths(16) == [1, 2, 3, 4]
    assert surface.lengths(3) == surface.lengths(7) == [1]
    assert surface._proof(7) == pytest.approx(math.log(7 / 0.001))
    assert surface._proof(8) == pytest.approx(math.log((8 + 7) / 0.001))


def test_the_chance_of_late_visits_is_the_binomial_one() -> None:
    """Three coins: two heads or more in four of eight cases."""
    assert surface.at_least(2, 3, 0.5) == pytest.approx(0.5)
    assert surface.at_least(0, 3, 0.5) == pytest.approx(1.0)
    assert surface.at_least(3, 3, 0.25) == pytest.approx(1 / 64)
    assert surface.at_least(4, 3, 0.5) == 0.0
    assert max(surface.at_least(0, visits, 0.3) for visits in range(1, 80)) <= 1.0, (
        "rounding makes none surer than sure"
    )
    assert surface._several([0.5, 0.5, 0.5]) == pytest.approx(0.5)
    assert surface._several([0.25, 0.5]) == pytest.approx(0.125)
    assert surface._several([0.25]) == 0.25, "all, if there are fewer than two"


@pytest.mark.parametrize(
    ("usual", "least", "level"), [(0.1, 0.5, 0.3), (0.0001, 0.005, 0.005), (0.0005, 0.005, 0.005), (0.001, 0.005, 0.01)]
)
def test_a_stretch_is_reported_above_the_middle_or_ten_times_what_is_usual(
    usual: float, least: float, level: float
) -> None:
    assert surface._level(usual, least) == pytest.approx(level)


def test_the_divergence_of_two_shares_is_that_of_kullback_and_leibler() -> None:
    nats = surface._divergence(np.array([0.5, 0.25, 0.1, 1.0]), 0.25)
    assert nats.tolist() == pytest.approx([0.5 * math.log(2) + 0.5 * math.log(2 / 3), 0.0, 0.0, math.log(4)], abs=1e-9)


def test_neighbouring_stretches_are_one() -> None:
    assert surface._joined([(3, 4), (1, 3), (5, 6)]) == [(1, 4), (5, 6)]
    assert surface._joined([]) == []


@pytest.mark.parametrize(("factor", "found"), [(2.01, [(7, 9)]), (1.99, [])])
def test_of_blocks_read_in_order_parts_are_slow_that_take_twice_as_long_as_those_around_them(
    factor: float, found: list[tuple[int, int]]
) -> None:
    """A bin is an eighth of an octave: 1,024 reads of bin 40 about 1 us; as many of a later one take longer."""
    usual = surface.median_s(surface.table([Strip(0, 1, Cell(data={40: 10}))], "data")[0])
    bins = {
        n: surface.median_s(surface.table([Strip(0, 1, Cell(data={n: 10}))], "data")[0]) / usual for n in range(40, 60)
    }
    slow = min(bins, key=lambda n: abs(bins[n] - (2.0 if factor > 2 else 1.9)))
    parts = [Strip(n * BLOCK, (n + 1) * BLOCK, Cell(data={slow if n in (7, 8) else 40: 10})) for n in range(20)]
    assert surface._slower(parts) == found
    assert [(band.kind, band.first_bytes, band.end_bytes, band.share) for band in surface.bands(parts)] == [
        ("slow", first * BLOCK, end * BLOCK, 1.0) for first, end in found
    ]


def test_the_usual_share_is_that_of_the_middle_half() -> None:
    """Of eight parts the two with the fewest and the two with the most late visits do not count."""
    visits, late = np.full(8, 100), np.array([0, 0, 10, 20, 30, 40, 100, 100])
    assert surface._usual_share(visits, late) == pytest.approx(100 / 400)
    assert surface._usual_share(np.zeros(8, np.int64), np.zeros(8, np.int64)) == 1.0
    assert surface._usual_share(visits, np.zeros(8, np.int64)) == pytest.approx(0.5 / 400), (
        "half a visit if none is late"
    )


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        ([(20, 10), (8, 3), (0, 0), (100, 0)], False),
        ([(0, 0), (8, 3), (20, 10), (100, 0)], False),
        ([(20, 0), (8, 3), (0, 0), (100, 0)], True),
        ([(20, 0), (8, 1), (20, 0), (100, 0)], False),
        ([(20, 0), (13, 3), (0, 0), (100, 0)], False),
        ([(20, 0), (12, 3), (0, 0), (100, 0)], True),
        ([(20, 0), (0, 0), (0, 0), (100, 0)], None),
    ],
)
def test_a_second_reading_shows_a_stretch_by_the_share_of_all_places_beside_it(
    cells: list[tuple[int, int]], shown: bool | None
) -> None:
    """A quarter of the visits must be late, two at least, and more than chance gives with a hundredth at the others'
    share: 3 of 8 have 0.00003 at a share of 0.5 / 121, and 0.026 at 10.5 / 121."""
    load = Workload(100, 100, BLOCK, range_bytes=4 * BLOCK, survey=Survey(cells=4, reads=4))
    counted = tuple(Cell(visits=visits, late=late) for visits, late in cells)
    result: Any = SimpleNamespace(step=Hold(workload=load, amount=Seconds(seconds=1)), places=Surveyed(cells=counted))
    band = Band("slow", BLOCK, 2 * BLOCK, 0.0, 0.0, 0.5, 0.0, 9)
    assert surface.again(band, [result]) is shown


def test_rounds_of_a_part_add_up_and_the_surveys_of_other_results_do_not_count() -> None:
    load = Workload(100, 100, BLOCK, range_bytes=2 * BLOCK, survey=Survey(cells=2, reads=4))
    cells = Cell(visits=1, late=1), Cell(visits=2)
    result: Any = SimpleNamespace(
        step=Hold(workload=load, amount=Seconds(seconds=1)), places=Surveyed(cells=cells, failed=3)
    )
    plain: Any = SimpleNamespace(step=result.step, places=None)
    first, second = surface.strips([result, plain, result])
    assert (first.first_bytes, first.end_bytes, first.cell, first.rounds) == (
        0,
        BLOCK,
        Cell(visits=2, late=2),
        (cells[0],) * 2,
    )
    assert (second.first_bytes, second.cell.visits) == (BLOCK, 4)
    assert (surface.surveyed([result, plain, result]).failed, surface.surveyed([result]).cells) == (6, ())


@pytest.mark.parametrize(
    ("share", "visits"), [(1 / 16, 0), (2 / 16, 8), (2.9 / 16, 8), (3 / 16, 16), (4 / 16, 24), (9 / 16, 32)]
)
def test_a_stretch_of_a_share_has_a_part_less_than_it_covers_wherever_it_is(share: float, visits: int) -> None:
    """Of 16 parts with 8 visits each; stretches of at most a quarter are examined.

    Of 8 visits 5 must be late, which half of them are with 93 / 256, and in the round 2, which are with 247 / 256.
    """
    found = surface.power(visited(*[(8, 0)] * 16), share)
    assert (found.share, found.visits) == (share, visits)
    assert (found.probability > 0, found.late > 0) == (visits > 0, visits > 0)
    if visits == 8:
        assert found.late == 5
        assert found.probability == pytest.approx((93 + 247) / 256 - 1)


# Named figures


def named(name: str, key: str, **values: Any) -> dict[str, Any]:
    every = list(of_findings([Finding(name=name, key=key, test="t", values=values)]))
    assert all(item.test == "t" and item.row is None for item in every)
    return {item.name: item.value for item in every}


def test_a_fast_cache_has_its_size_and_levels() -> None:
    levels = {"state": "fresh", "share": 0.3, "size": 5, "first": 900, "last": 100}
    whole = {"cache_share": 0.3, "cache_bytes": 5, "cache_first": 900}
    for key in ("steps", "about", "first", "flat"):
        assert named("slc_cache", key, **levels) == whole
        assert named("slc_cache", key, **levels, rest=[400, 200]) == whole | {"cache_next": 400, "cache_last": 200}
    assert named("slc_cache", "flat", state="fresh", first=900) == whole | {"cache_share": 0.0, "cache_bytes": 0.0}
    assert named("slc_cache", "gradual", **levels) == {"cache_begin": 900, "cache_end": 100}
    rested = levels | {"state": "rested"}
    assert named("slc_cache", "about", **rested) == {"rested_bytes": 5, "rested_first": 900}
    assert named("slc_cache", "flat", **rested) == named("slc_cache", "gradual", **rested) == {}


@pytest.mark.parametrize(
    ("mix", "key", "gain", "told"),
    [
        ("100/0", "gains", 4.0, {"hot_gain": 4.0, "hot_hits": 0.7, "hot_bytes": 9}),
        ("100/0", "none", 1.05, {"hot_gain": 1.05, "hot_hits": 0.0, "hot_bytes": 9}),
        ("100/0", "none", 1.2, {"hot_gain": 1.2, "hot_hits": 0.7, "hot_bytes": 9}),
        ("35/65", "gains", 4.0, {"warm_mixed": 4.0, "warm_wait": 0.75}),
        ("0/100", "gains", 4.0, {"warm_writes": 4.0}),
        ("100/0", "short", 4.0, {}),
    ],
)
def test_a_hot_range_gained_by_its_share_of_reads(mix: str, key: str, gain: float, told: dict[str, float]) -> None:
    assert named("hot_range", key, mix=mix, gain=gain, hits=0.7, range=9) == told


def test_rests_give_levels_and_what_longer_ones_give() -> None:
    values = {"levels": {"5": 300, "10": 500, "60": 480, "300": 470}, "befores": {"5": 200}, "fresh": 1000,
              "before": 210, "best": 500, "best_rest": 10.0, "low": 450, "high": 550}  # fmt: skip
    told = named("idle_recovery", "partly", **values)
    assert told == {
        "back": 0.3, "back_rest": 5.0, "back_iops": 300, "unrested": 200, "back_gain": 1.5, "rested_before": 210,
        "rested": 500, "rested_rest": 10.0, "rested_enough": None, "rested_less": 470, "rested_less_rest": 300.0,
        "rested_low": 450, "rested_high": 550, "rested_share": 0.5, "full_rest": None, "rested_of": 1000,
    }  # fmt: skip
    enough = named("idle_recovery", "recovers", **values | {"levels": {"5": 300, "10": 500, "60": 475}, "needed": 10.0})
    assert (enough["rested_enough"], enough["rested_less"], enough["rested_less_rest"]) == (500, None, None)
    assert (enough["rested_share"], enough["full_rest"]) == (None, 10.0)
    last = named("idle_recovery", "partly", **values | {"levels": {"5": 300, "10": 500}})
    assert (last["rested_enough"], last["rested_less"]) == (None, None), "no longer rest was measured"
    assert named("idle_recovery", "because", **values) == {}
    assert named("idle_recovery", "short") == {}


@pytest.mark.parametrize(
    ("blur", "level", "knee_s", "known"),
    [(0.0, 1000, 90.0, True), (0.0, 1099, 90.0, True), (0.0, 1100, 90.0, False), (0.0, 901, 59.0, True),
     (0.0, 899, 90.0, False), (0.9, 1000, 90.0, False)],
)  # fmt: skip
def test_a_knee_is_known_where_its_level_is_that_of_the_start(
    blur: float, level: float, knee_s: float, *, known: bool
) -> None:
    course = [SimpleNamespace(values={"rate": rate, "s": s}) for rate, s in ((9, 1), (8, 2), (7, 3))]
    values = {"blur": blur, "level": level, "start": 1000, "knee_s": knee_s, "knee_bytes": 5}
    brief = knee_s if knee_s < 60 else None
    place = {"knee_s": knee_s, "knee_bytes": 5, "brief_s": brief}
    assert named("saturation", "knee", **values, levels=course) == (place | {"later": 7, "later_s": 3} if known else {})
    assert named("saturation", "knees", **values, levels=course[:1]) == (place if known else {})
    assert named("saturation", "flat", **values, levels=course) == {}


@pytest.mark.parametrize(
    ("key", "told"),
    [("rate", {"journal_rate": 7, "journal_wait": 0.1}), ("slowed", {"journal_reads": 0.1}),
     ("unmoved", {"journal_reads": 0.1}),
     ("free", {"flush_free": 1.0}), ("free_fast", {"flush_free": 1.0}), ("costs", {"flush_free": 0.0}),
     ("through", {"flush_free": 0.0}), ("other", {})],
)  # fmt: skip
def test_a_journal_has_its_rate_its_slow_writes_and_whether_a_flush_is_free(key: str, told: dict[str, float]) -> None:
    assert named("journal", key, iops=7, p99_s=0.1) == told


def test_both_ends_of_a_disk_are_known_unless_it_was_measured_partly() -> None:
    ends = {"outer": 200.0, "inner": 100.0}
    assert named("zones", "zoned", **ends) == ends
    assert named("zones", "partly", **ends) == {}
    spot = {"low": 50.0, "low_from": 0.2, "low_to": 0.3}
    named_spot = {"spot_rate": 50.0, "spot_from": 0.2, "spot_to": 0.3}
    assert named("zones", "spot", **ends, **spot) == named_spot | ends
    assert named("zones", "slower", **spot) == named_spot
    assert Named("outer", None, "t").row is None


def test_the_rest_of_a_fill_is_its_bytes_over_its_time() -> None:
    run = made("slc-cache", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60)
    (record,) = look.records(run, "slc-cache", "fresh")
    counts, size = record.counts, record.counts.write.bytes / 4
    for rest_s in (0.5, 3.0):
        values = {"state": "fresh", "size": size, "first": size / (counts.seconds - rest_s), "last": 7.0}
        assert remains.after(run, "slc-cache", values) == pytest.approx(3 * size / rest_s)
    assert remains.after(run, "slc-cache", values | {"first": size / (counts.seconds + 1)}) == 7.0
    assert remains.after(run, "slc-cache", values | {"state": "other"}) == 7.0


@pytest.mark.parametrize(
    ("lack", "unstated"),
    [(Sentence("stopped"), False), ("not told: depth", True), ("told: depth", False)],
)
def test_the_note_that_lists_unknown_settings_is_known_by_its_key_or_its_old_text(lack: Any, *, unstated: bool) -> None:
    told = lack if isinstance(lack, Sentence) else SimpleNamespace(key="", startswith=lack.startswith)
    assert _unstated(told) is unstated  # type: ignore[arg-type]
