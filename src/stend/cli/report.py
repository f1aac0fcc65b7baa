"""`stend report`: a report from run folders."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")],
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="Where to write; the run folder.")] = None,
    form: Annotated[str, typer.Option("--format", help="html, or another of the formats stend has.")] = "html",
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
    sheet: Annotated[
        Path | None, typer.Option("--sheet", metavar="FILE", help="The drive's sheet (TOML), kept with the first run.")
    ] = None,
    style: Annotated[str, typer.Option("--style", help="pts (a page per plot) or review.")] = "review",
) -> None:
    """Write the report of one or more runs; needs neither the drive nor the machine they were made on.

    Example: stend report runs/20261120-120000-sim-small-iops --lang ru
    """
    from stend import report, store
    from stend.report.parts.sheet import keep

    runs = [(folder, store.load(folder), store.host(folder)) for folder in folders]
    if sheet:
        keep(sheet, folders[0])
    for path in report.write(runs, form, lang=lang, style=style, into=into or folders[0]):
        typer.echo(f"Report: {path}")
