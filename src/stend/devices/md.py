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

BUSY = ("resync", "recover", "check", "repair", "reshape")


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """A whole md array."""
    node = drives.whole_node(target, kernel)
    return bool(node) and (kernel.block(node) / "md").exists()


def below(target: str, kernel: Kernel = HOST) -> list[str]:
    """Its members, whole drives where they are partitions."""
    return block.below(target, kernel)


def find(target: str, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> "MdDevice":
    """The array with its facts, and its members with theirs."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    lower.tell(looked, members, "members")
    identity = drives.known(target, node, "md", looked, kernel)
    level = str(looked.facts.get("level", "md"))
    identity = msgspec.structs.replace(
        identity,
        model=f"{level} of {looked.facts.get('raid_disks', '?')}",
        interface="md",
        serial=str(looked.facts.get("uuid", "")),
    )
    device = MdDevice(identity, kernel)
    device.members = members
    return device


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Facts of an array itself."""
    looked, folder = facts.Looked(), kernel.block(node) / "md"
    facts.common(looked, node, kernel)
    for name in ("level", "raid_disks", "layout", "array_state", "sync_action", "metadata_version", "uuid"):
        looked.add(**{name: text(folder / name)})
    looked.add(chunk_bytes=int(text(folder / "chunk_size") or 0), degraded=int(text(folder / "degraded") or 0))
    if missing := looked.facts.get("degraded"):
        looked.doubts.append(f"the array is degraded: {missing} of its members are missing")
        looked.warnings.append(f"degraded array, {missing} of its members are missing")
    return looked


def busy(node: str, kernel: Kernel = HOST) -> str:
    """What an array does to itself now, with how far it is; empty when it is at rest."""
    action = text(kernel.block(node) / "md/sync_action")
    if action not in BUSY:
        return ""
    return f"{action}, {text(kernel.block(node) / 'md/sync_completed') or 'just begun'} sectors"


def unrest(node: str, kernel: Kernel = HOST) -> str:
    """Why an array must not be measured now, in words that follow its name; empty when it is at rest, or no array."""
    now = busy(node, kernel)
    return f"is being synchronised or checked ({now}); wait until it is done" if now else ""


class MdDevice(drives.DriveDevice):
    """An md array."""

    def unrest(self) -> str:
        """It is to be written only at rest: a resync would take part in every figure."""
        return unrest(self.node, self.kernel)

    def abilities(self) -> table.Drive:
        """Discard where every member has it, zeros otherwise."""
        folder = self.kernel.block(self.node)
        state = {"resync"} if (now := busy(self.node, self.kernel)) else set()
        state |= {"failed array"} if text(folder / "md/array_state") in ("inactive", "clear") else set()
        state |= {"read-only"} if self.kernel.read_only(self.node) else set()
        return table.Drive(
            interface="md",
            node=self.identity.path,
            can=frozenset({"discard"} if text(folder / "queue/discard_max_bytes") not in ("", "0") else set()),
            state=frozenset(state),
            template=self.template,
            asked=self.asked,
            words=now,
        )

    def cache(self) -> str:
        """What all members tell alike; empty where one has none, tells nothing, or tells another thing."""
        told = {member.cache() if isinstance(member, drives.DriveDevice) else "" for member in self.members}
        return told.pop() if len(told) == 1 else ""

    def write_cache(self, setting: str) -> None:
        """Of every member; an array has no cache of its own."""
        for member in self.members:
            if isinstance(member, drives.DriveDevice):
                member.write_cache(setting)

    def health(self) -> dict[str, Any]:
        """How many members are missing, what it does to itself, what the kernel counted, and its members' health."""
        degraded = tools.number(text(self.kernel.block(self.node) / "md/degraded"))
        return super().health() | {"degraded": degraded, "resync": busy(self.node, self.kernel)}
