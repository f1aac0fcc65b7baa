"""Linux software arrays (md): geometry, members with the facts of each, and whether the array is at rest."""

from collections.abc import Sequence
from typing import Any

import msgspec

from stend.base.sysfs import HOST, Kernel, text
from stend.devices import block
from stend.devices import drive as drives
from stend.devices.purging import table
from stend.devices.telling import below as lower
from stend.devices.telling import facts, tools
from stend.devices.telling.below import Member
from stend.words import Sentence

BUSY = ("resync", "recover", "check", "repair", "reshape")


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True for a whole md array."""
    node = drives.whole_node(target, kernel)
    return bool(node) and (kernel.block(node) / "md").exists()


below = block.below


def find(target: str, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> "MdDevice":
    """Return the array with its facts and those of its members."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    lower.add_members(looked, members, "members")
    identity = drives.known(target, node, "md", looked, kernel)
    level = str(looked.facts.get("level", "md"))
    identity = msgspec.structs.replace(
        identity,
        model=f"{level} of {looked.facts.get('raid_disks', '?')}",
        interface="md",
        serial=str(looked.facts.get("uuid", "")),
    )
    return MdDevice(identity, kernel, members)


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Gather facts about the array itself."""
    looked, folder = facts.Looked(), kernel.block(node) / "md"
    facts.common(looked, node, kernel)
    for name in ("level", "raid_disks", "layout", "array_state", "sync_action", "metadata_version", "uuid"):
        looked.add(**{name: text(folder / name)})
    looked.add(chunk_bytes=int(text(folder / "chunk_size") or 0), degraded=int(text(folder / "degraded") or 0))
    if missing := looked.facts.get("degraded"):
        looked.doubts.append(Sentence("degraded", n=missing))
        looked.warnings.append(Sentence("degraded_short", n=missing))
    return looked


def busy(node: str, kernel: Kernel = HOST) -> str:
    """Return the array's current synchronisation with its progress, or an empty string if none is running."""
    action = text(kernel.block(node) / "md/sync_action")
    if action not in BUSY:
        return ""
    return f"{action}, {text(kernel.block(node) / 'md/sync_completed') or 'just begun'} sectors"


def unrest(node: str, kernel: Kernel = HOST) -> str:
    """Return why an array must not be measured now, in words that follow its name, or an empty string if it may be."""
    now = busy(node, kernel)
    return Sentence("gate_syncing", now=now) if now else ""


class MdDevice(drives.DriveDevice):
    """An md array."""

    def unrest(self) -> str:
        """Return why it must not be measured now. A resync would take part in every figure."""
        return unrest(self.node, self.kernel)

    def abilities(self) -> table.Drive:
        """Return the capability to discard, if every member has it, and the array's state."""
        folder = self.kernel.block(self.node)
        state = {"resync"} if (now := busy(self.node, self.kernel)) else set()
        state |= {"failed array"} if text(folder / "md/array_state") in ("inactive", "clear") else set()
        can = {"discard"} if text(folder / "queue/discard_max_bytes") not in ("", "0") else set()
        return self.as_input("md", can, state, now)

    def cache(self) -> str:
        """Return the write cache's state that all members share, or "" if they differ or one does not report it."""
        states = {member.cache() if isinstance(member, drives.DriveDevice) else "" for member in self.members}
        return states.pop() if len(states) == 1 else ""

    def write_cache(self, setting: str) -> None:
        """Set the write cache of every member. The array itself has no cache."""
        for member in self.members:
            if isinstance(member, drives.DriveDevice):
                member.write_cache(setting)

    def health(self) -> dict[str, Any]:
        """Return the number of missing members, the synchronisation, the kernel's counters, and the members' health."""
        degraded = tools.number(text(self.kernel.block(self.node) / "md/degraded"))
        return super().health() | {"degraded": degraded, "resync": busy(self.node, self.kernel)}
