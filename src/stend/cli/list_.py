"""`stend list`: the runs below a folder."""

from pathlib import Path
from typing import Annotated

import typer


def command(top: Annotated[Path, typer.Argument(help="The folder that holds run folders.")] = Path("runs")) -> None:
    """List the runs below a folder, oldest first: when, drive, tests, how each ended.

    Example: stend list runs
    """
    from datetime import datetime

    from stend import store
    from stend.errors import StendError

    folders = store.find(top)
    if not folders:
        typer.echo(f"no runs below {top}")
    for folder in folders:
        try:
            run = store.load(folder)
            when = datetime.fromtimestamp(run.started[0].at).strftime("%Y-%m-%d %H:%M")
        except (StendError, OSError, ValueError, OverflowError) as error:
            typer.echo(f"{folder}: {error}")
            continue
        tests = ", ".join(test.name for test in run.plan.tests)
        outcome = run.ended.outcome if run.ended else "unfinished"
        typer.echo(f"{folder}  {when}  {run.plan.device.model or run.plan.device.kind}  {tests}  {outcome}")
