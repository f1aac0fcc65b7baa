"""A file that goes away while the gate looks at it: a sentence, whatever was being asked of it."""

import os
from pathlib import Path

import pytest

from stend import devices
from stend.base.errors import Refused, StepFailed
from stend.base.units import MiB
from stend.gate.descriptor import Gate
from stend.gate.door import Guarded
from stend.gate.look import compare
from stend.words import Language, text
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


def test_what_ends_a_run_at_the_gate_is_russian_on_a_russian_page(file: Path) -> None:
    """Expectations are the record's values and words of a dictionary, not templates of the catalogue."""
    device, russian = devices.find(str(file)), Language("ru")
    assert isinstance(device.door, Guarded)
    with pytest.raises(Refused) as unopened:
        device.door.check()
    device.door.open(writes=True, destroy=str(file))
    gate = device.door.opened
    os.truncate(file, 8 * MiB)
    with pytest.raises(StepFailed) as resized:
        device.door.check()
    with pytest.raises(Refused) as other:
        compare(str(file), {"serial": "SN1"}, {"serial": "SN2"})
    file.unlink()
    with pytest.raises(StepFailed) as gone:
        device.door.check()
    device.door.close()
    with pytest.raises(Refused) as closed:
        _ = gate.fd
    for error, parts in (
        (unopened, ("не прошёл проверку",)),
        (resized, ("размер", str(16 * MiB), str(8 * MiB))),
        (other, ("серийный номер", "SN1", "SN2")),
        (gone, ("исчез", "такого файла или каталога нет")),
        (closed, ("закрыт",)),
    ):
        shown = russian.translated(text(str(error.value)))
        assert all(part in shown for part in (str(file), *parts)), shown
