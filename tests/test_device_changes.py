"""Commands that change a drive, in their order and bounds, with a kernel and tools made here: no device, no root."""

import errno
import fcntl
import os
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stend.base.errors import Refused, StepFailed
from stend.base.sysfs import Kernel
from stend.base.units import GiB, MiB
from stend.devices import drive, md, nvme, scsi
from stend.devices.purging import methods, prepare, rescan
from stend.devices.purging.prepare_table import Layout, Way, Wish
from stend.devices.telling import nvme_cli, tools
from stend.model.definition import Identity
from tests.stand import Host

BLKDISCARD, BLKZEROOUT = 0x1277, 0x127F
"""_IO(0x12, 119) and _IO(0x12, 127) of linux/fs.h, each with {start, length} in bytes."""


class Here(Kernel):
    def node_at(self, path: str) -> str:
        return Path(path).name

    def node_of(self, rdev: int) -> str:
        return "sda"


@pytest.fixture
def host(tmp_path: Path) -> Host:
    host = Host(tmp_path / "host")
    host.disk("sda", "8:0", queue__discard_max_bytes="2147450880")
    return host


def gate(host: Host, tmp_path: Path, size: int) -> Any:
    fd = os.open(tmp_path / "sda", os.O_RDWR | os.O_CREAT)
    return SimpleNamespace(
        kernel=Here(host.root), writing_fd=fd, identity=SimpleNamespace(capacity_bytes=size, target="/dev/sda")
    )


