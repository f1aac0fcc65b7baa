"""How far a contour may be off, worked out by hand on two columns of two cells each.

Axes end at 1,000 reads and 1,000 written bytes per second, and the limit is 2 ms. Cells wait 1 or 4 ms: by a straight
line of logarithms the limit is met at a half of the way between them, by a queue (1/wait) at two thirds.
"""

import math

import pytest

from stend.model import service_map
from stend.model.counts import Counts
from stend.model.service_map import Axes, Bracket, Cell, Key, Search
from stend.model.tally import Tally

KEY = Key(99.0, 0.002)
WANTED = Search(Axes(1000.0, 1000.0), (KEY,), 60, 0.05, 10.0)
SHORT, LONG = 0.001, 0.004
HALF, THIRDS = 1 / 2, 2 / 3
MET = (HALF + THIRDS) / 2


def cell(reads: float, writes: float, wait: float | None, why: service_map.Why = "", ios: int = 100) -> Cell:
    return Cell(reads, writes, {99.0: wait}, why, Counts(1.0, 0.0, Tally(ios=ios)))


ALONE = [cell(400, 0, SHORT), cell(600, 0, LONG)]
BESIDE = [cell(100, 500, SHORT), cell(300, 500, LONG)]


@pytest.mark.parametrize(
    ("edges", "reads", "off"),
    [
        (Bracket(400, 600, SHORT, LONG), 400 + 200 * MET, 200 * (THIRDS - HALF) / 2),
        (Bracket(400, 600, SHORT, None), 500, 100),
        (Bracket(400, 600, None, LONG), 500, 100),
        (Bracket(400, 600, SHORT, SHORT), 500, 100),
        (Bracket(400, 600, LONG, SHORT), 500, 100),
        (Bracket(0, 600, None, LONG), 0, 300),
    ],
)
def test_a_contour_crosses_between_two_cells(edges: Bracket, reads: float, off: float) -> None:
    assert service_map.crossing(edges, KEY) == pytest.approx((reads, off))


def test_more_writes_leave_room_for_fewer_reads() -> None:
    ends = {0.0: (400.0, 800.0), 500.0: (500.0, 700.0), 900.0: (100.0, 750.0)}
    edges = {writes: Bracket(held, failed, SHORT, LONG) for writes, (held, failed) in ends.items()}
    assert service_map.bounded(edges, 0.0) == Bracket(500, 800, None, LONG)
    assert service_map.bounded(edges, 500.0) == Bracket(500, 700, SHORT, LONG)
    assert service_map.bounded(edges, 900.0) == Bracket(100, 700, SHORT, None)
    crossed = {0.0: Bracket(100, 200, SHORT, LONG), 500.0: Bracket(200, 400, SHORT, LONG)}
    assert [service_map.bounded(crossed, x) for x in crossed] == [*crossed.values()]


@pytest.mark.parametrize(
    ("held_s", "failed_s", "flat"),
    [
        (0.00196, 0.00205, True),
        (0.0018, 0.00205, False),
        (0.00196, 0.0022, False),
        (None, 0.00205, False),
        (0.00196, None, False),
        (0.00191, 0.0021, True),  # the logarithms of 0.955 and 1.05 are 0.046 and 0.049
        (0.0019, 0.0021, False),  # that of 0.95 is 0.051
    ],
)
def test_waits_within_a_twentieth_of_the_limit_are_flat(
    held_s: float | None, failed_s: float | None, flat: bool
) -> None:
    assert service_map.flat(Bracket(400, 600, held_s, failed_s), KEY) == flat


def test_the_doubt_of_a_map_is_that_of_its_widest_stretch() -> None:
    """A contour is trusted to half of its way to the cells: 400 + 58.3 to 600 - 41.7, and 300 reads lower beside."""
    alone, beside = 400 + 200 * MET, 100 + 200 * MET
    trusted = 200 * MET / 2 / 1000
    steep = 0.5 / (0.5 + 0.3)
    last = 0.5 / (0.5 + beside / 1000)
    first, second = service_map.stretches([*ALONE, *BESIDE], WANTED)
    assert alone - beside == pytest.approx(300)
    assert [one[:3] for one in (first, second)] == [(0.0, 500.0, KEY), (500.0, 1000.0, KEY)]
    assert [first.columns, *first.brackets] == pytest.approx([0.3 * steep, trusted, trusted * steep])
    assert [second.columns, *second.brackets] == pytest.approx([beside / 1000 * last, trusted * last, 0.0])
    assert first.most == pytest.approx(0.3 * steep + trusted)
    assert service_map.doubt([*ALONE, *BESIDE], WANTED) == first.most > second.most
    assert service_map.doubt([], WANTED) == 0.0


def test_a_flat_column_has_no_doubt_of_its_own_and_one_that_fails_from_its_least_reads_has_no_reads() -> None:
    level = [cell(400, 0, 0.00199), cell(600, 0, 0.00201)]
    assert [(s.left, s.right) for s in service_map.stretches([*level, *BESIDE], WANTED)] == [(500, 1000)]
    full = [cell(10, 500, LONG)]
    first, second = service_map.stretches([*ALONE, *full], WANTED)
    reads = (400 + 200 * MET) / 1000
    assert first.columns == pytest.approx(reads * 0.5 / (0.5 + reads))
    assert first.brackets[1] == second.most == 0.0


