"""Purge by the means of any block device or file, and read a sample back. Writes only through the gate."""

import array
import ctypes
import errno
import fcntl
import mmap
import os
from collections.abc import Iterator, Mapping

from stend.base.errors import StepFailed
from stend.base.sysfs import fd_bytes
from stend.base.units import GiB
from stend.gate import Gate
from stend.words import Sentence
from stend.words.system import errno_text

BLKDISCARD, BLKZEROOUT = 0x1277, 0x127F
KEEP_SIZE, PUNCH_HOLE = 0x01, 0x02
STRETCH_BYTES = GiB  # short enough that Ctrl-C takes effect soon, between two of them
SAMPLES = 1024
SAMPLE_BYTES = 64 * 1024
ZEROS = bytes(SAMPLE_BYTES)
ONES = b"\xff" * SAMPLE_BYTES
"""An erased block of some drives: NVMe permits it for deallocated blocks (DLFEAT of Identify Namespace)."""
UNSUPPORTED = (errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL)


def discard(gate: Gate) -> bool:
    """Discard every block. Return False if the drive cannot discard, raise StepFailed if it fails."""
    node = gate.kernel.node_of(os.fstat(gate.writing_fd).st_rdev)
    disk = gate.kernel.block(gate.kernel.parent(node) or node)
    if (disk / "queue/discard_max_bytes").read_text().strip() == "0":
        return False
    return _each_stretch(gate, BLKDISCARD, "purge_not_discarded")


def zero(gate: Gate) -> None:
    """Write zeros over every block. Raise StepFailed if that fails."""
    if not _each_stretch(gate, BLKZEROOUT, "purge_not_zeroed"):
        raise StepFailed(Sentence("purge_neither_way", target=gate.identity.target))


def _each_stretch(gate: Gate, request: int, failed: str) -> bool:
    size = gate.identity.capacity_bytes
    for start in range(0, size, STRETCH_BYTES):
        length = min(STRETCH_BYTES, size - start)
        try:
            fcntl.ioctl(gate.writing_fd, request, array.array("Q", [start, length]))
        except OSError as error:
            if start == 0 and error.errno in UNSUPPORTED:
                return False
            where = {"target": gate.identity.target, "at": start, "why": errno_text(error)}
            raise StepFailed(Sentence(failed, **where)) from error
    return True


def punch(gate: Gate) -> None:
    """Punch one hole over the whole file and check that it holds no data. Raise StepFailed if it does."""
    fd, size = gate.writing_fd, fd_bytes(gate.writing_fd)
    try:
        _punch_hole(fd, size)
        os.fsync(fd)
    except OSError as error:
        key = "purge_no_hole" if error.errno in UNSUPPORTED else "purge_not_punched"
        raise StepFailed(Sentence(key, target=gate.identity.target, why=errno_text(error))) from error
    try:
        left = os.lseek(fd, 0, os.SEEK_DATA)
    except OSError as error:
        if error.errno == errno.ENXIO:  # no data at all
            return
        left = 0  # unknown
    if left < size and not reads_zero(gate):
        raise StepFailed(Sentence("purge_left", target=gate.identity.target, at=left))


def _punch_hole(fd: int, size_bytes: int) -> None:
    """Call fallocate(2) with a mode, which Python's os does not offer."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.fallocate64(fd, PUNCH_HOLE | KEEP_SIZE, ctypes.c_int64(0), ctypes.c_int64(size_bytes)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def unpurged(gate: Gate) -> StepFailed:
    """Return the error for a drive that does not read as zeros after zeros were written."""
    return StepFailed(Sentence("purge_not_zeros", target=gate.identity.target))


def reads_zero(gate: Gate) -> bool:
    """Return True if a sample spread over the whole drive, including its first and last blocks, reads as zeros.

    It is read with direct IO where possible, otherwise after the page cache is dropped.
    """
    fd = _reader(gate)
    try:
        with mmap.mmap(-1, SAMPLE_BYTES) as buffer:
            return all(_is_zero(_at(fd, buffer, at, gate)) for at in _sample(gate.identity.capacity_bytes))
    finally:
        os.close(fd)


def contents(gate: Gate, lost: int = 0) -> dict[int, int]:
    """Return {offset: hash} of the parts of that sample that are not zeros. Hashes are valid within this process.

    Up to `lost` parts that cannot be read are left out, and all behind them. Raise StepFailed for one if `lost` is 0.
    """
    fd, hashes = _reader(gate), {}
    try:
        with mmap.mmap(-1, SAMPLE_BYTES) as buffer:
            for at in _sample(gate.identity.capacity_bytes):
                try:
                    read = _at(fd, buffer, at, gate)
                except StepFailed:
                    if not lost:
                        raise
                    if (lost := lost - 1) == 0:
                        break
                    continue
                if not _is_zero(read):
                    hashes[at] = hash(read)
    finally:
        os.close(fd)
    return hashes


def _sample(size_bytes: int) -> Iterator[int]:
    """Yield evenly spread offsets from the start, and that of the last whole part."""
    last = max(size_bytes - SAMPLE_BYTES, 0)
    step = max(last // SAMPLES // SAMPLE_BYTES * SAMPLE_BYTES, SAMPLE_BYTES)
    yield from range(0, last, step)
    yield last


def _at(fd: int, buffer: mmap.mmap, offset: int, gate: Gate) -> bytes:
    try:
        got = os.preadv(fd, [buffer], offset)
    except OSError as error:
        where = {"target": gate.identity.target, "at": offset, "why": errno_text(error)}
        raise StepFailed(Sentence("purge_unread", **where)) from error
    return buffer[:got]


def reads_ones(hashes: Mapping[int, int]) -> bool:
    """Return True if each of these parts of the sample holds FF in all its bytes, as erased flash does."""
    return {*hashes.values()} == {hash(ONES)}


def _is_zero(read: bytes) -> bool:
    return bool(read) and read == ZEROS[: len(read)]


def _reader(gate: Gate) -> int:
    try:
        return os.open(gate.path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    except OSError:
        fd = os.open(gate.path, os.O_RDONLY | os.O_CLOEXEC)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        return fd
