"""Loads of services: what small or mixed samples do not show is not concluded, and pages do not contradict charts."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from stend import findings, store
from stend.base.units import KiB
from stend.charts import pictures, stamped
from stend.findings.look.because import Because
from stend.model.beside import Beside
from stend.model.bins import bin_index
from stend.model.counts import Counts
from stend.model.definition import Hold, Workload
from stend.model.events import Judged, Position, Result
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.tally import NONE, Tally
from stend.report.parts.header import every_load
from stend.report.story.telling import story
from stend.sentences import finding_said, findings_said
from stend.session import Request, start
from stend.words import Language, text
from tests.pictures import run_of


def tally(*parts: tuple[int, float]) -> Tally:
    """So many IOs of so many ns each."""
    waited, squares = (sum(n * ns**power for n, ns in parts) for power in (1, 2))
    bins = {bin_index(ns): n for n, ns in parts}
    return Tally(sum(bins.values()), 0, waited, squares, max(ns for _, ns in parts), bins)


def changed(run: Run, change: Callable[[Result, Workload], Result], scale: int = 1) -> Run:
    """The run with other results of its loads, on a drive whose IOs each count as `scale`."""
    device = msgspec.structs.replace(run.plan.device, facts=run.plan.device.facts | {"scale": scale})
    began = [msgspec.structs.replace(one, plan=msgspec.structs.replace(one.plan, device=device)) for one in run.started]
    results = [change(r, r.step.workload) if isinstance(r.step, Hold) else r for r in run.results]
    return Run([*began, *results, *([run.ended] if run.ended else [])])


def keys(run: Run, name: str) -> list[str]:
    return [finding.key for finding in findings.find(run) if finding.name == name]


@pytest.mark.parametrize(
    ("flushes", "key"),
    [
        (((1000, 20e3),), "free"),
        (((960, 20e3), (40, 9e6)), "free"),
        (((600, 20e3), (400, 3e6)), "uneven"),
        (((1000, 3e6),), "costs"),
    ],
)
def test_a_flush_is_free_if_nine_of_ten_are(flushes: tuple[tuple[int, float], ...], key: str) -> None:
    """A file system over a loop device: the median is that of a flush without work, and many others take ms."""

    def flushed(result: Result, load: Workload) -> Result:
        return msgspec.structs.replace(result, pace=Pace(flush=tally(*flushes))) if load.sync == "flush" else result

    run = changed(run_of("journal"), flushed)
    (finding,) = [f for f in findings.find(run) if f.name == "journal" and f.key in ("free", "uneven", "costs")]
    assert finding.key == key
    assert "3.0" in finding_said(finding, Language("en")) if key == "uneven" else True
    assert finding_said(finding, Language("ru"))


def stopped(result: Result, load: Workload) -> Result:
    """No IO of a victim beside streams."""
    if any(other.random_pct == 0 for other in load.beside):
        return msgspec.structs.replace(result, counts=msgspec.structs.replace(result.counts, read=NONE, write=NONE))
    return result


def test_a_victim_stops_only_if_it_would_have_had_ios() -> None:
    """Of 1,000 IOs per second in 0.2 s a drive that simulates one of 64 has three."""
    assert "stopped" in keys(changed(run_of("neighbours"), stopped), "neighbours")
    assert "stopped" not in keys(changed(run_of("neighbours"), stopped, scale=10**7), "neighbours")


@pytest.mark.parametrize(("completed", "named"), [(1, False), (9, False), (10, True)])
def test_beside_streams_a_mean_of_fewer_than_ten_ios_is_not_stated(completed: int, *, named: bool) -> None:
    """One IO of 175 ms in a minute beside streams: hardly any was completed, and its time is no mean."""

    def starved(result: Result, load: Workload) -> Result:
        if any(other.random_pct == 0 for other in load.beside):
            both = {"read": NONE, "write": NONE} | {
                "read" if load.read_pct else "write": tally((completed, 175e6)),
            }
            return msgspec.structs.replace(result, counts=msgspec.structs.replace(result.counts, **both))
        return result

    run = changed(run_of("neighbours"), starved)
    found = [f for f in findings.find(run) if f.name == "neighbours"]
    assert ("starved" in {f.key for f in found}) is not named
    means = [f for f in found if 0.1 < f.values.get("mean", f.values.get("beside", 0.0)) < 0.2]
    assert bool(means) is named
    for finding in found:
        assert finding_said(finding, Language("ru"))


def test_of_neighbours_with_too_few_ios_the_slowest_is_named() -> None:
    """The one beside which a synced write takes 18 ms, not the last one of the list, beside which it takes 17 ms."""
    few = {("SEQ 128K", 32): 18e6, ("RND TRIM 64K", 32): 17e6}

    def slowed(result: Result, load: Workload) -> Result:
        for other in load.beside:
            for (kind, depth), ns in few.items():
                if load.sync == "flush" and other.label.startswith(kind) and other.depth == depth:
                    counts = msgspec.structs.replace(result.counts, write=tally((50, ns)))
                    return msgspec.structs.replace(result, counts=counts)
        return result

    run = changed(run_of("neighbours"), slowed)
    (named,) = [f for f in findings.find(run) if f.name == "neighbours" and f.key.startswith("unknown")]
    assert named.values["neighbour"] == "stream"


def test_the_drive_has_changed_only_if_the_means_differ_by_more_than_their_errors() -> None:
    alone = [r for r in run_of("neighbours").results if isinstance(r.step, Hold) and not r.step.workload.beside]
    last = {r.where.phase: r for r in alone}

    def slower(result: Result, _: Workload) -> Result:
        if result not in last.values():
            return result
        counts = result.counts
        ways = {
            way: msgspec.structs.replace(t, latency_ns=2 * t.latency_ns, latency_ns2=4 * t.latency_ns2)
            for way, t in (("read", counts.read), ("write", counts.write))
        }
        return msgspec.structs.replace(result, counts=msgspec.structs.replace(counts, **ways))

    assert "changed" in keys(changed(run_of("neighbours"), slower), "neighbours")
    assert "changed" not in keys(changed(run_of("neighbours"), slower, scale=10**7), "neighbours")


def test_a_map_has_no_chart_of_a_percentile_that_its_page_calls_unknown(tmp_path: Path) -> None:
    with start(Request(["service-map"], "sim:kc2000", quick=True, seed=3, into=str(tmp_path / "run"))) as under_way:
        for _ in under_way:
            pass
    run = store.load(under_way.folder)
    unknown = [f.values["percent"] for f in findings.find(run) if f.name == "service_map" and f.key == "few"]
    drawn = [picture.title for picture in pictures("service_map", run, run.plan.tests[0])]
    assert unknown == [99.9]
    assert len(drawn) == 1
    assert "99.9" not in drawn[0]


def test_no_thread_is_busier_than_its_core() -> None:
    """The CPU seconds are the host's: another process may use the other cores."""

    def hot(result: Result, _: Workload) -> Result:
        counts = msgspec.structs.replace(result.counts, cpu_s=8 * result.counts.seconds)
        return msgspec.structs.replace(result, counts=counts)

    run = changed(run_of("neighbours"), hot)
    began = msgspec.structs.replace(run.plan.device, virtual=False, facts={})
    plan = msgspec.structs.replace(run.plan, device=began)
    run = Run([msgspec.structs.replace(run.started[0], plan=plan), *run.results])
    (limit,) = [finding for finding in findings.find(run) if finding.name == "limits"]
    assert (limit.key, limit.values["busy"]) == ("cpu", 1.0)


