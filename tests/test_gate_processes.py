"""Programs that use a file or a drive are found by a /proc made here: no root, no device and no process is needed.

Flags of descriptors, states and flags of threads are those of proc_pid_fdinfo(5), proc_pid_stat(5) and open(2).
"""

import os
import time
from pathlib import Path

import pytest

from stend.gate import processes
from stend.gate.stack import Layer
from stend.gate.use import Use
from tests.stand import Host

RUNS = "S 1 7 7 0 -1 4194304" + " 0" * 40
KILLED = "Z 1 7 7 0 -1 4194316" + " 0" * 40
"""Fields of `stat` from the state on: one that sleeps, and one whose first thread has exited (PF_EXITING, 4)."""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "drive.bin"
    place.write_bytes(b"data")
    return place


def program(host: Host, place: Path | None, flags: int | None = None, status: str = RUNS, thread: str = "") -> None:
    """Process 7 with a descriptor, in one of its threads only if that is named."""
    home = "proc/7" + (f"/task/{thread}" if thread else "")
    for folder in ("proc/7/fd", "proc/7/task/7", f"{home}/fd"):
        (host.root / folder).mkdir(parents=True, exist_ok=True)
    host.write("proc/7/comm", "postgres\n")
    for stat in ("proc/7/stat", "proc/7/task/7/stat", *([f"{home}/stat"] if thread else [])):
        host.write(stat, f"7 (a (b) c) {status}\n")
    if place:
        (host.root / home / "fd/3").symlink_to(place)
        host.write(f"{home}/fdinfo/3", f"pos:\t0\nflags:\t0{flags or 0:o}\nmnt_id:\t30\n")


def found(host: Host, *files: Path) -> Use | None:
    layers = [Layer(file=(there.st_dev, there.st_ino), path=str(one)) for one in files for there in [one.stat()]]
    return processes.users(host.kernel, layers, [])


def use(host: Host, *files: Path) -> str:
    told = found(host, *files)
    return told.what.key if told else ""


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        (os.O_RDWR, "gate_writing"),
        (os.O_WRONLY, "gate_writing"),
        (os.O_RDWR | os.O_DIRECT | os.O_CLOEXEC, "gate_writing"),
        (os.O_RDONLY, ""),
        (os.O_RDONLY | os.O_DIRECT | os.O_NOATIME, ""),
        (os.O_RDWR | os.O_PATH, ""),  # a descriptor of open(2)'s O_PATH does no input or output
    ],
)
def test_a_descriptor_is_one_that_writes_by_its_flags(host: Host, file: Path, flags: int, key: str) -> None:
    program(host, file, flags)
    assert use(host, file) == key


