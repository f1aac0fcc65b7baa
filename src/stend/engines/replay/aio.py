"""Linux native AIO by direct system calls: their numbers, and the layout of their structures (linux/aio_abi.h)."""

import ctypes
import os
import platform
from typing import NamedTuple

from stend.base.errors import Missing


class Numbers(NamedTuple):
    """System calls of one architecture."""

    setup: int
    destroy: int
    submit: int
    getevents: int


NUMBERS = {"x86_64": Numbers(206, 207, 209, 208), "aarch64": Numbers(0, 1, 2, 4), "riscv64": Numbers(0, 1, 2, 4)}
"""arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h."""
PREAD, PWRITE, FDSYNC, POLL = 0, 1, 3, 5
DSYNC = 2
"""RWF_DSYNC: a write that is on the medium when it is answered, by FUA if the drive has that."""
DATA, KEY_FLAGS, OPCODE_FD, BUFFER, LENGTH, OFFSET = range(6)
"""Places in an iocb as eight words of 64 bits, little-endian: flags and descriptor are in the upper halves."""
EVENT_DATA, EVENT_OBJECT, EVENT_RESULT = range(3)


def numbers() -> Numbers:
    """Return the system calls of this host's architecture. Raise Missing if they are not known."""
    machine = platform.machine()
    if machine not in NUMBERS:
        known = ", ".join(NUMBERS)
        raise Missing(f"a trace cannot be replayed on a drive here: it needs a processor of {known}, not {machine}")
    return NUMBERS[machine]


def setup(events: int) -> int:
    """Return an AIO context for this number of IOs in flight. Raise Missing if the kernel refuses it."""
    libc = ctypes.CDLL(None, use_errno=True)
    context = ctypes.c_ulong(0)
    if libc.syscall(ctypes.c_long(numbers().setup), ctypes.c_long(events), ctypes.byref(context)):
        why = os.strerror(ctypes.get_errno())
        raise Missing(
            f"a trace cannot be replayed on a drive here: the kernel gives no native AIO for {events} IOs in flight "
            f"({why}); CONFIG_AIO and /proc/sys/fs/aio-max-nr decide"
        )
    return int(context.value)
