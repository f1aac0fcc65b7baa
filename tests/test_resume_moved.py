"""A drive that has another node after a restart of the host is found by its serial or WWN."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from stend import devices
from stend.base.errors import BadInput, Refused
from stend.model.definition import Identity
from stend.session.opening import present


def drive(target: str, **facts: object) -> Identity:
    known = {"kind": "nvme", "model": "P", "serial": "S1", "wwn": "eui.1", "capacity_bytes": 1 << 40, **facts}
    return Identity(target=target, path=target, **known)  # type: ignore[arg-type]


@dataclass
class Found:
    identity: Identity


THEN = drive("/dev/nvme0n1")
OTHER = drive("/dev/nvme0n1", serial="S2", wwn="eui.2")
MOVED = drive("/dev/nvme1n1")


def arranged(here: Sequence[Identity], monkeypatch: pytest.MonkeyPatch) -> None:
    def find(target: str) -> Found:
        for one in here:
            if one.target == target:
                return Found(one)
        raise BadInput(f"{target} is not there")

    monkeypatch.setattr(devices, "find", find)
    monkeypatch.setattr(devices, "listing", lambda: [(one, "") for one in here])


@pytest.mark.parametrize(
    ("here", "now"),
    [
        ([THEN, OTHER], "/dev/nvme0n1"),
        ([OTHER, MOVED], "/dev/nvme1n1"),
        ([MOVED], "/dev/nvme1n1"),
        ([OTHER, MOVED, drive("/dev/nvme2n1", capacity_bytes=1 << 39)], "/dev/nvme1n1"),
        ([OTHER, MOVED, drive("/dev/nvme2n1", wwn="eui.3")], "/dev/nvme1n1"),
    ],
    ids=["where it was", "changed places", "path is free", "a namespace of another size", "another namespace"],
)
def test_the_drive_of_a_run_is_found_wherever_it_is_now(
    here: Sequence[Identity], now: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arranged(here, monkeypatch)
    assert present(THEN).identity.target == now


@pytest.mark.parametrize(
    ("here", "why"),
    [
        ([], "is not there"),
        ([OTHER], "is another drive: its serial"),
        ([OTHER, drive("/dev/nvme1n1", capacity_bytes=1 << 39)], "is another drive: its serial"),
        ([OTHER, MOVED, drive("/dev/nvme2n1")], "is another drive: its serial"),
        ([OTHER, drive("/dev/nvme1n1", model="Q")], "is another drive: its serial"),
    ],
    ids=["none", "only another", "another size", "two paths", "another model"],
)
def test_no_other_drive_is_taken_for_that_of_a_run(
    here: Sequence[Identity], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arranged(here, monkeypatch)
    with pytest.raises((BadInput, Refused), match=f"nvme0n1 {why}"):
        present(THEN)


def test_a_device_without_serial_and_wwn_is_never_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {"kind": "block", "serial": "", "wwn": ""}
    arranged([drive("/dev/loop1", **plain)], monkeypatch)
    with pytest.raises(BadInput, match="is not there"):
        present(drive("/dev/loop0", **plain))
