"""fio really gets what the method says: its own account of its options, and a trace of every IO it did."""

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from stend import suite
from stend.base.units import KiB, MiB
from stend.engines.fio import FioEngine
from stend.model.definition import Hold, Workload
from stend.planning import plan as planning
from stend.suite._composite import BLOCK_MIX_KIB, ZONES, composite
from tests.fio_logs import logging_fio
from tests.still import IDENTITY

pytestmark = pytest.mark.fio

SIZE = 128 * MiB


class IO(NamedTuple):
    """One line of fio's log."""

    thread: int
    write: bool
    size: int
    offset: int


class Traced(NamedTuple):
    """What fio did and what it says it was asked."""

    ios: list[IO]
    options: dict[str, Any]
    jobs: list[dict[str, str]]
    file: Path


def traced(folder: Path, workload: Workload, least: int = 4000) -> Traced:
    """Run a workload through the engine until so many IOs are done, or for twenty seconds."""
    drive, documents = folder / "drive", list[bytes]()
    drive.touch()
    os.truncate(drive, SIZE)
    engine = FioEngine(str(drive), fio=logging_fio(folder, "latlog"), raw=documents.append, interval_s=0.02)
    try:
        load, done = engine.start(workload, seed=7), 0
        for _ in range(1000):
            counts = load.next()
            done += counts.both.ios if counts else 0
            if done >= least:
                break
        load.stop()
    finally:
        engine.close()
    said = json.loads(documents[-1][documents[-1].index(b"{") :])
    jobs = [job["job options"] for job in said["jobs"]]
    return Traced(list(_log(folder)), said["global options"], jobs, drive)


def _log(folder: Path) -> Iterator[IO]:
    for number, path in enumerate(sorted(folder.glob("trace_lat.*.log"))):
        for line in path.read_text().splitlines():
            _, _, direction, size, offset, *_ = line.split(", ")
            yield IO(number, direction == "1", int(size), int(offset))


def work(workload: Workload) -> int:
    """The bytes of an IO, as far as there is something to see in them."""
    return max(workload.block_bytes, 4 * KiB)


def kinds() -> dict[str, Workload]:
    """One workload of each kind that any test holds: pattern, mix, sizes, zones, whole range or a part.

    Of random ones of a kind that of the smallest blocks from 4 KiB on: of it there are soonest enough IOs to judge by.
    Loads that stend sends itself are left out.
    """
    device = msgspec.structs.replace(IDENTITY, kind="file", capacity_bytes=SIZE)
    found: dict[tuple[Any, ...], Workload] = {}
    for name in suite.names():
        _, profile, _ = planning.gather([], "review", {})
        for phase in planning.draw([name], profile, device).tests[0].phases:
            for step in phase.round:
                if isinstance(step, Hold) and not step.workload.ours:
                    w = step.workload
                    place = "" if w.range_bytes == SIZE else " part"
                    kind = (w.random_pct, w.read_pct, w.block_mix, w.zones, place)
                    found[kind] = min(found.get(kind, w), w, key=work) if w.random_pct else found.get(kind, w)
    return {f"{w.label}{key[-1]}": w for key, w in found.items()}


KINDS = kinds()


@pytest.mark.parametrize("name", KINDS)
def test_fio_gets_the_workload(name: str, tmp_path: Path) -> None:
    workload = KINDS[name]
    done = traced(tmp_path, workload)
    options_say_so(done, workload)
    places_say_so(done.ios, workload)
    directions_say_so(done.ios, workload)
    order_says_so(done.ios, workload)
    if workload.read_pct < 100:
        data_is_random(done)


def options_say_so(done: Traced, workload: Workload) -> None:
    options, jobs = done.options, done.jobs
    direction = {100: "read", 0: "write"}.get(workload.read_pct, "rw")
    assert options["rw"] == ("rand" if workload.random_pct else "") + direction
    assert options["iodepth"] == str(workload.depth)
    assert (options["direct"], options["norandommap"], options["randrepeat"]) == ("1", "1", "0")
    if workload.random_pct:
        assert [int(job.get("numjobs", 1)) for job in jobs] == [workload.threads]
        assert [int(job["offset"]) for job in jobs] == [workload.start_bytes]
        assert [int(job["size"]) for job in jobs] == [workload.range_bytes]
    else:  # a slice for each thread; of jobs that are reported as one, fio tells the last one's
        share = workload.range_bytes // workload.threads
        begins = {
            thread: min(io.offset for io in done.ios if io.thread == thread) for thread in range(workload.threads)
        }
        assert sorted(begins.values()) == [workload.start_bytes + n * share for n in range(workload.threads)]
    if direction == "rw":
        assert options["rwmixread"] == str(workload.read_pct)
    if direction != "read":
        assert options["refill_buffers"] == "1"


