"""The gate: the only way to a drive that is to be written. Open it once; look again before each phase.

Nothing here writes. What passes is a file descriptor held for the whole run, and `path`, which leads writers to that
very descriptor, so that no renamed or replaced node can be hit.
"""

import fcntl
import json
import os
import stat
import subprocess
from pathlib import Path

from stend.definition import Identity
from stend.devices import _kernel as kernel
from stend.errors import Refused, StepFailed


class Gate:
    """An opened drive. `fd` is exclusive for writers and read-only for readers."""

    def __init__(self, identity: Identity, fd: int, *, writes: bool) -> None:
        self.identity, self.fd, self.writes = identity, fd, writes
        self.number = _number(os.fstat(fd))

    @property
    def path(self) -> str:
        """Where others open this very drive."""
        return f"/proc/{os.getpid()}/fd/{self.fd}"

    def check(self) -> None:
        """Refused or StepFailed unless this is still the same drive, of the same size, and in nobody else's use."""
        drive = self.identity
        try:
            now = os.stat(drive.path)
        except OSError as error:
            raise StepFailed(f"{drive.target} vanished: {error.strerror}") from error
        if _number(now) != self.number:
            raise Refused(f"{drive.path} leads to another drive now; nothing more is written")
        size = kernel.size_bytes(self.fd)
        if size != drive.capacity_bytes:
            raise StepFailed(f"{drive.target} changed its size from {drive.capacity_bytes} to {size} bytes")
        if stat.S_ISBLK(now.st_mode):
            for field, value in kernel.names(kernel.node_of(now.st_rdev)).items():
                if value != getattr(drive, field):
                    raise Refused(f"{drive.target} has another {field} now: {value!r}, not {getattr(drive, field)!r}")
        if self.writes and (reason := in_use(drive.path)):
            raise Refused(f"{drive.target} {reason}")

    def close(self) -> None:
        """Let go."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def enter(
    identity: Identity, *, writes: bool, destroy: str | None, keep_off: tuple[str, ...] = (), ours: bool = False
) -> Gate:
    """Open the gate for this very node in this very process, or raise Refused with the reason and the way out."""
    if not writes:
        return Gate(identity, _open(identity, os.O_RDONLY), writes=False)
    reason = in_use(identity.path) or on_forbidden_disk(identity.path, keep_off)
    if reason:
        raise Refused(f"{identity.target} {reason}")
    if not ours:
        _named(identity, destroy)
    gate = Gate(identity, _open(identity, os.O_RDWR | _exclusive(identity)), writes=True)
    try:
        gate.check()
    except BaseException:
        gate.close()
        raise
    return gate


def _named(identity: Identity, destroy: str | None) -> None:
    """The operator must have named this drive, and not only its node."""
    names = names_of(identity)
    if destroy is None:
        holds = holdings(identity.path)
        what = f"holds {holds}; all of it" if holds else "may hold data; all of it"
        raise Refused(f"{identity.target} {what} would be destroyed: if you mean that, add --destroy-data {names[0]}")
    if destroy not in names:
        raise Refused(f"--destroy-data {destroy} is not {identity.target}, which is {names[0]}; nothing was written")


def names_of(identity: Identity) -> list[str]:
    """What the operator may call a drive to be believed: its serial, else its by-id names, else its node's name."""
    links = [link.name for link in kernel.links_to(identity.path)]
    if identity.kind == "file":
        return [Path(identity.path).name]
    return [name for name in (identity.serial, *links) if name] or [Path(identity.path).name]


def in_use(path: str) -> str:
    """Why a drive or file must not be written now, in words that follow its name; empty if nothing speaks against."""
    there = os.stat(path)
    if stat.S_ISBLK(there.st_mode):
        node = kernel.node_of(there.st_rdev)
        if kernel.read_only(node):
            return "is read-only; `blockdev --setrw` it first"
        for part in (node, *kernel.partitions(node)):
            if reason := _node_in_use(part):
                return reason if part == node else f"has a partition, {part}, that {reason}"
        return ""
    return _file_in_use(path, there)


def _file_in_use(path: str, there: os.stat_result) -> str:
    if not os.access(path, os.W_OK) or kernel.immutable(path):
        return "cannot be written by us; change its permissions first"
    if there.st_nlink > 1:
        return "has other names (hard links); copy it to a file of its own"
    if any(os.path.samefile(path, swap) for swap in kernel.swaps() if os.path.exists(swap)):
        return "is swap; `swapoff` it first"
    if loop := kernel.loop_of(there):
        return f"is behind {loop}; `losetup -d {loop}` first"
    return ""


def _node_in_use(node: str) -> str:
    number = kernel.number_of(node)
    if place := kernel.mounted(number):
        return f"is mounted at {place}; `umount {place}` first"
    if any(kernel.same_node(swap, number) for swap in kernel.swaps()):
        return f"is swap; `swapoff /dev/{node}` first"
    if holders := kernel.holders(node):
        return f"is held by {', '.join(holders)} (md, dm, LVM or the like); take that down first"
    if loop := kernel.loop_of_node(number):
        return f"is behind {loop}; `losetup -d {loop}` first"
    return ""


def holdings(path: str) -> str:
    """Partition tables and signatures on a drive or in a file, by wipefs (read-only); empty if none are known."""
    asked = ["wipefs", "--json", "--no-act", path]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        raise Refused(f"wipefs cannot be run ({error.strerror}), so nobody can tell what {path} holds") from error
    found = json.loads(told.stdout or "{}").get("signatures", [])
    return ", ".join(dict.fromkeys(str(signature.get("type")) for signature in found))


def on_forbidden_disk(path: str, keep_off: tuple[str, ...]) -> str:
    """Whether the system or the run folder lives on this very drive."""
    there = os.stat(path)
    if not stat.S_ISBLK(there.st_mode):
        inside = [place for place in keep_off if Path(place) == Path(path)]
        return "is where the run folder should be" if inside else ""
    target = kernel.node_of(there.st_rdev)
    for place in ("/", "/boot", "/boot/efi", "/usr", "/var", "/home", *keep_off):
        if target in kernel.disks_of_path(place):
            return f"carries {place}; its data is in use"
    return ""


def _exclusive(identity: Identity) -> int:
    return os.O_EXCL if stat.S_ISBLK(os.stat(identity.path).st_mode) else 0


def _open(identity: Identity, flags: int) -> int:
    try:
        fd = os.open(identity.path, flags | os.O_CLOEXEC | os.O_NOFOLLOW)
        if identity.kind == "file" and flags & os.O_RDWR:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return fd
    except OSError as error:
        raise Refused(f"{identity.target} cannot be opened: {error.strerror}; another program may hold it") from error


def _number(there: os.stat_result) -> tuple[int, int]:
    return (0, there.st_rdev) if stat.S_ISBLK(there.st_mode) else (there.st_dev, there.st_ino)
