"""Situations of the gate, put together from layers: where a file lies, how one comes at it, and what uses it.

Each layer states facts about itself, by what its file system and device mean and not by what stend does. From these
facts alone follows whether a purge may pass (`Situation.reasons`).
"""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.gate_verbs import needs
from tests.stand import Stand, let_go, loop_of, sh

SIZE = 4 << 20
WORDS = {
    "used": "is behind /dev/loop|is swap in use|is a swap file in use",
    "written": "is open for writing",
    "read": "is mapped into the memory of|is locked by",
    "other name": "has other names|has another name",
    "part of an overlay": "is a part of the overlay",
    "cannot be resolved": "cannot be resolved|cannot be found by that name",
    "copied when written": "is in a lower folder of the overlay",
    "write-protected": "is write-protected",
    "flags": "is immutable|is append-only",
    "not made by stend": "has no mark of stend",
    "program": "is a program",
}
"""The words of a refusal by its reason."""


@dataclass
class Ground:
    """A file and the names that lead to it: `target` is the one that the gate is asked for, `real` keeps the bytes."""

    real: Path
    target: Path
    facts: set[str] = field(default_factory=set)


Place = Callable[[Stand], Ground]
Use = Callable[[Stand, Ground], set[str]]


class Way(NamedTuple):
    """How one comes at the file: options of each loop device from below, and whether by a bind mount of its folder."""

    name: str
    loops: tuple[tuple[str, ...], ...] = ()
    bound: bool = False


# Places


def _home(stand: Stand) -> Path:
    home = stand.folder / "home"
    home.mkdir(exist_ok=True)
    return home


def _filled(stand: Stand, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(SIZE))
    return stand.known(path)


def _mounted(stand: Stand, *words: str | Path) -> None:
    sh("mount", *words)
    stand.end.callback(subprocess.run, ["umount", "-l", str(words[-1])], check=False)


def a_folder(stand: Stand) -> Ground:
    real = _filled(stand, _home(stand) / "x.bin")
    return Ground(real, real)


def tmpfs(stand: Stand) -> Ground:
    home = _home(stand)
    _mounted(stand, "-t", "tmpfs", "none", home)
    real = _filled(stand, home / "x.bin")
    return Ground(real, real)


def _device(stand: Stand, kind: str, size: int, *words: str) -> Ground:
    disk, home = stand.folder / "disk.bin", _home(stand)
    disk.touch()
    os.truncate(disk, size)
    sh(*words, disk)
    _mounted(stand, "-t", kind, stand.loop(disk), home)
    real = _filled(stand, home / "x.bin")
    return Ground(real, real)


@needs("mkfs.ext4")
def ext4_on_a_loop(stand: Stand) -> Ground:
    return _device(stand, "ext4", 16 << 20, "mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0")


@needs("mkfs.btrfs", "btrfs in the kernel")
def btrfs(stand: Stand) -> Ground:
    return _device(stand, "btrfs", 160 << 20, "mkfs.btrfs", "-q", "-f")


@needs("bindfs", "FUSE in the kernel")
def bindfs(stand: Stand) -> Ground:
    real, seen = _filled(stand, _home(stand) / "x.bin"), stand.folder / "seen"
    seen.mkdir()
    sh("bindfs", real.parent, seen)
    stand.end.callback(subprocess.run, ["umount", "-l", str(seen)], check=False)
    return Ground(real, seen / "x.bin", {"cannot be resolved"})


class Overlay(NamedTuple):
    """An overlay: whose file is asked for, in which folder the real one is, and what is done before and after."""

    seen: str = "merged"
    layer: str = "upper"
    relative: bool = False
    after: str = ""
    inner: str = "x.bin"


OVERLAYS = {
    "an overlay's upper file": Overlay(),
    "an overlay's upper file in a folder": Overlay(inner="sub/x.bin"),
    "an overlay's lower file": Overlay(layer="lower"),
    "a bind mount of an overlay's folder": Overlay(inner="sub/x.bin", after="bound"),
    "an overlay with relative folders": Overlay(relative=True),
    "the real upper file": Overlay(seen="upper"),
    "the real lower file": Overlay(seen="lower", layer="lower"),
    "the real upper file of relative folders": Overlay(seen="upper", relative=True),
    "the real lower file of relative folders": Overlay(seen="lower", layer="lower", relative=True),
    "a covered lower file of relative folders": Overlay(seen="covered", layer="lower", relative=True),
    "a renamed upper folder": Overlay(seen="upper", after="renamed"),
    "a merged file whose upper folder was renamed": Overlay(after="renamed"),
    "a merged file whose upper folder was exchanged": Overlay(after="exchanged"),
    "a hidden upper folder": Overlay(seen="upper", after="hidden"),
    "an exchanged and hidden upper folder": Overlay(seen="upper", after="hidden and exchanged"),
    "a file beside an overlay": Overlay(seen="beside"),
    "a file beside an overlay that cannot be resolved": Overlay(seen="beside", relative=True),
}