def test_what_disturbed_several_findings_is_said_once() -> None:
    words, because = Language("en"), Because("mismatch", {"minute": 3.0})
    values = {"size": 4096, "depth": 1, "rate": 1e3, "bytes": 4e6, "disturbed": because}
    rate = findings.Finding(name="trim", key="rate", test="trim", values=values)
    clean = msgspec.structs.replace(rate, values={k: v for k, v in values.items() if k != "disturbed"})
    said = list(findings_said([rate, clean, rate], words))
    assert [text.count("counters differ") for text in said] == [0, 0, 1]


def test_published_drives_are_named_where_a_chart_shows_them() -> None:
    def text(test: str) -> str:
        page = story([(None, run_of(test), {})], None, "en")
        return str(page.lead)

    assert "Compared with" in text("iops")
    for test in ("journal", "trim", "neighbours", "service-map"):
        assert "published figures" not in text(test)


@pytest.mark.parametrize(
    ("label", "russian"),
    [("RND TRIM 64K T1 Q32", "случайный TRIM 64 КиБ, T1 Q32"), ("SEQ TRIM 4K T1 Q1", "TRIM подряд 4 КиБ, T1 Q1")],
)
def test_trims_alone_are_no_share_of_reads(label: str, russian: str) -> None:
    block, depth = (64, 32) if label.startswith("RND") else (4, 1)
    load = Workload(
        random_pct=100 if label.startswith("RND") else 0,
        read_pct=100,
        block_bytes=4 * KiB,
        depth=depth,
        trim_pct=100,
        trim_bytes=block * KiB,
    )
    assert load.label == label
    assert Language("ru").show(label, "load").replace("\u00a0", " ") == russian
    assert msgspec.structs.replace(load, trim_pct=5).label.endswith(f"TRIM {block}K:5")


