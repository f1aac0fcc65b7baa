"""Any block node, as far as the kernel tells: loop, zram, dm, and drives without a kind of their own."""

import array
import fcntl
import os
import stat
from pathlib import Path

from stend.definition import Identity
from stend.devices import _kernel as kernel
from stend.devices import gate
from stend.devices.file import FileDevice, verify_zero
from stend.errors import BadInput, Refused, StepFailed
from stend.units import MiB

BLKDISCARD = 0x1277
BLKFLSBUF = 0x1261


def claims(target: str) -> bool:
    """A block node, or a link to one; anything missing below /dev, so that the reason is told here."""
    try:
        return stat.S_ISBLK(os.stat(target).st_mode)
    except OSError:
        return target.startswith("/dev/")


def find(target: str) -> "BlockDevice":
    """The drive; BadInput when it is not there or has no size."""
    path = os.path.realpath(target)
    try:
        there = os.stat(path)
    except OSError as error:
        raise BadInput(f"{target} is not there ({error.strerror}); `stend devices` lists what is") from error
    identity = identify(target, kernel.node_of(there.st_rdev), path)
    if not identity.capacity_bytes:
        raise BadInput(f"{target} has no size: nothing is set up behind it")
    return BlockDevice(identity)


def identify(target: str, node: str, path: str) -> Identity:
    """What sysfs tells of a node."""
    device = kernel.SYS / "class/block" / node
    queue = device / "queue" if (device / "queue").exists() else device.resolve().parent / "queue"
    named = kernel.names(node)
    return Identity(
        kind="block",
        target=target,
        path=path,
        capacity_bytes=kernel.node_bytes(node),
        model=kernel.text(device / "device/model") or kernel.text(device / "dm/name") or node.rstrip("0123456789"),
        serial=named["serial"],
        wwn=named["wwn"],
        firmware=kernel.text(device / "device/firmware_rev") or kernel.text(device / "device/rev"),
        interface=_interface(node, device),
        logical_bytes=int(kernel.text(queue / "logical_block_size") or 512),
        physical_bytes=int(kernel.text(queue / "physical_block_size") or 512),
        rotational=kernel.text(queue / "rotational") == "1" and not node.startswith(("loop", "zram")),
    )


def _interface(node: str, device: Path) -> str:
    """`nvme`, `sata`, `sas`, `usb`, or the driver's name."""
    if node.startswith("nvme"):
        return "nvme"
    way = str(device.resolve())
    for mark, name in (("/ata", "sata"), ("/usb", "usb"), ("/end_device-", "sas")):
        if mark in way:
            return name
    return node.rstrip("0123456789-")


def listing() -> list[tuple[Identity, str]]:
    """Every whole block device with a size, and why it cannot be tested, or nothing."""
    found = []
    for entry in sorted((kernel.SYS / "class/block").glob("*")):
        path = f"/dev/{entry.name}"
        if kernel.is_partition(entry.name) or not kernel.node_bytes(entry.name) or not os.path.exists(path):
            continue
        identity = identify(path, entry.name, path)
        found.append((identity, gate.in_use(path) or gate.on_forbidden_disk(path, ())))
    return found


class BlockDevice(FileDevice):
    """A block node as a drive."""

    def purge(self) -> str:
        """Discard every block and see that zeros are read; zeros written where discard is not to be had."""
        opened = self._opened()
        if not opened.writes:
            raise Refused(f"{self.identity.target} was opened for reading only")
        opened.check()
        method = "all blocks discarded (not a drive's own purge)"
        try:
            fcntl.ioctl(opened.fd, BLKDISCARD, array.array("Q", [0, self.identity.capacity_bytes]))
            fcntl.ioctl(opened.fd, BLKFLSBUF)
            verify_zero(opened.fd, self.identity)
        except (OSError, StepFailed):
            method = "zeros written over all blocks (not a drive's own purge)"
            self._write_zeros(opened.fd)
            fcntl.ioctl(opened.fd, BLKFLSBUF)
            verify_zero(opened.fd, self.identity)
        return f"{method}, read back as zeros"

    def _write_zeros(self, fd: int) -> None:
        zeros = bytes(MiB)
        for offset in range(0, self.identity.capacity_bytes, MiB):
            try:
                os.pwrite(fd, zeros[: self.identity.capacity_bytes - offset], offset)
            except OSError as error:
                raise StepFailed(
                    f"{self.identity.target} cannot be purged: {error.strerror} at byte {offset}"
                ) from error
        os.fsync(fd)
