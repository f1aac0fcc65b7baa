"""Every drive of the machine is listed, with what it is or why it can't be tested."""

import pytest

from stend import devices
from stend.base.units import MiB
from stend.devices.telling import nvme_logs as logs
from stend.devices.telling import tools
from tests.lab import bench


def test_every_drive_is_listed_with_its_serial_or_its_reason() -> None:
    told = bench.here("devices")
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    for serial in ("LABPAIR", "LABONE", "LABGONE", "LABRAID0", "LABSATA", "LABSCSI"):
        mine = [line for line in lines if serial in line]
        assert mine, told.stdout
        assert all("can be tested" in line for line in mine), told.stdout
    runs = next(line for line in lines if "LABRUNS" in line)
    assert "is mounted at /mnt" in runs


def test_a_drive_is_not_written_unless_it_is_named() -> None:
    path = bench.node("LABONE")
    bench.fill(path, 8 * MiB)
    refused = bench.here("run", "iops", "--quick", "--target", path, "--into", "/tmp/no")
    assert refused.returncode == 3
    assert "LABONE" in refused.stderr
    assert bench.holds_mark(path)


@pytest.mark.parametrize(
    ("serial", "kind", "facts"),
    [
        (
            "LABONE",
            "nvme",
            {"controller", "lba_formats", "capabilities", "scheduler", "transport", "power_state", "write_cache"},
        ),
        ("LABSATA", "ata", {"capabilities", "security", "write_cache", "health_passed", "power_state"}),
        ("LABSCSI", "scsi", {"write_cache", "scheduler"}),
    ],
)
def test_a_drive_tells_its_facts(serial: str, kind: str, facts: set[str]) -> None:
    identity = devices.find(bench.node(serial)).identity
    assert identity.kind == kind
    assert identity.serial == serial
    assert facts <= set(identity.facts)
    assert "doubts" not in identity.facts


def test_a_card_tells_its_name_and_serial_number() -> None:
    identity = devices.find("/dev/mmcblk0").identity
    assert (identity.kind, identity.interface, identity.model) == ("block", "sd", "QEMU!")
    assert identity.serial == "0xdeadbeef"
    assert not identity.rotational


def test_a_log_page_is_read_from_what_nvme_cli_prints() -> None:
    path = bench.node("LABONE")
    page = logs.page(tools.run("nvme", "get-log", path, "--log-id=2", "--log-len=512"))
    kelvin = int.from_bytes(page[1:3], "little")
    assert len(page) == 512
    assert kelvin - logs.KELVIN == devices.find(path).health()["temperature_c"]
    assert logs.makers_log(path, {}) == ""


def test_all_that_a_drive_tells_is_shown() -> None:
    told = bench.here("devices", bench.node("LABONE"))
    assert told.returncode == 0, told.stderr
    for row in ("serial                   LABONE", "--destroy-data LABONE", "power state", "lba formats", "health"):
        assert row in told.stdout, told.stdout


def test_an_nvme_drive_tells_its_lba_formats_and_its_other_namespace() -> None:
    identity = devices.find(bench.node("LABPAIR", 1)).identity
    formats = identity.facts["lba_formats"]
    assert {f["bytes"] for f in formats} == {512, 4096}
    assert sum(f["in_use"] for f in formats) == 1
    assert len(identity.facts["namespaces"]) == 2
