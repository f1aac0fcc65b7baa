"""`stend verify`: what a run folder is worth."""

from pathlib import Path
from typing import Annotated

import typer


def command(folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")]) -> int:
    """Tell whether run folders are as their runs wrote them: events, manifest, host, fio's words, reports.

    An unfinished run is sound, so is a torn end. Exit code 8 when a piece was changed, doubled or lost.

    Example: stend verify runs/20261120-120000-nvme0n1-iops
    """
    from stend.base.errors import UNSOUND_EXIT_CODE
    from stend.store import verify

    code = 0
    for folder in folders:
        looked = verify.Folder(folder)
        told, ended = list(looked.checks()), looked.run.ended
        sound = all(one.sound for one in told)
        outcome = ended.outcome if ended else "unfinished" if looked.run.started else "never started"
        typer.echo(f"{folder}: {outcome}, {'as its run wrote it' if sound else 'NOT as its run wrote it'}")
        for one in told:
            typer.echo(f"  {'' if one.sound else '! '}{one.piece}: {one.words}")
        code = code if sound else UNSOUND_EXIT_CODE
    return code
