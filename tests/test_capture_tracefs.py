"""An instance of the kernel's tracing in a copied tree: its switches, formats, pages, losses, orphans; a drive."""

import ctypes
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput, Missing, StepFailed
from stend.base.process import ticks
from stend.base.sysfs import Kernel
from stend.capture import drive as drives
from stend.capture import tracefs
from stend.capture.drive import Counters, Drive
from stend.capture.tracefs import Instance

FORMAT = """name: block_rq_issue
ID: 1234
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;
\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;
\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;
\tfield:__data_loc char[] cmd;\toffset:64;\tsize:4;\tsigned:0;
"""
HEADER_PAGE = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
OWN = f"stend-{os.getpid()}-{ticks(os.getpid())}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """tracefs without an instance, and with two processors."""
    for folder in ("instances", "events", "per_cpu/cpu0", "per_cpu/cpu10", "per_cpu/cpu9"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "events/header_page").write_text(HEADER_PAGE)
    return tmp_path


@pytest.fixture
def home(root: Path) -> Instance:
    folder = root / "instances/a"
    (folder / "events/block/issue").mkdir(parents=True)
    for number, words in (
        (0, "overrun: 5\ncommit overrun: 7\n"),
        (2, "dropped events: 20\nread events: 900\n"),
        (10, ""),
    ):
        (folder / f"per_cpu/cpu{number}").mkdir(parents=True)
        (folder / f"per_cpu/cpu{number}/stats").write_text(f"entries: 3\n{words}")
        (folder / f"per_cpu/cpu{number}/trace_pipe_raw").write_text(str(number))
    return Instance(folder)


def test_the_fields_of_a_trace_point_have_their_offsets_and_sizes_and_it_has_a_number() -> None:
    assert tracefs.fields(FORMAT) == {
        "common_type": (0, 2), "common_pid": (4, 4), "dev": (8, 4), "sector": (16, 8), "rwbs": (34, 10), "cmd": (64, 4),
        "ID": (1234, 0),
    }  # fmt: skip
    with pytest.raises(BadInput, match=r"^a trace point's format has no number$"):
        tracefs.fields(FORMAT.replace("ID: 1234", "ID: x"))


def test_a_trace_point_is_turned_on_after_its_filter_is_set(home: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    written = list[tuple[str, str]]()
    monkeypatch.setattr(Instance, "set", lambda self, name, words: written.append((name, words)))
    home.enable("issue", "dev == 7")
    home.disable("issue")
    home.disable_all()
    assert written == [
        ("events/block/issue/filter", "dev == 7"),
        ("events/block/issue/enable", "1"),
        ("events/block/issue/enable", "0"),
        ("events/enable", "0"),
    ]


def test_a_switch_that_the_kernel_refuses_is_named(home: Instance) -> None:
    home.set("events/block/issue/enable", "1")
    assert (home.home / "events/block/issue/enable").read_text() == "1"
    with pytest.raises(
        StepFailed, match=r"^the kernel's tracing refuses '1' for none/at/all: No such file or directory$"
    ):
        home.set("none/at/all", "1")
    (home.home / "events/block/issue/format").write_text(FORMAT)
    assert home.format("issue") == FORMAT
    with pytest.raises(Missing, match=r"^this kernel has no trace point gone \(CONFIG_BLK_DEV_IO_TRACE\) and cannot"):
        home.format("gone")


def test_a_page_has_the_size_that_was_set_or_that_its_header_states(home: Instance, root: Path) -> None:
    assert home.page_bytes == 16 + 4080
    (home.home / "buffer_subbuf_size_kb").write_text("64\n")
    assert home.page_bytes == 65_536
    (home.home / "buffer_subbuf_size_kb").unlink()
    (root / "events/header_page").write_text("nothing")
    with pytest.raises(Missing, match="have an unknown format, so that no IO can be read"):
        _ = home.page_bytes


def test_buffers_are_opened_in_the_order_of_their_processors_and_what_they_lost_is_added_up(home: Instance) -> None:
    pipes = home.pipes()
    assert [os.read(pipe, 9) for pipe in pipes] == [b"0", b"2", b"10"]
    assert not any(os.get_inheritable(pipe) or os.get_blocking(pipe) for pipe in pipes)
    for pipe in pipes:
        os.close(pipe)
    assert home.lost() == 5 + 7 + 20


def test_an_instance_has_its_clock_and_buffers_and_is_gone_at_the_end(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = list[tuple[str, str]]()

    def write(self: Instance, name: str, words: str) -> None:
        written.append((name, words))
        if name == "buffer_subbuf_size_kb":
            raise StepFailed("a kernel before Linux 6.8")

    monkeypatch.setattr(Instance, "set", write)
    with tracefs.instance(root, 3 << 20) as made:
        assert made.home == root / "instances" / OWN
        assert made.home.is_dir()
    assert written == [("trace_clock", "mono"), ("buffer_subbuf_size_kb", "64"), ("buffer_size_kb", "3072")]
    assert os.listdir(root / "instances") == []
    (root / "instances" / OWN).mkdir()
    with pytest.raises(Missing, match="no separate instance of its tracing: File exists"), tracefs.instance(root, 1):
        pass
    assert os.listdir(root / "instances") == [OWN], "that of this process is no orphan"


def test_orphans_are_the_instances_of_processes_that_have_ended(root: Path) -> None:
    others = [OWN, f"{OWN}0", "stend-x", "mine"]
    gone = [f"stend-{os.getpid()}-1", "stend-999999999-5"]
    for name in (*others[:1], *others[2:], *gone):
        (root / "instances" / name).mkdir()
    assert sorted(tracefs.orphans(root)) == sorted(gone)
    assert sorted(os.listdir(root / "instances")) == sorted([OWN, "stend-x", "mine"])
    assert tracefs.orphans(root) == []


@pytest.mark.parametrize("fails", [0, 1, 2, None])
def test_tracefs_is_mounted_in_three_steps_and_what_was_opened_is_closed(
    fails: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """linux/mount.h: FSOPEN_CLOEXEC and FSMOUNT_CLOEXEC are 1, FSCONFIG_CMD_CREATE is 6, nosuid, nodev, noexec 0xe."""
    calls, closed = list[tuple[Any, ...]](), list[int]()

    class Library:
        @staticmethod
        def syscall(*words: Any) -> int:
            calls.append(words)
            return -1 if fails == len(calls) - 1 else (40, 0, 41)[len(calls) - 1]

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Library)
    monkeypatch.setattr(ctypes, "get_errno", lambda: errno.ENODEV)
    monkeypatch.setattr(os, "close", closed.append)
    if fails is None:
        with tracefs.mounted() as path:
            assert (path, closed) == (Path("/proc/self/fd/41"), [40])
    else:
        with pytest.raises(Missing, match=r"^this kernel has no tracefs \(CONFIG_TRACING\)"), tracefs.mounted():
            pass
    monkeypatch.undo()
    assert closed == {0: [], 1: [40], 2: [40], None: [40, 41]}[fails]
    steps = [(430, b"tracefs", 1), (431, 40, 6, None, None, 0), (432, 40, 1, 0xE)]
    assert calls == steps[: 3 if fails is None else fails + 1]


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (
            errno.EPERM,
            "a capture reads the kernel's trace points, which root alone may (or a process with CAP_SYS_ADMIN)",
        ),
        (errno.ENODEV, "this kernel has no tracefs (CONFIG_TRACING) and cannot capture"),
        (errno.ENOSYS, f"this kernel's tracefs cannot be mounted: {os.strerror(errno.ENOSYS)}"),
    ],
)
def test_a_kernel_that_mounts_no_tracefs_says_why(number: int, why: str) -> None:
    assert tracefs._why(number) == why


@pytest.fixture
def block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with a drive sdx of 1 MiB and its partition sdx1; /dev has the nodes by their names."""
    folder = tmp_path / "sys/devices/sdx"
    for name, words in (
        ("dev", "8:16"), ("size", "2048"), ("queue/logical_block_size", "512"), ("device/model", "Fast one "),
        ("inflight", "   3   4"), ("sdx1/dev", "8:17"), ("sdx1/size", "8"), ("sdx1/partition", "1"), ("mq/0", ""),
        ("stat", " ".join(str(n) for n in range(1, 18))),
    ):  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{words}\n")
    (tmp_path / "sys/class/block").mkdir(parents=True)
    for name, place in (("sdx", folder), ("sdx1", folder / "sdx1")):
        (tmp_path / "sys/class/block" / name).symlink_to(place)
    monkeypatch.setattr(drives, "Kernel", lambda: Kernel(tmp_path))
    known = {"/dev/sdx": "sdx", "/dev/sdx1": "sdx1", "/dev/by-id": "sdx"}
    monkeypatch.setattr(Kernel, "node_at", lambda self, path: known.get(path, ""))
    return folder


