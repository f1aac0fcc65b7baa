"""Identify this machine and its present boot by numbers that do not change."""

import platform
from pathlib import Path

import msgspec

from stend.base.sysfs import text
from stend.host import SYS

UNSET = ("", "00000000-0000-0000-0000-000000000000", "Not Settable")


class Host(msgspec.Struct, frozen=True):
    """A machine by the numbers of its board and its system (a live system has a new one each boot), and a boot."""

    name: str = ""
    board: str = ""
    machine: str = ""
    boot: str = ""

    def same_machine(self, other: "Host") -> bool:
        """Return True if one of the lasting numbers is equal. Compare names if the two share no number."""
        pairs = [(self.board, other.board), (self.machine, other.machine)]
        equal = [this == that for this, that in pairs if this and that]
        return any(equal) if equal else self.name == other.name


def here() -> Host:
    """Return this machine as it is now."""
    return Host(
        name=platform.node(),
        board=_number(SYS / "class/dmi/id/product_uuid"),
        machine=_number(Path("/etc/machine-id")),
        boot=_number(Path("/proc/sys/kernel/random/boot_id")),
    )


def _number(path: Path) -> str:
    number = text(path)
    return "" if number in UNSET else number
