"""The tests and suites: their order of steps against the clause, and their ends on the virtual drive."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import suite
from stend.base.errors import BadInput
from stend.base.units import GB, GiB, KiB
from stend.devices import virtual
from stend.engines.simulated import SimulatedEngine
from stend.model.definition import Hold, Identity, Plan, Steady
from stend.model.events import Result
from stend.model.record import Run
from stend.planning import plan as planning
from stend.report.parts.header import header
from stend.runner.loop import run
from stend.words import Language
from tests import transcripts
from tests.still import IDENTITY
from tests.synthetic import made

NVME = msgspec.structs.replace(IDENTITY, interface="NVMe 8.0 GT/s x4", capacity_bytes=1600 * GB)
SATA = msgspec.structs.replace(IDENTITY, interface="SATA 6.0 Gb/s", capacity_bytes=480 * GB)


def drawn(*asked: str, device: Identity = IDENTITY, profile: str | None = None, quick: bool = False) -> Plan:
    names, chosen, told = planning.gather(asked, profile, {}, quick=quick)
    return planning.draw(names, chosen, device, deviations=told)


@pytest.mark.parametrize("depths", [[1], [1, 4], [32, 1, 8]])
@pytest.mark.parametrize("together", [False, True])
def test_the_fill_of_latency_is_as_deep_as_the_deepest_load_after_it(depths: list[int], together: bool) -> None:
    changes = {"tests": {"latency": {"depths": depths, "together": together}}}
    names, profile, told = planning.gather(["latency"], None, changes)
    (test,) = planning.draw(names, profile, NVME, deviations=told).tests
    pairs = [(fill, phase) for fill, phase in pairwise(test.phases) if phase.name.startswith("rounds")]
    assert len(pairs) == (1 if together else len(depths))
    measured = list[int]()
    for fill, phase in pairs:
        loads = [step.workload.depth for step in phase.round if isinstance(step, Hold)]
        assert {step.workload.depth for step in fill.round if isinstance(step, Hold)} == {max(loads)}
        measured += dict.fromkeys(loads)
    assert measured == depths


LONG = ("headroom", "idle-recovery", "idle-recovery.review", "latency-curve")
"""Tests whose transcripts take more than 0.3 s, as those of whole suites do."""


def marked(name: str) -> Any:
    """Return the name, marked as slow where its transcript is."""
    return pytest.param(name, marks=pytest.mark.slow) if name.startswith("suite.") or name in LONG else name


@pytest.mark.parametrize("name", [*map(marked, transcripts.subjects())])
def test_the_order_of_steps_is_the_clause_s(name: str) -> None:
    asked, profile = transcripts.subjects()[name]
    golden = (transcripts.FOLDER / f"{name}.txt").read_text()
    assert transcripts.transcript(asked, profile) == golden, "if meant: python -m tests.transcripts"


def test_no_transcript_is_removed_or_written_before_all_of_them_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone.txt").write_text("kept")
    monkeypatch.setattr(transcripts, "FOLDER", tmp_path)
    monkeypatch.setattr(transcripts, "subjects", lambda: {"one": ("latency", None), "two": ("unknown", None)})
    with pytest.raises(BadInput):
        transcripts.main()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("gone.txt", "kept")]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*suite.names(), *suite.suites()])
def test_every_test_and_suite_finishes_on_a_virtual_drive(name: str) -> None:
    device = virtual.find("sim:small")
    device.door.open(writes=True, destroy=None)
    plan = drawn(name, device=device.identity, quick=True)
    past = Run(run(plan, device, SimulatedEngine(device.sim.drive, interval_s=0.1), seed=1, at=0.0))
    assert past.ended is not None
    assert past.ended.outcome in ("complete", "not steady"), past.ended.reason
    done = {(r.where.test, r.where.phase) for r in past.results}
    chosen = {("inspect", "again")}  # an even drive has nothing to read again
    assert done | chosen == {(t.name, p.name) for t, p in past.phases()} | chosen


@pytest.mark.parametrize("name", suite.names())
def test_every_test_is_quick_when_quick_is_asked(name: str) -> None:
    a_file = msgspec.structs.replace(IDENTITY, kind="file", capacity_bytes=GiB)
    plan = drawn(name, device=a_file, quick=True)
    assert plan.expected_s < 80


@pytest.mark.parametrize("device", [NVME, SATA], ids=lambda device: device.interface)
def test_a_quick_look_takes_less_than_fifteen_minutes_and_claims_no_steady_state(device: Identity) -> None:
    plan = drawn("quick-look", device=device)
    assert plan.expected_s < 15 * 60
    assert plan.profile.quick
    assert all(p.rounds < 4 for t in plan.tests for p in t.phases if any(isinstance(r, Steady) for r in p.until))


def test_4kn_drives_get_a_composite_that_their_sectors_can_hold() -> None:
    plan = drawn("composite", device=msgspec.structs.replace(IDENTITY, logical_bytes=4096))
    first = plan.tests[0].phases[1].round[0]
    assert isinstance(first, Hold)
    assert first.workload.block_mix == ((4096, 77), (8192, 10), (16384, 7), (32768, 3), (65536, 3))
    assert any("rounded up" in note for note in plan.notes)


def test_a_test_that_no_sector_can_hold_is_refused() -> None:
    names, chosen, _ = planning.gather(
        ["write-saturation"], None, {"tests": {"write-saturation": {"workload": "metadata"}}}
    )
    with pytest.raises(BadInput, match="none of its block sizes"):
        planning.draw(names, chosen, msgspec.structs.replace(IDENTITY, logical_bytes=4096))


def test_recovery_goes_on_from_the_saturated_drive_where_the_lab_lets_it() -> None:
    plan = drawn("write-saturation", "idle-recovery", profile="review")
    assert plan.tests[1].shared == {"purge": "write-saturation", "saturate": "write-saturation"}
    (note,) = (note for note in plan.notes if "saves" in note)
    assert note.startswith("Host Idle Recovery starts from the state that Write Saturation leaves")
    assert note.endswith("and does not repeat: purge, saturation; this saves about 10 h 2 min")


def test_a_profile_may_say_of_one_kind_of_drive_how_a_test_is_done_and_the_operator_otherwise() -> None:
    sata = msgspec.structs.replace(IDENTITY, interface="SATA 6 Gbit/s")

    def names(**settings: Any) -> list[str]:
        asked, profile, _ = planning.gather(["idle-recovery"], "review", {"tests": {"idle-recovery": settings}})
        return [phase.name for phase in planning.draw(asked, profile, sata).tests[0].phases][:3]

    assert names() == ["purge", "precondition", "saturate"]
    assert names(repeats=5) == ["purge", "precondition", "saturate"]
    assert names(after="saturation")[:2] == ["purge", "saturate"]


@pytest.mark.parametrize(
    ("asked", "profile"),
    [
        (("write-saturation", "idle-recovery"), "enterprise-2.0.2"),  # the clause has each test purge for itself
        (("write-saturation", "fresh", "idle-recovery"), "review"),  # something else was written since
        (("idle-recovery", "write-saturation"), "review"),
    ],
)
def test_nothing_is_shared_otherwise(asked: tuple[str, ...], profile: str) -> None:
    assert not any(test.shared for test in drawn(*asked, profile=profile).tests)


def test_results_of_a_shared_phase_are_found_under_either_test() -> None:
    device = virtual.find("sim:small")
    device.door.open(writes=True, destroy=None)
    plan = drawn("write-saturation", "idle-recovery", profile="review", quick=True, device=device.identity)
    past = Run(run(plan, device, SimulatedEngine(device.sim.drive, interval_s=0.1), seed=1, at=0.0))
    assert past.of("idle-recovery", "saturate") == past.of("write-saturation", "saturate") != []


def test_a_study_file_is_a_suite_of_ones_own(tmp_path: object) -> None:
    path = f"{tmp_path}/mine.toml"
    with open(path, "w") as file:
        file.write(
            'title = "Mine"\nprofile = "review"\ntests = ["iops", "hot-range"]\n'
            "[settings]\nthreads = 4\n[settings.tests.hot-range]\nhot_gib = 10\n"
        )
    plan = drawn(path)
    assert [test.name for test in plan.tests] == ["iops", "hot-range"]
    assert plan.profile.threads == 4
    assert plan.deviations == ("threads: 4 instead of 16", "Hot Range: hot range, GiB: 10 instead of 20")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hot-range": {"hot_gb": 10}}, "has no setting 'hot_gb'; it has hot_gib"),
        ({"hot-range": {"hot_gib": "ten"}}, "has another type"),
        ({"hot-rage": {"hot_gib": 10}}, "no test or suite 'hot-rage'"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(settings: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        planning.draw(["hot-range"], planning.gather([], None, {"tests": settings})[1], IDENTITY)


@pytest.mark.parametrize(("device", "threads"), [(NVME, 16), (SATA, 8)])
def test_the_review_has_more_threads_on_nvme(device: Identity, threads: int) -> None:
    assert drawn("iops", profile="review", device=device).profile.threads == threads


def test_demand_settles_at_the_points_it_found() -> None:
    device = virtual.find("sim:small")
    device.door.open(writes=True, destroy=None)
    past = Run(
        run(
            drawn("demand-intensity", device=device.identity, quick=True),
            device,
            SimulatedEngine(device.sim.drive, interval_s=0.1),
            seed=1,
            at=0.0,
        )
    )
    held = {
        name: [r.step.workload for r in past.of("demand-intensity", name) if isinstance(r.step, Hold)]
        for name in ("max", "mid", "min")
    }
    assert [w.read_pct for w in held["max"]] == [0, 65]
    assert held["min"][-1].outstanding == 1
    top = max(past.results, key=lambda r: r.counts.iops if r.where.phase == "sweep" and r.index >= 5 else 0)
    assert isinstance(top, Result)
    assert held["mid"][-1].outstanding <= held["max"][-1].outstanding
    assert held["max"][-1].block_bytes == 8 * KiB


@pytest.mark.parametrize("name", [name for name in suite.suites() if name != "quick-look"])
def test_what_a_suite_sets_itself_accuses_nobody(name: str) -> None:
    assert planning.gather([name], None, {})[2] == ()


def test_what_shortens_a_suite_or_is_the_operators_own_is_told(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'title = "own"\nprofile = "review"\ntests = ["block-sweep"]\n[settings.tests.block-sweep]\npoint = [8, 32]\n'
    )
    assert planning.gather([str(own)], None, {})[2] == ("Block Sweep: threads / queue depth: T8/Q32 instead of T4/Q32",)
    assert len(planning.gather(["quick-look"], None, {})[2]) > 1
    assert len(planning.gather(["review-raid"], None, {"rounds": 5})[2]) == 1


def test_the_method_tells_the_range_in_the_tests_own_bytes() -> None:
    made_run = made("slc-cache", "iops", profile="review-desktop", interval_s=60.0)
    words = Language("en")
    shown = {
        test.name: next(
            str(v) for block in header(made_run, test, {}, words) for k, v in block.rows if k == words("header.range")
        )
        for test in made_run.plan.tests
    }
    assert shown == {"slc-cache": "100% (480\N{NO-BREAK SPACE}GB)", "iops": "75% (360\N{NO-BREAK SPACE}GB)"}
