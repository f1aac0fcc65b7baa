"""A study's own workloads in the test of neighbours: rate, synced writes, trims and a load beside in one TOML file."""

from pathlib import Path
from typing import Any

import pytest

from stend import findings, store
from stend.cli import main
from stend.devices import virtual
from stend.findings.look.neighbours import kind, pairs
from stend.model.definition import Bytes, Hold
from stend.model.workload import Workload
from stend.planning import plan as planning
from stend.words import Language

STUDY = """
title = "A shop beside its search index"
profile = "review"
tests = ["neighbours"]
[settings.tests.neighbours]
victims = [{ random_pct = 100, read_pct = 70, block_bytes = 8192, depth = 64, rate_iops = 2000, sync = "fua" }]
neighbours = [
    "read",
    { random_pct = 100, read_pct = 50, block_bytes = 16384, depth = 4, trim_pct = 10, sync = "flush" },
]
"""
OWN = "RND 16K 50/50 T1 Q4 FLUSH TRIM 16K:10"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "shop.toml"
    file.write_text(STUDY)
    return file


def test_a_study_runs_and_resumes_its_workloads(study: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    order = ["run", str(study), "--target", "sim:small", "--round-seconds", "2"]
    assert main([*order, "--into", str(folder)]) == 0
    run = store.load(folder)
    held = [r for r in run.of("neighbours", "beside-load-1") if isinstance(r.step, Hold)]
    mixed = next(r for r in held if r.step.workload.beside and r.step.workload.beside[0].trim_pct)  # type: ignore[union-attr]
    beside = mixed.beside[0]
    assert mixed.counts.iops == pytest.approx(2000, rel=0.1)
    assert beside.pace is not None
    assert min(beside.pace.flush.ios, beside.pace.discard.ios, beside.counts.read.ios) > 0
    (every,) = pairs(run, run.plan.tests[0]).values()
    assert [pair.neighbour for pair in every] == ["", OWN.replace(" T1 Q4", ""), *["read"] * 3]
    assert {f.values["phase"] for f in findings.find(run) if f.name == "neighbours"} == {"beside-load-1"}
    events = folder / "events.jsonl"
    events.write_bytes(b"".join(events.read_bytes().splitlines(keepends=True)[:-4]))
    assert main(["resume", str(folder)]) == 0
    assert [r.counts for r in store.load(folder).results] == [r.counts for r in run.results]


def test_a_neighbour_of_a_study_has_the_label_of_its_load() -> None:
    same = Workload(random_pct=0, read_pct=0, block_bytes=131072, depth=5, range_bytes=1 << 20)
    assert kind(same) == "stream"
    assert kind(Workload(random_pct=0, read_pct=0, block_bytes=1 << 20, depth=5)) == "SEQ 1024K 0/100"
    assert kind(Workload(random_pct=100, read_pct=100, block_bytes=4096, threads=2)) == "RND 4K 100/0 T2 Q1"
    assert Language("ru").phase("beside-load-2") == "из исследования, 2"


@pytest.mark.parametrize(
    ("victim", "target", "says"),
    [
        ("{ random_pct = 100, read_pct = 70 }", "small", "lacks the required field `block_bytes`"),
        ("{ random_pct = 100, read_pct = 70, block_bytes = 4096, speed = 1 }", "small", "unknown field `speed`"),
        (
            "{ random_pct = 100, read_pct = 9, block_bytes = 4096, rate_iops = 9, trim_pct = 5 }",
            "small",
            "a load at a rate has no flushes and no trims",
        ),
        (
            "{ random_pct = 0, read_pct = 0, block_bytes = 4096, verify = {} }",
            "small",
            "a workload of neighbours is no replay or survey",
        ),
        (
            "{ random_pct = 100, read_pct = 50, block_bytes = 4096, trim_pct = 5 }",
            "sas15k",
            "cannot run on sim:sas15k: a victim trims",
        ),
        ("7", "small", "victims"),
    ],
)
def test_a_wrong_workload_is_refused_in_one_sentence(
    study: Path, capsys: pytest.CaptureFixture[str], victim: str, target: str, says: str
) -> None:
    study.write_text(STUDY.split("victims", maxsplit=1)[0] + f"victims = [{victim}]\n")
    assert main(["plan", str(study), "--target", f"sim:{target}"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("settings", "fills"),
    [
        ({}, ["precondition", "precondition-2"]),
        ({"neighbours": ["read", "write"]}, ["precondition"]),
        ({"victims": ["reads"]}, ["precondition"]),
    ],
)
def test_reads_beside_the_second_victim_meet_no_blocks_that_were_trimmed_beside_the_first(
    settings: dict[str, Any], fills: list[str]
) -> None:
    device = virtual.find("sim:small")
    names, profile, told = planning.gather(["neighbours"], "review", {"tests": {"neighbours": settings}})
    phases = planning.draw(names, profile, device.identity, deviations=told).tests[0].phases
    assert [phase.name for phase in phases if phase.name.startswith("precondition")] == fills
    (*_, last) = phases
    for fill in (phase.holds[0] for phase in phases if phase.name == "precondition-2"):
        beside = last.holds[2].workload.beside[0]
        assert (fill.workload.start_bytes, fill.workload.range_bytes) == (beside.start_bytes, beside.range_bytes)
        assert fill.amount == Bytes(bytes=beside.range_bytes)
    assert Language("en").phase("precondition-2") == "preconditioning, 2"


@pytest.mark.parametrize(
    ("neighbour", "trim_pct", "start", "part"), [("read", 10, 0, 1), ("trim", 10, 0, 2), ("trim", 0, 1, 1)]
)
def test_the_halves_that_were_trimmed_are_filled_before_the_next_victim(
    neighbour: str, trim_pct: int, start: int, part: int
) -> None:
    victim = {"random_pct": 100, "read_pct": 50, "block_bytes": 4096, "trim_pct": trim_pct}
    device = virtual.find("sim:small").identity
    asked = {"tests": {"neighbours": {"neighbours": [neighbour], "victims": [victim, "reads"]}}}
    names, profile, told = planning.gather(["neighbours"], "review", asked)
    phases = planning.draw(names, profile, device, deviations=told).tests[0].phases
    (fill,) = (phase.holds[0].workload for phase in phases if phase.name == "precondition-2")
    middle = phases[-1].holds[-1].workload.range_bytes
    assert (fill.start_bytes, fill.range_bytes) == (start * middle, part * middle)
