"""The surface: the reads of a survey, slow stretches of known truth, and the probability that one is found."""

import errno
import math
import random
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from stend.engines.survey.collected import Collected, Visited
from stend.engines.survey.reader import Reader
from stend.engines.survey.task import Task
from stend.engines.survey.visits import visits
from stend.findings import surface as findings
from stend.model import surface
from stend.model.definition import Hold, Seconds, Workload
from stend.model.events import Position, Result
from stend.model.surveyed import Cell, Surveyed, Unread, edges
from stend.model.workload import Survey

MIB = 1 << 20
BLOCK = 128 << 10


def survey(cells: int = 16, reads: int = 4, size: int = 64 * MIB, **more: object) -> Workload:
    part = Survey(cells=cells, reads=reads, **more)  # type: ignore[arg-type]
    return Workload(random_pct=100, read_pct=100, block_bytes=BLOCK, range_bytes=size, survey=part)


def test_every_block_is_read_once_if_there_is_no_sample() -> None:
    load = Workload(random_pct=0, read_pct=100, block_bytes=MIB, start_bytes=MIB, range_bytes=100 * MIB + 4096,
                    survey=Survey(cells=7))  # fmt: skip
    read = [at for visit in visits(load, 1) for at in visit.offsets.tolist()]
    assert read[:-1] == list(range(MIB, 101 * MIB, MIB))
    assert read[-1] + MIB == 101 * MIB + 4096  # the rest that is no whole block, up to the last byte


