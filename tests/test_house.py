"""The house rules, as numbers: sizes, first sentences, who may print, who may know the time, what may import what."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import grimp
import pytest

from stend import devices, findings

pytestmark = pytest.mark.together

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PACKAGES = {
    package: [*paths]
    for package, paths in groupby(SOURCES, lambda path: path.relative_to(ROOT / "src/stend").parent.parts[:1])
}
of_each_package = pytest.mark.parametrize("package", PACKAGES, ids="/".join)
"""A test for each file would take longer to report than to run."""
FILE_LINES = 400
FUNCTION_LINES = 40
FRONT_DOOR, FRONT_DOOR_LINES = ("cli",), 30
Package = tuple[str, ...]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_files_are_short() -> None:
    every = [*SOURCES, *(ROOT / "tests").rglob("*.py")]
    long = {name(p) for p in every if len(p.read_text().splitlines()) > FILE_LINES}
    assert long == set()


class Facts(NamedTuple):
    """What the rules ask of a file."""

    docstring: str
    functions: list[tuple[str, int, bool]]
    """Of each its name, its lines, and whether it is a kernel."""
    called: set[str]
    imported: set[str]


@cache
def facts(path: Path) -> Facts:
    """Read once for all rules; the tree itself is let go."""
    tree = ast.parse(path.read_text())
    told = Facts(ast.get_docstring(tree) or "", [], set(), set())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            told.functions.append((node.name, length_of(node), is_kernel(node)))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            told.called.add(node.func.id)
        elif isinstance(node, ast.Import):
            told.imported.update(one.name for one in node.names)
    return told


@of_each_package
def test_every_module_begins_with_a_sentence(package: Package) -> None:
    assert [name(path) for path in PACKAGES[package] if len(facts(path).docstring.split()) < 3] == []


@of_each_package
def test_functions_are_short(package: Package) -> None:
    most = FRONT_DOOR_LINES - 1 if package == FRONT_DOOR else FUNCTION_LINES
    for path in PACKAGES[package]:
        long = [(called, lines) for called, lines, kernel in facts(path).functions if lines > most and not kernel]
        assert not long, name(path)


def length_of(node: ast.FunctionDef) -> int:
    """Lines of what a function does: neither what it takes nor its description."""
    documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    first = node.body[1] if documented and len(node.body) > 1 else node.body[0]
    return (node.end_lineno or 0) - first.lineno + 1


def is_kernel(node: ast.FunctionDef) -> bool:
    """Compiled loops may be long: splitting them costs the speed they exist for."""
    return any("jit" in ast.unparse(d) or "kernel" in ast.unparse(d) for d in node.decorator_list)


@of_each_package
def test_only_the_front_door_prints(package: Package) -> None:
    printing = [name(path) for path in PACKAGES[package] if "print" in facts(path).called]
    assert package == FRONT_DOOR or not printing


def test_only_who_measures_and_the_front_door_know_the_time() -> None:
    allowed = {"engines", "cli", "devices", "gate", "store", "report", "live", "host", "session", "fleet", "capture"}
    allowed.add("meters")
    for path in SOURCES:
        if path.relative_to(ROOT / "src" / "stend").parts[0] not in allowed:
            assert "time" not in facts(path).imported, name(path)


def circle(graph: grimp.ImportGraph) -> set[str]:
    """The files that import themselves by way of others."""
    return {
        file
        for file in graph.modules
        if any(file in graph.find_upstream_modules(of) for of in graph.find_modules_directly_imported_by(file))
    }


def test_no_files_import_in_a_circle() -> None:
    graph = grimp.build_graph("stend", cache_dir=None)
    assert {"stend.devices", "stend.gate.entry", "stend.runner.loop"} <= graph.modules
    assert circle(graph) == set()
    graph.add_import(importer="stend.gate.uses", imported="stend.gate.entry")
    assert {"stend.gate.uses", "stend.gate.entry", "stend.gate.refusals"} <= circle(graph)
    assert "stend.gate.look" not in circle(graph)


def test_every_kind_of_drive_is_named_where_kinds_are_kept_apart() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms = next(one for one in contracts if one["name"].startswith("Packages of devices"))
    apart = next(one for one in contracts if one["name"] == "A device kind does not import another kind")
    kinds = {kind.__name__.removeprefix("stend.devices.") for kind in devices.kinds()}
    assert kinds <= {name for layer in rooms["layers"] for name in layer.split(" | ")}
    assert kinds - {"block"} == {name.removeprefix("stend.devices.") for name in apart["modules"]}


def test_pages_and_charts_ask_for_findings_and_never_look_into_one() -> None:
    graph = grimp.build_graph("stend", cache_dir=None)
    inside = {f"stend.findings.{name}" for name in findings.names()}
    assert {"stend.findings.claims", "stend.findings.saturation"} <= inside
    into = {(by, one) for one in inside for by in graph.find_modules_that_directly_import(one)}
    assert {by for by, _ in into if not by.startswith("stend.findings.")} == set()


PLANTED = (
    ("charts/__init__.py", "import stend.runner.loop"),
    ("devices/__init__.py", "import stend.report"),
    ("sim/__init__.py", "import stend.model.definition"),
    ("model/definition.py", "import stend.model.record"),
    ("cli/run.py", "import stend.gate"),
    ("cli/run.py", "from stend.gate import entry"),
    ("engines/fio.py", "import stend.gate"),
    ("cli/devices.py", "import stend.base.sysfs"),
    ("cli/run.py", "from stend.runner.loop import run"),
    ("session/__init__.py", "import stend.report"),
    ("gate/uses.py", "import stend.devices.telling.tools"),
    ("devices/telling/tools.py", "import stend.devices.purging"),
    ("devices/nvme.py", "import stend.devices.ata"),
    ("store/writer.py", "import stend.engines._fio_json"),
    ("store/journal.py", "import stend.store.writer"),
    ("findings/tail.py", "from stend.words import Language"),
    ("many/compare/rules.py", "import stend.words.numbers"),
    ("catalogue/taking.py", "import stend.many.compare"),
)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the contracts say of a copy of the house with all of these planted in it; of the copy before, nothing."""
    top = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "src", top / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", top)
    lint = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    env = {"PYTHONPATH": str(top / "src"), "PATH": "/usr/bin:/bin", "COLUMNS": "1000"}
    whole = subprocess.run(lint, cwd=top, env=env, capture_output=True, text=True, check=False)
    assert whole.returncode == 0, whole.stdout
    for file, line in PLANTED:
        with (top / "src/stend" / file).open("a") as source:
            source.write(f"\n{line}\n")
    return subprocess.run(lint, cwd=top, env=env, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
@pytest.mark.together
@pytest.mark.parametrize(("file", "line"), PLANTED)
def test_a_planted_import_breaks_a_contract(broken: str, file: str, line: str) -> None:
    before = [other for place, other in PLANTED if place == file]
    number = len((ROOT / "src/stend" / file).read_text().splitlines()) + 2 * before.index(line) + 2
    importer = ".".join(("stend", *Path(file).with_suffix("").parts)).removesuffix(".__init__")
    told = rf"^- *{importer} -> {line.split()[1]}\S* \(l\.([l\d., ]*\W)?{number}\b.*\)$(?! *\n +\S)"
    assert re.search(told, broken, re.MULTILINE), broken
