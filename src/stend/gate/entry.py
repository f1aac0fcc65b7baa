"""Enter the gate: check everything, open the drive once, exclusive for writers, and lock it."""

import errno
import fcntl
import os
import shlex
import stat
import time

from stend.base.errors import Refused, StepFailed
from stend.base.sysfs import Kernel
from stend.gate import ownership
from stend.gate.descriptor import Gate
from stend.gate.holdings import holdings, loss
from stend.gate.look import Marks, look_again
from stend.gate.names import names_of
from stend.gate.refusals import refusal
from stend.gate.stack import Layer
from stend.gate.uses import Uses
from stend.model.definition import Identity

BY_ID = "/dev/disk/by-id/"
UNMARKED = "has no mark of stend (another program, a copy or an older stend may have made it)"
LOCK_PATIENCE_S = 2.0  # udev locks a drive while it examines it


def enter(
    identity: Identity,
    expected: Marks,
    *,
    writes: bool,
    destroy: str | None,
    keep_off: tuple[str, ...],
    ours: bool,
    kernel: Kernel,
    overwrite: tuple[str, ...] = (),
) -> Gate:
    """Open the gate for the very drive whose marks are `expected`, or raise Refused with the reason and the way out.

    `ours` is True if this process made the file for the run. Any other target must be named by `destroy`, and each file
    that stend did not make also by `overwrite`. Such a file then gets the mark of stend (`ownership`).
    """
    try:
        look_again(identity, expected, kernel)
        foreign = _check_unopened(identity, destroy, overwrite, keep_off, ours, kernel) if writes else []
        fd = _open(identity, writes)
        gate = Gate(identity, expected, fd, writes=writes, keep_off=keep_off, kernel=kernel, made=ours)
        try:
            if writes:
                _lock(identity, gate.fd)
            gate.check()
            for layer in foreign:
                ownership.mark(layer.path)
        except BaseException:
            gate.close()
            raise
    except StepFailed as error:
        raise Refused(str(error)) from error
    return gate


def _check_unopened(
    identity: Identity,
    destroy: str | None,
    overwrite: tuple[str, ...],
    keep_off: tuple[str, ...],
    ours: bool,
    kernel: Kernel,
) -> list[Layer]:
    """Run the checks that need no open descriptor. Return the files of the target that stend did not make."""
    uses = Uses(kernel)
    if reason := refusal(identity.path, keep_off, kernel, uses, made=ours):
        raise Refused(f"{identity.target} {reason}")
    if ours:
        if holds := holdings(identity.path, kernel):
            raise Refused(f"{identity.target} was made for this run but holds {holds} by now; make another")
        return []
    foreign = ownership.foreign(uses.layers(identity.path))
    for layer in foreign:
        if reason := ownership.protected(layer, kernel):
            which = f"{layer.words}, which " if layer.words else ""
            raise Refused(f"{identity.target} {which}{reason}")
    unnamed = [layer for layer in foreign if layer.path not in overwrite]
    _check_name(identity, destroy, unnamed, kernel)
    for layer in unnamed:
        which = f"{layer.words}, which" if layer.words else "is a file that"
        words = f"{identity.target} {which} {UNMARKED}; it {loss(layer.path, kernel)}"
        raise Refused(f"{words}; if all of it may be overwritten, add {_option(layer)}")
    return foreign


def _option(layer: Layer) -> str:
    return f"--overwrite-file {shlex.quote(layer.path)}"


def _check_name(identity: Identity, destroy: str | None, unnamed: list[Layer], kernel: Kernel) -> None:
    """Raise Refused unless `destroy` names this drive itself, and not only the node that leads to it today."""
    names = names_of(identity, kernel)
    if not destroy:
        what = f"{identity.target} {loss(identity.path, kernel)}; all of it would be destroyed"
        options = " ".join([f"--destroy-data {shlex.quote(names[0])}", *map(_option, unnamed)])
        raise Refused(f"{what}; if you mean that, add {options}")
    if destroy.removeprefix(BY_ID) not in names:
        leads = "" if identity.path in (identity.target, names[0]) else f" (it leads to {identity.path})"
        way = "`stend devices` lists the drives with their serial numbers"
        if names[0].startswith("/"):
            way = "name a file by its full path"
        what = f"{identity.target}{leads} is {shlex.quote(names[0])}"
        raise Refused(f"--destroy-data names {shlex.quote(destroy)}, but {what}; {way}")


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
            if os.geteuid():
                return "this user has no permission; it needs root: `sudo stend ...`"
            return "root has no permission either; `lsattr` shows an immutable file, a container must get the drive"
        case _:
            return f"{error.strerror}; see `dmesg` for the cause"


def _lock(identity: Identity, fd: int) -> None:
    """Lock the drive as systemd requires of writers (BLOCK_DEVICE_LOCKING), which also keeps udev from probing it."""
    until = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if time.monotonic() > until:
                raise Refused(f"{identity.target} is locked by another program; `lslocks` shows which") from error
            time.sleep(0.02)
