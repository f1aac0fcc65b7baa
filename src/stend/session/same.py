"""Whether a run may go on: on the very drive it began on, and on no data that came since."""

from stend.base.errors import Refused
from stend.devices import Device
from stend.model.definition import Identity
from stend.model.record import Run

WHO = ("kind", "serial", "wwn", "model", "capacity_bytes", "logical_bytes")


def drive(then: Identity, now: Identity) -> None:
    """Refused unless this is the drive that the run began on."""
    for field in WHO:
        was, is_now = getattr(then, field), getattr(now, field)
        if was != is_now:
            raise Refused(f"{now.target} is another drive: its {field} is {is_now!r}, the run began on {was!r}")


def as_then(past: Run, device: Device, now: dict[str, str]) -> None:
    """Refused where the run began on another drive than the one with the fingerprint `now`, or this holds more."""
    # A record of before there were fingerprints is held to what a drive holds: nothing that nobody named.
    then = past.started[0].fingerprint or {key: value for key, value in now.items() if key != "signatures"}
    if reason := device.door.changed(then, now):
        raise Refused(f"{device.identity.target} {reason}")
