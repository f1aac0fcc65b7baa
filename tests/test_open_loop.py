"""Loads at a rate: queueing theory's waits, response times from when an IO was due, and how the rate was kept."""

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from benchmarks.bench_rates import intervals

from stend.base.errors import StepFailed
from stend.base.units import GiB, KiB, MiB
from stend.engines.replay import ReplayEngine
from stend.engines.simulated import SimulatedEngine, pattern
from stend.model.counts import Counts
from stend.model.definition import Hold, Seconds
from stend.model.pace import Pace
from stend.model.stats import bin_edges_ns, bin_index
from stend.model.tally import Tally
from stend.model.workload import Stream, Workload, streamed
from stend.runner.bench import Ahead, Bench, Done
from stend.sim import build, load
from stend.sim.arrivals import Arrivals
from stend.sim.requests import Pattern
from tests import queues

READS = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, depth=1024, rate_iops=10_000)
QUICK = "ideal?host.read_mb_s=1000000&host.read_answer_us=0&host.read_command_us="


def at(rate: float, **changes: object) -> Workload:
    return msgspec.structs.replace(READS, rate_iops=rate, **changes)


def held(target: str, workload: Workload, seconds: int, seed: int = 3) -> tuple[Counts, Pace]:
    """What a virtual drive did in so many seconds of a load, without those still in flight."""
    done = intervals(SimulatedEngine(build(load(target))).start(workload, seed=seed), seconds)
    return done.counts, done.pace or Pace()


def beyond(tally: Tally, seconds: float) -> int:
    """The IOs in bins that begin above this response time."""
    return sum(ios for index, ios in tally.bins.items() if bin_edges_ns(index)[0] >= seconds * 1e9)


@pytest.mark.parametrize("busy", [0.3, 0.5, 0.7, 0.9])
def test_a_drive_with_a_fixed_service_time_waits_as_queueing_theory_says(busy: float) -> None:
    service_s = 10e-6
    counts, _ = held(f"{QUICK}10", at(busy / service_s), 40)
    wait_s, expected_s = counts.mean_s - service_s, queues.deterministic(busy / service_s, service_s) - service_s
    assert wait_s == pytest.approx(expected_s, rel=0.02)
    assert counts.iops == pytest.approx(busy / service_s, rel=5 / math.sqrt(counts.ios))


@pytest.mark.parametrize("servers", [1, 4, 16])
@pytest.mark.parametrize("busy", [0.3, 0.5, 0.7, 0.9])
def test_a_drive_with_several_servers_answers_as_queueing_theory_says(busy: float, servers: int) -> None:
    service_s = 10e-6 * servers
    rate = busy * servers / service_s
    target = f"{QUICK}{10 * servers}&ideal.servers={servers}&ideal.service=exponential"
    counts, _ = held(target, at(rate), 40)
    assert counts.mean_s == pytest.approx(queues.exponential(rate, service_s, servers), rel=0.02)


def test_even_arrivals_below_the_limit_never_wait() -> None:
    counts, _ = held(f"{QUICK}10", at(90_000, arrivals="even"), 5)
    assert counts.mean_s == pytest.approx(10e-6, rel=0.01)
    assert counts.ios == pytest.approx(450_000, abs=2)


def test_the_formulas_are_those_of_textbooks() -> None:
    assert queues.deterministic(0.5, 1) == pytest.approx(1.5)
    assert queues.exponential(0.5, 1, 1) == pytest.approx(2.0)
    assert queues.exponential(1.0, 1, 2) == pytest.approx(4 / 3)


STALL = "hangs_at_s=2&hang_s=1"


def test_a_stall_makes_all_ios_late_that_came_due_in_it() -> None:
    """Those that came due in the stall, plus those that find the queue which it left."""
    counts, _ = held(f"{QUICK}1&{STALL}", READS, 6)
    served = 1e6
    expected = 10_000 * served / (served - 10_000)
    late = beyond(counts.read, 0.001)
    assert late == pytest.approx(10_000, rel=0.02)
    assert late == pytest.approx(expected, abs=5 * math.sqrt(expected))
    assert counts.max_s == pytest.approx(1.0, rel=0.01)
    waits = np.array([beyond(counts.read, s) for s in (0.25, 0.5, 0.75)])
    assert waits / late == pytest.approx([0.75, 0.5, 0.25], abs=0.02)  # evenly from 1 s down to nothing


