"""Uses of a drive or a file by others, which the gate must find from every node and name that leads to it."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.gate_uses_alone import Used, registered
from tests.gate_verbs import needs
from tests.stand import SIZE, Stand, sh, zram

Builder = Callable[[Stand], Used]
ELSEWHERE = "import ctypes, subprocess\nassert not ctypes.CDLL(None).unshare(0x20000)  # CLONE_NEWNS\n"


# Drives


@needs("mkfs.ext4")
def mounted(stand: Stand) -> Used:
    node = stand.formatted()
    stand.mount(node)
    return Used(node, "is mounted at")


@needs("mkfs.ext4")
def mounted_elsewhere(stand: Stand) -> Used:
    node, place = stand.formatted(), stand.mount_private() / "elsewhere"
    place.mkdir()
    stand.program(f"{ELSEWHERE}subprocess.run(['mount', {node!r}, {str(place)!r}], check=True)")
    return Used(node, "in another mount namespace")


@needs("mkfs.ext4")
def with_the_run_folder_on_it(stand: Stand) -> Used:
    node = stand.formatted()
    place = stand.mount(node)
    return Used(node, "carries .* choose a run folder on another disk", keep_off=str(place / "run"))


@needs("mkswap", "swapon", "swapoff")
def swap(stand: Stand) -> Used:
    node = stand.formatted("swap")
    stand.swap(node)
    return Used(node, "is swap in use")


@needs("sfdisk", "partx", "mkfs.ext4")
def with_a_mounted_partition(stand: Stand) -> Used:
    node = stand.partitioned()
    stand.mount(stand.formatted(path=f"{node}p2"))
    return Used(
        node, "has a partition, .*p2, that is mounted at|p2 is mounted at|p2, which is mounted at", names=(f"{node}p2",)
    )


@needs("sfdisk", "partx", "mkswap", "swapon", "swapoff")
def with_a_partition_as_swap(stand: Stand) -> Used:
    node = stand.partitioned()
    stand.swap(stand.formatted("swap", f"{node}p1"))
    return Used(node, "is swap in use", names=(f"{node}p1",))


@needs("sfdisk", "partx", "mkfs.ext4")
def with_a_partition_behind_a_mounted_loop(stand: Stand) -> Used:
    node = stand.partitioned()
    stand.mount(stand.formatted(path=stand.loop(f"{node}p1")))
    return Used(node, "has a partition, .* is behind /dev/loop.* is mounted at")


@needs("mkfs.ext4")
def behind_a_mounted_loop(stand: Stand) -> Used:
    node = stand.loop()
    stand.mount(stand.formatted(path=stand.loop(node)))
    return Used(node, "is behind /dev/loop.* is mounted at")


@needs("mkfs.btrfs", "btrfs in the kernel")
def in_a_mounted_btrfs(stand: Stand) -> Used:
    first, second = (stand.loop(stand.file(f"{n}.bin", 160 << 20)) for n in range(2))
    sh("mkfs.btrfs", "-q", "-f", "-m", "raid1", first, second)
    stand.mount(first, "-o", "commit=600")  # the file system itself writes at each commit
    return Used(second, "btrfs|is mounted at")


@needs("mkfs.ext4")
def as_the_journal_of_another(stand: Stand) -> Used:
    journal, data = stand.loop(stand.file("journal.bin")), stand.loop(stand.file("data.bin"))
    sh("mkfs.ext4", "-q", "-F", "-b", "4096", "-O", "journal_dev", journal)
    sh("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", "-b", "4096", "-J", f"device={journal}", data)
    stand.mount(data)
    return Used(journal, "to itself")


def held_by_a_program(stand: Stand) -> Used:
    node = stand.loop()
    stand.program(f"fd = os.open({node!r}, os.O_RDONLY | os.O_EXCL)")
    return Used(node, "to itself")


def written_by_a_program(stand: Stand) -> Used:
    node = stand.loop()
    stand.program(f"f = open({node!r}, 'r+b')")
    return Used(node, "is open for writing in python3")


@needs("sfdisk", "partx")
def with_a_partition_written_by_a_program(stand: Stand) -> Used:
    node = stand.partitioned()
    stand.program(f"f = open('{node}p1', 'r+b')")
    return Used(node, "is open for writing in python3", names=(f"{node}p1",))


def known_to_an_io_uring_alone(stand: Stand) -> Used:
    """Of a node no lease tells; fdinfo of the ring does."""
    node = stand.loop()
    stand.program(registered(node))
    return Used(node, "is registered with an io_uring of python3")


def written_by_a_thread_that_outlived_the_first(stand: Stand) -> Used:
    """What is left of a program that was killed while a drive was slow: its descriptors are in the threads' tables."""
    node = stand.loop()
    code = "import ctypes, threading\nready = threading.Event()\ndef work():\n"
    code += f" os.open({node!r}, os.O_RDWR)\n ready.set()\n time.sleep(600)\nthreading.Thread(target=work).start()\n"
    stand.program(f"{code}ready.wait()\nprint(os.getpid(), flush=True)\nctypes.CDLL(None).syscall(60, 0)  # SYS_exit")
    return Used(node, "is open for writing in python3")


