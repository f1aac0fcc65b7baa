"""The null target: `null`, or `null:64GiB`. It answers every IO at once and measures the limit of the host."""

from typing import Any

from stend import gate
from stend.base import limits
from stend.base.sysfs import HOST, Kernel
from stend.base.units import GiB, parse_bytes
from stend.model.definition import Identity
from stend.words import Sentence

NAME = "null"
USUAL_BYTES = 1024 * GiB


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True if the target is `null` or begins with `null:`."""
    return target == NAME or target.startswith(f"{NAME}:")


def find(target: str, kernel: Kernel = HOST) -> "NullDevice":
    """Return the null target of the size after the colon, or 1 TiB. Raise BadInput if that is not a size."""
    size = target.partition(":")[2]
    return NullDevice(target, parse_bytes(size) if size else USUAL_BYTES)


class NullDevice:
    """A target that stores nothing and needs no protection."""

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
            facts={"trim_max_bytes": limits.MOST_BLOCK},
        )
        self.door = gate.Door(target, serial=self.identity.serial)

    def purge(self) -> Sentence:
        """Check the door and do nothing, because no data is stored."""
        self.door.check()
        return Sentence("purge_nothing")

    def health(self) -> dict[str, Any]:
        """Return {}, because nothing is measured."""
        return {}
