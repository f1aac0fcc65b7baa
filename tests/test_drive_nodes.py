"""Identities of nodes and files by a made host: sizes, names, interfaces, blocks, and what a path is otherwise."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend import devices
from stend.base import direct_io
from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.devices import block, file
from stend.devices.telling import facts
from stend.model.definition import Identity
from stend.words import Sentence
from tests.stand import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


FACTS = {"device__model": "M 1", "device__rev": "r1", "queue__logical_block_size": "4096", "queue__rotational": "1",
         "queue__physical_block_size": "8192"}  # fmt: skip


def test_the_identity_of_a_disk_and_of_its_partition_is_what_the_kernel_states(host: Host) -> None:
    host.disk("sda", "8:0", 64 * MiB, facts=FACTS)
    host.disk("sda1", "8:1", 8 * MiB, parent="sda", partition="1")
    for node, size in (("sda", 64 * MiB), ("sda1", 8 * MiB)):
        found = block.identify("/x", node, f"/dev/{node}", host.kernel)
        assert (found.kind, found.target, found.path, found.capacity_bytes) == ("block", "/x", f"/dev/{node}", size)
        assert (found.model, found.firmware, found.interface) == ("M 1", "r1", "sda")
        assert (found.logical_bytes, found.physical_bytes, found.rotational) == (4096, 8192, True)


@pytest.mark.parametrize(
    ("node", "more", "told"),
    [
        ("sda", {}, ("sda", "", "sda", 512, 512, False)), ("loop3", FACTS, ("M 1", "r1", "loop", 4096, 8192, False)),
        ("sdb", {"queue__rotational": "0"}, ("sdb", "", "sdb", 512, 512, False)),
        ("dm-0", {"dm__name": "vg-a"}, ("vg-a", "", "dm", 512, 512, False)),
        ("nvme0n1", {"device__firmware_rev": "f"}, ("nvme0n", "f", "nvme", 512, 512, False)),
        ("mmcblk0", {"device__type": "SD", "device__name": "N", "device__fwrev": "0x3"},
         ("N", "0x3", "sd", 512, 512, False)),
        ("mmcblk1", {"device__type": "MMC", "device__name": "E"}, ("E", "", "emmc", 512, 512, False)),
    ],
)  # fmt: skip
def test_the_identity_of_a_node_has_defaults(
    node: str, more: dict[str, str], told: tuple[Any, ...], host: Host
) -> None:
    host.disk(node, "9:9", facts=more)
    found = block.identify(node, node, node, host.kernel)
    shown = (found.model, found.firmware, found.interface, found.logical_bytes, found.physical_bytes, found.rotational)
    assert shown == told


def test_a_file_has_the_largest_block_of_the_disks_that_store_it(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(8192))
    number = path.stat().st_dev
    host.disk("md0", f"{os.major(number)}:{os.minor(number)}")
    for n, size in enumerate(("512", "4096")):
        host.disk(f"sd{'ab'[n]}", f"8:{16 * n}", queue__logical_block_size=size)
    host.stacked("md0", "sda", "sdb")
    monkeypatch.setattr(direct_io, "block_bytes", lambda path: 0)
    looked = facts.Looked()
    assert file._block_bytes(str(path), host.kernel, looked) == 4096
    assert [doubt.key for doubt in looked.doubts] == ["cached_file"]
    (host.root / "sys/dev/block" / f"{os.major(number)}:{os.minor(number)}").unlink()
    assert file._block_bytes(str(path), host.kernel, facts.Looked()) == 512
    monkeypatch.setattr(direct_io, "block_bytes", lambda path: 1024)
    looked = facts.Looked()
    assert (file._block_bytes(str(path), host.kernel, looked), looked.doubts) == (1024, [])


def test_a_file_has_whole_blocks_and_the_remarks_of_its_drives(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(3 * 4096 + 4095))
    member: Any = SimpleNamespace(
        node="sda",
        identity=Identity(
            kind="ata", target="x", path="/dev/sda", capacity_bytes=9, facts={"doubts": [Sentence("failing")], "a": 1}
        ),
    )
    found = file._identity("t", str(path), path.stat().st_size, host.kernel, [member])
    assert (found.kind, found.target, found.path, found.capacity_bytes) == ("file", "t", str(path), 3 * 4096)
    assert (found.model, found.serial, found.interface) == ("file", "a", "file")
    (below,) = found.facts["drives_below"]
    assert (below["path"], below["a"], "doubts" in below) == ("/dev/sda", 1, False)
    assert "of_drive" in [doubt.key for doubt in found.facts["doubts"]]


@pytest.mark.parametrize(
    ("size", "free_blocks", "fits"), [(98 * 4096, 100, True), (98 * 4096 + 1, 100, False), (0, 2, True), (1, 2, False)]
)
def test_a_new_file_leaves_a_fiftieth_of_the_file_system(
    size: int, free_blocks: int, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = SimpleNamespace(f_bavail=free_blocks, f_blocks=100, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda path: space)
    if fits:
        file._check_space("t", Path("/f"), size)
    else:
        with pytest.raises(BadInput, match=r"^t needs .*, /f has .* to spare; make it smaller$"):
            file._check_space("t", Path("/f"), size)


@pytest.mark.parametrize(
    ("mode", "words"),
    [(0o040755, "a folder; name a drive"), (0o010644, "a pipe, not a drive"), (0o140644, "a socket, not a drive"),
     (0o020644, "a character device, not a drive; `stend devices` lists the drives")],
)  # fmt: skip
def test_a_path_that_is_no_drive_is_named_as_what_it_is(mode: int, words: str, tmp_path: Path) -> None:
    assert file._describe(str(tmp_path / "nvme7"), mode).startswith(words)


def test_a_controller_has_the_drives_of_its_name(tmp_path: Path) -> None:
    for name in ("nvme7n2", "nvme7n1", "nvme7n1p1", "nvme71n1"):
        (tmp_path / name).touch()
    expected = f"a character device, not a drive; its drives are {tmp_path}/nvme7n1, {tmp_path}/nvme7n2"
    assert file._describe(str(tmp_path / "nvme7"), 0o020600) == expected


def test_a_drive_that_moved_is_where_its_serial_or_its_wwn_is(monkeypatch: pytest.MonkeyPatch) -> None:
    known = (
        ("/dev/sda", "S", ""),
        ("/dev/sdb", "S", ""),
        ("/dev/sdc", "", "W"),
        ("/dev/sdd", "", ""),
        ("/dev/sde", "T", "V"),
    )
    drives = [Identity(kind="x", target=t, path=t, capacity_bytes=1, serial=s, wwn=w) for t, s, w in known]
    monkeypatch.setattr(devices, "listing", lambda: [(drive, "") for drive in drives])
    assert list(devices.moved("/dev/sda", "S", "W")) == ["/dev/sda", "/dev/sdb", "/dev/sdc"]
    assert list(devices.moved("/dev/sdx", "S")) == ["/dev/sdx", "/dev/sda", "/dev/sdb"]
    assert list(devices.moved("/dev/sdx", "", "")) == ["/dev/sdx"]


def test_a_drive_with_one_way_to_be_purged_takes_no_other() -> None:
    sim = devices.find("sim:small")
    devices.configure_purge(sim, "", "", 5.0, print)
    for method, vendor in (("crypto", ""), ("", "x")):
        with pytest.raises(BadInput, match=r"^sim:small has one way to be purged; leave --method and --command out$"):
            devices.configure_purge(sim, method, vendor, 0.0, print)
    assert (devices.name(sim.identity), devices.loss(sim.identity), devices.reason(sim.identity)) == ("", "", "")
    assert devices.use(sim.identity) == ""


@pytest.mark.parametrize("target", ["", "  "])
def test_a_target_without_a_name_is_refused(target: str) -> None:
    with pytest.raises(BadInput, match=r"^the target is empty; name a drive that `stend devices` lists"):
        devices.find(target)
