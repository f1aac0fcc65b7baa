"""The gate refuses each case for every path that writes, and not a byte changes."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stend import devices, gate
from stend.base.errors import EXIT_CODES, Refused, StepFailed
from tests.gate_cases import CASES, Builder
from tests.gate_cases_files import FILE_CASES
from tests.gate_verbs import each, refused
from tests.stand import SIZE, Stand, name_of, resize

pytestmark = pytest.mark.block


def test_there_are_enough_cases() -> None:
    assert len(CASES + FILE_CASES) >= 30


@pytest.mark.parametrize("build", each(CASES + FILE_CASES))
def test_refused_and_nothing_written(stand: Stand, build: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stend.gate.entry.LOCK_PATIENCE_S", 0.2)  # nobody here lets go
    case = build(stand)
    device = devices.find(str(case.target))
    name = {"": gate.names_of(device.identity)[0], "-": None}.get(case.name, case.name)
    if case.between:
        case.between()
    before = stand.digest()
    with pytest.raises(Refused, match=case.words):
        device.door.open(writes=True, destroy=name, keep_off=case.keep_off)
    with pytest.raises(Refused, match="has not passed the gate"):
        device.purge()
    with pytest.raises(Refused, match="has not passed the gate"):
        assert not device.door.path
    if not case.between:
        refused(str(case.target), name, stand.folder, keep_off=next(iter(case.keep_off), ""))
    assert stand.digest() == before


def test_the_exit_code_is_that_of_a_refusal() -> None:
    assert 3 in EXIT_CODES


AFTER: dict[str, tuple[Callable[[Stand, str, Path], object], str]] = {
    "shrunk": (lambda s, node, path: resize(path, SIZE // 2, node), "changed its size"),
    "behind a loop": (lambda s, node, path: s.loop(node), "is behind /dev/loop"),
    "written by another": (
        lambda s, node, path: s.program(f"f = open({node!r}, 'r+b')"),
        "is open for writing",
    ),
}


@pytest.mark.parametrize("name", AFTER)
def test_what_changes_after_it_was_opened_stops_purge_and_phases(stand: Stand, name: str) -> None:
    change, words = AFTER[name]
    path = stand.file()
    node = stand.loop(path)
    device = devices.find(node)
    device.door.open(writes=True, destroy=name_of(node))
    try:
        device.door.check()
        change(stand, node, path)
        before = stand.digest()
        for step in (device.door.check, device.purge):
            with pytest.raises((Refused, StepFailed), match=words):
                step()
        assert stand.digest() == before
    finally:
        device.door.close()


@pytest.mark.needs("mkfs.ext4")
def test_an_opened_drive_cannot_be_mounted_or_opened_again(stand: Stand) -> None:
    node = stand.formatted()
    device, again = devices.find(node), devices.find(node)
    device.door.open(writes=True, destroy=name_of(node))
    try:
        tried = subprocess.run(["mount", node, str(stand.folder)], capture_output=True, check=False)
        assert tried.returncode != 0
        with pytest.raises(Refused, match=r"to itself|is open for writing|is locked"):
            again.door.open(writes=True, destroy=name_of(node))
    finally:
        device.door.close()


def test_a_drive_opened_for_reading_is_not_purged(stand: Stand) -> None:
    path = stand.file()
    device = devices.find(stand.loop(path))
    before = stand.digest()
    device.door.open(writes=False, destroy=None)
    try:
        with pytest.raises(Refused, match="for reading only"):
            device.purge()
    finally:
        device.door.close()
    assert stand.digest() == before


def test_the_gate_is_good_in_one_process_only(stand: Stand) -> None:
    node = stand.loop()
    device = devices.find(node)
    device.door.open(writes=True, destroy=name_of(node))
    child = os.fork()
    if not child:  # pragma: no cover
        try:
            device.purge()
        except Refused:
            os._exit(42)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    device.door.close()
    with pytest.raises(Refused):
        device.door.check()
