"""`stend report`: write a report from run folders."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _options, _runs
from stend.cli._option import option


def command(
    runs: _runs.Runs = None,
    into: Annotated[Path | None, _options.into("the run folder")] = None,
    form: Annotated[list[str] | None, _options.formats(*_options.REPORTS)] = None,
    lang: _options.Language = "en",
    sheet: Annotated[
        str | None,
        option("--sheet", "FILE", "Data sheet of the drive (TOML, or published:NAME); saved in the run folder."),
    ] = None,
    style: Annotated[
        str, option("--style", "STYLE", "review (questions and answers, verdict first) or pts (the whole protocol).")
    ] = "review",
    against: Annotated[
        list[str] | None,
        option("--against", "WHAT", "Compare with runs, folders of them, published:NAME, or none; may be repeated."),
    ] = None,
    published: Annotated[
        list[Path] | None, option("--published", "FILE", "Published figures of other drives; may be repeated.")
    ] = None,
    drive_name: Annotated[
        list[str] | None, option("--drive-name", "NAME", "Name of a drive, in the order of the runs; may be repeated.")
    ] = None,
) -> None:
    """Write the report of one or more runs. It needs neither the drive nor the host of the runs.

    A review of several runs states on page one which drive is better at what.

    Example: stend report last --against published:saber1000 --lang ru
    """
    from stend import report, store
    from stend.model import publications
    from stend.report.parts.sheet import keep
    from stend.report.story.rivals import reference, resolve

    known = publications.known(published or ())
    places, rivals = resolve([*map(str, runs or [_runs.LAST]), *(against or ())], known)
    loaded = [(folder, store.load(folder), store.host(folder)) for folder in places]
    if sheet:
        keep(sheet, places[0])
    beside = rivals if against else reference([run for _, run, _ in loaded], known)
    write = partial(report.write, loaded, lang=lang, style=style, into=into or places[0])
    for kind in dict.fromkeys(form or ["html"]):
        for path in write(kind, rivals=beside, names=drive_name or ()):
            typer.echo(f"Report: {path}")
