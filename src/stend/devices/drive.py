"""Common parts of kinds with their own tools: found by their node, purged by the table, with health and write cache."""

import os
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any

import msgspec

from stend.base.errors import BadInput, StepFailed
from stend.base.sysfs import HOST, Kernel, text
from stend.devices import block
from stend.devices.purging import purge as purger
from stend.devices.purging.prepare_table import Layout
from stend.devices.purging.table import Drive
from stend.devices.telling import facts
from stend.model.definition import Identity
from stend.words import Sentence


def whole_node(target: str, kernel: Kernel) -> str:
    """Return the kernel's name of the whole drive that a target leads to, empty for partitions and anything else."""
    node = kernel.node_at(target)
    return "" if kernel.parent(node) else node


def known(target: str, node: str, kind: str, looked: facts.Looked, kernel: Kernel = HOST) -> Identity:
    """Return the identity of the drive from the kernel with the gathered facts. Raise BadInput if it has no size."""
    path = os.path.realpath(target)
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is in it, or no namespace is attached")
    identity = msgspec.structs.replace(block.identify(target, node, path, kernel), kind=kind, facts=looked.all)
    if identity.native_bytes:
        looked.doubts.append(Sentence("provisioned", size=identity.capacity_bytes, native=identity.native_bytes))
    return msgspec.structs.replace(identity, facts=looked.all)


def setting(switch: Path | None) -> str:
    """Return the value of a switch of the kernel, or an empty string without one."""
    return text(switch) if switch else ""


class DriveDevice(block.BlockDevice):
    """A drive that the purge table knows."""

    method, template = "", ""
    """The purge method and the maker's command that the operator wants instead of the table's choice."""

    limit = 0.0
    """Seconds a purge may take, or 0 for a limit by the drive's size."""

    report: Callable[[str], None] = staticmethod(lambda words: None)
    """Receives the progress of a purge, one line at a time."""

    @property
    def node(self) -> str:
        """Return the kernel's name of the drive, or an empty string if it no longer exists."""
        return whole_node(self.identity.path, self.kernel)

    def abilities(self) -> Drive:
        """Read the capabilities and the state of the drive now."""
        raise NotImplementedError

    def layout(self) -> Layout:
        """Return the current layout and what of it can be changed. This one allows no changes."""
        return Layout(lba_bytes=self.identity.logical_bytes, capacity_bytes=self.identity.capacity_bytes)

    def find_again(self, path: str) -> "DriveDevice":
        """Return the same drive as it is now, at the path where it reappeared."""
        raise NotImplementedError

    def purge(self) -> Sentence:
        """Purge by the table. Raise Refused if that refuses, StepFailed with the drive's words if the purge fails."""
        drive = self.abilities()
        return purger.purge(drive, self.door.opened, report=self.report, limit=self.limit)

    power_off = ""
    """Value of `power_switch` that keeps the drive awake."""

    def power_switch(self) -> Path | None:
        """Return the kernel's switch for power saving of the drive or its link, or None if it has none."""
        return None

    def power_saving(self) -> str:
        """Return the value of `power_switch`, or an empty string if the drive has none."""
        return setting(self.power_switch())

    def set_power_saving(self, setting: str) -> None:
        """Set `power_switch` and read it back. Raise StepFailed if it is not as set. The gate is as for `set_cache`."""
        self.door.opened.check()
        try:
            if path := self.power_switch():
                path.write_text(setting)
        except OSError as error:
            why = error.strerror or str(error)
            raise StepFailed(f"{self.identity.target}: its power saving cannot be {setting}: {why}") from error
        self._check_set("power saving", self.power_saving(), setting)

    def cache(self) -> str:
        """Return `enabled`, `disabled`, or an empty string if the drive has no write cache or does not report it."""
        return ""

    def set_cache(self, setting: str) -> None:
        """Turn the volatile write cache on or off and read it back. Raise StepFailed if it is not as set.

        A gate opened for reading is enough, because no data changes and the check proves that it is the right drive.
        """
        self.door.opened.check()
        self.write_cache(setting)
        self._check_set("write cache", self.cache(), setting)

    def _check_set(self, what: str, now: str, setting: str) -> None:
        if now != setting:
            now = now or "not reported"
            raise StepFailed(f"{self.identity.target}: its {what} was to be {setting} and is {now}")

    def as_input(self, interface: str, bits: Set[str], state: Set[str], words: str = "", **more: Any) -> Drive:
        """Return the drive as the input of the purge table. `more` are its other fields."""
        return Drive(
            interface=interface,
            node=self.identity.path,
            can=frozenset(bits),
            state=frozenset(state | ({"read-only"} if self.kernel.read_only(self.node) else set())),
            template=self.template,
            method=self.method,
            words=words,
            **more,
        )

    def write_cache(self, setting: str) -> None:
        """Set the write cache in the way of this kind."""
        raise NotImplementedError
