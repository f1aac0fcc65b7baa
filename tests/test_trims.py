"""Trims: drawn as asked, timed and counted apart, and what they do to reads and to cleaning, by closed forms."""

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import findings, store
from stend.base.errors import BadInput, StepFailed
from stend.base.units import KiB, MiB
from stend.capture import drive as drives
from stend.cli import main
from stend.engines.replay import ReplayEngine
from stend.engines.simulated import SimulatedEngine, SimulatedLoad
from stend.model.definition import Hold, Seconds
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.workload import Workload
from stend.planning import plan as planning
from stend.runner.bench import Bench
from stend.session import Request, start
from stend.sim import build, load
from stend.sim import flash_state as k
from tests.closed_forms import greedy
from tests.pictures import run_of
from tests.stand import Stand, few
from tests.test_sim_streams import drawn

READS = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB)
TRIMS = msgspec.structs.replace(READS, trim_pct=100, trim_bytes=64 * KiB)


def changed(load_: Workload, **fields: Any) -> Workload:
    return msgspec.structs.replace(load_, **fields)


def engine(target: str) -> SimulatedEngine:
    return SimulatedEngine(build(load(target)))


def held(on: SimulatedEngine, workload: Workload, seconds: float, *, limit: int | None = None) -> tuple[Any, Pace]:
    """(counts, pace) of a load of this length, or until its limit."""
    under_way, total, pace = on.start(workload, seed=7, limit_bytes=limit), None, Pace()
    assert isinstance(under_way, SimulatedLoad)
    while (counts := under_way.next()) is not None:
        total = counts if total is None else total + counts
        pace += under_way.pace or Pace()
        if total.seconds >= seconds:
            break
    on.close()
    return total, pace


def test_trims_have_their_share_size_alignment_and_range() -> None:
    mixed = changed(READS, trim_pct=30, trim_bytes=MiB, start_bytes=8 * MiB, range_bytes=64 * MiB, read_pct=50)
    rows = drawn(mixed)
    trims = rows[rows[:, 2] == 2]
    assert len(trims) / len(rows) == pytest.approx(0.3, rel=0.05)
    assert set(trims[:, 1]) == {MiB}
    assert set(trims[:, 0] % MiB) == {0}
    assert set(trims[:, 0] // MiB) == set(range(8, 72))
    rest = rows[rows[:, 2] != 2]
    assert (rest[:, 2] == 1).mean() == pytest.approx(0.5, rel=0.05)
    assert set(rest[:, 1]) == {4 * KiB}


def test_trims_in_order_cover_the_range_once_and_begin_again() -> None:
    rows = drawn(changed(TRIMS, random_pct=0, range_bytes=16 * MiB), batches=1)
    places = rows[: 16 * MiB // (64 * KiB), 0]
    assert sorted(places) == list(range(0, 16 * MiB, 64 * KiB))
    assert rows[len(places), 0] == 0


def test_the_draws_of_a_load_without_trims_are_those_it_always_had() -> None:
    """The share is drawn only where there is one: figures of all older loads stay the same."""
    rows = drawn(changed(READS, range_bytes=64 * MiB), batches=1)
    assert (
        rows[:3, 0].tolist() == drawn(changed(READS, range_bytes=64 * MiB, trim_bytes=MiB), batches=1)[:3, 0].tolist()
    )


@pytest.mark.parametrize("number", few(40))
def test_the_test_recovers_the_time_of_a_trim_and_of_each_mib(number: int, tmp_path: Path) -> None:
    dice = random.Random(number)
    command, mib = round(dice.uniform(5, 400), 1), round(dice.uniform(0.5, 200), 1)
    target = f"sim:small?host.trim_command_us={command}&host.trim_mib_us={mib}&seed={number}"
    run = recorded(target, tmp_path)
    cost = next(f for f in findings.find(run) if f.key == "cost")
    answer = load("small").host.write_answer_us
    small_us = command + mib * 4 / 1024 + answer
    assert cost.values["mean"] * 1e6 == pytest.approx(small_us, rel=0.05)
    assert cost.values["mib"] * 1e6 == pytest.approx(mib, rel=0.05)
    rate = next(f for f in findings.find(run) if f.key == "rate")
    assert rate.values["rate"] == pytest.approx(1e6 / (command + mib * 4 / 1024), rel=0.05)


def recorded(target: str, folder: Path) -> Run:
    """The whole test with short minutes."""
    with start(Request(["trim"], target, quick=True, into=str(folder / "run"))) as under_way:
        for _ in under_way:
            pass
    return store.load(under_way.folder)


def test_a_read_of_trimmed_blocks_takes_no_time_of_the_flash() -> None:
    on = engine("small")
    whole = on.drive.spec.capacity_bytes
    held(on, Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=8), 1e9, limit=whole)
    host, flash = on.drive.spec.host, on.drive.spec.flash
    assert flash is not None
    full, _ = held(on, READS, 1)
    assert full.mean_s * 1e6 > flash.read_us
    held(on, changed(TRIMS, random_pct=0, depth=8), 1e9, limit=whole)
    empty, _ = held(on, READS, 1)
    assert empty.mean_s * 1e6 == pytest.approx(host.read_command_us + host.read_answer_us + 4.096 / 1.6, rel=0.01)


def test_a_limit_of_trims_trims_every_block_once() -> None:
    on = engine("small")
    half = on.drive.spec.capacity_bytes // 2
    held(on, Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=8), 1e9, limit=2 * half)
    counts, pace = held(on, changed(TRIMS, random_pct=0, start_bytes=half, range_bytes=half), 1e9, limit=half)
    assert (pace.discard.bytes, counts.ios) == (half, 0)
    gone = on.drive.memory.map == k.NONE  # type: ignore[attr-defined]
    assert gone.sum() * 4 * KiB == half
    assert gone[half // (4 * KiB) :].all()


def test_a_trimmed_half_is_spare_space_for_the_other_half() -> None:
    """Greedy cleaning by its mean field: superblocks full of the other half's data are no victims, trimmed ones are."""
    on = engine("small")
    state, pages = on.drive.memory.state, int(on.drive.memory.parameters[k.PAGES])  # type: ignore[attr-defined]
    superblocks, whole = len(on.drive.memory.valid), on.drive.spec.capacity_bytes  # type: ignore[attr-defined]
    half, used = whole // 2, (superblocks - 3) * pages * 4 * KiB  # three are always free (flash.LOW)
    held(on, Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=8), 1e9, limit=whole)
    writes = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, depth=32, range_bytes=half)

    def amplified() -> float:
        held(on, writes, 20)
        before = state[[k.HOST, k.FLASH]].copy()
        held(on, writes, 10)
        host, flash = state[[k.HOST, k.FLASH]] - before
        return float(flash / host)

    assert amplified() == pytest.approx(greedy((used - half) / half, pages), rel=0.02)
    held(on, changed(TRIMS, random_pct=0, start_bytes=half, range_bytes=half), 1e9, limit=half)
    assert amplified() == pytest.approx(greedy(used / half, pages), rel=0.02)


