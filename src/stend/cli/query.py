"""`stend query`: SQL over all runs below a folder."""

from pathlib import Path
from typing import Annotated

import typer

from stend.base.errors import BadInput
from stend.cli import _reading, _table

FORMATS = ("table", "csv", "json")
MOST = 1000


def command(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One statement that only reads, in DuckDB's SQL.")],
    top: Annotated[Path, typer.Argument(help="The folder that holds run folders, or folders of them.")] = Path("runs"),
    form: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, help="At most so many rows; 0 for all of them.")
    ] = MOST,
) -> None:
    """Ask the catalogue of a folder: the tables runs, figures, rounds, bins, findings and notes (docs/catalogue.md).

    Nothing is written, and no other file can be read. `DESCRIBE figures` tells a table's columns.

    Example: stend query "SELECT model, max(iops) FROM figures JOIN runs USING (run) GROUP BY model"
    """
    from stend.base import extras
    from stend.catalogue import opened

    if form not in FORMATS:
        raise BadInput(f"an answer cannot be written as {form!r}; it can as {', '.join(FORMATS)}")
    extras.need("stend query", "duckdb")
    with opened(top, _reading.hear) as catalogue:
        answer = catalogue.query(sql, limit or None)
    _write(answer.columns, answer.rows, form)
    if answer.more:
        typer.echo(f"(the first {limit} rows; --limit 0 gives all)", err=True)


def _write(columns: tuple[str, ...], rows: list[tuple[object, ...]], form: str) -> None:
    import csv
    import sys

    if form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows([columns, *rows])
    elif form == "json":
        typer.echo(_table.as_json(columns, rows))
    else:
        cells = [(name, [_table.said(row[i]) for row in rows]) for i, name in enumerate(columns)]
        typer.echo("\n".join(_table.lines(cells)))
