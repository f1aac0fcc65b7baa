"""Linux software arrays (md): geometry, members with the facts of each, and whether the array is at rest."""

from typing import Any

import msgspec

from stend.devices import _drive as drives
from stend.devices import _purge_table as table
from stend.devices import block, gate
from stend.devices._kernel import HOST, Kernel, text
from stend.errors import Refused

BUSY = ("resync", "recover", "check", "repair", "reshape")
KEPT = ("kind", "path", "model", "serial", "wwn", "firmware", "interface", "capacity_bytes", "logical_bytes")


def claims(target: str) -> bool:
    """A whole md array."""
    node = drives.whole_node(target)
    return node.startswith("md") and bool(node) and (HOST.block(node) / "md").exists()


def find(target: str, kernel: Kernel = HOST) -> "MdDevice":
    """The array with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "md", looked, kernel)
    level = str(looked.facts.get("level", "md"))
    identity = msgspec.structs.replace(
        identity, model=f"{level} of {looked.facts.get('raid_disks', '?')}", interface="md"
    )
    return MdDevice(identity, gate.marks(identity.path, kernel), kernel)


def look(node: str, kernel: Kernel = HOST) -> drives.Looked:
    """Facts of an array: what sysfs tells, and the identity of every member."""
    looked, folder = drives.Looked(), kernel.block(node) / "md"
    drives.common(looked, node, kernel)
    for name in ("level", "raid_disks", "layout", "array_state", "sync_action", "metadata_version", "uuid"):
        looked.add(**{name: text(folder / name)})
    looked.add(chunk_bytes=int(text(folder / "chunk_size") or 0), degraded=int(text(folder / "degraded") or 0))
    looked.add(members=[_member(name, kernel) for name in kernel.slaves(node)])
    if looked.facts.get("degraded"):
        looked.doubts.append(f"the array is degraded: {looked.facts['degraded']} of its members are missing")
    return looked


def _member(node: str, kernel: Kernel) -> dict[str, Any]:
    """Who a member is, by the kernel."""
    path = f"/dev/{node}"
    told = block.identify(path, node, path, kernel)
    return {name: getattr(told, name) for name in KEPT}


def busy(node: str, kernel: Kernel = HOST) -> str:
    """What an array does to itself now, with how far it is; empty when it is at rest."""
    action = text(kernel.block(node) / "md/sync_action")
    if action not in BUSY:
        return ""
    return f"{action}, {text(kernel.block(node) / 'md/sync_completed') or 'just begun'} sectors"


class MdDevice(drives.DriveDevice):
    """An md array."""

    def open(self, *, writes: bool, destroy: str | None, keep_off: tuple[str, ...] = ()) -> None:
        """Through the gate, and only when the array is at rest: a resync would take part in every figure."""
        if now := busy(self.node, self.kernel):
            raise Refused(f"{self.identity.target} is being synchronised or checked ({now}); wait until it is done")
        super().open(writes=writes, destroy=destroy, keep_off=keep_off)

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

    def health(self) -> dict[str, Any]:
        """How many members are missing, what it does to itself, and what the kernel counted."""
        degraded = int(text(self.kernel.block(self.node) / "md/degraded") or 0)
        return super().health() | {"degraded": degraded, "resync": busy(self.node, self.kernel)}
