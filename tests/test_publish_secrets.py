"""Private texts of a run, unless the lab publishes them: serials, host, paths, label, operator, addresses of meters."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend.model.definition import Identity
from stend.publish import private

DRIVE = Identity(
    kind="nvme", target="/dev/nvme7n1", path="/dev/nvme7n1p3", capacity_bytes=1, model="Alpha", serial="SERIAL9",
    wwn="eui.77", firmware="FW-1", interface="NVMe", facts={"nguid": "ng-5", "title": "Alpha 1", "uuid": "Alpha"},
)  # fmt: skip
HOST = {"hostname": "bench-4", "user": "alice", "machine": "tower", "place": "/lab/runs", "cpu": "Xeon"}
OF = {
    "serial": {"SERIAL9", "eui.77", "ng-5", "SERIAL8"},
    "host": {"bench-4", "alice", "tower"},
    "paths": {"/runs/first", "/lab/runs", "/dev/nvme7n1", "/dev/nvme7n1p3", "old/results.csv"},
    "label": {"shelf 12"},
    "tested_by": {"A. Tester"},
}
ALWAYS = {"bmc.example", "watcher", "chassis"}
"""Parts of the specification of a meter, `redfish:HOST?user=NAME,sensor=PATH`."""


def run_of(drive: Identity) -> Any:
    meters = (SimpleNamespace(spec="redfish:bmc.example?user=watcher;chassis"), SimpleNamespace(spec="file:"))
    started = SimpleNamespace(fingerprint={"serial": "SERIAL8"}, meters=meters)
    source = SimpleNamespace(files=(("old/results.csv", "00"),))
    return SimpleNamespace(plan=SimpleNamespace(device=drive), started=[started], source=source)


@pytest.mark.parametrize("public", [(), *((name,) for name in OF), tuple(OF)])
def test_what_a_lab_does_not_publish_is_private(public: tuple[str, ...]) -> None:
    manifest = {"label": "shelf 12", "tested_by": "A. Tester"}
    found = private.secrets(run_of(DRIVE), HOST, manifest, Path("/runs/first"), public)
    wanted = ALWAYS.union(*(words for name, words in OF.items() if name not in public))
    assert set(found) - {"user"} == wanted
    assert [len(word) for word in found] == sorted(map(len, found), reverse=True)


def test_a_virtual_drive_has_no_path_and_texts_of_two_letters_are_in_every_sentence() -> None:
    short = {"serial": "S1", "wwn": "S12"}
    drive = msgspec.structs.replace(DRIVE, kind="virtual", virtual=True, target="sim:small", path="sim:small", **short)
    found = private.secrets(run_of(drive), {}, {"label": "ab"}, Path("/runs/first"), ())
    assert {"sim:small", "S1", "ab"}.isdisjoint(found)
    assert "S12" in found


def test_a_label_that_is_part_of_the_name_of_the_model_does_not_hide_it() -> None:
    drive = msgspec.structs.replace(DRIVE, model="Beta 12 Pro SERIAL9")
    found = private.secrets(run_of(drive), {}, {"label": "Beta 12", "tested_by": "Pro"}, Path("/runs/first"), ())
    assert private.clean(drive.model, found, ()) == "Beta 12 Pro …"
    assert "Bet" in private.secrets(run_of(drive), {}, {"label": "Bet"}, Path("/runs/first"), ())
