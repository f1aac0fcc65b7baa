"""Which runs on several drives may last at the same time: what is asked for, and what a trial of the drives showed."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from stend.devices.telling.shared import Part, Shared
from stend.session import Request
from stend.session.together import arrange
from stend.session.together.arrange import Arranged, Wanted
from stend.session.together.trial import Moved, Trial
from tests.still import IDENTITY

REAL = replace(IDENTITY, virtual=False)
PATH = Shared(Part("bridge", "0000:01", 4e9), ("/dev/a", "/dev/b"), 16e9)


class Host:
    """A host whose drives share a path, with the trials that were asked for and the lines that were reported."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, trial: Trial, cpus: int = 64) -> None:
        self.trials, self.lines = list[tuple[Any, ...]](), list[str]()

        def measured(requests: Sequence[Request], folder: str, seconds: float, fds: Sequence[int]) -> Trial:
            self.trials.append(("".join(request.target[-1] for request in requests), folder, seconds, fds))
            return trial

        monkeypatch.setattr(arrange, "trial", measured)
        monkeypatch.setattr(arrange, "shared", lambda drives: [PATH] if len(drives) > 1 else [])
        monkeypatch.setattr(arrange, "numa", lambda drive: ("1", "8-15") if drive.target == "/dev/a" else ("", ""))
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cpus)) if pid == 0 else set())

    def arranged(self, drives: str, *, barrier: bool = False, seconds: float | None = None) -> Arranged:
        """The arrangement of drives by their letters; v is a virtual one."""
        wanted = [
            Wanted(Request(["iops"], f"/dev/{letter}"), replace(REAL, target=f"/dev/{letter}", virtual=letter == "v"))
            for letter in drives
        ]
        return arrange.arranged(
            wanted, Path("x"), barrier=barrier, seconds=seconds, report=lambda line: self.lines.append(str(line)),
            fds=(7,),
        )  # fmt: skip


CALM = Trial(5.0, tuple(Moved(f"/dev/{letter}", "load", (1.0,)) for letter in "abc"), {}, {})
MOVED = Trial(5.0, tuple(Moved(f"/dev/{letter}", "load", (0.5,)) for letter in "abc"), {}, {})
REFUSED = replace(MOVED, refused={"/dev/b": "in use"})


@pytest.mark.parametrize(
    ("drives", "barrier", "seconds", "trial", "lanes", "quiet", "asked"),
    [
        ("ab", False, None, CALM, ["", ""], False, []),
        ("ab", False, 0.0, CALM, ["all", "all"], True, []),
        ("ab", True, 0.0, CALM, ["", ""], False, []),
        ("ab", False, 5.0, CALM, ["", ""], False, ["ab"]),
        ("ab", False, 5.0, MOVED, ["all", "all"], True, ["ab"]),
        ("ab", True, 5.0, MOVED, ["", ""], False, ["ab"]),
        ("a", False, 5.0, MOVED, [""], False, []),
        ("a", False, 0.0, MOVED, [""], False, []),
        ("av", False, 5.0, MOVED, ["", ""], False, []),
        ("avb", False, 5.0, MOVED, ["all", "", "all"], True, ["ab"]),
        ("avb", False, 0.0, MOVED, ["all", "", "all"], True, []),
        ("vb", True, None, MOVED, ["", ""], False, []),
    ],
)
def test_drives_run_at_once_one_after_another_or_as_a_trial_shows(
    drives: str, barrier: bool, seconds: float | None, trial: Trial, lanes: list[str], quiet: bool, asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Without a number of seconds all run at once, with 0 one after another. A virtual drive disturbs no other."""
    host = Host(monkeypatch, trial)
    group, refused = host.arranged(drives, barrier=barrier, seconds=seconds)
    assert [member.lane for member in group.members] == lanes
    assert [member.name for member in group.members] == [f"{n:02}-{one}" for n, one in enumerate(drives, 1)]
    assert (group.barrier, group.quiet, refused) == (barrier, quiet, {})
    assert host.trials == [(names, "x", seconds, (7,)) for names in asked]
    trials = [line for line in host.lines if line.startswith("Trial")]
    assert trials == ["Trial: 2 drives, each alone and beside the others, 5 s a window"] * len(asked)


def test_drives_of_another_path_may_run_beside_those_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(monkeypatch, MOVED)
    group, _ = host.arranged("abc", seconds=5.0)
    assert [names for names, *_ in host.trials] in (["abc", "ac"], ["abc", "ca"])
    assert [member.lane for member in group.members] == ["all"] * 3


def test_a_drive_that_the_gate_refused_is_left_out_and_the_others_keep_their_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group, refused = Host(monkeypatch, REFUSED).arranged("abc", seconds=5.0)
    assert ([member.name for member in group.members], refused) == (["01-a", "03-c"], {"/dev/b": "in use"})


@pytest.mark.parametrize(
    ("drives", "cpus", "lines"),
    [
        ("ab", 2, ["2 processors for 2 drives"]),
        ("abc", 2, ["2 processors for 3 drives: fewer than one each"]),
        ("abv", 1, ["1 processors for 2 drives: fewer than one each"]),
        ("a", 1, []),
    ],
)
def test_shared_paths_and_processors_near_a_drive_are_reported(
    drives: str, cpus: int, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Host(monkeypatch, CALM, cpus)
    host.arranged(drives)
    near = "/dev/a: processors 8-15 are near it, NUMA node 1"
    assert [line for line in host.lines if "bridge" not in line] == [*lines, near]
    assert sum("bridge" in line for line in host.lines) == len(lines)


def test_a_member_has_the_notes_of_the_last_trial_that_had_its_drive_and_of_its_own_paths() -> None:
    run = Wanted(Request(["iops"], "/dev/a"), REAL)
    elsewhere = Shared(Part("bridge", "0000:02"), ("/dev/b", "/dev/c"))
    moved, failed = replace(CALM, failed={}), Trial(5.0, (), {}, {"/dev/a": "it is gone"})
    others = Trial(5.0, (Moved("/dev/b", "load", (0.1,)),), {}, {})
    for trials, keys in (
        ([], []),
        ([others], []),
        ([moved, others], ["moved_rate"]),
        ([failed], ["moved_never"]),
        ([moved, failed], ["moved_never"]),
        ([failed, moved], ["moved_rate"]),
    ):
        member = arrange._member(1, run, [PATH, elsewhere], {}, trials)
        assert [note.key for note in member.notes] == [*keys, "shared_price"]
        assert member.disturbed is (keys == ["moved_never"])
    long = Wanted(Request(["iops"], "/dev/" + "x" * 60), REAL)
    assert arrange._member(1, long, [], {}, []).name == "01-" + "x" * 40
