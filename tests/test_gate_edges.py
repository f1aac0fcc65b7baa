"""What the gate lets through though others are near, what it says at its edges, and what it tells of a drive later."""

import contextlib
import glob
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from stend import devices, gate
from stend.base.errors import Refused, StepFailed
from stend.base.sysfs import HOST
from stend.base.units import MiB
from stend.gate.refusals import refusal
from tests.stand import Stand, let_go, loop_of, name_of, ours, sh

TRIES = 100
"""Looks at a link that is swapped all the while."""

pytestmark = [pytest.mark.block, pytest.mark.needs("losetup", "mount", "umount")]


def passes(target: str | Path) -> None:
    device = devices.find(str(target))
    device.door.open(writes=True, destroy=name_of(target))
    device.door.check()
    device.door.close()


@pytest.mark.needs("mkswap", "swapon", "swapoff", "mkfs.ext4", "sfdisk", "partx")
def test_what_is_near_a_use_and_not_in_it_passes(stand: Stand) -> None:
    mine, near = stand.file("mine.bin"), stand.loop(stand.file("near.bin"))
    stand.swap_file()
    place = stand.mount(stand.formatted(path=stand.loop(stand.file("mounted.bin"))))
    inner = place / "inner.bin"
    inner.write_bytes(bytes(2 * MiB))
    ours(inner)
    stand.program(f"f = open({str(stand.file('theirs.bin'))!r}, 'r+b')")
    disk = stand.partitioned()
    stand.mount(stand.formatted(path=f"{disk}p2"))
    for target in (mine, near, inner, f"{disk}p1"):
        passes(target)
    passes(stand.loop(near))
    passes(stand.loop(inner))


@pytest.mark.needs("overlay in the kernel")
def test_a_file_seen_through_an_overlay_passes_by_its_merged_name(stand: Stand) -> None:
    _, merged = stand.overlay("upper")
    layers = gate.Uses(HOST).layers(str(merged))
    assert len(layers) == 2  # and the real one below it is asked too


@pytest.mark.needs("sfdisk", "partx")
def test_a_file_holds_no_partitions_of_other_drives(stand: Stand) -> None:
    disk = stand.partitioned()
    assert f"{Path(disk).name}p1" in gate.holdings(disk)
    assert gate.holdings(str(stand.file("mine.bin"))) == ""


