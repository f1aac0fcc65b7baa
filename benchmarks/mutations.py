"""How many small changes of the code the quick tests notice: `python -m benchmarks.mutations --draw 75 --seed 1`.

A mutation changes one place of one module: a comparison, an operator, a constant, a condition, the order of two
arguments, a call left out. A seed draws as many from each package of src/stend as from any other. Quick tests
run with its changed source (`changed/sitecustomize.py`) until one fails; a mutation that no test notices survives.
Those that change nothing that can be seen are listed in `mutations.toml` with reasons.

`python -m benchmarks.reached` records once which cheap tests call which functions. Those that call the
changed function run, from files near to the module first, then the shortest, up to a number of seconds. A constant, a
class body, a cached function and a kernel report no calls: tests of the functions that use them run. If none of them
fails, dearer tests without a real load run, of the files nearest to the module: those that reach it by the fewest
imports; a name in common brings a file one nearer. Of files as near, those that write the module's name most often come
first. Where the record does not have the changed place, all quick tests of these files run. Last come the tests of
these files that put a real load on a device, and the dearer tests of all other files that reach the module.
"""

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import pytest

from benchmarks.forked import UNABLE, Session, Some
from benchmarks.reached import HASTY, HOME, callers, calls, early, imported, modules, recorded, took

ROOT = Path(__file__).parent.parent
JUDGED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["judged"]
PATIENCE_S = 600.0
"""How long a change may take that makes a loop endless."""
ENDLESS = "no end within"
REAL = ("fio", "block")
"""Marks of the tests with a real load."""
FEW = 40
"""How many tests run first: most changes are found by these."""
UNNOTICED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
REVERSED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.BitOr: "&", ast.BitAnd: "|",
}  # fmt: skip
ASSERTED = {"strict"}
"""Arguments by which Python checks what always holds: without the check nothing else happens."""
SYMMETRIC = {
    *("cast", "np.maximum", "np.minimum", "os.path.samefile", "os.path.samestat"),
    *("gcd", "math.gcd", "math.hypot", "math.isclose"),
}
"""Functions to which the order of two arguments makes no difference; `cast` does nothing with either."""
EXTREMES = {"max": "min", "min": "max", "any": "all", "all": "any"}


class Mutation(NamedTuple):
    """One change: the file below src/stend, the function it is in, the bytes it replaces, and by what."""

    file: str
    place: str
    line: int
    start: int
    end: int
    was: str
    became: str
    names: frozenset[str]
    """What uses of it are called where its own calls are not recorded."""

    @property
    def module(self) -> str:
        """The dotted name of its module."""
        return next(name for name, path in modules().items() if path == HOME / self.file)

    @property
    def package(self) -> str:
        """The package it is in; the modules that are in none count as one."""
        return self.file.rpartition("/")[0].partition("/")[0] or "(modules)"

    @property
    def key(self) -> str:
        """What names it as long as the code around it stays; `mutations.toml` judges by it."""
        return f"{self.file} {self.place.rpartition('.')[2] or '<module>'}: {self.was} -> {self.became}"


def changes(node: ast.AST) -> Iterator[str]:  # noqa: C901
    """What could stand in the place of a node."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield f"{ast.unparse(left)} {COMPARED[type(op)]} {ast.unparse(right)}"
        case ast.BoolOp(op=op, values=values):
            yield f" {'or' if isinstance(op, ast.And) else 'and'} ".join(f"({ast.unparse(v)})" for v in values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in REVERSED:
            yield f"({ast.unparse(left)}) {REVERSED[type(op)]} ({ast.unparse(right)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(orelse)} if {ast.unparse(test)} else {ast.unparse(body)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int() | float() as number):
            yield repr(number + 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=kept) if name in EXTREMES:
            yield f"{EXTREMES[name]}({', '.join(map(ast.unparse, [*args, *kept]))})"
        case ast.Call(func=func) if ast.unparse(func) in SYMMETRIC:
            return
        case ast.Call(func=func, args=[first, second, *rest], keywords=kept) if not isinstance(first, ast.Starred):
            yield f"{ast.unparse(func)}({', '.join(map(ast.unparse, [second, first, *rest, *kept]))})"
        case ast.Expr(value=ast.Call()):
            yield "pass"


def found(file: str, source: str) -> Iterator[Mutation]:
    """Every mutation of a source text; annotations, docstrings and texts inside f-strings stay as they are."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def walk(node: ast.AST, place: str, names: frozenset[str]) -> Iterator[Mutation]:
        place, names = _scope(node, place, names)
        for name, held in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
                continue
            for child in held if isinstance(held, list) else [held]:
                if isinstance(child, ast.AST) and getattr(child, "arg", "") not in ASSERTED:
                    yield from walk(child, place, names)
        if isinstance(node, ast.expr | ast.stmt):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
            was = ast.unparse(node)
            for became in (other for other in changes(node) if other != was):  # two arguments may be alike
                yield Mutation(file, place, node.lineno, start, end, was, became, names)

    yield from walk(ast.parse(source), "", frozenset())


