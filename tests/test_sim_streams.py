"""Streams on virtual drives: shares, sizes, directions, places and order are those that were asked for."""

import msgspec
import numpy as np
import pytest

from stend.base.units import KiB, MiB
from stend.engines.simulated import SimulatedEngine, pattern
from stend.model.workload import Stream as Kind
from stend.model.workload import Workload, streamed
from stend.sim import build, load
from stend.sim.requests import BATCH, Stream, stream

READS = Kind(share=60, random=True, read=True, block_bytes=8 * KiB, zone=(0, 50))
LOG = Kind(share=30, random=False, read=False, block_bytes=16 * KiB, zone=(90, 100))
SCAN = Kind(share=10, random=False, read=True, block_bytes=128 * KiB, zone=(50, 90))
RANGE = 256 * MiB


def drawn(load_: Workload, batches: int = 20) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """[requests, 3]: offset, size, whether read; as the compiled part draws them."""
    from stend.base.jit import compiled
    from stend.sim import draws

    @compiled
    def draw(s: Stream) -> int:
        return int(draws.draw(s))

    requests = stream(pattern(load_, seed=3, from_bytes=0, limit_bytes=None), 1)
    rows = []
    for _ in range(batches):
        assert draw(requests) == BATCH
        rows.append(np.column_stack([requests.offset, requests.size, requests.reads.astype(np.int64)]))
    return np.concatenate(rows)


def whole(*kinds: Kind, threads: int = 1) -> Workload:

    return msgspec.structs.replace(streamed(kinds, threads, 8), range_bytes=RANGE)


def test_every_stream_has_its_share_size_direction_and_zone() -> None:
    rows = drawn(whole(READS, LOG, SCAN, threads=2))
    for kind in (READS, LOG, SCAN):
        own = rows[rows[:, 1] == kind.block_bytes]
        assert len(own) / len(rows) == pytest.approx(kind.share / 100, rel=0.05)
        assert set(own[:, 2]) == {int(kind.read)}
        first, last = (RANGE * edge // 100 for edge in kind.zone)
        assert own[:, 0].min() >= first - 4 * KiB
        assert (own[:, 0] + own[:, 1]).max() <= last
        assert (own[:, 0].max() - own[:, 0].min()) > 0.9 * (last - first) - 2 * kind.block_bytes or not kind.random


@pytest.mark.parametrize("threads", [1, 4])
def test_a_sequential_stream_goes_on_where_it_was_whatever_lies_between(threads: int) -> None:
    rows = drawn(whole(READS, LOG, SCAN, threads=threads))
    own = rows[rows[:, 1] == LOG.block_bytes][:, 0]
    for thread in range(threads):
        places = own[thread::threads]
        steps = np.diff(places)
        assert (steps[steps >= 0] == LOG.block_bytes).all()
        assert (steps < 0).sum() == len(places) * LOG.block_bytes // (RANGE // 10 // threads)


def test_a_zone_smaller_than_a_block_of_every_thread_is_shared() -> None:
    narrow = Kind(share=50, random=False, read=False, block_bytes=1 * MiB, zone=(99, 100))
    rows = drawn(whole(READS, narrow, threads=16))
    own = rows[rows[:, 1] == MiB]
    assert (own[:, 0] + own[:, 1]).max() <= RANGE


def test_a_virtual_drive_tells_reads_and_writes_of_streams_apart() -> None:
    engine = SimulatedEngine(build(load("small")))
    run = engine.start(streamed((READS, LOG, SCAN), 2, 8), seed=1)
    counts = [run.next() for _ in range(3)]
    reads = sum(c.read.ios for c in counts if c)
    writes = sum(c.write.ios for c in counts if c)
    assert reads / (reads + writes) == pytest.approx(0.7, abs=0.02)
    sizes = sum(c.read.bytes for c in counts if c) / reads
    assert sizes == pytest.approx((6 * 8 + 128) / 7 * KiB, rel=0.05)


@pytest.mark.parametrize("loads", [1, 2, 5])
def test_loads_that_run_beside_each_other_draw_their_places_by_seeds_of_their_own(loads: int) -> None:
    other = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=1, depth=1)
    every = msgspec.structs.replace(whole(READS), beside=(other,) * loads)
    made = pattern(every, seed=3, from_bytes=0, limit_bytes=None)
    assert len({made.seed, *(one.seed for one in made.beside)}) == 1 + loads
