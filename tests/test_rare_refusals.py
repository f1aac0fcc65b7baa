"""Refusals that a user meets seldom: a sentence with what to do, and nothing written."""

import errno
import mmap
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stend import devices
from stend.base.errors import BadInput, Refused, StepFailed
from stend.base.units import MiB
from stend.cli import main
from stend.devices import block, file
from stend.devices.file import FileDevice
from stend.devices.purging import methods
from stend.devices.purging import purge as purger
from stend.devices.purging.table import Drive
from stend.devices.telling import tools
from stend.gate import lease, ownership
from stend.gate.answers import answer
from stend.gate.stack import Layer
from stend.gate.uses import Uses
from tests.stand import Host, ours

SIZE = 2 * MiB
FILLED = b"secret!!" * (SIZE // 8)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    path = tmp_path / "drive.bin"
    path.write_bytes(FILLED)
    return ours(path)


@pytest.fixture
def opened(full: Path) -> Iterator[FileDevice]:
    """A file that plays a drive, full of data, open for writing."""
    device = file.find(str(full))
    device.door.open(writes=True, destroy=str(full))
    yield device
    device.door.close()


def failing(monkeypatch: pytest.MonkeyPatch, name: str, code: int, when: Callable[..., bool] = lambda *a: True) -> None:
    """Let a function of `os` fail with this number where `when` holds of its arguments."""
    real = getattr(os, name)

    def played(*given: Any, **more: Any) -> Any:
        if when(*given):
            raise OSError(code, os.strerror(code))
        return real(*given, **more)

    monkeypatch.setattr(os, name, played)


# The gate


def test_a_program_that_hangs_on_a_drive_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(words: tuple[str, ...], **more: Any) -> None:
        raise subprocess.TimeoutExpired(words, more["timeout"])

    monkeypatch.setattr(subprocess, "run", hangs)
    with pytest.raises(Refused, match=r"^sdx does not answer wipefs within 60 s, .* what it holds; see `dmesg`$"):
        answer("wipefs", "/dev/sdx", of="sdx", what="it holds", limit_s=60)


def test_a_new_file_that_another_program_formats_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    device = devices.create(str(tmp_path / "new.bin"), SIZE)
    with open(device.identity.path, "r+b") as formatting:
        formatting.seek(1024 + 56)
        formatting.write(b"\x53\xef")
    held = Path(device.identity.path).read_bytes()
    with pytest.raises(Refused, match=r"was made for this run but holds ext. by now; make another"):
        device.door.open(writes=True, destroy=None)
    device.door.close()
    assert Path(device.identity.path).read_bytes() == held


@pytest.mark.parametrize(
    ("code", "user", "words"),
    [
        (errno.EBUSY, 0, "or another program has it to itself"),
        (errno.ETXTBSY, 0, "a program that runs, or a swap file in use; end that"),
        (errno.EPERM, 1000, "it needs root: `sudo stend"),
        (errno.EACCES, 0, "root has no permission either; .*immutable file, a container must get the drive"),
        (errno.EROFS, 0, "Read-only file system; see `dmesg`"),
    ],
)
def test_a_drive_that_the_kernel_does_not_open_is_refused_with_the_cause(
    full: Path, monkeypatch: pytest.MonkeyPatch, code: int, user: int, words: str
) -> None:
    device = devices.find(str(full))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    failing(monkeypatch, "open", code, lambda path, flags, *more: str(path) == str(full) and bool(flags & os.O_RDWR))
    with pytest.raises(Refused, match=f"{full} cannot be opened: .*{words}"):
        device.door.open(writes=True, destroy=str(full))
    assert device.door.writes is None


def test_a_file_that_cannot_be_read_has_no_known_writer(full: Path) -> None:
    assert not lease.others_write(str(full))
    with full.open("r+b"):
        assert lease.others_write(str(full))
    assert not lease.others_write(str(full.with_name("gone.bin")))


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "belongs to a package of rpm; choose another"), (1, ""), (None, "rpm does not report within 60 s whether")],
)
def test_a_file_of_a_package_of_rpm_is_protected(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int | None, words: str
) -> None:
    def rpm(command: tuple[str, ...], **more: Any) -> subprocess.CompletedProcess[bytes]:
        assert command == ("rpm", "-qf", str(full))
        if code is None:
            raise subprocess.TimeoutExpired(command, more["timeout"])
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", rpm)
    kernel = Host(tmp_path / "host").kernel
    try:
        said = ownership.protected(Layer(path=str(full)), kernel)
    except Refused as error:
        said = str(error)
    assert said.startswith(words)
    assert bool(said) == bool(words)


