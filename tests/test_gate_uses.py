"""Every kind of use of a drive is named with the way to end it, on made hosts: no node of this host is needed."""

import errno
import os
import stat
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.sysfs import Kernel, Loop
from stend.gate import locks, mounts, names, partitions, processes, refusals, swap, volumes
from stend.gate.mounts import Mount
from stend.gate.stack import Layer
from stend.gate.uses import Uses
from tests.stand import Host


class Named(Kernel):
    """A made kernel, in which a path below /dev leads to the node of its name, and by-id links as they are listed."""

    def there(self, path: str) -> Any:
        node = Path(path).name
        if path.startswith("/dev/disk/by-id/"):
            node = (Path(self.at(path)).read_text()).strip()
        number = self.number(node) or {"nvme0": "240:0"}.get(node, "")
        if not number:
            return super().there(path)
        major, minor = map(int, number.split(":"))
        kind = stat.S_IFCHR if node == "nvme0" else stat.S_IFBLK
        return SimpleNamespace(st_mode=kind | 0o600, st_rdev=os.makedev(major, minor), st_dev=5, st_ino=minor)

    def node_at(self, path: str) -> str:
        return Path(path).name if self.number(Path(path).name) else ""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Two disks, the first with two partitions, the other the same drive on a second path; and a disk beside them."""
    made = Host(tmp_path / "host")
    made.kernel = Named(made.root)
    made.disk("sda", "8:0", device__serial="SN1", wwid="naa.5000c5001")
    for part, start in ((1, 2048), (2, 50_000)):
        made.disk(f"sda{part}", f"8:{part}", parent="sda", size=40_000 * 512, partition=str(part), start=str(start))
    made.disk("sdb", "8:16", device__serial="SN1", wwid="naa.5000c5001")
    made.disk("sdc", "8:32", device__serial="SN3")
    made.disk("nvme0n1", "259:0", device__dev="240:0")
    return made


def swapped(host: Host, *paths: str) -> None:
    host.write(
        "proc/swaps", "".join(["Filename Type Size Used Priority\n", *(f"{path} file 1 0 -2\n" for path in paths)])
    )


def held(host: Host, name: str, uuid: str = "", *, on: str = "sda") -> None:
    node = "dm-0" if uuid else name
    host.disk(node, "252:0", facts={"dm__name": name, "dm__uuid": uuid} if uuid else {})
    host.stacked(node, on)


def served(host: Host, place: str, text: str) -> None:
    host.write(f"sys/kernel/config/{place}", text)


END = "take that down first"
SRV = "is mounted at /srv; `umount /srv` first"
SITUATIONS: dict[str, tuple[Any, str]] = {
    "nothing": (lambda host: None, ""),
    "mounted": (lambda h: h.mounted("8:0", "/srv", "none"), SRV),
    "mounted by its name": (lambda h: h.mounted("0:9", "/srv", "/dev/sda"), SRV),
    "a partition": (lambda h: h.mounted("8:2", "/srv", "none"), f"has a partition, sda2, that {SRV}"),
    "another disk": (lambda h: h.mounted("8:32", "/srv", "/dev/sdc"), ""),
    "swap": (lambda h: swapped(h, "/dev/sdc", "/dev/sda"), "is swap in use; `swapoff /dev/sda` first"),
    "btrfs": (
        lambda h: h.write("sys/fs/btrfs/u/devices/sda", ""),
        "is a member of a mounted btrfs; unmount it first (`btrfs filesystem show` shows which)",
    ),
    "NVMe-oF": (
        lambda h: served(h, "nvmet/subsystems/s/namespaces/1/device_path", "/dev/sda\n"),
        f"is served to others (nvmet); {END}",
    ),
    "iSCSI": (
        lambda h: served(h, "target/core/iblock_0/x/udev_path", "/dev/sda\n"),
        f"is served to others (target); {END}",
    ),
    "iSCSI by a file": (
        lambda h: served(h, "target/core/fileio_0/x/info", "Status: A\n File: /dev/sda Size: 1\n"),
        f"is served to others (target); {END}",
    ),
    "USB": (
        lambda h: served(h, "usb_gadget/g/functions/mass_storage.0/lun.0/file", "/dev/sda\n"),
        f"is served to others (usb_gadget); {END}",
    ),
    "USB of the older kind": (
        lambda h: h.write("sys/class/udc/u/device/gadget/lun0/file", "/dev/sda\n"),
        f"is served to others (usb_gadget); {END}",
    ),
    "a relative path": (lambda h: served(h, "usb_gadget/g/functions/mass_storage.0/lun.0/file", "sda\n"), ""),
    "LVM": (lambda h: held(h, "vg-a", "LVM-1"), "is held by vg-a; `lvchange -an /dev/mapper/vg-a` first"),
    "crypt": (lambda h: held(h, "box", "CRYPT-LUKS2-1"), "is held by box; `cryptsetup close box` first"),
    "dm": (lambda h: held(h, "mpa", "mpath-1"), "is held by mpa; `dmsetup remove mpa` first"),
    "md": (lambda h: held(h, "md127"), "is held by md127; `mdadm --stop /dev/md127` first"),
    "another": (lambda h: held(h, "drbd0"), f"is held by drbd0; {END}"),
    "on a partition": (
        lambda h: held(h, "md127", on="sda1"),
        "has a partition, sda1, that is held by md127; `mdadm --stop /dev/md127` first",
    ),
    "bcache": (
        lambda h: h.write("sys/class/block/sda/bcache/x", ""),
        "is part of a bcache; stop it first (`echo 1 > /sys/block/bcacheN/bcache/stop`)",
    ),
    "its other path": (lambda h: h.mounted("8:16", "/srv", "none"), f"is the same drive as sdb, which {SRV}"),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_use_of_a_disk_is_named_with_the_way_to_end_it(host: Host, name: str) -> None:
    arrange, words = SITUATIONS[name]
    arrange(host)
    found = Uses(host.kernel).of([Layer("sda")])
    assert str(found or "") == words


def test_what_is_stacked_and_used_has_both_in_one_sentence(host: Host) -> None:
    held(host, "vg-a", "LVM-1")
    host.mounted("252:0", "/srv", "none")
    assert str(Uses(host.kernel).of([Layer("sda")])) == "is held by vg-a, which is mounted at /srv; `umount /srv` first"
    below = Layer("sda", words="its member")
    assert "its member" in str(Uses(host.kernel).of([Layer("sdc"), below]))
    assert Uses(host.kernel).of([Layer("sdc"), Layer("dm-0"), below]) is not None, "the volume itself is mounted"
    host.write("proc/self/mountinfo", "")
    assert Uses(host.kernel).of([Layer("dm-0"), below]) is None, "the volume is the target, its member no use"


def test_an_nvme_namespace_is_served_by_its_controller(host: Host) -> None:
    served(host, "nvmet/subsystems/s/passthru/device_path", "/dev/nvme0")
    assert str(Uses(host.kernel).of([Layer("nvme0n1")])) == f"is served to others (nvmet); {END}"
    assert Uses(host.kernel).of([Layer("sda")]) is None


def test_a_loop_above_a_node_is_a_use_and_tells_what_uses_it(host: Host) -> None:
    host.disk("loop3", "7:3")
    found = Uses(host.kernel)
    found.loops = [Loop("loop3", 0, 0, os.makedev(8, 0))]
    assert str(found.of([Layer("sda")])) == "is behind /dev/loop3; `losetup -d /dev/loop3` first"
    assert found.of([Layer("sdc")]) is None
    assert found.of([Layer("loop3"), Layer("sda")]) is None, "the loop is the target"
    host.mounted("7:3", "/srv", "none")
    found = Uses(host.kernel)
    found.loops = [Loop("loop3", 3, 4, 0)]
    file = Layer(file=(3, 4), path="/image")
    assert str(found.of([file])) == "is behind /dev/loop3, which is mounted at /srv; `umount /srv` first"
    assert found.of([Layer(file=(3, 5), path="/other")]) is None


def test_a_mount_of_another_namespace_is_entered(host: Host) -> None:
    found = Uses(host.kernel)
    found.mounts = [Mount("8:0", "/inner", "ext4", "none", pid=77)]
    assert str(found.of([Layer("sda")])).endswith("`nsenter -t 77 -m umount /inner` first")


def test_a_partition_is_used_by_what_overlaps_it_alone(host: Host) -> None:
    host.disk("sda3", "8:3", parent="sda", size=1000 * 512, partition="3", start="41000")
    assert partitions.within(host.kernel, "sda1") == ["sda3"]
    assert partitions.within(host.kernel, "sda2") == []
    host.disk("sda5", "8:5", parent="sda", size=512, partition="5", start="99000")
    host.disk("sda4", "8:4", parent="sda", size=1024, partition="4", start="95000")
    assert partitions.within(host.kernel, "sda4") == ["sda5"], "logical ones are within an extended one"
    assert partitions.within(host.kernel, "sda5") == []
    host.mounted("8:2", "/srv", "none")
    assert Uses(host.kernel).of([Layer("sda1"), Layer("sda", whole=False)]) is None
    host.mounted("8:3", "/opt", "none")
    told = "has a partition, sda3, that is mounted at /opt; `umount /opt` first"
    assert str(Uses(host.kernel).of([Layer("sda1"), Layer("sda", whole=False)])) == told


def test_a_node_that_the_kernel_gives_to_nobody_else_is_in_use(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, answers = list[tuple[Path, int]](), {"sdc": errno.EBUSY}

    def refuse(path: Path, flags: int) -> int:
        opened.append((path, flags))
        raise OSError(answers["sdc"], "no")

    monkeypatch.setattr(os, "open", refuse)
    for answers["sdc"], used in ((errno.EBUSY, True), (errno.ENOENT, False), (errno.EACCES, False)):
        found = Uses(host.kernel).of([Layer("sdc", claimed=False)])
        assert (found and (found.what.key, found.way.key)) == (("gate_to_itself", "gate_end") if used else None)
    assert {path for path, _ in opened} == {host.kernel.dev / "sdc"}
    assert all(flags & os.O_EXCL and not flags & (os.O_WRONLY | os.O_RDWR) for _, flags in opened)
    opened.clear()
    assert Uses(host.kernel).of([Layer("sdc", claimed=True)]) is None
    assert opened == [], "the layer above has it to itself"


def test_volumes_that_share_no_block_are_separate(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.disk("dm-0", "252:0", dm__name="vg-a", dm__uuid="LVM-1")
    host.disk("dm-1", "252:1", dm__name="vg-b", dm__uuid="LVM-2")
    host.stacked("dm-0", "sdc")
    host.stacked("dm-1", "sdc")
    tables = {"dm-0": "0 100 linear 8:32 0", "dm-1": "0 100 linear 8:32 100"}
    monkeypatch.setattr(volumes, "table", lambda kernel, node: tables[node])
    target = [Layer("dm-0"), Layer("sdc")]
    assert Uses(host.kernel).of(target) is None
    for other in ("0 100 linear 8:32 99", ""):
        tables["dm-1"] = other
        assert "is held by vg-b" in str(Uses(host.kernel).of(target))
    tables["dm-1"], tables["dm-0"] = "0 100 linear 8:32 100", ""
    assert "is held by vg-b" in str(Uses(host.kernel).of(target))


def test_the_table_of_a_volume_is_read_by_its_number(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Any]()

    def answer(*words: str, **more: Any) -> str:
        asked.append((words, more))
        return "table"

    monkeypatch.setattr(volumes, "answer", answer)
    host.disk("dm-0", "252:7", dm__name="vg-a")
    assert volumes.table(host.kernel, "dm-0") == "", "a host without device-mapper"
    host.write("dev/mapper/control", "")
    assert volumes.table(host.kernel, "sda") == ""
    assert volumes.table(host.kernel, "dm-0") == "table"
    words = ("dmsetup", "table", "--major", "252", "--minor", "7")
    assert asked == [(words, {"of": "vg-a", "what": "volumes are stored on", "limit_s": volumes.PATIENCE_S})]


def test_swap_whose_name_leads_elsewhere_is_found_by_the_kernels_refusal(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "swap"
    file.write_bytes(b"0")
    there = file.stat()
    layer = Layer(file=(there.st_dev, there.st_ino), path=str(file), words="its file")
    number = errno.ETXTBSY

    def copied(source: int, to: int, count: int) -> int:
        assert count == 0
        raise OSError(number, os.strerror(number))

    swapped(host, "/dev/sda")
    monkeypatch.setattr(os, "copy_file_range", copied)
    assert swap.unnamed([layer], Uses(host.kernel)) is None, "every swap is a node"
    swapped(host, "/dev/sda", "/gone")
    found = swap.unnamed([layer._replace(path="/none"), layer], Uses(host.kernel))
    assert str(found).startswith("its file")
    assert "swap" in str(found)
    assert swap.unnamed([layer._replace(file=(1, 2))], Uses(host.kernel)) is None, "another file is there now"
    number = errno.EINVAL
    assert swap.unnamed([layer], Uses(host.kernel)) is None
    assert swap.unnamed([], Uses(host.kernel)) is None


def test_a_drive_is_named_by_what_stays_with_it(host: Host) -> None:
    for link, node in (
        ("wwn-0x5000c5001", "sda"),
        ("ata-SN1", "sda"),
        ("stale-SN9", "sda"),
        ("wwn-0x5000c5001-part1", "sda1"),
    ):
        host.write(f"dev/disk/by-id/{link}", node)

    def of_node(node: str, serial: str = "SN1", wwn: str = "naa.5000c5001") -> tuple[str, ...]:
        return names._of_node(node, serial, wwn, host.kernel)

    assert of_node("sda") == ("SN1", "ata-SN1", "wwn-0x5000c5001", "naa.5000c5001")
    assert of_node("sda1") == ("SN1-part1", "wwn-0x5000c5001-part1", "naa.5000c5001-part1")
    assert of_node("sdc", "SN3", "") == ("SN3",)
    assert of_node("sdc", "", "") == ("sdc",), "nothing else names it"
    host.disk("sdd", "8:48", device__serial="SN3")
    assert of_node("sdc", "SN3", "") == ("sdc",), "two drives have this serial"
    host.disk("dm-0", "252:0", dm__name="vg-a")
    assert of_node("dm-0", "", "") == ("vg-a",)
    for node, backing, name in (
        ("loop1", "/dev/sda", "SN1"),
        ("loop2", "/images/a (deleted)", "/images/a (deleted)"),
        ("loop3", "/b", "/b"),
    ):
        host.disk(node, f"7:{node[-1]}", loop__backing_file=backing)
        assert of_node(node, "", "")[0] == name


@pytest.mark.parametrize(
    ("link", "serial", "wwn", "current"),
    [
        ("ata-Disk_sn1", "SN1", "", True),
        ("ata-Two_Words", "Two  Words", "", True),
        ("wwn-0xABC", "SN1", "naa.abc", True),
        ("nvme-eui.00a", "", "eui.00A", True),
        ("ata-other", "SN1", "naa.abc", False),
        ("anything", "", "", True),
        ("wwn-0xabc", "", "t10.abc", True),
        ("ata-other", "SN1", "t10.abc", False),
    ],
)
def test_a_link_that_fits_the_drive_is_current(link: str, serial: str, wwn: str, current: bool) -> None:
    assert names._is_current(link, serial, wwn) is current


def test_a_lock_is_told_with_its_program_if_it_has_one(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    file = host.root / "file"
    file.write_bytes(b"")
    there = file.stat()
    place = f"{os.major(there.st_dev):02x}:{os.minor(there.st_dev):02x}:{there.st_ino}"
    lines = [
        "1: POSIX  ADVISORY  WRITE 41 aa:bb:1 0 EOF",
        f"2: -> POSIX ADVISORY WRITE 42 {place} 0 EOF",
        f"3: FLOCK ADVISORY WRITE 43 {place} 0 EOF",
        f"4: POSIX ADVISORY WRITE 44 {place} 0 EOF",
        f"5: LEASE ACTIVE READ 45 {place} 0 EOF",
        f"6: LEASE ACTIVE WRITE 46 {place} 0 EOF",
    ]
    host.write("proc/locks", "\n".join(lines))
    host.write("proc/44/comm", "qemu\n")
    layer = Layer(file=(there.st_dev, there.st_ino), path=str(file))
    way = "`lslocks` shows more; end that first"
    monkeypatch.setattr(processes, "ours", lambda kernel, pid: False)
    assert str(locks.of_file(host.kernel, layer, [])) == f"is locked by qemu (process 44); {way}"
    below = layer._replace(words="its file")
    assert str(locks.of_file(host.kernel, below, [])) == f"is locked by another program; {way}", "also whole files"
    assert locks.leased(str(file), host.kernel) == f"is leased for writing by another program; {way}"
    monkeypatch.setattr(processes, "ours", lambda kernel, pid: True)
    assert locks.of_file(host.kernel, layer, []) is None


def test_a_node_that_cannot_be_written_is_refused_with_the_way(host: Host) -> None:
    def unready(node: str) -> str:
        return str(refusals._unready(f"/dev/{node}", node, host.kernel))

    assert unready("sda") == ""
    (host.kernel.block("sda") / "ro").write_text("1")
    assert "`blockdev --setrw /dev/sda`" in unready("sda")
    host.disk("loop1", "7:1", ro="1")
    assert unready("loop1")
    assert "blockdev" not in unready("loop1")
    host.disk("dm-0", "252:0", dm__name="vg-a", dm__suspended="1")
    assert "`dmsetup resume vg-a`" in unready("dm-0")
    (host.kernel.block("sdc") / "size").write_text("0")
    assert unready("sdc")
    assert len({unready(node) for node in ("sda", "loop1", "dm-0", "sdc")}) == 4


def test_a_container_is_known_by_its_processes(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    holdings = import_module("stend.gate.holdings")
    assert holdings._unseen(host.kernel) == []
    host.write("proc/self/ns/pid", "")
    inode = (host.kernel.proc / "self/ns/pid").stat().st_ino
    assert holdings._unseen(host.kernel) == [holdings.UNSEEN]
    monkeypatch.setattr(holdings, "FIRST_PIDS", inode)
    holdings = import_module("stend.gate.holdings")
    assert holdings._unseen(host.kernel) == []


def test_the_drive_of_a_file_system_without_a_number_is_its_source(host: Host) -> None:
    def source(path: str) -> str:
        return mounts._source(host.kernel, Mount("0:9", "/", "btrfs", path))

    assert (source("/dev/sda"), source("/dev/nvme0"), source("none"), source("/gone")) == ("sda", "", "", "")
    assert mounts._source(host.kernel, None) == ""
