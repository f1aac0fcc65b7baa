"""Several loads on one drive at once: conserved, fair by closed forms, and what the test of neighbours concludes."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import findings, store
from stend.base.errors import BadInput, LoadFailed
from stend.base.units import KiB, MiB
from stend.capture import drive as drives
from stend.engines.replay import ReplayEngine
from stend.engines.simulated import SimulatedEngine, SimulatedLoad
from stend.findings.look.figures import figures
from stend.many.sides import key_of
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.model.definition import Hold
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.workload import Stream, Workload, streamed
from stend.report.parts import records
from stend.session import Request, start
from stend.sim import build, load
from tests.pictures import run_of
from tests.stand import Stand
from tests.waits import wait_for

READS = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB)
WRITES = msgspec.structs.replace(READS, read_pct=0)
STREAM = msgspec.structs.replace(WRITES, random_pct=0, block_bytes=128 * KiB)
TRIMS = msgspec.structs.replace(READS, trim_pct=100, trim_bytes=MiB)


def changed(load_: Workload, **fields: Any) -> Workload:
    return msgspec.structs.replace(load_, **fields)


def held(target: str, workload: Workload, seconds: int = 3) -> tuple[SimulatedEngine, Counts, tuple[Beside, ...]]:
    """The engine, and all counts of a load and those beside it, down to the last IO."""
    on = SimulatedEngine(build(load(target)))
    under_way, total = on.start(workload, seed=5), Counts()
    assert isinstance(under_way, SimulatedLoad)
    beside = tuple(Beside() for _ in workload.beside)
    for step in (*[under_way.next] * seconds, under_way.stop):
        total += step() or Counts()
        beside = tuple(a + b for a, b in zip(beside, under_way.beside, strict=True)) if under_way.beside else beside
    return on, total, beside


@pytest.mark.parametrize("target", ["ideal", "small", "kc2000", "st600mx0052", "x25e-raid"])
@pytest.mark.parametrize("rate", [0.0, 50.0])
def test_the_loads_together_are_what_the_drive_counts(target: str, rate: float) -> None:
    victim = changed(READS, depth=16, rate_iops=rate, beside=(changed(WRITES, depth=2), changed(READS, depth=3)))
    on, own, beside = held(target, victim)
    every = (own, *(load_.counts for load_ in beside))
    assert sum(counts.read.bytes for counts in every) == on.drive.health()["host_read_bytes"]
    assert sum(counts.write.bytes for counts in every) == on.drive.health()["host_write_bytes"]
    assert [counts.write.ios > 0 for counts in every] == [False, True, False]
    assert [counts.read.ios > 0 for counts in every] == [True, False, True]
    for counts in every:
        assert sum(counts.read.bins.values()) == counts.read.ios
        assert sum(counts.write.bins.values()) == counts.write.ios


@pytest.mark.parametrize("target", ["kc2000", "sn150", "small"])
def test_no_interval_of_a_scaled_drive_takes_ios_back(target: str) -> None:
    """A flush behind 32 large writes takes longer than an interval: its write is not answered, and not in parts."""
    on = SimulatedEngine(build(load(target)), interval_s=0.1)
    victim = changed(WRITES, sync="flush", flush_every=1, beside=(changed(STREAM, depth=32, start_bytes=MiB),))
    under_way, written = on.start(victim, seed=5), 0
    assert isinstance(under_way, SimulatedLoad)
    for step in (*[under_way.next] * 40, under_way.stop):
        for counts in (step() or Counts(), *(load_.counts for load_ in under_way.beside)):
            assert counts.write.ios >= 0
            assert sum(counts.write.bins.values()) == counts.write.ios
            written += counts.write.bytes
    assert written == on.drive.health()["host_write_bytes"]


@pytest.mark.parametrize("depth", [1, 15, 63, 255])
def test_closed_loops_share_an_ideal_drive_by_their_depths(depth: int) -> None:
    """Each of n IOs in flight gets an n-th of the rate: n over the time of one alone, at most that of the processor."""
    _, own, (other,) = held("ideal", changed(READS, beside=(changed(READS, depth=depth),)))
    host = load("ideal").host
    alone_s = (host.read_command_us + 4.096 / 2 + host.read_answer_us) * 1e-6
    rate = min((depth + 1) / alone_s, 1e6 / host.read_command_us)
    assert own.iops == pytest.approx(rate / (depth + 1), rel=0.02)
    assert other.counts.iops == pytest.approx(rate * depth / (depth + 1), rel=0.02)


@pytest.mark.parametrize("depth", [16, 32, 128])
@pytest.mark.parametrize("neighbour", [READS, WRITES, TRIMS])
def test_a_neighbour_on_an_ideal_drive_delays_reads_at_a_rate_by_its_backlog(neighbour: Workload, depth: int) -> None:
    """A closed loop that keeps the processor busy has depth x command of work around, less what is being answered.

    A read that is due at any moment finds half a command less, and takes as long as alone after that.
    """
    host = load("ideal").host
    command, answer, link = {
        READS: (host.read_command_us, host.read_answer_us, 4.096 / 2),
        WRITES: (host.write_command_us, host.write_answer_us, 4.096 / 2),
        TRIMS: (host.trim_command_us + host.trim_mib_us, host.write_answer_us, 0.0),
    }[neighbour]
    work_us = depth * command - (answer + link) - command / 2
    alone_us = host.read_command_us + 4.096 / 2 + host.read_answer_us
    victim = changed(READS, depth=256, rate_iops=1000.0, beside=(changed(neighbour, depth=depth),))
    _, own, _ = held("ideal", victim, seconds=20)
    assert own.iops == pytest.approx(1000, rel=0.05)
    assert own.mean_s * 1e6 == pytest.approx(work_us + alone_us, rel=0.02)


def test_a_full_queue_of_the_drive_is_shared_in_the_order_of_arrival() -> None:
    """SATA's 32 commands: of 64 reads and 64 more, half of those in the drive are the victim's."""
    spec = msgspec.structs.replace(load("ideal"), host=msgspec.structs.replace(load("ideal").host, queue=32))
    under_way = SimulatedEngine(build(spec)).start(changed(READS, depth=64, beside=(changed(READS, depth=64),)), seed=1)
    assert isinstance(under_way, SimulatedLoad)
    own, other = under_way.next(), under_way.beside[0].counts
    assert own is not None
    assert own.iops == pytest.approx(other.iops, rel=0.01)
    assert own.mean_s == pytest.approx(other.mean_s, rel=0.01)
    assert own.mean_s * (own.iops + other.iops) == pytest.approx(128, rel=0.02)  # Little's law


@pytest.mark.parametrize("target", ["ideal", "small", "sas15k", "st600mx0052", "x25e-raid"])
def test_a_load_at_a_rate_leaves_nothing_behind(target: str) -> None:
    """Reads that were not due at the end of a load were never sent: the same reads right after it wait no longer."""
    on = SimulatedEngine(build(load(target)))
    victim, ends = changed(READS, depth=256, rate_iops=50.0), []
    for load_ in (victim, changed(victim, beside=(READS,)), victim):
        under_way = on.start(load_, seed=5)
        steps = [under_way.next() for _ in range(4)]
        stopped_s = on.now()
        under_way.stop()
        assert on.now() - stopped_s < 0.1
        ends.append(sum((counts for counts in steps if counts), Counts()))
    assert ends[2].ios == pytest.approx(ends[0].ios, abs=2)
    assert ends[2].mean_s < 1.5 * ends[0].mean_s


def test_streams_of_unequal_threads_together_are_refused() -> None:
    kind = Stream(share=100, random=False, read=True, block_bytes=64 * KiB)
    with pytest.raises(BadInput, match="equal numbers of threads"):
        SimulatedEngine(build(load("ideal"))).start(
            changed(streamed((kind,), 1, 8), beside=(streamed((kind,), 2, 8),)), seed=1
        )


def test_the_worst_neighbour_is_the_one_with_the_longest_p99() -> None:
    run = run_of("neighbours")
    for finding in (f for f in findings.find(run) if f.name == "neighbours" and f.key.startswith("worst")):
        rows = [row for row in figures(run) if row.phase == finding.values["phase"] and row.workload.beside]
        assert finding.values["beside"] == max(row.value("p99") or 0 for row in rows)
        alone = next(row for row in figures(run) if row.phase == finding.values["phase"] and not row.workload.beside)
        assert finding.values["alone"] == alone.value("p99")
        assert finding.values["times"] == finding.values["beside"] / finding.values["alone"]


@pytest.mark.parametrize(
    ("pace", "alone", "keys"),
    [
        (Pace(sent=1000, late=10), True, {"worst"}),  # 1 % late is allowed
        (Pace(sent=1000, late=11), True, {"host"}),
        (Pace(sent=1000, late=11), False, {"host", "worst"}),  # beside one neighbour: that one alone is left out
        (Pace(sent=1000, late=11, full=11), True, {"rate"}),  # the queue was full: the drive did not keep up
        (Pace(sent=980, unsent=20), True, {"rate"}),
    ],
)
def test_of_a_rate_that_was_not_kept_nothing_is_concluded(pace: Pace, *, alone: bool, keys: set[str]) -> None:
    run, phase = run_of("neighbours"), "beside-reads"
    worst = next(f for f in findings.find(run) if f.name == "neighbours" and f.values["phase"] == phase)
    changed_, left = Run(), 1
    changed_.add(run.started[0])
    for result in run.results:
        load_ = result.step.workload if isinstance(result.step, Hold) else None
        if result.where.phase == phase and load_ and (alone or load_.beside) and left:
            left -= not alone
            result = msgspec.structs.replace(result, pace=pace)  # noqa: PLW2901
        changed_.add(result)
    found = [f for f in findings.find(changed_) if f.name == "neighbours" and f.values["phase"] == phase]
    assert {f.key.removesuffix("_fallen") for f in found} - {"changed", "unknown"} == keys
    assert all(f.confidence == "can't tell" for f in found if f.key in ("host", "rate"))
    assert all(f.values == worst.values for f in found if f.key == worst.key)


def test_each_load_beside_is_a_row_of_the_records() -> None:
    run = run_of("neighbours")
    rows = list(records.rows(run, "r"))
    loads = [(r, r.step.workload) for r in run.results if isinstance(r.step, Hold)]
    assert [len(r.beside) for r, _ in loads] == [len(load_.beside) for _, load_ in loads]
    assert any(r.beside for r, _ in loads)
    wanted = [(r, b) for r, _ in loads for b in r.beside]
    beside = [row for row in rows if row["kind"] == "beside"]
    assert len(wanted) == sum(bool(r.step.workload.beside) for r in run.results if isinstance(r.step, Hold)) > 0
    assert [row["write_ios"] for row in beside] == [b.counts.write.ios for _, b in wanted]
    assert [row["trim_ios"] for row in beside if row["trim_ios"]] == [b.pace.discard.ios for _, b in wanted if b.pace]
    assert len(rows) == len(run.results) + len(wanted)
    steps = [r.step.ramp for r in run.results if isinstance(r.step, Hold)]
    assert sum(row["kind"] == "ramp" for row in rows) == sum(steps) > 0


def test_the_schedule_of_an_open_loop_is_in_the_records() -> None:
    pace = Pace(sent=42, late=3, full=1, latest_ns=2e6, lateness={400: 42})
    run, changed_ = run_of("wake"), Run()
    changed_.add(run.started[0])
    for result in run.results:
        changed_.add(msgspec.structs.replace(result, pace=pace if isinstance(result.step, Hold) else None))
    rows = [row for row in records.rows(changed_, "r") if row["kind"] != "beside"]
    timed = [bool(isinstance(r.step, Hold) and r.step.workload.rate_iops) for r in changed_.results]
    assert [row["sent_ios"] for row in rows] == [42 if at_rate else None for at_rate in timed]
    assert {(row["late_ios"], row["full_ios"], row["late_max_s"]) for row in rows if row["sent_ios"]} == {(3, 1, 0.002)}


def test_a_run_has_no_bytes_that_nothing_sent(tmp_path: Path) -> None:
    """The drive's counters move by the loads beside too: their sum is compared."""
    request = Request(["neighbours"], "sim:kc2000", quick=True, seed=7, into=str(tmp_path / "run"))
    with start(request) as under_way:
        for _ in under_way:
            pass
    run = store.load(under_way.folder)
    assert [note.text for note in run.notes if note.kind == "mismatch"] == []
    assert all(len(r.beside) == len(r.step.workload.beside) for r in run.results if isinstance(r.step, Hold))


