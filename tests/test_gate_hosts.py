"""The gate on hosts that we have not: stacks, several paths, exports, same serials; /sys and /proc made here."""

import os
import stat
from pathlib import Path

import pytest

from stend import gate
from stend.base.errors import Refused
from stend.base.sysfs import Kernel
from stend.devices import block
from stend.gate import processes
from stend.gate.refusals import refusal
from stend.gate.stack import Layer
from tests.stand import Host, Stand, number_of

pytestmark = pytest.mark.block


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


@pytest.fixture
def node(stand: Stand) -> str:
    """A real node, so that it can be opened; what it is called and what lies on it, the host says."""
    return stand.loop()


def refused(stand: Stand, node: str, kernel: Kernel, words: str, destroy: str = "SN1") -> None:
    device = block.find(node, kernel)
    before = stand.digest()
    with pytest.raises(Refused, match=words):
        device.door.open(writes=True, destroy=destroy)
    with pytest.raises(Refused, match="has not passed"):
        device.purge()
    assert stand.digest() == before


def passes(node: str, kernel: Kernel, destroy: str = "SN1") -> None:
    device = block.find(node, kernel)
    device.door.open(writes=True, destroy=destroy)
    device.door.close()


STACKS = {
    "LVM": ("dm-0", {"dm__name": "vg-data", "dm__uuid": "LVM-abc"}, "is held by vg-data; `lvchange -an"),
    "crypt": ("dm-0", {"dm__name": "secret", "dm__uuid": "CRYPT-LUKS2-abc"}, "is held by secret; `cryptsetup close"),
    "multipath": ("dm-0", {"dm__name": "mpatha", "dm__uuid": "mpath-36"}, "is held by mpatha; `dmsetup remove"),
    "md": ("md127", {}, "is held by md127; `mdadm --stop"),
    "bcache": ("bcache0", {}, "is held by bcache0; take that down"),
}


@pytest.mark.parametrize("name", STACKS)
def test_a_member_of_a_stack_is_refused(stand: Stand, host: Host, node: str, name: str) -> None:
    upper, facts, words = STACKS[name]
    host.disk("sda", number_of(node), device__serial="SN1")
    passes(node, host.kernel)
    host.disk(upper, "252:0", facts=facts)
    host.stacked(upper, "sda")
    refused(stand, node, host.kernel, words)


def test_the_use_of_what_is_stacked_on_it_is_told(stand: Stand, host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1")
    host.disk("dm-0", "252:0", dm__name="vg-root", dm__uuid="LVM-a")
    host.stacked("dm-0", "sda")
    host.mounted("252:0", "/srv", "/dev/mapper/vg-root")
    refused(stand, node, host.kernel, "is held by vg-root, which is mounted at /srv; `umount /srv` first")


def test_nobody_is_told_to_unmount_the_system(tmp_path: Path, host: Host) -> None:
    root = os.stat("/").st_dev
    node = tmp_path / "sda"
    os.mknod(node, stat.S_IFBLK | 0o600, root)
    host.disk("sda", f"{os.major(root)}:{os.minor(root)}", device__serial="SN1")
    host.mounted(f"{os.major(root)}:{os.minor(root)}", "/", "/dev/sda")
    assert refusal(str(node), kernel=host.kernel) == "carries / of this system; choose another drive"


def test_nobody_waits_for_a_network_share_that_a_program_has_files_of(host: Host, tmp_path: Path) -> None:
    """A stat of one whose server is gone never ends."""
    table = host.root / "proc/self/mountinfo"
    table.write_text("36 35 0:50 / /srv/share rw - nfs4 server:/ rw\n")
    (host.root / "proc/7/fd").mkdir(parents=True)
    (host.root / "proc/7/fd/3").symlink_to("/srv/share/a")
    assert processes.users(host.kernel, [Layer(file=(1, 2), path="/x")]) is None
    sought = processes.Sought(frozenset(), frozenset(), ("/srv/share/",))
    assert not sought.hit("/srv/share/a", tmp_path / "not there, which a stat would say")
    with pytest.raises(FileNotFoundError):
        sought.hit("/srv/shared", tmp_path / "not there")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("sda", "sys/class/block/sda/device/scsi_generic/sg0/dev"),
        ("sda", "sys/class/block/sda/device/bsg/0:0:0:0/dev"),
        ("nvme0n1", "sys/class/nvme-generic/ng0n1/dev"),
    ],
)
def test_who_sends_commands_past_the_block_layer_is_found(
    stand: Stand, host: Host, node: str, name: str, place: str
) -> None:
    """QEMU with scsi-generic, fio with io_uring_cmd: /dev/sgN and /dev/ngXnY are other nodes of the same drive."""
    host.disk(name, number_of(node), device__serial="SN1")
    made = os.stat("/dev/full")
    host.write(place, f"{os.major(made.st_rdev)}:{os.minor(made.st_rdev)}\n")
    passes(node, host.kernel)
    number = stand.program("f = os.open('/dev/full', os.O_RDWR)")
    (host.root / "proc" / str(number)).symlink_to(f"/proc/{number}")
    refused(stand, node, host.kernel, "is open for writing in python3")


