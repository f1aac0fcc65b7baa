"""Whose a file is: one that stend made bears a mark, every other one is somebody's data.

The mark is an extended attribute that holds the inode and its generation. It outlives renames, and runs, which
overwrite the content. A copy does not have it, even one made with all attributes.
"""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from stend.base.sysfs import Kernel, entries
from stend.gate import mounts
from stend.gate.look import generation
from stend.gate.stack import Layer

MARK = "user.stend"
SYSTEM = (
    "/usr", "/bin", "/boot", "/efi", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/run",
    "/sbin", "/snap", "/var/backups", "/var/cache", "/var/lib", "/var/log", "/var/mail", "/var/opt",
    "/var/spool",
)  # fmt: skip
"""Folders of the system and of services, by the Filesystem Hierarchy Standard 3.0 and the stores of Nix, Guix, Snap."""
HOMES = ("/root", "/home")
OF_STEND = (sys.prefix, sys.base_prefix, str(Path(__file__).parent.parent))
"""The environment that runs stend, its Python and its package."""
PROGRAMS = (b"\x7fELF", b"#!")
"""How programs and scripts begin (elf(5), execve(2))."""
PACKAGES = "var/lib/dpkg/info"
CHOOSE = "choose another, or name a new file and add --create 1GiB"


def mark(path: str) -> None:
    """Mark a file as one that stend may overwrite; it stays unmarked where the file system has no such attributes."""
    try:
        os.setxattr(path, MARK, _words(path))
    except OSError:
        return


def marked(path: str) -> bool:
    """Return whether stend made this very file, or was once given it to overwrite.

    An overlay does not show the generation of a real file, so it is compared where both are known.
    """
    try:
        kept, now = os.getxattr(path, MARK), _words(path)
    except OSError:
        return False
    return kept == now or (kept.startswith(now) if now.endswith(b" ") else now.startswith(kept) and kept.endswith(b" "))


def _words(path: str) -> bytes:
    return f"scratch {os.stat(path).st_ino} {generation(path)}".encode()


def foreign(layers: list[Layer]) -> list[Layer]:
    """Return the files that stend did not make, of the target and below it; a file of an overlay counts once."""
    return [layer for layer in layers if not layer.node and not layer.via and not marked(layer.path)]


def protected(layer: Layer, kernel: Kernel) -> str:
    """Return why a file that stend did not make is refused, whatever the user says; empty if the user may decide."""
    path, table = layer.path, mounts.own(kernel)
    for folder in SYSTEM:
        if _below(kernel, table, path, folder):
            return f"lies in {folder}, a folder of the system; {CHOOSE}"
    for folder in (one for one in OF_STEND if one != "/"):
        if _below(kernel, table, path, folder):
            return f"lies in {folder}, which stend itself runs from; {CHOOSE}"
    if home := _hidden(path):
        return f"is a hidden file in {home}, as settings and keys are; {CHOOSE}"
    if owner := _package(path, kernel):
        return f"belongs to {owner}; {CHOOSE}"
    return f"is a program; {CHOOSE}" if _is_program(path) else ""


def _below(kernel: Kernel, table: list[mounts.Mount], path: str, folder: str) -> bool:
    """Return whether a file lies in a folder, by name or in the same place of the same file system (a bind mount)."""
    real = os.path.realpath(folder)
    if any(path.startswith(f"{one}/") for one in (real, folder)):
        return True
    of_file, of_folder = (mounts.of_path(kernel, one, table) for one in (path, real))
    if not (of_file and of_folder and os.path.isdir(real) and of_file.number == of_folder.number):
        return False
    return mounts.inner(of_file, path).startswith(mounts.inner(of_folder, real).rstrip("/") + "/")


def _hidden(path: str) -> str:
    """Return the home in which a file, or a folder above it, begins with a dot; empty if it is nowhere hidden."""
    for home in dict.fromkeys((*HOMES, os.path.realpath(Path.home()))):
        if home != "/" and path.startswith(f"{home}/") and "/." in path[len(home) :]:
            return home
    return ""


def _package(path: str, kernel: Kernel) -> str:
    """Return the package that a file belongs to, in words, by the lists of dpkg or the answer of rpm; empty if none."""
    names = {path.encode(), path.removeprefix("/usr").encode()}
    folder = kernel.at(PACKAGES)
    for name in sorted(one for one in entries(folder) if one.endswith(".list")):
        listed = Path(folder, name).read_bytes()
        if any(name in listed for name in names) and names & {*listed.splitlines()}:
            return f"the package {name.removesuffix('.list')}"
    if shutil.which("rpm") and not _run("rpm", "-qf", path):
        return "a package of rpm"
    return ""


def _run(*words: str) -> int:
    return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False).returncode


def _is_program(path: str) -> bool:
    if os.stat(path).st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        return True
    with Path(path).open("rb", buffering=0) as file:
        return os.pread(file.fileno(), 4, 0).startswith(PROGRAMS)
