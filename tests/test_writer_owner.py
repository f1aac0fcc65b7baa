"""The owner of a run folder: is its process alive, and may another process continue the run?"""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import store
from stend.base.errors import BadInput, StepFailed
from stend.base.process import ticks
from stend.host.who import Host, here
from stend.store import writer
from stend.store.writer import Before, Holder, Owner
from tests.forks import gone

OURS = here()
AGAIN = msgspec.structs.replace(OURS, boot="another boot")
FAR = Host(name="far", board="another", machine="0" * 32, boot="x")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store.create(tmp_path / "run", {}, {})
    return tmp_path / "run"


def owned(folder: Path, **fields: Any) -> Owner:
    """Write the owner of a folder: this process, in this folder, unless the fields differ."""
    inode = (folder / "events.jsonl").stat().st_ino
    owner = msgspec.structs.replace(
        Owner("run", os.getpid(), ticks(os.getpid()), OURS, str(folder), inode, released=False), **fields
    )
    (folder / writer.OWNER).write_bytes(msgspec.json.encode(owner) + b"\n")
    return owner


@pytest.mark.parametrize(
    ("fields", "alive"),
    [
        ({}, True),
        ({"ticks": 0}, True),
        ({"ticks": 1}, False),
        ({"released": True}, False),
        ({"pid": 0}, False),
        ({"host": AGAIN}, False),
        ({"host": FAR}, None),
        ({"host": FAR, "released": True}, False),
    ],
)
def test_an_owner_is_alive_if_its_process_is_the_one_that_began_then(
    fields: dict[str, Any], alive: bool | None, folder: Path
) -> None:
    """Of another host only that host could know."""
    owner = owned(folder, **fields)
    assert writer.holder(folder) == Holder(owner, alive)
    assert writer.written_here(folder) is (fields.get("host") is not FAR and bool(owner.pid))


def test_a_process_that_has_exited_is_no_owner(folder: Path) -> None:
    owned(folder, pid=gone(), ticks=0)
    assert writer.holder(folder).alive is False
    assert writer.holder(folder.parent) == Holder(Owner(), False)
    assert writer.written_here(folder.parent) is False


@pytest.mark.parametrize(
    ("fields", "before"),
    [
        ({"pid": 0, "host": FAR}, Before()),
        ({}, Before()),
        ({"host": AGAIN}, Before(restarted=True)),
        ({"host": AGAIN, "released": True}, Before()),
        ({"place": "/gone", "inode": 1}, Before(moved_from="/gone")),
        ({"place": "/gone"}, Before()),
        ({"place": "/gone", "inode": 1, "host": AGAIN}, Before(restarted=True, moved_from="/gone")),
    ],
)
def test_a_run_is_continued_with_what_happened_to_its_host_and_its_folder(
    fields: dict[str, Any], before: Before, folder: Path
) -> None:
    assert writer._judged(folder, owned(folder, **fields)) == before


def test_a_run_of_another_host_and_a_copy_are_not_continued(folder: Path, tmp_path: Path) -> None:
    for released, words in (
        (False, "far, where `stend run` may be running still: continue there"),
        (True, "far: cont"),
    ):
        with pytest.raises(BadInput) as raised:
            writer._judged(folder, owned(folder, host=FAR, released=released))
        assert words in str(raised.value)
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "events.jsonl").write_bytes((folder / "events.jsonl").read_bytes())
    owner = owned(folder)
    with pytest.raises(BadInput, match=r"is a copy of .*run, which still exists; continue that one, or delete it"):
        writer._judged(copy, owner)
    store.create(tmp_path / "other", {}, {})
    assert writer._judged(tmp_path / "other", owner) == Before(moved_from=str(folder)), "another run there"
    (folder / "events.jsonl").write_text("{")
    assert writer._judged(copy, owner) == Before(moved_from=str(folder))


