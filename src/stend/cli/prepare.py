"""`stend prepare`: give a drive another block size or another capacity, and nothing else."""

from typing import TYPE_CHECKING, Annotated

import typer

from stend.cli import _asked

if TYPE_CHECKING:
    from stend.devices.purging.prepare_table import Wish


def command(
    target: _asked.Target,
    destroy_data: _asked.DestroyData = None,
    overwrite_file: _asked.OverwriteFile = None,
    lba_bytes: Annotated[
        int | None, typer.Option("--lba-bytes", metavar="N", min=512, help="Bytes of a block (LBA format): 512, 4096.")
    ] = None,
    capacity: Annotated[
        str | None, typer.Option("--capacity", metavar="SIZE", help="What it shows from now on: 800GB, or 80% of all.")
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="All it has again.")] = False,
) -> None:
    """Change a drive's block size, or over-provision it: less of it is shown, and what it then shows is read back.

    All data on the target is destroyed: a drive must be named twice, by --target and by --destroy-data NAME,
    which is its serial; a file's is its full path.

    Example: stend prepare --target /dev/nvme1n1 --destroy-data S4XYNF0M --capacity 80%
    """
    from contextlib import closing

    from stend import devices
    from stend.base.errors import Refused
    from stend.cli._terminal import Terminal
    from stend.devices.drive import DriveDevice
    from stend.devices.purging import prepare as preparer
    from stend.devices.purging.prepare_table import ONLY

    wish = _wish(lba_bytes or 0, capacity or "", restore)
    device = devices.find(target)
    with closing(device.door):
        named = destroy_data or Terminal().names(device)
        device.door.open(writes=True, destroy=named, overwrite=tuple(overwrite_file or ()))
        if not isinstance(device, DriveDevice):
            raise Refused(f"{target} is not prepared: {ONLY}")
        typer.echo(f"{target}: {preparer.prepare(device, wish, report=Terminal().report)}")


def _wish(lba_bytes: int, capacity: str, restore: bool) -> "Wish":
    """What was asked for; BadInput where that is nothing, or two things at once."""
    from stend.base.errors import BadInput
    from stend.base.units import parse_bytes
    from stend.devices.purging.prepare_table import Wish

    if restore and capacity:
        raise BadInput("--restore gives the drive all its capacity; leave --capacity or --restore out")
    if not (lba_bytes or capacity or restore):
        raise BadInput("nothing is asked for; give --lba-bytes, --capacity or --restore")
    if not capacity.endswith("%"):
        size = parse_bytes(capacity) if capacity else 0
        if capacity and not size:
            raise BadInput(f"--capacity {capacity} is no size of a drive; write it like 800GB or 80%")
        return Wish(lba_bytes, size, restore=restore)
    try:
        pct = float(capacity.removesuffix("%"))
    except ValueError:
        pct = 0
    if not 0 < pct <= 100:
        raise BadInput(f"--capacity {capacity} is no part of a drive; write it like 80%")
    return Wish(lba_bytes, capacity_pct=pct)
