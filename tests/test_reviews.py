"""The model reviews beside their twins: which run is whose, and that every row finds the records it is about."""

import tomllib
from importlib import resources

import pytest

from stend.base.units import KiB
from stend.devices.virtual import identity
from stend.many.compare import reviews
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


def test_every_reason_is_given_and_used() -> None:
    known = tomllib.loads((resources.files("stend.many.compare") / "reviews.toml").read_text())
    used = {
        one["why"]
        for suite in SUITES
        for one in (*known[suite]["row"], *known[suite].get("statement", ()))
        if "why" in one
    }
    assert used == set(known["why"])
