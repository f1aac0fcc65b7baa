"""The door of a drive: shut until it is opened, and whose a file is that was made for a run."""

import os
from pathlib import Path
from typing import Any

import pytest

from stend import devices, gate
from stend.base.errors import BadInput, Refused, StepFailed
from stend.base.units import MiB
from stend.devices.file import FileDevice


def gone() -> None:
    raise StepFailed("it is gone")


@pytest.fixture
def made(tmp_path: Path) -> FileDevice:
    device = devices.create(str(tmp_path / "made.bin"), 2 * MiB)
    assert isinstance(device, FileDevice)
    return device


def test_a_drive_in_memory_is_looked_at_before_it_counts_as_open() -> None:
    door = gate.Door("memory", gone)
    with pytest.raises(Refused, match="it is gone"):
        door.open(writes=True, destroy=None)
    with pytest.raises(Refused, match="open it first"):
        door.check()
    with pytest.raises(BadInput, match="cannot be scaled"):
        devices.find("sim:sas15k?scale=2").door.open(writes=True, destroy=None)


def test_only_what_may_hold_data_must_be_named(made: FileDevice, tmp_path: Path) -> None:
    path = tmp_path / "found.bin"
    path.write_bytes(bytes(2 * MiB))
    assert devices.find(str(path)).door.named
    assert not devices.find("sim:small").door.named
    assert not made.door.named
    made.door.open(writes=True, destroy=None)
    made.door.close()
    assert made.door.named
    with pytest.raises(Refused, match="add --destroy-data"):
        made.door.open(writes=True, destroy=None)


def test_another_file_in_the_place_of_the_one_that_was_made_must_be_named(made: FileDevice) -> None:
    path = Path(made.identity.path)
    path.rename(path.with_name("aside"))
    path.write_bytes(bytes(2 * MiB))
    assert made.door.named
    made.door.close()


def test_a_made_file_that_is_gone_is_refused_in_a_sentence(made: FileDevice) -> None:
    Path(made.identity.path).unlink()
    with pytest.raises(Refused, match="vanished"):
        made.door.open(writes=True, destroy=None)
    made.door.close()


def test_what_holds_a_made_file_is_let_go_once(made: FileDevice) -> None:
    held = [fd for fd in os.listdir("/proc/self/fd") if os.path.realpath(f"/proc/self/fd/{fd}") == made.identity.path]
    assert len(held) == 1
    made.door.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(int(held[0]))
    with open(os.devnull, "rb") as other:
        if other.fileno() != int(held[0]):
            os.dup2(other.fileno(), int(held[0]))
        made.door.close()
        assert os.fstat(int(held[0]))


def test_a_door_tells_what_would_be_lost_and_what_came_since(made: FileDevice) -> None:
    assert made.door.loss() == gate.loss(made.identity.path) != ""
    began = made.door.fingerprint()
    since = began | {"signatures": "ext4 X at 1080"}
    assert made.door.changed(began, since) == "holds ext4 that the run did not make; begin a new run"
    assert made.door.changed(since, began) == ""
    made.door.close()


@pytest.mark.parametrize(
    ("option", "permission"),
    [("--destroy-data names 'a b'", {"destroy": "a b"}), ("--overwrite-file names /x", {"overwrite": ("/x",)})],
)
def test_a_permission_to_destroy_data_is_refused_where_there_are_none(option: str, permission: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=rf"^{option}, but sim:small is a virtual drive.*; leave the option out$"):
        devices.find("sim:small").door.open(writes=True, **{"destroy": None, **permission})


@pytest.mark.parametrize("target", ["sim:small", "null"])
def test_a_drive_without_data_may_be_named_by_its_serial(target: str) -> None:
    device = devices.find(target)
    assert device.door.open(writes=True, destroy=device.identity.serial) == device.door.path
    device.door.close()
    with pytest.raises(BadInput, match="leave the option out"):
        device.door.open(writes=True, destroy=target)
