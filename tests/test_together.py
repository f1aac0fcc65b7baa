"""Several drives at once: what they share, who waits for whom, and that each ends its own part alone."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
import pytest

from stend import devices, store
from stend.base.errors import BadInput
from stend.cli import main
from stend.model.definition import Plan
from stend.planning import plan
from stend.runner.bench import Stopped
from stend.runner.loop import at_once
from stend.session import Request, apart
from stend.session.together import group, roll, trial, turns
from stend.session.together.group import Group, Member
from stend.session.together.skew import skews
from stend.words import Sentence
from tests.forks import Run, child
from tests.short import study
from tests.stand import ours
from tests.storm_end import end
from tests.waits import wait_for

T = TypeVar("T")
SHORT = ["--quick", "--rounds", "1", "--round-seconds", "0.2"]


@pytest.fixture(autouse=True)
def own_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))


def drawn(*tests: str) -> Plan:
    """A plan on a virtual drive."""
    names, profile, told = plan.gather(list(tests), None, {}, quick=True)
    return plan.draw(names, profile, devices.find("sim:small").identity, deviations=told)


class Two:
    """A group of two in a folder, and the turns of each."""

    def __init__(self, folder: Path, *, tests: tuple[str, str] = ("iops", "iops"), **own: bool) -> None:
        lane = "" if own else "one"
        members = tuple(Member(name, Request(["iops"], f"sim:{name}"), lane) for name in "ab")
        self.folder, self.group = folder, Group(members, **own)
        group.create(folder, self.group)
        self.plans = {name: drawn(test) for name, test in zip("ab", tests, strict=True)}
        self.turns = {name: self.turn(name, lambda: False) for name in "ab"}

    def turn(self, name: str, stopping: Callable[[], bool]) -> turns.Turns:
        member = next(one for one in self.group.members if one.name == name)
        return turns.Turns(self.folder, self.group, member, self.plans[name], stopping)

    def ask(self, name: str, phase: int = 0, patience: int = 3) -> list[str] | None:
        """What is said to who asks before that phase; None where it must wait."""
        left = iter(range(patience))
        self.turns[name].stopping = lambda: next(left, None) is None
        test = self.plans[name].tests[0]
        try:
            return [text for text, _ in self.turns[name].before(test, test.phases[phase], lambda: None)]
        except Stopped:
            return None


def test_locks_of_whoever_is_not_root_lie_in_a_folder_of_that_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = os.geteuid() or 65534
    own = tmp_path / f"stend-{user}"
    own.mkdir()
    os.chown(own, user, -1)
    monkeypatch.delenv("STEND_RUNTIME")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert turns.runtime() == own


def test_a_run_takes_its_own_turn_and_one_of_no_group_waits_for_nobody(tmp_path: Path) -> None:
    two = Two(tmp_path)
    for name in "ab":
        with turns.taken(tmp_path / name, two.plans[name], lambda: False) as turn:
            assert cast(Any, turn).__self__.member.name == name
    with turns.taken(tmp_path / "c", two.plans["a"], lambda: False) as turn:
        assert turn is at_once


def test_drives_of_one_lane_run_one_after_another(tmp_path: Path) -> None:
    two = Two(tmp_path / "g")
    assert two.ask("a") == []
    assert two.ask("b") is None
    assert two.ask("a") == [], "who has the lane keeps it"
    two.turns["a"].close()
    assert two.ask("b") == []


def test_a_quiet_test_waits_for_all_others_and_nobody_comes_before_it(tmp_path: Path) -> None:
    two = Two(tmp_path / "g", tests=("iops", "latency"), quiet=True)
    assert two.ask("a") == []
    assert two.ask("b") is None
    two.turns["a"].close()
    assert two.ask("b") == []
    assert two.ask("a") is None
    two.turns["b"].close()
    with turns.Lock() as door:
        assert door.take("door"), "as one does that waits to be alone"
        assert two.ask("a") is None


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    code = "import sys, time\nfrom stend.session.together.turns import Lock\nlock = Lock()\n"
    code += "assert lock.take('lane-one')\nprint('held', flush=True)\ntime.sleep(60)"
    two = Two(tmp_path / "g")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        assert two.ask("a") is None
        holder.kill()
    assert two.ask("a") == []


def test_measured_phases_begin_at_one_moment_and_nobody_waits_for_the_dead(tmp_path: Path) -> None:
    two = Two(tmp_path / "g", barrier=True)
    measured = len(two.plans["a"].tests[0].phases) - 1
    assert two.ask("a", 0) == [], "a purge is nothing to wait for"
    assert two.ask("a", measured) is None
    gone = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    roll.enter(two.folder, "b", pid=gone.pid)
    two.turns["a"].moments = 0
    assert two.ask("a", measured) is None
    gone.kill()
    gone.wait()
    two.turns["a"].moments = 0
    said = two.ask("a", measured, patience=1000)
    assert said
    assert "began with the other drives after" in said[0]
    late = two.ask("b", measured)
    assert late == ["iops began at another moment, not with the other drives"]


def test_who_says_nothing_for_too_long_is_waited_for_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = Two(tmp_path / "g")
    assert two.ask("a") == []
    monkeypatch.setattr(turns, "CHECK_EVERY_S", 0.0)
    assert two.ask("b") is None
    long_ago = time.time() - turns.HUNG_S - 60
    os.utime(two.folder / roll.FOLDER / "a.json", (long_ago, long_ago))
    assert two.ask("b") == ["iops began without its turn: the others wrote nothing for 1800 s"]


def test_what_follows_without_a_purge_keeps_the_turn_of_the_quiet_test_to_come() -> None:
    both = drawn("iops", "latency")
    assert turns.alone(both) == {"iops": False, "latency": True}
    first, second = both.tests
    without = msgspec.structs.replace(second, phases=second.phases[1:])
    assert turns.alone(msgspec.structs.replace(both, tests=(first, without))) == {"iops": True, "latency": True}


def test_leave_to_destroy_is_not_written_down(tmp_path: Path) -> None:
    own = Group(
        (Member("01-a", Request(["iops"], "/dev/a", quick=True, destroy="SN1"), notes=(Sentence("restarted"),)),),
        barrier=True,
    )
    group.create(tmp_path, own)
    assert "SN1" not in (tmp_path / group.FILE).read_text()
    again = group.load(tmp_path)
    assert again.members[0].request == Request(["iops"], "/dev/a", quick=True)
    assert (again.barrier, again.quiet, again.members[0].notes[0].key) == (True, False, "restarted")
    with pytest.raises(BadInput, match="has runs already"):
        group.create(tmp_path, own)


def test_the_words_of_a_request_ask_for_the_same(tmp_path: Path) -> None:
    from stend.cli import _options  # noqa: F401  the options that the words name

    asked = Request(
        ["fresh"], "sim:small", quick=True, seed=7, rounds=1, minute_s=0.2, into=str(tmp_path / "x"), label="-l"
    )
    assert main(["run", *asked.words]) == 0
    assert store.manifest(tmp_path / "x") == asked.manifest


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_virtual_drive_that_dies_ends_its_own_part(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "begin", Run)
    targets = ["sim:small", "sim:small?seed=2", "sim:small?dies_at_s=1", "sim:nowhere"]
    asked = [word for one in targets for word in ("--target", one)]
    assert main(["run", "latency", *SHORT, *asked, "--together", "--into", str(tmp_path / "g")]) == 5
    told = capfd.readouterr()
    assert "2 of 3 runs are complete" in told.out
    assert "there is no virtual drive 'nowhere'" in told.err
    assert "dies_at_s is" in told.err
    runs = [store.load(tmp_path / "g" / one.name) for one in group.load(tmp_path / "g").members]
    assert [run.ended and run.ended.outcome for run in runs] == ["not steady", "not steady", "failed"]
    notes = [note.text for note in runs[0].notes if note.kind == "beside"]
    assert [note.split(" after")[0] for note in notes] == ["latency began with the other drives"] * 2
    assert skews(runs) == {}, "their clocks are their own"
    assert main(["run", "latency", *SHORT, *asked, "--into", str(tmp_path / "g")]) == 2


def test_a_member_that_is_about_to_begin_is_left_to_itself(tmp_path: Path) -> None:
    """Its folder is there and its first word is not: it looks like one that never started."""
    members = tuple(Member(name, Request(["iops"], f"sim:{name}")) for name in ("small", "large"))
    group.create(tmp_path, Group(members))
    for one in members:
        (tmp_path / one.name / "raw").mkdir(parents=True)
    roll.enter(tmp_path, "small")
    told = {one.member.name: (one.pid, one.begun) for one in group.load(tmp_path).left(tmp_path)}
    assert told == {"small": (os.getpid(), False), "large": (0, False)}
    assert [(tmp_path / one.name).exists() for one in members] == [True, False]


@pytest.mark.fio
@pytest.mark.usefixtures("warm")
def test_files_at_once_outlive_who_began_them_and_all_go_on_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "begin", Run)
    files = [tmp_path / f"{name}.bin" for name in "ab"]
    for file in files:
        file.write_bytes(bytes(32 << 20))
        ours(file)
    named = [word for file in files for word in ("--destroy-data", f"{file}={file}")]
    asked = [word for file in (*files, tmp_path / "none") for word in ("--target", str(file))]
    folder, said = tmp_path / "g", tmp_path / "said"
    words = ["run", study(tmp_path, minute_s=0.2), *asked, *named, "--trial", "0.1", "--into", str(folder)]
    first = child(words, before=lambda: vars(trial).update(LOADS=trial.LOADS[:1], PAIRS=1))
    members = wait_for(lambda: [folder / one.name for one in group.load(folder).members])
    one = wait_for(lambda: next(own for own in members if store.load(own).results))
    os.kill(first, signal.SIGKILL)
    assert end(first) == -signal.SIGKILL
    process = int(json.loads((one / "writer.json").read_bytes().partition(b"\n")[0])["pid"])
    os.kill(process, signal.SIGKILL)
    assert end(child(["resume", str(folder), *named], said)) == 0, said.read_text()
    wait_for(lambda: not any(left.pid for left in group.load(folder).left(folder)))  # the other went on by itself
    runs = [store.load(own) for own in members]
    assert [run.ended and run.ended.outcome in ("complete", "not steady") for run in runs] == [True, True]
    assert any("moved by" in note.text for run in runs for note in run.notes if note.kind in ("beside", "interference"))
    assert "runs are complete" in said.read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--target", "sim:small", "--target", "sim:small"], "sim:small and sim:small are one drive; name it once"),
        (["--target", "sim:small", "--target", "x", "--destroy-data", "x"], "for several drives write TARGET=NAME"),
        (["--target", "sim:small", "--target", "x", "--create", "1MiB"], "create the files first"),
        (["--target", "sim:small", "--target", "sim:large", "--profile", "none"], "none"),
        (["--target", "sim:small", "--destroy-data", "foo"], "sim:small is a virtual drive"),
        (["--target", "x", "--destroy-data", "a", "--destroy-data", "b"], "give --destroy-data once"),
    ],
)
def test_what_cannot_be_run_together_is_refused(
    more: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "latency", *SHORT, *more, "--into", str(tmp_path / "g")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "g").exists()


def test_a_file_that_nobody_names_is_left_out_with_what_would_be_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "a.bin", tmp_path / "b.bin"]
    for file in files:
        file.write_bytes(b"kept" * (1 << 18))
    asked = [word for file in files for word in ("--target", str(file))]
    assert main(["run", "latency", *SHORT, *asked, "--into", str(tmp_path / "g")]) == 3
    told = capsys.readouterr().err
    assert f"add --destroy-data {files[1]}={files[1]}" in told
    assert all(file.read_bytes() == b"kept" * (1 << 18) for file in files)
