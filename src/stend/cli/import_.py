"""`stend import`: results of other tools, as runs."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Results; a folder is a tree of bench-fio.")],
    to: Annotated[Path, typer.Option("--to", metavar="ROOT", help="The folder that holds run folders.")] = Path("runs"),
    form: Annotated[str, typer.Option("--from", metavar="FORMAT", help="Its format, where content misleads.")] = "",
    label: Annotated[str, typer.Option("--label", help="Kept with the run; `compare --by label` groups by it.")] = "",
) -> None:
    """Import results of fio, bench-fio, TKperf, ezFIO, diskspd, elbencho, KDiskMark, CrystalDiskMark and Iometer.

    Each file becomes a run folder with the original and its hash; what its format lacks is a note that reports and
    comparisons show. A file that cannot be read leaves nothing.

    Example: stend import results/randread.json --to runs --label before
    """
    from stend import imports, store
    from stend.imports import folder

    every = [imports.taken_from(path, form) for path in files]
    for handed, name, taken in every:
        made = folder.write(handed, name, taken, to, label)
        notes = store.load(made).notes
        count = f"{len(taken.loads)} load{'s' if len(taken.loads) > 1 else ''}"
        typer.echo(f"{made}: {count} of {taken.tool} {taken.version}".rstrip())
        for note in notes:
            typer.echo(f"  {note.text}")
