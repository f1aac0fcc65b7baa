"""All that stend states of SATA and SAS disks and of an array, whole: from a made /sys and made answers of tools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import StepFailed
from stend.base.units import GB, MiB
from stend.devices import ata, md, scsi
from stend.devices.purging import prepare_table
from stend.devices.telling import evidence, tools
from tests.stand import Host
from tests.test_drives_described import FIXTURES, GIB, Here, Programs

LINES = "".join(
    f"{line}\n"
    for line in (
        *("Logical  Sector size: 4096 bytes [ Supported: 512 4096 ]", "LBA48  user addressable sectors: 250000"),
        *("Commands/features:", "   *\tHost Protected Area feature set", "   *\tBLOCK_ERASE_EXT command"),
        *("   *\tData Set Management TRIM supported", "Security: ", "\t\tsupported", "\tnot\tenabled", "\t\tfrozen"),
        *("\tnot\texpired: security count", "\t\tsupported: enhanced erase", "Checksum: correct"),
    )
)
SMART: dict[str, Any] = {
    "serial_number": "S1", "firmware_version": "FW3", "form_factor": {"name": "3.5 inches"}, "rotation_rate": 7200,
    "smart_status": {"passed": False}, "power_on_time": {"hours": 321}, "temperature": {"current": 41},
    "interface_speed": {"current": {"string": "3.0 Gb/s"}, "max": {"string": "6.0 Gb/s"}}, "logical_block_size": 4096,
    "ata_smart_attributes": {"table": [
        {"name": "Power_Loss_Cap_Test", "value": 100, "raw": {"value": 1}},
        {"name": "NAND_Writes_1GiB", "value": 100, "raw": {"value": 3}},
        {"name": "Wear_Leveling_Count", "value": 88, "raw": {"value": 5}},
    ]},
}  # fmt: skip
SAS: dict[str, Any] = {
    "scsi_revision": "A2", "rotation_rate": 0, "temperature": {"current": 36}, "scsi_grown_defect_list": 4,
    "scsi_percentage_used_endurance_indicator": 7,
    "scsi_error_counter_log": {
        "read": {"total_uncorrected_errors": 2, "gigabytes_processed": "1.5"},
        "write": {"total_uncorrected_errors": 3, "gigabytes_processed": "2.25"},
    },
}  # fmt: skip
COMMON = {"scheduler": "mq-deadline", "read_ahead_kib": 128, "kernel_write_cache": "write back",
          "trim_max_bytes": 2 * MiB}  # fmt: skip
COUNTED = {"kernel_read_bytes": 10 * 512, "kernel_write_bytes": 20 * 512, "kernel_discard_bytes": 30 * 512}
Made = Callable[..., tuple[Host, Programs]]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Make a host with disks, by their nodes and places in /sys/devices, and its programs."""
    host = Host(tmp_path / "host")
    host.kernel = Here(host.root)

    def make(disks: dict[str, str], printed: dict[str, Any]) -> tuple[Host, Programs]:
        for number, (node, place) in enumerate(disks.items()):
            host.disk(
                *(node, f"8:{16 * number}", GIB), parent=f"{place}/block", queue__scheduler="none [mq-deadline]",
                queue__read_ahead_kb="128", queue__logical_block_size="4096", queue__discard_max_bytes=str(2 * MiB),
                queue__write_cache="write back", stat="1 0 10 1 2 0 20 1 0 1 1 3 0 30 1", queue__rotational="1",
            )  # fmt: skip
            for name, text in (("model", "Disk"), ("wwid", f"naa.{node}"), ("power/runtime_status", "suspended")):
                host.write(f"sys/devices/{place}/{name}", f"{text}\n")
            host.write(f"sys/devices/{place}/scsi_disk/a/cache_type", "write back, no read (daft)\n")
            (host.root / f"sys/devices/{place}/block/{node}/device").symlink_to("../..")
            host.write(f"dev/{node}", "")
        programs = Programs(host.root, **printed)
        monkeypatch.setattr(tools, "finished", programs)
        monkeypatch.setattr(evidence, "finished", programs)
        monkeypatch.setattr(evidence, "_records", lambda: iter(()))
        return host, programs

    return make


