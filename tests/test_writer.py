"""A run folder has one writer: whoever else comes is told who has it, in one sentence."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import store
from stend.base.errors import BadInput, StepFailed
from stend.cli import main
from stend.host.who import Host, here
from stend.store import journal, writer
from tests.test_resume import ASKED, in_child, killed

RUN = ["run", *ASKED, "--seed", "7", "--into"]


def refused(folder: Path, capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    capsys.readouterr()
    before = (folder / "events.jsonl").read_bytes()
    assert main(["resume", str(folder)]) == code
    sentence = capsys.readouterr().err.strip()
    assert sentence.startswith("stend: ")
    assert len(sentence.splitlines()) == 1
    assert (folder / "events.jsonl").read_bytes() == before
    return sentence


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A run that was killed in its midst."""
    folder = tmp_path / "run"
    killed([*RUN, str(folder)], folder, 60_000)
    return folder


def owner(folder: Path, **changes: Any) -> None:
    """Change what the last owner said of himself."""
    path = folder / writer.OWNER
    told = json.loads(path.read_text().partition("\n")[0])
    path.write_text(json.dumps(told | changes) + "\n")


def test_the_file_of_a_writer_has_one_line_whatever_it_held(tmp_path: Path) -> None:
    path = tmp_path / writer.OWNER
    path.write_text("longer than any owner: " + "x" * writer.OWNER_BYTES)
    with writer.sole(tmp_path, "run"):
        assert json.loads(path.read_bytes())["pid"] == os.getpid()
    json.loads(path.read_bytes())


def test_a_living_run_cannot_be_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    child = in_child([*RUN, str(folder)])
    while not (folder / writer.OWNER).exists() or (folder / "events.jsonl").stat().st_size < 40_000:
        time.sleep(0.001)
    os.kill(child, signal.SIGSTOP)
    try:
        assert f"is being written by `stend run` (process {child} on {here().name})" in refused(folder, capsys)
    finally:
        os.kill(child, signal.SIGCONT)
        assert os.waitpid(child, 0)[1] == 0


@pytest.fixture
def dying(tmp_path: Path) -> Iterator[Path]:
    """The folder of a writer that was killed this moment, and has so much to give back that it is not gone yet."""
    heard, say = os.pipe()
    folder = tmp_path / "dying"
    folder.mkdir()
    child = os.fork()
    if not child:
        with writer.sole(folder, "run"):
            held = b"x" * (1 << 28)
            os.write(say, held[:1])
            signal.pause()
    os.read(heard, 1)
    os.kill(child, signal.SIGKILL)
    yield folder
    os.waitpid(child, 0)
    for fd in (heard, say):
        os.close(fd)


def test_who_was_killed_a_moment_ago_is_waited_for(dying: Path) -> None:
    assert not writer.holder(dying).alive
    with writer.sole(dying, "resume"):
        assert writer.holder(dying).owner.verb == "resume"


def test_of_two_resumes_one_is_refused_and_nothing_is_doubled(cut: Path) -> None:
    whole = cut.parent / "whole"
    assert main([*RUN, str(whole)]) == 0
    with writer.sole(cut, "resume"):
        assert os.waitstatus_to_exitcode(os.waitpid(in_child(["resume", str(cut)]), 0)[1]) == 2
    children = [in_child(["resume", str(cut)]) for _ in range(2)]
    ends = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    assert ends == [0, 2]
    assert store.load(cut).results == store.load(whole).results


