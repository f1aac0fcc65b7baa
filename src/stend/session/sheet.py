"""What a drive tells of itself, as plain data."""

from typing import Any

import msgspec

from stend import devices
from stend.base.errors import StendError
from stend.devices import Device
from stend.model.definition import Identity

Sheet = dict[str, Any]
OWN = ("doubts", "warnings")
WHO = (
    "kind",
    "path",
    "model",
    "serial",
    "wwn",
    "firmware",
    "interface",
    "capacity_bytes",
    "logical_bytes",
    "physical_bytes",
    "rotational",
)


def every() -> list[tuple[Identity, int, str]]:
    """Each drive of this host, as `brief` takes it."""
    return [(drive, devices.native_bytes(drive.target), why) for drive, why in devices.listing()]


def brief(drive: Identity, native_bytes: int, reason: str) -> Sheet:
    """Who it is, and why it cannot be tested; `native_bytes` is 0 where the drive does not tell."""
    who: Sheet = msgspec.to_builtins(drive)
    return who | {"native_bytes": native_bytes, "can_be_tested": not reason, "reason": reason}


def everything(device: Device) -> Sheet:
    """Who it is, whether it can be tested, what must be named to write to it, its facts, its health, its notes."""
    drive, reason = device.identity, devices.reason(device.identity)
    facts = {key: value for key, value in drive.facts.items() if key not in OWN}
    return {
        "target": drive.target,
        "can_be_tested": not reason,
        "reason": reason,
        "named": devices.name(drive),
        "holds": _holds(drive),
        **{key: value for key in WHO if (value := getattr(drive, key)) not in ("", None)},
        "facts": facts,
        "health": device.health(),
        "notes": list(drive.facts.get("doubts", ())),
    }


def _holds(drive: Identity) -> str:
    """What is on it; who may not read it hears why nobody can tell."""
    try:
        return devices.loss(drive)
    except (StendError, OSError) as error:
        return f"cannot be told: {error}"
