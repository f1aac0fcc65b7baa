"""Resume is as careful as run: another drive, or one that somebody has used since, is not written, even when named."""

import hashlib
import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend import devices
from stend.base.units import MiB
from stend.cli import main
from tests.stand import Stand, loop_of, ours, sh
from tests.test_resume import killed

SHORT = ["write-saturation", "--quick", "--rounds", "2", "--round-seconds", "0.2"]


def cut(folder: Path, target: str, name: str) -> None:
    """A run that was killed after its purge."""
    killed(["run", *SHORT, "--target", target, "--destroy-data", name, "--into", str(folder)], folder, 9_000)


def refused(folder: Path, file: Path, name: str, capsys: pytest.CaptureFixture[str]) -> str:
    before, events = hashlib.sha256(file.read_bytes()).digest(), (folder / "events.jsonl").read_bytes()
    capsys.readouterr()
    assert main(["resume", str(folder), "--destroy-data", name]) == 3
    os.sync()
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert (folder / "events.jsonl").read_bytes() == events
    sentence = capsys.readouterr().err.strip()
    assert len(sentence.splitlines()) == 1
    return sentence


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    path = tmp_path / "scratch.bin"
    path.write_bytes(os.urandom(MiB))
    os.truncate(path, 32 * MiB)
    return ours(path)


@pytest.mark.fio
def test_a_file_of_the_same_name_and_size_is_another_one(
    tmp_path: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut(tmp_path / "run", str(scratch), str(scratch))
    shutil.copy(scratch, tmp_path / "other.bin")
    os.replace(tmp_path / "other.bin", scratch)
    ours(scratch)
    assert "is not what the run began on: its inode" in refused(tmp_path / "run", scratch, str(scratch), capsys)


@pytest.mark.fio
@pytest.mark.needs("mkfs.ext4", "sfdisk")
@pytest.mark.parametrize("what", ["mkfs.ext4", "sfdisk"])
def test_a_file_that_somebody_has_used_since_is_kept(
    tmp_path: Path, scratch: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cut(tmp_path / "run", str(scratch), str(scratch))
    if what == "sfdisk":
        sh("sfdisk", "-q", scratch, give="label: gpt\n,\n")
    else:
        sh("mkfs.ext4", "-q", "-F", scratch)
    assert "that the run did not make; begin a new run" in refused(tmp_path / "run", scratch, str(scratch), capsys)


@pytest.mark.fio
@pytest.mark.block
@pytest.mark.needs("losetup", "mkfs.ext4")
def test_a_loop_device_on_another_file_is_another_drive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as end:
        stand = Stand(tmp_path, end)
        node = stand.loop(stand.file("one.bin"))
        name = devices.name(devices.find(node).identity)
        cut(tmp_path / "run", node, name)
        other = stand.file("two.bin")
        sh("mkfs.ext4", "-q", "-F", other)
        loop_of(other, again=node)
        assert "began on" in refused(tmp_path / "run", other, devices.name(devices.find(node).identity), capsys)
