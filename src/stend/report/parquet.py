"""Parquet: the rows of the CSV with types, for queries over many runs."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.model.record import Run
from stend.report import csv
from stend.report.parts.records import COLUMNS


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `records.parquet`."""
    import duckdb

    path = into / "records.parquet"
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        plain = csv.table(runs, Path(folder, "records.csv"), lambda value: value)
        table = database.read_csv(str(plain), columns=COLUMNS, header=True)
        table.write_parquet(str(path))
    return [path]