@pytest.mark.parametrize("blocks", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("cells", [None, 1, 2, 16, 100])
@pytest.mark.parametrize("more_bytes", [0, BLOCK - 512])
def test_cells_are_whole_blocks_and_together_the_whole_range(blocks: int, cells: int | None, more_bytes: int) -> None:
    load = Workload(random_pct=100, read_pct=100, block_bytes=BLOCK, start_bytes=MIB,
                    range_bytes=blocks * BLOCK + more_bytes, survey=Survey(cells=cells) if cells else None)  # fmt: skip
    at = edges(load)
    whole = max(blocks, 1)
    assert (at[0], at[-1]) == (MIB, MIB + whole * BLOCK)
    assert len(at) == 1 + min(cells or 1, whole)
    sizes = {(end - begin) // BLOCK for begin, end in pairwise(at)}
    assert all((end - begin) % BLOCK == 0 for begin, end in pairwise(at))
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


def test_each_pass_of_a_sample_visits_every_cell_once_and_stays_in_it() -> None:
    load = survey(cells=12)
    at = edges(load)
    first, *passes = islice(visits(load, 3), 1 + 12 * 5)
    assert first.offsets.tolist() == [64 * MIB - BLOCK]
    for begin in range(0, 60, 12):
        assert sorted(visit.cell for visit in passes[begin : begin + 12]) == list(range(12))
    assert all(at[v.cell] <= place < at[v.cell + 1] for v in passes for place in v.offsets.tolist())


def test_every_fourth_visit_goes_to_a_place_that_is_read_again() -> None:
    load = survey(places=((8 * MIB, MIB), (32 * MIB, MIB)))
    seen = [visit.cell for visit in islice(visits(load, 1), 1, 81)]
    assert [seen.count(16), seen.count(17)] == [10, 10]


@cache
def cell(visits: int, late: int, rare: int) -> Cell:
    return Cell({90: 4 * visits}, {}, visits, late, rare)


def made(visits_: np.ndarray, late: np.ndarray, *, rare: bool = False) -> list[Result]:
    """Results with these visits by round and cell, and those that are late or have a read that takes very long."""
    load = survey(cells=visits_.shape[1])
    step = Hold(workload=load, amount=Seconds(seconds=1))
    return [
        Result(
            where=Position(test="inspect", phase="surface", round=number),
            index=0,
            step=step,
            t=float(number),
            places=Surveyed(cells=tuple(cell(n, *((0, k) if rare else (k, 0))) for n, k in zip(*row, strict=True))),
        )
        for number, row in enumerate(zip(visits_.tolist(), late.tolist(), strict=True), 1)
    ]


@pytest.mark.parametrize(("usual", "cells", "each"), [(0.001, 512, 4), (0.02, 512, 4), (0.1, 512, 12), (0.2, 256, 20)])
def test_a_slow_stretch_is_found_as_often_as_stated_and_an_even_drive_has_none(
    usual: float, cells: int, each: int
) -> None:
    """Half of the visits to the stretch are late: the weakest stretch that the statement is about."""
    dice = np.random.default_rng(5)
    found = false = 0
    stated = []
    for _ in range(200):
        share = 0.02
        first = int(dice.integers(0, cells - math.ceil(share * cells)))
        slow = np.zeros(cells, bool)
        slow[first + 1 : first + int(share * cells)] = True  # whole parts; those at its ends count as usual
        n = np.full((5, cells), each)
        k = dice.binomial(n, np.where(slow, surface.HALF, usual))
        parts = surface.strips(made(n, k))
        hits = surface.bands(parts)
        found += any(b.first_bytes <= parts[first + 1].first_bytes < b.end_bytes or
                     parts[first + 1].first_bytes <= b.first_bytes <= parts[first + int(share * cells)].end_bytes
                     for b in hits)  # fmt: skip
        stated.append(surface.power(parts, share).probability)
        even = surface.bands(surface.strips(made(n, dice.binomial(n, usual))))
        false += bool(even)
    assert found / 200 >= min(stated) - 0.04
    assert false <= 2  # 0.1 % of drives may have a report by chance


@pytest.mark.parametrize(("rare", "kind"), [(False, "slow"), (True, "falters")])
def test_a_stretch_has_its_ends_and_shows_in_two_rounds(rare: bool, kind: str) -> None:
    n, late = np.full((5, 64), 12), np.zeros((5, 64), int)
    late[1:3, 20:26] = 12
    parts = surface.strips(made(n, late, rare=rare))
    (found,) = surface.bands(parts)
    assert (found.kind, found.first_bytes, found.end_bytes) == (kind, parts[20].first_bytes, parts[25].end_bytes)
    assert (found.visits, found.share) == (5 * 6 * 12, 0.4)
    assert found.usual_share == pytest.approx(0, abs=0.01)
    late[1] = 0
    assert not surface.bands(surface.strips(made(n, late, rare=rare)))


@pytest.mark.parametrize("each", [2, 14, 60])
def test_a_host_that_is_disturbed_more_and_more_makes_no_place_falter(each: int) -> None:
    """Seldom a read takes very long, wherever it goes; at the end of the survey that happens more often."""
    dice = np.random.default_rng(7)
    n = np.full((5, 512), each)
    shares = np.array([0.0005, 0.001, 0.0016, 0.0012, 0.0085])[:, None]
    surveys = (surface.strips(made(n, dice.binomial(n, shares), rare=True)) for _ in range(200))
    assert sum(bool(surface.bands(parts)) for parts in surveys) <= 2


def test_a_stretch_that_falters_is_found_beside_such_a_host() -> None:
    dice = np.random.default_rng(8)
    n, rare = np.full((5, 512), 14), np.full(512, 0.002)
    rare[100:120] = 0.06
    surveys = [surface.bands(surface.strips(made(n, dice.binomial(n, rare), rare=True))) for _ in range(100)]
    assert sum(any(b.first_bytes // BLOCK in range(90, 121) for b in found) for found in surveys) >= 95


@pytest.mark.parametrize(("share", "shown"), [(0.03, False), (0.3, True)])
def test_a_second_reading_shows_a_stretch_only_beyond_what_the_others_have(share: float, shown: bool) -> None:
    dice = np.random.default_rng(9)
    load = survey(cells=64, places=((8 * MIB, 2 * MIB),))
    n, k = [12] * 64 + [260], [*dice.binomial(12, 0.03, 64), round(260 * share)]
    cells = tuple(Cell({90: 4 * v}, {}, v, 0, int(rare)) for v, rare in zip(n, k, strict=True))
    where, step = Position(test="inspect", phase="again", round=1), Hold(workload=load, amount=Seconds(seconds=1))
    band = surface.Band("falters", 8 * MIB, 10 * MIB, 1e-3, 1e-3, 0.006, 0.0001, 1000)
    result = Result(where=where, index=0, step=step, t=1.0, places=Surveyed(cells=cells))
    assert surface.again(band, [result]) is shown


def test_the_chance_is_that_of_the_binomial_distribution() -> None:
    exact = sum(math.comb(40, k) * 0.5**40 for k in range(17, 41))
    assert surface.at_least(17, 40, 0.5) == pytest.approx(exact, rel=1e-9)
    assert surface.at_least(41, 40, 0.5) == 0


def test_a_host_that_is_busy_for_a_while_makes_no_place_slow() -> None:
    """All reads of some moments take thirty times as long, whatever their place."""
    dice, load = random.Random(2), survey(cells=64, size=512 * MIB)
    results = []
    for number in range(1, 6):
        collected = Collected(load)
        for turn, visit in enumerate(islice(visits(load, number), 640)):
            slowed = 30 if turn // 64 in (1, 4, 5) else 1
            collected.add(
                Visited(
                    visit.cell,
                    [int(dice.gauss(1e5, 1e4)) * slowed for _ in visit.offsets],
                    [False] * len(visit.offsets),
                ),
                BLOCK,
            )
        where, step = Position(test="i", phase="surface", round=number), Hold(workload=load, amount=Seconds(seconds=1))
        results.append(Result(where=where, index=0, step=step, t=1.0, places=collected.taken()))
    assert surface.bands(surface.strips(results)) == []


def test_stored_zeros_between_missing_blocks_are_no_slow_place() -> None:
    """Flash answers a block that is not in its map without its medium, and one that holds zeros from it."""
    load = survey(cells=64, size=512 * MIB)
    collected = Collected(load)
    for visit in islice(visits(load, 1), 2000):
        ns = 110_000 if visit.cell in (10, 11, 30) else 18_000
        collected.add(Visited(visit.cell, [ns] * len(visit.offsets), [True] * len(visit.offsets)), BLOCK)
    assert not any(cell.late for cell in collected.taken().cells)


class Torn(Reader):
    """A reader of a file in which some bytes cannot be read; those in `once` can at the second attempt."""

    bad: tuple[tuple[int, int], ...] = ()
    once: tuple[tuple[int, int], ...] = ()

    def failure(self, into: memoryview, at: int) -> int | None:
        size = len(into)
        if any(at < end and at + size > first for first, end in self.bad):
            return errno.EIO
        if size == self.block and any(at < end and at + size > first for first, end in self.once):
            return errno.EIO
        return super().failure(into, at)


def test_a_failed_read_is_narrowed_to_its_blocks_and_the_survey_goes_on(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(b"x" * (4 * MIB))
    load = Workload(random_pct=0, read_pct=100, block_bytes=BLOCK, range_bytes=4 * MIB, survey=Survey(cells=4))
    task = Task(path=str(path), workload=load, seed=1, interval_s=60, unit_bytes=4096)
    with path.open("rb") as file:
        reader = Torn(task, file.fileno())
        reader.bad = ((MIB + 5000, MIB + 9000), (4 * MIB - 100, 4 * MIB))
        reader.once = ((2 * MIB, 2 * MIB + 1),)
        for visit in visits(load, 1):
            reader.visit(visit)
        found = reader.collected.taken()
    assert found.unread == (
        Unread(MIB + 4096, 8192, errno.EIO),
        Unread(2 * MIB, BLOCK, errno.EIO, True),
        Unread(4 * MIB - 4096, 4096, errno.EIO),
    )
    assert found.failed == 3
    assert found.last is False
    assert sum(cell.reads for cell in found.cells) == 32 - 3


def test_places_that_were_met_twice_are_one() -> None:
    met = [Unread(8192, 4096, 5), Unread(4096, 4096, 5), Unread(8192, 8192, 5), Unread(0, 4096, 5, True)]
    assert surface.merged(met) == [Unread(4096, 12288, 5), Unread(0, 4096, 5, True)]


@pytest.mark.parametrize("size", [512, 4096])
@pytest.mark.parametrize("again", [False, True])
def test_places_that_were_not_read_are_counted_and_the_first_has_its_first_and_last_block(
    size: int, again: bool
) -> None:
    """Two reads of 128 KiB side by side are one place; one far from them is the second."""
    unread = tuple(Unread(at, BLOCK, errno.EIO, again=again) for at in (64 * MIB, MIB + BLOCK, MIB))
    done = [SimpleNamespace(places=Surveyed(unread=unread, failed=3, last=True))]
    run: Any = SimpleNamespace(
        of=lambda test: done, plan=SimpleNamespace(device=SimpleNamespace(logical_bytes=size, capacity_bytes=128 * MIB))
    )
    (found,) = findings._unread(run, cast("Any", SimpleNamespace(name="inspect")))
    assert (found.key, found.side) == ("recovered" if again else "unreadable", "con")
    values = {"lba": MIB // size, "lba_to": (MIB + 2 * BLOCK) // size - 1, "at": MIB, "size": 2 * BLOCK, "places": 2}
    assert found.values == values | ({} if again else {"failed": 3, "errno": "EIO", "least": ""})