def places_say_so(ios: list[IO], workload: Workload) -> None:
    """Range and alignment of every IO; a random one is as likely in each tenth of the range."""
    end = workload.start_bytes + workload.range_bytes
    align = workload.align_bytes or min([size for size, _ in workload.block_mix] or [workload.block_bytes])
    assert all(workload.start_bytes <= io.offset and io.offset + io.size <= end for io in ios)
    assert all((io.offset - workload.start_bytes) % align == 0 for io in ios)
    if workload.random_pct == 100 and not workload.zones and len(ios) > 4000:
        tenths = Counter((io.offset - workload.start_bytes) * 10 // workload.range_bytes for io in ios)
        assert all(tenths[n] / len(ios) == pytest.approx(0.1, abs=0.03) for n in range(10))


def directions_say_so(ios: list[IO], workload: Workload) -> None:
    """Reads and sizes in the shares asked for, within a percent of all IOs and what so many IOs can tell."""
    slack = 1 + 150 / len(ios) ** 0.5
    assert 100 * sum(not io.write for io in ios) / len(ios) == pytest.approx(workload.read_pct, abs=slack)
    sizes = Counter(io.size for io in ios)
    for size, share in workload.block_mix or ((workload.block_bytes, 100),):
        assert 100 * sizes[size] / len(ios) == pytest.approx(share, abs=slack)


def order_says_so(ios: list[IO], workload: Workload) -> None:
    """Sequential: each direction of each thread goes over its blocks evenly. Else: the stated share of jumps."""
    streams: dict[tuple[int, bool], list[int]] = {}
    for io in ios:
        streams.setdefault((io.thread, io.write), []).append(io.offset)
    if workload.random_pct == 0:
        for offsets in streams.values():
            passes = Counter(offsets)
            assert max(passes.values()) - min(passes.values()) <= 1 + (workload.outstanding > 1)
            assert sorted(passes) == list(range(min(passes), max(passes) + 1, workload.block_bytes))
    elif workload.random_pct < 100 and workload.depth == 1:
        steps = [b - a for offsets in streams.values() for a, b in pairwise(offsets)]
        jumps = sum(step != workload.block_bytes for step in steps)
        assert 100 * jumps / len(steps) == pytest.approx(workload.random_pct, abs=5)


def data_is_random(done: Traced) -> None:
    """What was written cannot be compressed and does not repeat."""
    written = [io for io in done.ios if io.write and io.size >= 4 * KiB][:64]
    with done.file.open("rb") as file:
        blocks = [os.pread(file.fileno(), 4 * KiB, io.offset) for io in written]
    assert len({bytes(b) for b in blocks}) == len({io.offset for io in written})
    assert len(zlib.compress(b"".join(dict.fromkeys(blocks)))) > 0.99 * 4 * KiB * len(set(blocks))


def test_the_composite_has_its_twelve_sizes_and_three_zones_within_one_percent(tmp_path: Path) -> None:
    workload = msgspec.structs.replace(composite(40, 4, 8), range_bytes=SIZE)
    ios = traced(tmp_path, workload, least=50_000).ios
    assert len(ios) >= 20_000
    sizes, zones, edge = Counter(io.size for io in ios), [0, 0, 0], SIZE // 100
    for io in ios:
        zones[0 if io.offset < 5 * edge else 1 if io.offset < 20 * edge else 2] += 1
    for kib, share in BLOCK_MIX_KIB:
        assert 100 * sizes[round(kib * KiB)] / len(ios) == pytest.approx(share, abs=1)
    for count, (share, _) in zip(zones, ZONES, strict=True):
        assert 100 * count / len(ios) == pytest.approx(share, abs=1)
    assert all(io.offset % (4 * KiB) == 0 for io in ios)


def test_each_thread_has_places_of_its_own(tmp_path: Path) -> None:
    workload = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, threads=4, depth=4, range_bytes=SIZE)
    ios = traced(tmp_path, workload).ios
    first = [tuple(io.offset for io in ios if io.thread == thread)[:50] for thread in range(4)]
    assert len(set(first)) == 4
