"""The desk: which kind a drive is (one file a kind, found by its `claims`), and which drives it lies on.

A kind knows its own node. One that lies on others tells their nodes (`below`); the desk finds these and hands them in.
"""

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any, Protocol

from stend import gate
from stend.base.errors import BadInput
from stend.base.sysfs import HOST, Kernel
from stend.gate import Uses, names_of, refusal
from stend.model.definition import Identity


class Device(Protocol):
    """A drive that was found; its door is shut."""

    @property
    def identity(self) -> Identity:
        """Which drive it is."""

    @property
    def door(self) -> gate.Door:
        """Where it is opened for a run, looked at again and let go, by whoever was handed it."""

    def purge(self) -> str:
        """Make the drive as if never written; tells the method in one phrase. StepFailed when it did not work."""

    def health(self) -> dict[str, Any]:
        """What the drive tells of itself now: temperature_c, host_write_bytes, nand_write_bytes, ...; {} if nothing."""


GENERAL = ("block", "file")
"""Kinds that take what no other kind claims."""


@cache
def kinds() -> tuple[ModuleType, ...]:
    """The kinds, in the order they are asked."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg and not m.name.startswith("_"))
    ordered = [n for n in names if n not in GENERAL] + [n for n in names if n in GENERAL]
    found = (importlib.import_module(f"{__name__}.{name}") for name in ordered)
    return tuple(kind for kind in found if hasattr(kind, "claims"))


def _kind(target: str, kernel: Kernel) -> ModuleType:
    for kind in kinds():
        if kind.claims(target, kernel):
            return kind
    raise BadInput(f"{target} is not a drive: no such file or device node; `stend devices` lists what can be tested")


def find(target: str, kernel: Kernel = HOST) -> Device:
    """The drive that `target` names (a node, a by-id link, a file, `sim:NAME`); BadInput with the reason otherwise."""
    _readable(target)
    kind = _kind(target, kernel)
    handed = [_below(kind.below(target, kernel), kernel)] if hasattr(kind, "below") else []
    device: Device = kind.find(target, kernel, *handed)
    return device


def _below(nodes: Iterable[str], kernel: Kernel) -> list[Device]:
    """The drives of these names; those without a node are left out."""
    return [find(str(kernel.dev / node), kernel) for node in nodes if os.path.exists(kernel.dev / node)]


def create(target: str, size_bytes: int) -> Device:
    """A new file of this size, ours to write, as a drive. BadInput when there is one already, or no room."""
    from stend.devices import file

    _readable(target)
    fd = file.create(target, size_bytes)
    device = find(target)
    if isinstance(device, file.FileDevice):
        device.door.made(fd)
    return device


def _readable(target: str) -> None:
    """BadInput where a record could not tell its path: bytes that are no text, or that the locale takes for none."""
    try:
        os.path.realpath(target).encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"the path of {target} is no text here; set LC_ALL=C.UTF-8, or rename it") from error
    except (OSError, ValueError):
        return  # told by the kind


def wishes(device: Device, method: str, vendor: str, limit_s: float, hear: Callable[[str], None]) -> None:
    """What is wished of a purge, handed to the drive: method, maker's command, limit of time; `hear` is told how far
    it is. BadInput where a drive has no choice.
    """
    from stend.devices.drive import DriveDevice

    if isinstance(device, DriveDevice):
        device.asked, device.template, device.limit, device.tell = method, vendor, limit_s, hear
    elif method or vendor:
        raise BadInput(f"{device.identity.target} has one way to be purged; leave --method and --command out")


def native_bytes(target: str) -> int:
    """What a drive has, hidden or not, as its own kind's programs tell; 0 where nobody tells."""
    kind = _kind(target, HOST)
    return int(kind.native(target)) if hasattr(kind, "native") else 0


def reason(drive: Identity, kernel: Kernel = HOST, uses: Uses | None = None) -> str:
    """Why a drive cannot be tested now, in words that follow its name; empty if it can.

    It must not be written, or is busy with itself, as an array is.
    """
    if drive.virtual:
        return ""
    if refused := refusal(drive.path, kernel=kernel, uses=uses):
        return refused
    kind = _kind(drive.path, kernel)
    return str(kind.unrest(kernel.node_at(drive.path), kernel)) if hasattr(kind, "unrest") else ""


def name(drive: Identity) -> str:
    """What the operator writes after --destroy-data to be believed; empty for a virtual drive."""
    return "" if drive.virtual else names_of(drive)[0]


def loss(drive: Identity) -> str:
    """What would be lost, in words that follow a drive's name: what it holds, size, when it was last used."""
    return "" if drive.virtual else gate.loss(drive.path)


def listing(kernel: Kernel = HOST) -> list[tuple[Identity, str]]:
    """Every whole block device with a size, and why it cannot be tested; an empty reason says that it can."""
    from stend.devices import block

    uses, found = Uses(kernel), []
    for node in kernel.nodes():
        path = str(kernel.dev / node)
        if kernel.parent(node) or not kernel.size_bytes(node) or not os.path.exists(path):
            continue
        drive = block.identify(path, node, path, kernel)
        found.append((drive, reason(drive, kernel, uses)))
    return found
