"""`stend devices TARGET`: all that a drive tells, for people and as JSON."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from stend.cli import _sheet, main
from stend.devices import nvme
from stend.session import sheet
from tests.played import Place, nvme_drive
from tests.stand import SIZE, Stand


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["devices", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.xdist_group("block")  # whose tests make drives come and go; so do those of other checkouts
def test_every_drive_is_listed_as_json_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    before, brief, after = asked(capsys, "--json"), asked(capsys).splitlines(), json.loads(asked(capsys, "--json"))
    lines = {line.split()[0]: line for line in brief}
    there = [one for one in json.loads(before) if one in after]
    for one in there:
        line = lines[one["target"]]
        assert line.endswith(one["reason"] or "can be tested")
        assert one["can_be_tested"] == (not one["reason"])


def test_a_link_that_may_not_be_followed_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(path: str) -> str:  # as /proc/1/root is in a container
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.readlink", denied)
    assert main(["devices", "/proc/1/root/tmp/drive.bin"]) == 3
    assert capsys.readouterr().err == (
        "stend: /proc/1/root/tmp/drive.bin cannot be resolved: Permission denied; "
        "name the drive or file by its own path\n"
    )


def test_a_file_tells_its_capacity_its_name_and_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(bytes(SIZE))
    text = asked(capsys, str(path))
    assert f"user capacity            {SIZE} bytes (50.3 MB)" in text
    assert f"--destroy-data {path}" in text
    assert "what is on it            may hold data, 48 MiB, last written 20" in text
    assert "can be tested" in text
    path.chmod(0o400)
    assert "is write-protected; `chmod u+w" in asked(capsys, str(path))


def test_several_drives_are_told_one_after_another(capsys: pytest.CaptureFixture[str]) -> None:
    small, ideal = json.loads(asked(capsys, "sim:small", "sim:ideal", "--json"))
    assert (small["target"], ideal["target"]) == ("sim:small", "sim:ideal")
    assert small["health"]["temperature_c"] > 0
    assert small["capacity_bytes"] > 0


def test_what_is_not_there_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "/dev/no-such-drive"]) == 2
    assert "is not there" in capsys.readouterr().err


@pytest.fixture
def drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[nvme.NvmeDevice]:
    with ExitStack() as end:
        yield slow(Place(Stand(tmp_path, end), monkeypatch, "nvme0n1"))


def slow(place: Place) -> nvme.NvmeDevice:
    """On half its lanes, and a generation below its own."""
    smart = json.dumps({"temperature": 344, "critical_warning": 0, "percent_used": 3})
    link = {"current_link_speed": "8.0 GT/s PCIe", "current_link_width": "2"}
    for name, told in (link | {"max_link_speed": "16.0 GT/s PCIe", "max_link_width": "4"}).items():
        place.host.write(f"sys/class/nvme/nvme0/device/{name}", told)
    return nvme_drive(place, f"smart-log) echo '{smart}';;", "get-feature) echo 'Current value:0x0';;")


def test_a_drive_below_has_no_lines_without_a_value() -> None:
    below = {"kind": "block", "path": "/dev/vda", "serial": "", "wwn": "", "poll_queues": 0, "rotational": False}
    told: Any = {"target": "x", "reason": "", "named": "", "holds": "", "health": {}, "notes": []}
    lines = list(_sheet.lines(told | {"facts": {"drives_below": [below]}}))
    assert [line.split() for line in lines[1:]] == [
        ["drives", "below"], ["-", "kind", "block"], ["path", "/dev/vda"], ["poll", "queues", "0"],
        ["rotational", "no"],
    ]  # fmt: skip


@pytest.mark.block
def test_a_drive_tells_its_link_its_formats_its_health_and_its_doubts(drive: nvme.NvmeDevice) -> None:
    told = sheet.everything(drive)
    text = "\n".join(_sheet.lines(told))
    assert told["named"] == "SN1" or "loop" in told["named"]
    for row in (
        "link                     gen 3 x2",
        "link capable             gen 4 x4",
        "power state              0",
        "power loss protection    no volatile write cache",
        "- index                    0",
        "temperature, °C          71",
        "wear, %                  3",
        "note: its PCI Express link runs at gen 3 x2, it can gen 4 x4: look at the slot and its neighbours",
    ):
        assert row in text, text
    assert isinstance(json.dumps(told), str)
    facts: dict[str, Any] = told["facts"]
    assert "doubts" not in facts
