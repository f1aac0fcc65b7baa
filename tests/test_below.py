"""Arrays, volumes and partitions tell of the drives they lie on; the drives are played."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend import devices
from stend.base import programs
from stend.base.errors import Refused
from stend.base.units import MiB
from stend.devices import block, md
from stend.words import Language
from tests.stand import Host, Stand, number_of
from tests.test_purge import Bench

pytestmark = pytest.mark.block
LINK = {"current_link_speed": "16.0 GT/s PCIe", "max_link_speed": "16.0 GT/s PCIe", "max_link_width": "4"}
SMART = {"temperature": 300, "media_errors": 2, "data_units_written": 1000, "data_units_read": 0}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """nvme-cli, the same for every drive but for the temperature of the second."""
    made = Bench(tmp_path, monkeypatch)
    monkeypatch.setenv("PATH", f"{made.bin}:/usr/sbin:/usr/bin:/sbin:/bin")
    hot = json.dumps(SMART | {"temperature": 340})
    smart = f"smart-log) case \"$2\" in *nvme1) echo '{hot}';; *) echo '{json.dumps(SMART)}';; esac;;"
    made.program("nvme", f'case "$1" in id-ctrl) echo \'{{"vid": 1, "fr": "F1"}}\';; {smart} *) exit 1;; esac')
    return made


@pytest.fixture
def host(tmp_path: Path, bench: Bench) -> Iterator[Host]:
    """Two NVMe drives, the second on half its lanes."""
    with ExitStack() as end:
        stand, made = Stand(tmp_path, end), Host(tmp_path / "host")
        for name, lanes in (("nvme0n1", "4"), ("nvme1n1", "2")):
            real = stand.loop(stand.file(f"{name}.bin"))
            made.disk(name, number_of(real), device__serial=f"SN{name[4]}", queue__iostats="1")
            (made.root / "dev" / name).symlink_to(real)
            for file, told in (LINK | {"current_link_width": lanes}).items():
                made.write(f"sys/class/nvme/{name[:5]}/device/{file}", told)
        made.upper = stand.loop(stand.file("upper.bin"))  # type: ignore[attr-defined]
        yield made


def upper(host: Host, name: str, **files: str) -> str:
    """What is stacked on both drives."""
    node: str = host.upper  # type: ignore[attr-defined]
    host.disk(name, number_of(node), stat="1 0 16 0 1 0 32 0 0 0 0", facts=files)
    host.stacked(name, "nvme0n1", "nvme1n1")
    return node


def test_the_members_of_an_array_tell_their_facts_and_their_doubts(host: Host) -> None:
    node = upper(host, "md0", md__level="raid1", md__raid_disks="2", md__degraded="0")
    array = devices.find(node, host.kernel)
    first, second = array.identity.facts["members"]
    assert (first["serial"], first["link"], first["link_capable"]) == ("SN0", "gen 4 x4", "gen 4 x4")
    assert (second["serial"], second["link"], second["firmware"]) == ("SN1", "gen 4 x2", "F1")
    (doubt,) = array.identity.facts["doubts"]
    assert doubt.startswith("its drive nvme1n1: its PCI Express link runs at gen 4 x2, it can gen 4 x4")
    assert array.identity.facts["warnings"] == ["its drive nvme1n1: PCI Express link gen 4 x2 of gen 4 x4"]
    told = Language("ru").translated(array.identity.facts["warnings"][0])
    assert told == "накопитель nvme1n1, на котором это лежит: интерфейс PCI Express работает на gen 4 x2 из gen 4 x4"


def test_an_array_is_as_hot_as_its_hottest_member_and_counts_what_all_of_them_count(host: Host) -> None:
    node = upper(host, "md0", md__level="raid1", md__raid_disks="2", md__degraded="1")
    array = devices.find(node, host.kernel)
    health = array.health()
    assert (health["temperature_c"], health["media_errors"], health["degraded"]) == (67, 4, 1)
    assert (health["kernel_read_bytes"], health["kernel_write_bytes"]) == (16 * 512, 32 * 512)
    assert "host_write_bytes" not in health
    assert "degraded array, 1 of its members are missing" in array.identity.facts["warnings"]


@pytest.mark.parametrize("action", ["resync", "recover", "check"])
def test_an_array_that_is_busy_with_itself_is_refused_and_says_how_far_it_is(host: Host, action: str) -> None:
    more = {"md__sync_action": action, "md__sync_completed": "12 / 99"}
    node = upper(host, "md0", md__level="raid1", md__raid_disks="2", **more)
    array = devices.find(node, host.kernel)
    with pytest.raises(Refused, match=f"synchronised or checked .{action}, 12 / 99 sectors.; wait until it is done"):
        array.door.open(writes=True, destroy="md0")
    assert "wait until it is done" in devices.reason(block.identify(node, "md0", node, host.kernel), host.kernel)
    array.door.open(writes=False, destroy=None)  # so that `stend doctor` can put back a cache after a power cut
    array.door.close()
    host.write("sys/devices/md0/md/sync_action", "idle")
    assert devices.reason(block.identify(node, "md0", node, host.kernel), host.kernel) == ""
    array.door.open(writes=True, destroy="md0")
    array.door.close()


def test_the_write_cache_of_an_array_is_that_of_all_its_members(host: Host, bench: Bench, tmp_path: Path) -> None:
    state = bench.bin / "cache"
    script = f"""case "$1 $*" in
    get-feature*id=6*) echo "Current value:0x0000000$(cat {state}.$(basename $2))";;
    set-feature*value=*) printf %s "${{4#--value=}}" > {state}.$(basename $2);;
    *) exit 1;; esac"""
    bench.program("nvme", script)
    for name in ("nvme0", "nvme1"):
        Path(f"{state}.{name}").write_text("1")
    node = upper(host, "md0", md__level="raid0", md__raid_disks="2", md__uuid="ab-cd")
    array = devices.find(node, host.kernel)
    assert isinstance(array, md.MdDevice)
    assert array.identity.serial == "ab-cd"
    assert array.cache() == "enabled"
    array.door.open(writes=True, destroy="ab-cd")
    array.set_cache("disabled")
    assert [Path(f"{state}.{name}").read_text() for name in ("nvme0", "nvme1")] == ["0", "0"]
    Path(f"{state}.nvme1").write_text("1")
    assert array.cache() == ""
    array.set_cache("enabled")
    array.door.close()


def test_an_array_is_purged_whole_and_says_why_its_members_are_not(host: Host) -> None:
    node = upper(host, "md0", md__level="raid1", md__raid_disks="2", queue__discard_max_bytes="1048576")
    array = devices.find(node, host.kernel)
    array.door.open(writes=True, destroy="md0")
    try:
        said = array.purge()
    finally:
        array.door.close()
    assert "(not a drive's own purge), a sample read back as zeros" in said
    assert said.endswith("it is an array: its members' own purges would take the array with them")


def test_a_volume_tells_the_drives_it_lies_on(host: Host) -> None:
    node = upper(host, "dm-0", dm__name="vg-data", dm__uuid="LVM-abc", queue__read_ahead_kb="128")
    volume = devices.find(node, host.kernel)
    facts = volume.identity.facts
    assert (facts["volume"], facts["volume_kind"], facts["read_ahead_kib"]) == ("vg-data", "LVM", 128)
    assert [drive["serial"] for drive in facts["drives_below"]] == ["SN0", "SN1"]
    assert volume.health()["temperature_c"] == 67


def test_a_partition_tells_its_drive(host: Host, tmp_path: Path) -> None:
    node: str = host.upper  # type: ignore[attr-defined]
    host.disk("nvme1n1p1", number_of(node), parent="nvme1n1", partition="1", stat="1 0 16 0 1 0 32 0 0 0 0")
    part = devices.find(node, host.kernel)
    (drive,) = part.identity.facts["drives_below"]
    assert drive["serial"] == "SN1"
    assert part.health()["kernel_write_bytes"] == 32 * 512


def test_a_file_tells_the_drive_it_lies_on(host: Host, tmp_path: Path) -> None:
    there = os.stat(tmp_path)
    number = f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}"
    (host.root / "sys/dev/block" / number).symlink_to(host.kernel.block("nvme1n1").resolve())
    path = tmp_path / "mine.bin"
    path.write_bytes(bytes(2 * MiB))
    facts = devices.find(str(path), host.kernel).identity.facts
    assert [drive["serial"] for drive in facts["drives_below"]] == ["SN1"]
    assert "its drive nvme1n1: PCI Express link gen 4 x2 of gen 4 x4" in facts["warnings"]


def test_nothing_is_said_of_counters_that_the_kernel_does_not_keep(host: Host) -> None:
    node = upper(host, "md0", md__level="raid1", md__raid_disks="2", queue__iostats="0")
    assert "kernel_write_bytes" not in devices.find(node, host.kernel).health()


def test_a_program_that_is_missing_is_said_once(host: Host, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench.bin / "nvme").unlink()
    node = upper(host, "md0", md__level="raid0", md__raid_disks="2")
    with monkeypatch.context() as alone:
        alone.setenv("PATH", str(bench.bin))
        array = devices.find(node, host.kernel)
    (missing,) = [doubt for doubt in array.identity.facts["doubts"] if "nvme-cli" in doubt]
    assert missing.startswith(programs.missing("nvme"))
    assert "не установлен" in Language("ru").translated(missing)


@pytest.mark.parametrize(("text", "number"), [("1\n", "1"), ("-1\n", None)])
def test_a_drive_tells_the_numa_node_of_the_way_to_it(host: Host, text: str, number: str | None) -> None:
    host.write("sys/devices/numa_node", text)
    node = upper(host, "dm-0", dm__name="vg-data")
    (host.kernel.block("dm-0") / "device").mkdir()
    assert devices.find(node, host.kernel).identity.facts.get("numa_node") == number, "-1 is none"