def overlay(stand: Stand, form: Overlay) -> Ground:
    """Build it. Only a merged upper file and a file beside it may pass, while all folders have their names."""
    home = _home(stand)
    for name in ("lower", "upper", "work", "merged", "aside"):
        (home / name).mkdir()
    real = _filled(stand, home / (form.layer if form.seen != "beside" else "aside") / form.inner)
    if form.seen == "covered":
        _filled(stand, home / "upper" / form.inner)
    at = "" if form.relative else f"{home}/"
    folders = f"lowerdir={at}lower,upperdir={at}upper,workdir={at}work"
    subprocess.run(["mount", "-t", "overlay", "o", "-o", folders, home / "merged"], cwd=home, check=True)
    stand.end.callback(subprocess.run, ["umount", "-l", str(home / "merged")], check=False)
    target = {"merged": home / "merged" / form.inner}.get(form.seen, real)
    facts = {"cannot be resolved"} if form.relative else set()
    facts |= {"part of an overlay"} if form.seen in ("upper", "lower", "covered") else set()
    if form.seen == "merged" and form.layer == "lower":
        facts.add("copied when written")
    if form.after == "bound":
        target = stand.folder / "bound" / real.name
        target.parent.mkdir()
        _mounted(stand, "--bind", (home / "merged" / form.inner).parent, target.parent)
    if form.after in ("renamed", "exchanged"):
        (home / "upper").rename(home / "moved")
        moved = home / "moved" / form.inner
        stand.files[stand.files.index(real)] = moved
        target = moved if form.seen == "upper" else target
        real, facts = moved, facts | {"cannot be resolved"}
        if form.after == "exchanged":  # another folder and file of the same names and sizes
            _filled(stand, home / "upper" / form.inner)
    if form.after.startswith("hidden"):
        target = stand.folder / "bound" / real.name
        target.parent.mkdir()
        _mounted(stand, "--bind", real.parent, target.parent)
        _mounted(stand, "-t", "tmpfs", "none", home)
        stand.files[stand.files.index(real)] = target
        real, facts = target, facts | {"cannot be resolved"}
        if form.after.endswith("exchanged"):
            for name in ("lower", "upper", "work", "merged"):
                (home / name).mkdir()
    return Ground(real, target, facts)


def _place(form: Overlay) -> Place:
    def build(stand: Stand) -> Ground:
        return overlay(stand, form)

    return needs("overlay in the kernel")(build)


PLACES: dict[str, Place] = {one.__name__: one for one in (a_folder, tmpfs, ext4_on_a_loop, btrfs, bindfs)} | {
    name: _place(form) for name, form in OVERLAYS.items()
}
WAYS = (
    Way("itself"),
    Way("a loop", ((),)),
    Way("a loop over a loop at an offset", ((), ("--offset", "1048576"))),
    Way("a bind mount", bound=True),
)


# Uses


def nothing(stand: Stand, ground: Ground) -> set[str]:
    return set()


def a_loop_on_the_real_file(stand: Stand, ground: Ground) -> set[str]:
    stand.loop(ground.real)
    return {"used"}


@needs("mkfs.ext4")
def a_mounted_loop_on_the_real_file(stand: Stand, ground: Ground) -> set[str]:
    sh("mkfs.ext4", "-q", "-F", "-O", "^has_journal", ground.real)
    stand.mount(stand.loop(ground.real, "--read-only"), "-o", "ro")
    return {"used"}


@needs("mkswap", "swapon", "swapoff")
def swap_on_a_loop(stand: Stand, ground: Ground) -> set[str]:
    stand.swap(stand.formatted("swap", stand.loop(ground.real)))
    return {"used"}


def a_program_that_writes(stand: Stand, ground: Ground) -> set[str]:
    stand.program(f"f = open({str(ground.real)!r}, 'r+b')")
    return {"written"}


def a_program_that_maps_it(stand: Stand, ground: Ground) -> set[str]:
    code = "import ctypes\nc = ctypes.CDLL(None)\nc.mmap.restype = ctypes.c_void_p\n"
    code += f"fd = os.open({str(ground.real)!r}, os.O_RDONLY)\nc.mmap(None, 4096, 1, 2, fd, 0)\nos.close(fd)"
    stand.program(code)
    return {"read"}