def written_under_another_node(stand: Stand) -> Used:
    node, other = stand.loop(), stand.folder / "node"
    os.mknod(other, 0o60600, os.stat(node).st_rdev)
    stand.program(f"f = open({str(other)!r}, 'r+b')")
    return Used(node, "is open for writing in python3")


@needs("mkfs.ext4")
def mounted_and_called_by_nodes_of_other_names(stand: Stand) -> Used:
    """By a node made elsewhere, by a link to it, by a process's root, and by a file that the node is mounted over."""
    node, other, link = stand.formatted(), stand.folder / "node", stand.folder / "link"
    stand.mount(node)
    bound = stand.mount_private() / "bound"
    bound.touch()
    sh("mount", "--bind", node, bound)
    stand.end.callback(subprocess.run, ["umount", "-l", str(bound)], check=False)
    os.mknod(other, 0o60600, os.stat(node).st_rdev)
    link.symlink_to(other)
    return Used(node, "is mounted at", names=(other, link, f"/proc/self/root{node}", bound))


@needs("mkfs.ext4")
def below_a_file_of_its_own_file_system_that_is_mounted(stand: Stand) -> Used:
    """Three storeys: a drive, a file on it, and a file on the file system in that."""
    node = stand.formatted(path=stand.loop(stand.file("ground.bin", 64 << 20)))
    place = stand.mount(node)
    first = place / "first.bin"
    first.write_bytes(bytes(32 << 20))
    stand.formatted(path=first)
    sh("mount", "-o", "remount,ro", place)
    second = stand.loop(first, "-r")
    stand.mount(second, "-o", "ro,noload")
    return Used(first, "is mounted at", names=(node, second))


@needs("mkfs.btrfs", "btrfs", "btrfs in the kernel")
def mounted_by_a_subvolume_alone(stand: Stand) -> Used:
    node = stand.loop(stand.file("disk.bin", 160 << 20))
    sh("mkfs.btrfs", "-q", "-f", node)
    place = stand.mount(node)
    sh("btrfs", "subvolume", "create", place / "inner")
    sh("umount", place)
    place.rmdir()
    stand.mount(node, "-o", "subvol=inner,commit=600")
    return Used(node, "is mounted at|btrfs")


def held_by_a_program_under_another_node(stand: Stand) -> Used:
    node, other = stand.loop(), stand.folder / "node"
    os.mknod(other, 0o60600, os.stat(node).st_rdev)
    stand.program(f"fd = os.open({str(other)!r}, os.O_RDONLY | os.O_EXCL)")
    return Used(node, "to itself", names=(other,))


@needs("mkfs.ext4", "zram in the kernel")
def a_drive_in_memory_that_is_mounted(stand: Stand) -> Used:
    node = stand.formatted(path=stand.end.enter_context(zram(SIZE)))
    stand.mount(node)
    return Used(node, "is mounted at")


@needs("mkswap", "swapon", "swapoff", "zram in the kernel")
def a_drive_in_memory_that_is_swap(stand: Stand) -> Used:
    node = stand.formatted("swap", stand.end.enter_context(zram(SIZE)))
    stand.swap(node)
    return Used(node, "is swap in use")


# Files


@needs("mkswap", "swapon", "swapoff")
def a_file_behind_a_loop_that_is_swap(stand: Stand) -> Used:
    path = stand.file()
    stand.swap(stand.formatted("swap", stand.loop(path)))
    return Used(path, "is behind /dev/loop.* is swap in use")