def test_trims_beside_reads_in_one_load_are_counted_apart() -> None:
    counts, pace = held(engine("ideal"), changed(READS, trim_pct=20, depth=8), 2)
    assert counts.write.ios == 0
    assert pace.discard.ios / (pace.discard.ios + counts.read.ios) == pytest.approx(0.2, rel=0.02)
    assert pace.discard.bytes == pace.discard.ios * 4 * KiB


def test_consecutive_holds_of_one_load_have_trims_of_their_own() -> None:
    on = engine("ideal")
    bench = Bench(on, lambda: False)
    hold = Hold(workload=changed(TRIMS, range_bytes=64 * MiB), amount=Seconds(seconds=2))
    steps = []
    for ahead in ([type("Ahead", (), {"step": hold, "seed": 1})()], []):
        running = bench.hold(hold, 1, ahead)
        try:
            while True:
                next(running)
        except StopIteration as ended:
            steps.append(ended.value)
    counts = [done.pace.discard.ios for done in steps]
    assert counts[0] == pytest.approx(counts[1], rel=0.01)
    each_s = 20e-6 + 20e-6 + 1e-6 / 16  # command, answer, a sixteenth of a MiB
    assert counts[0] == pytest.approx(2 / each_s, rel=0.01)


@pytest.mark.parametrize("target", ["sim:st600mx0052", "sim:x25e-raid"])
def test_a_drive_without_trims_is_refused_in_a_sentence_before_anything_is_written(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "trim", "--target", target, "--quick", "--into", str(tmp_path / "run")]) != 0
    assert f"the test trim cannot run on {target}: it has no trims" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_trims_do_not_reach_a_drive_that_has_none() -> None:
    with pytest.raises(BadInput, match="has no trims"):
        engine("st600mx0052").start(TRIMS, seed=1)


def test_a_file_has_no_trims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scratch"
    words = ["plan", "trim", "--target", str(path), "--quick"]
    path.write_bytes(bytes(2 * MiB))
    assert main(words) != 0
    assert "they end in its file system" in capsys.readouterr().err


