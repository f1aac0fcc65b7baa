"""The gate: the only way to a drive that is to be written. Open it once; look again before each phase.

What passes is a descriptor held for the whole run, exclusive for writers, and `path`, which leads the load to that very
descriptor, so that no renamed or replaced node can be hit. The gate itself writes nothing; who writes asks it for
`writing_fd`. A partition may be a target like a drive: the kernel keeps writers inside it; it is named by
`SERIAL-partN`, and refused on a disk that carries the system or the run folder.
"""

import errno
import fcntl
import os
import stat
import time
from pathlib import Path

from stend.definition import Identity
from stend.devices._kernel import HOST, Kernel, fd_bytes, text
from stend.devices._refusals import holdings, refusal
from stend.errors import Refused, StepFailed

Marks = dict[str, str]
"""What two looks at the same drive agree on, each under the name that people call it."""

NUMBER, SIZE = "device number", "size"
BY_ID = "/dev/disk/by-id/"
LOCK_PATIENCE_S = 2.0  # udev locks a drive for as long as it takes to look at it


class Gate:
    """An opened drive. Good in the process that opened it, until it is closed."""

    def __init__(
        self, identity: Identity, seen: Marks, fd: int, *, writes: bool, keep_off: tuple[str, ...], kernel: Kernel
    ) -> None:
        self.identity, self.seen, self.writes = identity, seen, writes
        self.keep_off, self.kernel = keep_off, kernel
        self._fd, self._pid = fd, os.getpid()

    @property
    def path(self) -> str:
        """Where the load opens this very drive. A reader's load must be told to be read-only: root may do more."""
        return f"/proc/{self._pid}/fd/{self.fd}"

    @property
    def fd(self) -> int:
        """The descriptor that is held; Refused once closed, and in any process but the one that passed."""
        if self._fd < 0 or os.getpid() != self._pid:
            raise Refused(f"{self.identity.target} was let go; it must pass the gate again")
        return self._fd

    @property
    def writing_fd(self) -> int:
        """The descriptor for whoever writes without the load; Refused when only reading was asked for."""
        if not self.writes:
            raise Refused(f"{self.identity.target} was opened for reading only; open it for writing to change it")
        return self.fd

    def check(self) -> None:
        """Refused or StepFailed unless this is still the same drive, of the same size, and in nobody else's use."""
        drive, fd = self.identity, self.fd
        look_again(drive, self.seen, self.kernel)
        held = {NUMBER: _number(os.fstat(fd)), SIZE: str(fd_bytes(fd))}
        _compare(drive.target, {key: self.seen[key] for key in held}, held)
        if self.writes and (reason := refusal(drive.path, self.keep_off, self.kernel)):
            raise Refused(f"{drive.target} {reason}")

    def close(self) -> None:
        """Let go."""
        if self._fd >= 0 and os.getpid() == self._pid:
            os.close(self._fd)
        self._fd = -1


def marks(path: str, kernel: Kernel = HOST) -> Marks:
    """The marks of what a path leads to now; OSError if to nothing."""
    there = os.stat(path)
    if not stat.S_ISBLK(there.st_mode):
        return {NUMBER: _number(there), SIZE: str(there.st_size)}
    node = kernel.node_of(there.st_rdev)
    if not node:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
    told = kernel.names(node)
    return {
        NUMBER: _number(there),
        SIZE: str(kernel.size_bytes(node)),
        "serial": told["serial"],
        "WWN": told["wwn"],
        "disk sequence number": text(kernel.block(kernel.parent(node) or node) / "diskseq"),
        "backing file": text(kernel.block(node) / "loop/backing_file").removesuffix(" (deleted)"),
        "offset": text(kernel.block(node) / "loop/offset"),
    }


def _number(there: os.stat_result) -> str:
    """The device number of a block node; where a file is and which, for a file."""
    if stat.S_ISBLK(there.st_mode):
        return f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}"
    return f"inode {there.st_ino} on {os.major(there.st_dev)}:{os.minor(there.st_dev)}"


def look_again(identity: Identity, seen: Marks, kernel: Kernel) -> None:
    """Refused or StepFailed unless the drive's paths lead to the drive that was `seen`."""
    for path in dict.fromkeys((identity.path, identity.target)):
        try:
            now = marks(path, kernel)
        except OSError as error:
            raise StepFailed(f"{path} vanished: {error.strerror}; find out why before going on") from error
        _compare(identity.target, seen, now)


