"""What programs print of drives is read as they print it: progress of purges, states, sizes, logs, links."""

import json
from pathlib import Path
from typing import Any

import pytest

from stend.base import limits
from stend.base.units import GB, GiB, MiB
from stend.devices import ata, nvme, scsi
from stend.devices.purging import follow
from stend.devices.telling import ata_logs, scsi_links
from stend.devices.telling.tools import Output
from tests.stand import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


# Progress of purges


@pytest.mark.parametrize(
    ("log", "progress"),
    [
        ({"sprog": 65535, "sstat": 0}, (True, True, 99.998, "never sanitized, 100 %")),
        ({"sprog": 65535, "sstat": 1}, (True, False, 99.998, "sanitized, 100 %")),
        ({"sprog": 32768, "sstat": 2}, (False, False, 50.0, "in progress, 50 %")),
        ({"sprog": 16384, "sstat": 3}, (True, True, 25.0, "failed, 25 %")),
        ({"sprog": 0, "sstat": 4}, (True, False, 0.0, "sanitized, not deallocated, 0 %")),
        ({"sprog": 0, "sstat": 5}, (True, True, 0.0, "state unknown, 0 %")),
        ({"nvme0": {"sprog": 0, "sstat": 0x102}}, (False, False, 0.0, "in progress, 0 %")),
        ({"a": 1, "nvme0": {"sprog": 99999, "sstat": 0x10A}}, (False, False, 100.0, "in progress, 100 %")),
        ({"sprog": 6553, "sstat": {"status": "(2) Sanitize in Progress."}},
         (False, False, 9.999, "(2) Sanitize in Progress., 10 %")),
        ({"sprog": 0, "sstat": {"status": "(1) done 2"}}, (True, False, 0.0, "(1) done 2, 0 %")),
        ({"sprog": 0, "sstat": {}}, (True, True, 0.0, "never sanitized, 0 %")),
    ],
)  # fmt: skip
def test_progress_of_a_sanitize_is_a_part_of_65_536(log: dict[str, Any], progress: tuple[Any, ...]) -> None:
    """NVMe 1.4, figure 202: SPROG is a numerator of 65 536; bits 2:0 of SSTAT are the state, bit 8 and 7:3 others."""
    over, failed, percent, words = progress
    now = follow.of_nvme(Output(0, json.dumps(log), ""))
    assert (now.over, now.failed, now.words) == (over, failed, words)
    assert now.percent == pytest.approx(percent, abs=1e-3)


def test_without_progress_a_sanitize_of_nvme_failed() -> None:
    assert follow.of_nvme(Output(1, "no log", "")) == (True, True, 0, "no log")


@pytest.mark.parametrize(
    ("code", "out", "progress"),
    [
        (0, "/dev/sda:\nState: SD2 Sanitize operation In Process\nProgress: 0x8000 (50%)", (False, False, 50.0)),
        (0, "/dev/sda:\nState: SD0 Sanitize Idle", (True, False, 0.0)), (0, "/dev/sda:\nState: SD3", (True, True, 0.0)),
        (0, "\nCompleted With Error", (True, True, 0.0)), (0, "\nUnsuccessful", (True, True, 0.0)),
        (5, "\nState: SD0 Sanitize Idle", (True, True, 0.0)),
    ],
)  # fmt: skip
def test_progress_of_a_sanitize_of_ata_is_printed(code: int, out: str, progress: tuple[Any, ...]) -> None:
    now = follow.of_ata(Output(code, out, ""))
    assert now[:3] == progress
    assert now.words == "; ".join(out.split("\n")[1:])
    assert len(follow.of_ata(Output(0, "\n" + "a" * 400, "")).words) == 300


@pytest.mark.parametrize(
    ("out", "err", "progress"),
    [
        ("Progress indication: 42.50% done", "", (False, False, 42.5)), ("7 %", "", (False, False, 7.0)),
        ("", "sanitize Command FAILED", (True, True, 0)), ("medium corrupt", "", (True, True, 0)),
        ("", "", (True, False, 0)),
    ],
)  # fmt: skip
def test_progress_of_scsi_is_a_percentage_or_none(out: str, err: str, progress: tuple[Any, ...]) -> None:
    assert follow.of_scsi(Output(0, out, err))[:3] == progress


# ATA


