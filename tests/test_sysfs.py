"""Facts of the kernel about block devices, from a copied tree: names, stacks, twins, loops; and real ioctls."""

import array
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stend.base import sysfs
from stend.base.sysfs import Kernel, Loop

FIONREAD = 0x541B
"""asm-generic/ioctls.h: the bytes that can be read, as an int."""
SERIAL = b"\x00\x80\x00\x08S3RIAL \x00"
"""A VPD page 80h: its header of four bytes, and the serial number (SPC-5)."""
NODES: dict[str, dict[str, Any]] = {
    "sda": {"dev": "8:0", "size": 1000, "ro": 0, "device/vpd_pg80": SERIAL, "device/wwid": "naa.5000"},
    "sda1": {"partition": 1, "dev": "8:1", "size": 400, "ro": 1},
    "sda2": {"partition": 2, "dev": "8:2", "size": 100},
    "sda10": {"partition": 10, "dev": "8:10", "size": 100},
    "sdb": {"dev": "8:16", "size": 1000, "serial": "OTHER", "device/wwid": "naa.5000"},
    "sdc": {"dev": "8:32", "size": 0, "serial": "OTHER", "device/wwid": "naa.5000"},
    "sdd": {"dev": "8:48", "size": 7, "serial": "OTHER"},
    "nvme0n1": {"dev": "259:0", "size": 8, "device/serial": "N1", "serial": "x", "wwid": "eui.1", "device/wwid": "y"},
    "nvme0n2": {"dev": "259:1", "size": 8, "device/serial": "N1", "wwid": "eui.2"},
    "dm-0": {"dev": "253:0", "size": 5, "dm/name": "vg-data", "dm/suspended": 1},
    "dm-1": {"dev": "253:1", "size": 5, "dm/name": "", "dm/suspended": 0},
    "loop0": {"dev": "7:0", "size": 9, "loop/backing_file": "/images/a (deleted)"},
    "loop1": {"dev": "7:1", "size": 9, "loop/backing_file": "/images/b"},
    "loop2": {"dev": "7:2", "size": 0},
}
WITHIN = {"sda1": "sda", "sda2": "sda", "sda10": "sda"}
BELOW = {"dm-0": ["sda1", "sdb"], "dm-1": ["dm-0"]}


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    """A copied tree of these nodes, whose folders are links as those of a host are."""
    for name, files in NODES.items():
        place = Path("devices") / WITHIN.get(name, "") / name
        folder = tmp_path / "sys" / place
        for file, value in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(value if isinstance(value, bytes) else f"{value}\n".encode())
        for kind in ("class/block", "dev/block"):
            (tmp_path / "sys" / kind).mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys/class/block" / name).symlink_to(f"../../{place}")
        (tmp_path / "sys/dev/block" / files["dev"]).symlink_to(f"../../{place}")
    for upper, lower in BELOW.items():
        for name in lower:
            for inner, other in ((f"{upper}/slaves", name), (f"{name}/holders", upper)):
                (tmp_path / "sys/class/block" / inner).mkdir(exist_ok=True)
                (tmp_path / "sys/class/block" / inner / other).touch()
    (tmp_path / "dev").mkdir()
    return Kernel(tmp_path)


def node(major: int, minor: int, kind: int = stat.S_IFBLK, size: int = 0) -> os.stat_result:
    return os.stat_result((kind | 0o660, 1, 2, 1, 0, 0, size, 0, 0, 0), {"st_rdev": os.makedev(major, minor)})


def test_nodes_are_listed_as_people_count(kernel: Kernel) -> None:
    drives = ["dm-0", "dm-1", "loop0", "loop1", "loop2", "nvme0n1", "nvme0n2"]
    assert kernel.nodes() == [*drives, "sda", "sda1", "sda2", "sda10", "sdb", "sdc", "sdd"]
    assert kernel.partitions("sda") == ["sda1", "sda2", "sda10"]
    assert (kernel.partitions("sdb"), kernel.partitions(""), kernel.partitions("sdz")) == ([], [], [])
    assert sorted(["a10", "a2", "a", "b1", "a02x"], key=sysfs.natural) == ["a", "a2", "a02x", "a10", "b1"]