def test_figures_beside_unlike_neighbours_are_not_compared() -> None:
    rows = [row for row in figures(run_of("neighbours")) if row.phase == "beside-reads"]
    assert len({key_of(row) for row in rows}) == len(rows)
    rate = changed(rows[0].workload, rate_iops=7.0)
    assert key_of(rows[0]) != key_of(rows[0]._replace(workload=rate))


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
def test_loads_beside_each_other_are_what_a_real_drive_counts(stand: Stand) -> None:
    node = stand.loop(stand.file(size=48 * MiB))
    half = {"start_bytes": 24 * MiB, "range_bytes": 24 * MiB}
    beside = (changed(WRITES, depth=4, **half), changed(TRIMS, trim_bytes=4 * KiB, depth=2, **half))
    on, before = ReplayEngine(node, interval_s=0.2), drives.drive(node).counters()
    under_way, total = on.start(changed(READS, range_bytes=24 * MiB, beside=beside), seed=1), Counts()
    others = (Beside(), Beside())
    for step in (under_way.next, under_way.next, under_way.stop):
        total += step() or Counts()
        others = tuple(a + b for a, b in zip(others, under_way.beside, strict=True))  # type: ignore[attr-defined]
    on.close()
    seen = drives.drive(node).counters() - before
    trims = others[1].pace
    assert trims is not None
    assert (seen.reads, seen.writes, seen.discards) == (total.read.ios, others[0].counts.write.ios, trims.discard.ios)
    assert min(seen.reads, seen.writes, seen.discards) > 0


@pytest.mark.block
@pytest.mark.usefixtures("forked_senders")
def test_a_neighbour_that_fails_ends_the_load_with_its_words(stand: Stand) -> None:
    """Nothing is reported as measured beside a load that no longer runs."""
    node = stand.loop(stand.file(size=48 * MiB))
    on = ReplayEngine(node, interval_s=0.2)
    under_way = on.start(changed(READS, range_bytes=24 * MiB, beside=(changed(WRITES),)), seed=1)
    under_way.next()
    under_way.others[0].sender.child.kill()  # type: ignore[attr-defined]
    with pytest.raises(LoadFailed, match="RND 4K 0/100"):
        [under_way.next() for _ in range(50)]
    wait_for(lambda: not under_way.sender.alive)
    on.close()
