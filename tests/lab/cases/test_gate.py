"""What this machine's kernel has and few others do, in use: volumes, arrays, exports, caches, file systems of flash.

Each is refused by every verb that writes, and no byte of the drive changes.
"""

import hashlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from stend import devices, gate
from stend.base.errors import Refused
from tests.gate_verbs import refused
from tests.lab import bench

pytestmark = pytest.mark.long
ONE, TWO = "LABRAID0", "LABRAID1"
CONFIG = Path("/sys/kernel/config")
Case = Callable[[ExitStack, str], str]
"""Uses a drive; the words of the refusal."""


def undo(end: ExitStack, *words: str) -> None:
    end.callback(subprocess.run, words, check=False, capture_output=True)


def volume(end: ExitStack, name: str, table: str) -> str:
    """A device-mapper volume and its node."""
    bench.tool("modprobe", "dm-mod")
    bench.tool("dmsetup", "create", name, "--noudevsync", "--table", table)
    undo(end, "dmsetup", "remove", "--retry", "--noudevsync", name)
    names = {path.parent.parent.name: path.read_text().strip() for path in Path("/sys/block").glob("dm-*/dm/name")}
    return next(f"/dev/{node}" for node, told in names.items() if told == name)


def mounted(end: ExitStack, node: str, *options: str) -> None:
    place = Path("/tmp", f"at-{Path(node).name}")
    place.mkdir(exist_ok=True)
    bench.tool("mount", *options, node, str(place))
    undo(end, "umount", str(place))


def below_a_volume(end: ExitStack, node: str) -> str:
    volume(end, "plain", f"0 65536 linear {node} 0")
    return "is held by plain"


def below_a_suspended_volume(end: ExitStack, node: str) -> str:
    volume(end, "still", f"0 65536 linear {node} 0")
    bench.tool("dmsetup", "suspend", "--noudevsync", "still")
    undo(end, "dmsetup", "resume", "--noudevsync", "still")
    return "is held by still"


def below_a_mounted_volume(end: ExitStack, node: str) -> str:
    upper = volume(end, "used", f"0 131072 linear {node} 0")
    bench.tool("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", upper)
    mounted(end, upper, "-o", "ro")
    return "is held by used, which is mounted at"


def a_physical_volume_of_lvm(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "dm-mod")
    quiet = ("--config", "devices{use_devicesfile=0} activation{udev_sync=0 udev_rules=0} backup{backup=0 archive=0}")
    bench.tool("pvcreate", "-q", "-y", *quiet, node)
    bench.tool("vgcreate", "-q", *quiet, "labgroup", node)
    undo(end, "vgremove", "-f", "-y", *quiet, "labgroup")
    bench.tool("lvcreate", "-q", "-y", *quiet, "-Zn", "-l", "4", "-n", "part", "labgroup")
    return "is held by labgroup-part"


def a_member_of_an_array(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "raid1")
    words = ("--run", "--assume-clean", "--level=1", "--raid-devices=2", "--metadata=1.2")
    bench.tool("mdadm", "--create", "/dev/md20", *words, node, bench.node(TWO))
    undo(end, "mdadm", "--zero-superblock", node, bench.node(TWO))
    undo(end, "mdadm", "--stop", "/dev/md20")
    time.sleep(1)  # its superblock is marked clean a little later
    return "is held by md20"


def served_by_lio(end: ExitStack, node: str) -> str:
    for module in ("configfs", "target_core_mod", "target_core_iblock", "tcm_loop"):
        bench.tool("modprobe", module)
    if not (CONFIG / "target").exists():
        subprocess.run(["mount", "-t", "configfs", "none", str(CONFIG)], check=False)
    disk = CONFIG / "target/core/iblock_0/disk"
    disk.mkdir(parents=True)
    end.callback(disk.rmdir)
    (disk / "control").write_text(f"udev_path={node}")
    (disk / "udev_path").write_text(node)
    (disk / "enable").write_text("1")
    return "is served to others .target.|to itself"


def served_by_nvmet(end: ExitStack, node: str) -> str:
    for module in ("configfs", "nvmet"):
        bench.tool("modprobe", module)
    if not (CONFIG / "nvmet").exists():
        subprocess.run(["mount", "-t", "configfs", "none", str(CONFIG)], check=False)
    home = CONFIG / "nvmet/subsystems/lab"
    for folder in (home, home / "namespaces/1"):
        folder.mkdir()
        end.callback(folder.rmdir)
    (home / "namespaces/1/device_path").write_text(node)
    (home / "namespaces/1/enable").write_text("1")
    return "is served to others .nvmet."


def served_by_a_usb_gadget(end: ExitStack, node: str) -> str:
    for module in ("configfs", "libcomposite", "usb_f_mass_storage", "dummy_hcd"):
        bench.tool("modprobe", module)
    if not (CONFIG / "usb_gadget").exists():
        subprocess.run(["mount", "-t", "configfs", "none", str(CONFIG)], check=False)
    home = CONFIG / "usb_gadget/lab"
    for folder in (home, home / "functions/mass_storage.0"):
        folder.mkdir(parents=True, exist_ok=True)
    end.callback(home.rmdir)
    end.callback((home / "functions/mass_storage.0").rmdir)
    (home / "functions/mass_storage.0/lun.0/file").write_text(node)
    return "is served to others .usb_gadget.|is open for writing"


