"""Virtual drives answer a course of loads as before, number for number (tests/sim_courses.py)."""

import json
from typing import Any

import pytest

from stend import sim
from tests.sim_courses import FILE, golden, names

GOLDEN: dict[str, Any] = json.loads(FILE.read_text())


@pytest.fixture(scope="module", autouse=True)
def kernels() -> None:
    """Kernels are loaded before the first test."""
    for name in ("ideal", "small", "sas15k", "x25e-raid"):
        golden(name)


def test_every_drive_has_its_figures() -> None:
    assert list(GOLDEN) == names()
    assert set(sim.profiles()) < set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_virtual_drive_answers_as_before(name: str) -> None:
    now = golden(name)
    assert list(now) == list(GOLDEN[name])
    for load, figures in now.items():
        assert figures == pytest.approx(GOLDEN[name][load], rel=3e-6, abs=1e-9), load
