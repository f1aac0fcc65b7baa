"""Functions of numbers and texts return at their limits what they returned before (tests/boundaries.py)."""

import json
from typing import Any

import pytest

from tests.boundaries import FILE, closed, returned

GOLDEN: dict[str, list[list[Any]]] = json.loads(FILE.read_text())


@pytest.mark.parametrize("name", GOLDEN)
def test_a_function_returns_the_same_at_its_limits(name: str) -> None:
    with closed():
        now = [[given, returned(name, given)] for given, _ in GOLDEN[name]]
    assert now == GOLDEN[name]


def test_no_argument_is_a_path_of_the_clone_that_wrote_it() -> None:
    assert "/src/stend" not in FILE.read_text()
