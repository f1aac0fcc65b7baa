"""A drive's write cache: set for the run, put back after every kind of end, found again after kill -9."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import devices
from stend.base.errors import StepFailed
from stend.base.units import MiB
from stend.cli import main
from stend.devices import file
from stend.devices.drive import DriveDevice
from stend.model.definition import Identity, Plan
from stend.planning import plan
from stend.session import opening, settings
from stend.session.settings import WRITE_CACHE
from stend.words import Language
from tests.stand import ours

LATIN = re.compile("[A-Za-z]{3,}")


class Played(DriveDevice):
    """A drive whose write cache is a word in a file beside it."""

    def cache(self) -> str:
        return self.switch.read_text()

    def write_cache(self, setting: str) -> None:
        if self.stuck:
            return
        self.switch.write_text(setting)

    @property
    def switch(self) -> Path:
        return Path(f"{self.identity.path}.cache")

    stuck = False


@pytest.fixture
def drive(tmp_path: Path) -> Played:
    return found(tmp_path / "drive.bin")


def found(path: Path) -> Played:
    if not path.exists():
        path.write_bytes(bytes(2 * MiB))
        ours(path)
        Path(f"{path}.cache").write_text("enabled")
    identity = msgspec.structs.replace(file.find(str(path)).identity, serial="S1")
    return Played(identity)


def planned(device: Played, wanted: str = "disabled") -> Plan:
    _, profile, _ = plan.gather(["latency"], None, {"minute_s": 0.2})
    return plan.draw(["latency"], msgspec.structs.replace(profile, write_cache=wanted), device.identity)


def record(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / WRITE_CACHE.record).read_text())
    return told


def test_it_is_set_for_the_run_said_and_put_back(drive: Played, tmp_path: Path) -> None:
    drive.door.open(writes=True, destroy=drive.identity.path)
    with opening.set_cache(drive, planned(drive), tmp_path, print) as told:
        assert drive.cache() == "disabled"
        assert record(tmp_path)["restored"] is False
        assert told.notes[-1] == "the drive's write cache was enabled and is disabled for this run"
        assert told.device.facts["write_cache"] == "enabled"
        assert told.device.facts["write_cache_set"] == "disabled"
        assert not LATIN.search(Language("ru").translated(told.notes[-1]))
    assert drive.cache() == "enabled"
    assert record(tmp_path)["restored"] is True


@pytest.mark.parametrize("error", [StepFailed("fio died"), KeyboardInterrupt(), RuntimeError("a defect")])
def test_it_is_put_back_whatever_the_end_is(drive: Played, tmp_path: Path, error: BaseException) -> None:
    drive.door.open(writes=True, destroy=drive.identity.path)
    with pytest.raises(type(error)), opening.set_cache(drive, planned(drive), tmp_path, print):
        raise error
    assert drive.cache() == "enabled"


def test_nothing_is_set_where_it_is_so_already(drive: Played, tmp_path: Path) -> None:
    drive.door.open(writes=True, destroy=drive.identity.path)
    drawn = planned(drive, "enabled")
    with opening.set_cache(drive, drawn, tmp_path, print) as told:
        assert told.notes == drawn.notes
        assert told.device.facts["write_cache_set"] == "enabled"
    assert drive.cache() == "enabled"


def killed(drive: Played, folder: Path) -> None:
    """As kill -9 leaves it: set, recorded, not restored."""
    drive.switch.write_text("disabled")
    (folder / WRITE_CACHE.record).write_bytes(msgspec.json.encode(settings.sealed(left(drive))))


def left(drive: Played) -> settings.Change:
    return settings.Change(target=drive.identity.target, serial="S1", was="enabled", during="disabled", restored=False)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host's state of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/stend/seal.key"


def test_no_drive_is_changed_by_the_word_of_a_folder_that_this_host_did_not_write(
    drive: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    monkeypatch.setattr(devices, "find", lambda target: found(Path(target)))
    killed(drive, tmp_path)
    whole = msgspec.json.decode((tmp_path / WRITE_CACHE.record).read_bytes(), type=settings.Change)
    strangers = [left(drive), msgspec.structs.replace(whole, was="disabled"), msgspec.structs.replace(whole, seal="ab")]
    for stranger in strangers:
        (tmp_path / WRITE_CACHE.record).write_bytes(msgspec.json.encode(stranger))
        (said,) = settings.put_back([tmp_path])
        assert "was not written on this host by this user; no drive is changed" in said
        assert drive.cache() == "disabled"
    (tmp_path / WRITE_CACHE.record).write_bytes(msgspec.json.encode(whole))
    state.chmod(0o644)  # others may have read the key
    assert "was not written on this host" in settings.put_back([tmp_path])[0]
    state.chmod(0o600)
    assert settings.put_back([tmp_path]) == [f"{tmp_path}: the write cache of S1 is enabled again"]


def test_doctor_is_told_no_folder_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(tmp_path / "rnus")]) == 2
    assert "rnus is not a run folder" in capsys.readouterr().err


def test_half_a_record_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / WRITE_CACHE.record).write_text('{"restored": false}')
    (said,) = settings.put_back([tmp_path])
    assert "cannot be used" in said


def test_a_resumed_run_puts_back_what_was_before_the_kill(drive: Played, tmp_path: Path) -> None:
    killed(drive, tmp_path)
    drive.door.open(writes=True, destroy=drive.identity.path)
    with opening.set_cache(drive, planned(drive), tmp_path, print):
        assert drive.cache() == "disabled"
    assert drive.cache() == "enabled"


def test_doctor_puts_it_back_once(drive: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed(drive, tmp_path)
    monkeypatch.setattr(devices, "find", lambda target: found(Path(target)))
    assert settings.put_back([tmp_path]) == [f"{tmp_path}: the write cache of S1 is enabled again"]
    assert drive.cache() == "enabled"
    assert settings.put_back([tmp_path]) == []


def test_doctor_leaves_a_run_alone_that_goes_on(drive: Played, tmp_path: Path) -> None:
    drive.door.open(writes=True, destroy=drive.identity.path)
    with opening.set_cache(drive, planned(drive), tmp_path, print):
        assert settings.put_back([tmp_path]) == []
        assert drive.cache() == "disabled"


def test_a_drive_that_is_gone_is_told_and_stays_on_record(
    drive: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(drive, tmp_path)
    other = Identity(kind="file", target="x", path="x", capacity_bytes=1, serial="S2")
    monkeypatch.setattr(devices, "listing", lambda: [(other, "")])
    Path(drive.identity.path).unlink()
    (said,) = settings.put_back([tmp_path])
    assert "no drive here has the serial S1" in said
    assert record(tmp_path)["restored"] is False


def test_a_drive_that_does_not_take_the_setting_ends_the_run(drive: Played, tmp_path: Path) -> None:
    drive.door.open(writes=True, destroy=drive.identity.path)
    drive.stuck = True
    with (
        pytest.raises(StepFailed, match="its write cache was to be disabled and is enabled"),
        opening.set_cache(drive, planned(drive), tmp_path, print),
    ):
        raise AssertionError("nothing may run")


def test_a_drive_without_a_cache_is_said_to_have_none(
    drive: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Played, "cache", lambda self: "")
    drive.door.open(writes=True, destroy=drive.identity.path)
    with opening.set_cache(drive, planned(drive), tmp_path, print) as told:
        assert "this drive has none, or does not let it be set" in told.notes[-1]
        assert not LATIN.search(Language("ru").translated(told.notes[-1]))
    assert not (tmp_path / WRITE_CACHE.record).exists()


@pytest.mark.parametrize(("profile", "state"), [("enterprise-2.0.2", "off"), ("client-2.0.2", "on")])
def test_a_target_of_which_it_cannot_be_set_is_said_to_be_such(profile: str, state: str, tmp_path: Path) -> None:
    device = devices.find("sim:small")
    names, chosen, deviations = plan.gather(["iops"], profile, {})
    drawn = plan.draw(names, chosen, device.identity, deviations=deviations)
    with opening.set_cache(device, drawn, tmp_path, print) as told:
        (note,) = set(told.notes) - set(drawn.notes)
    assert note == (
        "the state of the write cache is unknown and is left as it is: "
        f"the profile requires it {state}, but this target has no switch for it"
    )
    assert not LATIN.search(Language("ru").translated(note))