def test_one_path_of_a_multipath_drive_has_no_number_and_is_in_no_use(tmp_path: Path) -> None:
    """Linux, drivers/nvme/host/multipath.c: a hidden path has a folder in sysfs and no device number."""
    host = Host(tmp_path / "host")
    host.disk("nvme0n1", "259:1")
    host.disk("nvme0c0n1", "259:2")
    (host.kernel.block("nvme0c0n1") / "dev").unlink()
    host.mounted("", "/mnt/other", "tmpfs")  # of no drive
    assert Uses(host.kernel).of([Layer("nvme0n1"), Layer("nvme0c0n1")]) is None
    host.mounted("259:1", "/mnt/data", "/dev/nvme0n1")
    assert "mounted at /mnt/data" in str(Uses(host.kernel).of([Layer("nvme0c0n1"), Layer("nvme0n1")]))


# Purges


def unreadable(monkeypatch: pytest.MonkeyPatch, *places: int) -> None:
    failing(monkeypatch, "preadv", errno.EIO, lambda fd, buffers, at: at in places)


def test_a_drive_with_bad_blocks_is_purged_for_that_may_repair_them(
    opened: FileDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block that could not be read before holds nothing that a check of the purge could find again."""

    def run(*words: str, **more: Any) -> tools.Output:
        monkeypatch.undo()
        Path(opened.identity.path).write_bytes(bytes(SIZE))
        return tools.Output(0, "", "")

    unreadable(monkeypatch, 64 * 1024)
    monkeypatch.setattr(tools, "run", run)
    drive = Drive("sata", opened.identity.path, template="maker --wipe")
    said = purger.purge(drive, opened.door.opened, report=lambda words: None)
    assert said == "the maker's command `maker --wipe`, a sample read back as zeros"


def test_bad_blocks_after_a_purge_fail_it(opened: FileDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    unreadable(monkeypatch, 64 * 1024)
    monkeypatch.setattr(tools, "run", lambda *words, **more: tools.Output(0, "", ""))
    drive = Drive("sata", opened.identity.path, template="maker --wipe")
    with pytest.raises(StepFailed, match="could not be read back at byte 65536 after its purge: Input/output error"):
        purger.purge(drive, opened.door.opened, report=lambda words: None)


def test_a_drive_that_reads_nothing_is_asked_a_few_times(opened: FileDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that fails may take a minute, and a sample has a thousand."""
    asked = list[int]()

    def read(fd: int, buffers: list[mmap.mmap], at: int) -> int:
        asked.append(at)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "preadv", read)
    assert methods.contents(opened.door.opened, lost=3) == {}
    assert len(asked) == 3


def test_a_drive_without_direct_io_is_read_back_all_the_same(
    opened: FileDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "open", errno.EINVAL, lambda path, flags, *more: bool(flags & os.O_DIRECT))
    assert not methods.reads_zero(opened.door.opened)
    Path(opened.identity.path).write_bytes(bytes(SIZE))
    assert methods.reads_zero(opened.door.opened)


@pytest.mark.parametrize(
    ("fsync", "words"),
    [
        (errno.EOPNOTSUPP, "Operation not supported; its file system cannot punch holes"),
        (errno.EIO, "Input/output error; make a new file"),
    ],
)
def test_a_file_that_cannot_be_punched_is_not_purged(
    opened: FileDevice, monkeypatch: pytest.MonkeyPatch, fsync: int, words: str
) -> None:
    failing(monkeypatch, "fsync", fsync)
    with pytest.raises(StepFailed, match=f"cannot be purged: {words}$"):
        opened.purge()


@pytest.mark.parametrize("punches", [True, False])
def test_a_hole_is_believed_if_the_file_reads_as_zeros(
    opened: FileDevice, monkeypatch: pytest.MonkeyPatch, punches: bool
) -> None:
    """Where the file system does not list its holes, or reports data that it had to keep."""
    failing(monkeypatch, "lseek", errno.EIO)
    if punches:
        assert "verified to read zero" in opened.purge()
        return
    monkeypatch.setattr(methods, "_punch_hole", lambda fd, size: None)
    with pytest.raises(StepFailed, match="still holds data at byte 0 after its purge; make a new file"):
        opened.purge()


