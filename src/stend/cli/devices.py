"""`stend devices`: what can be tested here, and why not; and all that one drive tells."""

from typing import Annotated

import typer


def command(
    targets: Annotated[
        list[str] | None, typer.Argument(metavar="[TARGET]...", help="Drives to tell everything of; else all in brief.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the drives of this host, and for each that can't be tested, why; with TARGET all facts and health of it.

    A drive that shows less than it has (over-provisioned) is told with both. Nothing is written to any drive.

    Example: stend devices /dev/nvme0n1
    """
    import json

    from stend import devices
    from stend.cli import _sheet
    from stend.session import sheet

    if targets:
        told = [sheet.everything(devices.find(target)) for target in targets]
        rows = [row for one in told for row in _sheet.lines(one)]
    else:
        every = sheet.every()
        told, rows = [sheet.brief(*one) for one in every], [_sheet.line(*one) for one in every]
    if as_json:
        rows = [json.dumps(told, indent=1, ensure_ascii=False)]
    for row in rows:
        typer.echo(row)
