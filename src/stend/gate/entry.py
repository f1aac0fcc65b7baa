"""The way in: everything is asked, then the drive is opened once, exclusive for writers, and locked."""

import errno
import fcntl
import os
import shlex
import stat
import time

from stend.definition import Identity
from stend.errors import Refused, StepFailed
from stend.gate.descriptor import Gate
from stend.gate.holdings import holdings, loss
from stend.gate.look import Marks, look_again
from stend.gate.names import names_of
from stend.gate.refusals import refusal
from stend.kernel import Kernel

BY_ID = "/dev/disk/by-id/"
LOCK_PATIENCE_S = 2.0  # udev locks a drive for as long as it takes to look at it


def enter(
    identity: Identity,
    seen: Marks,
    *,
    writes: bool,
    destroy: str | None,
    keep_off: tuple[str, ...],
    ours: bool,
    kernel: Kernel,
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
        what = f"{identity.target} {loss(identity.path, kernel)}; all of it would be destroyed"
        raise Refused(f"{what}; if you mean that, add --destroy-data {shlex.quote(names[0])}")
    if destroy.removeprefix(BY_ID) not in names:
        leads = "" if identity.path == identity.target else f" leads to {identity.path} and"
        told = f"{identity.target}, which{leads} is named {shlex.quote(names[0])}"
        raise Refused(f"--destroy-data {destroy} does not name {told}; look which one you mean (`stend devices`)")


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
        case errno.ETXTBSY:
            return "it is a program that runs, or a swap file in use; end that first"
        case errno.EPERM | errno.EACCES:
            return "this user may not; it needs root: `sudo stend ...`"
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
