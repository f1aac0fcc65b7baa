"""Synced writes on virtual drives and by the sender: what a flush waits for, what is counted, what fio is asked for."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import sim
from stend.base.errors import Refused, StepFailed
from stend.base.units import KiB, MiB
from stend.cli import main
from stend.engines import Engine
from stend.engines._fio_job import kind
from stend.engines.replay import ReplayEngine
from stend.engines.simulated import SimulatedEngine
from stend.model.counts import Counts
from stend.model.definition import Hold, Seconds
from stend.model.tally import Tally
from stend.model.workload import Workload
from stend.runner.bench import Ahead, Bench, Done
from tests.stand import Stand, ours

WRITES = Workload(random_pct=0, read_pct=0, block_bytes=4 * KiB)
SIZE = 32 * MiB


def load(**how: Any) -> Workload:
    return msgspec.structs.replace(WRITES, **how)


def simulated(target: str, workload: Workload, seconds: int = 4) -> tuple[Counts, Tally]:
    """The counts of a load on a fresh virtual drive, and its flushes."""
    drive = sim.build(sim.load(target))
    workload = msgspec.structs.replace(workload, range_bytes=drive.capacity_bytes)
    done = held(SimulatedEngine(drive), workload, seconds)
    return done.counts, done.pace.flush if done.pace else Tally()


def held(engine: Engine, workload: Workload, seconds: float) -> Done:
    """The result of a step that holds a load for some seconds, and stops it."""
    (done,) = in_turn(engine, workload, seconds)
    return done


def in_turn(engine: Engine, workload: Workload, *seconds: float) -> list[Done]:
    """The results of steps that hold one load in turn, without stopping it in between."""
    bench, done = Bench(engine, lambda: False), []
    steps = [Hold(workload=workload, amount=Seconds(seconds=each)) for each in seconds]
    for n, step in enumerate(steps):
        interval = bench.hold(step, 1, [Ahead(coming, 1) for coming in steps[n + 1 :]])
        while True:
            try:
                next(interval)
            except StopIteration as end:
                done.append(end.value)
                break
    engine.close()
    return done


COMMAND_US, LINK_US = 5 + 20, 2
"""sim:ideal: a command with its answer, and 4 KiB on the link."""


@pytest.mark.parametrize("every", [1, 8])
def test_the_last_write_before_a_flush_ends_with_it_and_the_flush_is_counted_apart(every: int) -> None:
    counts, flushes = simulated("ideal?protected=0&host.flush_us=1000", load(sync="flush", flush_every=every))
    assert flushes.ios == counts.write.ios // every
    assert flushes.mean_s * 1e6 == pytest.approx(COMMAND_US + 1000, rel=1e-6)
    assert counts.write.mean_s * 1e6 == pytest.approx(COMMAND_US + LINK_US + (COMMAND_US + 1000) / every, rel=2e-3)
    assert counts.iops * counts.mean_s == pytest.approx(1, rel=1e-3)  # Little's law: the writer is never idle


@pytest.mark.parametrize("target", ["small", "ideal", "x25e-raid", "st1800mm0088"])
def test_protection_makes_a_flush_a_command_and_its_loss_a_wait_for_the_medium(target: str) -> None:
    _, quick = simulated(f"{target}?protected=1", load(sync="flush"))
    _, slow = simulated(f"{target}?protected=0&host.flush_us=100", load(sync="flush"))
    host = sim.load(target).host
    command_s = (host.write_command_us + host.write_answer_us) * 1e-6
    assert quick.mean_s == pytest.approx(command_s, rel=0.01)
    assert slow.mean_s >= command_s + 100e-6


def test_a_disk_without_protection_writes_once_per_turn() -> None:
    counts, _ = simulated("st1800mm0088?protected=0", load(sync="flush"), seconds=20)
    assert counts.iops == pytest.approx(10_500 / 60, rel=0.05)
    counts, _ = simulated("st1800mm0088?protected=0", load(sync="fua"), seconds=20)
    assert counts.iops == pytest.approx(10_500 / 60, rel=0.05)


def test_a_disk_that_is_flushed_seldom_streams() -> None:
    """A write memory gathers writes between two flushes: only the flush waits for the platter, a turn and one more."""
    disk = "sas15k?disk.write_memory_bytes=16777216"
    often, _ = simulated(disk, load(sync="flush", flush_every=1))
    seldom, _ = simulated(disk, load(sync="flush", flush_every=1024), seconds=20)
    assert often.write.ios / often.seconds < 250 * 1.02  # one per turn at 15,000 rpm
    assert seldom.write.ios / seldom.seconds > 10 * often.write.ios / often.seconds


@pytest.mark.parametrize(
    "beside", [(), (load(random_pct=100, depth=32),), (load(block_bytes=128 * KiB, start_bytes=4 << 30),)]
)
def test_every_flush_of_a_full_write_memory_is_answered(beside: tuple[Workload, ...]) -> None:
    """A hybrid's 8 MiB are at most 2048 writes, and the head does above 80 of them per second in any order."""
    counts, flushes = simulated(
        "st600mx0052", load(random_pct=100, sync="flush", flush_every=16, beside=beside), seconds=120
    )
    assert counts.write.ios // 16 == flushes.ios > 1
    assert flushes.max_ns < 2048 / 80 * 1e9


