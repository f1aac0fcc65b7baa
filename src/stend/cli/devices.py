"""`stend devices`: the drives of this host and whether each can be tested; the facts and health of one drive."""

from typing import Annotated

import typer

from stend.cli import _complete, _options
from stend.cli._option import argument


def command(
    targets: Annotated[
        list[str] | None,
        argument(
            "[DRIVE]...",
            "A drive, such as /dev/nvme0n1; without it, one line for each drive.",
            autocompletion=_complete.targets,
        ),
    ] = None,
    as_json: _options.Json = False,
    also: _options.AlsoTarget = None,
) -> None:
    """List the drives of this host and whether each can be tested.

    With DRIVE, print all facts and the health of that drive.

    An over-provisioned drive is listed with its visible and its native capacity. Nothing is written to any drive.

    Example: stend devices /dev/nvme0n1
    """
    import json

    from stend import devices
    from stend.cli import _sheet
    from stend.session import sheet

    if targets := [*(targets or ()), *(also or ())]:
        sheets = [sheet.everything(devices.find(target)) for target in targets]
        rows = [row for whole in sheets for row in _sheet.lines(whole)]
    else:
        every = sheet.every()
        sheets, rows = [sheet.brief(*drive) for drive in every], [_sheet.line(*drive) for drive in every]
    if as_json:
        rows = [json.dumps(sheets, indent=1, ensure_ascii=False)]
    for row in rows:
        typer.echo(row)
