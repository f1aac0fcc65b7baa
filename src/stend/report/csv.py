"""CSV: one row per step of every run, in base units. Unknown values are empty."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from stend.base.text import cell
from stend.model.record import Run
from stend.report.parts.records import COLUMNS, names, rows

Runs = Sequence[tuple[Path, Run, dict[str, Any]]]


def write(runs: Runs, lang: str, style: str, into: Path) -> list[Path]:
    """Write `records.csv`, which is the same in every language and style."""
    return [table(runs, into / "records.csv", cell)]


def table(runs: Runs, path: Path, cell: Callable[[Any], Any]) -> Path:
    """Write a CSV file whose values `cell` returns. Return its path."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS))
        writer.writeheader()
        for name, (_, run, _) in zip(names(runs), runs, strict=True):
            writer.writerows({column: cell(value) for column, value in row.items()} for row in rows(run, name))
    return path
