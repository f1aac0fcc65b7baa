"""The engine of our own keeps the rules of engines and a trace's times, says how well, and gives up on a dead drive."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from stend.base.errors import LoadFailed, Missing, StepFailed
from stend.base.units import KiB, MiB
from stend.engines import Engine, _child, mapped
from stend.engines.replay import ReplayEngine, aio
from stend.engines.replay.load import SenderLoad
from stend.model.pace import Pace
from stend.model.workload import Workload
from stend.suite._played import laid, played
from stend.trace import form, playable
from tests.engine_rules import RANDOM, EngineRules, held
from tests.stand import Stand, sh
from tests.traces import made
from tests.waits import PATIENCE_S, wait_for

ROOM = 64 * MiB
pytestmark = pytest.mark.usefixtures("forked_senders")


def workload(path: str, speed: float = 1.0, **changes: object) -> Workload:
    trace = playable.summarise(path)
    return msgspec.structs.replace(played(trace, speed, *laid(trace, ROOM, "auto")), **changes)


def engine_of(path: str, target: str = "", **options: object) -> ReplayEngine:
    return ReplayEngine(target, traces={playable.summarise(path).number: path}, interval_s=0.2, **options)  # type: ignore[arg-type]


def through(engine: ReplayEngine, load: Workload) -> SenderLoad:
    """A load that has come to its own end, with the pace of all of it."""
    under_way = engine.start(load, seed=1)
    assert isinstance(under_way, SenderLoad)
    total, pace = 0, Pace()
    while (counts := under_way.next()) is not None:
        total += counts.ios
        assert under_way.pace is not None
        pace += under_way.pace
    assert load.replay is not None
    assert total == load.replay.ios - pace.flush.ios
    engine.close()
    under_way.pace = pace
    return under_way


def to_its_end(load: SenderLoad) -> None:
    while load.next() is not None:
        pass


class TestOnNothing(EngineRules):
    interval_s = 0.2

    @pytest.fixture
    def engine(self) -> Iterator[Engine]:
        made = ReplayEngine("", interval_s=0.2)
        yield made
        made.close()


@pytest.mark.slow
class TestOnAFile(EngineRules):
    interval_s = 0.2

    @pytest.fixture
    def engine(self, tmp_path: Path) -> Iterator[Engine]:
        place = tmp_path / "drive.bin"
        place.write_bytes(bytes(16 * MiB))
        made = ReplayEngine(str(place), interval_s=0.2)
        yield made
        made.close()


def test_every_io_of_a_trace_is_sent_once_and_none_before_its_time(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet")
    load = through(engine_of(path), workload(path))
    assert load.pace is not None
    assert load.pace.sent == sum(load.pace.lateness.values()) == 2000
    assert load.ended - load.began >= 0.999


def test_twice_as_fast_takes_half_as_long_and_no_less(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet")
    load = through(engine_of(path), workload(path, speed=2))
    assert load.ended - load.began >= 0.499


def test_a_schedule_that_the_host_cannot_keep_is_called_invalid(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", ios=200_000, seconds=2.0)
    load = through(engine_of(path), workload(path, speed=10_000))
    assert load.pace is not None
    assert load.pace.invalid
    assert load.pace.full == 0


@pytest.mark.slow
def test_what_waits_for_room_in_the_queue_is_the_drive_s_doing(tmp_path: Path) -> None:
    place = tmp_path / "drive.bin"
    place.write_bytes(bytes(ROOM))
    path = made(tmp_path / "t.parquet", ios=5000, seconds=1.0)
    load = through(engine_of(path, str(place)), workload(path, speed=1000, depth=1))
    assert load.pace is not None
    assert load.pace.full_share > 0.9
    assert load.pace.doubtful
    assert not load.pace.invalid


def test_a_closed_loop_never_has_more_in_flight_than_was_captured(tmp_path: Path) -> None:
    place = tmp_path / "drive.bin"
    place.write_bytes(bytes(ROOM))
    path = made(tmp_path / "t.parquet", depth=np.full(2000, 3, np.int32))
    engine = engine_of(path, str(place))
    load = engine.start(workload(path, speed=0), seed=1)
    counts = load.next()
    assert counts is not None
    assert 0 < counts.iops * counts.mean_s <= 3.05
    engine.close()


def test_flushes_are_sent_and_discards_that_a_file_does_not_take_are_told(tmp_path: Path) -> None:
    place = tmp_path / "drive.bin"
    place.write_bytes(bytes(ROOM))
    op = np.array([form.WRITE, form.FLUSH, form.DISCARD, form.READ] * 50, np.uint8)
    path = made(tmp_path / "t.parquet", ios=200, seconds=0.1, op=op)
    load = through(engine_of(path, str(place)), workload(path))
    assert load.pace is not None
    assert load.pace.flush.ios == 50
    assert load.pace.sent == 150
    assert load.pace.left_out == {"discards": 50}


def test_a_trace_lands_inside_the_range_whatever_it_is_laid_by(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", span=256 * MiB)
    trace = playable.summarise(path)
    for wish in ("scale", "wrap"):
        fit, span = laid(trace, ROOM, wish)
        load = played(trace, 1.0, fit, span)
        batch = next(mapped.requests(form.opened(Path(path)), load, span, 4 * KiB))
        assert batch.offset.min() >= 0
        assert (batch.offset + batch.length).max() <= span
        assert len(np.unique(batch.offset)) > 1000
        assert batch.offset.max() >= span - MiB, "to its end"


def test_a_depth_that_no_source_told_holds_no_io_back(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", depth=np.array([form.UNKNOWN, 3] * 1000))
    batch = next(mapped.requests(form.opened(Path(path)), workload(path), ROOM, 4 * KiB))
    assert batch.depth.tolist() == [0, 3] * 1000


def test_an_io_beyond_the_drive_s_end_ends_the_replay_by_one_sentence(tmp_path: Path) -> None:
    place = tmp_path / "drive.bin"
    place.write_bytes(bytes(32 * MiB))
    far = np.arange(2000) % 2 * 20 * MiB
    path = made(tmp_path / "t.parquet", offset=far, op=np.zeros(2000, np.uint8))
    load = engine_of(path, str(place)).start(workload(path, range_bytes=32 * MiB), seed=1)
    os.truncate(place, MiB)
    with pytest.raises(LoadFailed, match=f"the IO at byte {20 * MiB} failed: ") as failed:
        to_its_end(load)
    assert not failed.value.died


def test_a_sender_that_a_signal_kills_is_a_death_that_may_be_repeated(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", seconds=60.0)
    load = engine_of(path).start(workload(path), seed=1)
    assert load.next() is not None
    os.kill(load.sender.child.pid, signal.SIGKILL)
    with pytest.raises(LoadFailed, match=r"it was killed by signal 9$") as failed:
        to_its_end(load)
    assert failed.value.died


def test_a_stopped_replay_tells_what_it_did_and_leaves_no_process(tmp_path: Path) -> None:
    path = made(tmp_path / "t.parquet", seconds=60.0)
    engine = engine_of(path)
    load = engine.start(workload(path), seed=1)
    assert load.next() is not None
    load.stop()
    wait_for(lambda: not load.sender.alive)


def test_a_load_that_is_followed_by_another_ends_there() -> None:
    engine = ReplayEngine("", interval_s=0.2)
    before, after = engine.start(RANDOM, seed=1), engine.start(RANDOM, seed=2)
    wait_for(lambda: not before.sender.alive)
    assert after.next() is not None
    engine.close()


def test_a_processor_whose_system_calls_are_unknown_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "s390x")
    with pytest.raises(Missing, match="not s390x"):
        aio.numbers()


@pytest.mark.block
@pytest.mark.needs("root", "losetup", "mkfs.ext4", "mount", "fsfreeze")
def test_a_drive_that_answers_nothing_ends_the_replay_by_the_watchdog(stand: Stand, tmp_path: Path) -> None:
    below = stand.mount(stand.formatted(path=stand.loop(stand.file(size=2 * ROOM))))
    place = below / "drive.bin"
    place.write_bytes(bytes(ROOM))
    path = made(tmp_path / "t.parquet", seconds=30.0, op=np.ones(2000, np.uint8))
    load = engine_of(path, stand.loop(place), silence_s=1.0).start(workload(path), seed=1)
    assert load.next() is not None
    sh("fsfreeze", "-f", below)
    try:
        with pytest.raises(StepFailed, match=r"no answer for 1 s, [1-9]\d* IOs in flight"):
            to_its_end(load)
    finally:
        sh("fsfreeze", "-u", below)
        for sender in _child.left:  # which held the drive as long as the kernel held them
            sender.wait(PATIENCE_S)


def test_reads_alone_need_no_right_to_write(tmp_path: Path) -> None:
    engine = ReplayEngine("", interval_s=0.2)
    total = held(engine.start(msgspec.structs.replace(RANDOM, read_pct=100), seed=1), 1)
    assert total.write.ios == 0
    engine.close()