def test_a_node_is_described_by_its_files(kernel: Kernel) -> None:
    assert (kernel.number("sda1"), kernel.number("sdz")) == ("8:1", "")
    assert (kernel.size_bytes("sda"), kernel.size_bytes("sdc"), kernel.size_bytes("sdz")) == (512_000, 0, 0)
    assert (kernel.read_only("sda1"), kernel.read_only("sda"), kernel.read_only("sdb")) == (True, False, False)
    assert (kernel.has("sda1", "partition"), kernel.has("sda", "partition")) == (True, False)
    assert (kernel.suspended("dm-0"), kernel.suspended("dm-1")) == (True, False)
    assert (kernel.is_volume("dm-0"), kernel.is_volume("sda")) == (True, False)
    assert [kernel.label(name) for name in ("dm-0", "dm-1", "sda")] == ["vg-data", "dm-1", "sda"]
    assert (kernel.backing("loop0"), kernel.backing_words("loop0")) == ("/images/a", "/images/a (deleted)")
    assert kernel.block("sda") == kernel.root / "sys/class/block/sda"
    assert (kernel.proc, kernel.dev) == (kernel.root / "proc", kernel.root / "dev")


def test_a_stack_is_known_from_above_and_from_below(kernel: Kernel) -> None:
    assert [kernel.parent(name) for name in ("sda10", "sda", "dm-0")] == ["sda", "", ""]
    assert (kernel.holders("sda1"), kernel.holders("dm-0"), kernel.holders("dm-1")) == (["dm-0"], ["dm-1"], [])
    assert (kernel.slaves("dm-0"), kernel.slaves("sda")) == (["sda1", "sdb"], [])
    assert [kernel.disks(name) for name in ("dm-1", "sda2", "sda")] == [{"sda", "sdb"}, {"sda"}, {"sda"}]


@pytest.mark.parametrize(
    ("name", "serial", "wwn"),
    [("sda", "S3RIAL", "naa.5000"), ("sda2", "S3RIAL", "naa.5000"), ("sdb", "OTHER", "naa.5000"), ("sdd", "OTHER", ""),
     ("nvme0n1", "N1", "eui.1"), ("dm-0", "", ""), ("sdz", "", "")],
)  # fmt: skip
def test_a_drive_is_identified_by_its_own_numbers_before_those_of_its_device(
    name: str, serial: str, wwn: str, kernel: Kernel
) -> None:
    assert kernel.names(name) == {"serial": serial, "wwn": wwn}


def test_another_path_to_a_drive_is_its_twin_and_another_drive_of_its_serial_its_namesake(kernel: Kernel) -> None:
    """A node without a size is not set up, and a partition is no drive."""
    for name in ("sda", "sda1"):
        assert (kernel.twins(name), kernel.namesakes(name)) == (["sdb"], [])
    assert (kernel.twins("sdb"), kernel.namesakes("sdb")) == (["sda"], ["sdd"])
    assert (kernel.twins("sdd"), kernel.namesakes("sdd")) == ([], ["sdb"])
    assert (kernel.twins("nvme0n1"), kernel.namesakes("nvme0n1")) == ([], ["nvme0n2"])
    assert (kernel.twins("dm-0"), kernel.namesakes("dm-0")) == ([], [])