@pytest.mark.parametrize("depth", [1, 32])
def test_a_closed_loop_shows_one_late_io_for_each_outstanding(depth: int) -> None:
    counts, _ = held(f"{QUICK}1&{STALL}", at(0, depth=depth), 6)
    assert beyond(counts.read, 0.001) == depth


def test_a_shorter_queue_hides_nothing_of_a_stall() -> None:
    """With eight in flight the rest waits in the host, and its wait counts all the same."""
    deep, _ = held(f"{QUICK}1&{STALL}", READS, 6)
    short, _ = held(f"{QUICK}1&{STALL}", at(10_000, depth=8), 6)
    assert beyond(short.read, 0.001) == pytest.approx(beyond(deep.read, 0.001), rel=0.01)


@pytest.mark.parametrize("target", ["kc2000", "sn150", "ideal", "small"])
def test_a_scaled_drive_has_the_rate_and_its_share_of_late_ios_too(target: str) -> None:
    scale = load(target).scale
    counts, pace = held(f"{target}?{STALL}", at(20_000), 20)
    spread = 5 * math.sqrt(400_000 * scale)
    assert counts.ios == pytest.approx(400_000, abs=spread)
    assert pace.sent == pytest.approx(counts.ios, abs=1024 * scale)
    late, spread = beyond(counts.read, 0.05), 5 * math.sqrt(20_000 * scale)
    assert 19_000 - spread <= late <= 19_000 / (1 - 20 / 150) + spread  # each of these drives answers 150,000 IOPS


def test_a_throttled_drive_still_gets_the_whole_rate() -> None:
    slow, _ = held("small?thermal.limit_c=1&thermal.throttle_pct=25", at(5_000), 40)
    usual, _ = held("small", at(5_000), 40)
    assert slow.ios == pytest.approx(200_000, abs=5 * math.sqrt(200_000))
    assert slow.mean_s == pytest.approx(4 * usual.mean_s, rel=0.15)


def test_a_rate_beyond_the_drive_leaves_ios_unsent() -> None:
    counts, pace = held(f"{QUICK}10", at(200_000), 4)
    assert counts.iops == pytest.approx(100_000, rel=0.01)
    assert pace.unsent == pytest.approx(400_000, rel=0.9)  # as far as they were read ahead
    assert pace.unsent > 0.1 * pace.sent
    assert counts.max_s == pytest.approx(2.0, rel=0.05)  # the last one waited as long as half of all take


def test_shares_of_reads_and_writes_are_kept_to_a_thousandth() -> None:
    reads = Stream(share=98.765, random=True, read=True, block_bytes=4 * KiB)
    writes = Stream(share=1.235, random=False, read=False, block_bytes=128 * KiB)
    mixed = msgspec.structs.replace(streamed((reads, writes), 1, 1024), rate_iops=50_000)
    counts, _ = held("ideal", mixed, 40)
    assert counts.write.ios / counts.ios == pytest.approx(0.01235, rel=0.03)
    assert counts.write.bytes == counts.write.ios * 128 * KiB


def test_a_disk_at_a_rate_it_can_keep_answers_all() -> None:
    counts, pace = held("sas15k", at(60, arrivals="even"), 60)
    assert counts.ios == pytest.approx(3600, abs=5)
    assert pace.unsent == 0


def test_an_error_on_the_drive_ends_the_load() -> None:
    with pytest.raises(StepFailed, match="IO error"):
        held("ideal?errors_from_bytes=4096&errors_bytes=65536", READS, 20)


