"""What the gate must refuse of files: one function per case."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.gate_cases import Builder, Case
from tests.gate_verbs import needs
from tests.stand import SIZE, Stand, resize, sh


def a_file_not_named(stand: Stand) -> Case:
    return Case(stand.file(), "would be destroyed", name="-")


def a_file_named_wrongly(stand: Stand) -> Case:
    return Case(stand.file(), "--destroy-data names .*, but .* is ", name="other.bin")


def a_file_named_by_its_base_name(stand: Stand) -> Case:
    return Case(stand.file(), "--destroy-data names .*, but .* is /.*/drive.bin", name="drive.bin")


def a_loop_named_by_its_node(stand: Stand) -> Case:
    node = stand.loop()
    return Case(node, "--destroy-data names .*, but .* is /.*/drive.bin", name=Path(node).name)


@needs("mkfs.ext4")
def a_file_with_a_file_system_not_named(stand: Stand) -> Case:
    path = stand.file()
    sh("mkfs.ext4", "-q", "-F", path)
    return Case(path, "holds ext4", name="-")


def a_file_behind_a_loop(stand: Stand) -> Case:
    path = stand.file()
    stand.loop(path)
    return Case(path, "is behind /dev/loop")


@needs("mkfs.ext4")
def a_file_behind_a_mounted_loop(stand: Stand) -> Case:
    path = stand.file()
    stand.mount(stand.formatted(path=stand.loop(path)))
    return Case(path, "is behind /dev/loop.* is mounted at")


@needs("mkswap", "swapon", "swapoff")
def a_swap_file(stand: Stand) -> Case:
    return Case(stand.swap_file(), "is a swap file in use")


def a_file_with_another_name(stand: Stand) -> Case:
    path = stand.file()
    os.link(path, stand.folder / "other")
    return Case(path, "has other names")


def a_write_protected_file(stand: Stand) -> Case:
    path = stand.file()
    path.chmod(0o400)
    return Case(path, "is write-protected")


@needs("chattr")
def an_immutable_file(stand: Stand) -> Case:
    path = stand.file()
    stand.end.callback(subprocess.run, ["chattr", "-i", str(path)], check=False)
    sh("chattr", "+i", path)
    return Case(path, "is immutable")


@needs("chattr")
def an_append_only_file(stand: Stand) -> Case:
    path = stand.file()
    stand.end.callback(subprocess.run, ["chattr", "-a", str(path)], check=False)
    sh("chattr", "+a", path)
    return Case(path, "is append-only")


def a_file_in_the_run_folder(stand: Stand) -> Case:
    return Case(stand.file(), "is in the run folder", keep_off=(str(stand.folder),))


def a_file_that_another_program_writes(stand: Stand) -> Case:
    path = stand.file()
    stand.program(f"f = open({str(path)!r}, 'r+b')")
    return Case(path, "is open for writing in python3")


def another_file_by_its_name(stand: Stand) -> Case:
    path, other = stand.file(), stand.file("other.bin")
    return Case(path, "leads to another", between=lambda: shutil.move(other, path))


def a_shrunk_file(stand: Stand) -> Case:
    path = stand.file()
    return Case(path, "changed its size", between=lambda: resize(path, SIZE // 2))


def a_grown_file(stand: Stand) -> Case:
    path = stand.file()
    return Case(path, "changed its size", between=lambda: resize(path, SIZE * 2))


def a_removed_file(stand: Stand) -> Case:
    path = stand.file()
    return Case(path, "vanished", between=path.unlink)


FILE_CASES: list[Builder] = [
    thing
    for thing in list(globals().values())
    if callable(thing) and getattr(thing, "__annotations__", {}).get("return") is Case
]