@pytest.mark.parametrize("target", ["/dev/sdx", "sdx", "/dev/by-id"])
def test_a_drive_with_a_queue_is_captured_by_its_requests_and_another_by_its_bios(target: str, block: Path) -> None:
    """linux/kdev_t.h: a device number has 20 bits of a minor number."""
    facts: dict[str, Any] = {"capacity_bytes": 2**20, "block_bytes": 512, "words": "sdx Fast one"}
    requests = Drive("sdx", 8 << 20 | 16, **facts, begins="block_rq_issue", ends="block_rq_complete",
                     again="block_rq_requeue")  # fmt: skip
    assert drives.drive(target) == requests
    (block / "mq/0").unlink()
    (block / "mq").rmdir()
    (block / "device/model").unlink()
    facts["words"] = "sdx"
    assert drives.drive(target) == Drive(
        "sdx", 8 << 20 | 16, **facts, begins="block_bio_queue", ends="block_bio_complete"
    )


def test_counters_are_those_of_the_kernel_also_of_one_that_keeps_fewer(block: Path) -> None:
    """Documentation/block/stat.rst: reads first, writes fifth, discards twelfth, flushes sixteenth."""
    found = drives.drive("sdx")
    assert found.counters() == Counters(reads=1, writes=5, discards=12, flushes=16)
    assert (found.counters().ios, found.in_flight()) == (18, 7)
    (block / "stat").write_text("1 2 3 4 5 6 7 8 9 10 11\n")  # before Linux 4.18
    assert found.counters() == Counters(1, 5, 0, 0)
    assert Counters(9, 8, 7, 6) - Counters(1, 2, 3, 4) == (8, 6, 4, 2)


def test_what_is_no_whole_disk_with_a_size_is_refused(block: Path) -> None:
    for target, why in (
        ("/dev/none", "is not a block device of this host; name a whole disk, such as /dev/nvme0n1"),
        ("/dev/sdx1", "is a part of sdx; only whole disks can be captured: capture /dev/sdx"),
        ("sdx", "has no size: nothing is set up behind it"),
    ):
        if "size" in why:
            (block / "size").write_text("0\n")
        with pytest.raises(BadInput) as refused:
            drives.drive(target)
        assert str(refused.value) == f"{target} {why}"
