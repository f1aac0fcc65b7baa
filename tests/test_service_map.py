"""Service map: the search finds contours with few cells, and run, page and import say the same of them."""

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from stend import findings, store
from stend.charts import pictures
from stend.charts.beside import Side, picture
from stend.cli import main
from stend.model import service_map, service_search
from stend.model.counts import Counts
from stend.model.definition import Hold
from stend.model.events import Result
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.service_band import SIGMAS, band
from stend.model.service_map import Axes, Cell, Key, Search
from stend.model.stats import percentile_s
from stend.model.tally import Tally
from stend.sentences import finding_said
from stend.session import Request, start
from stend.words import Language
from tests.imported import run_of as imported_run
from tests.synthetic import Truth, made

READS, WRITES = 200_000.0, 1e9
KEYS = tuple(Key(percent, limit) for percent in (99.0, 99.9) for limit in (0.001, 0.002, 0.005, 0.01))
WANTED = Search(Axes(READS, WRITES), KEYS, 60, 0.05, 2000.0)
Wait = Callable[[float, float], float]


def queue(reads: float, writes: float) -> float:
    """p99 of M/M/1 in closed form: writes at full rate take nine tenths of the drive."""
    load = reads / READS + 0.9 * writes / WRITES
    return 80e-6 * math.log(100) / (1 - load) if load < 1 else math.inf


def plateau(reads: float, writes: float) -> float:
    """The first writes cost 2.2 ms, more change little, and at the end of the drive's rate waits have no end."""
    load = reads / READS + 0.95 * writes / WRITES
    return math.inf if load >= 1 else 0.0003 if not writes else 0.0024 + 0.0005 * load


def slope(reads: float, writes: float) -> float:
    load = reads / READS + 0.9 * writes / WRITES
    return 0.0005 + 0.02 * load**3 if load < 1 else math.inf


def cell(wait: Wait, reads: float, writes: float) -> Cell:
    seconds = wait(reads, writes)
    counts = Counts(50.0, 0, Tally(ios=round(reads * 50)))
    return Cell(reads, writes, {99.0: seconds, 99.9: 1.5 * seconds}, "" if math.isfinite(seconds) else "full", counts)


def searched(wait: Wait, wanted: Search = WANTED) -> list[Cell]:
    cells: list[Cell] = []
    while (place := service_search.following(cells, wanted)) is not None:
        cells.append(cell(wait, *place))
    return cells


def truth(wait: Wait, key: Key, writes: float) -> float:
    """The highest read rate within the limit, by bisection."""
    times = 1.0 if key.percent == 99.0 else 1.5
    low, high = 0.0, READS
    if wait(WANTED.least, writes) * times > key.limit_s:
        return 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if wait(middle, writes) * times <= key.limit_s else (low, middle)
    return low


Places = np.ndarray[tuple[int, int], np.dtype[np.float64]]
APART = 0.002
"""Distance of neighbouring places of a contour, as a share of an axis."""


def places(points: list[tuple[float, float]]) -> Places:
    """Return places along a contour, as shares of both axes; it closes at the end of the write axis."""
    shares = np.array([(x / WRITES, max(y, WANTED.least) / READS) for x, y in points] + [(1.0, WANTED.least / READS)])
    lengths = np.abs(np.diff(shares, axis=0)).max(axis=1)
    return np.concatenate([
        np.linspace(a, b, 2 + int(length / APART)) for (a, b), length in zip(pairwise(shares), lengths, strict=True)
    ])  # fmt: skip


def farthest(one: Places, other: Places) -> float:
    """Return the largest distance from a place of one contour to the nearest of the other, in its larger axis."""
    apart = (np.abs(np.subtract.outer(one[:, axis], other[:, axis])) for axis in (0, 1))
    return float(np.maximum(*apart).min(axis=1).max())


def off(cells: list[Cell], wait: Wait) -> float:
    """Return how far a contour of the search and the true one are apart at most, over all percentiles and limits."""
    apart = []
    for key in KEYS:
        ours = places(service_map.contour(cells, key, WANTED.axes))
        true = places([(WRITES * step / 100, truth(wait, key, WRITES * step / 100)) for step in range(101)])
        apart.append(max(farthest(ours, true), farthest(true, ours)))
    return max(apart)


