"""What a test needs of its host: programs (tools.toml), root, loop devices, a kernel with btrfs."""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from stend.base.errors import StendError
from stend.base.programs import programs
from stend.base.units import MiB
from stend.capture import tracefs

TABLE: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "tools.toml").read_text(encoding="utf-8"))
SYSTEM = {"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}
MARKS = {
    "fio": ("fio", "setpriv", "wipefs"),
    "block": ("root", "loop devices", "losetup", "mount", "umount"),
    "lab": tuple(TABLE["lab"]),
}
"""What a marker of pyproject.toml means."""


def wanted(item: pytest.Item) -> list[str]:
    """Everything that a test says it needs."""
    asked = [str(word) for mark in item.iter_markers("needs") for word in mark.args]
    return [*asked, *(word for name, words in MARKS.items() if item.get_closest_marker(name) for word in words)]


def root() -> bool:
    """Whether this is root."""
    return os.geteuid() == 0


@cache
def loop_devices() -> bool:
    """Whether a file can be made a drive here, by trying."""
    if not (root() and shutil.which("losetup")):
        return False
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(MiB)
        made = subprocess.run(["losetup", "-f", "--show", file.name], capture_output=True, text=True, check=False)
        return (
            made.returncode == 0 and not subprocess.run(["losetup", "-d", made.stdout.strip()], check=False).returncode
        )


@cache
def btrfs() -> bool:
    """Whether the kernel has it, as a module at least."""
    if shutil.which("modprobe") and root():
        subprocess.run(["modprobe", "-q", "btrfs"], check=False)
    return "\tbtrfs\n" in Path("/proc/filesystems").read_text()


def overlay() -> bool:
    """Whether the kernel has overlays."""
    return "\toverlay\n" in Path("/proc/filesystems").read_text()


def fuse() -> bool:
    """Whether programs can show file systems here."""
    return Path("/dev/fuse").exists()


def erofs_of_files() -> bool:
    """Whether the kernel mounts an image without a loop device (since Linux 6.12)."""
    release = tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])
    return "\terofs\n" in Path("/proc/filesystems").read_text() and release >= (6, 12)


def zram() -> bool:
    """Whether drives in compressed memory can be made here."""
    return root() and Path("/sys/class/zram-control/hot_add").exists()


@cache
def private_mounts() -> bool:
    """Whether a process can have mounts that nobody else sees (root can; in a chroot it cannot)."""
    tried = ["unshare", "-m", "true"]
    return bool(shutil.which("unshare")) and not subprocess.run(tried, capture_output=True, check=False).returncode


def terminals() -> bool:
    """Whether a terminal can be had (a pseudo-terminal; a chroot without /dev/pts has none)."""
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        return False
    return True


@cache
def trace_points() -> bool:
    """Whether the kernel's trace points of the block layer can be read here, by trying."""
    try:
        with tracefs.mounted() as place, tracefs.instance(place, MiB) as instance:
            return bool(instance.format("block_rq_issue"))
    except (StendError, OSError):
        return False


ABILITIES: dict[str, Callable[[], bool]] = {
    "root": root,
    "terminals": terminals,
    "mounts of its own": private_mounts,
    "loop devices": loop_devices,
    "btrfs in the kernel": btrfs,
    "overlay in the kernel": overlay,
    "FUSE in the kernel": fuse,
    "erofs from files in the kernel": erofs_of_files,
    "zram in the kernel": zram,
    "trace points of the block layer": trace_points,
}


@cache
def can_install() -> bool:
    """Whether these are the tests of `make test`, which could have installed what is missing."""
    if not os.environ.get("STEND_TESTS_INSTALL"):
        return False
    asked = ["true"] if root() else ["sudo", "-n", "true"]
    return (
        bool(shutil.which("apt-get") and shutil.which(asked[0])) and not subprocess.run(asked, check=False).returncode
    )


def packages() -> dict[str, str]:
    """Every listed program and what brings it, in Debian."""
    ours = {name: known.package for name, known in programs().items()}
    return ours | {name: package for group in TABLE.values() for name, package in group.items()}


def demand(words: Iterable[str]) -> None:
    """Skip a test that this host cannot run; in `make test`, fail one whose program could have been installed."""
    listed, asked = packages(), sorted(words, key=lambda word: word not in ABILITIES)
    for word in asked:
        if word in ABILITIES:
            if not ABILITIES[word]():
                pytest.skip(f"no {word} here")
        elif word not in listed:
            pytest.fail(f"{word} is in no list: tests/tools.toml", pytrace=False)
        elif not shutil.which(word) and can_install():
            pytest.fail(
                f"{word} is not installed, `make test` does that: Debian's package {listed[word]}", pytrace=False
            )
        elif not shutil.which(word):
            pytest.skip(f"no {word} here (Debian's package {listed[word]}; `make test` installs it where it may)")


CALLED: list[str] = []
"""Programs of the system that this process has started since somebody looked."""


def listen() -> None:
    """Note from now on every program of the system that this process starts."""
    sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if event != "subprocess.Popen":
        return
    name, _, _, environment = arguments
    path = environment.get("PATH") if isinstance(environment, Mapping) else None
    found = shutil.which(os.fsdecode(name), path=path) if isinstance(name, str | bytes | os.PathLike) else None
    if found and str(Path(found).parent) in SYSTEM:
        CALLED.append(Path(found).name)


def undeclared(item: pytest.Item) -> list[str]:
    """Programs started since the last look that neither this test nor stend has said it needs."""
    known = {*wanted(item), *TABLE["always"], *programs(), Path(sys.executable).name}
    known |= {"chromium", "chromium-browser"} if item.get_closest_marker("browser") else set()  # `make pages` brings it
    found = sorted({name for name in CALLED if name not in known})
    CALLED.clear()
    return found
