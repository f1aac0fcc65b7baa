"""The bench: how long a rest lasts, when a hold is over, what a pause is, and where a stream goes on."""

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend.base.units import KiB, MiB
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Idle, Purge, Seconds, Step, Workload
from stend.model.pace import Pace
from stend.runner.bench import Ahead, Bench, Done, Stopped
from tests.still import StillEngine

RANDOM = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, range_bytes=64 * MiB)
STREAM = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, range_bytes=512 * MiB)
LATE_S = 0.4


def bench(engine: StillEngine) -> Bench:
    return Bench(engine, lambda: False)


def done(hold: Generator[Counts, None, Done]) -> tuple[list[Counts], Done]:
    heard = []
    while True:
        try:
            heard.append(next(hold))
        except StopIteration as finished:
            return heard, finished.value


def held(here: Bench, workload: Workload, seconds: float, *ahead: Ahead, seed: int = 1) -> tuple[list[Counts], Done]:
    return done(here.hold(Hold(workload=workload, amount=Seconds(seconds=seconds)), seed, list(ahead)))


@pytest.mark.parametrize(("seconds", "intervals"), [(10.0, 10), (10.4, 10), (10.5, 10), (10.6, 11), (0.3, 1)])
def test_a_hold_ends_at_the_interval_nearest_to_its_time(seconds: float, intervals: int) -> None:
    heard, came_to = held(bench(StillEngine()), RANDOM, seconds)
    assert len(heard) == intervals
    assert came_to.counts.seconds == intervals


def test_a_rest_lasts_as_asked_from_the_last_io_on() -> None:
    engine = StillEngine()
    here = bench(engine)
    held(here, RANDOM, 2)
    engine.clock += LATE_S  # recording takes its time
    here.rest(30)
    assert engine.clock == pytest.approx(32)
    _, after = held(here, STREAM, 2)
    assert after.gap_s == pytest.approx(30)


def test_the_end_of_a_rest_is_left_to_the_load_that_follows_and_is_kept_all_the_same() -> None:
    engine = StillEngine()
    here = bench(engine)
    held(here, RANDOM, 2)
    here.rest(30, until_hold=True)
    assert engine.clock == pytest.approx(31.7)
    engine.clock += 0.1
    _, after = held(here, STREAM, 2)
    assert after.gap_s == pytest.approx(30)
    here.rest(0.1, until_hold=True)
    assert engine.clock == pytest.approx(34)


def test_a_rest_before_any_load_begins_now() -> None:
    engine = StillEngine()
    engine.clock = 100
    here = bench(engine)
    assert tuple(here.rest(5)) == (Counts(), 0.0, 0, None, None, None, (), 0)
    assert engine.clock == pytest.approx(105)
    _, first = held(here, RANDOM, 1)
    assert first.gap_s == 0


def test_the_same_load_goes_on_without_a_pause_and_with_the_seed_it_began_with() -> None:
    engine = StillEngine()
    here = bench(engine)
    again = Ahead(Hold(workload=RANDOM, amount=Seconds(seconds=2)), 2)
    _, first = held(here, RANDOM, 2, again, seed=1)
    engine.clock += 1
    _, second = held(here, RANDOM, 2, seed=2)
    assert (first.seed, second.seed, second.gap_s) == (1, 1, 0)
    assert [line.split()[0] for line in engine.log] == ["start", "stop"]


def test_another_load_is_a_pause_after_the_one_before() -> None:
    engine = StillEngine()
    here = bench(engine)
    held(here, RANDOM, 2)
    engine.clock += LATE_S
    _, second = held(here, STREAM, 2, seed=9)
    assert second.gap_s == pytest.approx(LATE_S)
    assert second.seed == 9


def test_a_stream_goes_on_where_it_ended_and_wraps_in_its_range() -> None:
    engine = StillEngine()  # 1000 blocks of 128 KiB a second: 125 MiB
    here = bench(engine)
    for _ in range(5):
        held(here, STREAM, 1)
    starts = [line.partition(" from ")[2] for line in engine.log if line.startswith("start")]
    assert starts == ["", *(str(n * 125 * MiB) for n in (1, 2, 3, 4))]
    held(here, STREAM, 1)
    assert engine.log[-2].endswith(f"from {5 * 125 * MiB % (512 * MiB)}")
    held(here, RANDOM, 1)
    assert " from " not in engine.log[-2]


