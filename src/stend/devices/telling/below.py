"""What the drives that a node lies on tell (members of md, disks of a volume or a partition): facts, health."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from stend.devices.telling import facts
from stend.model.definition import Identity


class Member(Protocol):
    """A drive below another one."""

    identity: Identity

    @property
    def node(self) -> str:
        """The kernel's name of it."""

    def health(self) -> dict[str, Any]:
        """What it tells of itself now."""


KEPT = ("kind", "path", "model", "serial", "wwn", "firmware", "interface", "capacity_bytes", "logical_bytes")
SUMS = (
    "nand_write_bytes",
    "media_errors",
    "crc_errors",
    "reallocated",
    "grown_defects",
    "link_errors",
    "link_retrains",
    "throttle_s",
    "throttle_events",
    "warning_temperature_min",
)
WORST = ("temperature_c", "throttled", "critical_warning", "wear_pct")
"""Health of many drives as one: what is added up (host bytes are not the array's), and what the worst one tells."""


def tell(looked: facts.Looked, members: Sequence[Member], key: str = "drives_below") -> None:
    """The facts of each as one fact named `key`; their doubts and warnings with the drive's name."""
    looked.add(**{key: [_told(member.identity) for member in members] or None})
    for member in members:
        told, name = member.identity.facts, member.node
        looked.doubts += (_named(name, text) for text in told.get("doubts", ()))
        looked.warnings += (_named(name, text) for text in told.get("warnings", ()))


def _told(member: Identity) -> dict[str, Any]:
    own = {key: value for key, value in member.facts.items() if key not in ("doubts", "warnings")}
    return {name: getattr(member, name) for name in KEPT} | own


def _named(name: str, text: str) -> str:
    """What is missing on this host is said once and not for each."""
    return text if "is not installed" in text else f"its drive {name}: {text}"


def health(members: Iterable[Member]) -> dict[str, Any]:
    """All members together: counters added up where every one tells them, the worst of states."""
    every = [member.health() for member in members]
    if not every:
        return {}
    added = {key: sum(told[key] for told in every) for key in SUMS if all(key in told for told in every)}
    return added | {key: max(told.get(key, 0) for told in every) for key in WORST if any(key in t for t in every)}