def a_mounted_f2fs(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "f2fs")
    bench.tool("mkfs.f2fs", "-q", "-f", node)
    mounted(end, node, "-t", "f2fs", "-o", "ro")
    return "is mounted at"


def a_second_drive_of_an_f2fs(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "f2fs")
    bench.tool("mkfs.f2fs", "-q", "-f", "-c", node, bench.node(TWO))
    mounted(end, bench.node(TWO), "-t", "f2fs", "-o", "ro")
    return "to itself|is mounted at"


def a_second_drive_of_a_btrfs(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "btrfs")
    bench.tool("mkfs.btrfs", "-q", "-f", "-M", "-m", "raid1", "-d", "raid1", bench.node(TWO), node)
    mounted(end, bench.node(TWO), "-o", "ro")
    return "btrfs|is mounted at"


def the_drive_behind_a_bcache(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "bcache")
    bench.tool("make-bcache", "-B", node)
    home = Path("/sys/class/block", Path(node).name, "bcache")
    if not home.exists():
        Path("/sys/fs/bcache/register").write_text(node)
    end.callback(lambda: (home / "stop").write_text("1"))
    bench.wait("bcache is there", home.exists)
    return "is held by bcache|is part of a bcache"


def below_an_encrypted_volume(end: ExitStack, node: str) -> str:
    bench.tool("modprobe", "dm-crypt")
    volume(end, "secret", f"0 65536 crypt aes-xts-plain64 {'0' * 64} 0 {node} 0")
    return "is held by secret"


def behind_a_loop_behind_a_volume(end: ExitStack, node: str) -> str:
    upper = volume(end, "below", f"0 65536 linear {node} 0")
    bench.tool("modprobe", "loop")
    loop = bench.tool("losetup", "-f", "--show", upper).strip()
    undo(end, "losetup", "-d", loop)
    return "is held by below, which is behind /dev/loop"


CASES: tuple[Case, ...] = (
    below_a_volume,
    below_a_suspended_volume,
    below_a_mounted_volume,
    below_an_encrypted_volume,
    a_physical_volume_of_lvm,
    a_member_of_an_array,
    served_by_lio,
    served_by_nvmet,
    served_by_a_usb_gadget,
    a_mounted_f2fs,
    a_second_drive_of_an_f2fs,
    a_second_drive_of_a_btrfs,
    the_drive_behind_a_bcache,
    behind_a_loop_behind_a_volume,
)


def digest(node: str) -> str:
    """All its bytes, past the page cache of others."""
    os.sync()
    with Path(node).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def in_use(case: Case, node: str) -> Iterator[str]:
    """A drive in that use, and afterwards as it was."""
    with ExitStack() as end:
        undo(end, "wipefs", "-a", "-q", node, bench.node(TWO))
        yield case(end, node)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_what_is_in_use_is_refused_by_every_verb(case: Case, tmp_path: Path) -> None:
    node = bench.node(ONE)
    with in_use(case, node) as words:
        before = digest(node)
        with pytest.raises(Refused, match=words):
            devices.find(node).door.open(writes=True, destroy=ONE)
        assert len(refused(node, ONE, tmp_path)) == 4
        assert digest(node) == before


def test_a_volume_that_is_reloaded_onto_another_drive_is_another_drive(tmp_path: Path) -> None:
    with ExitStack() as end:
        upper = volume(end, "turns", f"0 65536 linear {bench.node(ONE)} 0")
        device = devices.find(upper)
        before = digest(bench.node(TWO))
        bench.tool("dmsetup", "load", "turns", "--table", f"0 65536 linear {bench.node(TWO)} 0")
        bench.tool("dmsetup", "resume", "--noudevsync", "turns")
        with pytest.raises(Refused, match="has another device"):
            device.door.open(writes=True, destroy="turns")
        now = devices.find(upper)
        now.door.open(writes=True, destroy="turns")
        end.callback(now.door.close)
        bench.tool("dmsetup", "suspend", "--noflush", "--nolockfs", "--noudevsync", "turns")
        bench.tool("dmsetup", "load", "turns", "--table", f"0 65536 linear {bench.node(ONE)} 0")
        bench.tool("dmsetup", "resume", "--noudevsync", "turns")
        with pytest.raises(Refused, match="has another device"):
            now.purge()
        assert digest(bench.node(TWO)) == before


def test_a_suspended_volume_is_no_target() -> None:
    with ExitStack() as end:
        upper = volume(end, "halted", f"0 65536 linear {bench.node(ONE)} 0")
        bench.tool("dmsetup", "suspend", "--noudevsync", "halted")
        undo(end, "dmsetup", "resume", "--noudevsync", "halted")
        assert gate.refusal(upper).startswith("is suspended; `dmsetup resume halted` first")
