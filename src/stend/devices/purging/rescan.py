"""A drive whose size or blocks were changed: the kernel told to look again, and the drive found where it is then."""

from pathlib import Path

from stend.base.errors import StepFailed
from stend.base.sysfs import Kernel
from stend.model.definition import Identity


def by_kernel(kernel: Kernel, node: str, interface: str) -> None:
    """Tell the sd driver to ask a SCSI disk anew; a SATA disk is taken away and found again, as after a replug.

    libata asks a disk for its size when it finds it, and would undo a host-protected area that it meets later.
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
        why = f"the kernel was not told that it changed ({switch}: {error.strerror})"
        raise StepFailed(f"it was prepared, but {why}; take power from it once, or restart the host") from error


def again(kernel: Kernel, identity: Identity, node: str) -> str:
    """The path of the drive now: by its WWN, else by its serial where one drive alone tells it; empty if nowhere.

    A namespace that was made anew has another WWN than the one before it.
    """
    whole = [n for n in kernel.nodes() if not kernel.parent(n) and kernel.size_bytes(n)]
    for key, told in (("wwn", identity.wwn), ("serial", identity.serial)):
        found = [n for n in whole if told and kernel.names(n)[key] == told]
        if node in found or len(found) == 1:
            return identity.path if node in found else str(kernel.dev / found[0])
    return identity.path if node in whole and not identity.wwn and not identity.serial else ""
