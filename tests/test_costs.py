"""The list of tests that `make check` leaves out."""

import ast
from pathlib import Path

from tests import costs


def test_every_listed_test_exists() -> None:
    """Of a test of a class, which may inherit it, the class."""
    names = {"::".join(name.split("::")[:2]) for name in costs.listed()}
    files = {name.partition("::")[0] for name in names}
    trees = {file: ast.walk(ast.parse((Path(__file__).parent / file).read_text())) for file in files}
    kinds = (ast.FunctionDef, ast.ClassDef)
    there = {f"{file}::{n.name}" for file, tree in trees.items() for n in tree if isinstance(n, kinds)}
    assert names <= there, f"renamed or removed, run `python -m tests.costs`: {names - there}"


def test_costs_have_marks() -> None:
    assert costs.marks_of(0.04) == []
    assert costs.marks_of(0.06) == ["over_50_ms"]
    assert costs.marks_of(2.0) == ["over_50_ms", "over_300_ms"]


def test_a_listed_test_is_known_by_its_function_alone() -> None:
    node = "tests/test_heat.py::test_throttling_is_seen"
    assert {costs.name_of(node + more) for more in ("", "[a-b/c]", "@heat", "[a]@heat")} == {
        "test_heat.py::test_throttling_is_seen"
    }
