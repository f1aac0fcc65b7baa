"""A drive that does not keep what it is given: one file of a FUSE file system, served by another process.

It speaks the kernel's protocol (linux/fuse.h, 7.31) itself. The file is opened with direct IO, so that each read and
write comes to the server, and nothing is kept by the host.
"""

import ctypes
import errno
import os
import signal
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

INIT, LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS = 26, 1, 2, 3, 4, 14, 15, 16, 17
RELEASE, FSYNC, FLUSH, DESTROY, BATCH_FORGET, INTERRUPT = 18, 20, 25, 38, 42, 36
ROOT, FILE, NAME = 1, 2, "drive"
MAX_PAGES, BIG_WRITES, DIRECT_IO = 1 << 22, 1 << 5, 1
MOST = 1 << 20


class Failed(Exception):
    """An IO error of the drive."""


class Honest:
    """A drive in memory. Liars replace `place`, `keep` or `give`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.memory = bytearray(size)

    def write(self, at: int, data: bytes) -> None:
        self.memory[at : at + len(data)] = data

    def read(self, at: int, size: int) -> bytes:
        return bytes(self.memory[at : at + size])


def serve(device: int, drive: Honest) -> None:
    """Answer the kernel until it unmounts."""
    while True:
        try:
            message = os.read(device, MOST + 65536)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):
                continue
            return
        _length, code, unique, node = struct.unpack_from("<IIQQ", message)
        if code in (FORGET, BATCH_FORGET, INTERRUPT):
            continue
        try:
            said, answer = 0, _answer(code, node, message[40:], drive)
        except Failed:
            said, answer = -errno.EIO, b""
        except OSError as error:
            said, answer = -(error.errno or errno.EIO), b""
        with suppress(OSError):
            os.write(device, struct.pack("<IiQ", 16 + len(answer), said, unique) + answer)
        if code == DESTROY:
            return


def _answer(code: int, node: int, body: bytes, drive: Honest) -> bytes:
    if code == INIT:
        return struct.pack(
            "<IIIIHHIIHHII24x", 7, 31, MOST, BIG_WRITES | MAX_PAGES, 16, 12, MOST, 1, MOST // 4096, 0, 0, 0
        )
    if code == LOOKUP:
        if body.rstrip(b"\0").decode() != NAME:
            raise OSError(errno.ENOENT, "")
        return struct.pack("<QQQQII", FILE, 0, 3600, 3600, 0, 0) + _attributes(FILE, drive)
    if code in (GETATTR, SETATTR):
        return struct.pack("<QII", 3600, 0, 0) + _attributes(node, drive)
    if code == OPEN:
        return struct.pack("<QII", 0, DIRECT_IO, 0)
    if code == READ:
        _, at, size = struct.unpack_from("<QQI", body)
        return drive.read(at, min(size, max(drive.size - at, 0)))
    if code == WRITE:
        _, at, size = struct.unpack_from("<QQI", body)
        drive.write(at, body[40 : 40 + size])
        return struct.pack("<II", size, 0)
    if code == STATFS:
        return struct.pack("<QQQQQIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
    if code in (RELEASE, FSYNC, FLUSH, DESTROY):
        return b""
    raise OSError(errno.ENOSYS, "")


def _attributes(node: int, drive: Honest) -> bytes:
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o600
    size = 0 if node == ROOT else drive.size
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


@contextmanager
def mounted(folder: Path, made: Callable[[], Honest]) -> Iterator[Path]:
    """Serve the drive that `made` returns, in another process, below a folder; yield the path of its file."""
    folder.mkdir(parents=True, exist_ok=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,max_read={MOST}".encode()
    if libc.mount(b"liar", os.fsencode(folder), b"fuse", ctypes.c_ulong(0), options):
        os.close(device)
        raise OSError(ctypes.get_errno(), "FUSE cannot be mounted")
    child = os.fork()
    if not child:
        with suppress(BaseException):
            serve(device, made())
        os._exit(0)
    os.close(device)
    try:
        yield folder / NAME
    finally:
        libc.umount2(os.fsencode(folder), 2)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
