"""The notebook of the gallery runs from its first cell to its last, and shows what its text says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs/gallery/notebook.ipynb"
pytestmark = [pytest.mark.slow, pytest.mark.together, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def read(path: Path = NOTEBOOK) -> Any:
    """Who collects tests need not wait for what reads notebooks."""
    from nbformat import reads

    return reads(path.read_text(encoding="utf-8"), as_version=4)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each cell's code put out, by its last line."""
    from nbclient import NotebookClient

    told = read()
    place = tmp_path_factory.mktemp("notebook")
    NotebookClient(told, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(place)}}).execute()
    code = [cell for cell in told.cells if cell.cell_type == "code"]
    return {cell.source.splitlines()[-1]: cell.outputs for cell in code}


def data(cells: dict[str, Any], line: str) -> dict[str, Any]:
    (output,) = cells[line]
    return dict(output["data"])


def test_it_is_kept_without_what_it_put_out() -> None:
    told = read()
    assert all(not cell.outputs and cell.execution_count is None for cell in told.cells if cell.cell_type == "code")


def test_a_run_its_findings_and_its_chart_show_themselves(cells: dict[str, Any]) -> None:
    assert "quick: shortened, not a measurement" in data(cells, "run")["text/html"]
    assert "Confidence" in data(cells, "run.findings")["text/html"]
    chart = data(cells, 'run.chart("saturation")')
    assert chart["application/vnd.vegalite.v6+json"]["datasets"]
    assert chart["image/svg+xml"].startswith("<svg")


def test_spare_flash_buys_iops_at_the_end_of_saturation(cells: dict[str, Any]) -> None:
    rows = [row.split("</td><td>") for row in data(cells, '""")')["text/html"].split("<tr><td>")[1:]]
    ends = {run: float(iops) for run, phase, state, iops, *_ in rows if (phase, state) == ("saturate", "saturated")}
    assert ends["spared"] > 1.2 * ends["usual"]


def test_no_output_is_a_heap_of_numbers(cells: dict[str, Any]) -> None:
    plain = [output["data"]["text/plain"] for outputs in cells.values() for output in outputs if "data" in output]
    assert plain
    assert max(map(len, plain)) < 6000


@pytest.mark.soak
def test_the_wheel_and_jupyter_are_enough_in_an_empty_environment(tmp_path: Path) -> None:
    """Installed by the words of its own first cell, and run far from any checkout."""
    wheel, install = re.findall(r"`(pip (?:wheel|install) .*?)`", read().cells[0].source)[::-1]
    shutil.copy(NOTEBOOK, tmp_path)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    lines = [
        ". empty/bin/activate",
        wheel.replace(" .", f" {ROOT}"),
        install,
        "python -c 'import stend; print(stend.__file__)'",
        "jupyter nbconvert --to notebook --execute --output done notebook.ipynb",
    ]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    words = ["bash", "-e", "-c", "\n".join(lines)]
    done = subprocess.run(words, cwd=tmp_path, env=own, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0
    assert f"{tmp_path}/empty/lib" in done.stdout
    told = read(tmp_path / "done.ipynb")
    shown = [output.get("data", {}) for cell in told.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/svg+xml" in data for data in shown)