def test_a_stream_of_reads_and_one_of_both_go_on_where_they_ended_too() -> None:
    engine = StillEngine()
    here = bench(engine)
    for read_pct in (100, 40):
        stream = msgspec.structs.replace(STREAM, read_pct=read_pct)
        for _ in range(3):
            held(here, stream, 1)
        starts = [line.partition(" from ")[2] for line in engine.log if line.startswith("start")]
        assert starts[-3:] == ["", str(125 * MiB), str(250 * MiB)]


def test_a_rest_ends_what_was_to_go_on() -> None:
    """A phase that ended early had its load ready to be held again."""
    engine = StillEngine()
    here = bench(engine)
    held(here, RANDOM, 2, Ahead(Hold(workload=RANDOM, amount=Seconds(seconds=2)), 2))
    here.rest(30)
    assert engine.log[1] == "stop"
    assert engine.clock == pytest.approx(32)
    _, after = held(here, RANDOM, 2)
    assert after.gap_s == pytest.approx(30)


def test_a_limit_begins_at_the_beginning_and_is_done_to_the_byte() -> None:
    engine = StillEngine()
    here = bench(engine)
    held(here, STREAM, 1)
    heard, came_to = done(here.hold(Hold(workload=STREAM, amount=Bytes(bytes=300 * MiB)), 1, []))
    assert came_to.counts.write.bytes == 300 * MiB
    assert len(heard) == 3
    assert engine.log[-2].endswith(f"limit {300 * MiB}")
    assert " from " not in engine.log[-2]


def test_what_comes_after_a_rest_stands_ready_and_a_stream_that_goes_on_does_not() -> None:
    engine = StillEngine()
    here = bench(engine)
    rest = Ahead(Idle(seconds=5), 0)
    held(here, RANDOM, 1, rest, Ahead(Hold(workload=STREAM, amount=Seconds(seconds=1)), 2))
    assert "ready" in engine.log[1]
    held(here, STREAM, 1, rest, Ahead(Hold(workload=STREAM, amount=Seconds(seconds=1)), 2))
    assert sum("ready" in line for line in engine.log) == 1
    assert engine.log[1] == f"ready {STREAM.label}"
    held(here, RANDOM, 1, Ahead(Hold(workload=STREAM, amount=Seconds(seconds=1)), 2))
    assert f"ready {STREAM.label} from {here.streams[STREAM]}" in engine.log
    assert here.streams[STREAM]


