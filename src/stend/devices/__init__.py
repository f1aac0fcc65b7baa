"""Find drives: the kind of a drive (one module per kind, chosen by its `claims`) and the drives below it.

A kind knows its own node. The module of a kind that is stored on other drives returns their nodes (`below`). `find`
finds those drives and passes them to the kind's `find`.
"""

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

from stend import gate
from stend.base.errors import BadInput, Refused
from stend.base.sysfs import HOST, Kernel
from stend.devices.telling.evidence import Piece
from stend.gate import Uses, names_of, refusal
from stend.model.definition import Identity
from stend.words import Sentence


class Device(Protocol):
    """A drive. Its door is closed until the run opens it."""

    @property
    def identity(self) -> Identity:
        """Return the identity of the drive."""

    @property
    def door(self) -> gate.Door:
        """Return the door by which the drive is opened for a run, checked again and released."""

    def purge(self) -> Sentence:
        """Purge the drive as if it was never written. Return the method in one phrase, raise StepFailed on failure."""

    def health(self) -> dict[str, Any]:
        """Return the health now: temperature_c, host_write_bytes, nand_write_bytes, ..., or {} if nothing is known."""


@runtime_checkable
class Witness(Protocol):
    """A drive with logs of its own or of the kernel."""

    def evidence(self, since_s: float) -> Iterator[Piece]:
        """Yield the logs as files. A log that cannot be read has the reason instead of its data."""


GENERAL = ("block", "file")
"""Kinds for targets that no other kind claims."""


@cache
def kinds() -> tuple[ModuleType, ...]:
    """Return the modules of all kinds, in the order in which `claims` is called."""
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.ispkg and not m.name.startswith("_"))
    ordered = [n for n in names if n not in GENERAL] + [n for n in names if n in GENERAL]
    modules = (importlib.import_module(f"{__name__}.{name}") for name in ordered)
    return tuple(module for module in modules if hasattr(module, "claims"))


def _kind(target: str, kernel: Kernel) -> ModuleType:
    for kind in kinds():
        if kind.claims(target, kernel):
            return kind
    raise BadInput(f"{target} is not a drive: no such file or device node; `stend devices` lists what can be tested")


def find(target: str, kernel: Kernel = HOST) -> Device:
    """Return the drive that `target` names (a node, a by-id link, a file, `sim:NAME`). Raise BadInput if none does."""
    _readable(target)
    kind = _kind(target, kernel)
    members = [_below(kind.below(target, kernel), kernel)] if hasattr(kind, "below") else []
    device: Device = kind.find(target, kernel, *members)
    return device


def _below(nodes: Iterable[str], kernel: Kernel) -> list[Device]:
    """Return the drives of these nodes. Skip those without a node in /dev."""
    return [find(str(kernel.dev / node), kernel) for node in nodes if os.path.exists(kernel.dev / node)]


def create(target: str, size_bytes: int) -> Device:
    """Create a file of this size and return it as a drive.

    Raise BadInput if it exists already or does not fit, and for a virtual drive or `null`, which are not files.
    """
    from stend.devices import file, null, virtual

    _readable(target)
    if virtual.claims(target) or null.claims(target):
        raise BadInput(
            f"--create makes a file, and {target} is not one; leave --create out, or name a file by --target"
        )
    fd = file.create(target, size_bytes)
    device = find(target)
    if isinstance(device, file.FileDevice):
        device.door.made(fd)
    return device


def _readable(target: str) -> None:
    """Raise BadInput for no path, and if a record could not store it, because it is not valid text in this locale.

    Raise Refused for a link that this user may not follow.
    """
    if not target.strip():
        raise BadInput(
            "the target is empty; name a drive that `stend devices` lists, or a virtual one such as sim:small"
        )
    try:
        os.path.realpath(target).encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"the path of {target} is not valid text here; set LC_ALL=C.UTF-8, or rename it") from error
    except OSError as error:
        raise Refused(
            f"{target} cannot be resolved: {error.strerror}; name the drive or file by its own path"
        ) from error
    except ValueError:
        return  # the kind reports it


def evidence(device: Device, since_s: float) -> Iterator[Piece]:
    """Yield what a drive and the kernel tell about a failure since a moment of the monotonic clock.

    A drive in memory, and a drive that is one of stend's own, has none.
    """
    if isinstance(device, Witness):
        yield from device.evidence(since_s)


def moved(target: str, serial: str, wwn: str = "") -> Iterator[str]:
    """Yield the path where a drive was, then the paths of all others with its serial or its WWN."""
    yield target
    for drive, _ in listing():
        if drive.target != target and (serial == drive.serial != "" or wwn == drive.wwn != ""):
            yield drive.target


def configure_purge(device: Device, method: str, vendor: str, limit_s: float, report: Callable[[str], None]) -> None:
    """Set the purge method, the maker's command and the time limit of a drive's purge. `report` gets its progress.

    Raise BadInput if a method or command is given for a drive that has only one way to be purged.
    """
    from stend.devices.drive import DriveDevice

    if isinstance(device, DriveDevice):
        device.method, device.template, device.limit, device.report = method, vendor, limit_s, report
    elif method or vendor:
        raise BadInput(f"{device.identity.target} has one way to be purged; leave --method and --command out")


def native_bytes(target: str) -> int:
    """Return the capacity of a drive including its hidden part, as its kind's programs report it, or 0 if unknown."""
    kind = _kind(target, HOST)
    return int(kind.native(target)) if hasattr(kind, "native") else 0


def reason(drive: Identity, kernel: Kernel = HOST, uses: Uses | None = None) -> str:
    """Return why a drive cannot be tested now, in words that follow its name, or an empty string if it can.

    The reason is that it must not be written, or that it is busy, as an array that resynchronises is.
    """
    if drive.virtual:
        return ""
    if refused := refusal(drive.path, kernel=kernel, uses=uses):
        return refused
    kind = _kind(drive.path, kernel)
    return str(kind.unrest(kernel.node_at(drive.path), kernel)) if hasattr(kind, "unrest") else ""


def use(drive: Identity, kernel: Kernel = HOST) -> str:
    """Return how a drive is used now, in words that follow its name, or an empty string if it is free."""
    return "" if drive.virtual else gate.present_use(drive.path, kernel)


def passport(device: Device) -> dict[str, Any]:
    """Return what the drive's logs state (`telling.passport`), or {} for a kind without logs."""
    read = getattr(device, "passport", None)
    return dict(read()) if read else {}


def name(drive: Identity) -> str:
    """Return the name to give to --destroy-data, or an empty string for a virtual drive."""
    return "" if drive.virtual else names_of(drive)[0]


def loss(drive: Identity) -> str:
    """Return what would be lost, in words that follow the drive's name: contents, size, time of last use."""
    return "" if drive.virtual else gate.loss(drive.path)


def listing(kernel: Kernel = HOST) -> list[tuple[Identity, str]]:
    """Return every whole block device with a size, and why it cannot be tested. The reason is empty if it can."""
    from stend.devices import block

    uses, drives = Uses(kernel), []
    for node in kernel.nodes():
        path = str(kernel.dev / node)
        if kernel.parent(node) or not kernel.size_bytes(node) or not os.path.exists(path):
            continue
        drive = block.identify(path, node, path, kernel)
        drives.append((drive, reason(drive, kernel, uses)))
    return drives