def test_character_devices_beside_a_drive_are_those_of_its_own_folder(kernel: Kernel) -> None:
    block, other = kernel.root / "sys/class/block", kernel.root / "sys/class/nvme-generic/ng0n1"
    for path, number in (
        (block / "sda/device/scsi_generic/sg0/dev", "21:0"),
        (block / "sda/device/bsg/0:0:0:0/dev", "247:0"),
        (block / "nvme0n1/device/dev", "240:0"),
        (block / "nvme0n1/device/nvme1/dev", "240:1"),
        (block / "sdb/device/dev", "1:1"),
        (other / "dev", "241:0"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n")
    assert kernel.generic("sda") == kernel.generic("sda1") == ["21:0", "247:0"]
    assert (kernel.generic("nvme0n1"), kernel.generic("nvme0n2"), kernel.generic("sdb")) == (["241:0"], [], [])
    assert kernel.controllers("nvme0n1") == ["240:0", "240:1"]
    assert kernel.controllers("sdb") == kernel.controllers("nvme0n2") == []


def test_a_device_number_has_the_name_that_the_kernel_links(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernel.node_of(os.makedev(8, 10)) == "sda10"
    assert kernel.node_of(os.makedev(8, 11)) == ""
    assert (kernel.node_at(str(kernel.root)), kernel.node_at("/dev/null"), kernel.node_at("\0")) == ("", "", "")
    monkeypatch.setattr(os, "stat", lambda path: node(8, 1))
    assert kernel.node_at("/dev/some-name") == "sda1"


def test_the_status_of_a_path_does_not_depend_on_a_slash_at_its_end(kernel: Kernel) -> None:
    (kernel.root / "images").mkdir()
    (kernel.root / "images/a").write_bytes(b"12345")
    for path in ("/images/a", "images/a", "/images/a/", "/images/a/."):
        there = kernel.there(path)
        assert there is not None, path
        assert there.st_size == 5
    assert kernel.there("/images/b") is kernel.there("/images/\0") is None
    assert (Kernel().at("/dev/x"), Kernel().at("dev/x")) == ("/dev/x", "/dev/x")


def test_processes_are_those_folders_that_begin_with_a_digit_in_their_order(kernel: Kernel) -> None:
    for name in ("10", "9", "100", "self", "meminfo"):
        (kernel.root / "proc" / name).mkdir(parents=True)
    assert kernel.processes() == ["9", "10", "100"]


def test_links_of_a_drive_are_those_that_lead_to_its_number(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = kernel.root / "dev/disk/by-id"
    folder.mkdir(parents=True)
    (folder / "wwn-b").touch()
    (folder / "ata-a").touch()
    (folder / "broken").symlink_to("nothing")
    assert kernel.links("sda") == [], "files are no block nodes"
    found: Callable[..., Any] = lambda _, path: None if path.endswith("broken") else node(8, 0)  # noqa: E731
    monkeypatch.setattr(Kernel, "there", found)
    assert (kernel.links("sda"), kernel.links("sdb")) == (["ata-a", "wwn-b"], [])


def test_only_a_block_node_of_the_number_is_the_node() -> None:
    assert sysfs.is_node(node(8, 1), "8:1")
    assert not sysfs.is_node(node(8, 2), "8:1")
    assert not sysfs.is_node(node(8, 1, stat.S_IFCHR), "8:1")


def test_loops_are_known_from_their_driver_or_else_by_the_path_of_their_file(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kernel.root / "images").mkdir()
    (kernel.root / "images/b").touch()
    there = (kernel.root / "images/b").stat()
    assert [*kernel.loops()] == [Loop("loop1", there.st_dev, there.st_ino, there.st_rdev)], "loop2 is not set up"
    asked = list[Any]()

    def answer_at(path: str, request: int, words: int) -> "array.array[int]":
        asked.append((path, request, words))
        return array.array("Q", [11, 12, 13, *range(words - 3)])

    monkeypatch.setattr(sysfs, "answer_at", answer_at)
    assert [*kernel.loops()] == [Loop("loop0", 11, 12, 13), Loop("loop1", 11, 12, 13)]
    status = (0x4C05, 232 // 8)  # linux/loop.h: LOOP_GET_STATUS64, struct loop_info64 of 232 bytes
    assert asked == [(f"{kernel.root}/dev/{name}", *status) for name in ("loop0", "loop1")]


def test_an_ioctl_is_answered_in_words_of_64_bits(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"12345")
    answered = sysfs.answer(read, FIONREAD, 2)
    assert answered is not None
    assert answered.tolist() == [5, 0]
    assert sysfs.answer(read, sysfs.BLKGETSIZE64) is None
    os.close(read)
    os.close(write)
    (tmp_path / "file").write_bytes(b"123")
    found = sysfs.answer_at(tmp_path / "file", FIONREAD)
    assert found is not None
    assert found.tolist() == [3]
    assert sysfs.answer_at(tmp_path / "gone", FIONREAD) is None
    os.mkfifo(tmp_path / "fifo")
    assert sysfs.answer_at(tmp_path / "fifo", FIONREAD) == array.array("Q", [0]), "opening a FIFO must not wait"


def test_the_size_of_an_open_file_is_its_own_and_of_a_device_what_the_driver_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"123")
    with (tmp_path / "file").open() as file:
        assert sysfs.fd_bytes(file.fileno()) == 3
        monkeypatch.setattr(os, "fstat", lambda fd: node(8, 0, size=3))
        assert sysfs.fd_bytes(file.fileno()) == 0, "a drive that was removed"
        monkeypatch.setattr(sysfs, "answer", lambda fd, request: [2**40] if request == 0x80081272 else None)
        assert sysfs.fd_bytes(file.fileno()) == 2**40


@pytest.mark.parametrize(
    ("text", "number"),
    [("12\n", 12), (" 7 ", 7), ("", 0), ("x", 0), ("-1", 0), ("1.5", 0), ("٣", 0), ("²", 0), ("9" * 18, 10**18 - 1),
     ("9" * 19, 0)],
)  # fmt: skip
def test_a_number_in_a_file_has_digits_alone_and_fits_into_64_bits(text: str, number: int, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    assert sysfs.count(tmp_path / "file") == number
    assert sysfs.count(tmp_path / "gone") == 0