def fixture(name: str) -> str:
    return (FIXTURES / name).read_text()


def test_a_sata_disk_is_stated_whole(made: Made) -> None:
    place = "pci0000:00/0000:00:17.0/ata4/host3/target3:0:0/3:0:0:0"
    native = " max sectors   = 250000/300000, HPA is enabled\n"
    answers = {
        "smartctl --all": SMART, "hdparm -I": LINES, "hdparm -N": native, "smartctl --xall": SMART,
        "hdparm -C": " drive state is:  standby\n", "hdparm --sanitize-status": fixture("sanitize-running.txt"),
    }  # fmt: skip
    host, programs = made({"sdc": place}, answers)
    host.write("sys/class/scsi_host/host3/link_power_management_policy", "min_power\n")
    disk = ata.find(f"{host.root}/dev/sdc", host.kernel)
    facts = dict(disk.identity.facts)
    doubts, warnings = ([text.key for text in facts.pop(name)] for name in ("doubts", "warnings"))
    assert facts == COMMON | {
        "write_cache": "enabled", "firmware": "FW3", "serial": "S1", "form_factor": "3.5 inches", "rotation_rpm": 7200,
        "health_passed": False, "power_on_hours": 321, "security": ["frozen"], "block_sizes": [512, 4096],
        "capabilities": ["discard", "sanitize block", "security", "security enhanced"], "native_bytes": 300_000 * 4096,
        "power_state": "standby", "power_loss_protection": "capacitors, their test passed", "link": "3.0 Gb/s",
        "link_capable": "6.0 Gb/s", "power_saving": "min_power",
        "smr_hint": "accepts discards, as drive-managed SMR disks do",
    }  # fmt: skip
    assert (doubts, warnings) == (["failing", "sata_below", "provisioned"], ["sata_below_short"])
    assert (disk.identity.kind, disk.identity.interface, disk.identity.firmware) == ("ata", "sata", "FW3")
    assert ata.native(disk.identity.path, host.kernel) == 300_000 * 4096
    assert ata.claims(disk.identity.path, host.kernel)
    assert not scsi.claims(disk.identity.path, host.kernel)

    able = disk.abilities()
    assert able.can == {"discard", "sanitize block", "security", "security enhanced"}
    assert able.state == {"frozen", "sanitize running"}
    assert (able.interface, able.node, able.serial) == ("sata", disk.identity.path, "")
    assert "25%" in able.words
    assert disk.layout() == prepare_table.Layout(
        4096, GIB, native_bytes=300_000 * 4096, means=prepare_table.HPA, block_sizes=(512, 4096)
    )
    assert disk.health() == COUNTED | {
        "temperature_c": 41, "link": "3.0 Gb/s", "nand_write_bytes": 3 * GIB, "nand_unit_bytes": GIB, "wear_pct": 12
    }  # fmt: skip
    assert disk.passport()["hours"] == {"SMART": 321}
    assert programs.called[-1] == ("smartctl", "--json", "--xall", "--log=farm", "/dev/sdc")
    for document in ("not installed", {"smartctl": {"exit_status": 1}}):
        programs.printed[frozenset({"smartctl", "--xall", "--log=farm"})] = document
        assert disk.passport()["hours"] == {"SMART": 321}, "smartctl before 7.4 does not know FARM"
        assert " ".join(programs.called[-1]) == "smartctl --json --xall /dev/sdc"
    assert [piece.name for piece in disk.evidence(0.0)] == ["kernel.log", "smartctl.json"]
    programs.printed[frozenset({"hdparm", "-I"})] = (5, "HDIO_DRIVE_CMD failed")
    with pytest.raises(StepFailed, match="does not report its capabilities: HDIO_DRIVE_CMD failed"):
        disk.abilities()
    assert disk.find_again(disk.identity.path).identity.path == disk.identity.path