class Calls:
    """ioctl, as the kernel has it; `fails` are the start of the stretch that it refuses, and why."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *fails: int) -> None:
        self.made, self.fails = list[tuple[int, int, int]](), fails
        monkeypatch.setattr(fcntl, "ioctl", self.call)

    def call(self, fd: int, request: int, given: Any) -> int:
        start, length = struct.unpack("=QQ", bytes(given))
        if self.fails and start == self.fails[0]:
            raise OSError(self.fails[1], os.strerror(self.fails[1]))
        self.made.append((request, start, length))
        return 0


@pytest.mark.parametrize("size", [4096, GiB, GiB + 4096, 3 * GiB - 512])
def test_every_byte_of_a_drive_is_discarded_or_zeroed_once_and_none_beyond(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    calls, one = Calls(monkeypatch), gate(host, tmp_path, size)
    assert methods.discard(one)
    methods.zero(one)
    for request in (BLKDISCARD, BLKZEROOUT):
        stretches = [(start, length) for kind, start, length in calls.made if kind == request]
        assert [start for start, _ in stretches] == [0, *(start + length for start, length in stretches)][:-1]
        assert sum(length for _, length in stretches) == size
        assert max(length for _, length in stretches) <= GiB, "an interrupt waits for one stretch"


@pytest.mark.parametrize("code", [errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL])
def test_a_drive_that_cannot_discard_is_no_failure_and_one_that_can_do_neither_is(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    Calls(monkeypatch, 0, code)
    one = gate(host, tmp_path, MiB)
    assert not methods.discard(one)
    with pytest.raises(StepFailed, match="neither discarded nor zeroed"):
        methods.zero(one)


@pytest.mark.parametrize(("start", "code"), [(0, errno.EIO), (GiB, errno.EOPNOTSUPP), (GiB, errno.EREMOTEIO)])
def test_a_discard_that_fails_or_stops_on_its_way_is_told_with_its_byte(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int, code: int
) -> None:
    Calls(monkeypatch, start, code)
    with pytest.raises(StepFailed, match=f"discarded at byte {start}: "):
        methods.discard(gate(host, tmp_path, 2 * GiB))


def test_a_drive_whose_kernel_states_no_discard_is_not_asked(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(monkeypatch)
    host.write("sys/devices/sda/queue/discard_max_bytes", "0\n")
    assert not methods.discard(gate(host, tmp_path, MiB))
    assert calls.made == []


def test_a_disk_is_read_again_in_the_way_of_its_driver_and_an_nvme_drive_in_none(host: Host) -> None:
    """Linux, sd: `rescan` reads the capacity again; libata reads it as it detects a disk: `delete`, then `scan`."""
    port = "sys/devices/pci0/ata3/host2/target2:0:0/2:0:0:0"
    switches = {name: host.root / port / name for name in ("rescan", "delete")}
    switches["scan"] = host.root / "sys/class/scsi_host/host2/scan"
    (host.root / port / "block/sdb").mkdir(parents=True)
    (host.root / port / "block/sdb/device").symlink_to("../..")
    (host.root / "sys/class/block/sdb").symlink_to(host.root / port / "block/sdb")
    written = {"scsi": {"rescan": "1"}, "sata": {"delete": "1", "scan": "- - -"}, "nvme": {}}
    for interface, expected in written.items():
        for switch in switches.values():
            switch.parent.mkdir(parents=True, exist_ok=True)
            switch.write_text("")
        rescan.by_kernel(host.kernel, "sdb", interface)
        assert {name: switch.read_text() for name, switch in switches.items() if switch.read_text()} == expected
    (host.root / port / "rescan").unlink()
    (host.root / port / "rescan").mkdir()
    with pytest.raises(StepFailed, match="it was prepared, but the kernel could not be made to read it again"):
        rescan.by_kernel(host.kernel, "sdb", "scsi")


class Prepared:
    """A namespace of 1 GiB with a door, and its commands: `fails` names the one that ends in an error."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fails: str = "", *, writes: bool = True) -> None:
        self.log, self.fails = list[str](), fails
        self.identity = Identity(kind="nvme", target="/dev/nvme0n1", path="/dev/nvme0n1", capacity_bytes=GiB)
        self.kernel, self.node = Kernel(), "nvme0n1"
        opened = SimpleNamespace(check=lambda: self.log.append("check"), writes=writes)
        self.door = cast("Any", SimpleNamespace(opened=opened, close=lambda: self.log.append("close")))
        monkeypatch.setattr(tools, "run", self.command)
        monkeypatch.setattr(tools, "try_run", self.command)
        monkeypatch.setattr(nvme_cli, "words", lambda *words: words)
        monkeypatch.setattr(rescan, "by_kernel", self.read_again)
        monkeypatch.setattr(rescan, "current_path", lambda kernel, identity, node: self.path)
        monkeypatch.setattr(prepare, "decide", lambda drive, layout, wish: self.way)

    command_of = staticmethod(lambda *words: ("nvme", *words))
    delete, create, attach = (
        command_of("delete-ns", "--namespace-id={nsid}"),
        command_of("create-ns", "--nsze=1", "--verbose"),
        command_of("attach-ns", "--namespace-id={nsid}"),
    )
    restore = (command_of("create-ns", "--nsze=2", "--verbose"), attach)

    @property
    def way(self) -> Way:
        return Way(
            phrase="a new namespace", commands=(self.delete, self.create, self.attach),
            undo=((), self.restore), capacity_bytes=self.wanted, lba_bytes=512,
        )  # fmt: skip

    wanted, path = GiB // 2, "/dev/nvme0n1"

    def read_again(self, kernel: Kernel, node: str, interface: str) -> None:
        assert kernel is self.kernel
        self.log.append(f"rescan {node} {interface}")

    def abilities(self) -> Any:
        return SimpleNamespace(interface="nvme")

    def layout(self) -> Layout:
        return Layout(lba_bytes=512, capacity_bytes=GiB, nsid=4)

    def find_again(self, path: str) -> Any:
        return SimpleNamespace(
            identity=Identity(kind="nvme", target=path, path=path, capacity_bytes=GiB // 2, logical_bytes=512)
        )

    def command(self, *words: str, **limits: Any) -> tools.Output:
        said = " ".join(words[1:])
        self.log.append(said)
        if self.fails and said.startswith(self.fails):
            return tools.Output(1, "", "NVMe status: Invalid Field")
        return tools.Output(0, "create-ns: Success, created nsid:9\n" if "create" in said else "", "")

    def prepared(self) -> str:
        return prepare.prepare(self, Wish(capacity_pct=50), report=lambda words: None, poll_s=0, patience_s=0)


def test_a_namespace_is_deleted_made_and_attached_by_its_new_number_behind_the_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Prepared(monkeypatch)
    told = one.prepared()
    assert told.startswith("a new namespace; it reports ")
    assert told.endswith(" in blocks of 512 bytes")
    steps = [step for step in one.log if step != "close"]
    assert steps == [
        "check", "delete-ns --namespace-id=4", "create-ns --nsze=1 --verbose", "attach-ns --namespace-id=9",
        "rescan nvme0n1 nvme",
    ]  # fmt: skip
    assert one.log[2] == "close", "after the first command it is another drive"


def test_a_drive_that_was_opened_for_reading_gets_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Prepared(monkeypatch, writes=False)
    with pytest.raises(Refused, match="opened for reading only"):
        one.prepared()
    assert one.log == ["check"]


@pytest.mark.parametrize(
    ("fails", "undone", "words"),
    [
        ("delete-ns", [], "Invalid Field$"),
        ("create-ns --nsze=1", ["create-ns --nsze=2 --verbose", "attach-ns --namespace-id=9"], "laid out as it was"),
        ("attach-ns", [], "namespace 9 may not be attached, see `nvme list-ns --all`"),
        ("create-ns", ["create-ns --nsze=2 --verbose"], "make it by hand: `nvme create-ns --nsze=2 --verbose`"),
    ],
)
def test_what_was_done_is_undone_where_a_command_fails(
    monkeypatch: pytest.MonkeyPatch, fails: str, undone: list[str], words: str
) -> None:
    one = Prepared(monkeypatch, fails)
    with pytest.raises(StepFailed, match=words):
        one.prepared()
    last = max(n for n, step in enumerate(one.log) if step.startswith(fails) and "nsze=2" not in step)
    assert [step for step in one.log[last + 1 :] if step != "close"] == undone
    assert one.log[-1] == "close"
    assert "rescan nvme0n1 nvme" not in one.log


def test_a_drive_that_is_not_as_it_was_to_be_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Namespaces have a granularity: a hundredth more or less is as wanted, more is not."""
    one = Prepared(monkeypatch)
    one.wanted, one.path = GiB // 2 + GiB // 300, "/dev/nvme0n2"
    assert one.prepared().endswith(" as /dev/nvme0n2"), "the kernel gives it another number"
    one.wanted = GiB // 2 + GiB // 100
    with pytest.raises(StepFailed, match="power it off and on once"):
        one.prepared()


def device(kind: Any, host: Host, tmp_path: Path, node: str = "sda", **fields: Any) -> Any:
    path = tmp_path / node
    path.write_bytes(bytes(512))
    return kind(Identity(kind="x", target=str(path), path=str(path), capacity_bytes=512, **fields), Here(host.root))


@pytest.mark.parametrize(("setting", "words"), [("enabled", "write back"), ("disabled", "write through")])
def test_the_write_cache_of_a_disk_is_set_by_the_words_of_the_kernel(
    host: Host, tmp_path: Path, setting: str, words: str
) -> None:
    """Linux, drivers/scsi/sd.c: cache_type is `write through`, `none`, `write back`, `write back, no read (daft)`."""
    one = device(scsi.ScsiDevice, host, tmp_path)
    with pytest.raises(StepFailed, match="no switch for its write cache"):
        one.write_cache(setting)
    assert one.cache() == ""
    host.write("sys/devices/sda/device/scsi_disk/0:0:0:0/cache_type", "none\n")
    assert one.cache() == ""
    one.write_cache(setting)
    assert (host.root / "sys/devices/sda/device/scsi_disk/0:0:0:0/cache_type").read_text() == words
    assert one.cache() == setting


@pytest.mark.parametrize(
    ("printed", "code", "state"),
    [
        ("get-feature:0x06 (Volatile Write Cache), Current value:0x00000001", 0, "enabled"),
        ("get-feature:0x06 (Volatile Write Cache), Current value:00000000", 0, "disabled"),
        ("NVMe status: INVALID_FIELD", 2, ""),
        ("", 0, ""),
    ],
)
def test_the_write_cache_of_an_nvme_drive_is_feature_6(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, code: int, state: str
) -> None:
    asked = list[str]()

    def answer(*words: str) -> tools.Output:
        asked.append(" ".join(words))
        return tools.Output(code, printed, "refused")

    monkeypatch.setattr(tools, "try_run", answer)
    monkeypatch.setattr(tools, "run", answer)
    host.write("sys/class/nvme/nvme3/nvme3n1/size", "8")
    one = device(nvme.NvmeDevice, host, tmp_path, "nvme3n1")
    assert one.cache() == state
    for setting, value in (("enabled", 1), ("disabled", 0)):
        asked.clear()
        if code:
            with pytest.raises(StepFailed, match=f"its write cache cannot be {setting}"):
                one.write_cache(setting)
        else:
            one.write_cache(setting)
        (words,) = asked
        assert words.startswith("nvme set-feature /dev/nvme")
        assert int(words.partition("--feature-id=")[2].split()[0], 0) == 6
        assert words.endswith(f"--value={value}")
        assert "--save" not in words, "the drive has its own setting again after a power cycle"


def test_power_saving_is_set_behind_the_gate_and_read_back(host: Host, tmp_path: Path) -> None:
    log, switch = list[str](), tmp_path / "switch"
    switch.write_text("auto\n")
    one = device(drive.DriveDevice, host, tmp_path)
    assert one.power_saving() == ""
    one.door = SimpleNamespace(opened=SimpleNamespace(check=lambda: log.append("check")))
    one.power_switch = lambda: switch
    assert one.power_saving() == "auto"
    one.set_power_saving("on")
    assert (switch.read_text(), log) == ("on", ["check"])
    one.power_switch = lambda: tmp_path
    with pytest.raises(StepFailed, match="its power saving cannot be on"):
        one.set_power_saving("on")
    one.power_switch, one.power_saving = lambda: switch, lambda: "auto"
    with pytest.raises(StepFailed, match="was to be on and is auto"):
        one.set_power_saving("on")


@pytest.mark.parametrize(
    ("states", "shared"),
    [(["enabled", "enabled"], "enabled"), (["disabled", "enabled"], ""), (["enabled", ""], ""), ([], "")],
)
def test_an_array_has_the_write_cache_that_all_its_members_have(
    host: Host, tmp_path: Path, states: list[str], shared: str
) -> None:
    one, made = device(md.MdDevice, host, tmp_path), list[Any]()
    for n, state in enumerate(states):
        member = device(drive.DriveDevice, host, tmp_path, f"sd{n}")
        member.cache, member.sets = (lambda state=state: state), list[str]()
        member.write_cache = member.sets.append
        made.append(member)
    one.members = made
    assert one.cache() == shared
    one.write_cache("disabled")
    assert [member.sets for member in made] == [["disabled"]] * len(states)


@pytest.mark.parametrize("action", ["idle", "frozen", "resync", "recover", "check", "repair", "reshape"])
def test_an_array_that_synchronises_is_not_at_rest(host: Host, tmp_path: Path, action: str) -> None:
    """Documentation/admin-guide/md.rst, sync_action: idle and frozen write nothing."""
    host.write("sys/devices/sda/md/sync_action", f"{action}\n")
    host.write("sys/devices/sda/md/sync_completed", "128 / 4096\n")
    host.write("sys/devices/sda/md/degraded", "1\n")
    one = device(md.MdDevice, host, tmp_path)
    busy = action not in ("idle", "frozen")
    assert bool(one.unrest()) == busy
    told = one.abilities()
    assert told.state == (frozenset({"resync"}) if busy else frozenset())
    assert told.can == frozenset({"discard"})
    health = one.health()
    assert health["degraded"] == 1
    assert health["resync"] == (f"{action}, 128 / 4096 sectors" if busy else "")