def test_a_warning_of_two_phases_is_on_a_page_once() -> None:
    run = run_of("trim")
    ends = [
        Judged(where=Position(test="trim", phase=phase, round=5), t=9, ended_by=text("the limit of 5 rounds"))
        for phase in ("half-full", "half-trimmed")
    ]
    stamps = Run([*run.started, *run.results, *ends]).stamps
    assert [stamp for stamp in stamps if "not reached" in stamp] == [
        "Trim: steady state not reached (the limit of 5 rounds)"
    ]


def test_ios_that_the_host_sent_late_are_one_warning() -> None:
    run = changed(
        run_of("neighbours"),
        lambda r, w: msgspec.structs.replace(r, pace=Pace(sent=1000, late=300)) if w.rate_iops else r,
    )
    late = "invalid: the host sent 30.0% of a load's IOs late"
    assert [stamp for stamp in run.stamps if "late" in stamp] == [late]
    (test,) = run.plan.tests
    assert late in run.warnings(test.name)
    assert any(late in line for line in stamped(run, test, Language("en")))
    other = run_of("trim").plan.tests[0]
    both = Run([msgspec.structs.replace(run.started[0], plan=msgspec.structs.replace(run.plan, tests=(test, other)))])
    for result in run.results:
        both.add(result)
    assert late in both.stamps
    assert not any("late" in line for line in stamped(both, other, Language("en")))


def _sent_late(late: Workload, result: Result, workload: Workload) -> Result:
    return msgspec.structs.replace(result, pace=Pace(sent=1000, late=300)) if workload == late else result


def test_points_that_the_host_sent_late_are_not_drawn() -> None:
    """The level line of a victim that the host sent late is no reference, and neither is a point beside a neighbour."""
    usual = run_of("neighbours")
    steps = [r.step.workload for r in usual.of("neighbours", "beside-reads") if isinstance(r.step, Hold)]
    reads = list(dict.fromkeys(steps))
    for late in (reads[0], reads[1]):
        run = changed(usual, partial(_sent_late, late))
        before, after = (drawn(made, "beside-reads") for made in (usual, run))
        assert after.count('"value"') < before.count('"value"')
        assert "left out" in after
        assert "left out" not in before


def drawn(run: Run, phase: str) -> str:
    """The pictures of neighbours beside one victim, as JSON."""
    title = Language("en").phase(phase)
    shown = [p for p in pictures("neighbours", run, run.plan.tests[0]) if p.title.endswith(title)]
    assert len(shown) == 2
    return json.dumps([(p.spec, p.says) for p in shown])


@pytest.mark.parametrize(("cpu", "key"), [(0.2, "level"), (0.98, "host")])
def test_writers_that_gain_nothing_beside_a_busy_processor_say_nothing_of_the_drive(cpu: float, key: str) -> None:
    """The sender has one thread for all writers: 77,000 synced writes per second on this project's hosts."""

    def alike(result: Result, load: Workload) -> Result:
        counts = msgspec.structs.replace(result.counts, write=tally((70_000, 13e3)), cpu_s=cpu * result.counts.seconds)
        flush = Pace(flush=tally((70_000, 6e3)))
        return msgspec.structs.replace(result, counts=counts, pace=flush) if load.sync == "flush" else result

    (found,) = [f for f in findings.find(changed(run_of("journal"), alike)) if f.key in ("grows", "level", "host")]
    assert found.key == key
    assert bool(found.side) is (key == "level")
    assert finding_said(found, Language("ru"))


def test_loads_that_are_compared_with_fua_are_sent_by_the_same_engine() -> None:
    """fio takes longer for each IO than stend's sender: a buffered write of fio would hide the cost of a flush."""
    single = Workload(random_pct=0, read_pct=0, block_bytes=4 * KiB)
    assert [msgspec.structs.replace(single, sync=sync).serves for sync in ("none", "fua", "flush")] == [
        False,
        True,
        True,
    ]


def test_the_drive_carries_the_bytes_of_all_loads_together() -> None:
    def streaming(result: Result, load: Workload) -> Result:
        beside = tuple(Beside(counts=Counts(1.0, write=Tally(1, 10**9, 1, 1, 1, {1: 1}))) for _ in load.beside)
        counts = msgspec.structs.replace(result.counts, seconds=1.0)
        return msgspec.structs.replace(result, counts=counts, beside=beside)

    (limit,) = [f for f in findings.find(changed(run_of("neighbours"), streaming)) if f.name == "limits"]
    assert limit.values["rate"] >= 1e9


def test_the_protocol_lists_trims_flushes_and_neighbours_as_such() -> None:
    steps = [step for phase in run_of("trim").plan.tests[0].phases for step in phase.round if isinstance(step, Hold)]
    listed = every_load([step.workload for step in steps])
    assert "SEQ TRIM 4K T1 Q1" in listed
    assert "RND 4K 100/0 T1 Q8 TRIM 4K:5" in listed
