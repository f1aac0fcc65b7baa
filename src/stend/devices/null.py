"""No drive at all: `null`, or `null:64GiB`. What is sent there is answered at once: what the host alone can do."""

from typing import Any

from stend import gate
from stend.base.sysfs import HOST, Kernel
from stend.base.units import GiB, parse_bytes
from stend.model.definition import Identity

NAME = "null"
USUAL_BYTES = 1024 * GiB


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Whether the target is written as no drive."""
    return target == NAME or target.startswith(f"{NAME}:")


def find(target: str, kernel: Kernel = HOST) -> "NullDevice":
    """No drive, of the size that is told after the colon; BadInput where that is none."""
    told = target.partition(":")[2]
    return NullDevice(target, parse_bytes(told) if told else USUAL_BYTES)


class NullDevice:
    """Nothing that needs guarding."""

    def __init__(self, target: str, capacity_bytes: int) -> None:
        self.identity = Identity(
            kind="null",
            target=target,
            path=target,
            capacity_bytes=capacity_bytes,
            model="no drive",
            serial="NULL",
            interface="null",
            virtual=True,
        )
        self.door = gate.Door(target)

    def purge(self) -> str:
        """Nothing is there already."""
        self.door.check()
        return "nothing to purge"

    def health(self) -> dict[str, Any]:
        """Nothing is told."""
        return {}
