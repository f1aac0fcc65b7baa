"""Parts of engines by arithmetic on paper: surveys, their visits, requests of traces, totals of arrays and of fio."""

from collections.abc import Iterator
from itertools import islice
from math import gcd
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from stend.base.errors import BadInput, StepFailed
from stend.base.units import KiB, MiB
from stend.engines import _fio_json as fio_json
from stend.engines import _room, mapped
from stend.engines.survey import visits
from stend.engines.survey.collected import Collected, Visited
from stend.engines.tallied import tally
from stend.model.bins import bin_index
from stend.model.surveyed import Unread
from stend.model.tally import Tally
from stend.model.workload import Survey, Workload
from stend.trace.form import DISCARD, FLUSH, FUA, READ, WRITE

US, MS = 1000, 1_000_000


def surveyed(cells: int = 2, reads: int = 4, places: Any = ((0, 4096),), **more: Any) -> Workload:
    load = {
        "random_pct": 100,
        "read_pct": 100,
        "block_bytes": 4096,
        "threads": 1,
        "depth": 1,
        "range_bytes": cells * 40_960,
    }
    return Workload(**(load | more), survey=Survey(cells=cells, reads=reads, places=places))


def visit(ns: float | list[float], cell: int = 0, *, blank: bool = False, whole: bool = True) -> Visited:
    times = [int(one) for one in (ns if isinstance(ns, list) else [ns] * 4)]
    return Visited(cell, times, [blank] * len(times), whole)


def late(*every: Visited, before: tuple[Visited, ...] = ()) -> list[tuple[int, int, int]]:
    """Visits, late ones and rare ones of each cell and place, after earlier moments."""
    collected = Collected(surveyed())
    for one in before:
        collected.add(one, 4096)
    collected.taken()
    for one in every:
        collected.add(one, 4096)
    return [(cell.visits, cell.late, cell.rare) for cell in collected.taken().cells]


USUAL = (visit(100 * US),) * 8
"""A moment of eight visits of four reads, whose median is 100 us."""


@pytest.mark.parametrize(
    ("ns", "counted"),
    [
        (199_999, (0, 0)), (200_000, (1, 0)), (999_999, (1, 0)), (1_000_000, (1, 1)),
        ([100_000, 100_000, 100_000, 999_999], (0, 0)), ([100_000, 100_000, 100_000, 1_000_000], (0, 1)),
        ([100_000, 100_000, 200_000, 200_000], (1, 0)), ([100_000, 200_000], (1, 0)),
        ([100_000, 100_000, 200_000], (0, 0)),
    ],
)  # fmt: skip
def test_a_visit_is_late_if_half_of_its_reads_take_twice_the_median_and_rare_if_one_takes_ten_times(
    ns: float | list[float], counted: tuple[int, int]
) -> None:
    assert late(visit(ns, 1), before=USUAL) == [(0, 0, 0), (1, *counted), (0, 0, 0)]


def test_fewer_than_eight_visits_are_compared_with_the_moment_before() -> None:
    seven, eight = (visit(300 * US),) * 7, (visit(300 * US),) * 8
    assert late(*seven, before=USUAL)[0] == (7, 7, 0)
    assert late(*eight, before=USUAL)[0] == (8, 0, 0)
    assert late(*seven)[0] == (7, 0, 0), "the first moment has nothing before it"


def test_visits_to_places_are_compared_with_the_range_and_only_alone_with_each_other() -> None:
    places = (visit(500 * US, 2),) * 9
    assert late(*USUAL, *places) == [(8, 0, 0), (0, 0, 0), (9, 9, 0)]
    assert late(*places) == [(0, 0, 0), (0, 0, 0), (9, 0, 0)]


@pytest.mark.parametrize(
    ("ns", "usual", "counted"),
    [
        (999_999, USUAL, 0), (1_000_000, USUAL, 1), (9 * MS, (visit(5 * MS),) * 8, 0),
        (10 * MS, (visit(5 * MS),) * 8, 1),
        (6 * MS, (visit(3 * MS, blank=True),) * 8, 1), (5_999_999, (visit(3 * MS, blank=True),) * 8, 0),
    ],
)  # fmt: skip
def test_a_read_of_zeros_is_slow_from_a_millisecond_and_from_twice_the_median_on(
    ns: float, usual: tuple[Visited, ...], counted: int
) -> None:
    """Flash answers a block that was never written at once, and a disk like any other."""
    quick = (visit(10 * US, blank=True),) * 8
    before = usual if usual[0].blank[0] else (*usual, *quick)
    assert late(visit(ns, 1, blank=True), before=before)[1] == (1, counted, 0)


