"""Check whether another process has a file open for writing, by the kernel's own count: take a lease and return it.

/proc shows only descriptors in the tables of processes. A descriptor in flight in a socket, one registered with
io_uring, a mapping, a swap file or an export hold a file as well. The kernel counts them all and grants no lease.
"""

import errno
import fcntl
import os
import signal


def others_write(path: str, fd: int = -1) -> bool:
    """Return True if another process has the file open for writing, False if the file system grants no lease.

    `fd` is this process's own writing descriptor, if it has one. It must be the only one of this process tree, and
    readers of the file are then counted too.
    """
    if fd >= 0:
        return _denied(fd, fcntl.F_WRLCK)
    try:
        probe = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return _denied(probe, fcntl.F_RDLCK)
    finally:
        os.close(probe)


def _denied(fd: int, kind: int) -> bool:
    """Return True if the kernel refuses a lease because the file is in use.

    The lease is held for a moment. A process that opens the file meanwhile waits, and the signal for that is SIGURG,
    which is ignored by default.
    """
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, kind)
    except OSError as error:
        return error.errno == errno.EAGAIN
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