IDENTIFY = """
ATA device, with non-removable media
Configuration:
\tLBA    user addressable sectors:  268435455
\tLBA48  user addressable sectors:     2000
\tLogical  Sector size:                   {logical} bytes [ Supported: 512 4096 0 ]
\tPhysical Sector size:                  4096 bytes
Commands/features:
\t   *\tBLOCK_ERASE_EXT command
\t    \tOVERWRITE_EXT command
\t   *\tData Set Management TRIM supported (limit 8 blocks)
\t   *\tHost Protected Area feature set
Security:
\tMaster password revision code = 65534
\t\tsupported
\tnot\tenabled
\tnot\tlocked
\t\tfrozen
\tnot\texpired: security count
\t\tsupported: enhanced erase
Logical Unit WWN Device Identifier: x
\tlocked
"""


def test_features_and_states_of_a_sata_drive_are_the_lines_of_its_sections() -> None:
    text = IDENTIFY.format(logical=4096)
    assert ata.can(text) == {"sanitize block", "sanitize overwrite", "discard", "security", "security enhanced"}
    assert ata.security(text) == {"frozen"}
    assert ata.block_sizes(text) == (512, 4096)
    assert ata.can(text.replace("\t\tsupported\n", "\tnot\tsupported\n")) == {
        "sanitize block", "sanitize overwrite", "discard", "security enhanced",
    }  # fmt: skip
    assert ata.security(text.replace("not\t", "\t")) == {"password", "locked", "frozen", "password tries used up"}
    assert (ata.security(""), ata.can(""), ata.block_sizes("")) == (set(), set(), ())


