"""What is installed: current data files, licence, and parts that may be left out and say so."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from stend.base import extras
from stend.base.errors import Missing
from stend.base.programs import programs
from tests.short import study
from tests.sim_figures import DRIVES, figures
from tests.test_real import wait_for_results

TOP = Path(__file__).parent.parent
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
WITHOUT = """
import sys
from importlib.abc import MetaPathFinder
class LeftOut(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
import importlib.util
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {names!r} else there(name, *more)
sys.meta_path.insert(0, LeftOut())
from stend.cli import main
sys.exit(main(sys.argv[1:]))
"""


def without(*words: str) -> list[str]:
    """What starts a stend that finds no module of any extra."""
    return [sys.executable, "-c", WITHOUT.format(names=set(extras.EXTRAS)), *words]


def core(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """stend as it is where no extra was installed."""
    return subprocess.run(without(*words), cwd=folder, capture_output=True, text=True, check=False)


def test_man_page_and_completion_are_those_of_today(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(TOP / "tools/share"), str(tmp_path)], check=True)
    made = {p.relative_to(tmp_path): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    kept = {p.relative_to(TOP / "share"): p.read_text() for p in (TOP / "share").rglob("*") if p.is_file()}
    assert made == kept, "`make share` makes them anew"
    assert len(made) == 4


def test_the_shell_is_told_the_verbs_and_options() -> None:
    def told(words: str, number: int) -> list[str]:
        asked = {"_STEND_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(number)}
        done = subprocess.run(
            [sys.executable, "-m", "stend"], env=os.environ | asked, capture_output=True, text=True, check=False
        )
        return done.stdout.split()

    assert {"run", "resume", "report"} <= set(told("stend r", 1))
    assert "--target" in told("stend run --t", 2)


def test_every_extra_brings_what_it_is_named_for() -> None:
    offered = PROJECT["optional-dependencies"]
    assert set(extras.EXTRAS.values()) | {"all"} <= set(offered)
    assert set(extras.USES) == set(extras.EXTRAS.values())
    assert offered["all"] == [f"stend[{','.join(dict.fromkeys(extras.EXTRAS.values()))}]"]
    named = " ".join(word.lower().replace("-", "_") for extra in set(extras.EXTRAS.values()) for word in offered[extra])
    assert [m for m in extras.EXTRAS if m not in named] == ["llvmlite", "dask"]  # brought by others
    assert not [word for word in PROJECT["dependencies"] for module in extras.EXTRAS if word.startswith(module)]


def test_every_imported_library_is_a_dependency_by_name() -> None:
    """A library that another one brings today may not come with its next version."""
    imported = set[str]()
    for path in (TOP / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(str(node.module).partition(".")[0])
    listed = [
        *PROJECT["dependencies"],
        *(word for words in PROJECT["optional-dependencies"].values() for word in words),
    ]
    named = {re.split(r"[^\w-]", word)[0].replace("-", "_") for word in listed}
    brought = {"dask": "distributed", "hdrh": "hdrhistogram", "llvmlite": "numba"}
    brought |= {"markdown_it": "markdown_it_py", "vl_convert": "vl_convert_python"}
    foreign = {brought.get(name, name) for name in imported - {"stend"} - sys.stdlib_module_names}
    assert not foreign - named
    assert "typer" in foreign


def test_nobody_is_named_and_the_licence_is_there() -> None:
    assert not {"authors", "maintainers", "urls"} & set(PROJECT)
    assert "Apache License" in (TOP / "LICENSE").read_text()
    assert PROJECT["version"] in (TOP / "CITATION.cff").read_text()


@pytest.mark.parametrize(
    ("words", "sentence", "extra"),
    [
        (["host", "--quick"], "STREAM, the measure of memory, needs numba", "sim"),
        (["query", "SELECT 1"], "`stend query` needs duckdb", "report"),
        (["serve", "."], "`stend serve` needs starlette", "serve"),
        (["fleet", "status", "x"], "`stend fleet` needs", "fleet"),
        (["trace", "show", "x.iolog"], "a trace needs pyarrow", "trace"),
    ],
)
def test_what_was_left_out_is_told_in_one_line(words: list[str], sentence: str, extra: str, tmp_path: Path) -> None:
    done = core(*words, folder=tmp_path)
    assert done.returncode == 4, done.stderr
    assert done.stderr.startswith(f"stend: {sentence}")
    assert done.stderr.endswith(f", which is not installed: `pip install 'stend[{extra}]'`\n")
    assert not list(tmp_path.iterdir())


def test_the_base_runs_a_virtual_drive_and_writes_its_report(tmp_path: Path) -> None:
    done = core("run", study(tmp_path, minute_s=0.02), "--target", "sim:small", "--into", "run", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "50 times as long as with `pip install 'stend[sim]'`" in done.stderr
    assert (tmp_path / "run/report.html").stat().st_size > 100_000
    for form in ("html", "markdown", "csv", "json"):
        assert core("report", "run", "--format", form, folder=tmp_path).returncode == 0, form
    for form in ("pdf", "parquet"):
        told = core("report", "run", "--format", form, folder=tmp_path)
        assert told.returncode == 4, form
        assert told.stderr.startswith(f"stend: a report as {form} needs ")
        assert "`pip install 'stend[report]'`" in told.stderr


@pytest.mark.parametrize("drive", DRIVES)
def test_figures_without_numba_are_those_of_compiled_kernels(drive: str) -> None:
    words = without()
    code = words[2].partition("from stend.cli")[0] + "from tests import sim_figures as s\nfrom stend.base import jit\n"
    code += f"print(jit.compiled.__module__)\nprint(s.figures({drive!r}))\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=TOP, capture_output=True, text=True, check=True)
    module, plain = done.stdout.splitlines()
    assert module == "stend.base.jit_plain"
    assert plain == figures(drive)


@pytest.mark.fio
def test_the_core_runs_shows_resumes_and_exports_on_a_drives_host(tmp_path: Path) -> None:
    drive = str(tmp_path / "new.bin")
    asked = ["run", study(tmp_path, minute_s=0.4), "--target", drive, "--create", "64MiB", "--into", "run"]
    with subprocess.Popen(without(*asked), cwd=tmp_path) as child:
        wait_for_results(tmp_path / "run", 2)
        child.kill()
    done = core("resume", "run", "--destroy-data", drive, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run/report.html").exists()
    assert core("show", "run", folder=tmp_path).returncode == 0


def test_only_modules_that_may_be_left_out_are_told_as_such() -> None:
    extras.need("this test", "msgspec")
    with pytest.raises(KeyError), extras.needing("this test"):
        raise KeyError
    with pytest.raises(ModuleNotFoundError), extras.needing("this test"):
        raise ModuleNotFoundError(name="stend.nothing")
    with pytest.raises(Missing, match=r"this test needs duckdb, .*stend\[report\]"), extras.needing("this test"):
        raise ModuleNotFoundError(name="duckdb.inner")
    assert all(find_spec(module) for module in extras.EXTRAS)


def test_the_container_has_every_program_that_stend_runs() -> None:
    words = (TOP / "Containerfile").read_text().split()
    assert {known.package for known in programs().values()} <= set(words)
