"""Kinds of drive: one file each, found by its `claims`; and the gate every writing path goes through."""

import importlib
import pkgutil
from typing import Any, Protocol

from stend.definition import Identity
from stend.errors import BadInput


class Device(Protocol):
    """A drive that was found; `opened` for a run by its gate."""

    identity: Identity

    @property
    def io_path(self) -> str:
        """Where the load opens it: leads to the very descriptor that the gate holds."""

    def open(self, *, writes: bool, destroy: str | None, keep_off: tuple[str, ...] = ()) -> None:
        """Take the drive for this process. Refused unless reading is all that is wanted or `destroy` names it rightly.

        `destroy` is the serial (or by-id name) the operator gave; `keep_off` are paths whose disk must not be written.
        """

    def check(self) -> None:
        """Look again that this is still the same drive and still ours; Refused or StepFailed otherwise."""

    def purge(self) -> str:
        """Make the drive as if never written; tells the method in one phrase. StepFailed when it did not work."""

    def health(self) -> dict[str, Any]:
        """What the drive tells of itself now: temperature_c, host_write_bytes, nand_write_bytes, ...; {} if nothing."""

    def close(self) -> None:
        """Let go."""


GENERAL = ("block", "file")
"""Kinds that take what no other kind claims."""


def kinds() -> list[str]:
    """Names of the kinds, in the order they are asked."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    return [n for n in names if n not in GENERAL] + [n for n in names if n in GENERAL]


def find(target: str) -> Device:
    """The drive that `target` names (a node, a by-id link, a file, `sim:NAME`); BadInput with the reason otherwise."""
    for name in kinds():
        kind = importlib.import_module(f"{__name__}.{name}")
        if hasattr(kind, "claims") and kind.claims(target):
            device: Device = kind.find(target)
            return device
    raise BadInput(f"{target} is not a drive: no such file or device node; `stend devices` lists what can be tested")


def native_bytes(target: str) -> int:
    """What a drive has, hidden or not, as its own kind's programs tell; 0 where nobody tells."""
    for name in kinds():
        kind = importlib.import_module(f"{__name__}.{name}")
        if hasattr(kind, "claims") and kind.claims(target):
            return int(kind.native(target)) if hasattr(kind, "native") else 0
    return 0


def reason(drive: Identity) -> str:
    """Why a drive cannot be tested now, in words that follow its name; empty if it can."""
    from stend.devices import block

    return "" if drive.virtual else block.reason(drive.path)


def name(drive: Identity) -> str:
    """What the operator writes after --destroy-data to be believed; empty for a virtual drive."""
    from stend.devices import gate

    return "" if drive.virtual else gate.names_of(drive)[0]


def listing() -> list[tuple[Identity, str]]:
    """Every block device of this host, and why it cannot be tested; an empty reason says that it can."""
    from stend.devices import block

    return block.listing()
