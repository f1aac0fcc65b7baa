"""`stend query`: run SQL over all runs below a folder."""

from typing import Annotated

import typer

from stend.base.errors import BadInput
from stend.base.text import cell
from stend.cli import _options, _runs, _table
from stend.cli._option import argument, flag, option

FORMATS = ("table", "csv", "json")
"""Values of `--format`, the former name of `--csv` and `--json`."""
MOST = 1000


def command(
    sql: Annotated[str, argument("SQL", "One read-only statement in DuckDB's SQL.")],
    top: _runs.Top = _runs.RUNS,
    where: _options.Where = None,
    as_json: _options.Json = False,
    as_csv: Annotated[bool, flag("--csv", "Print CSV.")] = False,
    form: Annotated[str, typer.Option("--format", hidden=True)] = "table",
    limit: Annotated[int, option("--limit", "N", "Largest number of rows; 0 for all.", min=0)] = MOST,
) -> None:
    """Run an SQL query over the runs below a folder.

    The tables are runs, figures, rounds, bins, findings and notes (docs/how-to/imports-and-sheets.md). `DESCRIBE
    figures` lists the columns of one. A query cannot write anything, and it cannot read other files.

    Example: stend query "SELECT model, max(iops) FROM figures JOIN runs USING (run) GROUP BY model"
    """
    from stend.base import extras
    from stend.catalogue import opened

    if as_json and as_csv:
        raise BadInput("--json and --csv contradict each other; leave one out")
    if form not in FORMATS:
        raise BadInput(f"unknown format {form!r}; choose from {', '.join(FORMATS)}")
    extras.need("`stend query`", "duckdb")
    with opened(_runs.top(top), _runs.show_progress) as catalogue:
        catalogue.warn()
        answer = catalogue.query(sql, limit or None, where or ())
    _write(answer.columns, answer.rows, "json" if as_json else "csv" if as_csv else form)
    if answer.more:
        typer.echo(f"(the first {limit} rows; --limit 0 prints all)", err=True)


def _write(columns: tuple[str, ...], rows: list[tuple[object, ...]], form: str) -> None:
    import csv
    import sys

    if form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(map(cell, row) for row in [columns, *rows])
    elif form == "json":
        typer.echo(_table.as_json(columns, rows))
    else:
        typer.echo("\n".join(_table.of_rows(columns, [[*map(_table.as_text, row)] for row in rows])))
