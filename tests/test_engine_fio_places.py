"""Where the fio engine on real fio sends IO, how often, and with which data."""

import math
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from stend.base.errors import BadInput, StepFailed
from stend.base.units import KiB, MiB
from stend.engines._fio_json import NEXT_PROCESS
from stend.engines.fio import FioEngine
from stend.model.counts import Counts
from stend.model.definition import Workload
from tests.engine_rules import FILL, RANDOM, finished, held
from tests.fio_logs import logging_fio, sent, sparse

pytestmark = pytest.mark.fio
INTERVAL_S = 0.1


@pytest.fixture
def target(tmp_path: Path) -> str:
    return sparse(tmp_path / "target.bin", 16 * MiB)


@pytest.fixture
def engine(target: str) -> Iterator[FioEngine]:
    made = FioEngine(target, interval_s=INTERVAL_S)
    yield made
    made.close()


@pytest.mark.parametrize("threads", [1, 3, 4, 7])
@pytest.mark.parametrize("range_bytes", [8 * MiB, 5 * MiB + 128 * KiB, 3 * MiB + 70 * KiB + 512])
def test_filling_twice_writes_every_byte_twice(tmp_path: Path, threads: int, range_bytes: int) -> None:
    start = 64 * KiB
    path = sparse(tmp_path / "fresh.bin", start + range_bytes)
    workload = msgspec.structs.replace(FILL, threads=threads, start_bytes=start, range_bytes=range_bytes)
    engine = FioEngine(path, interval_s=INTERVAL_S, fio=logging_fio(tmp_path))
    total = finished(engine.start(workload, seed=1, limit_bytes=2 * range_bytes))
    assert total.write.bytes == 2 * range_bytes
    assert covered(tmp_path, workload) == {2: range_bytes}
    used = os.stat(path).st_blocks * 512
    assert range_bytes <= used <= range_bytes + 4 * KiB


