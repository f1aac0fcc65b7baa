"""One instance of the kernel's tracing, ours alone: its trace points, its filter, its buffers; nobody else's change.

tracefs is mounted without a place, so it ends with this process. An instance does not: its name tells whose it is, and
whoever comes next removes those whose process is gone.
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
"""System calls of Linux 5.2, the same on every architecture."""
CLOEXEC, CREATE, NODEV_NOEXEC_NOSUID = 1, 6, 0xE
NAME = re.compile(r"stend-(\d+)-(\d+)")
PAGE_KB = 64
"""Buffers are read by pages of this size where the kernel has such (Linux 6.8), else by its own of 4 KiB."""
CLOCK = "mono"
"""The clock of `time.monotonic_ns`: told alike by all processors and by this process."""


@contextmanager
def mounted() -> Iterator[Path]:
    """The kernel's tracefs, seen by this process only. Missing where it cannot be had."""
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
        return "this kernel has no tracefs (CONFIG_TRACING), so there is nothing to capture with"
    return f"this kernel's tracefs cannot be had: {os.strerror(number)}"


@dataclass(frozen=True, slots=True)
class Instance:
    """A folder of tracefs with trace points and buffers of its own."""

    home: Path

    def set(self, name: str, text: str) -> None:
        """One of its switches. StepFailed where the kernel does not take it."""
        try:
            (self.home / name).write_text(text)
        except OSError as error:
            raise StepFailed(f"the kernel's tracing does not take {text!r} for {name}: {error.strerror}") from error

    def format(self, event: str) -> str:
        """How a trace point's record is laid out. Missing where the kernel has no such trace point."""
        try:
            return (self.home / "events/block" / event / "format").read_text()
        except OSError as error:
            raise Missing(
                f"this kernel tells no {event} (CONFIG_BLK_DEV_IO_TRACE), so there is nothing to capture with"
            ) from error

    def follow(self, event: str, condition: str) -> None:
        """Begin a trace point, for records of this kind only."""
        self.set(f"events/block/{event}/filter", condition)
        self.set(f"events/block/{event}/enable", "1")

    def leave(self, event: str) -> None:
        """End a trace point."""
        self.set(f"events/block/{event}/enable", "0")

    def quiet(self) -> None:
        """End all of them; what was told stays in the buffers."""
        self.set("events/enable", "0")

    @property
    def page_bytes(self) -> int:
        """Bytes of one page of its buffers, its head included."""
        larger = self.home / "buffer_subbuf_size_kb"
        if larger.exists():
            return int(larger.read_text()) * 1024
        told = re.search(r"data;\s+offset:(\d+);\s+size:(\d+)", (self.home / "../../events/header_page").read_text())
        if told is None:
            raise Missing("this kernel lays out its trace buffers in an unknown way")
        return int(told[1]) + int(told[2])

    def pipes(self) -> list[int]:
        """A descriptor a processor, of its buffer's pages."""
        return [
            os.open(cpu / "trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            for cpu in sorted((self.home / "per_cpu").iterdir(), key=lambda path: int(path.name.removeprefix("cpu")))
        ]

    def lost(self) -> int:
        """Records that found no room in the buffers, so far."""
        words = (path.read_text() for path in (self.home / "per_cpu").glob("cpu*/stats"))
        return sum(
            int(count)
            for text in words
            for count in re.findall(r"^(?:(?:commit )?overrun|dropped events): (\d+)", text, re.M)
        )


@contextmanager
def instance(root: Path, buffer_bytes: int) -> Iterator[Instance]:
    """A new instance with buffers of this size a processor; at the end it is gone. Those of the dead go first."""
    orphans(root)
    home = root / "instances" / f"stend-{os.getpid()}-{ticks(os.getpid())}"
    try:
        home.mkdir()
    except OSError as error:
        raise Missing(f"the kernel gives no tracing of our own: {error.strerror}") from error
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
    """Remove instances whose process is gone, killed before it could; their names."""
    found = [
        path for path in (root / "instances").iterdir() if (told := NAME.fullmatch(path.name)) and not _lives(told)
    ]
    for path in found:
        _remove(path)
    return [path.name for path in found]


def put_back() -> list[str]:
    """Turn off the trace points that killed captures left on; return a line for each."""
    with suppress(Missing, OSError), mounted() as root:
        return [f"trace points that a killed capture left on are off now ({name})" for name in orphans(root)]
    return []


def _remove(home: Path) -> None:
    with suppress(OSError):
        (home / "events/enable").write_text("0")
    with suppress(FileNotFoundError):
        home.rmdir()


def _lives(told: "re.Match[str]") -> bool:
    return ticks(int(told[1])) == int(told[2])


def fields(text: str) -> dict[str, tuple[int, int]]:
    """{field: (offset, size)} of a trace point's format, with its number as `ID`: (number, 0)."""
    told = re.findall(r"field:[^;]*?(\w+)(?:\[\d+\])?;\s+offset:(\d+);\s+size:(\d+);", text)
    number = re.search(r"^ID: (\d+)$", text, re.M)
    if number is None:
        raise BadInput("a trace point's format has no number")
    return {name: (int(offset), int(size)) for name, offset, size in told} | {"ID": (int(number[1]), 0)}
