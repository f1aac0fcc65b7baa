"""Details of the gate that need no block device: overlays, other paths to a drive, fingerprints, contents, marks."""

import os
import struct
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend import gate
from stend.base.units import MiB
from stend.gate import fit, look, mounts, refusals, stack
from stend.gate.fingerprint import HELD
from stend.gate.holdings import _used
from stend.gate.mounts import Mount
from stend.gate.stack import Layer
from stend.gate.uses import Uses
from tests.stand import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


def test_folders_of_an_overlay_that_lead_nowhere_are_on_no_disk(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("low", "real", "merged"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    for number in {os.stat(place).st_dev for place in (tmp_path, "/")}:
        host.disk(f"sd{number}", f"{os.major(number)}:{os.minor(number)}")
    node = f"sd{os.stat(tmp_path).st_dev}"

    def disks(folders: str) -> set[str]:
        table = [Mount("0:99", str(tmp_path / "merged"), "overlay", "overlay", options=f"lowerdir={folders}")]
        return mounts.disks_below(host.kernel, str(tmp_path / "merged"), table)

    assert disks(f"low:{tmp_path}/real") == {node}
    assert disks("low:/gone/x") == set()


def test_a_program_on_another_path_to_the_drive_is_named_with_that_path(host: Host) -> None:
    """/dev/null stands in for the generic device of the second path."""
    null = os.stat("/dev/null").st_rdev
    for n, node in enumerate(("sda", "sdb")):
        host.disk(node, f"8:{16 * n}", device__serial="SN1", wwid="naa.5000c5001", device__wwid="naa.5000c5001")
    host.write("sys/devices/sdb/device/scsi_generic/sg1/dev", f"{os.major(null)}:{os.minor(null)}\n")
    for path, text in (
        ("comm", "dd\n"),
        ("stat", "7 (dd) S 1 7" + " 0" * 40),
        ("fdinfo/3", "flags:\t02\n"),
        ("task/7/stat", "7 (dd) S 1 7" + " 0" * 40),
    ):
        host.write(f"proc/7/{path}", text)
    (host.root / "proc/7/fd").mkdir()
    (host.root / "proc/7/fd/3").symlink_to("/dev/null")
    used = refusals._held([Layer("sda")], Uses(host.kernel))
    assert str(used) == "is the same drive as sdb, which is open for writing in dd (process 7); end that first"
    (host.root / "proc/7/fd/3").unlink()
    assert refusals._held([Layer("sda")], Uses(host.kernel)) is None


def test_a_fingerprint_has_marks_with_values_that_outlast_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(MiB))
    taken = gate.fingerprint(str(path))
    assert {"path", "inode", "size", HELD} <= set(taken)
    assert [key for key, value in taken.items() if not value] == [HELD]
    assert not [key for key in taken if key.startswith(look.PASSING)]
    assert (taken["path"], taken["inode"], taken["size"]) == (str(path), f"inode {path.stat().st_ino}", str(MiB))


@pytest.mark.parametrize(
    ("then", "now", "reason"),
    [
        ({"a": "1"}, {"a": "1"}, ""), ({"a": ""}, {}, ""), ({}, {"a": ""}, ""),
        ({"a": "1"}, {"a": "2"}, "is not what the run began on: its a is '2' and was '1'"),
        ({"b": "1", "a": "1"}, {}, "is not what the run began on: its a is '' and was '1'"),
        ({}, {"a": "1"}, "is not what the run began on: its a is '1' and was ''"),
        ({"signatures": "x u at 1"}, {"signatures": ""}, ""), ({"signatures": "x u at 1"},
         {"signatures": "x u at 1"}, ""),
        ({"signatures": "x u at 1"},
         {"signatures": "x u at 1; y at 2; z at 3"}, "holds y, z that the run did not make; begin a new run"),
        ({}, {"signatures": "x u at 1"}, "holds x that the run did not make; begin a new run"),
    ],
)  # fmt: skip
def test_another_drive_and_new_signatures_are_named(then: dict[str, str], now: dict[str, str], reason: str) -> None:
    assert gate.changed(then, now) == reason


@pytest.mark.parametrize(
    ("size", "held", "words"),
    [
        (2048, "ext4", ["its file system last written 2001-09-09", "last mounted at /srv"]), (2047, "ext4", []),
        (2048, "ext2", ["its file system last written 2001-09-09", "last mounted at /srv"]), (2048, "xfs", []),
    ],
)  # fmt: skip
def test_an_ext_file_system_states_its_last_use(size: int, held: str, words: list[str], tmp_path: Path) -> None:
    """Linux, Documentation/filesystems/ext4: the superblock is at 1024; s_wtime is at 30h, s_last_mounted at 88h."""
    block = bytearray(b"\xff" * 1024)
    struct.pack_into("<I", block, 0x30, 1_000_000_000)
    block[0x88:0xC8] = b"/srv".ljust(64, b"\0")
    path = tmp_path / "a"
    path.write_bytes((bytes(1024) + bytes(block))[:size])
    assert _used(str(path), held) == words
    block[0x88:0xC8] = bytes(64)
    path.write_bytes((bytes(1024) + bytes(block))[:size])
    assert _used(str(path), held) == words[:1]


def test_the_loss_of_a_file_is_its_size_and_its_last_write(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(bytes(MiB))
    os.utime(path, (0, 86_400))
    assert gate.loss(str(path)) == "may hold data, 1 MiB, last written 1970-01-02"


def test_layers_below_a_node_are_there_once_and_only_named_ones_are_whole(host: Host) -> None:
    host.disk("sda", "8:0")
    host.disk("sda1", "8:1", parent="sda", partition="1")
    host.disk("md0", "9:0")
    host.stacked("md0", "sda1")
    layers = stack.below(host.kernel, Layer("md0"), [])
    assert [(one.node, one.whole, one.claimed) for one in layers] == [
        (one.node, one.whole, one.claimed) for one in dict.fromkeys(layers)
    ]
    assert [one.node for one in layers] == ["md0", "sda1", "sda"]


@pytest.mark.parametrize(
    ("then", "now", "error"),
    [
        ({look.NUMBER: "1"}, {look.NUMBER: "1"}, ""), ({look.NUMBER: "1"}, {look.NUMBER: "2"}, "gate_leads"),
        ({look.SIZE: "1"}, {look.SIZE: "2"}, "gate_resized"), ({"serial": "1"}, {"serial": "2"}, "gate_mark"),
        ({look.NUMBER: "1", look.SIZE: "1"}, {look.NUMBER: "1", look.SIZE: "2"}, "gate_resized"), ({"a": "1"},
         {}, "gate_mark"),
        ({}, {"a": "1"}, ""),
    ],
)  # fmt: skip
def test_the_first_mark_that_differs_is_named(then: dict[str, str], now: dict[str, str], error: str) -> None:
    if not error:
        look.compare("x", then, now)
        return
    with pytest.raises(Exception) as raised:  # noqa: PT011 Refused or StepFailed, by its sentence
        look.compare("x", then, now)
    assert raised.value.args[0].key == error


@pytest.mark.parametrize(
    ("mode", "size", "links", "key"),
    [(0o100600, 1, 1, ""), (0o100600, 0, 1, "gate_empty"), (0o100600, 1, 2, "gate_hard_links"),
    (0o040700, 1, 1, "gate_not_regular")],
)  # fmt: skip
def test_a_file_that_stands_in_for_a_drive_is_regular_has_bytes_and_one_name(
    mode: int, size: int, links: int, key: str
) -> None:
    there: Any = SimpleNamespace(st_mode=mode, st_size=size, st_nlink=links)
    assert getattr(fit._shape(there), "key", "") == key


def test_a_writer_that_no_table_shows_is_waited_for_only_as_long_as_one_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept, answers = [100.0], list[float](), [True, True, False]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr("stend.gate.lease.others_write", lambda path, fd: answers.pop(0) if answers else True)
    kernel: Any = None
    layers = [Layer(file=(1, 2), path="/x")]
    assert refusals._written(layers, kernel, -1) == ""
    assert len(slept) == 2
    slept.clear()
    answers += [True] * 9999
    assert getattr(refusals._written(layers, kernel, -1), "key", "") == "gate_written_unseen"
    assert 1.0 <= sum(slept) <= 1.5


def test_a_file_in_the_run_folder_is_found_by_its_name_and_by_its_inode(tmp_path: Path) -> None:
    inner, other = tmp_path / "run/raw/a", tmp_path / "b"
    inner.parent.mkdir(parents=True)
    for path in (inner, other):
        path.write_bytes(b"x")
    ours, theirs = ((path.stat().st_dev, path.stat().st_ino) for path in (inner, other))
    for layer, inside in (
        (Layer(file=ours, path="/elsewhere"), True), (Layer(file=theirs, path=str(inner)), True), (Layer("sda"), False),
        (Layer(file=theirs, path=str(tmp_path / "run")), True),
        (Layer(file=theirs, path=str(tmp_path / "running")), False),
    ):  # fmt: skip
        reason = refusals._in_run_folder([layer], (str(tmp_path / "run"),))
        assert getattr(reason, "key", "") == ("gate_in_folder" if inside else "")
    assert refusals._in_run_folder([Layer(file=ours, path=str(inner))], (str(tmp_path / "none"),)) == ""