def test_a_wait_without_end_counts_as_a_second() -> None:
    """A cell that left IOs unsent is known to wait at least as long."""
    endless = [cell(400, 0, SHORT), cell(600, 0, math.inf, "full"), *BESIDE]
    way = (math.log(2) / math.log(1000) + (1 - 1 / 2) / (1 - 1 / 1000)) / 2
    assert service_map.stretches(endless, WANTED)[0].brackets[0] == pytest.approx(200 * (1 - way) / 2 / 1000)


def test_without_a_wait_on_one_side_a_contour_is_anywhere_between_its_cells() -> None:
    first, _ = service_map.stretches([*ALONE[:1], *BESIDE], WANTED)
    assert first.brackets[0] == pytest.approx((1000 - 700) / 1000)


def test_a_column_at_the_end_of_the_axis_is_the_last_one() -> None:
    full = [cell(50, 1000, SHORT), cell(150, 1000, LONG)]
    first, last = service_map.stretches([*ALONE, *BESIDE, *full], WANTED)
    assert (first.right, last.right) == (500, 1000)
    beside, end = 100 + 200 * MET, 50 + 100 * MET
    assert last.columns == pytest.approx((beside - end) / 1000 * 0.5 / (0.5 + (beside - end) / 1000))
    assert last.brackets[1] > 0.0


def test_a_contour_below_the_first_cell_is_anywhere_below_it() -> None:
    assert service_map.bracket([cell(15, 500, LONG)], KEY, 1000)[:2] == (0.0, 15)
    first, _ = service_map.stretches([*ALONE, cell(15, 500, LONG)], WANTED)
    reads = (400 + 200 * MET) / 1000
    assert first.brackets[1] == pytest.approx(0.015 * 0.5 / (0.5 + reads))


def test_halves_of_a_cell_scatter_by_half_of_what_their_logarithms_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        service_map, "percentile_s", lambda tally, percent: {99.0: tally.max_ns / 1e9, 99.9: None}[percent]
    )
    parts = [Counts(1.0, 0.0, Tally(ios=1, max_ns=longest)) for longest in (1_000_000, 4_000_000, 2_000_000)]
    assert service_map.scattered(parts[:2], [99.0, 99.9]) == {99.0: pytest.approx(math.log(2))}
    assert service_map.scattered(parts, [99.0]) == service_map.scattered(parts[:1], [99.0]) == {}
    nothing = [parts[0], Counts(1.0, 0.0, Tally())]
    assert service_map.scattered(nothing, [99.0]) == {}


def test_equal_cells_have_the_geometric_mean_and_those_of_the_host_count_alone_only() -> None:
    equal = [cell(100, 0, 0.001), cell(100, 0, 0.004), cell(100, 0, math.inf, "host")]
    late = [cell(200, 0, 0.01, "host"), cell(300, 0, 0.01, "full"), cell(300, 0, math.inf, "")]
    (column,) = service_map.columns([*late, *equal]).values()
    assert [(c.reads, c.waits[99.0], c.why) for c in column] == [
        (100, pytest.approx(0.002), ""),
        (200, 0.01, "host"),
        (300, pytest.approx(0.1), ""),  # one second at most
    ]


def test_waits_that_fall_are_weighted_by_their_reads() -> None:
    column = [
        cell(100, 0, 0.001),
        cell(200, 0, 0.004, ios=300),
        cell(300, 0, 0.001),
        cell(400, 0, None),
        cell(500, 0, 9.0),
    ]
    shared = 0.001 * 4 ** (300 / 400)
    reads, waits = zip(*service_map.rising(column, 99.0), strict=True)
    assert reads == (100, 200, 300, 500)
    assert waits == pytest.approx((0.001, shared, shared, 1.0))
    three = [cell(100, 0, 0.004), cell(200, 0, 0.002), cell(300, 0, 0.001, ios=200)]
    assert [wait for _, wait in service_map.rising(three, 99.0)] == pytest.approx([0.001 * 2 ** ((2 + 1) / 4)] * 3)


def test_a_column_ends_where_the_host_was_late() -> None:
    late = [*ALONE[:1], cell(500, 0, 0.0, "host"), *ALONE[1:]]
    for column, top, edges in (
        (late, 1000, (400, 500, SHORT, LONG)),
        (ALONE, 1000, (400, 600, SHORT, LONG)),
        (ALONE, 550, (400, 550, SHORT, LONG)),
    ):
        assert service_map.bracket(column, KEY, top) == pytest.approx(edges)
    open_end = service_map.bracket(ALONE[:1], KEY, 1000)
    assert (open_end.failed, open_end.failed_s) == (1000, None)


def test_between_columns_a_contour_is_a_straight_line() -> None:
    points = [(0.0, 500.0), (500.0, 300.0), (1000.0, 0.0)]
    wanted = {0.0: 500.0, 250.0: 400.0, 500.0: 300.0, 900.0: 60.0, 1000.0: 0.0, 1001.0: None, -1.0: None}
    assert {x: service_map.between(points, x) for x in wanted} == wanted
    assert service_map.between([(500.0, 300.0)], 500.0) == 300.0
    assert service_map.between([], 0.0) is None
    ends = service_map.contour([*ALONE, *BESIDE], KEY, WANTED.axes)
    assert [x for x, _ in ends] == [0, 500, 1000]
    assert ends[-1][1] == 0.0


@pytest.mark.parametrize(("percent", "scale", "reads"), [(99.0, 1, 24.0), (99.9, 1, 240.0), (99.0, 16, 384.0)])
def test_a_percentile_needs_ten_reads_beyond_it_and_a_fifth_more(percent: float, scale: int, reads: float) -> None:
    assert service_map.needed(percent, 50.0, scale) == pytest.approx(reads)
    assert service_map.needed(percent, 50.0) == pytest.approx(reads / scale)
