"""Find why figures of a file or a volume are not those of the drive below it; every page prints these warnings."""

from collections.abc import Iterator

from stend.base.sysfs import Kernel, text
from stend.gate.mounts import Mount

MEMORY = ("tmpfs", "ramfs")
COPYING = ("btrfs", "zfs", "bcachefs", "nilfs2", "f2fs")
"""File systems that write each block to a new place."""
REMOTE = (
    *("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "lustre", "gpfs", "afs", "glusterfs", "beegfs"),
    *("ocfs2", "gfs2"),
)


def of_mount(mount: Mount) -> Iterator[str]:
    """Yield how the file system of a file changes its requests."""
    if mount.kind in MEMORY:
        yield f"not a drive: the file lies in memory ({mount.kind})"
    if mount.kind in COPYING:
        yield f"not the drive alone: {mount.kind} writes every block to a new place"
    if mount.kind in REMOTE:
        yield f"not the drive alone: {mount.kind} goes over a network or to another system"
    if mount.kind.startswith("fuse") or mount.kind == "overlay":
        yield f"not the drive alone: {mount.kind} stands between the file and its drive"
    if any(option.startswith("compress") and not option.endswith("=none") for option in mount.options.split(",")):
        yield f"not the drive alone: {mount.kind} compresses what is written"


def of_node(node: str, kernel: Kernel) -> Iterator[str]:
    """Yield how a block device, or one below it, changes its requests."""
    if text(kernel.block(node) / "loop/dio") == "0":
        yield "not the drive alone: a loop device goes through the page cache"
    if text(kernel.block(node) / "dm/uuid").startswith("CRYPT-"):
        yield "not the drive alone: the host encrypts what is written"
    for lower in [kernel.parent(node)] if kernel.parent(node) else kernel.slaves(node):
        yield from of_node(lower, kernel)
