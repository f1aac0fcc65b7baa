"""The drives of this host, by the names under which a fleet knows them."""

from stend import devices
from stend.base.errors import BadInput
from stend.model.definition import Identity


def drives(targets: list[str], *, busy: bool = False) -> dict[str, Identity]:
    """Drives by serial: those named, or all that can be tested, with `busy` also those that cannot just now.

    BadInput where two tell the same serial.
    """
    found: dict[str, Identity] = {}
    listed = () if targets else devices.listing()
    for drive in [devices.find(one).identity for one in targets] + [one for one, why in listed if busy or not why]:
        name = drive.serial if drive.virtual else devices.name(drive)
        if name in found:
            raise BadInput(f"{found[name].target} and {drive.target} are both named {name}; leave one out by --drive")
        found[name] = drive
    return found
