"""`stend purge`: bring a drive to the state before it was first written."""

from typing import Annotated

import typer

from stend.cli import _options
from stend.cli._option import option


def command(
    target: _options.Target,
    destroy_data: _options.DestroyData = None,
    overwrite_file: _options.OverwriteFile = None,
    method: Annotated[
        str | None,
        option("--method", "M", "sanitize, crypto, format, erase, discard or zero; default: the best supported."),
    ] = None,
    vendor: Annotated[
        str | None, option("--command", "C", "A vendor command, with {node}, {controller}, {serial}.")
    ] = None,
    limit_minutes: Annotated[
        float | None, option("--limit-minutes", "MIN", "Time limit; default: by the size of the drive.", min=0.01)
    ] = None,
) -> None:
    """Purge a drive and read a sample of it back.

    If the drive lacks a purge command, stend uses a weaker method and states it.

    All data on the target is destroyed. Name the drive twice: by --target and by --destroy-data NAME, its serial
    number (for a file, its full path).

    Example: stend purge --target /dev/nvme1n1 --destroy-data S4XYNF0M
    """
    from contextlib import closing

    from stend import devices
    from stend.base import checked
    from stend.cli._terminal import Terminal

    if vendor is not None:
        checked.checked(vendor, "--command")
    operator = Terminal()
    device = devices.find(target)
    with closing(device.door):
        devices.configure_purge(device, method or "", vendor or "", (limit_minutes or 0) * 60, operator.report)
        named = destroy_data or operator.names(device)
        device.door.open(writes=True, destroy=named, overwrite=tuple(overwrite_file or ()))
        typer.echo(f"{target}: {device.purge()}")
