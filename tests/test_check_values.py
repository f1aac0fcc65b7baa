"""Check values of whole tests: what the clauses' numbers come to (those of the steady-state rule are in test_stats)."""

from stend.base.units import KiB
from stend.model.definition import Hold, Idle, PlannedTest, Seconds
from stend.planning import plan as planning
from stend.suite._composite import BLOCK_MIX_KIB
from tests.still import IDENTITY


def drawn(name: str) -> PlannedTest:
    return planning.draw([name], planning.load_profile("enterprise-2.0.2"), IDENTITY).tests[0]


def test_the_composite_sizes_are_a_hundred_percent_of_7818_bytes() -> None:
    assert sum(share for _, share in BLOCK_MIX_KIB) == 100
    assert len(BLOCK_MIX_KIB) == 12
    assert round(sum(size * KiB * share for size, share in BLOCK_MIX_KIB) / 100) == 7818


def test_idle_recovery_takes_930_minutes_behind_its_preconditioning() -> None:
    total = 0.0
    for phase in drawn("idle-recovery").phases:
        if phase.name.startswith(("wait", "baseline")):
            for step in phase.round:
                if isinstance(step, Idle):
                    total += phase.rounds * step.seconds
                elif isinstance(step, Hold) and isinstance(step.amount, Seconds):
                    total += phase.rounds * step.amount.seconds
    assert total == 55_800


def test_the_sweep_of_49_points_has_18_totals_of_outstanding_ios() -> None:
    sweep = next(phase for phase in drawn("demand-intensity").phases if phase.name == "sweep")
    points = [step.workload for step in sweep.round[5:] if isinstance(step, Hold)]
    assert len(set(points)) == 49
    assert sorted({w.outstanding for w in points}) == [
        *(1, 2, 4, 6, 8, 12, 16, 24, 32, 36, 48, 64, 96, 128, 192, 256, 512, 1024)
    ]
    assert points[0].outstanding == 1024
