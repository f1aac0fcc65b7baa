"""`stend provision` and `stend devices`: what is asked wrongly, what can't be done, how a smaller drive is listed."""

from pathlib import Path

import pytest

from stend import devices
from stend.base.units import GB, MiB
from stend.cli import main
from stend.model.definition import Identity
from tests.stand import ours


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((), "no change requested; give --lba-bytes, --capacity or --restore"),
        (("--restore", "--capacity", "80%"), "cannot be combined with --capacity"),
        (("--capacity", "some%"), "--capacity some% is not a percentage of the drive; write it like 80%"),
        (("--capacity", "0%"), "is not a percentage of the drive"),
        (("--capacity", "101%"), "is not a percentage of the drive"),
        (("--capacity", "nan%"), "is not a percentage of the drive"),
        (("--capacity", "big"), "'big' is not a size"),
        (("--capacity", "0"), "is not a size; write it like 800GB"),
        (("--lba-bytes", "1"), "--lba-bytes"),
    ],
)
def test_what_makes_no_sense_is_told(asked: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["provision", "--target", "sim:small", *asked]) == 2
    assert words in capsys.readouterr().err


def test_what_is_no_drive_of_its_own_is_refused_with_the_lesser_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(b"data" * (MiB // 4))
    ours(path)
    for target, name in ((str(path), str(path)), ("sim:small", "any")):
        assert main(["provision", "--target", target, "--destroy-data", name, "--capacity", "50%"]) == 3
        assert (
            "whole NVMe, SATA and SCSI drives alone can be; `stend run TEST --active-range" in capsys.readouterr().err
        )
    assert path.read_bytes() == b"data" * (MiB // 4)


@pytest.mark.parametrize(
    ("native", "size"), [(960 * GB, "800 GB of 960 GB native"), (801 * GB, "800 GB"), (0, "800 GB")]
)
def test_a_drive_that_shows_less_than_it_has_is_listed_with_both(
    native: int, size: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drive = Identity(
        kind="nvme", target="/dev/nvme0n1", path="/dev/nvme0n1", capacity_bytes=800 * GB, model="M", serial="S"
    )
    monkeypatch.setattr(devices, "listing", lambda: [(drive, "")])
    monkeypatch.setattr(devices, "native_bytes", lambda target: native)
    assert main(["devices"]) == 0
    assert " ".join(capsys.readouterr().out.split()) == f"/dev/nvme0n1 {size} M S can be tested"