@pytest.mark.parametrize("zeros", [True, False])
def test_discarded_blocks_that_do_not_read_as_zeros_are_zeroed(
    opened: FileDevice, monkeypatch: pytest.MonkeyPatch, zeros: bool
) -> None:
    device = block.BlockDevice(opened.identity)
    device.door = opened.door
    monkeypatch.setattr(methods, "discard", lambda gate: True)
    monkeypatch.setattr(methods, "zero", lambda gate: zeros and Path(gate.path).write_bytes(bytes(SIZE)))
    if zeros:
        assert device.purge() == "zeros written over all blocks (not a drive's own purge), a sample read back as zeros"
        return
    with pytest.raises(StepFailed, match="does not read as zeros after they were written; it cannot be trusted"):
        device.purge()


# Targets


@pytest.mark.parametrize(
    ("name", "size", "fails", "words"),
    [
        ("there", "2MiB", {}, "is there already; name another, or drop --create and name it by --destroy-data"),
        ("none/new", "2MiB", {}, "none is not a folder; make it first, or choose another"),
        ("new", "4KiB", {}, "4 KiB is too small to test; make .*new at least 1 MiB"),
        ("new", "900TiB", {}, "new needs .*to spare; make it smaller"),
        ("n" * 300, "2MiB", {}, "cannot be made: File name too long; choose another place"),
        ("new", "2MiB", {"posix_fallocate": errno.ENOSPC}, "cannot be made 2 MiB long: No space left on device"),
    ],
)
def test_a_file_that_cannot_be_made_is_refused_and_not_left(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    size: str,
    fails: dict[str, int],
    words: str,
) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    for function, code in fails.items():
        failing(monkeypatch, function, code)
    asked = ["run", "iops", "--target", str(tmp_path / name), "--create", size, "--into", str(tmp_path / "run")]
    assert main(asked) == 2
    said = capsys.readouterr().err
    assert re.search(words, said), said
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_bytes() == b"mine"


def test_a_target_that_is_no_drive_is_named_with_the_drive_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "nvme0").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    said = {}
    for name in ("nvme0", "pipe", "socket"):
        with pytest.raises(BadInput) as refused:
            devices.find(str(tmp_path / name))
        said[name] = str(refused.value).removeprefix(f"{tmp_path}/")
    assert said["nvme0"] == "nvme0 is a character device, not a drive; `stend devices` lists the drives"
    assert said["pipe"] == "pipe is a pipe, not a drive and not a file; `stend devices` lists the drives"
    assert said["socket"] == "socket is a socket, not a drive and not a file; `stend devices` lists the drives"
    for name in ("nvme0n2", "nvme0n1"):
        (tmp_path / name).touch()
    with pytest.raises(BadInput, match=f"its drives are {tmp_path}/nvme0n1, {tmp_path}/nvme0n2$"):
        devices.find(str(tmp_path / "nvme0"))


def test_a_name_without_its_folder_is_understood(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "is_block_device", lambda path: str(path) == "/dev/sdq")
    with pytest.raises(BadInput, match=r"^there is no file sdq; did you mean /dev/sdq\?$"):
        devices.find("sdq")


def test_a_node_with_nothing_behind_it_is_no_drive(tmp_path: Path, full: Path) -> None:
    host = Host(tmp_path / "host")
    with pytest.raises(BadInput, match="is a node without a drive; `stend devices` lists the drives there are"):
        block.find(str(full), host.kernel)
    host.disk("sdc", "0:0", size=0)  # a card reader without a card
    with pytest.raises(BadInput, match="has no size: nothing is set up behind it"):
        block.find(str(full), host.kernel)


def test_a_path_that_no_record_could_store_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = os.fsdecode(bytes(tmp_path) + b"/\xff.bin")
    Path(path).write_bytes(bytes(SIZE))
    assert main(["plan", "iops", "--target", path]) == 2
    assert "is not valid text here; set LC_ALL=C.UTF-8, or rename it" in capsys.readouterr().err


def test_a_file_has_one_way_to_be_purged_and_null_nothing(full: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["purge", "--target", str(full), "--destroy-data", str(full)]
    assert main([*asked, "--method", "crypto"]) == 2
    assert capsys.readouterr().err == f"stend: {full} has one way to be purged; leave --method and --command out\n"
    assert full.read_bytes() == FILLED
    assert main(["purge", "--target", "null"]) == 0
    assert capsys.readouterr().out == "null: nothing to purge\n"
