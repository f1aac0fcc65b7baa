"""A file is not a drive, nor is what lies on another one: every page says so."""

import tempfile
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from stend.base.units import MiB
from stend.devices import ata, block, file, md, nvme, scsi
from stend.devices.telling import below, places
from stend.gate.mounts import Mount
from stend.words import Language
from tests.stand import Host


def said(kind: str, options: str = "rw") -> list[str]:
    return list(places.of_mount(Mount("0:1", "/mnt", kind, "source", options=options)))


@pytest.mark.parametrize(
    ("kind", "options", "word"),
    [
        ("tmpfs", "rw", "in memory"),
        ("btrfs", "rw", "new place"),
        ("zfs", "rw", "new place"),
        ("nfs4", "rw,vers=4.2", "network"),
        ("cifs", "rw", "network"),
        ("fuse.sshfs", "rw", "between"),
        ("overlay", "rw", "between"),
        ("ext4", "rw,compress=zstd:3", "compresses"),
    ],
)
def test_a_file_system_that_does_more_than_pass_requests_on_is_named_in_both_languages(
    kind: str, options: str, word: str
) -> None:
    (text,) = said(kind, options)
    assert word in text
    assert Language("ru").translated(text) != text


def test_a_compressing_file_system_is_told_to_compress_beside_what_else_it_does() -> None:
    assert len(said("btrfs", "rw,compress-force=zstd:3")) == 2
    assert len(said("btrfs", "rw,compress=none")) == 1


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_plain_file_systems_get_no_doubt(kind: str) -> None:
    assert said(kind, "rw,relatime") == []


def test_encryption_and_the_page_cache_are_found_below_a_volume(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.disk("sda", "8:0")
    host.disk("dm-0", "253:0", dm__uuid="CRYPT-LUKS2-1", dm__name="secret")
    host.disk("dm-1", "253:1", dm__uuid="LVM-1", dm__name="volume")
    host.disk("loop0", "7:0", loop__dio="0", loop__backing_file="/x")
    host.disk("loop1", "7:1", loop__dio="1", loop__backing_file="/y")
    host.stacked("dm-0", "sda")
    host.stacked("dm-1", "dm-0")
    assert [text.split()[-2:] for text in places.of_node("dm-1", host.kernel)] == [["is", "written"]]
    assert ["cache" in text for text in places.of_node("loop0", host.kernel)] == [True]
    assert list(places.of_node("loop1", host.kernel)) == list(places.of_node("sda", host.kernel)) == []
    for text in (*places.of_node("dm-1", host.kernel), *places.of_node("loop0", host.kernel)):
        assert Language("ru").translated(text) != text


def test_a_file_in_memory_says_so_on_every_page() -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as place:
        place.truncate(2 * MiB)
        warnings = file.find(place.name).identity.facts.get("warnings", [])
    assert warnings == ["not a drive: the file is in memory (tmpfs)"]


def in_groups(host: Host, groups: str, limits: dict[str, str]) -> None:
    """Let this process be in control groups with such limits."""
    host.write("proc/self/cgroup", groups)
    for path, text in limits.items():
        host.write(f"sys/fs/cgroup/{path}", text)


@pytest.fixture
def stacked(tmp_path: Path) -> Host:
    """A partition of a drive, and a volume on it."""
    host = Host(tmp_path)
    host.disk("sda", "8:0")
    host.disk("sda1", "8:1", parent="sda", partition="1")
    host.disk("dm-0", "253:0", dm__uuid="LVM-1", dm__name="volume")
    host.stacked("dm-0", "sda1")
    return host


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/lab/x\n", {"lab/x/io.max": "8:0 rbps=2000000 wbps=max riops=max wiops=120"}, {
            "/lab/x limits reads of sda to 2 MB/s", "/lab/x limits writes of sda to 120 IOPS"}),
        ("0::/lab/x\n", {"lab/x/io.max": "8:0 wiops=900", "lab/io.max": "8:0 wiops=300"}, {
            "/lab limits writes of sda to 300 IOPS"}),
        ("0::/lab/x\n", {"lab/x/io.max": "8:0 wiops=300", "lab/io.max": "8:0 wiops=900"}, {
            "/lab/x limits writes of sda to 300 IOPS"}),
        ("0::/lab/x\n", {"lab/x/io.max": "8:0 rbps=max wbps=max riops=max wiops=max"}, set()),
        ("0::/lab/x\n", {"lab/x/io.max": "8:16 wiops=120", "other/io.max": "8:0 wiops=1"}, set()),
        ("0::/\n", {}, set()),
        ("0::/lab/x\n", {"lab/x/io.max": "253:0 riops=50\n8:16 riops=1"}, {"/lab/x limits reads of dm-0 to 50 IOPS"}),
        ("3:cpu:/x\n2:blkio:/docker/7\n0::/\n", {"blkio/blkio.throttle.write_bps_device": "8:0 1500000"}, {
            "/ limits writes of sda to 1.5 MB/s"}),
        ("2:blkio:/a\n", {"blkio/a/blkio.throttle.read_iops_device": "8:0 400\n8:16 7"}, {
            "/a limits reads of sda to 400 IOPS"}),
    ],
)  # fmt: skip
def test_limits_of_control_groups_on_a_drive_are_named_once_whatever_is_above_it(
    groups: str, limits: dict[str, str], expected: set[str], stacked: Host
) -> None:
    """`io.max` and blkio.throttle, kernel documentation cgroup-v2.rst and cgroup-v1/blkio-controller.rst."""
    in_groups(stacked, groups, limits)
    looked = block.look("dm-0", stacked.kernel)
    drive = block.identify("/dev/sda", "sda", "/dev/sda", stacked.kernel)
    drive = msgspec.structs.replace(drive, facts=block.look("sda", stacked.kernel).all)
    below.add_members(looked, [SimpleNamespace(identity=drive, node="sda")])
    told = sorted(text.removeprefix("its drive sda: ") for text in looked.warnings)
    assert told == sorted(f"not the drive alone: the control group {text}" for text in expected)
    assert {text.split("the control group ")[1].split()[0] for text in looked.doubts} == {
        text.split()[0] for text in expected
    }
    assert all(Language("ru").translated(text) != text for text in (*looked.warnings, *looked.doubts))


LOOKS = {"nvme0n1": nvme.look, "sdb": ata.look, "sdc": scsi.look, "md0": md.look, "zram0": block.look}


@pytest.mark.parametrize("node", LOOKS)
def test_a_limit_on_a_drive_of_any_kind_is_named(node: str, tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.disk(node, "259:3")
    in_groups(host, "0::/x\n", {"x/io.max": "259:3 wiops=9"})
    looked = LOOKS[node](node, host.kernel)
    assert f"not the drive alone: the control group /x limits writes of {node} to 9 IOPS" in looked.warnings


def test_a_limit_on_the_disk_of_a_partition_is_named(stacked: Host) -> None:
    in_groups(stacked, "0::/x\n", {"x/io.max": "8:0 rbps=1000000"})
    assert block.look("sda1", stacked.kernel).warnings == [
        "not the drive alone: the control group /x limits reads of sda to 1 MB/s"
    ]