def test_a_copy_is_refused_while_the_original_is_there_and_goes_on_once_it_is_not(
    cut: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(cut, copy)
    assert f"is a copy of {cut}" in refused(copy, capsys)
    shutil.rmtree(cut)
    assert main(["resume", str(copy)]) == 0
    run = store.load(copy)
    assert f"the run folder was moved from {cut}" in [note.text for note in run.notes]


def test_a_renamed_folder_goes_on_without_a_word(cut: Path, tmp_path: Path) -> None:
    renamed = cut.rename(tmp_path / "renamed")
    assert main(["resume", str(renamed)]) == 0
    assert not any("moved" in note.text for note in store.load(renamed).notes)


def test_another_hosts_folder_is_refused(cut: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = msgspec.to_builtins(Host("far", machine="0" * 32, boot="x"))
    owner(cut, host=other, released=False)
    assert "another host, far, where `stend run` may be running still" in refused(cut, capsys)
    owner(cut, host=other, released=True)
    sentence = refused(cut, capsys)
    assert "another host, far: continue there" in sentence
    assert "running" not in sentence


def test_an_owner_of_an_earlier_boot_is_gone_and_the_restart_is_told(cut: Path) -> None:
    mine = msgspec.to_builtins(here())
    owner(cut, host=mine | {"boot": "earlier"}, released=False)
    assert main(["resume", str(cut)]) == 0
    assert "the host was restarted during the run" in [note.text for note in store.load(cut).notes]


def test_what_a_resume_found_is_told_by_the_next_one_if_it_wrote_nothing(cut: Path, tmp_path: Path) -> None:
    owner(cut, host=msgspec.to_builtins(here()) | {"boot": "earlier"}, released=False)
    copy = tmp_path / "copy"
    shutil.copytree(cut, copy)
    shutil.rmtree(cut)
    with pytest.raises(StepFailed), writer.sole(copy, "resume") as before:
        raise StepFailed("the drive is away")
    with writer.sole(copy, "resume") as again:
        assert again == before == writer.Before(restarted=True, moved_from=str(cut))
        with (copy / "events.jsonl").open("a") as events:
            events.write("\n")
    with writer.sole(copy, "resume") as after:
        assert after == writer.Before()


def test_a_killed_owner_of_this_boot_leaves_nothing_to_tell(cut: Path) -> None:
    with writer.sole(cut, "resume") as before:
        assert before == writer.Before()


def test_an_edited_record_is_not_gone_on_with(cut: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cut / "events.jsonl"
    path.write_bytes(path.read_bytes().replace(b"sim:small", b"sim:other", 1))
    assert "line 2 was edited" in refused(cut, capsys, 3)


@pytest.mark.parametrize("words", ["", "x", "[1]\n", '{"pid": "me"}\n', "\xff\xfe"])
def test_an_owner_that_makes_no_sense_is_nobody(tmp_path: Path, words: str) -> None:
    (tmp_path / writer.OWNER).write_bytes(words.encode("latin-1"))
    with writer.sole(tmp_path, "run") as before:
        assert before == writer.Before()
        with pytest.raises(BadInput, match="`stend run`"), writer.sole(tmp_path, "doctor"):
            raise AssertionError
    assert writer.written_here(tmp_path)


def test_a_folder_is_let_go_whatever_the_end(tmp_path: Path) -> None:
    with pytest.raises(StepFailed), writer.sole(tmp_path, "run"):
        raise StepFailed("x")
    assert '"released":' not in (tmp_path / writer.OWNER).read_text()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Host("a", machine="1"), Host("b", machine="1"), True),
        (Host("a", machine="1"), Host("a", machine="2"), False),
        (Host("a", board="9", machine="1"), Host("a", board="9", machine="2"), True),  # a live system, started again
        (Host("a", board="9", machine="1"), Host("a", machine="1"), True),  # only root is told the board's
        (Host("a", machine="1"), Host("a"), True),
        (Host("a", board="9"), Host("b", machine="1"), False),
    ],
)
def test_a_machine_is_known_by_its_lasting_numbers(one: Host, other: Host, same: bool) -> None:
    assert one.same_machine(other) is other.same_machine(one) is same


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("place", ["", "/srv/old"])
def test_a_restart_and_a_move_are_reported_each_if_it_happened(restarted: bool, place: str) -> None:
    told = writer.Before(restarted, place).sentences
    assert [one.key for one in told] == ["restarted"] * restarted + ["moved"] * bool(place)
    assert [one.values for one in told if one.key == "moved"] == [{"place": place}] * bool(place)


def test_a_folder_that_may_not_be_opened_counts_as_a_run_unless_every_volume_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("os.stat", refused)
        told = [journal.is_run(Path(name)) for name in ("run", "lost+found")]
    assert told == [True, False]
