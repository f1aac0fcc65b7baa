"""`stend report`: write a report from run folders."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="DIR...", help="Run folders; a review reports the first and compares it with the others."
        ),
    ],
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Output folder; default: the run folder.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="html, or another format that stend can write.")] = "html",
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            metavar="FILE",
            help="Data sheet of the drive (TOML, or published:NAME); saved in the run folder.",
        ),
    ] = None,
    style: Annotated[
        str, typer.Option("--style", help="review (questions and answers, verdict first) or pts (the whole protocol).")
    ] = "review",
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against", metavar="WHAT", help="Compare with: run folders, a folder of them, published:NAME, or none."
        ),
    ] = None,
) -> None:
    """Write the report of one or more runs. It needs neither the drive nor the host of the runs.

    Example: stend report runs/20261120-120000-sim-small-iops --against published:saber1000 --lang ru
    """
    from stend import report, store
    from stend.report.parts.sheet import keep
    from stend.report.story.rivals import resolve

    places, rivals = resolve([*folders, *(against or ())])
    runs = [(folder, store.load(folder), store.host(folder)) for folder in places]
    if sheet:
        keep(sheet, places[0])
    for path in report.write(
        runs, form, lang=lang, style=style, into=into or places[0], rivals=rivals if against else None
    ):
        typer.echo(f"Report: {path}")
