"""What the gate must refuse: one function a case, most of them real."""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from tests.gate_verbs import needs
from tests.stand import SIZE, Stand, loop_of, name_of, number_of, resize, sh


@dataclass
class Case:
    """A drive, the name it is called by, and what happens to it between being found and being opened."""

    target: str | Path
    words: str
    name: str = ""
    between: Callable[[], object] | None = None
    keep_off: tuple[str, ...] = field(default=())


Builder = Callable[[Stand], Case]


@needs("mkfs.ext4")
def mounted(stand: Stand) -> Case:
    node = stand.formatted()
    stand.mount(node)
    return Case(node, "is mounted at")


@needs("mkfs.ext4")
def mounted_read_only(stand: Stand) -> Case:
    node = stand.formatted()
    stand.mount(node, "-o", "ro,noload")
    return Case(node, "is mounted at")


@needs("mkfs.ext4")
def mounted_where_only_others_see_it(stand: Stand) -> Case:
    node = stand.formatted()
    place = stand.mount_private() / "elsewhere"
    place.mkdir()
    stand.program(
        "import ctypes, subprocess\nassert not ctypes.CDLL(None).unshare(0x20000)  # CLONE_NEWNS\n"
        f"subprocess.run(['mount', {node!r}, {str(place)!r}], check=True)"
    )
    return Case(node, "in another mount namespace")


@needs("mkfs.ext4", "sfdisk", "partx")
def a_partition_of_it_is_mounted(stand: Stand) -> Case:
    node = stand.partitioned()
    stand.mount(stand.formatted(path=f"{node}p2"))
    return Case(node, f"has a partition, {Path(node).name}p2, that is mounted at")


@needs("mkswap", "swapon", "swapoff", "sfdisk", "partx")
def a_partition_of_it_is_swap(stand: Stand) -> Case:
    node = stand.partitioned()
    stand.swap(stand.formatted("swap", f"{node}p1"))
    return Case(node, "that is swap in use")


@needs("sfdisk", "partx")
def a_partition_of_it_is_behind_a_loop(stand: Stand) -> Case:
    node = stand.partitioned()
    stand.loop(f"{node}p1")
    return Case(node, "has a partition, .* is behind /dev/loop")


@needs("mkfs.ext4", "sfdisk", "partx")
def a_partition_beside_the_run_folder(stand: Stand) -> Case:
    node = stand.partitioned()
    place = stand.mount(stand.formatted(path=f"{node}p1"))
    return Case(f"{node}p2", "which carries .* choose a run folder on another disk", keep_off=(str(place / "run"),))


@needs("mkswap", "swapon", "swapoff")
def swap(stand: Stand) -> Case:
    node = stand.formatted("swap")
    stand.swap(node)
    return Case(node, "is swap in use")


def behind_a_loop(stand: Stand) -> Case:
    node = stand.loop()
    stand.loop(node)
    return Case(node, "is behind /dev/loop")


@needs("mkfs.ext4")
def behind_a_loop_that_is_mounted(stand: Stand) -> Case:
    node = stand.loop()
    stand.mount(stand.formatted(path=stand.loop(node)))
    return Case(node, "is behind /dev/loop.* is mounted at")


@needs("mkfs.btrfs", "btrfs in the kernel")
def of_a_mounted_btrfs(stand: Stand) -> Case:
    sizes = 2 * [160 * 1024 * 1024]
    first, second = (stand.loop(stand.file(f"{n}.bin", size)) for n, size in enumerate(sizes))
    sh("mkfs.btrfs", "-q", "-f", "-m", "raid1", first, second)
    stand.mount(first, "-o", "commit=600")  # the file system itself writes at each commit
    return Case(second, "btrfs|is mounted at")


def read_only(stand: Stand) -> Case:
    return Case(stand.loop(stand.file(), "-r"), "is read-only")


def not_named(stand: Stand) -> Case:
    words = "may hold data, 48 MiB, all in /.*drive.bin.*; all of it would be destroyed; .* --destroy-data /.*drive.bin"
    return Case(stand.loop(), words, name="-")


@needs("mkfs.ext4")
def not_named_with_a_file_system(stand: Stand) -> Case:
    words = "holds ext4, 48 MiB, all in .*, its file system last written 20.*; all of it would be destroyed"
    return Case(stand.formatted(), words, name="-")


@needs("sfdisk", "partx")
def not_named_with_partitions(stand: Stand) -> Case:
    return Case(stand.partitioned(), "holds dos, partitions .* would be destroyed", name="-")


def named_wrongly(stand: Stand) -> Case:
    return Case(stand.loop(), "--destroy-data names .*, but .* is ", name="S4NANOSUCH")


