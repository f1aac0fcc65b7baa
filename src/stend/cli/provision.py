"""`stend provision`: change the block size or the visible capacity of a drive."""

from typing import TYPE_CHECKING, Annotated

import typer

from stend.cli import _options
from stend.cli._option import flag, option

if TYPE_CHECKING:
    from stend.devices.purging.prepare_table import Wish


def command(
    target: _options.Target,
    destroy_data: _options.DestroyData = None,
    overwrite_file: _options.OverwriteFile = None,
    lba_bytes: Annotated[
        int | None, option("--lba-bytes", "N", "Block size in bytes (LBA format): 512, 4096.", min=512)
    ] = None,
    capacity: Annotated[
        str | None, option("--capacity", "SIZE", "New visible capacity: 800GB, or 80% of the native one.")
    ] = None,
    restore: Annotated[bool, flag("--restore", "Restore the full capacity.")] = False,
) -> None:
    """Change a drive's block size or its visible capacity. The new values are read back from the drive.

    All data on the target is destroyed. Name the drive twice: by --target and by --destroy-data NAME, its serial
    number (for a file, its full path).

    Example: stend provision --target /dev/nvme1n1 --destroy-data S4XYNF0M --capacity 80%
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
    if not isinstance(device, DriveDevice):
        raise Refused(f"{target} is not changed: {ONLY}")
    with closing(device.door):
        named = destroy_data or Terminal().names(device)
        device.door.open(writes=True, destroy=named, overwrite=tuple(overwrite_file or ()))
        typer.echo(f"{target}: {preparer.prepare(device, wish, report=Terminal().report)}")


def _wish(lba_bytes: int, capacity: str, restore: bool) -> "Wish":
    """Return the requested change. Raise BadInput for no change or for options that contradict each other."""
    from stend.base.errors import BadInput
    from stend.base.units import parse_bytes
    from stend.devices.purging.prepare_table import Wish

    if restore and capacity:
        raise BadInput("--restore sets the full capacity, so it cannot be combined with --capacity; leave one out")
    if not (lba_bytes or capacity or restore):
        raise BadInput("no change requested; give --lba-bytes, --capacity or --restore")
    if not capacity.endswith("%"):
        size = parse_bytes(capacity) if capacity else 0
        if capacity and not size:
            raise BadInput(f"--capacity {capacity} is not a size; write it like 800GB or 80%")
        return Wish(lba_bytes, size, restore=restore)
    try:
        pct = float(capacity.removesuffix("%"))
    except ValueError:
        pct = 0
    if not 0 < pct <= 100:
        raise BadInput(f"--capacity {capacity} is not a percentage of the drive; write it like 80%")
    return Wish(lba_bytes, capacity_pct=pct)
