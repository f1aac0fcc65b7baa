"""Loads of services: what small or mixed samples do not show is not concluded, and pages do not contradict charts."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from stend import findings, store
from stend.charts import pictures
from stend.model.bins import bin_index
from stend.model.definition import Hold, Workload
from stend.model.events import Result
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.tally import NONE, Tally
from stend.session import Request, start
from stend.words import Language
from stend.words.sentences import finding_said
from tests.pictures import run_of


def tally(*parts: tuple[int, float]) -> Tally:
    """So many IOs of so many ns each."""
    ios, ns = sum(n for n, _ in parts), [(n, each) for n, each in parts]
    sums = (sum(n * t**power for n, t in ns) for power in (1, 2))
    return Tally(ios, 0, *sums, max(t for _, t in ns), {bin_index(t): n for n, t in ns})


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