def _compare(target: str, seen: Marks, now: Marks) -> None:
    for key, then in seen.items():
        if now.get(key) != then and key == NUMBER:
            raise Refused(f"{target} leads to another drive than it did; look which it is now (`stend devices`)")
        if now.get(key) != then and key == SIZE:
            raise StepFailed(f"{target} changed its size from {then} to {now.get(key)} bytes; find out why")
        if now.get(key) != then:
            raise Refused(f"{target} has another {key} now, {now.get(key)!r} and not {then!r}; is it the same drive?")


def enter(
    identity: Identity,
    seen: Marks,
    *,
    writes: bool,
    destroy: str | None,
    keep_off: tuple[str, ...] = (),
    ours: bool = False,
    kernel: Kernel = HOST,
) -> Gate:
    """Open the gate for the very drive that was `seen`, or raise Refused with the reason and the way out.

    `ours` is a file that this process made for the run; everything else must be named by `destroy`.
    """
    try:
        look_again(identity, seen, kernel)
        if writes:
            _ask(identity, destroy, keep_off, ours, kernel)
        gate = Gate(identity, seen, _open(identity, writes), writes=writes, keep_off=keep_off, kernel=kernel)
        try:
            if writes:
                _lock(identity, gate.fd)
            gate.check()
        except BaseException:
            gate.close()
            raise
    except StepFailed as error:
        raise Refused(str(error)) from error
    return gate


def _ask(identity: Identity, destroy: str | None, keep_off: tuple[str, ...], ours: bool, kernel: Kernel) -> None:
    """Everything that can be asked before the drive is opened."""
    if reason := refusal(identity.path, keep_off, kernel):
        raise Refused(f"{identity.target} {reason}")
    if not ours:
        _named(identity, destroy, kernel)
    elif holds := holdings(identity.path, kernel):
        raise Refused(f"{identity.target} was made for this run but holds {holds} by now; make another")


def _named(identity: Identity, destroy: str | None, kernel: Kernel) -> None:
    """The operator must have named this drive, and not only the node that leads to it today."""
    names = names_of(identity, kernel)
    if not destroy:
        holds = holdings(identity.path, kernel)
        what = f"holds {holds}, and all of it" if holds else "may hold data, and all of it"
        raise Refused(f"{identity.target} {what} would be destroyed; if you mean that, add --destroy-data {names[0]}")
    if destroy.removeprefix(BY_ID) not in names:
        leads = "" if identity.path == identity.target else f" leads to {identity.path} and"
        told = f"{identity.target}, which{leads} is named {names[0]}"
        raise Refused(f"--destroy-data {destroy} does not name {told}; look which one you mean (`stend devices`)")


def names_of(identity: Identity, kernel: Kernel = HOST) -> tuple[str, ...]:
    """What the operator may call a drive to be believed, best first.

    Its serial (SERIAL-partN for a partition) unless another drive here tells the same one; its by-id names; its WWN;
    device-mapper's name. The node's name serves only where there is none of these, since nodes change places.
    """
    there = os.stat(identity.path)
    if not stat.S_ISBLK(there.st_mode):
        return (Path(identity.path).name,)
    node = kernel.node_of(there.st_rdev)
    part = text(kernel.block(node) / "partition")
    suffix = f"-part{part}" if part else ""
    serial = "" if kernel.namesakes(node) else identity.serial
    own = [name + suffix for name in (serial, identity.wwn) if name]
    dm = [kernel.label(node)] if kernel.label(node) != node else []
    return tuple(dict.fromkeys([*own[:1], *dm, *kernel.links(node), *own[1:]])) or (node,)


def _open(identity: Identity, writes: bool) -> int:
    exclusive = os.O_EXCL if stat.S_ISBLK(os.stat(identity.path).st_mode) else 0
    flags = (os.O_RDWR | exclusive) if writes else os.O_RDONLY
    try:
        return os.open(identity.path, flags | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise Refused(f"{identity.target} cannot be opened: {_why(error)}") from error


def _why(error: OSError) -> str:
    match error.errno:
        case errno.EBUSY:
            return "the kernel or another program has it to itself (a file system, md, LVM, ZFS, ...); end that first"
        case errno.EPERM | errno.EACCES:
            return "this user may not; try again as root"
        case _:
            return f"{error.strerror}; see `dmesg` for the cause"


def _lock(identity: Identity, fd: int) -> None:
    """Lock as systemd asks of all who write to drives (BLOCK_DEVICE_LOCKING), which also keeps udev from looking."""
    until = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if time.monotonic() > until:
                raise Refused(f"{identity.target} is locked by another program; `lslocks` tells which") from error
            time.sleep(0.02)
