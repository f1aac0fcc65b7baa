"""Boundaries of surveys, estimates, verified content and traces, with values that follow on paper."""

import math
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.units import GB, GiB, KiB, MiB
from stend.model import published
from stend.model.definition import (
    Bytes,
    Capacities,
    Hold,
    Identity,
    Idle,
    Phase,
    Purge,
    Rule,
    Seconds,
    Steady,
    Step,
    Whole,
)
from stend.model.estimate import (
    Speed,
    assumed,
    fresh_seconds,
    phase_seconds,
    round_seconds,
    rule_seconds,
    slowest,
    step_seconds,
    sure_bytes,
)
from stend.model.service_map import Bracket, Key, between, crossing
from stend.model.surveyed import MOST_UNREAD, Cell, Surveyed, Unread, edges, places
from stend.model.tally import Tally
from stend.model.traced import Traced
from stend.model.verified import Verified, folded, of_blocks, summed
from stend.model.workload import Survey, Verify, Workload


def surveying(cells: int, range_bytes: int, places: tuple[tuple[int, int], ...] = ()) -> Workload:
    survey = Survey(cells=cells, reads=1, places=places)
    return Workload(100, 100, 4 * KiB, start_bytes=MiB, range_bytes=range_bytes, survey=survey)


@pytest.mark.parametrize(
    ("cells", "blocks", "starts"), [(3, 10, [0, 3, 6, 10]), (1, 10, [0, 10]), (4, 2, [0, 1, 2]), (5, 0, [0, 1])]
)
def test_cells_of_a_survey_are_whole_blocks(cells: int, blocks: int, starts: list[int]) -> None:
    load = surveying(cells, blocks * 4 * KiB + 100, ((MiB, 512), (5 * MiB, 1024)))
    at = [MiB + start * 4 * KiB for start in starts]
    assert edges(load) == at
    more = [(MiB, MiB + 512), (5 * MiB, 5 * MiB + 1024)]
    assert places(load) == [*pairwise(at), *more]
    plain = replace(load, survey=None)
    assert edges(plain) == [at[0], at[-1]]
    assert places(plain) == [(at[0], at[-1])]


def test_surveys_add_up_and_list_the_first_thousand_unread_places() -> None:
    cell = Cell(data={1: 2}, blank={3: 4}, visits=5, late=2, rare=1)
    assert cell.reads == 6
    bad = tuple(Unread(4096 * n, 4096, 5) for n in range(600))
    first = Surveyed(cells=(cell, Cell()), unread=bad, failed=600, last=True)
    both = first + Surveyed(cells=(cell, cell), unread=bad, failed=700)
    assert both.cells == (Cell({1: 4}, {3: 8}, 10, 4, 2), cell)
    assert (len(both.unread), MOST_UNREAD, both.failed, both.last) == (1000, 1000, 1300, True)
    assert (first + Surveyed(last=False)).last is False
    assert (first + Surveyed()).cells == (Surveyed() + first).cells == first.cells


# Estimates

SPEED = Speed(bytes_per_s=100.0, purge_s=7.0, pause_s=0.5)
WRITES = Workload(0, 0, 128 * KiB, range_bytes=1000)


@pytest.mark.parametrize(
    ("facts", "speed"),
    [
        ({"kind": "block", "interface": "NVMe"}, (1_500_000_000, 60)),
        ({"kind": "block", "interface": "SATA"}, (450_000_000, 60)),
        ({"kind": "block", "interface": "SAS"}, (800_000_000, 60)),
        ({"kind": "block", "interface": "SATA", "rotational": True}, (150_000_000, 60)),
        ({"kind": "file", "interface": ""}, (500_000_000, 1)),
        ({"kind": "virtual", "interface": ""}, (500_000_000, 1)),
        ({"kind": "block", "interface": ""}, (500_000_000, 60)),
    ],
)
def test_a_plan_assumes_a_rate_by_the_kind_of_drive_and_a_fifth_of_it_at_worst(
    facts: dict[str, Any], speed: tuple[float, float]
) -> None:
    drive = Identity(target="/x", path="/x", capacity_bytes=GB, **facts)
    assert (assumed(drive).bytes_per_s, assumed(drive).purge_s) == speed
    assert slowest(drive) == assumed(drive)._replace(bytes_per_s=speed[0] / 5)


@pytest.mark.parametrize(
    ("step", "seconds"),
    [
        (Purge(), 7.0),
        (Idle(seconds=3), 3.5),
        (Hold(workload=WRITES, amount=Seconds(seconds=4)), 4.5),
        (Hold(workload=WRITES, amount=Whole(seconds=5, write_bytes=9)), 5.5),
        (Hold(workload=WRITES, amount=Bytes(bytes=600)), 6.5),
    ],
)
def test_a_step_takes_its_time_and_a_pause(step: Step, seconds: float) -> None:
    assert step_seconds(step, SPEED) == seconds
    assert round_seconds(Phase(name="x", round=(step, step)), SPEED) == 2 * seconds