@pytest.mark.parametrize(
    ("max_sectors", "logical", "size"),
    [
        ("max sectors   = 2000/3000, HPA is enabled", 512, 3000 * 512), ("max sectors = 2000/2000", 4096, 2000 * 4096),
        ("max sectors = 2000/1999", 512, 0), ("max sectors = 2001/3000", 512, 0), ("", 512, 0),
        (f"max sectors = 2000/{limits.MOST // 512}", 512, limits.MOST // 512 * 512),
        (f"max sectors = 2000/{limits.MOST // 512 + 1}", 512, 0),
    ],
)  # fmt: skip
def test_the_native_size_of_a_sata_drive_fits_what_it_shows(max_sectors: str, logical: int, size: int) -> None:
    text = IDENTIFY.format(logical=logical)
    assert ata.native_bytes(max_sectors, text) == size
    bare = text.replace("Logical  Sector", "Sector").replace("Physical Sector size: ", "")
    assert ata.native_bytes(max_sectors, bare) == size
    if size and logical == 512:
        assert ata.native_bytes(max_sectors, "") == size


def test_means_and_sanitize_states_of_a_sata_drive() -> None:
    assert ata.means("ACCESSIBLE MAX ADDRESS enabled", IDENTIFY) == "accessible max address"
    assert ata.means("", IDENTIFY) == "host-protected area"
    assert ata.means("", "") == ""
    for text, state in (("In Process", {"sanitize running"}), ("SD1 Sanitize Frozen", {"sanitize frozen"}),
                        ("SD3", {"sanitize failed"}), ("Unsuccessful", {"sanitize failed"}),
                        ("SD0", set())):  # fmt: skip
        assert ata.sanitize_state(Output(0, text, "")) == state


@pytest.mark.parametrize(
    ("document", "health"),
    [
        ({"temperature": {"current": -60}}, {"temperature_c": -60}), ({"temperature": {"current": 251}}, {}),
        ({"interface_speed": {"current": {"string": "6.0 Gb/s"}}}, {"link": "6.0 Gb/s"}),
        ({"ata_device_statistics": {"pages": [{"table": [
            {"name": "Logical Sectors Written", "value": 3}, {"name": "Logical Sectors Read", "value": 5},
            {"name": "Percentage Used Endurance Indicator", "value": 7, "flags": {"valid": True}},
            {"name": "Number of Interface CRC Errors", "value": 9, "flags": {"valid": False}}, {"name": "x"}]}]},
          "logical_block_size": 4096},
         {"host_write_bytes": 12_288, "host_read_bytes": 20_480, "host_unit_bytes": 4096, "wear_pct": 7}),
        ({"ata_device_statistics": {"pages": [{"table": [{"name": "Logical Sectors Read", "value": 5}]}]}},
         {"host_read_bytes": 2560}),
    ],
)  # fmt: skip
def test_health_of_a_sata_drive_is_in_valid_statistics(document: dict[str, Any], health: dict[str, Any]) -> None:
    assert {key: value for key, value in ata_logs.health(document).items() if value is not None} == health


@pytest.mark.parametrize(
    ("name", "raw", "health"),
    [
        ("Total_LBAs_Written", 3, {"host_write_bytes": 1536, "host_unit_bytes": 512}),
        ("Host_Writes_32MiB", 3, {"host_write_bytes": 96 * MiB, "host_unit_bytes": 32 * MiB}),
        ("Lifetime_Writes_GiB", 3, {"host_write_bytes": 3 * GiB, "host_unit_bytes": GiB}),
        ("NAND_Writes_32MiB", 2, {"nand_write_bytes": 64 * MiB, "nand_unit_bytes": 32 * MiB}),
        ("NAND_GB_Written_TLC", 2, {"nand_write_bytes": 2 * GB, "nand_unit_bytes": GB}),
        ("UDMA_CRC_Error_Count", 4, {"crc_errors": 4}), ("Reallocated_Sector_Ct", 0, {"reallocated": 0}),
    ],
)  # fmt: skip
def test_attributes_of_a_sata_drive_have_units(name: str, raw: int, health: dict[str, int]) -> None:
    rows = [{"name": name, "value": 50, "raw": {"value": raw}}]
    told = ata_logs.health({"ata_smart_attributes": {"table": rows}})
    assert {key: value for key, value in told.items() if value is not None} == health
    rows += [{"name": "Wear_Leveling_Count", "value": 93, "raw": {"value": 1}}]
    assert ata_logs.health({"ata_smart_attributes": {"table": rows}})["wear_pct"] == 7


@pytest.mark.parametrize(
    ("row", "words"), [({"when_failed": "now"}, "failed"), ({"when_failed": ""}, "passed"), (None, "")]
)
def test_capacitors_of_a_sata_drive_are_tested(row: dict[str, str] | None, words: str) -> None:
    rows = [{"name": "x"}] + ([{"name": "Power_Loss_Cap_Test"} | row] if row else [])
    told = ata_logs.power_loss_protection({"ata_smart_attributes": {"table": rows}})
    assert told == (f"capacitors, their test {words}" if words else "")


# SCSI


def test_operation_codes_of_a_scsi_drive_have_service_actions() -> None:
    lines = "  04           6  Format unit\n  48      1   10  Sanitize, overwrite\n  48      3   10  Sanitize, crypto\n"
    assert scsi.can(Output(0, lines, "")) == {"format", "sanitize overwrite", "sanitize crypto"}
    assert scsi.can(Output(0, "  48      1f  10  Sanitize, exit\n  48 10 x\n  0a 04 6 y\n  47  2 10 z\n", "")) == set()
    assert scsi.sense(Output(0, "Format IN progress", "sanitize in progress")) == {"format running", "sanitize running"}
    assert scsi.sense(Output(0, "", "Sanitize command failed")) == {"sanitize failed"}


def test_bytes_of_a_scsi_drive_are_thousand_millions_with_decimals() -> None:
    counters = {way: {"gigabytes_processed": text} for way, text in (("read", "1.001"), ("write", 2.5))}
    told = scsi.logs({"scsi_error_counter_log": counters, "scsi_grown_defect_list": 0})
    assert {key: value for key, value in told.items() if value is not None} == {
        "host_read_bytes": 1_001_000_000, "host_write_bytes": 2_500_000_000, "grown_defects": 0,
    }  # fmt: skip
    assert scsi._bytes({"gigabytes_processed": "0.000"}) == 0
    assert scsi._bytes({}) is None


def test_phys_of_a_wide_port_have_the_slowest_rate_and_all_errors(host: Host) -> None:
    port = "sys/devices/port-0:0"
    host.disk("sda", "8:0")
    device = host.root / port / "end_device-0:0/target/0:0:0:0"
    device.mkdir(parents=True)
    (host.kernel.block("sda") / "device").symlink_to(device)
    for n, rate in ((0, "12.0 Gbit"), (1, "6.0 Gbit")):
        for name, word in (("negotiated_linkrate", rate), ("maximum_linkrate", "22.5 Gbit"),
        ("invalid_dword_count", "1"),
                           ("running_disparity_error_count", "10"), ("loss_of_dword_sync_count", "100"),
                           ("phy_reset_problem_count", str(n + 1))):  # fmt: skip
            host.write(f"{port}/phy-0:{n}/sas_phy/phy-0:{n}/{name}", f"{word}\n")
    assert scsi_links.link("sda", host.kernel) == {"link": "6.0 Gbit x2", "link_capable": "22.5 Gbit x2"}
    assert scsi_links.errors("sda", host.kernel) == {"link_errors": 222, "link_retrains": 3}
    host.write(f"{port}/phy-0:1/sas_phy/phy-0:1/negotiated_linkrate", "Unknown\n")
    assert scsi_links.link("sda", host.kernel) == {"link_capable": "22.5 Gbit x2"}
    host.disk("sdb", "8:16")
    assert (scsi_links.link("sdb", host.kernel), scsi_links.errors("sdb", host.kernel)) == ({}, {})


# NVMe


@pytest.mark.parametrize(
    ("flbas", "index"),
    [(0, 0), (15, 15), (16, 0), (32, 16), (0x6F, 63), (0x60, 48), (0x4A, 42), (0x80, 0), ("0x21", 17)],
)
def test_the_format_in_use_is_in_bits_3_to_0_and_6_to_5(flbas: Any, index: int) -> None:
    """NVMe base 2.0, figure 97: bit 4 of FLBAS is for metadata, bit 7 is reserved."""
    assert nvme.lba_format({"flbas": flbas}) == index


def test_formats_have_blocks_of_two_to_the_power_of_their_data_size() -> None:
    space = {
        "flbas": 2,
        "lbafs": [
            {"ds": 9, "ms": 0, "rp": 1},
            {"lbads": 12, "ms": 8},
            {"ds": 12},
            {"ds": 8},
            {"ds": 0},
            5,
            {"ds": 20},
            {"ds": 21},
        ],
    }
    assert nvme.lba_formats(space) == [
        {"index": 0, "bytes": 512, "metadata_bytes": 0, "in_use": False, "relative_performance": 1},
        {"index": 1, "bytes": 4096, "metadata_bytes": 8, "in_use": False, "relative_performance": 0},
        {"index": 2, "bytes": 4096, "metadata_bytes": 0, "in_use": True, "relative_performance": 0},
        {"index": 6, "bytes": 1 << 20, "metadata_bytes": 0, "in_use": False, "relative_performance": 0},
    ]
    assert (nvme.block_bytes(space), nvme.block_bytes({"flbas": 9}), nvme.lba_formats({})) == (4096, 0, [])


@pytest.mark.parametrize(
    ("ctrl", "space", "size"),
    [
        ({}, {"nvmcap": 5}, 0), ({"tnvmcap": 0, "unvmcap": 7}, {"nvmcap": 5}, 0), ({"tnvmcap": 1}, {"nvmcap": 5}, 5),
        ({"tnvmcap": 1, "unvmcap": 7}, {"nvmcap": 5}, 12), ({"tnvmcap": 1}, {"nsze": 3, "lbafs": [{"ds": 12}]}, 12_288),
        ({"tnvmcap": 1, "unvmcap": limits.MOST - 5}, {"nvmcap": 5}, limits.MOST),
        ({"tnvmcap": 1, "unvmcap": limits.MOST - 4}, {"nvmcap": 5}, 0),
    ],
)  # fmt: skip
def test_the_native_size_of_nvme_is_what_is_allocated_and_what_is_not(
    ctrl: dict[str, Any], space: dict[str, Any], size: int
) -> None:
    assert nvme.native_bytes(ctrl, space) == size


@pytest.mark.parametrize(
    ("ctrl", "words"),
    [
        ({"oacs": 1 << 1}, {"format"}), ({"oacs": 1 << 3}, {"namespaces"}), ({"oncs": 1 << 2}, {"discard"}),
        ({"sanicap": 1}, {"sanitize crypto"}), ({"sanicap": 2}, {"sanitize block"}), ({"sanicap": 4},
         {"sanitize overwrite"}),
        ({"fna": 4}, {"format crypto"}), ({"oacs": 0x3F5, "oncs": 0x7B, "sanicap": 0xFFF8, "fna": 3}, set()),
    ],
)  # fmt: skip
def test_capabilities_of_nvme_are_bits_of_identify_controller(ctrl: dict[str, int], words: set[str]) -> None:
    """NVMe 1.4, figure 247: OACS, ONCS, SANICAP and FNA."""
    assert nvme.can(ctrl) == words


def test_a_format_may_reach_all_namespaces() -> None:
    assert [nvme.reach({"fna": fna}) for fna in range(5)] == [
        set(), {"format all"}, {"erase all"}, {"format all", "erase all"}, set(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "kept"),
    [("0000000000000000", ""), ("0x00-00", ""), (None, ""), (0, ""), ("0025385b", "0025385b"), ("x", "")],
)
def test_an_identifier_of_noughts_is_none(word: Any, kept: str) -> None:
    assert nvme._not_zero(word) == kept
