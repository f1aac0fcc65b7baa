"""Files as targets: whose they are, and what they lie in. Without root."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from stend import devices
from stend.base.errors import BadInput, Refused
from stend.base.sysfs import HOST, Kernel
from stend.base.units import MiB
from stend.cli import main
from stend.devices import file
from stend.gate import fit, mounts, ownership
from stend.gate.mounts import Mount
from stend.gate.stack import Layer
from tests.stand import Host, ours

BYTES = os.urandom(2 * MiB)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A file of a user."""
    path = tmp_path / "plain.bin"
    path.write_bytes(BYTES)
    return path


def layer(path: Path, **more: object) -> Layer:
    there = path.stat()
    return Layer(file=(there.st_dev, there.st_ino), path=str(path), **more)  # type: ignore[arg-type]


def opened(path: Path, *overwrite: Path, destroy: Path | None = None) -> None:
    device = devices.find(str(path))
    device.door.open(writes=True, destroy=str(destroy or path), overwrite=tuple(map(str, overwrite)))
    device.door.close()


# Whose a file is


def test_a_file_that_stend_did_not_make_needs_its_own_option_once(plain: Path) -> None:
    with pytest.raises(
        Refused,
        match=f"is a file that has no mark of stend .*older stend.*; .* add --overwrite-file {plain}",
    ):
        opened(plain)
    with pytest.raises(Refused, match="has no mark of stend"):
        opened(plain, plain.with_name("other.bin"))
    assert not ownership.marked(str(plain))
    opened(plain, plain)
    assert ownership.marked(str(plain))
    opened(plain)
    assert plain.read_bytes() == BYTES


def test_the_option_does_not_stand_for_the_name(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["purge", "--target", str(plain), "--overwrite-file", str(plain)]) == 3
    assert f"add --destroy-data {plain}" in capsys.readouterr().err
    assert main(["purge", "--target", str(plain)]) == 3
    assert f"add --destroy-data {plain} --overwrite-file {plain}" in capsys.readouterr().err
    assert plain.read_bytes() == BYTES
    assert not ownership.marked(str(plain))
    named = ["--destroy-data", str(plain), "--overwrite-file", str(plain)]
    assert main(["purge", "--target", str(plain), *named]) == 0
    assert plain.read_bytes() == bytes(len(BYTES))


def test_a_file_that_is_made_for_a_run_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "made.bin"
    os.close(file.create(str(path), MiB))
    assert ownership.marked(str(path))
    path.write_bytes(BYTES)
    path.rename(tmp_path / "moved.bin")
    assert ownership.marked(str(tmp_path / "moved.bin"))


def test_a_copy_with_all_attributes_has_no_mark(plain: Path) -> None:
    ours(plain)
    copy = Path(shutil.copy2(plain, plain.with_name("copy.bin")))
    assert os.getxattr(copy, ownership.MARK) == os.getxattr(plain, ownership.MARK)
    assert not ownership.marked(str(copy))
    assert [one.path for one in ownership.foreign([layer(plain), layer(copy), Layer("sda")])] == [str(copy)]
    assert ownership.foreign([layer(copy, via=frozenset({"0:9"}))]) == []


