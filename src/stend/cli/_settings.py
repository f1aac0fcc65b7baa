"""What is asked of a drive besides load: how it is purged, and its write cache, put back whatever the end is."""

import typer

from stend.devices import Device
from stend.devices._drive import DriveDevice
from stend.errors import BadInput


def wishes(device: Device, method: str, vendor: str, limit_s: float) -> None:
    """Hand the operator's wishes for the purge to the drive. BadInput where it is of a kind without a choice."""
    if isinstance(device, DriveDevice):
        device.asked, device.template, device.limit = method, vendor, limit_s
        device.tell = lambda words: typer.echo(words, err=True)
    elif method or vendor:
        raise BadInput(f"{device.identity.target} has one way to be purged; leave --method and --command out")
