"""What SATA and SAS disks log of themselves, and their links."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from stend.base.units import GB, GiB, MiB
from stend.devices import ata, scsi
from stend.devices.telling import ata_logs as logs
from stend.devices.telling import facts
from stend.devices.telling import scsi_links as links
from tests.played import Place, sata_drive, scsi_drive
from tests.stand import Host, Stand


def attribute(name: str, raw: int, value: int = 100) -> dict[str, Any]:
    return {"name": name, "value": value, "raw": {"value": raw}}


def attributes(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"ata_smart_attributes": {"table": list(rows)}}


def statistics(**values: int) -> dict[str, Any]:
    rows = [
        {"name": name.replace("_", " "), "value": value, "flags": {"valid": True}} for name, value in values.items()
    ]
    rows += [{"name": "Logical Sectors Read", "value": 99, "flags": {"valid": False}}]
    return {"ata_device_statistics": {"pages": [None, {"number": 1, "table": rows}]}, "logical_block_size": 4096}


@pytest.mark.parametrize(
    ("row", "key", "told"),
    [
        (attribute("Total_LBAs_Written", 1000), "host_write_bytes", 512_000),
        (attribute("Host_Writes_32MiB", 3), "host_write_bytes", 96 * MiB),
        (attribute("Lifetime_Writes_GiB", 3), "host_write_bytes", 3 * GiB),
        (attribute("NAND_Writes_32MiB", 3), "nand_write_bytes", 96 * MiB),
        (attribute("Flash_Writes_GiB", 3), "nand_write_bytes", 3 * GiB),
        (attribute("NAND_GB_Written_TLC", 3), "nand_write_bytes", 3 * GB),
        (attribute("UDMA_CRC_Error_Count", 7), "crc_errors", 7),
        (attribute("Reported_Uncorrect", 7), "media_errors", 7),
        (attribute("Reallocated_Sector_Ct", 7), "reallocated", 7),
        (attribute("Media_Wearout_Indicator", 0, value=93), "wear_pct", 7),
    ],
)
def test_makers_attributes_are_read_in_their_units(row: dict[str, Any], key: str, told: int) -> None:
    assert logs.health(attributes(row))[key] == told


def test_statistics_of_the_standard_come_before_makers_attributes() -> None:
    told = attributes(attribute("Host_Writes_32MiB", 3), attribute("UDMA_CRC_Error_Count", 7))
    told |= statistics(Logical_Sectors_Written=10, Number_of_Interface_CRC_Errors=8)
    health = logs.health(told)
    assert (health["host_write_bytes"], health["host_unit_bytes"], health["crc_errors"]) == (40960, 4096, 8)
    assert "host_read_bytes" not in health


def test_what_is_counted_coarsely_is_said_to_be() -> None:
    assert logs.health(attributes(attribute("Host_Writes_GiB", 3)))["host_unit_bytes"] == GiB


def test_the_link_is_told_between_rounds_too() -> None:
    assert logs.health({"interface_speed": {"current": {"string": "3.0 Gb/s"}}})["link"] == "3.0 Gb/s"


def test_capacitors_against_power_loss_are_told_with_their_test() -> None:
    row = attribute("Power_Loss_Cap_Test", 3000)
    assert logs.power_loss_protection(attributes(row)) == "capacitors, their test passed"
    assert logs.power_loss_protection(attributes(row | {"when_failed": "past"})) == "capacitors, their test failed"
    assert logs.power_loss_protection(attributes()) == ""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A SAS disk on a port of two phys."""
    made = Host(tmp_path / "host")
    made.disk("sda", "8:0")
    port = made.root / "sys/devices/host0/port-0:0"
    real = port / "end_device-0:0/target0:0:0/0:0:0:0"
    real.mkdir(parents=True)
    (made.root / "sys/devices/sda/device").symlink_to(real)
    for number, rate in enumerate(("12.0 Gbit", "6.0 Gbit")):
        phy = f"sys/devices/host0/port-0:0/phy-0:{number}/sas_phy/phy-0:{number}"
        more = {"invalid_dword_count": 3, "loss_of_dword_sync_count": 1, "phy_reset_problem_count": 2}
        for name, told in {"negotiated_linkrate": rate, "maximum_linkrate": "12.0 Gbit", **more}.items():
            made.write(f"{phy}/{name}", str(told))
    return made


def test_a_sas_disk_tells_the_link_of_its_port_and_its_errors(host: Host) -> None:
    assert links.link("sda", host.kernel) == {"link": "6.0 Gbit x2", "link_capable": "12.0 Gbit x2"}
    assert links.errors("sda", host.kernel) == {"link_errors": 8, "link_retrains": 4}


def test_errors_that_a_pci_express_link_corrected_are_counted_where_the_host_reports_them(tmp_path: Path) -> None:
    assert facts.pci_errors(tmp_path) == {}
    (tmp_path / "aer_dev_correctable").write_text("RxErr 1\nBadTLP 4\nTOTAL_ERR_COR 5\n")
    assert facts.pci_errors(tmp_path) == {"link_errors": 5}


def test_a_usb_disk_tells_its_speed(tmp_path: Path) -> None:
    made = Host(tmp_path / "host")
    made.disk("sda", "8:0")
    real = made.root / "sys/devices/usb2/2-1/2-1:1.0/host0/target0:0:0/0:0:0:0"
    real.mkdir(parents=True)
    (made.root / "sys/devices/sda/device").symlink_to(real)
    made.write("sys/devices/usb2/2-1/speed", "5000")
    assert links.link("sda", made.kernel) == {"link": "USB 5000 Mb/s"}
    assert links.errors("sda", made.kernel) == {}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with ExitStack() as end:
        yield Place(Stand(tmp_path, end), monkeypatch, "sda")


@pytest.mark.block
def test_a_sata_drive_on_a_slow_link_says_so_on_every_page(place: Place) -> None:
    sata_drive(place)
    speeds = '{"current": {"string": "3.0 Gb/s"}, "max": {"string": "6.0 Gb/s"}}'
    place.bench.program("smartctl", f"echo '{{\"interface_speed\": {speeds}}}'")
    place.bench.program("hdparm", 'case "$1" in -C) echo " drive state is:  active/idle";; -I) echo "\tLogical";; esac')
    drive = ata.find(str(place.host.root / "dev/sda"), place.host.kernel)
    own = drive.identity.facts
    assert (own["link"], own["link_capable"], own["power_state"]) == ("3.0 Gb/s", "6.0 Gb/s", "active/idle")
    assert own["warnings"] == ["SATA link 3.0 Gb/s of 6.0 Gb/s"]
    assert "look at the cable and the port" in own["doubts"][0]


@pytest.mark.block
@pytest.mark.parametrize(("bit", "told"), [("1", "non-volatile cache"), ("0", None)])
def test_a_scsi_drive_tells_whether_its_cache_is_non_volatile(place: Place, bit: str, told: str | None) -> None:
    place.bench.program("sg_vpd", f"echo '  WU_SUP=0 [CRD_SUP=0] NV_SUP={bit} V_SUP=1'")
    drive = scsi_drive(place, "exit 0")
    assert isinstance(drive, scsi.ScsiDevice)
    assert drive.identity.facts.get("power_loss_protection") == told
