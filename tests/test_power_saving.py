"""Power saving of a drive: off for a run, restored after every kind of end; its power states as the drive reports."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import devices, session, store
from stend.base.errors import BadInput, Refused, StepFailed
from stend.cli import main
from stend.devices import ata, nvme
from stend.devices.drive import DriveDevice
from stend.devices.telling import nvme_logs as logs
from stend.model.definition import Plan
from stend.planning import plan
from stend.session import opening, settings
from stend.session.settings import POWER_SAVING
from stend.words import Language
from tests.played import Place, nvme_drive, sata_drive
from tests.stand import Stand
from tests.test_nvme_logs import dump

STATES = [
    {"max_power": 900, "max_power_scale": 0, "non-operational_state": 0, "entry_lat": 0, "exit_lat": 0},
    {"max_power": 380, "flags": 0},
    {"max_power": 450, "max_power_scale": 1, "non-operational_state": 1, "entry_lat": 2000, "exit_lat": 2000},
    {"max_power": 40, "flags": 3, "entry_lat": 15000, "exit_lat": 15000},
]


def table(*entries: tuple[int, int]) -> bytes:
    """Feature 0Ch: (state to enter, ms before) of each state; (0, 0) enters none."""
    words = (b"".join((to << 3 | ms << 8).to_bytes(8, "little") for to, ms in entries)).ljust(256, b"\0")
    assert len(words) == 256
    return words


def test_the_states_of_a_drive_say_when_it_enters_them() -> None:
    told = logs.power_states({"psds": STATES, "npss": 3}, table((2, 100), (2, 100), (3, 2000), (0, 0)))
    assert [state["watts"] for state in told] == [9.0, 3.8, 0.045, 0.004]
    assert [state["exit_ms"] for state in told] == [0, 0, 2, 15]
    assert [state["idle"] for state in told] == [False, False, True, True]
    assert [state.get("after_ms") for state in told] == [None, None, 100, 2000]
    assert all("after_ms" not in state for state in logs.power_states({"psds": STATES, "npss": 3}, b""))
    assert logs.power_states({}, b"") == []
    assert len(logs.power_states({"psds": STATES * 8, "npss": 1}, b"")) == 2


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host's state of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(params=["nvme", "ata"])
def played(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """(make the drive, its switch, as found, off)"""
    with ExitStack() as end:
        stand = Stand(tmp_path, end)
        if request.param == "nvme":
            place = Place(stand, monkeypatch, "nvme0n1")
            place.host.write("sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", "100000\n")
            switch = place.host.root / "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
            nvme_drive(place)
            node = str(place.host.root / "dev/nvme0n1")
            yield lambda: nvme.find(node, place.host.kernel), switch, "100000", "0"
        else:
            place = Place(stand, monkeypatch, "sda")
            place.host.write("sys/class/scsi_host/host2/link_power_management_policy", "med_power_with_dipm\n")
            switch = place.host.root / "sys/class/scsi_host/host2/link_power_management_policy"
            sata_drive(place)
            yield (
                lambda: ata.find(str(place.host.root / "dev/sda"), place.host.kernel),
                switch,
                "med_power_with_dipm",
                "max_performance",
            )


@contextmanager
def opened(device: DriveDevice) -> Iterator[None]:
    device.door.open(writes=False, destroy=None)
    with closing(device.door):
        yield


def planned(device: DriveDevice, wanted: str = "off") -> Plan:
    names, profile, told = plan.gather(["latency"], None, {"minute_s": 0.2, "power_saving": wanted})
    return plan.draw(names, profile, device.identity, deviations=told)


@pytest.mark.block
def test_it_is_off_for_the_run_and_restored_whatever_the_end_is(played: Any, tmp_path: Path) -> None:
    make, switch, found, off = played
    device = make()
    assert device.identity.facts["power_saving"] == found
    with opened(device), opening.kept(device, planned(device), tmp_path, print) as told:
        assert switch.read_text() == off
        assert told.device.facts["power_saving"] == found
        assert told.device.facts["power_saving_set"] == off
        assert told.notes[-1].key == "saving_off"
        assert Language("ru").translated(told.notes[-1]) != told.notes[-1]
        assert settings.put_back([tmp_path]) == []  # its run is active
    assert switch.read_text() == found
    with pytest.raises(StepFailed), opened(device), opening.kept(device, planned(device), tmp_path, print):
        raise StepFailed("fio died")
    assert switch.read_text() == found
    with opened(device), opening.kept(device, planned(device, "as-found"), tmp_path, print):
        assert switch.read_text() == found


@pytest.mark.block
def test_after_a_kill_it_is_restored_by_doctor(played: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make, switch, found, off = played
    device = make()
    with opened(device), opening.keep_awake(device, planned(device), tmp_path, print):
        left = (tmp_path / POWER_SAVING.record).read_bytes()
    (tmp_path / POWER_SAVING.record).write_bytes(left)
    switch.write_text(off)
    monkeypatch.setattr(devices, "find", lambda target: make())
    assert settings.put_back([tmp_path]) == [f"{tmp_path}: the power saving of SN1 is {found} again"]
    assert switch.read_text() == found
    assert settings.put_back([tmp_path]) == []


@pytest.mark.block
def test_nothing_is_set_without_the_gate(played: Any) -> None:
    make, switch, found, off = played
    device = make()
    with pytest.raises(Refused, match="has not passed the gate"):
        device.set_power_saving(off)
    assert switch.read_text().strip() == found


@pytest.mark.block
def test_a_drive_without_a_switch_is_said_to_have_none(played: Any, tmp_path: Path) -> None:
    make, switch, _, _ = played
    switch.unlink()
    device = make()
    assert "power_saving" not in device.identity.facts
    with opened(device), opening.kept(device, planned(device), tmp_path, print) as told:
        assert told.notes[-1].key == "saving_none"
    assert not (tmp_path / POWER_SAVING.record).exists()


@pytest.mark.block
def test_an_nvme_drive_tells_its_states_and_the_table_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as end:
        place = Place(Stand(tmp_path, end), monkeypatch, "nvme0n1")
        nvme_drive(place)
        (place.bench.bin / "table").write_text(dump(table((2, 100), (2, 100), (3, 2000), (0, 0))))
        head = "get-feature:0x0c (Autonomous Power State Transition), Current value:0x0000000"
        case = f'get-feature) [ "$3" = --feature-id=12 ] && echo "{head}1" && cat {place.bench.bin}/table;;'
        found = told_by(place, case)
        assert found["apst"] is True
        assert [state.get("after_ms") for state in found["power_states"]] == [None, None, 100, 2000]
        found = told_by(place, f'get-feature) [ "$3" = --feature-id=12 ] && echo "{head}0";;')
        assert found["apst"] is False
        assert all("after_ms" not in state for state in found["power_states"])


def told_by(place: Place, case: str) -> dict[str, Any]:
    nvme_drive(place, case)
    control = msgspec.json.decode((place.bench.bin / "ctrl").read_bytes()) | {"psds": STATES, "npss": 3, "apsta": 1}
    (place.bench.bin / "ctrl").write_bytes(msgspec.json.encode(control))
    return nvme.find(str(place.host.root / "dev" / place.name), place.host.kernel).identity.facts


def test_a_virtual_drive_is_kept_awake(tmp_path: Path) -> None:
    longest = {}
    for setting in ("as-found", "off"):
        request = session.Request(
            ["idle-recovery"], "sim:kc2000", quick=True, seed=1, into=str(tmp_path / setting), power_saving=setting
        )
        with session.start(request) as running:
            list(running)
        run = store.load(running.folder)
        loads = [result for result in run.results if result.counts.write.ios]
        longest[setting] = [result.counts.write.max_ns / 1e6 for result in loads]
        assert run.plan.device.facts["power_saving"] == "on"
        assert run.plan.device.facts["power_states"][2]["exit_ms"] == 15
        assert (run.plan.device.facts.get("power_saving_set") == "off") == (setting == "off")
        assert ("power saving: off instead of as-found" in run.plan.deviations) == (setting == "off")
    more_ms = [asleep - awake for asleep, awake in zip(longest["as-found"], longest["off"], strict=True)]
    assert max(more_ms) > 1.5  # the first write after a short rest waits for 2 ms


def test_another_word_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["run", "iops", "--target", "sim:small", "--power-saving", "on", "--into", str(tmp_path / "run")]
    assert main(words) == BadInput.exit_code
    assert "--power-saving is as-found or off, not 'on'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
