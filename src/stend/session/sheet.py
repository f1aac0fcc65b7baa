"""Facts that a drive reports about itself, as plain data."""

from typing import Any

import msgspec

from stend import devices
from stend.base.errors import StendError
from stend.devices import Device
from stend.devices.telling.below import KEPT
from stend.model.definition import Identity
from stend.words import english

Sheet = dict[str, Any]
NOTES = ("doubts", "warnings")
IDENTITY = (*KEPT, "physical_bytes", "rotational")


def every() -> list[tuple[Identity, int, str]]:
    """Return each drive of this host, as `brief` takes it."""
    return [(drive, devices.native_bytes(drive.target), why) for drive, why in devices.listing()]


def brief(drive: Identity, native_bytes: int, reason: str) -> Sheet:
    """Return a drive's identity and why it cannot be tested. `native_bytes` is 0 if the drive does not report it."""
    identity: Sheet = msgspec.to_builtins(drive, enc_hook=english)
    return identity | {"native_bytes": native_bytes, "can_be_tested": not reason, "reason": reason}


def everything(device: Device) -> Sheet:
    """Return all about a drive: identity, reason, the name that confirms writing, facts, health and notes."""
    drive, reason = device.identity, devices.reason(device.identity)
    facts = {key: value for key, value in drive.facts.items() if key not in NOTES}
    return {
        "target": drive.target,
        "can_be_tested": not reason,
        "reason": reason,
        "named": devices.name(drive),
        "holds": _holds(drive),
        **{key: value for key in IDENTITY if (value := getattr(drive, key)) not in ("", None)},
        "facts": facts,
        "health": device.health(),
        "notes": list(drive.facts.get("doubts", ())),
    }


def _holds(drive: Identity) -> str:
    """Return what data is on the drive, or why that cannot be read."""
    try:
        return devices.loss(drive)
    except (StendError, OSError) as error:
        return f"unknown: {error}"
