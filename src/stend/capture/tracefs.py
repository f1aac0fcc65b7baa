"""Use a private instance of the kernel's tracing: its trace points, filter and buffers affect no other tracing.

tracefs is mounted without a mount point and ends with this process. An instance does not: its name holds the number and
start of its process, and the next capture removes instances whose process has ended.
"""

import ctypes
import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from stend.base.errors import BadInput, Missing, StepFailed
from stend.base.process import ticks

FSOPEN, FSCONFIG, FSMOUNT = 430, 431, 432
"""System calls of Linux 5.2, equal on every architecture."""
CLOEXEC, CREATE, NODEV_NOEXEC_NOSUID = 1, 6, 0xE
NAME = re.compile(r"stend-(\d+)-(\d+)")
PAGE_KB = 64
"""Size of the buffers' pages on kernels that can set it (Linux 6.8). On others it is 4 KiB."""
CLOCK = "mono"
"""The clock of `time.monotonic_ns`, equal on all processors and in this process."""


@contextmanager
def mounted() -> Iterator[Path]:
    """Mount tracefs for this process only and yield its path. Raise Missing if it cannot be mounted."""
    fd = _mount()
    try:
        yield Path(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)


def _mount() -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    opened = call(FSOPEN, b"tracefs", CLOEXEC)
    if opened < 0:
        raise Missing(_why(ctypes.get_errno()))
    try:
        if call(FSCONFIG, opened, CREATE, None, None, 0) < 0:
            raise Missing(_why(ctypes.get_errno()))
        fd: int = call(FSMOUNT, opened, CLOEXEC, NODEV_NOEXEC_NOSUID)
        if fd < 0:
            raise Missing(_why(ctypes.get_errno()))
        return fd
    finally:
        os.close(opened)


def _why(number: int) -> str:
    if number == errno.EPERM:
        return "a capture reads the kernel's trace points, which root alone may (or a process with CAP_SYS_ADMIN)"
    if number == errno.ENODEV:
        return "this kernel has no tracefs (CONFIG_TRACING) and cannot capture"
    return f"this kernel's tracefs cannot be mounted: {os.strerror(number)}"


@dataclass(frozen=True, slots=True)
class Instance:
    """A folder of tracefs with separate trace points and buffers."""

    home: Path

    def set(self, name: str, text: str) -> None:
        """Write one of its switches. Raise StepFailed if the kernel refuses the value."""
        try:
            (self.home / name).write_text(text)
        except OSError as error:
            raise StepFailed(f"the kernel's tracing refuses {text!r} for {name}: {error.strerror}") from error

    def format(self, event: str) -> str:
        """Return the format of a trace point's record. Raise Missing if the kernel has no such trace point."""
        try:
            return (self.home / "events/block" / event / "format").read_text()
        except OSError as error:
            raise Missing(
                f"this kernel has no trace point {event} (CONFIG_BLK_DEV_IO_TRACE) and cannot capture"
            ) from error

    def enable(self, event: str, condition: str) -> None:
        """Turn a trace point on, for records that fit the filter `condition`."""
        self.set(f"events/block/{event}/filter", condition)
        self.set(f"events/block/{event}/enable", "1")

    def disable(self, event: str) -> None:
        """Turn a trace point off."""
        self.set(f"events/block/{event}/enable", "0")

    def disable_all(self) -> None:
        """Turn all trace points off. Their records stay in the buffers."""
        self.set("events/enable", "0")

    @property
    def page_bytes(self) -> int:
        """Return the bytes of one page of its buffers, including the page header."""
        larger = self.home / "buffer_subbuf_size_kb"
        if larger.exists():
            return int(larger.read_text()) * 1024
        data = re.search(r"data;\s+offset:(\d+);\s+size:(\d+)", (self.home / "../../events/header_page").read_text())
        if data is None:
            raise Missing("this kernel's trace buffers have an unknown format, so that no IO can be read")
        return int(data[1]) + int(data[2])

    def pipes(self) -> list[int]:
        """Open the pages of the buffers. Return one descriptor per processor."""
        return [
            os.open(cpu / "trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            for cpu in sorted((self.home / "per_cpu").iterdir(), key=lambda path: int(path.name.removeprefix("cpu")))
        ]

    def lost(self) -> int:
        """Return the number of records so far that did not fit into the buffers."""
        words = (path.read_text() for path in (self.home / "per_cpu").glob("cpu*/stats"))
        return sum(
            int(count)
            for text in words
            for count in re.findall(r"^(?:(?:commit )?overrun|dropped events): (\d+)", text, re.M)
        )


@contextmanager
def instance(root: Path, buffer_bytes: int) -> Iterator[Instance]:
    """Create an instance with buffers of this size per processor and remove it at the end. Remove orphans first."""
    orphans(root)
    home = root / "instances" / f"stend-{os.getpid()}-{ticks(os.getpid())}"
    try:
        home.mkdir()
    except OSError as error:
        raise Missing(f"the kernel gives no separate instance of its tracing: {error.strerror}") from error
    try:
        made = Instance(home)
        made.set("trace_clock", CLOCK)
        with suppress(StepFailed):
            made.set("buffer_subbuf_size_kb", str(PAGE_KB))
        made.set("buffer_size_kb", str(buffer_bytes // 1024))
        yield made
    finally:
        _remove(home)


def orphans(root: Path) -> list[str]:
    """Remove the instances whose process was killed. Return their names."""
    paths = [
        path
        for path in (root / "instances").iterdir()
        if (name := NAME.fullmatch(path.name)) and ticks(int(name[1])) != int(name[2])
    ]
    for path in paths:
        _remove(path)
    return [path.name for path in paths]


def put_back() -> list[str]:
    """Turn off the trace points that killed captures left on. Return one line for each instance."""
    with suppress(Missing, OSError), mounted() as root:
        return [f"trace points that a killed capture left on are off now ({name})" for name in orphans(root)]
    return []


def _remove(home: Path) -> None:
    with suppress(OSError):
        (home / "events/enable").write_text("0")
    with suppress(FileNotFoundError):
        home.rmdir()


def fields(text: str) -> dict[str, tuple[int, int]]:
    """Return {field: (offset, size)} of a trace point's format, with its number as `ID`: (number, 0)."""
    lines = re.findall(r"field:[^;]*?(\w+)(?:\[\d+\])?;\s+offset:(\d+);\s+size:(\d+);", text)
    number = re.search(r"^ID: (\d+)$", text, re.M)
    if number is None:
        raise BadInput("a trace point's format has no number")
    return {name: (int(offset), int(size)) for name, offset, size in lines} | {"ID": (int(number[1]), 0)}