def test_a_lock_is_found_where_the_mount_is_not_in_sight(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stand.file()
    stand.program(f"import fcntl\nf = open({str(path)!r}, 'rb')\nfcntl.lockf(f, fcntl.LOCK_SH)")
    monkeypatch.setattr("stend.gate.locks.mounts.of_path", lambda kernel, place, table: None)
    assert refusal(str(path)).startswith("is locked by python3 (process ")


def test_a_lease_for_writing_is_told_before_a_look_ends_it(stand: Stand) -> None:
    path = stand.file()
    stand.program(f"import fcntl\nf = open({str(path)!r}, 'r+b')\nfcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)")
    for _ in range(2):  # the server lives on
        with pytest.raises(Refused, match="is leased for writing by python3"):
            devices.find(str(path))


def test_who_only_reads_a_file_ends_no_run_and_who_writes_in_hiding_does(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stend.gate.refusals.GONE_S", 0)
    path = stand.file()
    device = devices.find(str(path))
    with contextlib.closing(device.door):
        device.door.open(writes=True, destroy=name_of(path))
        with path.open("rb"):  # a backup, an indexer
            device.door.check()
        with open(device.door.path, "r+b"):  # the load itself
            device.door.check()
        device.door.check()
        code = f"import socket\na, b = socket.socketpair()\nf = open({str(path)!r}, 'r+b')\n"
        stand.program(f"{code}socket.send_fds(a, [b'x'], [f.fileno()])\nf.close()")
        with pytest.raises(Refused, match="is open for writing by a holder that /proc does not show"):
            device.door.check()


@pytest.mark.fio
@pytest.mark.parametrize("kind", ["drive", "file"])
def test_a_load_that_was_killed_is_waited_for_until_its_last_thread_is_gone(stand: Stand, kind: str) -> None:
    """fio runs in threads: the first has ended, and its table is empty, while the others wait for the drive."""
    path = stand.loop() if kind == "drive" else str(stand.file())
    load = ["fio", "--name=a", f"--filename={path}", "--rw=randwrite", "--thread", "--numjobs=4", "--iodepth=32"]
    load += ["--ioengine=libaio", "--direct=1", "--time_based", "--runtime=600", f"--output={os.devnull}"]
    for _ in range(5):
        fio = stand.program(f"print(os.getpid(), flush=True)\nos.execvp('fio', {load})")
        while not writers(path):
            time.sleep(0.01)
        os.kill(fio, signal.SIGKILL)
        assert refusal(path) == ""
        assert not writers(path)


def writers(path: str) -> list[str]:
    """All threads of all programs that have it open."""
    found = []
    for link in glob.glob("/proc/[0-9]*/task/*/fd/*"):
        with contextlib.suppress(OSError):
            found += [link] if os.readlink(link) == path else []
    return found


def test_who_has_come_and_gone_between_two_looks_is_nobody(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    path, counted = stand.file(), iter([True, False])
    monkeypatch.setattr("stend.gate.refusals.lease.others_write", lambda place, fd: next(counted))
    assert refusal(str(path)) == ""


@pytest.mark.needs("unshare", "mounts of its own")
def test_in_a_container_that_does_not_see_the_hosts_programs_the_operator_is_told(stand: Stand) -> None:
    node = stand.loop()
    asked = [sys.executable, "-c", f"from stend import gate; print(gate.loss({node!r}))"]
    hidden = sh("unshare", "--pid", "--fork", "--mount-proc", *asked)
    assert hidden.endswith("outside this container may use it and cannot be seen (start the container with --pid=host)")


def test_a_loop_says_how_to_take_it_down(stand: Stand) -> None:
    path = stand.file()
    node = stand.loop(path)
    assert refusal(str(path)) == f"is behind {node}; `losetup -d {node}` first"


def test_a_file_that_is_itself_the_run_folder_is_told(stand: Stand) -> None:
    path = stand.file()
    assert refusal(str(path), (str(path),)).startswith(f"is in the run folder {path}")


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.bin").touch()
    assert refusal(str(tmp_path / "empty.bin")).startswith("is empty")


def test_what_cannot_be_read_is_refused_with_the_words_of_wipefs(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    path, tool = stand.file(), stand.folder / "bin/wipefs"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho probing failed >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    with pytest.raises(
        Refused, match="cannot be read by wipefs, so stend cannot determine what it holds: probing failed"
    ):
        devices.find(str(path)).door.open(writes=True, destroy=None)


@pytest.mark.needs("mkfs.ext4")
def test_a_label_of_bytes_that_are_no_text_is_told_all_the_same(stand: Stand) -> None:
    path = stand.file()
    label = b'\xff\xfe"\x1b[2J'  # as other systems and other alphabets leave them
    subprocess.run([b"mkfs.ext4", b"-q", b"-F", b"-L", label, os.fsencode(path)], check=True)
    assert gate.holdings(str(path)) == 'ext4 "\ufffd\ufffd"\x1b[2J"'
    assert "holds ext4" in gate.loss(str(path))
    assert "ext4" in gate.fingerprint(str(path))["signatures"]


@pytest.mark.parametrize(
    "told", ["[]", "{", '{"signatures": 3}', '{"signatures": [{"offset": 7}]}', "\0", '{"x":' + "[" * 99_999]
)
def test_what_wipefs_never_says_lets_nobody_pass(stand: Stand, monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    path, tool = stand.file(), stand.folder / "bin/wipefs"
    tool.parent.mkdir()
    (stand.folder / "told").write_text(told)
    tool.write_text(f"#!/bin/sh\ncat {stand.folder}/told\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    with pytest.raises(Refused, match="the output of wipefs cannot be parsed"):
        devices.find(str(path)).door.open(writes=True, destroy=None)


def test_who_is_turned_back_after_the_opening_leaves_no_descriptor(stand: Stand) -> None:
    path = stand.file()
    device = devices.find(str(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate.Gate, "check", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            device.door.open(writes=True, destroy=str(path))
    held = [os.readlink(fd) for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()]
    assert str(path) not in held


def _interrupted(gate: gate.Gate) -> None:
    raise KeyboardInterrupt


def test_links_that_are_swapped_between_look_and_open_never_lead_to_the_other_drive(stand: Stand) -> None:
    ours, other = stand.loop(stand.file("ours.bin")), stand.loop(stand.file("other.bin"))
    link, wrong = stand.folder / "drive", os.stat(other).st_rdev
    link.symlink_to(ours)
    over = threading.Event()

    def swap() -> None:
        turn = 0
        while not over.is_set():
            turn += 1
            (stand.folder / "next").symlink_to((ours, other)[turn % 2])
            os.rename(stand.folder / "next", link)
            time.sleep(0.0005)  # some forty times amid a look; without it nobody else of this process comes to work

    thread = threading.Thread(target=swap)
    thread.start()
    passed, named = 0, name_of(ours)
    try:
        for _ in range(TRIES):
            with contextlib.suppress(Refused, StepFailed):
                device = devices.find(str(link))
                with contextlib.closing(device.door):
                    device.door.open(writes=True, destroy=named)
                    passed += 1
                    assert os.stat(device.door.path).st_rdev != wrong
    finally:
        over.set()
        thread.join()
    assert passed < TRIES


@pytest.mark.needs("mkfs.ext4")
def test_what_the_run_did_not_make_is_told_to_who_goes_on(stand: Stand) -> None:
    path = stand.file()
    node = stand.loop(path)
    for target in (str(path), node):
        began = gate.fingerprint(target)
        assert gate.changed(began, gate.fingerprint(target)) == ""
    sh("mkfs.ext4", "-q", "-F", node)
    assert gate.changed(began, gate.fingerprint(node)) == "holds ext4 that the run did not make; begin a new run"
    held = gate.fingerprint(node)
    path.write_bytes(os.urandom(MiB) + bytes(47 * MiB))
    assert gate.changed(held, gate.fingerprint(node)) == ""  # a purge takes what was there


def test_another_file_of_the_same_name_and_size_is_told_to_who_goes_on(stand: Stand) -> None:
    path = stand.file()
    node = stand.loop(path)
    began, below = gate.fingerprint(str(path)), gate.fingerprint(node)
    path.unlink()
    loop_of(stand.file(), again=node)
    assert "is not what the run began on: its inode" in gate.changed(began, gate.fingerprint(str(path)))
    assert "is not what the run began on: its inodes below" in gate.changed(below, gate.fingerprint(node))
    moved = path.rename(stand.folder / "moved.bin")
    assert "its " in gate.changed(began, gate.fingerprint(str(moved)))


def test_a_loop_device_that_another_process_holds_for_a_moment_is_waited_for(stand: Stand) -> None:
    """The rule of the tests' own `loop_of`: who looks for a file system on a drive claims it, and lets it go."""
    node = stand.loop()
    let_go(node)
    held = os.open(node, os.O_RDONLY | os.O_EXCL)
    threading.Timer(0.3, os.close, (held,)).start()
    assert loop_of(stand.file("other.bin"), again=node) == node