def _scope(node: ast.AST, place: str, names: frozenset[str]) -> tuple[str, frozenset[str]]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            cached = any("cache" in ast.unparse(one) for one in node.decorator_list)
            return f"{place}.{node.name}".lstrip("."), frozenset({node.name} if cached else ())
        case ast.ClassDef(name=name):
            return f"{place}.{name}".lstrip("."), frozenset({name})
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return place, names | ({name} if names or not place else set())  # of a module or a class
    return place, names


def drawn(many: int, seed: int) -> list[Mutation]:
    """Mutations of every module below src/stend, as many of each package as of any other, as the seed gives."""
    chance, places = random.Random(seed), defaultdict[str, list[Mutation]](list)
    for path in sorted((ROOT / "src/stend").rglob("*.py")):
        for one in found(str(path.relative_to(ROOT / "src/stend")), path.read_text()):
            places[one.package].append(one)
    for every in places.values():
        chance.shuffle(every)
    taken: list[Mutation] = []
    while len(taken) < many and any(places.values()):
        taken += [every.pop() for every in places.values() if every]
    return taken[:many]


@cache
def distances(test: Path) -> dict[str, int]:
    """How many imports lead from a file of tests to each module."""
    far, edge = dict[str, int](), set(imported(test)) | {"stend.cli." + test.stem.split("_")[1]} & modules().keys()
    edge |= {"stend.__main__"} if '"-m", "stend"' in test.read_text() else set()
    for distance in range(len(modules())):
        far |= dict.fromkeys(edge, distance)
        edge = {other for one in edge for other in imported(modules()[one])} - far.keys()
        if not edge:
            break
    return far


def nearest(module: str) -> list[str]:
    """The files of tests that reach a module, the nearest and most special first, then the most often by its name."""
    words, ranked = set(re.split(r"[._]+", module)) - {"stend"}, []
    name = re.compile(rf"\b{re.escape(module.rpartition('.')[2].strip('_'))}\b")
    for test in sorted((ROOT / "tests").glob("test_*.py")):
        far = distances(test)
        if module in far:
            common = len(words & set(test.stem.split("_")))
            mentions = len(name.findall(test.read_text()))
            ranked.append((far[module] - common, -mentions, len(far), str(test.relative_to(ROOT))))
    return [test for *_, test in sorted(ranked)]


def chosen(mutation: Mutation, files: int, seconds: float) -> list[Some]:
    """The tests that are most likely to notice a mutation: a few of those in the record, its others, and the files."""
    ranked, left, taken = nearest(mutation.module), seconds, list[str]()
    near, far = ranked[:files], ranked[files:]
    tests = callers(mutation.module, mutation.place, mutation.names)
    for test in sorted(tests, key=lambda test: (test.partition("::")[0] not in near, took()[test], test)):
        if (left := left - took()[test]) >= 0:
            taken.append(test)
    known = f"{mutation.module}:{mutation.place}" in calls() and recorded().issuperset(near)
    dear = ("over_300_ms",) if known and taken else ()
    every = [Some(taken[:FEW], (), REAL), Some(taken[FEW:], (), REAL), Some(near, dear, REAL), Some(near, REAL)]
    return [some for some in (*every, Some(far, ("over_300_ms",), REAL)) if some.tests]