def test_a_generation_is_compared_where_it_is_known(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an overlay does not tell it of the real file."""
    inode = plain.stat().st_ino
    for kept, now, same in (("7", "7", True), ("7", "8", False), ("7", "", True), ("", "7", True), ("", "", True)):
        os.setxattr(plain, ownership.MARK, f"scratch {inode} {kept}".encode())
        monkeypatch.setattr(ownership, "generation", lambda path, now=now: now)
        assert ownership.marked(str(plain)) is same
    os.setxattr(plain, ownership.MARK, f"scratch {inode}0 ".encode())
    assert not ownership.marked(str(plain))


def test_a_file_system_without_attributes_keeps_no_mark(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*words: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "setxattr", fails)
    ownership.mark(str(plain))
    assert not ownership.marked(str(plain))


def protected(path: Path | str) -> str:
    return ownership.protected(Layer(path=str(path)), HOST).partition("; ")[0]


@pytest.mark.parametrize("folder", [f for f in ownership.SYSTEM if f.count("/") == 1 or f.startswith("/var")])
def test_a_file_below_a_folder_of_the_system_is_refused(folder: str) -> None:
    assert protected(f"{folder}/deep/file.bin").startswith("is in /")
    assert "folder of the system" in protected(f"{folder}/file.bin")


@pytest.mark.parametrize(
    "path",
    ["/usr/bin/fio", "/etc/shadow", "/boot/vmlinuz", "/bin/sh", "/var/lib/dpkg/status", "/var/log/syslog", "/opt/a"],
)
def test_files_that_must_never_be_overwritten_are_refused(path: str) -> None:
    assert "folder of the system" in protected(path)


def test_files_of_stend_itself_are_refused() -> None:
    assert "stend itself runs from" in protected(Path(sys.prefix, "any/file.bin"))
    assert "stend itself runs from" in protected(ownership.__file__)


def test_hidden_files_of_homes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "here"))
    for path in ("/root/.ssh/id", "/home/me/.bashrc", "/home/me/.local/deep/file", tmp_path / "here/.profile"):
        assert protected(path).startswith("is a hidden file in ")
    plain = tmp_path / "here/a.b/plain.bin"
    plain.parent.mkdir(parents=True)
    plain.write_bytes(BYTES)
    assert protected(plain) == ""


def test_programs_scripts_and_files_of_packages_are_refused(plain: Path, tmp_path: Path) -> None:
    assert protected(plain) == ""
    for mode in (0o700, 0o610, 0o601):
        plain.chmod(mode)
        assert protected(plain) == "is a program"
    plain.chmod(0o600)
    for begins in (b"\x7fELF", b"#!/bin/sh"):
        plain.write_bytes(begins + BYTES)
        assert protected(plain) == "is a program"
    plain.write_bytes(BYTES)
    host = Host(tmp_path / "host")
    host.write("var/lib/dpkg/info/other.list", f"/.\n{plain}.bak\n")
    host.write("var/lib/dpkg/info/other.md5sums", f"{plain}\n")
    assert ownership.protected(layer(plain), host.kernel) == ""
    host.write("var/lib/dpkg/info/tool.list", f"/.\n{plain}\n")
    assert ownership.protected(layer(plain), host.kernel).startswith("belongs to the package tool; ")
    host.write("var/lib/dpkg/info/tool.list", "/bin/tool\n")
    assert ownership._package("/usr/bin/tool", host.kernel) == "the package tool"


def test_a_folder_of_the_system_under_another_name_is_still_one(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bind mount shows a folder at another place of the same file system."""
    folders = {str(plain): "/usr/bin", os.path.realpath("/usr"): "/usr"}

    def of_path(kernel: Kernel, path: str, table: list[Mount]) -> Mount:
        return Mount("8:1", os.path.dirname(path) if path == str(plain) else path, "ext4", "x", root=folders[path])

    monkeypatch.setattr(mounts, "of_path", of_path)
    assert ownership._below(HOST, [], str(plain), "/usr")
    folders[str(plain)] = "/usrlocal"
    assert not ownership._below(HOST, [], str(plain), "/usr")
    folders[str(plain)] = "/usr"
    monkeypatch.setattr(mounts, "of_path", lambda *words: of_path(*words)._replace(number=words[1]))
    assert not ownership._below(HOST, [], str(plain), "/usr")
    monkeypatch.setattr(mounts, "of_path", lambda *words: None)
    assert not ownership._below(HOST, [], str(plain), "/usr")


def _id(path: Path) -> str:
    return mounts._mount_id(HOST, os.path.realpath(path))


# What a file lies in


def test_no_message_advises_to_remove_a_file(tmp_path: Path) -> None:
    small, empty = tmp_path / "README.md", tmp_path / "empty"
    small.write_bytes(b"text")
    empty.touch()
    for path in (small, empty, Path("/etc/passwd")):
        with pytest.raises(BadInput, match="too small to test; `stend run --create 1GiB` makes a new one") as told:
            devices.find(str(path))
        assert "remove" not in str(told.value)


def unfit(path: Path, table: list[Mount] | None = None, *, made: bool = False, words: str = "") -> str:
    return fit.unfit(
        [layer(path, words=words)], HOST, mounts.of_this_process(HOST) if table is None else table, made=made
    )


def at(path: Path, kind: str, **more: Any) -> Mount:
    """The mount of a file as one of that kind."""
    there = os.stat(path)
    number = f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}"
    own = {"number": number, "point": str(path.parent), "kind": kind, "source": "x", "id": _id(path)}
    return Mount(**own | more)