def a_file_written_by_a_program_that_is_jailed(stand: Stand) -> Used:
    """It has changed its root, so that the file has another path for it."""
    path = stand.file()
    stand.program(f"os.chroot({str(stand.folder)!r})\nf = open('/{path.name}', 'r+b')")
    return Used(path, "is open for writing in python3", names=(f"{stand.folder}/./../{stand.folder.name}/{path.name}",))


@needs("mkfs.ext4")
def a_file_behind_a_mounted_loop(stand: Stand) -> Used:
    path = stand.file()
    stand.mount(stand.formatted(path=stand.loop(path)))
    return Used(path, "is behind /dev/loop.* is mounted at")


def a_file_behind_a_loop_by_a_name_that_is_gone(stand: Stand) -> Used:
    path, left = stand.file(), stand.folder / "left.bin"
    os.link(path, left)
    stand.loop(path)
    path.unlink()
    stand.known(left)
    return Used(left, "is behind /dev/loop")


@needs("mkswap", "swapon", "swapoff")
def a_swap_file(stand: Stand) -> Used:
    path = stand.swap_file()
    return Used(path, "is a swap file in use")


@needs("mkswap", "swapon", "swapoff")
def a_swap_file_below_a_mount(stand: Stand) -> Used:
    hidden = stand.folder / "hidden"
    hidden.mkdir()
    path = stand.swap_file(hidden)
    other = stand.folder / "other.bin"
    os.link(path, other)
    sh("mount", "-t", "tmpfs", "none", hidden)
    stand.end.callback(subprocess.run, ["umount", "-l", str(hidden)], check=False)
    return Used(other, "has other names|is a swap file in use")


def a_file_that_is_written(stand: Stand) -> Used:
    path = stand.file()
    stand.program(f"f = open({str(path)!r}, 'r+b')")
    return Used(path, "is open for writing in python3")


def a_file_that_is_written_elsewhere(stand: Stand) -> Used:
    path = stand.file()
    stand.program(f"{ELSEWHERE}f = open({str(path)!r}, 'ab')")
    return Used(path, "is open for writing in python3")


def a_file_that_is_mapped_for_writing(stand: Stand) -> Used:
    path = stand.file()
    stand.program(f"import mmap\nf = open({str(path)!r}, 'r+b')\nm = mmap.mmap(f.fileno(), 4096)\nf.close()")
    return Used(path, "is mapped into the memory of python3|is open for writing in python3")


def a_file_that_is_mapped_alone(stand: Stand) -> Used:
    path = stand.file()
    code = "import ctypes\nc = ctypes.CDLL(None)\nc.mmap.restype = ctypes.c_void_p\n"
    code += f"fd = os.open({str(path)!r}, os.O_RDWR)\nc.mmap(None, 4096, 3, 1, fd, 0)\nos.close(fd)"
    stand.program(code)
    return Used(path, "is mapped into the memory of python3")


def a_file_that_is_mapped_for_reading(stand: Stand) -> Used:
    path = stand.file()
    code = "import ctypes\nc = ctypes.CDLL(None)\nc.mmap.restype = ctypes.c_void_p\n"
    code += f"fd = os.open({str(path)!r}, os.O_RDONLY)\nc.mmap(None, 4096, 1, 2, fd, 0)\nos.close(fd)"
    stand.program(code)
    return Used(path, "is mapped into the memory of python3")


def a_file_that_a_virtual_machine_reads(stand: Stand) -> Used:
    """As QEMU locks an image that it only reads: an open file description lock, shared, on bytes 100 to 102."""
    path = stand.file()
    code = f"import fcntl, struct\nf = open({str(path)!r}, 'rb')\n"
    code += "fcntl.fcntl(f, 37, struct.pack('hhqqi4x', fcntl.F_RDLCK, 0, 100, 2, 0))  # F_OFD_SETLK"
    stand.program(code)
    return Used(path, "is locked by another program")


def a_file_that_a_database_locks(stand: Stand) -> Used:
    path = stand.file()
    stand.program(f"import fcntl\nf = open({str(path)!r}, 'rb')\nfcntl.lockf(f, fcntl.LOCK_SH)")
    return Used(path, "is locked by python3")


def a_file_that_a_program_locks_whole(stand: Stand) -> Used:
    path = stand.file()
    stand.program(f"import fcntl\nf = open({str(path)!r}, 'rb')\nfcntl.flock(f, fcntl.LOCK_SH)")
    return Used(path, "is locked by")