def noticed(mutation: Mutation, parts: list[Some], session: Session) -> str:
    """The first test that fails with this mutation; empty if none does. A failure must come again, of a test alone."""
    source = (HOME / mutation.file).read_bytes()
    changed = source[: mutation.start] + mutation.became.encode() + source[mutation.end :]
    with tempfile.TemporaryDirectory() as place:
        own = {"CHANGED": mutation.module, "CHANGED_SOURCE": f"{place}/source.py"}
        Path(own["CHANGED_SOURCE"]).write_bytes(changed)
        if mutation.module in compiled():  # what was compiled of it before must not be found
            own["NUMBA_CACHE_DIR"] = place
        elif not mutation.names and f"{mutation.module}:{mutation.place}" not in early():
            by = session.ask(mutation.module, Path(own["CHANGED_SOURCE"]), mutation.line, parts, PATIENCE_S)
            if by != UNABLE:
                return by
        for some in parts:
            by = _failing(some, own)
            test = by.removeprefix("FAILED ").rpartition(", ")[0]  # as tests/conftest.py prints it at once
            again = some._replace(tests=[test]) if test.startswith("tests/") else some  # a library may end a process
            if by and (by.startswith(ENDLESS) or (by := _failing(again, own))):
                return f"{by} (alone)"
        return ""


@cache
def compiled() -> frozenset[str]:
    """The modules with kernels and those of their package, or of base, that they import.

    Their functions and constants are in compiled kernels.
    """
    found, edge = set[str](), {name for name, path in modules().items() if "stend.base.jit import" in path.read_text()}
    while edge:
        found |= edge
        pairs = ((name.split("."), other.split(".")) for name in edge for other in imported(modules()[name]))
        every = {".".join(other) for name, other in pairs if len(other) > 2 and other[1] in ("base", name[1])} - found
        edge = {name for name in every if modules()[name].name != "__init__.py"}
    return frozenset(found)


def _failing(some: Some, own: dict[str, str]) -> str:
    listed = Path(own["CHANGED_SOURCE"]).with_name("tests.txt")  # thousands are too long for a command
    listed.write_text("\n".join(some.tests))
    among = ["-m", some.expression, f"@{listed}"]
    words = [sys.executable, "-m", "pytest", "-x", "--no-header", "--timeout=120", *HASTY, *among]
    places = f"{ROOT / 'benchmarks/changed'}:{ROOT / 'src'}"  # this tree, wherever stend is installed from
    env = {**os.environ, "PYTHONPATH": places, **own}
    try:
        done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"{ENDLESS} {PATIENCE_S:.0f} s"
    told = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode in UNNOTICED:
        return ""
    return (told or [(done.stdout + done.stderr).strip()[-200:] or "no word"])[0]


def main() -> None:
    """Draw, try, print a table by package."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--draw", type=int, default=75, help="how many mutations")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--skip", type=int, default=0, help="how many of them were tried before")
    asked.add_argument("--files", type=int, default=6, help="how many files of tests are the nearest")
    asked.add_argument("--seconds", type=float, default=120.0, help="how long the tests of a mutation may take")
    asked.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many at once")
    asked.add_argument("--only", nargs="*", default=[""], help="of those drawn the ones in files with such a name")
    words = asked.parse_args()
    told: list[tuple[str, str]] = []
    sessions = SimpleQueue[Session]()
    for _ in range(words.jobs):
        sessions.put(Session())

    def tried(mutation: Mutation) -> None:
        session, began = sessions.get(), time.monotonic()
        parts = chosen(mutation, words.files, words.seconds)
        by = noticed(mutation, parts, session)
        sessions.put(session)
        verdict = "found" if by else "judged" if mutation.key in JUDGED else "SURVIVED"
        told.append((mutation.package, verdict))
        cost = f"line {mutation.line}, {sum(len(some.tests) for some in parts)} tests, {time.monotonic() - began:.0f} s"
        print(f"{verdict:9}{mutation.key}  [{cost}] {by}", flush=True)

    with ThreadPoolExecutor(words.jobs) as pool:
        drawn_now = drawn(words.draw, words.seed)[words.skip :]
        list(pool.map(tried, (one for one in drawn_now if any(part in one.file for part in words.only))))
    for package in [*sorted({name for name, _ in told}), ""]:
        own = [verdict for name, verdict in told if package in ("", name)]
        counts = ", ".join(f"{own.count(word)} {word.lower()}" for word in ("found", "SURVIVED", "judged"))
        print(f"{package or 'all':12} {len(own)} drawn: {counts}")


if __name__ == "__main__":
    main()