def test_what_cannot_stand_in_for_a_drive(plain: Path, tmp_path: Path) -> None:
    assert unfit(plain) == ""
    (tmp_path / "empty").touch()
    assert unfit(tmp_path / "empty").startswith("is empty; `stend run --create 1GiB`")
    other = plain.with_name("other.bin")
    os.link(plain, other)
    assert unfit(plain).startswith("has other names (hard links)")
    assert unfit(plain, words="is set up on the file x").startswith("is set up on the file x, which has other names")
    other.unlink()
    gone = Layer(file=(1, 2), path=str(plain), words="is set up on the file x")
    assert "that cannot be found by that name" in fit.unfit([Layer("sda"), gone], HOST, [], made=False)
    assert "that cannot be found" in fit.unfit([Layer(file=(1, 2), path=f"{plain}-not")], HOST, [], made=False)
    assert unfit(tmp_path).startswith("is no longer a regular file")


@pytest.mark.parametrize("kind", ["fuse.bindfs", "fuse", "nfs4", "cifs", "9p", "virtiofs", "ecryptfs", "proc"])
def test_a_file_system_that_may_show_other_files_cannot_be_resolved(plain: Path, kind: str) -> None:
    bare = _Nowhere()
    table = [at(plain, kind)]
    told = fit.unfit([layer(plain)], bare, table, made=False)
    assert told.startswith(f"is in {kind} at {plain.parent}, and which file or drive keeps its data cannot be resolved")
    assert fit.unfit([layer(plain)], bare, table, made=True) == ""
    assert fit.unfit([layer(plain)], _On("sda1"), table, made=False) == ""  # as NTFS on a drive of its own (fuseblk)


@pytest.mark.parametrize("kind", ["tmpfs", "btrfs", "zfs"])
def test_a_file_system_that_keeps_its_data_itself_is_resolved(plain: Path, kind: str) -> None:
    assert fit.unfit([layer(plain)], _Nowhere(), [at(plain, kind)], made=False) == ""


def test_a_file_system_out_of_sight_is_resolved_by_its_drive_alone(plain: Path) -> None:
    assert "a mount that this process cannot see" in fit.unfit([layer(plain)], _Nowhere(), [], made=False)
    assert fit.unfit([layer(plain)], _On("sda1"), [], made=False) == ""


class _On(type(HOST)):  # type: ignore[misc]
    """A kernel whose every file system is on that node."""

    def __init__(self, node: str) -> None:
        super().__init__()
        object.__setattr__(self, "_on", node)

    def node_of(self, rdev: int) -> str:
        return str(self.__dict__["_on"])


def _Nowhere() -> _On:  # noqa: N802
    return _On("")


def test_what_forbids_to_write_is_asked_of_every_file(plain: Path) -> None:
    assert fit.forbidden([Layer("sda"), layer(plain)]) == ""
    plain.chmod(0o444)
    assert fit.forbidden([layer(plain)]).startswith("is write-protected; `chmod u+w")
    below = layer(plain, words="is set up on the file x")
    assert fit.forbidden([Layer("loop0"), below]).startswith("is set up on the file x, which is write-protected")
    plain.chmod(0o020)
    assert "write-protected" not in fit.forbidden([layer(plain)])
    plain.unlink()
    assert fit.forbidden([Layer(path=str(plain))]).startswith("vanished")


@pytest.mark.parametrize(
    ("flags", "words"), [(0x10, "is immutable; `chattr -i"), (0x20, "is append-only; `chattr -a"), (0x30, "immutable")]
)
def test_flags_are_told(plain: Path, monkeypatch: pytest.MonkeyPatch, flags: int, words: str) -> None:
    monkeypatch.setattr(fit, "answer_at", lambda path, request: [flags | 0x80000])
    assert words in fit.forbidden([layer(plain)])
    monkeypatch.setattr(fit, "answer_at", lambda path, request: [0x80000])
    assert fit.forbidden([layer(plain)]) == ""
    monkeypatch.setattr(fit, "answer_at", lambda path, request: None)
    assert fit.forbidden([layer(plain)]) == ""
    with monkeypatch.context() as mounted:
        flags_of = os.statvfs_result((4096, 4096, 1, 1, 1, 1, 1, 1, os.ST_RDONLY, 255))
        mounted.setattr(os, "statvfs", lambda path: flags_of)
        assert fit.forbidden([layer(plain)]).startswith("is on a file system that is mounted read-only; `mount -o")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert fit.forbidden([layer(plain)]).startswith("cannot be written by this user")
    assert fit.forbidden([layer(plain, words="is set up on the file x")]) == ""  # the loop driver writes it
