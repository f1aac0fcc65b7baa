"""`stend report`: write a report from run folders."""

from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _options, _runs


def command(
    runs: _runs.Runs = None,
    into: Annotated[Path | None, _options.into("the run folder")] = None,
    form: Annotated[list[str] | None, _options.formats(*_options.REPORTS)] = None,
    lang: _options.Language = "en",
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            metavar="FILE",
            help="Data sheet of the drive (TOML, or published:NAME); saved in the run folder.",
        ),
    ] = None,
    style: Annotated[
        str,
        typer.Option(
            "--style",
            metavar="STYLE",
            help="review (questions and answers, verdict first) or pts (the whole protocol).",
        ),
    ] = "review",
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="WHAT",
            help="Compare with runs, folders of them, published:NAME, or none; may be repeated.",
        ),
    ] = None,
) -> None:
    """Write the report of one or more runs. It needs neither the drive nor the host of the runs.

    A review reports the first run and compares it with the others.

    Example: stend report last --against published:saber1000 --lang ru
    """
    from stend import report, store
    from stend.report.parts.sheet import keep
    from stend.report.story.rivals import resolve

    places, rivals = resolve([*map(str, runs or [_runs.LAST]), *(against or ())])
    loaded = [(folder, store.load(folder), store.host(folder)) for folder in places]
    if sheet:
        keep(sheet, places[0])
    beside = rivals if against else None
    for kind in dict.fromkeys(form or ["html"]):
        for path in report.write(loaded, kind, lang=lang, style=style, into=into or places[0], rivals=beside):
            typer.echo(f"Report: {path}")