def test_beside_a_short_step_nothing_is_made_ready_where_no_processor_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be seen in the figures of a drive that is as fast as its host."""
    monkeypatch.setattr("stend.runner.bench.CPUS", 1)  # and the still drive's host is busy for a tenth of each second
    next_, rest = Ahead(Hold(workload=STREAM, amount=Seconds(seconds=60)), 2), Ahead(Idle(seconds=5), 0)
    before, after = ["start", "ready", "stop"], ["start", "stop", "ready"]
    for seconds, ahead, order in ((9, [next_], after), (10, [next_], before), (9, [rest, next_], before)):
        engine = StillEngine()
        held(bench(engine), RANDOM, seconds, *ahead)
        assert [line.split()[0] for line in engine.log] == order
    engine = StillEngine()
    done(bench(engine).hold(Hold(workload=RANDOM, amount=Bytes(bytes=MiB)), 1, [next_]))
    assert [line.split()[0] for line in engine.log][:2] == ["start", "ready"]


def test_beside_a_short_step_the_next_is_made_ready_once_a_processor_was_seen_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("stend.runner.bench.CPUS", 2)
    engine = StillEngine()
    here = bench(engine)
    hold = here.hold(
        Hold(workload=RANDOM, amount=Seconds(seconds=3)),
        1,
        [Ahead(Hold(workload=STREAM, amount=Seconds(seconds=3)), 2)],
    )
    next(hold)
    assert [line.split()[0] for line in engine.log] == ["start", "ready"]
    done(hold)
    assert [line.split()[0] for line in engine.log] == ["start", "ready", "stop"]


def test_a_wish_to_end_waits_half_a_second_of_a_rest_at_most() -> None:
    engine = StillEngine()
    here = Bench(engine, lambda: engine.clock >= 3.2)
    with pytest.raises(Stopped):
        here.rest(60)
    assert 3.2 <= engine.clock <= 3.7


def test_the_operators_wish_to_end_is_heard_within_a_rest_and_within_a_load() -> None:
    engine = StillEngine()
    here = Bench(engine, lambda: engine.clock >= 3)
    with pytest.raises(Stopped):
        held(here, RANDOM, 60)
    assert engine.clock == 3
    with pytest.raises(Stopped):
        here.rest(60)
    assert engine.clock == 3


def test_a_load_whose_ios_are_all_observed_has_no_weight_of_its_own() -> None:
    _, first = held(bench(StillEngine()), RANDOM, 1)
    assert (first.weight, first.verified, first.places, first.beside) == (0, None, None, ())


def test_a_processor_is_idle_if_the_host_was_busy_for_no_more_than_the_time_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The host of a still drive is busy for a tenth of a second in each interval."""
    monkeypatch.setattr("stend.runner.bench.CPUS", 2)
    next_ = Ahead(Hold(workload=STREAM, amount=Seconds(seconds=1)), 2)
    for interval_s, order in ((0.1, ["start", "ready", "stop"]), (0.09, ["start", "stop", "ready"])):
        engine = StillEngine(interval_s=interval_s)
        held(bench(engine), RANDOM, 0.2, next_)
        assert [line.split()[0] for line in engine.log] == order


@pytest.mark.parametrize(
    ("ahead", "ready"),
    [
        ([], False),
        ([Hold(workload=RANDOM, amount=Seconds(seconds=60))], False),
        ([Hold(workload=RANDOM, amount=Bytes(bytes=MiB))], True),
        ([Hold(workload=STREAM, amount=Seconds(seconds=60))], True),
        ([Purge(), Hold(workload=STREAM, amount=Seconds(seconds=60))], False),
        ([Idle(seconds=5), Hold(workload=RANDOM, amount=Seconds(seconds=60))], True),
        ([Idle(seconds=5), Purge()], False),
        ([Idle(seconds=5)], False),
    ],
)
def test_the_next_load_is_made_ready_unless_it_is_the_one_that_goes_on(ahead: list[Step], ready: bool) -> None:
    engine = StillEngine()
    held(bench(engine), RANDOM, 60, *(Ahead(step, 7) for step in ahead))
    assert any(line.startswith("ready") for line in engine.log) is ready


def test_a_stream_with_a_limit_begins_at_the_start_and_is_made_ready_after_a_rest() -> None:
    engine = StillEngine()
    here = bench(engine)
    held(here, STREAM, 60, Ahead(Idle(seconds=5), 0), Ahead(Hold(workload=STREAM, amount=Bytes(bytes=MiB)), 2))
    assert engine.log[1] == f"ready {STREAM.label}"
    assert here.streams[STREAM]


def test_the_counts_of_loads_beside_a_load_add_up_one_by_one() -> None:
    loads: list[Any] = [
        SimpleNamespace(pace=Pace(sent=n), beside=[Beside(counts=Counts(seconds=10 * n + k)) for k in range(2)])
        for n in (1, 2)
    ]
    plain, done_ = SimpleNamespace(), Done()
    for counts, load in ((1, plain), (2, loads[0]), (3, loads[1]), (4, plain)):
        done_ = done_.plus(Counts(seconds=counts), load)
    assert done_.counts.seconds == 10
    assert [each.counts.seconds for each in done_.beside] == [30, 32]
    assert done_.pace == Pace(sent=3)
    assert Done().plus(Counts(), plain).beside == ()
