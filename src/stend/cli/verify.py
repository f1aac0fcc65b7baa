"""`stend verify`: check that run folders are unchanged."""

from pathlib import Path
from typing import Annotated

import typer


def command(folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")]) -> int:
    """Check that run folders are unchanged since they were written.

    The check covers events, manifest, host, fio outputs and reports. An unfinished run or an incomplete last
    line is not an error. The exit code is 8 if a part was changed, doubled or lost.

    Example: stend verify runs/20261120-120000-nvme0n1-iops
    """
    from stend.base.errors import UNSOUND_EXIT_CODE
    from stend.store import verify

    code = 0
    for folder in folders:
        checked = verify.Folder(folder)
        parts, ended = list(checked.checks()), checked.run.ended
        sound = all(part.sound for part in parts)
        outcome = ended.outcome if ended else "unfinished" if checked.run.started else "never started"
        typer.echo(f"{folder}: {outcome}, {'unchanged' if sound else 'CHANGED since its run wrote it'}")
        for part in parts:
            typer.echo(f"  {'' if part.sound else '! '}{part.piece}: {part.words}")
        code = code if sound else UNSOUND_EXIT_CODE
    return code
