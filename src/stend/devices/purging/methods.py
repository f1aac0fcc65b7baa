"""Purging with what any block device or file offers, and reading back what it left. Writes through the gate alone."""

import array
import ctypes
import errno
import fcntl
import mmap
import os
from collections.abc import Iterator

from stend.base.errors import StepFailed
from stend.base.sysfs import fd_bytes
from stend.base.units import GiB
from stend.gate import Gate

BLKDISCARD, BLKZEROOUT, BLKFLSBUF = 0x1277, 0x127F, 0x1261
KEEP_SIZE, PUNCH_HOLE = 0x01, 0x02
STRETCH_BYTES = GiB  # short enough that an impatient operator is heard between two of them
SAMPLES = 1024
SAMPLE_BYTES = 64 * 1024
ZEROS = bytes(SAMPLE_BYTES)
UNSUPPORTED = (errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL)


def discard(gate: Gate) -> bool:
    """Discard every block; False when the drive cannot, StepFailed when it can and did not."""
    node = gate.kernel.node_of(os.fstat(gate.writing_fd).st_rdev)
    disk = gate.kernel.block(gate.kernel.parent(node) or node)
    if (disk / "queue/discard_max_bytes").read_text().strip() == "0":
        return False
    return _each_stretch(gate, BLKDISCARD, "discarded")


def zero(gate: Gate) -> None:
    """Write zeros over every block."""
    if not _each_stretch(gate, BLKZEROOUT, "zeroed"):
        raise StepFailed(f"{gate.identity.target} can be neither discarded nor zeroed; purge it with its maker's tool")


def _each_stretch(gate: Gate, request: int, done: str) -> bool:
    for start, length in _stretches(gate.identity.capacity_bytes):
        try:
            fcntl.ioctl(gate.writing_fd, request, array.array("Q", [start, length]))
        except OSError as error:
            if start == 0 and error.errno in UNSUPPORTED:
                return False
            what = f"{gate.identity.target} could not be {done} at byte {start}"
            raise StepFailed(f"{what}: {error.strerror}; see `dmesg` for the cause") from error
    return True


def _stretches(size_bytes: int) -> Iterator[tuple[int, int]]:
    for start in range(0, size_bytes, STRETCH_BYTES):
        yield start, min(STRETCH_BYTES, size_bytes - start)


def punch(gate: Gate) -> None:
    """Make the whole file one hole, and see that the file system has nothing of it left."""
    fd, size = gate.writing_fd, fd_bytes(gate.writing_fd)
    try:
        _punched(fd, size)
        os.fsync(fd)
    except OSError as error:
        why = f"{error.strerror}; its file system cannot punch holes"
        raise StepFailed(f"{gate.identity.target} cannot be purged: {why}") from error
    try:
        left = os.lseek(fd, 0, os.SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:  # no data at all
            return
        raise
    if left < size and not reads_zero(gate):
        raise StepFailed(f"{gate.identity.target} still holds data at byte {left} after its purge; make a new file")


def _punched(fd: int, size_bytes: int) -> None:
    """fallocate(2) with a mode, which Python's os has not."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fallocate64(fd, PUNCH_HOLE | KEEP_SIZE, ctypes.c_int64(0), ctypes.c_int64(size_bytes)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def unpurged(gate: Gate) -> StepFailed:
    """Zeros were written and are not read."""
    return StepFailed(f"{gate.identity.target} does not read as zeros after they were written; it cannot be trusted")


def reads_zero(gate: Gate) -> bool:
    """Whether a sample spread over the whole drive, its first and last blocks among it, reads as zeros.

    Read past the page cache where the drive lets us, else after dropping it.
    """
    fd = _reader(gate)
    try:
        with mmap.mmap(-1, SAMPLE_BYTES) as buffer:
            return all(_is_zero(_at(fd, buffer, at, gate)) for at in _sample(gate.identity.capacity_bytes))
    finally:
        os.close(fd)


def contents(gate: Gate) -> dict[int, int]:
    """{offset: hash} of every place of the same sample that does not read as zeros; good within this process."""
    fd, found = _reader(gate), {}
    try:
        with mmap.mmap(-1, SAMPLE_BYTES) as buffer:
            for at in _sample(gate.identity.capacity_bytes):
                if not _is_zero(read := _at(fd, buffer, at, gate)):
                    found[at] = hash(read)
    finally:
        os.close(fd)
    return found


def _sample(size_bytes: int) -> Iterator[int]:
    """Offsets: evenly spread, whole samples from the start, and the last whole one from the end."""
    last = max(size_bytes - SAMPLE_BYTES, 0)
    step = max(last // SAMPLES // SAMPLE_BYTES * SAMPLE_BYTES, SAMPLE_BYTES)
    yield from range(0, last, step)
    yield last


def _at(fd: int, buffer: mmap.mmap, offset: int, gate: Gate) -> bytes:
    try:
        got = os.preadv(fd, [buffer], offset)
    except OSError as error:
        what = f"{gate.identity.target} could not be read back at byte {offset} after its purge"
        raise StepFailed(f"{what}: {error.strerror}; see `dmesg` for the cause") from error
    return buffer[:got]


def _is_zero(read: bytes) -> bool:
    return bool(read) and read == ZEROS[: len(read)]


def _reader(gate: Gate) -> int:
    try:
        return os.open(gate.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError:
        fd = os.open(gate.path, os.O_RDONLY | os.O_CLOEXEC)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        return fd
