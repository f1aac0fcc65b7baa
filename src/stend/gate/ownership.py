"""Tell the files that stend made, which have a mark, from all other files, which may hold data of the user.

The mark is an extended attribute that holds the inode and its generation. It survives renames, and runs, which
overwrite the content. On a copy it is invalid, even if the copy was made with all attributes.
"""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from stend.base.errors import Refused
from stend.base.home import home
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
"""System and service folders of the Filesystem Hierarchy Standard 3.0, and the stores of Nix, Guix and Snap."""
HOMES = ("/root", "/home")
OF_STEND = (sys.prefix, sys.base_prefix, str(Path(__file__).parent.parent))
"""The environment that runs stend, its Python and its package."""
PROGRAMS = (b"\x7fELF", b"#!")
"""The first bytes of programs and scripts (elf(5), execve(2))."""
PACKAGES = "var/lib/dpkg/info"
RPM_S = 60.0
CHOOSE = "choose another, or make a new file with `stend run --create 1GiB`"


def mark(path: str) -> None:
    """Mark a file as one that stend may overwrite. Do nothing if the file system has no extended attributes."""
    try:
        os.setxattr(path, MARK, _words(path))
    except OSError:
        return


def marked(path: str) -> bool:
    """Return True if stend made this very file, or an earlier command allowed it to be overwritten.

    The generation is compared only if both are known, because an overlay does not show that of a real file.
    """
    try:
        kept, now = os.getxattr(path, MARK), _words(path)
    except OSError:
        return False
    return kept == now or (kept.startswith(now) if now.endswith(b" ") else now.startswith(kept) and kept.endswith(b" "))


def _words(path: str) -> bytes:
    return f"scratch {os.stat(path).st_ino} {generation(path)}".encode()


def foreign(layers: list[Layer]) -> list[Layer]:
    """Return the files of the target and below it that stend did not make. A file in an overlay counts once."""
    return [layer for layer in layers if not layer.node and not layer.via and not marked(layer.path)]


def protected(layer: Layer, kernel: Kernel) -> str:
    """Return why a file that stend did not make is always refused, or an empty string if the user may decide."""
    path, table = layer.path, mounts.of_this_process(kernel)
    for folder in SYSTEM:
        if _below(kernel, table, path, folder):
            return f"is in {folder}, a folder of the system; {CHOOSE}"
    for folder in (place for place in OF_STEND if place != "/"):
        if _below(kernel, table, path, folder):
            return f"is in {folder}, which stend itself runs from; {CHOOSE}"
    if home := _hidden(path):
        return f"is a hidden file in {home}, as settings and keys are; {CHOOSE}"
    if owner := _package(path, kernel):
        return f"belongs to {owner}; {CHOOSE}"
    return f"is a program; {CHOOSE}" if _is_program(path) else ""


def _below(kernel: Kernel, table: list[mounts.Mount], path: str, folder: str) -> bool:
    """Return True if a file is in a folder, by name or in the same place of the same file system (a bind mount)."""
    real = os.path.realpath(folder)
    if any(path.startswith(f"{name}/") for name in (real, folder)):
        return True
    of_file, of_folder = (mounts.of_path(kernel, name, table) for name in (path, real))
    if not (of_file and of_folder and os.path.isdir(real) and of_file.number == of_folder.number):
        return False
    return mounts.inner(of_file, path).startswith(mounts.inner(of_folder, real).rstrip("/") + "/")


def _hidden(path: str) -> str:
    """Return the home below which a file, or a folder above it, is hidden by a dot, or "" if it is not hidden."""
    for folder in dict.fromkeys((*HOMES, os.path.realpath(home()))):
        if folder != "/" and path.startswith(f"{folder}/") and "/." in path[len(folder) :]:
            return folder
    return ""


def _package(path: str, kernel: Kernel) -> str:
    """Return the package that a file belongs to, in words, by the lists of dpkg or the answer of rpm, or "" if none."""
    names = {path.encode(), path.removeprefix("/usr").encode()}
    folder = kernel.at(PACKAGES)
    for name in sorted(entry for entry in entries(folder) if entry.endswith(".list")):
        listed = Path(folder, name).read_bytes()
        if any(name in listed for name in names) and names & {*listed.splitlines()}:
            return f"the package {name.removesuffix('.list')}"
    if shutil.which("rpm"):
        query = ("rpm", "-qf", path)
        try:
            done = subprocess.run(query, capture_output=True, stdin=subprocess.DEVNULL, timeout=RPM_S, check=False)
        except subprocess.TimeoutExpired as error:
            why = f"rpm does not report within {RPM_S:g} s whether {path} belongs to a package"
            raise Refused(f"{why}; end the program that locks its database") from error
        return "" if done.returncode else "a package of rpm"
    return ""


def _is_program(path: str) -> bool:
    if os.stat(path).st_mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        return True
    with Path(path).open("rb", buffering=0) as file:
        return os.pread(file.fileno(), 4, 0).startswith(PROGRAMS)