@pytest.mark.parametrize("wait", [queue, plateau, slope])
def test_contours_of_sixty_cells_are_near_the_true_ones(wait: Wait) -> None:
    """No place of a contour is more than 5 % of an axis from the other one, and the stated doubt is no smaller."""
    cells = searched(wait)
    assert len(cells) <= 60
    assert off(cells, wait) <= min(0.05, service_map.doubt(cells, WANTED))


def test_a_search_with_few_cells_states_how_far_it_may_be_off() -> None:
    cells = searched(queue, WANTED._replace(cells=12))
    assert 0.05 < off(cells, queue) <= service_map.doubt(cells, WANTED)


def test_reads_alone_are_measured_before_any_writes() -> None:
    written = [bool(cell.writes) for cell in searched(queue)[:-10]]  # the last ones are measured again
    assert written == sorted(written)


def flat_wait(reads: float, writes: float) -> float:
    """p99 rises from 4.9 to 5.1 ms over the whole axis: within noise of a limit of 5 ms."""
    return math.inf if reads >= READS * (1 - 0.9 * writes / WRITES) else 0.0049 + 0.0002 * reads / READS


def test_where_waits_hardly_change_the_map_shades_most_of_the_axis_and_spends_no_cells() -> None:
    cells = searched(flat_wait)
    key = Key(99.0, 0.005)
    (_, low, high), *_ = band(cells, key, WANTED.axes)
    assert low == 0
    assert high > 0.9 * READS
    steep = band(searched(queue), key, WANTED.axes)
    assert all(high - low < 0.05 * READS for _, low, high in steep)


def test_the_map_shades_what_the_parts_of_a_cell_differ_by() -> None:
    """Waits of M/M/1 that are 30 % off move the contour of 1 ms by 30 % of the part of the axis that is left."""
    key, off = KEYS[0], 0.3
    steady = searched(queue)
    error = math.log(1 + off) / SIGMAS
    places_of = [
        band([one._replace(scatter={99.0: each}) for one in steady], key, WANTED.axes) for each in (0.0, error)
    ]
    narrow, wide = (next((low, high) for x, low, high in every if x == 0) for every in places_of)
    low, high = (READS * (1 - 80e-6 * math.log(100) / (key.limit_s * by)) for by in (1 / (1 + off), 1 + off))
    assert wide == pytest.approx((low, high), rel=0.03)
    assert narrow[1] - narrow[0] < 0.3 * (wide[1] - wide[0])


def test_a_cell_is_the_sum_of_its_parts(tmp_path: Path) -> None:
    """Its percentiles are those of all reads, and the error of a logarithm is half the difference of both parts."""
    with start(Request(["service-map"], "sim:small", quick=True, into=str(tmp_path / "run"))) as under_way:
        for _ in under_way:
            pass
    run = store.load(under_way.folder)
    first, *_ = service_map.cells(run, run.plan.tests[0])
    warm, *parts = run.of("service-map", service_map.PHASE)[:3]
    assert (warm.index, [part.index for part in parts]) == (0, [1, 2])
    assert first.measured.read.ios == sum(part.counts.read.ios for part in parts)
    waits = [percentile_s(part.counts.read, 99) or 0 for part in parts]
    assert min(waits) <= (first.waits[99.0] or 0) <= max(waits)
    assert first.scatter[99.0] == pytest.approx(abs(math.log(waits[0] / waits[1])) / 2)


def test_the_search_measures_some_cells_again_and_ends() -> None:
    cells = searched(slope)
    times = Counter((one.reads, one.writes) for one in cells)
    assert sum(count == 2 for count in times.values()) == 10
    assert max(times.values()) == 2
    assert len({(one.reads, one.writes) for one in cells[:-10]}) == len(cells) - 10
    assert service_search.following(cells, WANTED) is None


def changing(seed: int) -> Wait:
    """The queue on a drive whose rate is 6 % higher or lower at each visit of a cell."""
    dice = random.Random(seed)

    def wait(reads: float, writes: float) -> float:
        by = math.exp(dice.gauss(0, 0.06))
        return queue(reads * by, writes * by)

    return wait


def test_the_shaded_area_holds_95_percent_of_repeated_maps_of_a_drive_that_changes() -> None:
    """The parts of a cell do not differ here: only cells that are measured again show the change."""
    inside: list[bool] = []
    widths: list[float] = []
    for seed in range(8):
        cells = searched(changing(seed))
        again = changing(100 + seed)
        others = [cell(again, *place) for place in dict.fromkeys((one.reads, one.writes) for one in cells)]
        for key in KEYS:
            found = dict(service_map.contour(others, key, WANTED.axes))
            for x, low, high in band(cells, key, WANTED.axes, KEYS):
                if x < WRITES and (high or found[x]):
                    inside.append(low <= found[x] <= high)
                    widths.append((high - low) / READS)
    assert np.mean(inside) > 0.93
    assert np.median(widths) < 0.4


