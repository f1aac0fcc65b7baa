"""Find why figures of a file or a volume are not those of the drive below it; every page prints these warnings."""

from collections.abc import Iterator

from stend.base.sysfs import Kernel, text
from stend.gate.mounts import Mount
from stend.words import Sentence

MEMORY = ("tmpfs", "ramfs")
COPYING = ("btrfs", "zfs", "bcachefs", "nilfs2", "f2fs")
"""File systems that write each block to a new place."""
REMOTE = (
    *("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "lustre", "gpfs", "afs", "glusterfs", "beegfs"),
    *("ocfs2", "gfs2"),
)


def of_mount(mount: Mount) -> Iterator[Sentence]:
    """Yield how the file system of a file changes its requests."""
    if mount.kind in MEMORY:
        yield Sentence("in_memory", kind=mount.kind)
    if mount.kind in COPYING:
        yield Sentence("copying", kind=mount.kind)
    if mount.kind in REMOTE:
        yield Sentence("remote", kind=mount.kind)
    if mount.kind.startswith("fuse") or mount.kind == "overlay":
        yield Sentence("between", kind=mount.kind)
    if any(option.startswith("compress") and not option.endswith("=none") for option in mount.options.split(",")):
        yield Sentence("compresses", kind=mount.kind)


def of_node(node: str, kernel: Kernel) -> Iterator[Sentence]:
    """Yield how a block device, or one below it, changes its requests."""
    if text(kernel.block(node) / "loop/dio") == "0":
        yield Sentence("page_cache")
    if text(kernel.block(node) / "dm/uuid").startswith("CRYPT-"):
        yield Sentence("encrypts")
    for lower in [kernel.parent(node)] if kernel.parent(node) else kernel.slaves(node):
        yield from of_node(lower, kernel)
