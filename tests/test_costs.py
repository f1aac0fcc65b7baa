"""The list of tests that `make check` leaves out."""

import ast
from pathlib import Path

from tests import costs


def test_every_listed_test_exists() -> None:
    files = {name.partition("::")[0] for name in costs.listed()}
    trees = {file: ast.walk(ast.parse((Path(__file__).parent / file).read_text())) for file in files}
    there = {f"{file}::{n.name}" for file, tree in trees.items() for n in tree if isinstance(n, ast.FunctionDef)}
    assert costs.listed() <= there, f"renamed or removed, run `python -m tests.costs`: {costs.listed() - there}"


def test_a_listed_test_is_known_by_its_function_alone() -> None:
    node = "tests/test_heat.py::test_throttling_is_seen"
    assert {costs.name_of(node + more) for more in ("", "[a-b/c]", "@heat", "[a]@heat")} == {
        "test_heat.py::test_throttling_is_seen"
    }