def test_a_cell_of_the_host_is_tried_again_and_ends_its_column() -> None:
    spoiled = cell(queue, 100_000, 0)._replace(why="host")
    assert service_search.following([spoiled], WANTED) == (100_000, 0)
    column = [cell(queue, 50_000, 0), spoiled, spoiled]
    for key in KEYS:
        assert service_map.bracket(service_map.columns(column)[0.0], key, READS).failed == 100_000
    good = cell(queue, 100_000, 0)
    (_, kept) = service_map.columns([cell(queue, 50_000, 0), spoiled, good])[0.0]
    assert kept.why == ""


def test_waits_that_fall_share_their_mean_so_that_noise_makes_no_contour() -> None:
    noisy = {10_000: 0.0009, 20_000: 0.0012, 30_000: 0.0008, 40_000: 0.0009, 50_000: 0.004}
    column = [cell(lambda reads, _: noisy[round(reads)], reads, 0.0) for reads in noisy]
    waits = service_map.rising(column, 99.0)
    assert [wait for _, wait in waits] == sorted(wait for _, wait in waits)
    found = service_map.bracket(column, Key(99.0, 0.001), READS)
    assert (found.held, found.failed) == (40_000, 50_000)


def test_unsent_ios_have_waited_longest() -> None:
    tally = Tally(ios=10_000, bins={100: 9_950, 600: 50}, latency_ns=1e6, max_ns=1e6)
    counts = Counts(1.0, 0, tally)
    usual, some, many = (service_map.wait_of(counts, unsent, 99.0) for unsent in (0.0, 0.006, 0.02))
    assert usual is not None
    assert some is not None
    assert usual < some
    assert many == math.inf


@pytest.fixture(scope="module")
def run() -> Run:
    return made("service-map", truth=Truth(capacity_bytes=8 << 30), interval_s=10.0, shorten=60)


@pytest.mark.parametrize(("answered", "seconds", "wait"), [(900, 10.0, math.inf), (900, 9.9, None), (90, 1.0, None)])
def test_a_percentile_that_was_due_and_not_answered_has_no_end(
    run: Run, answered: int, seconds: float, wait: float | None
) -> None:
    """A hundred reads a second are due: of a thousand, ten lie beyond the 99th percentile."""
    result = next(r for r in run.of("service-map", service_map.PHASE) if isinstance(r.step, Hold))
    assert isinstance(result.step, Hold)
    held = result.step.workload
    read = msgspec.structs.replace(held, rate_iops=100.0, streams=tuple(
        msgspec.structs.replace(stream, share=100.0) for stream in held.streams if stream.read
    )[:1])  # fmt: skip
    counts = Counts(seconds, 0, Tally(ios=answered, bins={100: answered}, latency_ns=1e6, max_ns=1e6))
    part = msgspec.structs.replace(result, counts=counts, pace=None, told=None)
    assert service_map._cell([part], read, (99.0,)).waits == {99.0: wait}


def told(run: Run, lang: str = "en") -> dict[str, str]:
    found = [finding for finding in findings.find(run) if finding.name == "service_map"]
    return {finding.key: finding_said(finding, Language(lang)) for finding in found}


def test_the_finding_is_where_the_truth_is(run: Run) -> None:
    """The synthetic drive: p99 of its answers is within 1 ms up to most of its read rate; writes take their share."""
    (finding,) = [one for one in findings.find(run) if one.name == "service_map" and one.key == "reads"]
    axes = service_map.axes(run, run.plan.tests[0])
    assert finding.values["alone"] == pytest.approx(axes.reads, rel=0.2)
    half = 0.5 * axes.writes / 1.5e9  # what half of the writes take of the drive
    assert finding.values["beside"] == pytest.approx(
        300_000 * (1 - half) - (300_000 - finding.values["alone"]), rel=0.25
    )
    assert "reads per second" in told(run)["reads"]
    assert "чтений в секунду" in told(run, "ru")["reads"]


