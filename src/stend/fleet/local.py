"""The drives of this host, by the serial numbers that a fleet uses."""

from stend import devices
from stend.base.errors import BadInput
from stend.model.definition import Identity


def drives(targets: list[str], *, busy: bool = False) -> dict[str, Identity]:
    """Return drives by serial number: those named, or all that can be tested. With `busy`, return all.

    Raise BadInput if two drives have the same serial number.
    """
    known: dict[str, Identity] = {}
    listed = () if targets else devices.listing()
    for drive in [devices.find(target).identity for target in targets] + [
        drive for drive, why in listed if busy or not why
    ]:
        name = drive.serial if drive.virtual else devices.name(drive)
        if name in known:
            raise BadInput(f"{known[name].target} and {drive.target} are both named {name}; choose one by --target")
        known[name] = drive
    return known