def test_a_folder_has_one_writer_and_what_it_found_is_kept_until_it_writes(folder: Path) -> None:
    before = owned(folder, host=AGAIN)
    with writer.sole(folder, "resume") as found:
        assert found == Before(restarted=True)
        owner = writer.last(folder)
        assert (owner.verb, owner.pid, owner.ticks, owner.host) == ("resume", os.getpid(), ticks(os.getpid()), OURS)
        assert (owner.place, owner.released) == (str(folder.resolve()), False)
        assert owner.inode == (folder / "events.jsonl").stat().st_ino
        words = rf"is being written by `stend resume` \(process {os.getpid()} on .*\); wait until it ends, or stop it"
        with pytest.raises(BadInput, match=words), writer.sole(folder, "run"):
            pass
    assert writer.last(folder) == before
    with writer.sole(folder, "resume"), (folder / "events.jsonl").open("ab") as file:
        file.write(b"x")
    assert writer.last(folder) == msgspec.structs.replace(owner, released=True)


def test_the_first_writer_of_a_folder_leaves_itself_as_its_last_one(tmp_path: Path) -> None:
    with writer.sole(tmp_path, "run") as found:
        assert found == Before()
        assert writer.last(tmp_path).inode == 0
    assert (writer.last(tmp_path).verb, writer.last(tmp_path).released) == ("run", True)


def test_a_lock_of_an_unknown_writer_and_a_file_system_without_locks_are_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fd = os.open(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    try:

        def refuses(number: int) -> None:
            def flock(*_: int) -> None:
                raise OSError(number, os.strerror(number))

            monkeypatch.setattr(fcntl, "flock", flock)

        for busy in (errno.EWOULDBLOCK, errno.EACCES):
            refuses(busy)
            assert writer._try_lock(fd, tmp_path) == Owner()
        refuses(errno.ENOLCK)
        with pytest.raises(StepFailed, match=r"cannot be locked \(No locks available\): its file system does not"):
            writer._try_lock(fd, tmp_path)
    finally:
        os.close(fd)


def test_a_folder_that_cannot_be_written_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StepFailed) as raised, writer.sole(tmp_path / "none", "run"):
        pass
    said = str(raised.value)
    assert said.startswith(f"{tmp_path / 'none'} ")
    assert "No such file or directory" in said
    assert said.endswith("fix that, or copy it elsewhere")


@pytest.mark.parametrize(
    ("before", "keys"),
    [
        (Before(), []),
        (Before(restarted=True), ["restarted"]),
        (Before(moved_from="/x"), ["moved"]),
        (Before(restarted=True, moved_from="/x"), ["restarted", "moved"]),
    ],
)
def test_a_restart_and_a_move_are_sentences_each(before: Before, keys: list[str]) -> None:
    assert [sentence.key for sentence in before.sentences] == keys


def test_a_killed_owner_that_still_holds_the_lock_is_waited_for_but_not_for_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned(folder, pid=gone(), ticks=0)
    held, slept = os.open(folder / writer.OWNER, os.O_RDWR), list[float]()
    fcntl.flock(held, fcntl.LOCK_EX)

    def lets_go(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            os.close(held)

    monkeypatch.setattr("time.sleep", lets_go)
    with writer.sole(folder, "resume"):
        assert len(slept) == 3
    again, clock = os.open(folder / writer.OWNER, os.O_RDWR), iter(range(0, 1000, 2))
    fcntl.flock(again, fcntl.LOCK_EX)
    owned(folder, pid=gone(), ticks=0)
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    try:
        with pytest.raises(BadInput, match="is being written by `stend run`"), writer.sole(folder, "resume"):
            pass
    finally:
        monkeypatch.undo()
        os.close(again)
    assert len(slept) == 5, "looks at 2 s and 4 s of five seconds"


def test_a_look_at_the_owner_leaves_no_file_open(folder: Path) -> None:
    owned(folder)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        writer.last(folder)
    assert len(os.listdir("/proc/self/fd")) == before