def test_the_write_cache_of_a_disk_is_the_kernels_switch(made: Made) -> None:
    host, _ = made({"sdc": "pci0000:00/0000:00:17.0/ata4/host3/target3:0:0/3:0:0:0"}, {})
    disk = ata.find(f"{host.root}/dev/sdc", host.kernel)
    switch = host.kernel.block("sdc") / "device/scsi_disk/a/cache_type"
    for setting, text in (("disabled", "write through"), ("enabled", "write back")):
        disk.write_cache(setting)
        assert (switch.read_text(), disk.cache()) == (text, setting)
    switch.write_text("none of them")
    assert disk.cache() == ""
    switch.unlink()
    with pytest.raises(StepFailed, match="has no switch for its write cache"):
        disk.write_cache("enabled")
    doubts = [doubt.key for doubt in disk.identity.facts["doubts"]]
    assert doubts == ["unread_facts", "unread_facts"], "smartctl and hdparm are not installed"


def test_a_sas_disk_is_stated_whole(made: Made) -> None:
    port = "pci0000:80/0000:80:03.0/host6/port-6:0"
    host, programs = made(
        {"sdd": f"{port}/end_device-6:0/target6:0:0/6:0:0:0"},
        {
            "smartctl --all": SAS, "sg_vpd --page=ei": "  WU_SUP=0 [CRD_SUP=0] NV_SUP=1 V_SUP=1\n",
            "sg_opcodes": fixture("sg_opcodes-sas.txt"), "sg_requests": "Fixed format, current; Sense key: Not Ready\n"
            "Additional sense: Logical unit not ready, sanitize in progress\n",
        },
    )  # fmt: skip
    rates = {"phy-6:0": ("12.0 Gbit", "22.5 Gbit", (1, 2, 4, 8)), "phy-6:1": ("6.0 Gbit", "12.0 Gbit", (16, 32, 64, 1))}
    names = ("invalid_dword_count", "running_disparity_error_count", "loss_of_dword_sync_count",
             "phy_reset_problem_count")  # fmt: skip
    for phy, (now, most, errors) in rates.items():
        files = {"negotiated_linkrate": now, "maximum_linkrate": most, **dict(zip(names, errors, strict=True))}
        for name, text in files.items():
            host.write(f"sys/devices/{port}/{phy}/sas_phy/{phy}/{name}", f"{text}\n")
    disk = scsi.find(f"{host.root}/dev/sdd", host.kernel)
    facts = disk.identity.facts
    assert facts == COMMON | {
        "write_cache": "enabled", "firmware": "A2", "link": "6.0 Gbit x2", "link_capable": "12.0 Gbit x2",
        "power_state": "suspended", "power_loss_protection": "non-volatile cache",
        "smr_hint": "accepts discards, as drive-managed SMR disks do",
    }  # fmt: skip
    assert (disk.identity.kind, disk.identity.interface, disk.identity.firmware) == ("scsi", "sas", "A2")
    able = disk.abilities()
    assert able.can == {"discard", "format", "sanitize overwrite", "sanitize block", "sanitize crypto"}
    assert (set(able.state), able.interface) == ({"sanitize running"}, "scsi")
    assert "sanitize in progress" in able.words
    assert disk.layout() == prepare_table.Layout(4096, GIB)
    assert disk.health() == COUNTED | {
        "temperature_c": 36, "media_errors": 5, "wear_pct": 7, "grown_defects": 4, "host_read_bytes": 1.5 * GB,
        "host_write_bytes": 2.25 * GB, "link": "6.0 Gbit x2", "link_errors": 1 + 2 + 4 + 16 + 32 + 64,
        "link_retrains": 9,
    }  # fmt: skip
    programs.printed[frozenset({"sg_requests"})] = "No additional sense\n"
    (host.kernel.block("sdd") / "queue/discard_max_bytes").write_text("0")
    (host.kernel.block("sdd") / "ro").write_text("1")
    able = disk.abilities()
    assert (set(able.state), able.words, "discard" in able.can) == ({"read-only"}, "", False)
    programs.printed[frozenset({"sg_opcodes"})] = " 55                10    Mode select(10)\n"
    assert disk.layout().means == prepare_table.DESCRIPTOR
    assert disk.find_again(disk.identity.path).identity.path == disk.identity.path


