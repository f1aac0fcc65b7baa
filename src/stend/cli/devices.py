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

    if targets:
        told = [_sheet.everything(devices.find(target)) for target in targets]
    else:
        told = [_sheet.brief(identity, reason) for identity, reason in devices.listing()]
    if as_json:
        typer.echo(json.dumps(told, indent=1, ensure_ascii=False))
        return
    for one in told:
        for line in _sheet.lines(one) if targets else [_sheet.line(one)]:
            typer.echo(line)