def covered(folder: Path, workload: Workload) -> dict[int, int]:
    """{times: bytes}: how much of the range was sent how often; nothing may lie outside."""
    grain = math.gcd(workload.block_bytes, workload.start_bytes, workload.range_bytes)
    times: Counter[int] = Counter()
    for _, ios in sent(folder):
        for offset, size in ios:
            times.update(range(offset // grain, (offset + size) // grain))
    first = workload.start_bytes // grain
    assert all(first <= place < first + workload.range_bytes // grain for place in times)
    return {n: grain * len([1 for k in times.values() if k == n]) for n in sorted(set(times.values()))}


@pytest.mark.parametrize(("times", "threads"), [(8 / 3, 4), (0.5, 3), (1.25, 1)])
def test_a_limit_that_is_no_whole_number_of_ranges_is_spread_evenly(tmp_path: Path, times: float, threads: int) -> None:
    workload = msgspec.structs.replace(FILL, threads=threads, range_bytes=12 * MiB)
    path = sparse(tmp_path / "target.bin", 12 * MiB)
    engine = FioEngine(path, interval_s=INTERVAL_S, fio=logging_fio(tmp_path))
    limit = round(times * workload.range_bytes)
    total = finished(engine.start(workload, seed=1, limit_bytes=limit))
    assert limit <= total.write.bytes < limit + workload.block_bytes
    per_section = [sum(size for _, size in ios) for _, ios in sent(tmp_path)]
    assert max(per_section) - min(per_section) <= 3 * workload.block_bytes
    assert set(covered(tmp_path, workload)) <= {math.floor(times), math.floor(times) + 1}


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stream_goes_on_where_it_ended_and_wraps(tmp_path: Path, target: str, threads: int) -> None:
    workload = msgspec.structs.replace(FILL, threads=threads, depth=1, range_bytes=6 * MiB)
    words: list[bytes] = []
    engine = FioEngine(target, interval_s=INTERVAL_S, fio=logging_fio(tmp_path), raw=words.append)
    begin = 3 * MiB + 3 * 128 * KiB
    load, total = engine.start(workload, seed=1, from_bytes=begin), Counts()
    while f"{NEXT_PROCESS}\n".encode() not in words:  # a busy host writes the first part slowly
        counts = load.next()
        assert counts
        total += counts
    total += held(load, 1)
    assert words.count(f"{NEXT_PROCESS}\n".encode()) == 1
    assert sum(size for _, ios in sent(tmp_path) for _, size in ios) == total.write.bytes
    slice_bytes = workload.range_bytes // threads
    first, second = sent(tmp_path)[:threads], sent(tmp_path)[threads:]
    for number, ((_, rest), (_, whole)) in enumerate(zip(sorted(first), sorted(second), strict=True)):
        offsets = [offset for offset, _ in rest + whole]
        wanted = [begin // threads + i * workload.block_bytes for i in range(len(offsets))]
        assert offsets == [number * slice_bytes + at % slice_bytes for at in wanted]


def test_every_thread_has_its_own_random_numbers_and_they_repeat(tmp_path: Path, target: str) -> None:
    def places(seed: int) -> list[tuple[int, ...]]:
        folder = tmp_path / f"{seed}-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        workload = msgspec.structs.replace(RANDOM, threads=3, read_pct=100)
        engine = FioEngine(target, interval_s=INTERVAL_S, fio=logging_fio(folder))
        finished(engine.start(workload, seed=seed, limit_bytes=300 * 4 * KiB))
        return sorted(tuple(offset for offset, _ in ios[:50]) for _, ios in sent(folder))

    first, again, other = places(5), places(5), places(6)
    assert len(set(first)) == 3
    assert first == again
    assert not set(first) & set(other)


def test_sizes_zones_and_alignment_are_what_was_asked(tmp_path: Path, target: str) -> None:
    workload = msgspec.structs.replace(
        RANDOM,
        block_mix=((512, 25), (4 * KiB, 50), (64 * KiB, 25)),
        zones=((50, 5), (30, 15), (20, 80)),
        align_bytes=4 * KiB,
    )
    engine = FioEngine(target, interval_s=INTERVAL_S, fio=logging_fio(tmp_path))
    finished(engine.start(workload, seed=1, limit_bytes=100 * MiB))
    ios = [io for _, section in sent(tmp_path) for io in section]
    sizes = Counter(size for _, size in ios)
    assert {size: n / len(ios) for size, n in sizes.items()} == pytest.approx(
        {512: 0.25, 4 * KiB: 0.5, 64 * KiB: 0.25}, abs=0.03
    )
    assert all(offset % (4 * KiB) == 0 and offset + size <= 16 * MiB for offset, size in ios)
    near = sum(offset < 0.05 * 16 * MiB for offset, _ in ios) / len(ios)
    far = sum(offset >= 0.2 * 16 * MiB for offset, _ in ios) / len(ios)
    assert [near, far] == pytest.approx([0.5, 0.2], abs=0.03)


@pytest.mark.parametrize(("random_pct", "jumps"), [(0, 0.0), (50, 0.5), (100, 1.0)])
def test_so_much_of_it_is_random(tmp_path: Path, target: str, random_pct: int, jumps: float) -> None:
    workload = msgspec.structs.replace(RANDOM, random_pct=random_pct, threads=1, depth=1, read_pct=100)
    engine = FioEngine(target, interval_s=INTERVAL_S, fio=logging_fio(tmp_path))
    finished(engine.start(workload, seed=1, limit_bytes=16 * MiB))
    ((_, ios),) = sent(tmp_path)
    jumped = sum(b[0] != a[0] + a[1] for a, b in pairwise(ios)) / (len(ios) - 1)
    assert jumped == pytest.approx(jumps, abs=0.05)


@pytest.mark.parametrize(("entropy_pct", "low", "high"), [(100, 0.98, 1.02), (40, 0.3, 0.5), (0, 0.0, 0.05)])
def test_data_is_as_compressible_as_asked(tmp_path: Path, entropy_pct: int, low: float, high: float) -> None:
    path = sparse(tmp_path / "data.bin", 8 * MiB)
    workload = msgspec.structs.replace(FILL, range_bytes=8 * MiB, entropy_pct=entropy_pct)
    finished(FioEngine(path, interval_s=INTERVAL_S).start(workload, seed=1, limit_bytes=8 * MiB))
    data = Path(path).read_bytes()
    assert low <= len(zlib.compress(data, 1)) / len(data) <= high
    if entropy_pct == 100:
        blocks = [data[i : i + 4 * KiB] for i in range(0, len(data), 4 * KiB)]
        assert len(set(blocks)) == len(blocks)


def test_reading_changes_nothing(tmp_path: Path, target: str) -> None:
    Path(target).write_bytes(os.urandom(MiB))
    before = Path(target).read_bytes()
    workload = msgspec.structs.replace(RANDOM, read_pct=100, range_bytes=MiB)
    Path(target).chmod(0o400)
    held(FioEngine(target, interval_s=INTERVAL_S).start(workload, seed=1), 2)
    assert Path(target).read_bytes() == before


def test_a_range_of_nothing_is_all_there_is(engine: FioEngine) -> None:
    workload = msgspec.structs.replace(FILL, range_bytes=0)
    assert finished(engine.start(workload, seed=1, limit_bytes=16 * MiB)).write.bytes == 16 * MiB


def test_a_target_that_is_too_small_is_not_made_longer(target: str) -> None:
    engine = FioEngine(target, interval_s=INTERVAL_S)
    with pytest.raises(StepFailed, match="too small"):
        engine.start(msgspec.structs.replace(FILL, range_bytes=17 * MiB), seed=1)
    with pytest.raises(BadInput, match="less than one block"):
        engine.start(msgspec.structs.replace(FILL, range_bytes=64 * KiB), seed=1)
    assert os.stat(target).st_size == 16 * MiB
    os.unlink(target)
    with pytest.raises(StepFailed, match="No such file"):
        engine.start(FILL, seed=1)
    assert not Path(target).exists()


def test_an_open_file_of_another_process_is_a_target(target: str) -> None:
    with open(target, "r+b") as file:
        engine = FioEngine(f"/proc/{os.getpid()}/fd/{file.fileno()}", interval_s=INTERVAL_S)
        os.unlink(target)
        assert finished(engine.start(FILL, seed=1, limit_bytes=MiB)).write.bytes == MiB
