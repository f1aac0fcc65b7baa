"""Record which tests call which functions: `python -m benchmarks.reached` writes build/reached.tsv and build/took.tsv.

The first has one line per function and test that called it, child processes included (`changed/sitecustomize.py`). The
second has the seconds of processor of each test. `mutations` chooses tests by both. As a pytest plugin it names the
running test. The tests run a few files at a time, and build/recorded.txt lists the files whose tests have run: after a
stop the same command continues.
"""

import ast
import builtins
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOME = ROOT / "src/stend"
CALLS, TOOK, DONE = (ROOT / "build" / name for name in ("reached.tsv", "took.tsv", "recorded.txt"))
TOGETHER = 40
"""How many files of tests run in one process: a stop loses no more."""
TO_THE_END = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}
QUICK = "not slow and not soak and not browser and not lab and not alone"
CHEAP = f"{QUICK} and not over_300_ms and not fio and not block"
"""The recorded tests, which take minutes. The others are found by their files."""
HASTY = ("-p", "benchmarks.hasty", "--hypothesis-profile=hasty", "-p", "no:cacheprovider", "--tb=no", "-q")


def _begin(item: pytest.Item, phase: str) -> None:
    if reports := getattr(builtins, "__reached__", None):
        reports.begin(f"{item.nodeid} ({phase})")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Attribute calls from here on to the set-up of a test."""
    _begin(item, "setup")
    yield


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Attribute calls from here on to a test, and keep its seconds of processor if it passes: no busy host adds any."""
    _begin(item, "call")
    before = sum(os.times()[:4])
    yield
    with TOOK.open("a") as file:
        file.write(f"{item.nodeid}\t{sum(os.times()[:4]) - before:.3f}\n")


@cache
def modules() -> dict[str, Path]:
    """Files below src/stend by the names of their modules."""
    paths = {path: path.relative_to(HOME.parent).with_suffix("").parts for path in HOME.rglob("*.py")}
    return {".".join(parts).removesuffix(".__init__"): path for path, parts in paths.items()}


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules of stend that a file imports; a package may import any of its own as it goes."""
    found = {name for name, own in modules().items() if path.name == "__init__.py" and path.parent in own.parents}
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                found |= {one.name for one in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {module, *(f"{module}.{one.name}" for one in names)}
    return frozenset(found & modules().keys())


@cache
def calls() -> dict[str, set[str]]:
    """Tests that call a function, by `module:function`.

    A call counts for all parameters of its test, and in a set-up or in tests that share runs for all tests of its file.
    """
    of, group = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for test in took():
        group[test.partition("::")[0]].add(test)
        group[test.partition("[")[0]].add(test)
    together = {file for file in group if "::" not in file and "mark.together" in (ROOT / file).read_text()}
    for line in CALLS.read_text(errors="replace").splitlines() if CALLS.exists() else []:
        function, _, test = line.partition("\t")
        name, _, phase = test.rpartition(" ")
        file = name.partition("::")[0]
        of[function] |= group[file if phase != "(call)" or file in together else name.partition("[")[0]]
    return of


@cache
def early() -> frozenset[str]:
    """Functions, as `module:function`, that modules call as they are imported, before any test."""
    lines = CALLS.read_text(errors="replace").splitlines() if CALLS.exists() else []
    return frozenset(function for function, _, test in (line.partition("\t") for line in lines) if not test)


@cache
def took() -> dict[str, float]:
    """Seconds of processor of the tests that passed."""
    lines = TOOK.read_text().splitlines() if TOOK.exists() else []
    return {test: float(seconds) for test, seconds in (line.rsplit("\t", 1) for line in lines)}


def recorded() -> set[str]:
    """Files of tests in the record."""
    return set(DONE.read_text().splitlines() if DONE.exists() else ())


@cache
def _mentions() -> dict[str, set[str]]:
    """Functions, as `module:function`, by the names that they use."""
    found = defaultdict[str, set[str]](set)

    def walk(node: ast.AST, module: str, place: str, *, function: bool) -> None:
        for child in ast.iter_child_nodes(node):
            inner, called = place, function
            match child:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    inner = f"{place}.{name}".lstrip(".")
                    called = function or not isinstance(child, ast.ClassDef)
                case ast.Name(id=name) | ast.Attribute(attr=name) if function:
                    found[name].add(f"{module}:{place}")
            walk(child, module, inner, function=called)

    for name, path in modules().items():
        walk(ast.parse(path.read_text()), name, "", function=False)
    return found


def callers(module: str, place: str, names: frozenset[str]) -> set[str]:
    """Tests that call a function, and those of functions that use one of the names or, if none calls it, its own.

    A constant, a class body and a compiled kernel report no calls. A cached function reports its first call only.
    """
    tests, done = set(calls().get(f"{module}:{place}", ())), set[tuple[str, str]]()
    left = {(module, name) for name in set(names) | (set() if tests else {place.rpartition(".")[2]} - {""})}
    while left:
        of, name = left.pop()
        done.add((of, name))
        for user in _mentions().get(name, ()):
            where, _, function = user.partition(":")
            if where != of and of not in imported(modules()[where]):
                continue
            if user in calls():
                tests |= calls()[user]
            else:
                left |= {(where, function.rpartition(".")[2])} - done
    return tests


def main() -> int:
    """Run the quick tests of files that are not in the record, or of all again; arguments name files to run again."""
    CALLS.parent.mkdir(exist_ok=True)
    done = recorded()
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").glob("test_*.py"))]
    if not sys.argv[1:] and done.issuperset(files):
        for path in (CALLS, TOOK, DONE):
            path.unlink()
        done.clear()
    if sys.argv[1:] and TOOK.exists():  # a parameter that is gone would be a test that cannot be found
        kept = [line for line in TOOK.read_text().splitlines() if line.partition("::")[0] not in sys.argv[1:]]
        TOOK.write_text("".join(f"{line}\n" for line in kept))
    left = sys.argv[1:] or [name for name in files if name not in done]
    few = ("--hypothesis-profile=hastier", "-p", "benchmarks.reached", "--timeout=300")
    env = {**os.environ, "PYTHONPATH": f"{ROOT / 'benchmarks/changed'}:{ROOT / 'src'}", "REACHED": str(CALLS)}
    stopped = 0
    for some in (left[at : at + TOGETHER] for at in range(0, len(left), TOGETHER)):
        words = [sys.executable, "-m", "pytest", "-m", CHEAP, *HASTY, *few, *some]
        code = subprocess.run(words, cwd=ROOT, env=env, check=False).returncode
        if code in TO_THE_END:
            with DONE.open("a") as file:
                file.writelines(f"{name}\n" for name in some)
        else:
            stopped = code
    return stopped


if __name__ == "__main__":
    sys.exit(main())