def test_reads_of_data_are_compared_with_those_of_zeros_until_there_are_others() -> None:
    zeros = (visit(100 * US, blank=True),) * 8
    mixed = Visited(1, [100_000, 100_000, 300_000, 300_000], [True, True, False, False])
    assert late(*zeros, mixed)[1] == (1, 0, 0), "the first reads of data are their own level"
    assert late(*zeros, visit(100 * US, 1), visit(250 * US, 1), visit(250 * US, 1))[1] == (3, 0, 0)


def test_thirty_two_visits_are_a_moment() -> None:
    collected = Collected(surveyed())
    for number in range(40):
        collected.add(visit(100 * US if number < 32 else 500 * US), 4096)
        assert len(collected.moment) == (number + 1) % 32
    assert [(cell.visits, cell.late) for cell in collected.taken().cells] == [(40, 0), (0, 0), (0, 0)]
    assert collected.levels == [500 * US, 0.0]


def test_failed_and_empty_visits_are_compared_with_none() -> None:
    assert late(visit(900 * US, whole=False), visit([]), before=USUAL)[0] == (0, 0, 0)
    ordered = Collected(surveyed(reads=0))
    ordered.add(visit(100 * US), 4096)
    assert (ordered.moment, [cell.visits for cell in ordered.taken().cells]) == ([], [0, 0, 0])


def test_a_visit_is_counted_by_cell_content_and_time_and_once() -> None:
    collected = Collected(surveyed())
    mixed = Visited(1, [100, 3000, 3001, 5000], [False, True, False, False])
    total = collected.add(mixed, 512)
    squares = 100**2 + 3000**2 + 3001**2 + 5000**2
    bins = {bin_index(100): 1, bin_index(3000): 2, bin_index(5000): 1}
    assert total == Tally(4, 2048, 11_101.0, squares, 5000.0, bins)
    assert collected.add(Visited(0, [], []), 512) == Tally()
    collected.fail([Unread(0, 512, 5)] * 700)
    collected.fail([Unread(0, 512, 5)] * 700)
    collected.last = False
    done = collected.taken()
    assert (done.cells[1].data, done.cells[1].blank) == (
        {bin_index(ns) >> 3: 1 for ns in (100, 3001, 5000)}, {bin_index(3000) >> 3: 1},
    )  # fmt: skip
    assert (len(done.unread), done.failed, done.last) == (1000, 2, False)
    again = collected.taken()
    assert (again.unread, again.failed, again.last, sum(cell.reads + cell.visits for cell in again.cells)) == (
        (),
        0,
        None,
        0,
    )


# Visits