def test_an_array_is_stated_with_its_members(made: Made) -> None:
    ata_port = "pci0000:00/0000:00:17.0/ata{0}/host{0}/target{0}:0:0/{0}:0:0:0"
    hot = SMART | {"temperature": {"current": 55}}
    host, _ = made(
        {"sda": ata_port.format(1), "sdb": ata_port.format(2)},
        {"smartctl --all /dev/sda": SMART, "smartctl --all /dev/sdb": hot},
    )
    host.disk("md127", "9:127", 2 * GIB, queue__discard_max_bytes="0", stat="1 0 10 1 2 0 20 1 0 1 1 3 0 30 1")
    told = {"level": "raid5", "raid_disks": "3", "layout": "2", "array_state": "clean", "sync_action": "recover",
            "metadata_version": "1.2", "uuid": "1234-5678", "chunk_size": "65536", "degraded": "1",
            "sync_completed": "100 / 5000"}  # fmt: skip
    for name, text in told.items():
        (host.kernel.block("md127") / "md").mkdir(exist_ok=True)
        (host.kernel.block("md127") / "md" / name).write_text(f"{text}\n")
    host.stacked("md127", "sda", "sdb")
    host.write("dev/md127", "")
    members = [ata.find(f"{host.root}/dev/{node}", host.kernel) for node in ("sda", "sdb")]
    array = md.find(f"{host.root}/dev/md127", host.kernel, members)
    facts = dict(array.identity.facts)
    told = {key: told[key] for key in told if key not in ("chunk_size", "degraded", "sync_completed")}
    kept = facts.pop("members")
    assert [member["path"] for member in kept] == [member.identity.path for member in members]
    assert all(member["firmware"] == "FW3" and "doubts" not in member for member in kept)
    doubts, warnings = (facts.pop(name) for name in ("doubts", "warnings"))
    assert facts == told | {"chunk_bytes": 65536, "degraded": 1, "read_ahead_kib": 0}
    remarks = {(d.key, d.values.get("name")) for d in doubts}
    assert remarks == {("degraded", None), ("unread_facts", None), ("of_drive", "sda"), ("of_drive", "sdb")}
    assert [(w.key, w.values.get("name")) for w in warnings] == [
        ("degraded_short", None), ("of_drive", "sda"), ("of_drive", "sdb")
    ]  # fmt: skip
    assert (array.identity.model, array.identity.serial, array.identity.interface) == ("raid5 of 3", "1234-5678", "md")
    assert md.below(f"{host.root}/dev/md127", host.kernel) == ["sda", "sdb"]
    assert [md.claims(f"{host.root}/dev/{node}", host.kernel) for node in ("md127", "sda", "sdz")] == [
        True,
        False,
        False,
    ]
    able = array.abilities()
    assert (set(able.can), set(able.state), able.words) == (set[str](), {"resync"}, "recover, 100 / 5000 sectors")
    assert "recover, 100 / 5000 sectors" in array.unrest()
    health = array.health()
    assert (health["degraded"], health["resync"], health["temperature_c"]) == (1, "recover, 100 / 5000 sectors", 55)
    assert (health["wear_pct"], health["nand_write_bytes"]) == (12, 6 * GIB)
    assert array.cache() == "enabled"
    array.write_cache("disabled")
    assert [member.cache() for member in members] == ["disabled", "disabled"]
    members[1].write_cache("enabled")
    assert array.cache() == ""
    (host.kernel.block("md127") / "md/sync_action").write_text("idle\n")
    (host.kernel.block("md127") / "md/array_state").write_text("inactive\n")
    (host.kernel.block("md127") / "queue/discard_max_bytes").write_text("4096\n")
    able = array.abilities()
    assert (set(able.can), set(able.state), able.words, array.unrest()) == ({"discard"}, {"failed array"}, "", "")
