"""`stend purge`: make a drive as if it had never been written, and nothing else."""

from typing import Annotated

import typer

from stend.cli import _asked


def command(
    target: _asked.Target,
    destroy_data: _asked.DestroyData = None,
    overwrite_file: _asked.OverwriteFile = None,
    method: Annotated[
        str | None,
        typer.Option("--method", metavar="M", help="sanitize, crypto, format, erase, discard or zero; else the best."),
    ] = None,
    vendor: Annotated[
        str | None,
        typer.Option("--command", metavar="C", help="The maker's own command, with {node}, {controller}, {serial}."),
    ] = None,
    limit_minutes: Annotated[
        float | None, typer.Option("--limit", metavar="MIN", min=0.01, help="How long it may take; else by size.")
    ] = None,
) -> None:
    """Purge a drive: its own way where it has one, a lesser one that says so otherwise; a sample is read afterwards.

    All data on the target is destroyed: a drive must be named twice, by --target and by --destroy-data NAME,
    which is its serial; a file's is its full path.

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
