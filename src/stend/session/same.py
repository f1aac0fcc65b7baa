"""Check that a run may continue: on the drive it began on, and without new data on it."""

from stend.base.errors import Refused
from stend.devices import Device
from stend.model.definition import Identity
from stend.model.record import Run

IDENTIFYING = ("kind", "serial", "wwn", "model", "capacity_bytes", "logical_bytes")


def drive(then: Identity, now: Identity) -> None:
    """Raise Refused unless this is the drive that the run began on."""
    for field in IDENTIFYING:
        was, is_now = getattr(then, field), getattr(now, field)
        if was != is_now:
            raise Refused(f"{now.target} is another drive: its {field} is {is_now!r}, the run began on {was!r}")


def as_then(past: Run, device: Device, now: dict[str, str]) -> None:
    """Raise Refused if the drive differs from the run's by the fingerprint `now`, or holds data that is new."""
    # A record from before fingerprints existed counts as a drive without signatures: the drive must hold none now.
    then = past.started[0].fingerprint or {key: value for key, value in now.items() if key != "signatures"}
    if reason := device.door.changed(then, now):
        raise Refused(f"{device.identity.target} {reason}")
