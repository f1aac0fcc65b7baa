"""Words of a drive and its host that speak against a plain explanation of a change, and the ways of telling heat."""

import random
from typing import Any

from tests.drives.law import Health, cool

COUNTERS = ("crc_errors", "media_errors", "reallocated", "grown_defects", "link_errors", "link_retrains")
BITS = (0x01, 0x02, 0x04, 0x08, 0x10, 0x20)
EVENTS = (
    "narrowed", "slowed", *COUNTERS, "degraded", "resync", *(f"critical {bit:#04x}" for bit in BITS),
    "throttle_s", "throttle_events", "throttled", "warning_temperature_min",
)  # fmt: skip


def values(event: str, clock: float, since: float) -> dict[str, Any]:
    """Return the words of an event that begins at `since`."""
    over, seconds = clock >= since, max(clock - since, 0.0)
    match event:
        case "narrowed":
            return {"link": "gen 4 x1" if over else "gen 4 x4"}
        case "slowed":
            return {"link": "gen 1 x4" if over else "gen 4 x4"}
        case "degraded":
            return {"degraded": int(over)}
        case "resync":
            return {"resync": f"recover {min(seconds / 360, 99):.1f} %"} if over else {}
        case "throttle_s":
            return {"throttle_s": int(seconds), "temperature_c": 66}
        case "throttle_events":
            return {"throttle_events": int(seconds / 30) + over, "temperature_c": 66}
        case "warning_temperature_min":
            return {"warning_temperature_min": int(seconds / 60) + over, "temperature_c": 66}
        case "throttled":
            return {"throttled": int(over), "temperature_c": 66}
    if event.startswith("critical"):
        return {"critical_warning": int(event.split()[1], 16) if over else 0}
    return {event: 3 + int(over) + int(seconds / 120)}


def told(event: str, since: float) -> Health:
    """Return the health of a drive to which `event` happens at `since` seconds."""
    return lambda clock: cool(clock) | values(event, clock, since)


def any_event(dice: random.Random) -> str:
    """Return one of the events."""
    return dice.choice(EVENTS)
