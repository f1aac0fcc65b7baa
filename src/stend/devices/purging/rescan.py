"""Make the kernel read a changed drive again, and find the path at which the drive reappears."""

from pathlib import Path

from stend.base.errors import StepFailed
from stend.base.sysfs import Kernel
from stend.model.definition import Identity


def by_kernel(kernel: Kernel, node: str, interface: str) -> None:
    """Make the sd driver rescan a SCSI disk. Remove a SATA disk and scan for it, as if it was replugged.

    libata reads the size when it detects a disk, and would undo a host-protected area on a later rescan.
    """
    folder = kernel.block(node) / "device"
    host = next((part for part in folder.resolve().parts if part[:4] == "host" and part[4:].isdigit()), "")
    if interface == "scsi":
        _write(folder / "rescan", "1")
    elif interface == "sata":
        _write(folder / "delete", "1")
        _write(kernel.sys / "class/scsi_host" / host / "scan", "- - -")


def _write(switch: Path, text: str) -> None:
    try:
        switch.write_text(text)
    except OSError as error:
        why = f"the kernel could not be made to read it again ({switch}: {error.strerror})"
        raise StepFailed(f"it was prepared, but {why}; power it off and on once, or restart the host") from error


def current_path(kernel: Kernel, identity: Identity, node: str) -> str:
    """Return the drive's current path, by its WWN, else by its serial if only one drive has it, or "" if not found.

    A recreated namespace has another WWN than before.
    """
    whole = [n for n in kernel.nodes() if not kernel.parent(n) and kernel.size_bytes(n)]
    for key, name in (("wwn", identity.wwn), ("serial", identity.serial)):
        nodes = [n for n in whole if name and kernel.names(n)[key] == name]
        if node in nodes or len(nodes) == 1:
            return identity.path if node in nodes else str(kernel.dev / nodes[0])
    return identity.path if node in whole and not identity.wwn and not identity.serial else ""