def test_the_drive_of_the_system_is_told_by_another_path_too(tmp_path: Path, host: Host) -> None:
    root, node = os.stat("/").st_dev, tmp_path / "sdb"
    os.mknod(node, stat.S_IFBLK | 0o600, os.makedev(8, 16))
    for name, number in (("sda", f"{os.major(root)}:{os.minor(root)}"), ("sdb", "8:16")):
        host.disk(name, number, device__serial="SN1", device__wwid="naa.5000")
    host.mounted(f"{os.major(root)}:{os.minor(root)}", "/", "/dev/sda")
    words = "is on sda, which carries / of this system; choose another drive"
    assert refusal(str(node), kernel=host.kernel) == words


def test_a_partition_of_it_below_a_stack_is_found(stand: Stand, host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1")
    host.disk("sda2", "8:2", parent="sda", partition="2")
    host.disk("md0", "9:0")
    host.stacked("md0", "sda2")
    refused(stand, node, host.kernel, "has a partition, sda2, that is held by md0")


def test_a_registered_bcache_without_a_holder_is_found(stand: Stand, host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1", bcache__state="clean")
    refused(stand, node, host.kernel, "is part of a bcache")


def test_another_path_to_the_same_drive_is_found(stand: Stand, host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1", device__wwid="naa.5000")
    host.disk("sdb", "8:16", device__serial="SN1", device__wwid="naa.5000")
    host.mounted("8:16", "/data", "/dev/sdb")
    refused(stand, node, host.kernel, "is the same drive as sdb, which is mounted at /data")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("f = open({!r}, 'r+b')", "sdb, which is open for writing in python3 .process [0-9]+.; end that first"),
        ("f = os.open({!r}, os.O_RDONLY | os.O_EXCL)", "sdb, which the kernel or another program has to itself"),
    ],
)
def test_who_writes_by_another_path_or_has_it_to_itself_is_found(
    stand: Stand, host: Host, node: str, code: str, words: str
) -> None:
    """A virtual machine, a database or another stend on the second path; ZFS, which leaves no trace in /sys."""
    other = stand.loop(stand.file("other.bin"))
    host.disk("sda", number_of(node), device__serial="SN1", device__wwid="naa.5000")
    host.disk("sdb", number_of(other), device__serial="SN1", device__wwid="naa.5000")
    (host.root / "dev/sdb").symlink_to(other)
    passes(node, host.kernel)
    number = stand.program(code.format(other))
    (host.root / "proc" / str(number)).symlink_to(f"/proc/{number}")
    refused(stand, node, host.kernel, words)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nvmet/subsystems/nqn/namespaces/1/device_path", "is served to others .nvmet."),
        ("target/core/iblock_0/disk/udev_path", "is served to others .target."),
        ("usb_gadget/g1/functions/mass_storage.0/lun.0/file", "is served to others .usb_gadget."),
    ],
)
def test_what_is_served_to_others_is_refused(stand: Stand, host: Host, node: str, path: str, words: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1")
    passes(node, host.kernel)
    (host.root / "dev/sda").symlink_to(node)
    host.write(f"sys/kernel/config/{path}", "/dev/sda\n")
    refused(stand, node, host.kernel, words)


@pytest.mark.parametrize("place", ["device/dev", "device/nvme0/dev"])  # with and without multipathing in the kernel
def test_a_namespace_whose_controller_is_served_to_others_is_refused(
    stand: Stand, host: Host, node: str, place: str
) -> None:
    host.disk("nvme0n1", number_of(node), device__serial="SN1")
    passes(node, host.kernel)
    made = os.stat("/dev/full")
    host.write(f"sys/class/block/nvme0n1/{place}", f"{os.major(made.st_rdev)}:{os.minor(made.st_rdev)}\n")
    (host.root / "dev/nvme0").symlink_to("/dev/full")
    host.write("sys/kernel/config/nvmet/subsystems/nqn/passthru/device_path", "/dev/nvme0\n")
    refused(stand, node, host.kernel, "is served to others .nvmet.")


def test_a_node_that_the_kernel_has_no_drive_for_is_refused(stand: Stand, host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1")
    device = block.find(node, host.kernel)
    (host.root / "sys/dev/block" / number_of(node)).unlink()
    with pytest.raises(Refused, match="vanished: No such device"):
        device.door.open(writes=True, destroy="SN1")


@pytest.mark.parametrize("fact", ["device/serial", "device/wwid", "diskseq"])
def test_another_drive_with_the_same_number_is_noticed(stand: Stand, host: Host, node: str, fact: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1", device__wwid="naa.5000", diskseq="7")
    device = block.find(node, host.kernel)
    (host.root / "sys/devices/sda" / fact).write_text("other")
    with pytest.raises(Refused, match="has another"):
        device.door.open(writes=True, destroy="SN1")


def test_another_drive_below_a_volume_is_noticed(stand: Stand, host: Host, node: str) -> None:
    host.disk("dm-0", number_of(node), dm__name="data", dm__uuid="CRYPT-a")
    host.disk("sda", "8:0", device__serial="SN1")
    host.stacked("dm-0", "sda")
    device = block.find(node, host.kernel)
    (host.root / "sys/devices/sda/device/serial").write_text("SN2")
    with pytest.raises(Refused, match="has another serials below now, 'SN2' and not 'SN1'"):
        device.door.open(writes=True, destroy=gate.names_of(device.identity, host.kernel)[0])


def test_namesakes_are_not_named_by_their_serial(stand: Stand, host: Host, node: str) -> None:
    host.disk("nvme0n1", number_of(node), device__serial="SN1", wwid="eui.1")
    host.disk("nvme0n2", "259:9", device__serial="SN1", wwid="eui.2")
    refused(stand, node, host.kernel, "--destroy-data names .* is eui.1", destroy="SN1")
    passes(node, host.kernel, destroy="eui.1")


def test_names_that_are_believed(host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__serial="SN1", device__wwid="naa.5000")
    (host.root / "dev/disk/by-id/ata-DRIVE_SN1").symlink_to(node)
    identity = block.find(node, host.kernel).identity
    assert gate.names_of(identity, host.kernel) == ("SN1", "ata-DRIVE_SN1", "naa.5000")
    for name in ("SN1", "ata-DRIVE_SN1", "/dev/disk/by-id/ata-DRIVE_SN1", "naa.5000"):
        passes(node, host.kernel, destroy=name)


def test_a_link_that_outlived_a_change_of_nodes_is_not_believed(stand: Stand, host: Host, node: str) -> None:
    """As in a container, whose links nobody makes anew."""
    host.disk("sda", number_of(node), device__serial="SN1", device__wwid="naa.5000c5")
    for link in ("ata-DRIVE_SN9", "wwn-0x5000c5", "ata-DRIVE_SN1"):
        (host.root / "dev/disk/by-id" / link).symlink_to(node)
    refused(stand, node, host.kernel, "--destroy-data names .* is SN1", destroy="ata-DRIVE_SN9")
    passes(node, host.kernel, destroy="ata-DRIVE_SN1")
    passes(node, host.kernel, destroy="wwn-0x5000c5")


def test_links_are_believed_of_a_drive_that_tells_no_number_of_its_own(host: Host, node: str) -> None:
    host.disk("sda", number_of(node), device__wwid="t10.ATA     DRIVE")
    (host.root / "dev/disk/by-id/usb-DRIVE-0:0").symlink_to(node)
    passes(node, host.kernel, destroy="usb-DRIVE-0:0")


def test_a_memory_card_with_a_mounted_partition_is_refused_and_its_boot_drive_is_another(
    stand: Stand, host: Host, node: str
) -> None:
    host.disk("mmcblk0", number_of(node), device__serial="0xab12")
    host.disk("mmcblk0boot0", "179:8", parent="mmcblk0", size=4096 * 1024)
    passes(node, host.kernel, destroy="0xab12")
    host.disk("mmcblk0p1", "179:1", parent="mmcblk0", partition="1")
    host.mounted("179:1", "/media/card", "/dev/mmcblk0p1")
    refused(stand, node, host.kernel, "has a partition, mmcblk0p1, that is mounted at /media/card", destroy="0xab12")


def test_a_partition_is_named_with_its_number(stand: Stand, host: Host, node: str) -> None:
    host.disk("sda", "8:0", device__serial="SN1")
    host.disk("sda2", number_of(node), parent="sda", partition="2")
    refused(stand, node, host.kernel, "--destroy-data names .* is SN1-part2")
    passes(node, host.kernel, destroy="SN1-part2")


def test_what_the_kernel_never_says_of_sizes_counts_as_not_told(host: Host) -> None:
    for number, told in enumerate(("", "-1", "1e9", "nonsense", "٣", "9" * 400)):
        host.disk(f"sd{number}", f"8:{number}", facts={"size": told, "queue__logical_block_size": told})
        assert host.kernel.size_bytes(f"sd{number}") == 0
        found = block.identify("x", f"sd{number}", "x", host.kernel)
        assert (found.capacity_bytes, found.logical_bytes, found.physical_bytes) == (0, 512, 512)


def test_a_card_has_the_name_and_the_version_that_the_kernel_read_of_it(host: Host) -> None:
    card = {"type": "MMC", "name": "DG4064", "fwrev": "0x3532363435", "serial": "0xa1b2c3d4"}
    host.disk("mmcblk0", "179:0", facts={f"device__{name}": value for name, value in card.items()})
    host.disk("mmcblk0p1", "179:1", parent="mmcblk0", partition="1")
    for node in ("mmcblk0", "mmcblk0p1"):
        found = block.identify("x", node, "x", host.kernel)
        assert (found.interface, found.family, found.model, found.firmware, found.serial) == (
            "emmc", "eMMC", "DG4064", "0x3532363435", "0xa1b2c3d4",
        )  # fmt: skip
    host.disk("mmcblk1", "179:8", device__type="SD", device__name="SC64G")
    assert block.identify("x", "mmcblk1", "x", host.kernel).interface == "sd"