@needs("sfdisk", "partx")
def named_as_its_disk(stand: Stand) -> Case:
    node = stand.partitioned()
    return Case(f"{node}p1", "--destroy-data names .*, but .* is ", name=name_of(node))


def named_by_the_link_that_leads_to_it(stand: Stand) -> Case:
    link = stand.folder / "drive"
    link.symlink_to(stand.loop())
    return Case(link, "--destroy-data names .*, but .* leads to", name="drive")


def another_drive_behind_its_link(stand: Stand) -> Case:
    one, other = stand.loop(stand.file("one.bin")), stand.loop(stand.file("other.bin"))
    link = stand.folder / "drive"
    link.symlink_to(one)

    def turn() -> None:
        link.unlink()
        link.symlink_to(other)

    return Case(link, "leads to another drive", name=name_of(one), between=turn)


def another_drive_at_its_node(stand: Stand) -> Case:
    one, other = stand.loop(stand.file("one.bin")), stand.loop(stand.file("other.bin"))
    node = stand.folder / "node"

    def make(of: str) -> None:
        node.unlink(missing_ok=True)
        os.mknod(node, 0o60600, os.stat(of).st_rdev)

    make(one)
    return Case(node, "leads to another drive", name=name_of(one), between=lambda: make(other))


def another_file_behind_its_loop(stand: Stand) -> Case:
    node, other = stand.loop(stand.file("one.bin")), stand.file("other.bin")

    return Case(node, "has another (backing file|disk sequence number) now", between=lambda: loop_of(other, again=node))


