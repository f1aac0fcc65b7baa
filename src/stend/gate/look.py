"""What two looks at the same drive agree on; compared before it is opened and at every check. Reads only."""

import errno
import os
import stat

from stend.definition import Identity
from stend.errors import Refused, StepFailed
from stend.kernel import HOST, Kernel, text

Marks = dict[str, str]
"""What two looks at the same drive agree on, each under the name that people call it."""

NUMBER, SIZE, FILE, SEQUENCE = "device number", "size", "inode", "disk sequence number"
PASSING = (NUMBER, SEQUENCE)
"""How marks begin that a restart of the host may change."""


def marks(path: str, kernel: Kernel = HOST) -> Marks:
    """The marks of what a path leads to now; OSError if to nothing."""
    there = os.stat(path)
    if not stat.S_ISBLK(there.st_mode):
        return {NUMBER: number(there), SIZE: str(there.st_size)}
    node = kernel.node_of(there.st_rdev)
    if not node:
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
    told = kernel.names(node)
    return {
        NUMBER: number(there),
        SIZE: str(kernel.size_bytes(node)),
        "serial": told["serial"],
        "WWN": told["wwn"],
        SEQUENCE: text(kernel.block(kernel.parent(node) or node) / "diskseq"),
        "backing file": kernel.backing(node),
        "offset": text(kernel.block(node) / "loop/offset"),
    }


def number(there: os.stat_result) -> str:
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
        compare(identity.target, seen, now)


def compare(target: str, seen: Marks, now: Marks) -> None:
    """Refused or StepFailed at the first mark of `seen` that is another one now."""
    for key, then in seen.items():
        if now.get(key) != then and key == NUMBER:
            raise Refused(f"{target} leads to another drive than it did; look which it is now (`stend devices`)")
        if now.get(key) != then and key == SIZE:
            raise StepFailed(f"{target} changed its size from {then} to {now.get(key)} bytes; find out why")
        if now.get(key) != then:
            raise Refused(f"{target} has another {key} now, {now.get(key)!r} and not {then!r}; is it the same drive?")
