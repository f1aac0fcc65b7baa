"""What drives with tools of their own have in common: found by their node, purged by the table, asked after health."""

import os
from collections.abc import Callable

import msgspec

from stend.base.errors import BadInput, StepFailed
from stend.base.sysfs import HOST, Kernel
from stend.devices import block
from stend.devices.purging import purge as purger
from stend.devices.purging.prepare_table import Layout
from stend.devices.purging.table import Drive
from stend.devices.telling import facts
from stend.model.definition import Identity


def whole_node(target: str, kernel: Kernel = HOST) -> str:
    """The kernel's name of the whole drive a target leads to; empty for partitions and anything else."""
    node = kernel.node_at(target)
    return "" if kernel.parent(node) else node


def known(target: str, node: str, kind: str, looked: facts.Looked, kernel: Kernel = HOST) -> Identity:
    """Who the drive is by the kernel, with the facts that were gathered."""
    path = os.path.realpath(target)
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is in it, or no namespace is attached")
    identity = msgspec.structs.replace(block.identify(target, node, path, kernel), kind=kind, facts=looked.all)
    if identity.native_bytes:
        looked.doubts.append(f"the drive is over-provisioned: {facts.shown(identity)}")
    return msgspec.structs.replace(identity, facts=looked.all)


class DriveDevice(block.BlockDevice):
    """A drive that the purge table knows."""

    asked, template = "", ""
    """The purge method and the maker's command the operator wants instead of the table's own choice."""

    limit = 0.0
    """Seconds a purge may take; 0 for what its size suggests."""

    tell: Callable[[str], None] = staticmethod(lambda words: None)

    @property
    def node(self) -> str:
        """The kernel's name of the drive; empty when it is gone."""
        return whole_node(self.identity.path, self.kernel)

    def abilities(self) -> Drive:
        """What the drive can and what state it is in, asked anew."""
        raise NotImplementedError

    def layout(self) -> Layout:
        """How it is laid out and what of that can be changed, asked anew; here nothing can."""
        return Layout(lba_bytes=self.identity.logical_bytes, capacity_bytes=self.identity.capacity_bytes)

    def anew(self, path: str) -> "DriveDevice":
        """The same drive as it is now, at the path where it was found again."""
        raise NotImplementedError

    def purge(self) -> str:
        """By the table; Refused when that says no, StepFailed with the drive's words when it does not work."""
        drive = self.abilities()
        return purger.purge(drive, self.door.opened, tell=self.tell, limit=self.limit)

    def cache(self) -> str:
        """`enabled`, `disabled`, or empty where the drive has none or does not tell."""
        return ""

    def set_cache(self, setting: str) -> None:
        """Turn the volatile write cache on or off and read it back; StepFailed when it is not so then.

        It changes no data, so that a gate passed for reading is enough: it is surely the drive that was meant.
        """
        self.door.opened.check()
        self.write_cache(setting)
        if (now := self.cache()) != setting:
            raise StepFailed(f"{self.identity.target}: its write cache was to be {setting} and is {now or 'not told'}")

    def write_cache(self, setting: str) -> None:
        """The kind's own way to set it."""
        raise NotImplementedError
