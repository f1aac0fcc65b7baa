"""The descriptor that a gate holds: closed whenever the gate is, even where it did not open after all."""

import fcntl
import os
from pathlib import Path

import pytest

from stend import devices
from stend.base.errors import Refused
from stend.base.sysfs import HOST
from stend.base.units import MiB
from stend.gate import entry
from stend.gate.stack import Layer
from stend.gate.uses import Uses
from tests.stand import ours


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    path = tmp_path / "drive.bin"
    path.write_bytes(os.urandom(2 * MiB))
    return ours(path)


def held(path: Path) -> list[str]:
    """Descriptors of this process that lead to a file."""
    links = (fd for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink())
    return [fd.name for fd in links if os.path.exists(fd) and os.path.samefile(fd, path)]


def test_a_gate_that_stays_shut_holds_nothing(drive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "LOCK_PATIENCE_S", 0.0)
    device = devices.find(str(drive))
    with drive.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        before = held(drive)
        with pytest.raises(Refused, match="is locked by another program"):
            device.door.open(writes=True, destroy=str(drive))
        assert held(drive) == before
    device.door.open(writes=True, destroy=str(drive))
    assert len(held(drive)) == 1
    device.door.close()
    assert held(drive) == []


def test_a_gate_can_hold_the_lowest_descriptor_and_closes_it_too(drive: Path) -> None:
    child = os.fork()
    if child == 0:
        try:
            os.close(0)  # a service has no standard input
            device = devices.find(str(drive))
            device.door.open(writes=False, destroy=None)
            right = held(drive) == ["0"] and device.door.path.endswith("/fd/0")
            device.door.check()
            device.door.close()
            os._exit(0 if right and not held(drive) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_who_reads_beside_the_lowest_descriptor_ends_nothing(drive: Path) -> None:
    child = os.fork()
    if child == 0:
        try:
            os.close(0)
            device = devices.find(str(drive))
            device.door.open(writes=True, destroy=str(drive))
            with drive.open("rb"):
                device.door.check()
            os._exit(0 if device.door.path.endswith("/fd/0") else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_what_another_process_inherited_is_not_closed_by_it_and_is_not_its_own(drive: Path) -> None:
    device = devices.find(str(drive))
    device.door.open(writes=True, destroy=str(drive))
    child = os.fork()
    if child == 0:
        try:
            device.door.check()
        except Refused as error:
            device.door.close()
            os._exit(0 if len(held(drive)) == 1 and "must pass the gate again" in str(error) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    device.door.check()
    device.door.close()


def test_another_file_that_came_into_its_place_ends_the_work_on_it(drive: Path) -> None:
    device = devices.find(str(drive))
    device.door.open(writes=True, destroy=str(drive))
    device.door.check()
    drive.rename(drive.with_name("aside"))
    drive.write_bytes(bytes(2 * MiB))
    with pytest.raises(Refused, match="leads to another drive than it did"):
        device.door.check()
    device.door.close()


def test_another_file_that_was_in_its_place_for_the_moment_of_opening_is_noticed(
    drive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(bytes(2 * MiB))
    monkeypatch.setattr(entry, "_open", lambda identity, writes: os.open(other, os.O_RDWR))
    with pytest.raises(Refused, match="leads to another drive than it did"):
        devices.find(str(drive)).door.open(writes=True, destroy=str(drive))
    assert held(other) == []


def test_a_place_that_leads_nowhere_and_another_file_are_not_this_file(drive: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(bytes(10))
    there, uses = drive.stat(), Uses(HOST)
    file = (there.st_dev, there.st_ino)
    uses.mounts, uses.loops = [], []
    uses.swaps, uses.exports = [], [("nvmet", str(other)), ("target", "/no/such/place")]
    assert uses.of([Layer(file=file, path=str(drive))]) is None
    uses.exports.append(("nvmet", str(drive)))
    used = uses.of([Layer(file=file, path=str(drive))])
    assert str(used) == "is served to others (nvmet); take that down first"
