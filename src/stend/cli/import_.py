"""`stend import`: convert results of other tools to run folders."""

from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _options
from stend.cli._option import argument


def command(
    files: Annotated[list[Path], argument("FILE...", "Result files, or a folder that bench-fio wrote.")],
    into: Annotated[Path, _options.into("runs")] = Path("runs"),
    form: _options.FormatIn = "",
    label: _options.Label = None,
) -> None:
    """Import results of fio, diskspd, KDiskMark and other tools.

    Supported are fio, bench-fio, TKperf, ezFIO, diskspd, elbencho, KDiskMark, CrystalDiskMark and Iometer. Each file
    becomes a run folder with the original and its hash. Notes list facts that the format lacks. Reports and comparisons
    show them. If a file cannot be read, no run folder is created.

    Example: stend import results/randread.json --into runs --label before
    """
    from stend import imports, store
    from stend.imports import folder

    every = [imports.taken_from(path, form) for path in files]
    for handed, name, taken in every:
        made = folder.write(handed, name, taken, into, label or "")
        notes = store.load(made).notes
        count = f"{len(taken.loads)} load{'s' if len(taken.loads) > 1 else ''}"
        typer.echo(f"{made}: {count} of {taken.tool} {taken.version}".rstrip())
        for note in notes:
            typer.echo(f"  {note.text}")
