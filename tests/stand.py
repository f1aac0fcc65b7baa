"""Drives that must not be written: real loop devices and files in every kind of use, and hosts that we have not."""

import fcntl
import hashlib
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from stend import devices, gate
from stend.base.sysfs import Kernel
from stend.base.units import KiB, MiB
from tests.waits import wait_for

SIZE = 48 * MiB
ZERO = bytes(4 * KiB)


def few(count: int, always: int = 8) -> list[Any]:
    """Numbers of drawn drives: the first in every run of the tests, the others in `make soak`."""
    return [*range(always), *(pytest.param(n, marks=pytest.mark.soak) for n in range(always, count))]


def sh(*words: str | Path, give: str | None = None) -> str:
    """What a command prints; a host that cannot do it is known before (`needs`), so a failure is one of the test's."""
    done = subprocess.run([str(w) for w in words], input=give, capture_output=True, text=True, check=False)
    assert not done.returncode, f"{words[0]} cannot be used here: {done.stderr.strip() or done.stdout.strip()}"
    return done.stdout.strip()


def loop_of(path: Path | str, *options: str | Path, again: str = "") -> str:
    """Set up a loop device and return its node; `again` is one to detach first, whose number it takes.

    Meanwhile no other test on this host, which may be another checkout's, sets one up. What else takes the number, or
    opens the node to look at it, gives it back.
    """
    bound = [again] if again else []

    def made() -> "subprocess.CompletedProcess[str] | None":
        with open("/dev/loop-control", "rb") as control:
            fcntl.flock(control, fcntl.LOCK_EX)
            if bound:
                let_go(bound.pop())
            words = ["losetup", "--show", *map(str, options), again or "-f", str(path)]
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"})
        return None if "Device or resource busy" in done.stderr else done

    done = wait_for(made)
    assert not done.returncode, f"losetup cannot be used here: {done.stderr.strip()}"
    return done.stdout.strip()


def let_go(loop: str) -> None:
    """Detach a loop device and wait until it is, or another test has its number; who looks at it holds it longer."""
    held = Path("/sys/block", Path(loop).name, "loop/backing_file")
    with suppress(FileNotFoundError):
        before = held.read_text()
        subprocess.run(["losetup", "-d", loop], check=False, capture_output=True)
        wait_for(lambda: not held.exists() or held.read_text() != before)


def ours(path: Path) -> Path:
    """A file with the mark of one that stend made, so that it may be a target."""
    gate.mark(str(path))
    return path