def a_file_by_a_bind_mount_of_another_name(stand: Stand) -> Used:
    path, other = stand.file(), stand.mount_private() / "other"
    other.touch()
    sh("mount", "--bind", path, other)
    stand.end.callback(subprocess.run, ["umount", "-l", str(other)], check=False)
    stand.program(f"f = open({str(other)!r}, 'r+b')")
    return Used(path, "has another name, /.*other|is open for writing", names=(other,))


def a_file_that_is_written_by_the_name_of_a_bind_mount(stand: Stand) -> Used:
    path, other = stand.file(), stand.mount_private() / "elsewhere"
    other.touch()
    sh("mount", "--bind", path, other)
    stand.program(f"f = open({str(other)!r}, 'r+b')")
    sh("umount", "-l", other)
    return Used(path, "is open for writing in python3")


def a_library_that_is_loaded(stand: Stand) -> Used:
    lines = Path("/proc/self/maps").read_text().splitlines()
    path = stand.copy_of(next(line.split()[-1] for line in lines if "libc.so" in line), "library.so")
    stand.program(f"import ctypes\nc = ctypes.CDLL({str(path)!r})")
    return Used(path, "is mapped into the memory of python3")


@needs("overlay in the kernel")
def the_upper_file_of_an_overlay(stand: Stand) -> Used:
    return Used(stand.overlay("upper")[0], "is a part of the overlay at /.*merged")


@needs("overlay in the kernel")
def the_lower_file_of_an_overlay(stand: Stand) -> Used:
    return Used(stand.overlay("lower")[0], "is a part of the overlay at /.*merged")


@needs("overlay in the kernel")
def a_file_of_an_overlay_behind_a_loop(stand: Stand) -> Used:
    real, merged = stand.overlay("upper")
    stand.loop(merged)
    return Used(real, "is a part of the overlay|is behind /dev/loop", names=(merged,))


@needs("overlay in the kernel")
def a_file_of_an_overlay_that_is_written_below(stand: Stand) -> Used:
    real, merged = stand.overlay("upper")
    stand.program(f"f = open({str(real)!r}, 'r+b')")
    return Used(real, "is a part of the overlay|is open for writing", names=(merged,))


@needs("mkfs.erofs", "erofs from files in the kernel")
def an_image_mounted_by_erofs(stand: Stand) -> Used:
    tree, path = stand.folder / "tree", stand.folder / "image.bin"
    tree.mkdir()
    (tree / "much").write_bytes(os.urandom(2 << 20))
    sh("mkfs.erofs", path, tree)
    stand.known(path)
    place = stand.mount_private() / "image"
    place.mkdir()
    sh("mount", "-t", "erofs", path, place)
    stand.end.callback(subprocess.run, ["umount", "-l", str(place)], check=False)
    return Used(path, "is mounted at /.*image")


@needs("fuse2fs", "mkfs.ext4", "FUSE in the kernel")
def an_image_shown_by_fuse(stand: Stand) -> Used:
    path, place = stand.file(), stand.mount_private() / "image"
    sh("mkfs.ext4", "-q", "-F", path)
    place.mkdir()
    sh("fuse2fs", "-o", "ro", path, place)
    stand.end.callback(subprocess.run, ["umount", "-l", str(place)], check=False)
    return Used(path, "is mounted at|is shown as a file system by fuse2fs|is open for writing in fuse2fs")


def a_file_in_the_run_folder(stand: Stand) -> Used:
    path = stand.file()
    return Used(path, "in the run folder", keep_off=str(stand.folder))


def a_file_in_the_run_folder_by_another_name(stand: Stand) -> Used:
    folder, other = stand.folder / "run", stand.mount_private() / "other"
    folder.mkdir()
    other.mkdir()
    sh("mount", "--bind", folder, other)
    stand.end.callback(subprocess.run, ["umount", "-l", str(other)], check=False)
    path = other / "drive.bin"
    path.write_bytes(os.urandom(2 << 20))
    stand.known(path)
    return Used(path, "in the run folder", keep_off=str(folder))


USES: list[Builder] = [
    thing
    for thing in list(globals().values())
    if callable(thing) and getattr(thing, "__annotations__", {}).get("return") is Used
]
"""All above; they are found through loop devices too."""