def test_fua_on_an_unprotected_flash_drive_waits_for_the_program() -> None:
    counts, flushes = simulated("small?protected=0", load(sync="fua"))
    assert flushes == Tally()
    assert 700e-6 <= counts.write.mean_s <= 1.1 * 760e-6
    assert simulated("small", load(sync="fua"))[0] == simulated("small", load())[0]


@pytest.mark.parametrize("target", ["small", "ideal", "x25e-raid", "st1800mm0088", "kc2000"])
def test_a_load_without_sync_is_the_same_on_both(target: str) -> None:
    plain = load(random_pct=100, read_pct=50, threads=4, depth=4)
    assert simulated(f"{target}?protected=0", plain) == simulated(f"{target}?protected=1", plain)


@pytest.mark.parametrize(
    ("target", "words"),
    [("small?", "nothing is lost"), ("small?protected=0&", "of acknowledged writes are lost")],
)
def test_a_lost_power_destroys_only_what_an_unprotected_buffer_holds(target: str, words: str) -> None:
    with pytest.raises(StepFailed, match=words):
        simulated(f"{target}loses_power_at_s=2", load(random_pct=100, depth=32))


def test_a_drive_that_lies_about_flushes_looks_protected() -> None:
    _, honest = simulated("small", load(sync="flush"))
    _, liar = simulated("small?protected=0&lies_about_flush=1", load(sync="flush"))
    assert liar.mean_s == honest.mean_s


@pytest.mark.usefixtures("forked_senders")
@pytest.mark.parametrize(("threads", "every"), [(1, 1), (1, 4), (4, 2)])
def test_the_sender_sends_a_flush_after_every_nth_write_of_a_writer(tmp_path: Path, threads: int, every: int) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(bytes(SIZE))
    workload = load(random_pct=100, threads=threads, range_bytes=SIZE, sync="flush", flush_every=every)
    engine = ReplayEngine(str(ours(path)), block_bytes=4 * KiB, interval_s=0.2)
    done = held(engine, workload, 0.2)
    assert done.pace
    counts, flushes = done.counts, done.pace.flush
    assert counts.write.ios - threads * every < flushes.ios * every <= counts.write.ios
    assert sum(flushes.bins.values()) == flushes.ios
    assert counts.write.bytes == counts.write.ios * 4 * KiB
    assert counts.write.latency_ns > flushes.latency_ns  # each flush is a part of the write before it


@pytest.mark.usefixtures("forked_senders")
def test_the_sender_counts_no_flush_of_a_load_without_one(tmp_path: Path) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(bytes(SIZE))
    engine = ReplayEngine(str(ours(path)), block_bytes=4 * KiB, interval_s=0.2)
    done = held(engine, load(range_bytes=SIZE, sync="fua"), 0.2)
    assert done.counts.write.ios
    assert done.pace is None


def test_fio_is_asked_for_fua_by_its_own_word() -> None:
    assert kind(load(sync="fua"))["sync"] == "dsync"
    assert "sync" not in kind(load())
    assert load(sync="flush").ours
    assert not load(sync="fua").ours


def test_a_step_counts_its_own_flushes_and_none_of_the_step_before() -> None:
    whole = held(SimulatedEngine(sim.build(sim.load("ideal"))), load(sync="flush", range_bytes=SIZE), 5)
    parts = in_turn(SimulatedEngine(sim.build(sim.load("ideal"))), load(sync="flush", range_bytes=SIZE), 2, 3)
    for done in (whole, *parts):
        assert done.pace
        assert done.pace.flush.ios == pytest.approx(done.counts.write.ios, abs=1)
    assert sum(done.pace.flush.ios for done in parts if done.pace) == whole.counts.write.ios


def refused(target: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `run journal` says of a target whose content may be overwritten; it leaves no run behind."""
    words = ["run", "journal", "--target", target, "--quick", "--into", str(folder / "run")]
    assert main([*words, "--destroy-data", name, "--overwrite-file", name]) == Refused.exit_code
    assert not (folder / "run").exists()
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_journal_on_a_write_protected_file_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(range(256)) * 8192)
    path.chmod(0o444)
    line = refused(str(path), str(path), tmp_path, capsys)
    assert line == f"stend: {path} is write-protected; `chmod u+w {path}` first, if it may be overwritten"
    assert path.read_bytes() == bytes(range(256)) * 8192


@pytest.mark.block
def test_a_journal_on_a_read_only_loop_device_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as end:
        stand = Stand(tmp_path, end)
        path = stand.file()
        before = Path(path).read_bytes()
        node = stand.loop(path, "--read-only")
        line = refused(node, str(path), tmp_path, capsys)
        way = "set it up again without `losetup --read-only`, if it may be written"
        assert line == f"stend: {node} is read-only; {way}"
        assert Path(path).read_bytes() == before
