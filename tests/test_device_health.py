"""Health and power switches of drives that this host lacks, from a /sys made here and recorded answers of tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from stend.base.sysfs import Kernel
from stend.devices import ata, scsi
from stend.devices.telling import tools
from stend.model.definition import Identity
from tests.stand import Host

STAT = "11 0 88 5 22 0 176 9 0 12 13 3 0 24 1 0 0"
"""Documentation/block/stat.rst: reads of 88 sectors, writes of 176, discards of 24; a sector has 512 bytes."""
COUNTED = {"kernel_read_bytes": 88 * 512, "kernel_write_bytes": 176 * 512, "kernel_discard_bytes": 24 * 512}
ANSWERS: dict[str, dict[str, Any]] = {
    "ata": {"temperature": {"current": 31}, "interface_speed": {"current": {"string": "6.0 Gb/s"}}},
    "scsi": {"temperature": {"current": 33}, "scsi_grown_defect_list": 4},
}
"""As smartctl 7.3 prints a SATA and a SAS drive with --json."""
TOLD: dict[str, dict[str, Any]] = {
    "ata": {"temperature_c": 31, "link": "6.0 Gb/s"},
    "scsi": {"temperature_c": 33, "grown_defects": 4},
}
POLICY = "med_power_with_dipm"


class Here(Kernel):
    def node_at(self, path: str) -> str:
        return Path(path).name


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A SATA drive on the fourth port of its adapter, as Linux has it in sysfs."""
    host = Host(tmp_path / "host")
    port = "sys/devices/pci0000:00/0000:00:17.0/ata4/host3"
    host.write(f"{port}/target3:0:0/3:0:0:0/model", "Disk")
    host.write(f"{port}/target3:0:0/3:0:0:0/block/sda/stat", STAT)
    (host.root / f"{port}/target3:0:0/3:0:0:0/block/sda/device").symlink_to("../..")
    (host.root / "sys/class/block/sda").symlink_to(host.root / f"{port}/target3:0:0/3:0:0:0/block/sda")
    return host


@pytest.mark.parametrize(("kind", "device"), [("ata", ata.AtaDevice), ("scsi", scsi.ScsiDevice)])
def test_health_has_the_counters_of_the_kernel_and_the_values_of_the_drive(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, device: Any
) -> None:
    node = tmp_path / "sda"
    node.write_bytes(bytes(512))
    asked = list[tuple[str, ...]]()

    def answer(*words: str) -> tools.Output:
        asked.append(words)
        return tools.Output(4, "warning\n" + json.dumps(ANSWERS[kind]), "")

    monkeypatch.setattr(tools, "try_run", answer)
    drive = device(Identity(kind=kind, target=str(node), path=str(node), capacity_bytes=512), Here(host.root))
    assert drive.health().items() >= (COUNTED | TOLD[kind]).items()
    assert [(words[0], words[-1]) for words in asked] == [("smartctl", str(node))]
    monkeypatch.setattr(tools, "try_run", lambda *words: tools.Output(127, "", "smartctl is not installed"))
    assert drive.health().items() >= COUNTED.items()


def test_the_policy_of_a_link_is_that_of_its_adapter(host: Host) -> None:
    """Documentation/scsi/link_power_management_policy.rst: /sys/class/scsi_host/hostN/link_power_management_policy."""
    place = "sys/class/scsi_host/host3/link_power_management_policy"
    host.write(place.replace("host3", "host4"), "max_performance\n")
    assert ata.power_switch("sda", host.kernel) is None, "an adapter without ALPM"
    host.write(place, f"{POLICY}\n")
    assert ata.power_switch("sda", host.kernel) == host.root / place


def test_a_drive_on_no_adapter_has_no_policy(tmp_path: Path) -> None:
    host = Host(tmp_path / "host")
    host.disk("sda", "8:0", device__model="Disk")
    assert ata.power_switch("sda", host.kernel) is None
    assert ata.power_switch("sdz", host.kernel) is None