class Stand:
    """Makes things, remembers the files behind them, and takes all down again."""

    def __init__(self, folder: Path, end: ExitStack) -> None:
        self.folder, self.end = folder, end
        self.files: list[Path] = []
        self.told = -1

    def file(self, name: str = "drive.bin", size: int = SIZE) -> Path:
        """A file of random bytes in its first MiB."""
        path = self.folder / name
        path.write_bytes(os.urandom(MiB))
        os.truncate(path, size)
        return self.known(path)

    def known(self, path: Path) -> Path:
        """A file that counts as made by stend, and is compared at the end."""
        self.files.append(ours(path))
        return path

    def loop(self, path: Path | str | None = None, *options: str) -> str:
        """A loop device on a file or node."""
        node = loop_of(path or self.file(), *options)
        self.end.callback(let_go, node)
        return node

    def formatted(self, kind: str = "ext4", path: Path | str | None = None) -> str:
        """A loop device with a file system."""
        node = self.loop() if path is None else str(path)
        words = {"ext4": ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0", "-F"], "swap": ["mkswap", "-q"]}[kind]
        sh(*words, node)
        return node

    def mount(self, node: str, *options: str) -> Path:
        """Where it is mounted from now on."""
        place = self.folder / f"mount-{Path(node).name}"
        place.mkdir()
        sh("mount", *options, node, place)
        self.end.callback(subprocess.run, ["umount", str(place)], check=False)
        return place

    def mount_private(self) -> Path:
        """A folder of which no other mount namespace hears what is mounted in it; also where / is no mount point."""
        place = self.folder / "private"
        place.mkdir()
        sh("mount", "--bind", place, place)
        self.end.callback(subprocess.run, ["umount", "-l", str(place)], check=False)
        sh("mount", "--make-private", place)
        return place

    def swap(self, path: str | Path) -> None:
        """Swap on it; from now on the kernel writes behind the first page of its file."""
        self.told = 4096
        sh("swapon", path)
        self.end.callback(subprocess.run, ["swapoff", str(path)], check=False)

    def made_for_swap(self, folder: Path | None = None) -> Path:
        """A file that could be swap."""
        path = (folder or self.folder) / "swap.bin"
        path.write_bytes(bytes(SIZE))
        path.chmod(0o600)
        self.known(path)
        sh("mkswap", "-q", path)
        return path

    def swap_file(self, folder: Path | None = None) -> Path:
        """A file that is swap."""
        path = self.made_for_swap(folder)
        self.swap(path)
        return path

    def overlay(self, layer: str) -> tuple[Path, Path]:
        """A file in one layer of an overlay (`upper` or `lower`), and by its name in the merged folder."""
        home = self.mount_private()
        for name in ("lower", "upper", "work", "merged"):
            (home / name).mkdir()
        real = home / layer / "drive.bin"
        real.write_bytes(os.urandom(2 * MiB))
        self.known(real)
        folders = f"lowerdir={home}/lower,upperdir={home}/upper,workdir={home}/work"
        sh("mount", "-t", "overlay", "overlay", "-o", folders, home / "merged")
        self.end.callback(subprocess.run, ["umount", "-l", str(home / "merged")], check=False)
        return real, home / "merged/drive.bin"

    def copy_of(self, path: str, name: str) -> Path:
        """A file with what another one holds, and zeros behind that."""
        copy = self.folder / name
        copy.write_bytes(Path(path).read_bytes())
        os.truncate(copy, 8 * MiB)
        return self.known(copy)

    def runs(self, shell: Path) -> None:
        """A bash at that place that waits until the end of the test, no descendant of ours."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        waits = 'exec 3<> "$0" > /dev/null; read -u 3 x'
        words = ["sh", "-c", '"$0" -c "$1" "$2" & echo $!', str(shell), waits, str(pipe)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            self.end.callback(os.kill, int(parent.stdout.readline()), signal.SIGKILL)

    def partitioned(self, parts: str = ",16M\n,16M\n") -> str:
        """A loop device with two partitions."""
        path = self.file()
        sh("sfdisk", "-q", path, give=f"label: dos\n{parts}")
        node = self.loop(path, "-P")
        if not list(_partitions(node)):
            sh("partx", "-a", node)  # where the kernel reads no partition tables
            self.end.callback(subprocess.run, ["partx", "-d", node], check=False, capture_output=True)
        for part in _partitions(node):
            self.end.enter_context(node_of(part))
        return node

    def program(self, code: str) -> int:
        """A program that runs until the end of the test, no descendant of ours; it prints its number when ready."""
        whole = f"import os, time\n{code}\nprint(os.getpid(), flush=True)\ntime.sleep(600)"
        with subprocess.Popen(["sh", "-c", 'python3 -ISc "$0" &', whole], stdout=subprocess.PIPE, text=True) as shell:
            assert shell.stdout is not None
            number = int(shell.stdout.readline())
            self.end.callback(_kill, number)
        return number

    def digest(self) -> str:
        """All bytes of all files that were made, with their places, as far as only we could write them."""
        os.sync()
        whole = hashlib.sha256()
        for path in filter(Path.exists, self.files):
            with path.open("rb") as file:
                for place, block in blocks(file.fileno(), self.told):
                    whole.update(f"{path} {place} ".encode() + block)
        return whole.hexdigest()


def _kill(number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(number, signal.SIGKILL)


def blocks(fd: int, most: int = -1) -> Iterator[tuple[int, bytes]]:
    """All blocks of a file that are not zero, with their places; holes are not read, for most of a drive is one."""
    size, place = os.fstat(fd).st_size, 0
    until = size if most < 0 else min(size, most)
    while place < until:
        try:
            place = os.lseek(fd, place, os.SEEK_DATA) // len(ZERO) * len(ZERO)
        except OSError:  # nothing but a hole from here
            return
        end = min(os.lseek(fd, place, os.SEEK_HOLE), until)
        written = os.pread(fd, end - place, place)
        for at in range(0, len(written), len(ZERO)):
            if (block := written[at : at + len(ZERO)]) != ZERO[: len(block)]:
                yield place + at, block
        place = end


def _partitions(node: str) -> list[Path]:
    return sorted(part.parent for part in Path("/sys/class/block", Path(node).name).resolve().glob("*/partition"))


class Host:
    """A tree of /sys and /proc that stands in for a host with other drives; real block nodes lend their numbers."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.kernel = Kernel(root)
        for folder in ("sys/class/block", "sys/dev/block", "proc/self", "dev/disk/by-id"):
            (root / folder).mkdir(parents=True)
        self.write("proc/self/mountinfo", "")
        self.write("proc/swaps", "Filename Type Size Used Priority\n")

    def write(self, path: str, text: str) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def disk(
        self,
        node: str,
        number: str,
        size: int = SIZE,
        *,
        parent: str = "",
        facts: dict[str, str] | None = None,
        **more: str,
    ) -> None:
        """A drive, or a partition of `parent`; `facts` are further files, `__` for a slash."""
        home = self.root / "sys/devices" / parent / node
        files = {"dev": number, "size": str(size // 512), "ro": "0"} | (facts or {}) | more
        if node.startswith("nvme") and not parent:
            files = {"nsid": node.rpartition("n")[2]} | files
        for name, text in files.items():
            self.write(str((home / name.replace("__", "/")).relative_to(self.root)), text)
        for link in (self.root / "sys/class/block" / node, self.root / "sys/dev/block" / number):
            link.symlink_to(home)

    def stacked(self, upper: str, *lowers: str) -> None:
        for lower in lowers:
            (self.kernel.block(lower) / "holders").mkdir(exist_ok=True)
            (self.kernel.block(lower) / "holders" / upper).mkdir()
            (self.kernel.block(upper) / "slaves").mkdir(exist_ok=True)
            (self.kernel.block(upper) / "slaves" / lower).mkdir()

    def mounted(self, number: str, place: str, source: str) -> None:
        table = self.root / "proc/self/mountinfo"
        table.write_text(table.read_text() + f"36 35 {number} / {place} rw - ext4 {source} rw\n")


def name_of(target: str | Path) -> str:
    """What an operator must write after --destroy-data."""
    return gate.names_of(devices.find(str(target)).identity)[0]


def number_of(node: str) -> str:
    """`major:minor` of a real node."""
    there = os.stat(node)
    return f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}"


@contextmanager
def node_of(block: Path) -> Iterator[str]:
    """The node of a drive or partition, which no process makes where no udev runs."""
    path = Path("/dev", block.name)
    if made := not path.exists():
        major, minor = (block / "dev").read_text().strip().split(":")
        os.mknod(path, 0o60600, os.makedev(int(major), int(minor)))
    yield str(path)
    if made:
        path.unlink()


@contextmanager
def zram(size: int) -> Iterator[str]:
    """Make a drive in memory; it is removed once no process that looked at it has it open."""
    number = Path("/sys/class/zram-control/hot_add").read_text().strip()
    home = Path(f"/sys/block/zram{number}")
    try:
        (home / "disksize").write_text(str(size))
        with node_of(home) as node:
            yield node
    finally:
        wait_for(lambda: Path("/sys/class/zram-control/hot_remove").write_text(number))


def resize(path: Path, size: int, node: str = "") -> None:
    """Make a file longer or shorter, and the loop device on it too."""
    os.truncate(path, size)
    if node:
        sh("losetup", "-c", node)