def a_database_that_locks_it(stand: Stand, ground: Ground) -> set[str]:
    stand.program(f"import fcntl\nf = open({str(ground.target)!r}, 'rb')\nfcntl.lockf(f, fcntl.LOCK_SH)")
    return {"read"}


def a_hard_link(stand: Stand, ground: Ground) -> set[str]:
    os.link(ground.real, ground.real.with_name("other"))
    return {"other name"}


def write_protection(stand: Stand, ground: Ground) -> set[str]:
    ground.real.chmod(0o400)
    return {"write-protected"}


@needs("chattr")
def immutable(stand: Stand, ground: Ground) -> set[str]:
    return _flag(stand, ground, "i")


@needs("chattr")
def append_only(stand: Stand, ground: Ground) -> set[str]:
    return _flag(stand, ground, "a")


def _flag(stand: Stand, ground: Ground, letter: str) -> set[str]:
    done = subprocess.run(["chattr", f"+{letter}", str(ground.real)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this file system has no such flags")
    stand.end.callback(subprocess.run, ["chattr", f"-{letter}", str(ground.real)], check=False, capture_output=True)
    return {"flags"}


def somebody_else_as_its_maker(stand: Stand, ground: Ground) -> set[str]:
    os.removexattr(ground.real, "user.stend")
    return {"not made by stend"}


def a_copy_that_took_the_mark(stand: Stand, ground: Ground) -> set[str]:
    """As `cp -a` makes it: another file with all attributes of the first."""
    other = ground.real.with_name("first")
    ground.real.rename(other)
    shutil.copyfile(other, ground.real)
    os.setxattr(ground.real, "user.stend", os.getxattr(other, "user.stend"))
    other.unlink()
    return {"not made by stend"}


def the_mode_of_a_program(stand: Stand, ground: Ground) -> set[str]:
    somebody_else_as_its_maker(stand, ground)
    ground.real.chmod(0o755)
    return {"program"}


def the_text_of_a_script(stand: Stand, ground: Ground) -> set[str]:
    somebody_else_as_its_maker(stand, ground)
    with ground.real.open("r+b") as file:
        file.write(b"#!/bin/sh\n")
    return {"program"}


FILES: tuple[Use, ...] = (
    nothing, a_loop_on_the_real_file, a_mounted_loop_on_the_real_file, swap_on_a_loop, a_program_that_writes,
    a_program_that_maps_it, a_database_that_locks_it, a_hard_link, write_protection, immutable, append_only,
    somebody_else_as_its_maker, a_copy_that_took_the_mark, the_mode_of_a_program, the_text_of_a_script,
)  # fmt: skip
"""Every use, on plain file systems."""
LATE = (write_protection, immutable, append_only)
"""Uses that come after the way: no loop device for writing is set up on such a file."""
FEW: tuple[Use, ...] = (nothing, a_loop_on_the_real_file, a_hard_link)
"""Those of them that are asked for on every place, by the first two ways."""
PLAIN = ("a_folder",)


class Situation(NamedTuple):
    """A place, a way to come at it, a use of it."""

    place: str
    way: Way
    use: Use

    @property
    def name(self) -> str:
        return f"{self.place}, by {self.way.name}, {self.use.__name__}".replace("_", " ")

    @property
    def needs(self) -> tuple[str, ...]:
        return (*getattr(PLACES[self.place], "needs", ()), *getattr(self.use, "needs", ()))


def situations() -> Iterator[Situation]:
    """Yield every use and way of a plain folder, and a few of them of every place."""
    for place in PLACES:
        ways: Sequence[Way] = WAYS if place in PLAIN else WAYS[:2]
        uses = FILES if place in PLAIN else FEW
        if place == "an overlay's lower file":  # a loop device for writing copies it to the upper folder at once
            ways = WAYS[:1]
        yield from (Situation(place, way, use) for way, use in product(ways, uses))


@contextlib.contextmanager
def reached(stand: Stand, ground: Ground, way: Way) -> Iterator[str]:
    """Build the way to the file; yield the target."""
    target: str | Path = ground.target
    with contextlib.ExitStack() as end:
        if way.bound:
            folder = stand.folder / "way"
            folder.mkdir()
            sh("mount", "--bind", ground.target.parent, folder)
            end.callback(subprocess.run, ["umount", "-l", str(folder)], check=False)
            target = folder / ground.target.name
        for options in way.loops:
            target = loop_of(target, *options)
            end.callback(let_go, target)
        yield str(target)