def test_poisson_arrivals_are_a_poisson_process() -> None:
    pattern = Pattern(random_pct=100, read_pct=50, sizes=((4096, 1.0),), range_bytes=1 << 24, seed=5)
    due = np.concatenate([batch.due for batch, _ in zip(Arrivals(pattern, 1e4, even=False), range(20), strict=False)])
    gaps = np.diff(due) / 1e9
    assert gaps.mean() == pytest.approx(1e-4, rel=0.01)
    assert gaps.std() == pytest.approx(1e-4, rel=0.02)
    assert np.corrcoef(gaps[:-1], gaps[1:])[0, 1] == pytest.approx(0, abs=0.01)
    each = np.bincount((due // 10**8).astype(int))[:-1]
    assert each.var() / each.mean() == pytest.approx(1, abs=0.15 * 2.5)


def test_each_batch_of_a_schedule_is_a_new_one() -> None:
    """Of a million places so many random ones are met once or more as their number says; no batch comes twice."""
    drawn = pattern(at(1e4, range_bytes=4 * GiB), seed=5, from_bytes=0, limit_bytes=None)
    batches = zip(Arrivals(drawn, 1e4, even=True), range(3), strict=False)
    offset = np.concatenate([batch.offset for batch, _ in batches])
    places = 4 * GiB // (4 * KiB)
    assert len(np.unique(offset)) == pytest.approx(places * -math.expm1(-len(offset) / places), rel=0.01)


def test_equal_seeds_give_equal_schedules_and_others_others() -> None:
    def first(seed: int) -> list[list[int]]:
        pattern = Pattern(random_pct=100, read_pct=50, sizes=((4096, 1.0),), range_bytes=1 << 24, seed=seed)
        return [column.tolist() for column in next(iter(Arrivals(pattern, 1e4, even=False)))]

    assert first(1) == first(1)
    assert first(1) != first(2)


def both(first_s: int, second_s: int) -> tuple[Done, Done]:
    """Two steps of one load without a pause between them."""
    bench = Bench(SimulatedEngine(build(load(f"{QUICK}1&{STALL}"))), lambda: False)
    workload = at(10_000, range_bytes=MiB)
    steps = [Hold(workload=workload, amount=Seconds(seconds=s)) for s in (first_s, second_s)]
    done = []
    for n, step in enumerate(steps):
        gone = bench.hold(step, 1, [Ahead(later, 1) for later in steps[n + 1 :]])
        try:
            while True:
                next(gone)
        except StopIteration as end:
            done.append(end.value)
    return done[0], done[1]


def test_the_pace_of_a_step_is_that_of_the_step_alone() -> None:
    first, second = both(4, 3)
    for done, seconds in ((first, 4), (second, 3)):
        assert done.pace
        assert done.pace.sent == pytest.approx(done.counts.ios, abs=3)
        assert done.pace.sent == pytest.approx(seconds * 10_000, rel=0.03)


def test_paces_of_intervals_add_up_and_the_last_one_says_what_waits() -> None:
    first = Pace(sent=10, late=1, latest_ns=5_000_000, lateness={bin_index(5e6): 1, bin_index(100): 9}, unsent=7)
    second = Pace(sent=20, full=1, latest_ns=100, lateness={bin_index(100): 20}, unsent=2)
    both = Pace(
        sent=30, late=1, full=1, latest_ns=5_000_000, lateness={bin_index(5e6): 1, bin_index(100): 29}, unsent=2
    )
    assert first + second == both


@pytest.mark.usefixtures("forked_senders")
class TestReal:
    @pytest.fixture
    def place(self, tmp_path: Path) -> str:
        place = tmp_path / "drive.bin"
        place.write_bytes(bytes(16 * MiB))
        return str(place)

    @pytest.mark.parametrize("on_a_file", [False, pytest.param(True, marks=pytest.mark.slow)])
    def test_a_rate_is_kept(self, place: str, on_a_file: bool) -> None:
        engine = ReplayEngine(place if on_a_file else "", interval_s=0.2)
        under_way = engine.start(at(2000, range_bytes=16 * MiB), seed=4)
        done = intervals(under_way, 5)
        assert done.pace
        due, usual = done.pace.sent + done.pace.unsent, 2000 * done.counts.seconds  # some wait for a slow disk
        assert due == pytest.approx(usual, abs=5 * math.sqrt(usual))
        done = done.plus(under_way.stop() or Counts(), under_way)
        assert done.pace
        assert done.pace.sent == done.counts.ios

    @pytest.mark.slow
    def test_ios_that_wait_for_room_count_from_when_they_were_due(self, place: str) -> None:
        """One in flight and a rate beyond every host: the last ones are as late as the load lasted, nearly."""
        engine = ReplayEngine(place, interval_s=0.2)
        under_way = engine.start(at(3_000_000, range_bytes=16 * MiB, depth=1), seed=4)
        done = intervals(under_way, 5)
        under_way.stop()
        total, pace = done.counts, done.pace
        assert pace
        assert pace.full_share > 0.9
        assert pace.unsent > 0
        assert total.max_s > 0.5 * total.seconds
