"""What every engine must do, whatever makes its load. A test file joins by handing over its engine and its patience."""

import math
from collections.abc import Iterator

import msgspec
import pytest

from stend.base.units import KiB, MiB
from stend.engines import Engine, Load
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.stats import bin_edges_ns

RANDOM = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=2, depth=4, range_bytes=16 * MiB)
MIXED = msgspec.structs.replace(RANDOM, read_pct=70)
ENOUGH = 1000
"""IOs of a mix, each of which is drawn, that tell 70 % from 60 and 80 on any host, however few it does in a second."""
FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, threads=3, depth=4, range_bytes=16 * MiB)


def intervals(load: Load, count: int) -> Iterator[Counts]:
    """The next few intervals of an endless load."""
    for _ in range(count):
        counts = load.next()
        assert counts is not None
        yield counts


def held(load: Load, count: int) -> Counts:
    """A load's counts over some intervals and its end."""
    total = sum(intervals(load, count), Counts())
    return total + (load.stop() or Counts())


def finished(load: Load) -> Counts:
    """The counts of a load with a limit."""
    total = Counts()
    while (counts := load.next()) is not None:
        total += counts
    return total


class EngineRules:
    """Inherit, and give `engine` (which tells `interval_s`) as a fixture."""

    interval_s = 1.0

    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        raise NotImplementedError

    def test_tells_about_once_an_interval(self, engine: Engine) -> None:
        """A starved host delays some, never all of them, and those that follow in haste do not make them more often."""
        load = engine.start(RANDOM, seed=1)
        told = [*intervals(load, 5)]
        load.stop()
        assert all(counts.write.ios > 0 for counts in told if counts.seconds > 0.3 * self.interval_s)
        assert min(counts.seconds for counts in told) < 20 * self.interval_s
        assert sum(counts.seconds for counts in told) > 3 * self.interval_s

    def test_seconds_add_up_to_the_time_under_load(self, engine: Engine) -> None:
        before = engine.now()
        load = engine.start(RANDOM, seed=1)
        total = held(load, 4)
        assert total.seconds == pytest.approx(load.ended - load.began, rel=0.01)
        assert before <= load.began < load.ended <= engine.now()

    def test_counts_agree_with_each_other(self, engine: Engine) -> None:
        total = held(engine.start(MIXED, seed=1), 4)
        for tally in (total.read, total.write):
            assert sum(tally.bins.values()) == tally.ios > 0
            assert tally.bytes == tally.ios * MIXED.block_bytes
            assert bin_edges_ns(min(tally.bins))[0] <= tally.mean_s * 1e9 <= tally.max_ns
            assert bin_edges_ns(max(tally.bins))[0] <= tally.max_ns <= bin_edges_ns(max(tally.bins))[1]
            squares = sum(n * ((sum(bin_edges_ns(i)) - 1) / 2) ** 2 for i, n in tally.bins.items())
            assert tally.latency_ns2 == pytest.approx(squares, rel=0.03)

    def test_the_mix_is_what_was_asked(self, engine: Engine) -> None:
        load, total = engine.start(MIXED, seed=1), Counts()
        while total.ios < ENOUGH:
            total += next(intervals(load, 1))
        total += load.stop() or Counts()
        share, in_flight = MIXED.read_pct / 100, MIXED.outstanding / total.ios
        by_chance = math.sqrt(share * (1 - share) / total.ios)
        assert total.read.ios / total.ios == pytest.approx(share, abs=5 * by_chance + in_flight)

    def test_no_more_is_outstanding_than_asked(self, engine: Engine) -> None:
        total = held(engine.start(RANDOM, seed=1), 4)
        assert total.iops * total.both.mean_s <= RANDOM.outstanding * 1.1

    @pytest.mark.parametrize("passes", [1, 2])
    def test_a_limit_is_written_exactly_and_then_it_is_over(self, engine: Engine, passes: int) -> None:
        load = engine.start(FILL, seed=1, limit_bytes=passes * FILL.range_bytes)
        total = finished(load)
        assert total.write.bytes == passes * FILL.range_bytes
        assert sum(total.write.bins.values()) == total.write.ios == passes * FILL.range_bytes // FILL.block_bytes
        assert total.seconds == pytest.approx(load.ended - load.began, rel=0.01)
        assert load.next() is None
        assert load.stop() is None

    def test_a_stopped_load_has_nothing_more_to_tell(self, engine: Engine) -> None:
        load = engine.start(RANDOM, seed=1)
        load.stop()
        assert load.stop() is None
        assert load.next() is None

    def test_what_was_prepared_for_need_not_come(self, engine: Engine) -> None:
        engine.prepare(MIXED, seed=2)
        engine.prepare(FILL, seed=2, limit_bytes=FILL.range_bytes)
        total = held(engine.start(RANDOM, seed=1), 2)
        assert total.read.ios == 0
        assert total.write.ios > 0

    def test_what_was_prepared_for_comes(self, engine: Engine) -> None:
        load = engine.start(RANDOM, seed=1)
        engine.prepare(MIXED, seed=2)
        held(load, 1)
        following = engine.start(MIXED, seed=2)
        assert following.began >= load.ended
        assert held(following, 2).read.ios > 0

    def test_a_stream_may_begin_anywhere(self, engine: Engine) -> None:
        total = held(engine.start(FILL, seed=1, from_bytes=10 * MiB + 128 * KiB), 3)
        assert total.write.ios > 0

    def test_idling_takes_its_time(self, engine: Engine) -> None:
        before = engine.now()
        engine.idle(0.2)
        assert engine.now() >= before + 0.2 - 1e-9

    def test_lets_go_when_closed(self, engine: Engine) -> None:
        load = engine.start(RANDOM, seed=1)
        load.next()
        engine.close()
        assert load.stop() is None
        assert load.next() is None
        engine.close()
