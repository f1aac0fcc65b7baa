"""What drives' own programs say is read rightly; tests/fixtures/drives/README.md tells recorded texts from composed."""

import json
from pathlib import Path

import pytest

from stend.devices import _follow as follow
from stend.devices import _tools as tools
from stend.devices import ata, nvme, scsi

FOLDER = Path(__file__).parent / "fixtures/drives"
SECURITY = ["discard", "security"]
ENHANCED = [*SECURITY, "security enhanced"]


def told(name: str) -> tools.Told:
    return tools.Told(0, (FOLDER / name).read_text(), "")


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
    found = nvme.smart(json.loads(told("nvme-smart-log-2.3.json").out))
    assert found["temperature_c"] == 50
    assert found["host_read_bytes"] == 512_000
    assert found["host_write_bytes"] == 0
    assert found["media_errors"] == 0
