"""A file that goes away while the gate looks at it: a sentence, whatever was being asked of it."""

from pathlib import Path

import pytest

from stend import devices
from stend.base.errors import StepFailed
from stend.base.units import MiB
from stend.gate.descriptor import Gate
from tests.stand import ours


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "scratch.bin"
    path.write_bytes(bytes(16 * MiB))
    ours(path)
    return path


def test_a_file_that_vanishes_between_two_looks_fails_the_step(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = devices.find(str(file))
    device.door.open(writes=True, destroy=str(file))

    def late(gate: Gate) -> None:
        file.unlink()
        file.stat()

    monkeypatch.setattr(Gate, "check", late)
    with pytest.raises(StepFailed, match="vanished: No such file or directory"):
        device.door.check()
    device.door.close()


def test_a_file_that_is_gone_has_no_fingerprint(file: Path) -> None:
    door = devices.find(str(file)).door
    file.unlink()
    with pytest.raises(StepFailed, match="vanished"):
        door.fingerprint()