def test_a_map_has_a_chart_per_percentile_with_a_line_per_limit(run: Run) -> None:
    drawn = list(pictures("service_map", run, run.plan.tests[0]))
    assert len(drawn) == 2
    for one in drawn:
        rows, cells = one.spec["datasets"]["rows"], one.spec["datasets"]["cells"]
        assert len({row["limit"] for row in rows}) == 4
        assert len(cells) == len(service_map.cells(run, run.plan.tests[0]))


def test_a_search_that_ended_before_any_writes_has_no_line_of_writes(run: Run) -> None:
    def written(result: Result) -> bool:
        step = result.step
        return isinstance(step, Hold) and bool(step.workload.rate_iops and service_map.rates(step.workload)[1])

    first = next(place for place, result in enumerate(run.results) if written(result))
    short = Run([*run.started, *run.results[:first]])
    drawn = list(pictures("service_map", short, run.plan.tests[0]))
    assert len(drawn) == 2
    for one in drawn:
        assert set(one.spec["datasets"]) == {"rows", "limit"}
        assert {"reads", "ms"} <= set(one.spec["datasets"]["rows"][0])


def changed(run: Run, **pace: Any) -> Run:
    """The run with another pace in its cells of the most reads."""
    most = max(cell.reads for cell in service_map.cells(run, run.plan.tests[0]))

    def event(result: Result) -> Result:
        step = result.step
        if isinstance(step, Hold) and step.workload.rate_iops and service_map.rates(step.workload)[0] == most:
            return msgspec.structs.replace(result, pace=Pace(**pace))
        return result

    return Run([*run.started, *map(event, run.results), *([run.ended] if run.ended else [])])


def test_what_the_host_could_not_send_is_marked_and_said_in_one_sentence(run: Run) -> None:
    late = changed(run, sent=1000, late=500)
    assert told(late)["host_alone"].startswith("The host could not send")
    assert told(late, "ru")["host_alone"].startswith("Хост не смог подать")
    drawn = next(pictures("service_map", late, late.plan.tests[0]))
    assert [row for row in drawn.spec["datasets"]["cells"] if row["how"] == "the host was late, not valid"]
    assert not [stamp for stamp in late.stamps if "late" in stamp]  # the cell is left out, not the run


def test_two_drives_lie_beside_one_another(run: Run) -> None:
    sides = [Side("first", run), Side("second", run)]
    (drawn,) = picture("service_map", sides, Language("en"), ())
    assert {row["drive"] for row in drawn.spec["datasets"]["rows"]} == {"first", "second"}
    assert drawn.title == "Reads within 1 ms (p99) beside a rate of writes"  # the first limit of the test's settings
    assert not list(picture("service_map", sides[:1], Language("en"), ()))


def test_a_published_grid_is_drawn_by_the_same_chart(tmp_path: Path) -> None:
    """Eight cells of a published result: m7gd.4xlarge; at 604.7 MB/s and 147,895 reads p99.9 was 3.49 ms."""
    run = imported_run("diskplorer.json", tmp_path)
    (test,) = run.plan.tests
    cells = service_map.cells(run, test)
    assert cells[-1].reads == 147_895
    assert cells[-1].writes == pytest.approx(604_719_934, abs=1)
    assert cells[-1].waits == {99.0: pytest.approx(366.592e-6), 99.9: pytest.approx(3.489792e-3)}
    assert {cell.why for cell in cells} == {""}
    usual, rare = pictures("service_map", run, test)
    assert len(usual.spec["datasets"]["cells"]) == 8
    assert {row["limit"] for row in rare.spec["datasets"]["rows"]} == {"1 ms", "2 ms", "5 ms", "10 ms"}


def test_every_sentence_can_be_said_in_both_languages() -> None:
    values = {"percent": 99.0, "limit": 0.001, "alone": 1e5, "beside": 5e4, "share": 0.5, "written": 1e8, "reads": 1e5}
    values |= {"least_s": 0.04, "most": 181.0, "cells": 2, "doubt": 0.2, "low": 1e4, "high": 9e4}
    for key in (
        "reads",
        "none_beside",
        "alone",
        "never",
        "never_least",
        "never_alone",
        "few",
        "host",
        "coarse",
        "flat",
    ):
        for lang in ("en", "ru"):
            finding = findings.Finding(name="service_map", key=key, test="service-map", values=values)
            assert finding_said(finding, Language(lang))


@pytest.mark.slow
def test_a_run_on_a_virtual_drive_comes_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "run")
    assert main(["run", "service-map", "--target", "sim:kc2000", "--quick", "--seed", "3", "--into", place]) == 0
    assert "Service Map" in capsys.readouterr().out