@pytest.mark.parametrize(
    ("until", "rounds", "choose", "most", "seconds"),
    [
        ((), 3, "", 2, 12.0),
        ((Steady(track=(WRITES,)),), 3, "", 2, 8.0),
        ((Steady(track=(WRITES,)),), 3, "", 5, 12.0),
        ((), 3, "name", 2, 8.0),
        ((Seconds(seconds=5),), 3, "", 9, 5.0),
        ((Bytes(bytes=700), Seconds(seconds=9)), 3, "", 9, 7.0),
        ((Seconds(seconds=50), Steady(track=(WRITES,))), 3, "", 1, 4.0),
    ],
)
def test_a_phase_takes_its_rounds_or_the_time_to_its_first_limit(
    until: tuple[Rule, ...], rounds: int, choose: str, most: int, seconds: float
) -> None:
    held = Hold(workload=WRITES, amount=Seconds(seconds=3.5))
    phase = Phase(name="x", round=(held,), until=until, rounds=rounds, choose=choose)
    assert phase_seconds(phase, SPEED, most) == seconds
    assert rule_seconds(Capacities(times=1), SPEED) == math.inf


@pytest.mark.parametrize(
    ("load", "size", "written"),
    [
        (WRITES, 400, 1200),
        (replace(WRITES, read_pct=100), 400, 0),
        (replace(WRITES, read_pct=50), 400, 0),
        (replace(WRITES, range_bytes=1000 * 512, block_bytes=512, verify=Verify()), 400 * 512, 1000 * 512),
        (replace(WRITES, range_bytes=1000 * 512, block_bytes=512, verify=Verify()), 300 * 512, 900 * 512),
        (replace(WRITES, range_bytes=1000 * 512, block_bytes=512, verify=Verify()), 1000 * 512, 1000 * 512),
        (replace(WRITES, range_bytes=1000 * 512, block_bytes=512, verify=Verify()), 2000 * 512, 6000 * 512),
    ],
)
def test_the_bytes_that_a_phase_writes_on_any_drive_are_those_of_its_untimed_writes(
    load: Workload, size: int, written: int
) -> None:
    """Three rounds. Verified content that continues from round to round ends with its range."""
    held = (Hold(workload=load, amount=Bytes(bytes=size)), Hold(workload=load, amount=Seconds(seconds=9)))
    phase = Phase(name="x", round=held, rounds=3)
    assert sure_bytes(phase) == written
    played = Hold(workload=WRITES, amount=Whole(seconds=1, write_bytes=7))
    assert sure_bytes(replace(phase, round=(*held, played))) == written + 3 * 7
    once = sure_bytes(replace(phase, round=(*held, played), choose="name"))
    assert once == (size if written else 0) + 7


def test_random_writes_of_a_fresh_drive_slow_down_after_a_capacity() -> None:
    """Full rate up to 1.1 capacities, then it decays to three tenths: the time is the integral of its inverse."""

    def rate(fills: float) -> float:
        return 0.3 + 0.7 * math.exp(-max(fills - 1.1, 0.0) / 0.8)

    assert fresh_seconds(0.0, 1.0, 50.0) == pytest.approx(50.0)
    for begin, more in ((0.0, 2.0), (1.5, 0.5), (1.9, 2.0), (0.5, 0.01)):
        parts = [rate(begin + more * (n + 0.5) / 5000) for n in range(5000)]
        exact = 50.0 * rate(begin) * sum(more / 5000 / part for part in parts)
        assert fresh_seconds(begin, more, 50.0) == pytest.approx(exact, rel=1e-3)
    assert fresh_seconds(40.0, 1.0, 50.0, floor=0.1) == pytest.approx(50.0)


# Verified content and traces


