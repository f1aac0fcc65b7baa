"""What a purge of a whole NVMe drive would take besides: namespaces by other controllers, and those without a node."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from stend.devices import nvme
from stend.devices.purging.table import No, Way, decide
from tests.played import Place, nvme_drive
from tests.stand import Stand

MANAGED, PLAIN = 10, 2
"""Format NVM with and without Namespace Management (OACS)."""
LISTS = "list-ns) printf '[   0]:0x1\\n[   1]:0x3\\n';;"
pytestmark = pytest.mark.block


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with ExitStack() as end:
        yield Place(Stand(tmp_path, end), monkeypatch, "nvme0n1")


def drive(place: Place, *cases: str, oacs: int = MANAGED, fna: int = 0) -> nvme.NvmeDevice:
    """One that has Sanitize (block erase) and is idle."""
    done = json.dumps({"nvme0n1": {"sprog": 65535, "sstat": {"status": "(1) Successful."}}})
    (place.bench.bin / "log").write_text(done)
    found = nvme_drive(place, *cases, f"sanitize-log) cat {place.bench.bin}/log;;", oacs=oacs)
    told = place.bench.bin / "ctrl"
    told.write_text(json.dumps(json.loads(told.read_text()) | {"sanicap": 2, "fna": fna}))
    return found


def way(device: nvme.NvmeDevice) -> Way:
    found = decide(device.abilities())
    assert isinstance(found, Way), found
    return found


def why_not(device: nvme.NvmeDevice, asked: str = "") -> str:
    found = decide(replace(device.abilities(), method=asked))
    assert isinstance(found, No), found
    return found.why


def test_a_drive_of_one_namespace_is_sanitized(place: Place) -> None:
    assert way(drive(place)).name == "sanitize"
    assert any(call.startswith("nvme list-ns") and call.endswith("--all") for call in place.bench.called)


def test_a_namespace_without_a_node_is_spared(place: Place) -> None:
    device = drive(place, LISTS)
    assert way(device).commands[0][:3] == ("nvme", "format", place.node)
    hit = "would hit namespace 3, which is not attached here too (Sanitize is of the whole drive)"
    assert hit in why_not(device, "sanitize")


def test_where_every_purge_would_hit_it_there_is_none(place: Place) -> None:
    assert "would hit namespace 3, which is not attached here too" in why_not(drive(place, LISTS, fna=3))


def test_a_drive_that_does_not_tell_its_namespaces_is_not_sanitized(place: Place) -> None:
    device = drive(place, "list-ns) exit 1;;")
    assert way(device).name == "format"
    hit = "would hit unknown namespaces (`nvme list-ns /dev/nvme0 --all` lists none) too"
    assert hit in why_not(device, "sanitize")


def test_a_drive_that_cannot_tell_those_that_are_not_attached_has_none(place: Place) -> None:
    assert way(drive(place, "list-ns) exit 1;;", oacs=PLAIN)).name == "sanitize"


def test_one_that_is_attached_and_has_no_node_is_spared_there_too(place: Place) -> None:
    """A command set that this kernel does not know."""
    assert drive(place, LISTS, oacs=PLAIN).abilities().neighbours == ("namespace 3, which is not attached here",)


def test_namespaces_by_the_other_controller_are_neighbours_and_the_same_one_is_not(place: Place) -> None:
    device = drive(place, oacs=PLAIN)
    (place.home / "wwid").write_text("eui.1")
    for node, wwid in (("nvme1n1", "eui.1"), ("nvme1n2", "eui.2"), ("nvme2n1", "eui.3")):
        place.host.disk(node, f"259:{node[4]}{node[6]}", device__serial="SN1", wwid=wwid)
    for name, drives in (("nvme0", "nqn.a"), ("nvme1", "nqn.a"), ("nvme2", "nqn.b")):
        place.host.write(f"sys/class/nvme/{name}/subsysnqn", drives)
    assert device.abilities().neighbours == ("nvme1n2",)
