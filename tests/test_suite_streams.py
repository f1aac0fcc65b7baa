"""Tests made of a captured workload's streams: which are chosen, what becomes of them, and how a drive does."""

from pathlib import Path

import numpy as np
import pytest

from stend import store
from stend.base.errors import BadInput
from stend.cli import main
from stend.model.definition import Hold, PlannedTest
from stend.model.tally import Tally
from stend.model.workload import Workload, streamed, writing
from stend.planning import plan
from stend.suite._streams import USUAL, chosen, cumulative
from stend.trace import form, steps
from stend.trace.form import DISCARD, FLUSH, READ, WRITE, About
from stend.trace.steps import SECOND_NS, Part, Step
from tests.still import IDENTITY

NAMES = ("multi-wsat", "individual-streams", "rwsw-demand-intensity")


def part(ios: int, op: int = READ, block: int = 4096, random: bool = True) -> Part:
    return Part(op, block, random, Tally(ios=ios))


PARTS = [
    part(50),
    part(20, WRITE, 16384, False),
    part(9, FLUSH, 0),
    part(15, READ, 65536),
    part(10, WRITE),
    part(5, READ, 512),
]


def capture(path: Path) -> Path:
    every = [Step(0, SECOND_NS, 0, {}, tuple(PARTS[:3])), Step(SECOND_NS, SECOND_NS, 0, {}, tuple(PARTS[3:]))]
    path.write_bytes(steps.header(SECOND_NS, About(source="test")) + steps.packed(every))
    return path


def drawn(name: str, **settings: object) -> PlannedTest:
    tests, profile, told = plan.gather([name], None, {"tests": {name: settings}} if settings else {})
    (test,) = plan.draw(tests, profile, IDENTITY, deviations=told).tests
    return test


def loads(test: PlannedTest, phase: str) -> list[Workload]:
    (own,) = (one for one in test.phases if one.name == phase)
    return [step.workload for step in own.round if isinstance(step, Hold)]


def test_the_most_frequent_streams_that_make_four_fifths_are_applied_and_stretched_to_the_whole() -> None:
    streams = chosen(PARTS, 80)
    assert [(s.label, s.share) for s in streams] == [("RND 4K R", 50), ("SEQ 16K W", 20), ("RND 64K R", 15)]
    assert [round(s.share, 1) for s in streamed(streams, 1, 1).streams] == [58.8, 23.5, 17.6]
    assert [s.label for s in chosen(PARTS, 70)] == ["RND 4K R", "SEQ 16K W"]
    assert len(chosen(PARTS, 100)) == 5


def test_flushes_and_discards_are_no_streams_to_test_with() -> None:
    with pytest.raises(BadInput, match="no reads and no writes"):
        chosen([part(9, FLUSH, 0), part(3, DISCARD, 0)], 80)


def test_a_file_of_steps_and_a_trace_tell_the_same_streams(tmp_path: Path) -> None:
    assert [p.tally.ios for p in cumulative(capture(tmp_path / "a.steps"))] == [50, 20, 15, 10, 9, 5]
    ios = {"t_ns": np.arange(30), "op": np.array([READ, READ, WRITE] * 10), "offset": np.arange(30) * 2**30}
    path = tmp_path / "a.parquet"
    form.write(path, [ios | {"length": np.full(30, 8192)}], About(source="test"))
    assert [(p.key.label, p.tally.ios) for p in cumulative(path)] == [("RND 8K R", 20), ("RND 8K W", 10)]


def test_all_streams_at_once_are_held_until_steady(tmp_path: Path) -> None:
    test = drawn("multi-wsat", source=str(capture(tmp_path / "a.steps")))
    (mix,) = set(loads(test, "saturate"))
    assert mix.mix == "RND 4K R:58.8+SEQ 16K W:23.5+RND 64K R:17.6"
    assert mix.range_bytes == IDENTITY.capacity_bytes
    assert set(loads(test, "histogram")) == {mix}


def test_each_stream_is_held_alone_from_a_purge(tmp_path: Path) -> None:
    test = drawn("individual-streams", source=str(capture(tmp_path / "a.steps")), share_pct=70)
    assert [phase.name for phase in test.phases] == [
        "purge-rnd-4k-r", "precondition-rnd-4k-r", "saturate-rnd-4k-r",
        "purge-seq-16k-w", "precondition-seq-16k-w", "saturate-seq-16k-w",
    ]  # fmt: skip
    (log,) = set(loads(test, "saturate-seq-16k-w"))
    assert (log.random_pct, log.read_pct, log.block_bytes, log.streams) == (0, 0, 16384, ())


def test_demand_is_swept_with_the_mix_and_its_writes_alone_lie_between() -> None:
    test = drawn("rwsw-demand-intensity")
    before, swept = loads(test, "sweep")[:5], loads(test, "sweep")[5:]
    assert {load.read_pct for load in before} == {0}
    assert {load.threads * load.depth for load in swept} == {
        t * q for t in (32, 16, 8, 6, 4, 2, 1) for q in (32, 16, 8, 6, 4, 2, 1)
    }
    assert {load.mix for load in swept} == {streamed(USUAL, 1, 1).mix}


def test_the_writes_of_streams_that_only_read_are_those_streams() -> None:
    reads = streamed(USUAL[:1], 2, 4)
    assert writing(reads) == reads
    assert writing(streamed(USUAL, 2, 4)).read_pct == 0


def test_what_is_no_capture_is_refused_before_anything_is_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.toml").write_text(
        'title = "x"\ntests = ["multi-wsat"]\n[settings.tests.multi-wsat]\nsource = "/nothing"\n'
    )
    assert main(["plan", str(tmp_path / "study.toml"), "--target", "sim:small"]) == 2
    assert "/nothing cannot be read" in capsys.readouterr().err


@pytest.mark.slow
def test_a_virtual_drive_runs_all_three_and_makes_a_report(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main(["run", *NAMES, "--target", "sim:small", "--quick", "--seed", "1", "--into", str(folder)]) == 0
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome in ("complete", "not steady")
    (mix,) = {r.step.workload for r in run.of("multi-wsat", "histogram") if isinstance(r.step, Hold)}
    counts = run.window("multi-wsat", "saturate", mix)
    reads = sum(s.share for s in USUAL if s.read)
    assert 100 * counts.read.ios / counts.ios == pytest.approx(reads, abs=2)
    assert (folder / "report.html").stat().st_size > 0
