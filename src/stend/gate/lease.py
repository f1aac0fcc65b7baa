"""Whether anybody else has a file open for writing, by the kernel's own count: a lease asked for and given back.

/proc tells only of descriptors in tables of processes. A descriptor in flight in a socket, one registered with
io_uring, a mapping, a swap file or an export hold a file as well; the kernel counts them all and grants no lease.
"""

import errno
import fcntl
import os
import signal


def others_write(path: str, fd: int = -1) -> bool:
    """Whether anybody but us has it open for writing; False where the file system grants no leases, or not to us.

    `fd` is our own descriptor that writes, if there is one; it must be the only one of this process tree, and whoever
    reads the file is counted too then.
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
    """A lease is held for a moment; who opens the file in it waits for us and the signal for that is a harmless one."""
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, kind)
    except OSError as error:
        return error.errno == errno.EAGAIN
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