def test_another_file_in_use_is_no_use_of_this_one(host: Host, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.bin"
    other.write_bytes(b"data")
    program(host, other, os.O_RDWR)
    assert use(host, file) == ""
    assert use(host, file, other) == "gate_writing"


def test_a_thread_holds_what_its_process_has_closed(host: Host, file: Path) -> None:
    """The folder of a process is that of its first thread, which is empty once that has exited."""
    program(host, None, status=KILLED)
    program(host, file, os.O_RDWR, thread="8")
    assert use(host, file) == "gate_writing"


def test_a_program_that_runs_from_a_file_uses_it(host: Host, file: Path) -> None:
    program(host, None)
    (host.root / "proc/7/exe").symlink_to(file)
    assert use(host, file) == "gate_running"


@pytest.mark.parametrize("name", ["drive.bin", "a name of words.bin"])
def test_a_mapped_file_is_in_use_by_inode(host: Host, tmp_path: Path, name: str) -> None:
    program(host, None)
    file = tmp_path / name
    file.write_bytes(b"data")
    shell, inode = tmp_path / "sh", file.stat().st_ino
    shell.write_bytes(b"")
    (host.root / "proc/7/exe").symlink_to(shell)
    host.write("proc/7/maps", f"7f0010000000-7f0010001000 rw-s 00000000 fe:00 {inode}    {file}\n")
    (host.root / "proc/7/map_files").mkdir()
    assert use(host, file) == ""
    (host.root / "proc/7/map_files/7f0010000000-7f0010001000").symlink_to(file)
    assert use(host, file) == "gate_mapped"


def test_a_file_that_is_shown_through_fuse_is_in_use_by_a_reader_too(host: Host, file: Path) -> None:
    program(host, file, os.O_RDONLY)
    (host.root / "dev/fuse").write_text("")
    (host.root / "proc/7/fd/4").symlink_to("/dev/fuse")
    assert use(host, file) == "gate_shown"


def test_the_program_is_named_with_its_number_and_the_way_to_end_it(host: Host, file: Path) -> None:
    program(host, file, os.O_RDWR)
    told = found(host, file)
    assert told
    assert {"postgres", "7"} <= {str(value) for value in told.what.values.values()}
    assert told.way.key == "gate_end"


def test_a_killed_process_is_waited_for_until_its_descriptors_are_closed(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(host, file, os.O_RDWR, status=KILLED)
    waits = list[float]()

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            (host.root / "proc/7/fd/3").unlink()

    monkeypatch.setattr(time, "sleep", wait)
    assert use(host, file) == ""
    assert len(waits) == 3


def test_a_killed_process_that_does_not_exit_and_a_living_one_are_not_waited_for(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("a living process was waited for"))
    program(host, file, os.O_RDWR)
    assert use(host, file) == "gate_writing"
    monkeypatch.setattr(processes, "ENDING_S", -1.0)
    host.write("proc/7/task/7/stat", f"7 (postgres) {KILLED}\n")
    told = found(host, file)
    assert told
    assert (told.what.key, told.way.key) == ("gate_writing", "gate_killed")


def test_numbers_of_a_drive_are_those_of_its_partitions_and_its_generic_devices_too(host: Host) -> None:
    host.disk("sda", "8:0", device__scsi_generic__sg0__dev="21:0")
    host.disk("sda1", "8:1", parent="sda", partition="1")
    host.disk("sdb", "8:16")
    assert host.kernel.number("sda1") == "8:1"
    assert host.kernel.number("sdz") == ""
    for layer, numbers in ((Layer("sda"), {"8:0", "8:1"}), (Layer("sda", whole=False), {"8:0"})):
        sought = processes._sought(host.kernel, [layer], [])
        assert (set(sought.numbers), set(sought.generic)) == (numbers, {"21:0"})
    assert not host.kernel.read_only("sda")
    host.write("sys/devices/sdb/ro", "1\n")
    assert host.kernel.read_only("sdb")


def test_a_process_of_this_one_is_ours_and_its_parent_is_not(host: Host, file: Path) -> None:
    program(host, file, os.O_RDWR, status=f"S {os.getpid()} 7" + " 0" * 40)
    there = file.stat()
    assert use(host, file) == "", "the load that stend starts"
    assert processes.ours(host.kernel, os.getpid())
    assert not processes.ours(host.kernel, os.getppid())
    assert processes.ours_writing(host.kernel, (there.st_dev, there.st_ino)) == 1
    assert not processes.read_by_any(host.kernel, (there.st_dev, there.st_ino))


@pytest.mark.parametrize(("mine", "ours"), [(1, [1, 5, 7]), (5, [5, 7]), (7, [7]), (9, [])])
def test_ours_are_this_process_and_its_descendants_also_as_the_first_one_of_a_container(
    host: Host, monkeypatch: pytest.MonkeyPatch, mine: int, ours: list[int]
) -> None:
    """pid_namespaces(7): the first process has number 1 and a parent 0, as the entry point of a container has."""
    for pid, parent in ((1, 0), (5, 1), (7, 5)):
        host.write(f"proc/{pid}/stat", f"{pid} (a) S {parent} 7" + " 0" * 40)
    monkeypatch.setattr(os, "getpid", lambda: mine)
    assert [pid for pid in (1, 5, 7, 8) if processes.ours(host.kernel, pid)] == ours


@pytest.mark.parametrize("target", ["socket:[4711]", "pipe:[4712]", "anon_inode:[eventpoll]"])
def test_a_descriptor_without_a_path_is_no_file(host: Host, file: Path, target: str) -> None:
    program(host, Path(target), os.O_RDWR)
    assert use(host, file) == ""
    (host.root / "proc/7/fd" / target).symlink_to(file)  # a link of that name, which a lookup would follow
    assert use(host, file) == ""


def test_a_process_of_which_one_thread_lives_is_not_waited_for(
    host: Host, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("a living thread was waited for"))
    program(host, file, os.O_RDWR)
    program(host, None, status=KILLED)
    host.write("proc/7/task/8/stat", f"8 (postgres) {RUNS}\n")
    told = found(host, file)
    assert told
    assert told.way.key == "gate_end"


@pytest.mark.parametrize("device", [True, False])
def test_a_device_that_is_registered_with_an_io_uring_is_in_use(host: Host, file: Path, device: bool) -> None:
    """io_uring's fdinfo lists registered files below `UserFiles:`, as `number: path`; files have leases instead."""
    program(host, Path("anon_inode:[io_uring]"), os.O_RDWR)
    path = Path("/dev/null") if device else file
    lines = f"SqMask:\t0x7\nUserFiles:\t2\n    0: /tmp/other\\040one\n    1: {path}\nUserBufs:\t0\n    0: {path}\n"
    host.write("proc/7/fdinfo/3", lines)
    there = path.stat()
    generic = frozenset({f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}"} if device else ())
    files = frozenset() if device else frozenset({(there.st_dev, there.st_ino)})
    sought = processes.Sought(frozenset(), files, (), generic)
    fds = processes._read(host.kernel.at("proc/7/fd"))
    assert any(processes._registered(fds, sought)) == device
    assert processes._use(host.kernel.at("proc/7"), sought) == ("gate_registered" if device else "")
    host.write("proc/7/fdinfo/3", lines.replace(f"1: {path}", "1: /tmp/b"))
    assert not any(processes._registered(fds, sought)), "buffers are no files"


def test_a_reader_of_a_file_is_any_process_that_has_it_open_without_writing(host: Host, file: Path) -> None:
    there = file.stat()
    key = (there.st_dev, there.st_ino)
    assert not processes.read_by_any(host.kernel, key)
    program(host, file, os.O_RDONLY)
    assert processes.read_by_any(host.kernel, key)
    assert processes.ours_writing(host.kernel, key) == 0
