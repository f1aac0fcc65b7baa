"""Which machine this is, and which of its boots: names that last, for those who must know it again."""

import platform
from pathlib import Path

import msgspec

from stend.host import SYS
from stend.host.files import read

NOBODY = ("", "00000000-0000-0000-0000-000000000000", "Not Settable")


class Host(msgspec.Struct, frozen=True):
    """A machine by its board's and its system's own numbers (a live system has a new one each boot), and a boot."""

    name: str = ""
    board: str = ""
    machine: str = ""
    boot: str = ""

    def same_machine(self, other: "Host") -> bool:
        """Whether one of the lasting numbers says so; the name has the word where neither is told by both."""
        pairs = [(self.board, other.board), (self.machine, other.machine)]
        told = [mine == theirs for mine, theirs in pairs if mine and theirs]
        return any(told) if told else self.name == other.name


def here() -> Host:
    """This machine now."""
    return Host(
        name=platform.node(),
        board=_number(SYS / "class/dmi/id/product_uuid"),
        machine=_number(Path("/etc/machine-id")),
        boot=_number(Path("/proc/sys/kernel/random/boot_id")),
    )


def _number(path: Path) -> str:
    told = read(path)
    return "" if told in NOBODY else told
