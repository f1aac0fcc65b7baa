"""Facts and health of the drives below a node: members of md, disks of a volume or a partition."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from stend.devices.telling import facts
from stend.devices.telling.evidence import Piece
from stend.model.definition import Identity
from stend.words import Sentence


class Member(Protocol):
    """A drive below another one."""

    identity: Identity

    @property
    def node(self) -> str:
        """Return the kernel's name of the drive."""

    def health(self) -> dict[str, Any]:
        """Return the current health of the drive."""

    def evidence(self, since_s: float) -> Iterator[Piece]:
        """Yield the drive's logs, and the kernel's lines about it since a moment of the monotonic clock."""


KEPT = ("kind", "path", "model", "serial", "wwn", "firmware", "interface", "capacity_bytes", "logical_bytes")
SUMS = (
    "nand_write_bytes",
    "nand_unit_bytes",
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
"""Health of many drives as one: SUMS are added up (host bytes are not the array's), of WORST the maximum is taken."""


def add_members(looked: facts.Looked, members: Sequence[Member], key: str = "drives_below") -> None:
    """Add the facts of all members as one fact named `key`, and their doubts and warnings with the drive's name.

    A remark that the drive above has already is not added.
    """
    looked.add(**{key: [_facts(member.identity) for member in members] or None})
    for member in members:
        facts_of, name = member.identity.facts, member.node
        for texts, remarks in ((looked.doubts, "doubts"), (looked.warnings, "warnings")):
            texts += [_named(name, one) for one in facts_of.get(remarks, ()) if one not in texts]


def _facts(member: Identity) -> dict[str, Any]:
    kept = {key: value for key, value in member.facts.items() if key not in ("doubts", "warnings")}
    return {name: getattr(member, name) for name in KEPT} | kept


def _named(name: str, doubt: Sentence) -> Sentence:
    """Return a doubt with the drive's name. A missing program is reported once for the host and gets no name."""
    return doubt if doubt.key == "unread_facts" else Sentence("of_drive", name=name, what=doubt)


def health(members: Iterable[Member]) -> dict[str, Any]:
    """Return the health of all members together: sums of counters that every member has, and the worst states."""
    every = [member.health() for member in members]
    if not every:
        return {}
    added = {key: sum(each[key] for each in every) for key in SUMS if all(key in each for each in every)}
    return added | {key: max(each.get(key, 0) for each in every) for key in WORST if any(key in e for e in every)}


def evidence(members: Iterable[Member], since_s: float) -> Iterator[Piece]:
    """Yield the evidence of all members, with the name of the drive before that of each file."""
    for member in members:
        for piece in member.evidence(since_s):
            yield piece._replace(name=f"{member.node}-{piece.name}")