def test_a_suite_leaves_trims_out_on_a_drive_that_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "service", "--target", "sim:st600mx0052", "--quick"]) == 0
    shown = capsys.readouterr().out
    assert "Note: the test trim cannot run on sim:st600mx0052: it has no trims (the drive reports none)" in shown
    heads = [line for line in shown.splitlines() if line.endswith((" (own)", " (TKperf #19)"))]
    assert heads == ["Journal (TKperf #19)", "Service Map (own)", "Neighbours (own)"]
    assert main(["plan", "service", "--target", "sim:small", "--quick"]) == 0
    shown = capsys.readouterr().out
    assert "Trim (own)" in shown
    assert "cannot run" not in shown


@pytest.mark.usefixtures("forked_senders")
def test_the_sender_refuses_a_target_that_takes_no_trims(tmp_path: Path) -> None:
    path = tmp_path / "scratch"
    path.write_bytes(bytes(2 * MiB))
    with pytest.raises(StepFailed, match="takes no trims"):
        ReplayEngine(str(path)).start(TRIMS, seed=1)


def test_neighbours_that_trim_are_left_out_where_there_are_no_trims() -> None:
    drive = msgspec.structs.replace(run_of("neighbours").plan.device, facts={})
    plan = planning.draw(["neighbours"], planning.load_profile("enterprise-2.0.2"), drive)
    loads = [step.workload for phase in plan.tests[0].phases for step in phase.round if isinstance(step, Hold)]
    assert len([load_ for load_ in loads if load_.beside]) == 2 * 3 * 3
    assert not any(load_.trims for load_ in loads)


def test_a_load_that_trims_is_a_load_that_writes() -> None:
    """Nothing may take it for a load that leaves the drive as it is."""
    assert TRIMS.writes
    assert changed(READS, beside=(TRIMS,)).writes
    assert not READS.writes


def test_reads_that_are_compared_with_reads_beside_trims_have_their_sender_too() -> None:
    plan = run_of("trim").plan
    reads = {load_ for load_ in plan.sent_by_stend if not load_.trim_pct}
    assert {(load_.label, load_.ours) for load_ in reads} == {("RND 4K 100/0 T1 Q8", False)}


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
@pytest.mark.parametrize("depth", [1, 16])
def test_every_trim_reaches_a_real_drive_once(stand: Stand, depth: int) -> None:
    node = stand.loop(stand.file(size=48 * MiB))
    on, before = ReplayEngine(node, interval_s=0.2), drives.drive(node).counters()
    under_way = on.start(changed(READS, trim_pct=50, trim_bytes=64 * KiB, depth=depth), seed=1)
    reads, pace = 0, Pace()
    for step in (under_way.next, under_way.next, under_way.stop):
        counts = step()
        reads += counts.read.ios if counts else 0
        pace += under_way.pace or Pace()
    on.close()
    seen = drives.drive(node).counters() - before
    assert (seen.reads, seen.discards) == (reads, pace.discard.ios)
    assert pace.discard.ios > 0
    assert pace.discard.bytes == pace.discard.ios * 64 * KiB
    assert sum(pace.discard.bins.values()) == pace.discard.ios


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
def test_a_limit_of_trims_frees_exactly_its_range_on_a_real_drive(stand: Stand) -> None:
    node = stand.loop(stand.file(size=48 * MiB))
    Path(node).write_bytes(b"kept" * (12 * MiB))
    on = ReplayEngine(node, interval_s=0.2)
    load_ = changed(TRIMS, random_pct=0, start_bytes=8 * MiB, range_bytes=16 * MiB, depth=4)
    under_way, trims = on.start(load_, seed=1, limit_bytes=16 * MiB), 0
    while under_way.next() is not None:
        trims += (under_way.pace or Pace()).discard.ios
    on.close()
    whole = Path(node).read_bytes()
    assert trims == 256
    assert whole[8 * MiB : 24 * MiB] == bytes(16 * MiB)
    assert whole[: 8 * MiB] + whole[24 * MiB :] == b"kept" * (8 * MiB)


@pytest.mark.slow
@pytest.mark.fio
@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
def test_a_real_run_of_trims_is_verified_without_words_of_fio_that_no_load_had(
    stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = stand.file(size=64 * MiB), stand.folder / "run"
    node = stand.loop(path)
    words = ["--destroy-data", str(path), "--overwrite-file", str(path), "--into", str(folder)]
    assert main(["run", "trim", "--target", node, "--quick", *words]) == 0
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 0
    assert "agree with the results' counts" in capsys.readouterr().out
