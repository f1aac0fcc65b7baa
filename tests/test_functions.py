"""Functions of a run return what they returned before (tests/functions.py)."""

import json

import pytest

from stend import suite
from tests.functions import FILE, PACKAGES, PARTS, answers, functions, parted, runs

GOLDEN: dict[str, dict[str, dict[str, str]]] = json.loads(FILE.read_text())


def test_every_test_has_its_answers() -> None:
    assert set(GOLDEN) == set(suite.names())


@pytest.fixture(scope="module")
def test(request: pytest.FixtureRequest) -> str:
    """A test whose runs are made; all modules are imported."""
    name: str = request.param
    return name if [*map(functions, PACKAGES)] and runs(name) else ""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("test", GOLDEN, indirect=True)
def test_functions_of_a_run_return_as_before(test: str, package: str, part: int) -> None:
    kept, now = parted(GOLDEN[test][package], part), answers(test, parted(functions(package), part))
    changed = [name for name in {**kept, **now} if kept.get(name) != now.get(name)]
    assert not changed, f"python -m tests.functions {test} {changed[0]}"
