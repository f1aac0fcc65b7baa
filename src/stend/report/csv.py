"""CSV: one row per step of every run, in base units. Unknown values are empty."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.model.record import Run
from stend.report.parts.records import COLUMNS, rows


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `records.csv`, which is the same in every language and style."""
    path = into / "records.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS))
        writer.writeheader()
        for folder, run, _ in runs:
            writer.writerows(rows(run, folder.name))
    return [path]
