"""What the operator wishes of a purge, handed to the drive."""

from collections.abc import Callable

from stend.devices import Device
from stend.devices.drive import DriveDevice
from stend.errors import BadInput


def wishes(device: Device, method: str, vendor: str, limit_s: float, hear: Callable[[str], None]) -> None:
    """Method, maker's command, limit of time; `hear` is told how far it is. BadInput where a drive has no choice."""
    if isinstance(device, DriveDevice):
        device.asked, device.template, device.limit, device.tell = method, vendor, limit_s, hear
    elif method or vendor:
        raise BadInput(f"{device.identity.target} has one way to be purged; leave --method and --command out")