@pytest.mark.parametrize(("cells", "from_bytes"), [(1, 0), (3, 0), (3, 5 * 4096), (3, 5 * 4096 + 100), (2, 300 * 4096)])
def test_a_survey_of_every_block_reads_each_once_in_order(cells: int, from_bytes: int) -> None:
    load = surveyed(cells, 0, range_bytes=300 * 4096 + 512, start_bytes=4096)
    found = [(int(at), one.cell) for one in visits.visits(load, 1, from_bytes) for at in one.offsets]
    first = from_bytes // 4096
    expected = [(4096 + n * 4096, n * cells // 300) for n in range(first, 300)] + [(4096 + 299 * 4096 + 512, cells - 1)]
    assert found == expected
    sizes = [len(one.offsets) for one in visits.visits(load, 1, from_bytes)]
    assert max(sizes) == (64 if from_bytes < 200 * 4096 else 1)
    whole = surveyed(cells, 0, range_bytes=300 * 4096)
    assert sum(len(one.offsets) for one in visits.visits(whole, 1)) == 300


def test_a_sampled_survey_begins_at_the_end_and_goes_to_each_place_in_turn() -> None:
    load = surveyed(5, 3, ((0, 8192), (8192, 4096)), start_bytes=8192)
    first, *rest = islice(visits.visits(load, 7), 41)
    assert (first.cell, list(first.offsets)) == (4, [8192 + load.range_bytes - 4096])
    assert [one.cell - 5 for one in rest[3::4]] == [0, 1] * 5
    spread = [one.cell for n, one in enumerate(rest) if n % 4 != 3]
    assert all({*spread[n : n + 5]} == {0, 1, 2, 3, 4} for n in range(0, 30, 5))
    for one in rest:
        begin, end = [(8192 + n * 40_960, 8192 + (n + 1) * 40_960) for n in range(5)][one.cell] if one.cell < 5 else (
            [(0, 8192), (8192, 12_288)][one.cell - 5]
        )  # fmt: skip
        assert len(one.offsets) == 3
        assert all(begin <= at < end and at % 4096 == 0 for at in one.offsets)
        assert list(one.offsets) == sorted(one.offsets)
    assert {int(at) for one in rest if one.cell == 5 for at in one.offsets} == {0, 4096}
    assert {one.cell for one in islice(visits.visits(surveyed(2, 1, ()), 7), 20)} == {0, 1}


def test_a_place_smaller_than_a_block_is_read_at_its_first_byte() -> None:
    dice = np.random.default_rng(1)
    assert list(visits._drawn(dice, 512, 1024, 4096, 2)) == [512, 512]
    assert {int(at) for at in visits._drawn(dice, 0, 8192, 4096, 60)} == {0, 4096}


@pytest.mark.parametrize("cells", [1, 2, 5, 67])
def test_each_pass_has_a_step_near_the_golden_section(cells: int) -> None:
    """Of the steps that visit every cell, the sixteen nearest to 0.618 of the cells are drawn."""
    passes = visits._passes(surveyed(cells), np.random.default_rng(3))
    order = [[cell for cell, *_ in islice(passes, cells)] for _ in range(400)]
    assert all(sorted(one) == list(range(cells)) for one in order)
    if cells > 1:
        coprime = [n for n in range(1, cells) if gcd(n, cells) == 1]
        nearest = sorted(coprime, key=lambda n: abs(n / cells - 0.6180339887))[:16]
        assert {(one[1] - one[0]) % cells for one in order} == {*nearest}
        assert {one[0] for one in order} == {*range(cells)}


# Totals


@pytest.mark.parametrize(("longest", "told"), [(149.5, 149.5), (9.0, 148.0), (1e9, 149.0)])
def test_the_longest_response_is_in_the_highest_bin(longest: float, told: float) -> None:
    """From 128 ns to 256 ns fio has 64 bins of 2 ns: that of 149 ns begins at 148."""
    bins = np.zeros(200, np.int64)
    bins[[3, bin_index(149)]] = 2, 1
    row = [5.0, 4096.0, -1.0, -0.5, longest]
    assert tally(row, bins) == Tally(5, 4096, 0.0, 0.0, told, {3: 2, bin_index(149): 1})


def test_totals_without_bins_have_no_longest_response_above_nought() -> None:
    assert tally([0.0, 0.0, 1.5, 2.5, 0.0], np.zeros(8, np.int64)) == Tally(0, 0, 1.5, 2.5, 0.0, {})
    assert tally([0.0, 0.0, 0.0, 0.0, 7.0], np.zeros(8, np.int64)).max_ns == 0.0


def job(
    read: tuple[int, int] = (0, 0), write: tuple[int, int] = (0, 0), *, error: int = 0, ms: float = 0
) -> fio_json.Job:
    both = [
        fio_json.Direction(io_bytes=size, runtime=ms, lat_ns=fio_json.Latency(ios=ios)) for ios, size in (read, write)
    ]
    return fio_json.Job(error=error, read=both[0], write=both[1])


def test_totals_of_a_document_are_those_of_all_its_jobs() -> None:
    document = fio_json.Document(
        jobs=[job((1, 10), (2, 20), ms=1500), job((3, 30), (4, 40), error=5, ms=500), job(error=7)]
    )
    assert (document.runtime_s, document.bytes, document.error) == (1.5, 100, 5)
    assert (fio_json.Document().runtime_s, fio_json.Document().bytes, fio_json.Document().error) == (0.0, 0, 0)
    assert (fio_json.total(document, "read").ios, fio_json.total(document, "write").bytes) == (4, 60)


@pytest.mark.parametrize(
    ("ios", "size", "most", "told"), [(3, 8192, 1e9, 12_288), (3, 16_384, 1e9, 16_384), (3, 0, 9000.5, 9000)]
)
def test_bytes_of_a_running_load_are_those_of_its_ios(ios: int, size: int, most: float, told: int) -> None:
    assert fio_json.running(fio_json.Document(jobs=[job((ios, size))]), "read", 4096, most).bytes == told


def test_squares_of_a_direction_are_of_its_mean_and_deviation() -> None:
    lat = fio_json.Latency(ios=3, max=9, mean=5, stddev=2, bins={5: 3})
    assert fio_json._tally(fio_json.Direction(io_bytes=7, lat_ns=lat)) == Tally(3, 7, 15, 4 * 2 + 3 * 25, 9, {5: 3})


@pytest.mark.parametrize("later", [Tally(1, 20), Tally(2, 9), Tally(2, 20, bins={5: 1})])
def test_totals_that_decrease_are_refused(later: Tally) -> None:
    before = Tally(2, 10, bins={5: 1} if later.bins else {})
    if later.bins:
        before = Tally(2, 10, bins={5: 2})
    with pytest.raises(StepFailed, match="its totals went back, so that they cannot be what it did"):
        fio_json.since(before, later)
    assert fio_json.since(before, before).ios == 0


# Requests of traces


def played(**more: Any) -> Any:
    return SimpleNamespace(
        **({"first_bytes": 4096, "span_bytes": MiB, "speed": 2.0, "timed": True, "fit": "wrap"} | more)
    )


ROWS = [  # ns, operation, flags, offset, length, depth
    (0, READ, 0, 4096, 4096, 1), (10, READ, 0, 4608, 512, -1), (20, WRITE, FUA | 64, 7680, 1024, 3),
    (31, WRITE, 0, 12_288, 0, 1),
    (40, FLUSH, 0, 8192, 99, 2), (50, DISCARD, 0, 0, 8192, 1), (60, DISCARD, 0, 0, 4096, 1),
    (70, READ, 0, 4096, 1 << 40, 1),
]  # fmt: skip


def requested(played: Any, range_bytes: int = MiB, *, discards: bool = False) -> list[tuple[int, ...]]:
    def batches(columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        yield dict(zip(columns, map(np.array, zip(*ROWS, strict=True)), strict=True))

    load: Any = SimpleNamespace(replay=played, start_bytes=65_536)
    trace: Any = SimpleNamespace(batches=batches)
    return [row for one in mapped.requests(trace, load, range_bytes, 4096, **({"discards": True} if discards else {}))
            for row in zip(*(column.tolist() for column in one), strict=True)]  # fmt: skip


def test_requests_of_a_trace_are_whole_blocks_in_the_range() -> None:
    at = 65_536
    expected = [
        (0, READ, 0, at, 4096, 1), (5, READ, 0, at, 4096, 0), (10, WRITE, FUA, at, 8192, 3),
        (15, WRITE, 0, at + 8192, 4096, 1),
        (20, FLUSH, 0, 0, 0, 2), (35, READ, 0, at, MiB, 1),
    ]  # fmt: skip
    assert requested(played()) == expected
    whole = requested(played(), discards=True)
    assert [row for row in whole if row[1] == DISCARD] == [(25, DISCARD, 0, at, 4096, 1)]
    assert [row[0] for row in requested(played(timed=False))] == [0] * 6


@pytest.mark.parametrize(
    ("fit", "offset", "range_bytes", "place"),
    [
        ("wrap", 5 * MiB + 7, 2 * MiB, MiB + 7), ("", 5 * MiB + 7, 2 * MiB, 5 * MiB + 7),
        ("scale", 5 * MiB + 7, 2 * MiB, MiB + 7),
        ("scale", 7 * MiB + 7, 2 * MiB, MiB + 7), ("scale", 3 * MiB + 7, 2 * MiB, 7), ("scale", 9 * MiB, 2 * MiB, MiB),
        ("scale", 5 * MiB, 100 * KiB, 0), ("scale", 4 * MiB, 16 * MiB, 8 * MiB),
    ],
)  # fmt: skip
def test_addresses_of_a_trace_are_laid_into_the_range(fit: str, offset: int, range_bytes: int, place: int) -> None:
    """A span of 8 MiB less one byte has eight parts of 1 MiB; of two in the range each holds four of them."""
    laid = mapped.laid(np.array([offset]), played(fit=fit, span_bytes=8 * MiB - 1), range_bytes)
    assert laid.tolist() == [place]


def test_requests_are_handed_on_in_pieces() -> None:
    columns = [np.arange(5) + n for n in range(6)]
    pieces = list(mapped.Requests(*columns).parts(2))
    assert [piece.due.tolist() for piece in pieces] == [[0, 1], [2, 3], [4]]
    assert [piece.depth.tolist() for piece in pieces] == [[5, 6], [7, 8], [9]]


def test_a_load_fits_on_its_file(tmp_path: Any) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(8192))
    load = Workload(random_pct=0, read_pct=100, block_bytes=4096, threads=1, depth=1)
    for start, wanted, size in ((0, 0, 8192), (4096, 0, 4096), (0, 8192, 8192), (4096, 4096, 4096)):
        made = Workload(
            random_pct=0, read_pct=100, block_bytes=4096, threads=1, depth=1, start_bytes=start, range_bytes=wanted
        )
        assert _room.fitted(str(path), made).range_bytes == size
    assert (_room.size_bytes(str(path)), _room._shown(str(path))) == (8192, str(path))
    large = Workload(random_pct=0, read_pct=100, block_bytes=4096, threads=1, depth=1, range_bytes=8193)
    with pytest.raises(StepFailed) as failed:
        _room.fitted(str(path), large)
    assert "1 B" in str(failed.value) or "1 byte" in str(failed.value)
    path.write_bytes(bytes(4095))
    with pytest.raises(BadInput, match="is less than one block of"):
        _room.fitted(str(path), load)
