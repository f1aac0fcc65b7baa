"""What the cases do with the machine: find a drive by its serial, fill it, look at it, run stend, ask the host."""

import contextlib
import io
import mmap
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from stend import devices, store
from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.cli import main
from stend.devices.drive import DriveDevice
from stend.model.record import Run
from tests.lab.child import PATIENCE_S, Child

RUNS = Path("/mnt")
"""A file system on a drive of its own, which outlives the power cut."""
SHORT = ("--quick", "--rounds", "1", "--threads", "1", "--depth", "8")
MARK = b"stend wrote this"


def node(serial: str, nsid: int = 1) -> str:
    """The device node of the drive of that serial, whatever the kernel calls it today."""
    for drive in sorted(Path("/sys/class/block").glob("*")):
        page = drive / "device/vpd_pg80"  # its text begins after four bytes
        told = page.read_bytes()[4:].decode() if page.exists() else _text(drive / "device/serial")
        whole = (drive / "dev").exists() and not (drive / "partition").exists()
        if whole and told.strip("\0 ") == serial and (_text(drive / "nsid") or str(nsid)) == str(nsid):
            return f"/dev/{drive.name}"
    raise AssertionError(f"no drive tells the serial {serial}")


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def fill(path: str, size_bytes: int = 0) -> None:
    """Write a mark over a whole drive, past the page cache."""
    with mmap.mmap(-1, MiB) as page:
        page[:] = MARK * (MiB // len(MARK))
        fd = os.open(path, os.O_WRONLY | os.O_DIRECT)
        try:
            end = size_bytes or os.lseek(fd, 0, os.SEEK_END)
            for at in range(0, end, MiB):
                os.pwrite(fd, memoryview(page)[: min(MiB, end - at)], at)
            os.fsync(fd)
        finally:
            os.close(fd)


def holds_mark(path: str) -> bool:
    """Whether the mark is anywhere on the whole drive, every byte read past the page cache."""
    with mmap.mmap(-1, MiB) as page:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
        try:
            end = os.lseek(fd, 0, os.SEEK_END)
            return any(os.preadv(fd, [page], at) and MARK in page[:] for at in range(0, end, MiB))
        finally:
            os.close(fd)


def stend(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """stend as a process of its own, to its end."""
    with Child(arguments) as child:
        return child.end()


def here(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """stend in this very process, which saves its start; for verbs that make no load."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def study(test: str, *settings: str) -> str:
    """A study of one test with settings of its own, in a file."""
    path = Path(f"/tmp/{test}.toml")
    lines = ('title = "A part of a test"', f'tests = ["{test}"]', f"[settings.tests.{test}]", *settings)
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def wait(what: str, done: Callable[[], bool]) -> None:
    """Until that is so (bounded)."""
    until = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < until, what
        time.sleep(0.2)


def results(folder: Path) -> int:
    """How many results a run has by now."""
    try:
        return len(Run(store.read(folder)).results)
    except BadInput:  # not there yet, or not a line of it
        return 0


def amid(arguments: tuple[str, ...], folder: Path, deed: Callable[[], object]) -> "subprocess.CompletedProcess[str]":
    """Do something to a run that has begun; the end of it."""
    with Child(arguments) as child:
        wait("the run began", lambda: results(folder) >= 3 or not child.running)
        deed()
        return child.end()


def failed(done: "subprocess.CompletedProcess[str]", folder: Path) -> str:
    """Why a run that had to fail did so; it says so without a traceback."""
    assert done.returncode == 5, done.stderr
    assert "Traceback" not in done.stderr
    ended = store.load(folder).ended
    assert ended is not None
    assert ended.outcome == "failed"
    assert ended.reason in done.stderr
    return ended.reason


def cache(serial: str) -> str:
    """What the drive says of its write cache now."""
    device = devices.find(node(serial))
    assert isinstance(device, DriveDevice)
    return device.cache()


def ask_host(words: str) -> str:
    """`unplug`, `plug`, `cut`, or `next`, which alone has an answer."""
    with open("/dev/virtio-ports/lab.host", "r+b", buffering=0) as host:
        host.write(f"{words}\n".encode())
        return host.read(16).decode() if words == "next" else ""


def tool(*words: str) -> str:
    """What a program of this machine says; AssertionError with its words when it fails."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout
