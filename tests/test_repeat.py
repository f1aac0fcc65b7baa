"""Repeats of a run: in turns, each from a purge, gone on with after a kill, told what drifted, compared at the end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from stend import session, store
from stend.cli import _series, _unit, main
from stend.host.who import Host
from stend.many.compare import drift
from stend.many.compare.drift import drifts
from stend.model.definition import Purge
from stend.planning import plan
from stend.session import series
from stend.store import writer
from tests.sides import load, outcome, row

A, B = "sim:small?seed=1", "sim:small?seed=2"
ORDER = ["a-01", "b-01", "b-02", "a-02"]


def repeat(folder: Path, *more: str) -> list[str]:
    return ["repeat", "2", "fresh", "--quick", "--target", A, "--target", B, "--into", str(folder), *more]


@pytest.mark.slow
def test_two_drives_are_measured_in_turns_and_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(repeat(tmp_path / "x", "--seed", "7")) == 0
    said = capsys.readouterr().out.splitlines()
    runs = {path.name: store.load(path) for path in (tmp_path / "x").glob("*-0?")}
    assert sorted(runs, key=lambda name: runs[name].started[0].at) == ORDER
    assert [runs[name].seed for name in ORDER] == [7, 8, 10, 9]
    assert [store.manifest(tmp_path / "x" / name)["label"] for name in ORDER] == [A, B, B, A]
    assert all(isinstance(run.results[0].step, Purge) for run in runs.values())
    assert [line for line in said if line.startswith("Run ")][1] == f"Run 2 of 4: {B} -> {tmp_path}/x/b-01"
    assert f"{A} (2) | {B} (2)" in said
    assert said[-1] == f"As a page: stend compare {tmp_path}/x --by label --into {tmp_path}/x"
    assert main(["compare", str(tmp_path / "x"), "--by", "label"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"{A} (2) | {B} (2)"
    assert main(repeat(tmp_path / "x")) == 2
    assert capsys.readouterr().err == f"stend: {tmp_path}/x is not empty; `stend resume {tmp_path}/x` continues it\n"


@pytest.mark.slow
def test_a_series_that_was_killed_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "x"
    process = subprocess.Popen(
        [sys.executable, "-m", "stend", *repeat(folder)], stdout=subprocess.DEVNULL, env=os.environ
    )
    while not (folder / "b-02/events.jsonl").exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    (folder / "a-02" / "raw").mkdir(parents=True)
    kept = {name: (folder / name / "events.jsonl").read_bytes() for name in ("a-01", "b-01")}
    assert main(["resume", str(folder)]) == 0
    assert {name: (folder / name / "events.jsonl").read_bytes() for name in kept} == kept
    assert all(store.load(folder / name).ended for name in ORDER)
    assert "Run 1 of 4" not in capsys.readouterr().out
    assert list(series.load(folder).left(folder)) == []


def test_a_series_that_somebody_is_at_is_not_begun_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that is about to begin looks like one that never did, and would be taken away."""
    folder = tmp_path / "x"
    series.create(folder, series.Series(2, (session.Request(["fresh"], "sim:small", quick=True),)))
    (folder / "a-01/raw").mkdir(parents=True)
    with writer.sole(folder, "repeat"):
        assert main(["resume", str(folder)]) == 2
    assert f"{folder} is being written by `stend repeat`" in capsys.readouterr().err
    assert (folder / "a-01/raw").exists()


def test_runs_are_read_oldest_first_with_the_hosts_that_wrote_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = {"a": 200.0, "b": 100.0}
    for name in began:
        (tmp_path / name).mkdir()
        owner = writer.Owner(host=Host(name=f"host of {name}"))
        (tmp_path / name / "writer.json").write_bytes(msgspec.json.encode(owner))
    monkeypatch.setattr(drift, "run", lambda folder: outcome(folder.name, [row(load(), 1)], began[folder.name]))
    told = drift.read([tmp_path / name for name in began])
    assert [(one.name, one.settings["host"]) for one in told] == [("b", "host of b"), ("a", "host of a")]


def test_what_changed_between_runs_is_told_with_its_place() -> None:
    facts: list[dict[str, Any]] = [
        {"host": "x", "kernel": "6.1", "fio": "3.33", "temperature": 30.0},
        {"host": "x", "kernel": "6.1", "fio": "3.33", "temperature": 33.0},
        {"host": "x", "kernel": "6.2", "fio": "3.33", "temperature": 36.0},
        {"host": "y", "kernel": "6.2", "fio": "3.42", "temperature": None},
    ]
    runs = [outcome(str(i), [row(load(), 1000)], i * 100.0, settings=own) for i, own in enumerate(facts)]
    told = [(one.fact, one.before, one.after, one.was, one.is_now) for one in drifts(runs)]
    assert told == [
        ("kernel", "1", "2", "6.1", "6.2"),
        ("host", "2", "3", "x", "y"),
        ("fio", "2", "3", "3.33", "3.42"),
        ("temperature", "0", "2", 30.0, 36.0),
    ]
    assert list(drifts(runs[:2])) == []
    other = outcome("z", [row(load(), 1000)], 50.0, drive="SN2", settings=facts[3])
    assert list(drifts([*runs[:2], other])) == [], "of another drive"


def test_a_study_without_a_purge_begins_with_one() -> None:
    request = session.Request(["lba-profile"], "sim:small", quick=True, purge=True)
    drawn, plain = session.planned(request), session.planned(session.Request(["lba-profile"], "sim:small", quick=True))
    assert isinstance(drawn.tests[0].phases[0].round[0], Purge)
    assert drawn.tests[0].phases[1:] == plain.tests[0].phases
    own = session.planned(session.Request(["iops"], "sim:small", quick=True))
    assert plan.purged_first(own) is own


def test_a_virtual_drive_with_a_spread_is_another_in_each_run() -> None:
    assert series.of_run("sim:small?spread=1", 3) == "sim:small?spread=1&run=3"
    for same in ("sim:small?spread=1&run=7", "sim:small", "/data/spread=1"):
        assert series.of_run(same, 3) == same


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["repeat", "1", "fresh", "--target", A], "COUNT must be a whole number from 2 to 1000"),
        (["repeat", "2", "nothing", "--target", A], "there is no test"),
        (["repeat", "2", "fresh", "--target", A, "--target", "sim:nothing"], "there is no virtual drive"),
        (["repeat", "2", "fresh", "--target", A, "--destroy-data", "x", "--into", "new"], "the runs destroy data on 0"),
        (["repeat", "2", "fresh", "--target", A, "--into", "full"], "full is not empty; name a new one with --into"),
        (["resume", "broken"], "the series broken/repeat.toml cannot be used: repeats: expected a whole number >= 2"),
    ],
)
def test_what_is_no_series_is_refused(
    more: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full/x").mkdir(parents=True)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / series.FILE).write_text(
        "repeats = 1\n[[requests]]\ntests = ['fresh']\ntarget = 'sim:small'\n"
    )
    assert main(more) == 2
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken", "full"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["X1", "Y2"], {"/dev/a": "X1", "/dev/b": "Y2"}),
        (["/dev/b=Y2", "X1"], {"/dev/a": "X1", "/dev/b": "Y2"}),
        (["X1", "/dev/a=Z"], {"/dev/a": "Z", "/dev/b": "X1"}),
    ],
)
def test_names_of_two_drives_belong_to_the_targets_that_they_state(given: list[str], expected: dict[str, str]) -> None:
    requests = tuple(session.Request(["iops"], target) for target in ("/dev/a", "/dev/b"))
    assert _series.answers(series.Series(2, requests), given) == expected


@pytest.mark.parametrize(
    "words",
    [
        ["repeat", "2", "iops", "--quick", "--target", "sim:small", "--detach"],
        ["run", "iops", "--quick", "--target", "sim:small", "--detach"],
    ],
)
def test_a_detached_run_waits_for_the_folder_that_it_names(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, begun = iter(range(9)), list[tuple[list[str], Path]]()

    class Over(NamedTuple):
        """A process that has ended at once."""

        pid: int = 1

        def over(self) -> int:
            return 0

        def leave(self) -> None:
            """Do nothing."""

    def begin(words: list[str], folder: Path, log: Path) -> Over:
        begun.append((words, folder))
        return Over()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session.Request, "folder", property(lambda _: Path(f"runs/{next(number)}")))
    monkeypatch.setattr(_unit, "begin", begin)
    assert main(words) == 0
    ((given, folder),) = begun
    assert given[:-2] == [word for word in words if word != "--detach"]
    assert given[-2:] == ["--into", str(folder)]


@pytest.mark.parametrize("drives", [1, 2])
def test_the_end_of_a_series_prints_what_changed_and_the_command_to_compare(
    drives: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = tuple(session.Request(["fresh"], target, label=target) for target in (A, B)[:drives])
    changed = drift.Drift("temperature", "SN1", "a-01", "a-02", 30, 41)
    monkeypatch.setattr(drift, "read", lambda folders: [str(path) for path in folders])
    monkeypatch.setattr(drift, "drifts", lambda runs: [changed])
    monkeypatch.setattr(_series, "_compared", lambda order, runs: [f"table of {len(runs)} runs"])
    _series._end(tmp_path / "a b", series.Series(2, requests))
    first, *more = capsys.readouterr().out.splitlines()
    assert first == "! temperature of SN1: 30 °C in a-01, 41 °C in a-02"
    place = f"'{tmp_path}/a b'"
    if drives == 1:
        assert more == [f"2 runs; to compare them with others: stend compare {place} -- OTHERS"]
    else:
        assert more == ["table of 4 runs", f"As a page: stend compare {place} --by label --into {place}"]


@pytest.mark.parametrize(("repeats", "bias"), [(2, 0), (3, 1 / 3), (4, 0), (9, 1 / 9), (10, 0)])
def test_a_steady_drift_favours_neither_of_two_drives(repeats: int, bias: float, tmp_path: Path) -> None:
    """A figure that grows by 1 with each run: the means of both sides differ by at most a turn that has no partner."""
    order = series.Series(repeats, tuple(session.Request(["fresh"], target) for target in (A, B)))
    at = {side: [slot.number for slot in order.slots(tmp_path) if slot.folder.name[0] == side] for side in "ab"}
    assert {len(numbers) for numbers in at.values()} == {repeats}
    assert sum(at["b"]) / repeats - sum(at["a"]) / repeats == pytest.approx(bias)
