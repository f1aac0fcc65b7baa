"""The model reviews beside their twins: which run is whose, and that every row finds the records it is about."""

import tomllib
from importlib import resources

import pytest
from benchmarks.calibrate import reviews

from stend.base.units import KiB
from stend.devices.virtual import identity
from stend.model.definition import Hold
from stend.model.events import Started
from stend.model.record import Run
from stend.planning import plan as planning
from stend.sim import load
from tests.synthetic import made

SUITES = [name for name in reviews.reviews() if name.startswith("review-")]


def begun(suite: str, target: str) -> Run:
    """A run of a suite that has only begun."""
    names, profile, told = planning.gather([suite], None, {})
    plan = planning.draw(names, profile, identity(f"sim:{target}", load(target)), deviations=told)
    return Run([Started(at=0.0, version="0", plan=plan, seed=1)])


@pytest.mark.parametrize("suite", SUITES)
def test_a_run_is_known_by_its_drive_and_its_tests(suite: str) -> None:
    target = reviews.reviews()[suite]["target"]
    assert reviews.suite_of(begun(suite, target)) == suite
    assert reviews.suite_of(begun(suite, "small")) == ""
    assert reviews.suite_of(made("fresh")) == ""


@pytest.mark.parametrize("suite", SUITES)
def test_every_row_is_about_a_load_of_its_suite(suite: str) -> None:
    known = reviews.reviews()
    plan = begun(suite, known[suite]["target"]).plan
    for row in known[suite]["row"]:
        if "finding" in row:
            continue
        (test,) = (test for test in plan.tests if test.name == row["test"])
        loads = {
            (p.name, w.random_pct, w.read_pct, w.block_bytes / KiB, w.threads, w.depth)
            for p in test.phases
            for step in p.round
            if isinstance(step, Hold) and (w := step.workload)
        }
        found = [
            load
            for load in loads
            if load[0] == row.get("phase", load[0])
            and list(load[1:4]) == row.get("load", list(load[1:4]))
            and list(load[4:]) == row.get("queue", list(load[4:]))
        ]
        assert found, row


def test_a_percentile_that_is_not_shown_is_not_compared() -> None:
    rows = [r for r in reviews.measured("review-sata", begun("review-sata", "saber1000")) if isinstance(r, reviews.Row)]
    assert {r.unit for r in rows if r.measured is None} == {"p99", "p99.99"}
    assert all((r.why == reviews.FEW) == (r.measured is None) for r in rows)
    known = [reviews.Row("review-sata", str(k), "us", 100, 100 + k, "") for k in range(5)]
    lines = reviews.table([*known, next(r for r in rows if r.measured is None)]).splitlines()
    assert f"| not shown | - | {reviews.FEW} |" in lines[7]
    assert lines[-1] == "| review-sata | 5 | 1 | 2.0% | 4.0% | 4.0% |"


def test_every_reason_is_given_and_used() -> None:
    known = tomllib.loads((resources.files("benchmarks.calibrate") / "reviews.toml").read_text())
    used = {
        one["why"]
        for suite in SUITES
        for one in (*known[suite]["row"], *known[suite].get("statement", ()))
        if "why" in one
    }
    assert used == set(known["why"])
