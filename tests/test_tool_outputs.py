"""What drives' own programs say is read rightly; tests/fixtures/drives/README.md tells recorded texts from composed."""

import json
from pathlib import Path
from typing import Any

import pytest

from stend.devices import ata, nvme, scsi
from stend.devices.purging import follow
from stend.devices.telling import nvme_logs as logs
from stend.devices.telling import tools

FOLDER = Path(__file__).parent / "fixtures/drives"
SECURITY = ["discard", "security"]
ENHANCED = [*SECURITY, "security enhanced"]


def told(name: str) -> tools.Output:
    return tools.Output(0, (FOLDER / name).read_text(), "")


@pytest.mark.parametrize(
    ("name", "can", "state"),
    [
        ("ready", ENHANCED, []),
        ("frozen", ENHANCED, ["frozen"]),
        ("locked", ENHANCED, ["locked", "password"]),
        ("password", SECURITY, ["password"]),
        ("expired", SECURITY, ["locked", "password", "password tries used up"]),
        ("sanitize", ["discard", "sanitize block", "sanitize crypto", "security"], ["frozen"]),
        ("overwrite", ["sanitize overwrite", "security"], []),
        ("qemu", [], []),
    ],
)
def test_a_sata_drive_tells_what_it_can_and_its_security_state(name: str, can: list[str], state: list[str]) -> None:
    text = told(f"hdparm-{name}.txt").out
    assert sorted(ata.can(text)) == can
    assert sorted(ata.security(text)) == state


SIZES = "	Logical  Sector size:                  4096 bytes [ Supported: 512 4096 ]\n"
AREA = "	   *	Host Protected Area feature set\n"


@pytest.mark.parametrize(
    ("told", "identify", "native", "means"),
    [
        (" max sectors   = 1953523055/1953525168, HPA is enabled", AREA, 1953525168 * 512, "host-protected area"),
        (" max sectors   = 97677846/97677846, HPA is disabled", AREA + SIZES, 97677846 * 4096, "host-protected area"),
        (" max sectors   = 100/200, ACCESSIBLE MAX ADDRESS enabled", "", 200 * 512, "accessible max address"),
        (
            " max sectors   = 0/1, HPA is enabled",
            "LBA48  user addressable sectors:  524288\n" + AREA,
            0,
            "host-protected area",
        ),
        (" max sectors   = 200/1, HPA setting seems invalid", AREA, 0, "host-protected area"),
        (" max sectors   = 200/999999999999999999, HPA is enabled", AREA, 0, "host-protected area"),
        (" READ_NATIVE_MAX_ADDRESS_EXT failed: Input/output error", "", 0, ""),
    ],
)
def test_a_sata_drive_tells_its_native_size_and_how_it_hides(told: str, identify: str, native: int, means: str) -> None:
    assert ata.native_bytes(told, identify) == native
    assert ata.means(told, identify) == means


def test_a_sata_drive_tells_the_block_sizes_it_offers() -> None:
    assert ata.block_sizes(SIZES) == (512, 4096)
    assert ata.block_sizes(told("hdparm-ready.txt").out) == ()


@pytest.mark.parametrize(
    ("told", "space", "native"),
    [
        ({"tnvmcap": 960, "unvmcap": 160}, {"nvmcap": 800}, 960),
        ({"tnvmcap": "1,000", "unvmcap": "488"}, {"nsze": 1, "flbas": 0, "lbafs": [{"ds": 9}]}, 1000),
        ({"tnvmcap": 0, "unvmcap": 0}, {"nvmcap": 800}, 0),
        ({}, {"nvmcap": 800}, 0),
    ],
)
def test_an_nvme_drive_tells_its_native_size(told: dict[str, Any], space: dict[str, Any], native: int) -> None:
    assert nvme.native_bytes(told, space) == native


@pytest.mark.parametrize(
    ("name", "state", "over", "failed", "percent", "words"),
    [
        ("idle", set(), True, False, 0, "SD0 Sanitize Idle"),
        ("running", {"sanitize running"}, False, False, 25, "SD2 Sanitize operation In Process"),
        ("frozen", {"sanitize frozen"}, True, False, 0, "SD1 Sanitize Frozen"),
        ("failed", {"sanitize failed"}, True, True, 0, "Sanitize Command Unsuccessful"),
    ],
)
def test_a_sata_drives_sanitize_is_followed(
    name: str, state: set[str], over: bool, failed: bool, percent: float, words: str
) -> None:
    said = told(f"sanitize-{name}.txt")
    assert ata.sanitize_state(said) == state
    progress = follow.of_ata(said)
    assert (progress.over, progress.failed, progress.percent) == (over, failed, percent)
    assert words in progress.words


def test_a_scsi_drive_tells_its_purges_by_operation_codes() -> None:
    all_three = {"sanitize overwrite", "sanitize block", "sanitize crypto"}
    assert scsi.can(told("sg_opcodes-sas.txt")) == {"format", *all_three}
    assert scsi.can(told("sg_opcodes-scsi_debug.txt")) == set()


def test_nvme_health_is_read_in_units() -> None:
    found = logs.smart(json.loads(told("nvme-smart-log-2.3.json").out))
    assert found["temperature_c"] == 50
    assert found["host_read_bytes"] == 512_000
    assert found["host_write_bytes"] == 0
    assert found["media_errors"] == 0