def test_bad_blocks_that_touch_are_one_range_and_the_nearest_ones_if_there_are_too_many() -> None:
    parts = [of_blocks("zeroed", 512 * first, count) for first, count in ((0, 2), (2, 1), (10, 1), (12, 1), (30, 1))]
    every = folded(reversed(parts))
    assert [(part.first_bytes // 512, part.end_bytes // 512, part.blocks) for part in every] == [
        (0, 3, 3), (10, 11, 1), (12, 13, 1), (30, 31, 1),
    ]  # fmt: skip
    assert [(p.first_bytes // 512, p.end_bytes // 512, p.blocks) for p in folded(parts, 3)] == [
        (0, 3, 3),
        (10, 13, 2),
        (30, 31, 1),
    ]
    assert [(p.first_bytes // 512, p.end_bytes // 512, p.blocks) for p in folded(parts, 2)] == [(0, 13, 5), (30, 31, 1)]
    mixed = [of_blocks("wrapped", 0, 1, distance_bytes=512), of_blocks("wrapped", 512, 1, distance_bytes=1024),
             of_blocks("flipped", 1024, 1, bits=2), of_blocks("flipped", 1536, 2, bits=3)]  # fmt: skip
    assert folded(mixed) == (*mixed[:2], of_blocks("flipped", 1024, 3, bits=5))
    whole = summed([Verified(blocks=10, bad=tuple(mixed)), Verified(blocks=5, bad=tuple(parts))])
    assert (whole.blocks, whole.count(), whole.count("flipped"), whole.count("wrapped", "zeroed")) == (15, 11, 3, 8)


def test_kinds_that_alternate_too_often_have_a_range_each() -> None:
    kinds = ("zeroed", "dropped")
    rows = [of_blocks(kinds[n % 2], 1024 * n, 1 + n % 2) for n in range(10)]  # type: ignore[arg-type]
    assert [(r.fault, r.first_bytes, r.end_bytes, r.blocks) for r in folded(rows, 1)] == [
        ("zeroed", 0, 1024 * 8 + 512, 5), ("dropped", 1024, 1024 * 10, 10),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reads", "writes", "share"), [(0, 0, 0), (0, 9, 0), (9, 0, 100), (1, 999, 1), (999, 1, 99), (1, 3, 25), (3, 1, 75)]
)
def test_a_trace_has_no_reads_or_no_writes_only_if_it_has_none(reads: int, writes: int, share: int) -> None:
    both = (Tally(ios=reads, bins={5: reads} if reads else {}), Tally(ios=writes, bins={7: writes} if writes else {}))
    trace = Traced(
        number="",
        name="",
        source="",
        ios=reads + writes,
        seconds=1,
        read=both[0],
        write=both[1],
        span_bytes=1,
        longest_bytes=512,
    )
    assert (trace.read_pct, trace.timed) == (share, reads + writes)


# Published figures


def test_a_published_figure_is_the_middle_of_its_range_in_base_units() -> None:
    facts = {
        "throughput": {"128K 100": 100},
        "throughput_mb": {"128K 100": 7, "128K 0": [200, 300]},
        "iops": {"4K 65": 5},
        "latency": {"avg 4K 100": [80, 120]},
        "servers": {"file raid10": 9},
        "steps": {"cache_gib": 2},
    }
    assert published.figure(facts, "seq_read") == 100 * MiB, "the first place that has it"
    assert published.span(facts, "seq_write") == (200e6, 300e6)
    assert published.figure(facts, "seq_write") == 250e6
    assert published.figure(facts, "read_wait") == pytest.approx(100e-6)
    assert (published.figure(facts, "server"), published.figure(facts, "cache_bytes")) == (9.0, 2 * GiB)
    assert published.figure(facts, "reads") is None
    assert published.figure(facts, "nothing") is None
    assert (published.ends([3, 1, 2]), published.ends(4), published.middle([1, 2])) == ((1.0, 3.0), (4.0, 4.0), 1.5)


@pytest.mark.parametrize(("conditions", "known"), [({}, True), ({"fill": True}, True), ({"fill": False}, False)])
def test_a_figure_of_a_full_drive_is_none_of_a_publication_that_did_not_fill_it(
    conditions: dict[str, bool], *, known: bool
) -> None:
    facts = {"iops": {"4K 65": 5, "4K 0": 6, "4K 100": 7}, "conditions": conditions}
    assert published.filled(facts) == published.filled({"conditions": conditions}) == known
    assert published.span(facts, "mix") == ((5.0, 5.0) if known else None)
    assert published.span(facts, "filled_writes") == ((6.0, 6.0) if known else None)
    assert published.span(facts, "reads") == (7.0, 7.0)


# Contours of a service map


@pytest.mark.parametrize(
    ("bracket", "rate", "doubt"),
    [
        (Bracket(100, 200, 0.001, 0.1), 100 + 100 * (0.5 + 0.9 / 0.99) / 2, 100 * (0.9 / 0.99 - 0.5) / 2),
        (Bracket(0, 200, None, 0.1), 0.0, 100.0),
        (Bracket(100, 200, None, 0.1), 150.0, 50.0),
        (Bracket(100, 200, 0.001, None), 150.0, 50.0),
        (Bracket(100, 200, 0.02, 0.02), 150.0, 50.0),
    ],
)
def test_a_contour_crosses_a_bracket_between_a_growing_and_a_queueing_wait(
    bracket: Bracket, rate: float, doubt: float
) -> None:
    """The limit of 10 ms is half of the way from 1 to 100 ms in logarithms, and 10 / 11 of it in inverses."""
    assert crossing(bracket, Key(99.0, 0.01)) == pytest.approx((rate, doubt))


def test_a_contour_is_known_on_the_lines_between_its_points() -> None:
    points = [(0.0, 100.0), (10.0, 50.0), (10.0, 40.0), (20.0, 0.0)]
    assert [between(points, x) for x in (0.0, 5.0, 10.0, 15.0, 20.0, 21.0)] == [100, 75, 50, 20, 0, None]
    assert between([(3.0, 7.0)], 3.0) == 7.0
    assert between([(3.0, 7.0)], 2.0) is None
    assert between([(10.0, 40.0), (10.0, 30.0)], 10.0) == 40.0
