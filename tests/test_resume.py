"""A run killed at any moment goes on to the figures it would have had."""

import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

import msgspec
import pytest

from stend import store
from stend.cli import _ends, main
from stend.model.events import Ended, Event, Note, Position, Result, Started
from stend.model.record import Run
from stend.planning import plan as planning
from stend.words import Sentence
from tests.forks import child, once_written
from tests.still import IDENTITY

ASKED = ["latency", "write-saturation", "--target", "sim:small", "--quick", "--rounds", "2", "--round-seconds", "0.2"]
KILLS = 50


def in_child(arguments: list[str]) -> int:
    """stend in a fork of this process, quiet and without a report, which is most of the time of so short a run."""
    return child(arguments, before=lambda: vars(_ends).update(report=lambda folder, run: None))


def results(folder: Path) -> list[Result]:
    return store.load(folder).results


def kill_at(process: int, folder: Path, size: int) -> None:
    """kill -9 once the record has grown to a size, or the child is gone."""
    path = folder / "events.jsonl"
    while not (path.exists() and path.stat().st_size >= size):
        if os.waitpid(process, os.WNOHANG) != (0, 0):
            return
        time.sleep(0.0005)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def killed(arguments: list[str], folder: Path, size: int) -> None:
    """stend killed at that size of its record. Where that was before its first event or after its end, which a busy
    host does to so short a run, the folder is as it was and the kill comes later or earlier.
    """
    before = folder.with_name(f"{folder.name}.before")
    if folder.exists():
        shutil.copytree(folder, before)
    while True:
        kill_at(in_child(arguments), folder, size)
        begun = any(True for _ in store.read(folder))
        if begun and store.load(folder).ended is None:
            return
        size = size * 15 // 16 if begun else size + 10_000
        shutil.rmtree(folder)
        if before.exists():
            shutil.copytree(before, folder)


def killed_after(arguments: list[str], *marks: bytes) -> None:
    """stend that kills itself once it has written these marks (`once_written`)."""
    process = child(arguments, before=lambda: once_written(marks, lambda: os.kill(os.getpid(), signal.SIGKILL)))
    assert os.waitpid(process, 0)[1] == signal.SIGKILL


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Result], int]:
    """Results of a whole run, and how large its record grew."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert main(["run", *ASKED, "--seed", "7", "--into", str(folder)]) == 0
    return results(folder), (folder / "events.jsonl").stat().st_size


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_fifty_kills_change_nothing(uninterrupted: tuple[list[Result], int], tmp_path: Path, seed: int) -> None:
    """Five times ten, so that processors can share them."""
    expected, whole = uninterrupted
    moments = random.Random(seed)
    for number in range(KILLS // 5):
        folder = tmp_path / f"run{number}"
        killed(["run", *ASKED, "--seed", "7", "--into", str(folder)], folder, moments.randrange(whole * 95 // 100))
        assert os.waitpid(in_child(["resume", str(folder)]), 0)[1] == 0
        assert results(folder) == expected
        assert any("interrupted" in stamp for stamp in store.load(folder).stamps)


def test_a_torn_line_is_dropped(uninterrupted: tuple[list[Result], int], tmp_path: Path) -> None:
    expected, _ = uninterrupted
    folder = tmp_path / "run"
    main(["run", *ASKED, "--seed", "7", "--into", str(folder)])
    path = folder / "events.jsonl"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 3])
    assert main(["resume", str(folder)]) == 0
    assert results(folder) == expected


def test_a_finished_run_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    main(["run", *ASKED, "--seed", "7", "--into", str(folder)])
    before = (folder / "events.jsonl").read_bytes()
    assert main(["resume", str(folder)]) == 2
    assert "is finished" in capsys.readouterr().err
    assert (folder / "events.jsonl").read_bytes() == before


def test_a_run_that_went_on_took_as_long_as_all_its_parts_and_ended_after_the_last() -> None:
    """The clock of a real drive starts again. An interruption of a day is no time of the run, but ends it later."""
    plan = planning.draw(*planning.gather(["iops"], "enterprise-2.0.2", {})[:2], IDENTITY)
    test, phase = plan.tests[0].name, plan.tests[0].phases[0].name
    here = Position(test=test, phase=phase, round=1)
    began = Started(at=1e9, version="1", plan=plan, seed=1)
    went_on = msgspec.structs.replace(began, at=1e9 + 86_400, continues=here)
    again = msgspec.structs.replace(went_on, at=1e9 + 86_400 + 500, repetition=1)
    word = Sentence("operator")
    parts: list[Event] = [
        began,
        Note(t=3600.0, text=word),
        went_on,
        Note(t=500.0, text=word),
        again,
        Note(t=40.0, text=word),
    ]
    assert [Run(parts[: n + 1]).took_s for n in range(6)] == [0, 3600, 3600, 4100, 4100, 4140]
    whole = Run([*parts, Ended(t=60.0, outcome="complete")])
    assert (whole.took_s, whole.ended_at) == (4160, 1e9 + 86_400 + 560)
    assert (Run(parts[:2]).ended_at, Run(parts[:4]).ended_at) == (1e9 + 3600, 1e9 + 86_900)
    virtual = Run([began, Note(t=30.0, text=word), began, Note(t=0.0, text=word), Ended(t=70.0, outcome="complete")])
    assert (virtual.took_s, virtual.ended_at) == (70, 1e9 + 70)


def test_label_and_operator_of_a_run_outlive_a_kill(tmp_path: Path) -> None:
    killed(
        ["run", *ASKED, "--label", "shelf 12", "--tested-by", "A. Tester", "--into", str(tmp_path / "r")],
        tmp_path / "r",
        20_000,
    )
    assert main(["resume", str(tmp_path / "r")]) == 0
    started = store.load(tmp_path / "r").started
    assert len(started) == 2
    assert {(each.label, each.tested_by) for each in started} == {("shelf 12", "A. Tester")}
    assert "A. Tester" in (tmp_path / "r/report.html").read_text()


@pytest.mark.needs("root")
def test_a_folder_that_may_not_be_read_is_bad_input_by_the_name_of_its_record() -> None:
    with tempfile.TemporaryDirectory() as name:
        locked, said = Path(name, "locked"), Path(name, "said")
        assert main(["resume", str(locked)]) == 2  # imports what nobody may not
        locked.mkdir(0)
        said.touch()
        Path(name).chmod(0o755)
        number = child(["resume", str(locked)], said=said, before=lambda: os.setuid(65534))
        assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 2
        assert said.read_text() == f"stend: {locked}/events.jsonl cannot be read: Permission denied\n"