def shrunk(stand: Stand) -> Case:
    path = stand.file()
    node = stand.loop(path)
    return Case(node, "changed its size", between=lambda: resize(path, SIZE // 2, node))


def grown(stand: Stand) -> Case:
    path = stand.file()
    node = stand.loop(path)
    return Case(node, "changed its size", between=lambda: resize(path, SIZE * 2, node))


def gone(stand: Stand) -> Case:
    node = stand.loop()
    return Case(node, "vanished|another|changed its size", between=lambda: sh("losetup", "-d", node))


def its_node_removed(stand: Stand) -> Case:
    real, node = stand.loop(), stand.folder / "node"
    os.mknod(node, 0o60600, os.stat(real).st_rdev)
    return Case(node, "vanished", name=name_of(real), between=node.unlink)


@needs("mkfs.ext4")
def mounted_meanwhile(stand: Stand) -> Case:
    node = stand.formatted()
    return Case(node, "is mounted at", between=lambda: stand.mount(node))


def another_program_has_it_to_itself(stand: Stand) -> Case:
    node = stand.loop()
    stand.program(f"fd = os.open({node!r}, os.O_RDONLY | os.O_EXCL)")
    return Case(node, "has it to itself")


def another_program_writes_to_it(stand: Stand) -> Case:
    node = stand.loop()
    stand.program(f"f = open({node!r}, 'r+b')")
    return Case(node, "is open for writing in python3")


@needs("sfdisk", "partx")
def another_program_writes_to_a_partition_of_it(stand: Stand) -> Case:
    node = stand.partitioned()
    stand.program(f"f = open('{node}p1', 'r+b')")
    return Case(node, "is open for writing in python3")


def locked_by_another_program(stand: Stand) -> Case:
    node = stand.loop()
    stand.program(f"import fcntl\nf = open({node!r}, 'rb')\nfcntl.flock(f, fcntl.LOCK_EX)")
    return Case(node, "is locked by another program")


def the_disk_of_this_system(stand: Stand) -> Case:
    number = os.stat("/usr").st_dev
    kernels = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not kernels.exists():
        pytest.skip("the file system of /usr has no drive of its own here")
    return Case(f"/dev/{kernels.resolve().name}", "is mounted at|carries|which carries", name="-")


def another_folder_in_the_place_of_its_own(stand: Stand) -> Case:
    ours, other = stand.folder / "ours", stand.folder / "other"
    for place in (ours, other):
        place.mkdir()
        stand.file(f"{place.name}/drive.bin")

    def turn() -> None:
        ours.rename(stand.folder / "away")
        other.rename(ours)

    return Case(ours / "drive.bin", "leads to another", between=turn)


@needs("sfdisk", "partx")
def a_partition_that_begins_elsewhere(stand: Stand) -> Case:
    """Of the same number and size, and other blocks: what was there is not what was looked at."""
    node = stand.partitioned(",8M\n,8M\n")

    def move() -> None:
        number = number_of(f"{node}p1")
        sh("partx", "-d", node)
        sh("sfdisk", "-q", "--no-reread", "--no-tell-kernel", node, give="label: dos\n20M,8M\n")
        stand.end.callback(subprocess.run, ["partx", "-d", node], check=False, capture_output=True)
        sh("partx", "-a", node)
        for _ in range(100):  # the kernel gives a number back a little later, and another one until then
            if number_of(f"{node}p1") == number:
                return
            sh("partx", "-d", node)
            time.sleep(0.05)
            sh("partx", "-a", node)
        raise AssertionError(f"{node}p1 did not get {number} again")

    return Case(f"{node}p1", "has another first sector now", between=move)


def a_loop_that_begins_elsewhere(stand: Stand) -> Case:
    path = stand.file()
    node = stand.loop(path, "--sizelimit", "8M")

    move = partial(loop_of, path, "--offset", "16M", "--sizelimit", "8M", again=node)
    return Case(node, "has another (offset|disk sequence number) now", between=move)


@needs("blockdev")
def set_read_only_meanwhile(stand: Stand) -> Case:
    node = stand.loop()
    stand.end.callback(sh, "blockdev", "--setrw", node)  # a loop device keeps it for whoever has it next
    return Case(node, "is read-only", between=lambda: sh("blockdev", "--setro", node))


@needs("mkswap", "swapon", "swapoff")
def swap_meanwhile(stand: Stand) -> Case:
    node = stand.formatted("swap")
    return Case(node, "is swap in use", between=lambda: stand.swap(node))


@needs("mkswap", "swapon", "swapoff")
def a_swap_file_meanwhile(stand: Stand) -> Case:
    path = stand.made_for_swap()
    return Case(path, "is a swap file in use", between=lambda: stand.swap(path))


def a_file_written_meanwhile(stand: Stand) -> Case:
    path = stand.file()
    return Case(path, "is open for writing in", between=lambda: stand.program(f"f = open({str(path)!r}, 'r+b')"))


def a_file_behind_a_loop_meanwhile(stand: Stand) -> Case:
    path = stand.file()
    return Case(path, "is behind /dev/loop", between=lambda: stand.loop(path))


def a_file_that_got_another_name(stand: Stand) -> Case:
    path = stand.file()
    return Case(path, "has other names", between=lambda: os.link(path, stand.folder / "other"))


@needs("mkfs.ext4", "unshare", "mounts of its own")
def mounted_where_no_process_of_this_container_lives(stand: Stand) -> Case:
    """Mounted by a namespace that no process is in any more, held by a file that is bound to it."""
    node, home = stand.formatted(), stand.mount_private()
    place, name = home / "place", home / "name"
    place.mkdir()
    name.touch()
    if subprocess.run(
        ["unshare", f"--mount={name}", "mount", node, place], capture_output=True, check=False
    ).returncode:
        pytest.skip("a mount namespace cannot be given a name here")  # as in a container of its own processes
    stand.end.callback(subprocess.run, ["umount", "-l", str(name)], check=False)
    return Case(node, "to itself|is mounted at")


def its_file_removed_and_another_in_its_place(stand: Stand) -> Case:
    """The device still writes to the file that was removed, and its name leads to another file."""
    path = stand.file()
    node = stand.loop(path)
    path.unlink()
    stand.file()
    return Case(node, "is set up on the file .*drive.bin that cannot be found by that name", name=str(path))


@needs("sfdisk", "partx")
def its_partition_removed(stand: Stand) -> Case:
    node = stand.partitioned()
    return Case(f"{node}p1", "vanished|another drive", between=lambda: sh("partx", "-d", node))


@needs("mkfs.ext4", "sfdisk", "partx")
def a_partition_of_it_mounted_meanwhile(stand: Stand) -> Case:
    node = stand.partitioned()
    part = stand.formatted(path=f"{node}p2")
    return Case(node, "has a partition, .* that is mounted at", between=lambda: stand.mount(part))


def a_file_that_became_a_link_to_a_drive(stand: Stand) -> Case:
    path, other = stand.folder / "ours.bin", stand.loop(stand.file("other.bin"))
    path.write_bytes(bytes(SIZE))

    def turn() -> None:
        path.unlink()
        path.symlink_to(other)

    return Case(path, "leads to another", between=turn)


def a_file_that_became_a_pipe(stand: Stand) -> Case:
    """Whoever opened it would wait for ever."""
    path = stand.folder / "ours.bin"
    path.write_bytes(bytes(SIZE))

    def turn() -> None:
        path.unlink()
        os.mkfifo(path)

    return Case(path, "leads to another|changed its size", between=turn)


CASES: list[Builder] = [
    thing
    for thing in list(globals().values())
    if callable(thing) and getattr(thing, "__annotations__", {}).get("return") is Case
]
