"""Messages of the command line that a user meets seldom: one sentence, what to do, the exit code."""

import os
import shutil
from pathlib import Path

import pytest

from stend import report, store
from stend.base.errors import Missing, StepFailed
from stend.cli import _ends, _together, main, watch
from stend.live import hooks
from stend.live.follow import Follower
from stend.many.sweep import drives, folder
from stend.many.sweep.design import read
from stend.store import reports
from tests.test_rare_results import kept_run

Out = pytest.CaptureFixture[str]

DESIGN = """
target = "sim:small"
tests = ["latency"]
quick = true
drives = 4
[parameters]
dies_at_s = {from = 0.0, to = 0.001}
"plan.active_range_pct" = [50, 100]
"""


@pytest.fixture
def design(tmp_path: Path) -> Path:
    path = tmp_path / "design.toml"
    path.write_text(DESIGN)
    return path


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The folder of a finished run, the only one of its folder."""
    return Path(shutil.copytree(kept_run(), tmp_path / "top/run"))


def refused(capsys: Out, *words: str | Path, code: int = 2) -> str:
    """What is said of a command that must fail so, in one line."""
    assert main(list(map(str, words))) == code
    said = [line for line in capsys.readouterr().err.splitlines() if not line.endswith(" drives")]
    assert len(said) == 1, said
    return said[0].removeprefix("stend: ")


# Sweeps


def test_a_sweep_whose_drives_all_fail_says_why_in_words(design: Path, tmp_path: Path, capsys: Out) -> None:
    into, written = tmp_path / "swept", read(design)
    folder.begin(written, design, into)
    lines = folder.Appending(into)
    for point in written.points():
        lines.add(drives.run(written, point))
    lines.close()
    assert [line["outcome"] for line in folder.lines(into)] == ["failed"] * 4
    said = refused(capsys, "sweep", design, "--into", into, "--workers", "1")
    assert "{" not in said
    assert said.startswith(f"no drive of {into} has a figure: stend small does not answer any more (")
    assert said.endswith("; change the design and choose another folder by --into")


GRID = DESIGN.replace("drives = 4", "").replace("0.001", "1.0, levels = 1000").replace("50, ", "*" * 100 + ", ")
NOTHING = DESIGN.partition("dies_at_s")[0]


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (DESIGN, ["--best", "plan.active_range_pct"], ""),
        (NOTHING, [], "it has no parameters that vary"),
        (GRID.replace("*" * 100, ", ".join(map(str, range(100)))), [], "its grid has 101000 drives, more than the"),
        (DESIGN, ["--require", "iops > 1"], "--require needs --best; add it or leave --require out"),
        (DESIGN, ["--best", "most of all"], "is not a figure or parameter; write it like 'iops"),
        (DESIGN, ["--best", "iosp[window]"], "neither a quantity nor a parameter of this sweep; choose from iops,"),
        (DESIGN, ["--figure", "least iops"], "is not a figure; write it like 'iops"),
    ],
)
def test_a_dry_sweep_runs_nothing_and_refuses_what_the_sweep_would(
    design: Path, tmp_path: Path, capsys: Out, text: str, words: list[str], said: str
) -> None:
    design.write_text(text)
    into = tmp_path / "swept"
    if said:
        assert said in refused(capsys, "sweep", design, "--into", into, "--dry-run", *words)
    else:
        assert main(["sweep", str(design), "--into", str(into), "--dry-run", *words]) == 0
        first, second, *drawn = capsys.readouterr().out.splitlines()
        assert first == f"4 drives, 0 of them done in {into}"
        assert second.startswith("each latency, about ")
        assert len(drawn) == 4
        assert drawn[-1] == "  ..."
    assert not into.exists()


def test_a_sweep_keeps_out_of_other_folders_and_a_line_that_is_broken_is_named(
    design: Path, tmp_path: Path, capsys: Out
) -> None:
    other, into = tmp_path / "other", tmp_path / "swept"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    said = refused(capsys, "sweep", design, "--into", other)
    assert said == f"{other} exists already and is not a sweep; choose another folder by --into"
    folder.begin(read(design), design, into)
    (into / folder.LINES).write_bytes(b'{"drive": 1, "values": {}, "figures": []}\n{"drive": 2, "val\n')
    said = refused(capsys, "sweep", design, "--into", into, "--dry-run")
    assert said.startswith(f"line 2 of {into / folder.LINES} cannot be read: ")
    assert said.endswith("; delete it")


@pytest.mark.parametrize("whole", [b"", b'{"drive": 1}\n'])
def test_a_torn_line_is_cut_off_before_the_next_is_added(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / folder.LINES
    path.write_bytes(whole + b'{"drive": 2, "values": "' + bytes(70_000).replace(b"\0", b"x"))
    lines = folder.Appending(tmp_path)
    lines.add({"drive": 3})
    lines.close()
    assert path.read_bytes() == whole + b'{"drive":3}\n'


# A plan that is shortened


def test_a_plan_is_not_tried_where_nothing_can_come_of_it(capsys: Out) -> None:
    quick = ["--quick", "--sooner", "--round-seconds", "0.2"]
    for test, target, code, words in (
        ("iops", "null", 2, "no virtual drive models null (no drive); leave out --sooner"),
        ("fresh", "sim:small", 2, "because it has no steady-state search; leave out --sooner"),
        ("latency", "sim:small?dies_at_s=1", 5, "sim:small?dies_at_s=1 did not finish this plan: stend small does not"),
    ):
        assert main(["plan", test, "--target", target, *quick]) == code
        told = capsys.readouterr()
        assert words in told.err
        assert ("Ways to shorten" in told.out) == (code == 5)


# Misuse of verbs


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "repeat 2 fresh --target null --target sim:small --target sim:ideal",
            "between two drives, not 3; for more",
        ),
        ("resume RUN --destroy-data a --destroy-data b", "a run has one drive; give --destroy-data once"),
        ("plan iops --target sim:small --target sim:ideal --fio x", "writes the jobs of one drive; name one --target"),
        ("inspect sim:small --whole --minutes 3", "reads every block, however long it takes; leave --minutes out"),
        ("lot RUN", "a lot needs two drives or more, but these runs have 1"),
        ("list RUN/events.jsonl", "events.jsonl is not a run folder: it has no events.jsonl; `stend list` shows runs"),
        ("serve RUN/events.jsonl", "events.jsonl is not a run folder: it has no events.jsonl; `stend list` shows runs"),
        ("import RUN/pipe", "pipe cannot be imported: it is neither a file nor a folder"),
        ("report RUN --into RUN/events.jsonl", "events.jsonl is a file, but a folder is needed; name another"),
        ("report RUN --into RUN/events.jsonl/x", "events.jsonl is a file, but a folder is needed; name another"),
        ("watch RUN --on nonsense", "nonsense"),
    ],
)
def test_a_verb_that_cannot_do_as_typed_says_what_can_be_done(
    finished: Path, capsys: Out, words: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(finished.parent)
    os.mkfifo(finished / "pipe")
    before = {path: path.stat().st_mtime_ns for path in finished.parent.rglob("*")}
    assert said in refused(capsys, *words.replace("RUN", "run").split())
    assert {path: path.stat().st_mtime_ns for path in finished.parent.rglob("*")} == before


def test_an_order_to_resume_the_last_run_which_is_complete_names_those_that_are_not(
    finished: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = finished.parent
    monkeypatch.chdir(top.parent)
    top.rename(top.with_name("runs"))
    finished = top.with_name("runs") / "run"
    (finished / "report.html").write_text("page")
    reports.remember(finished, [finished / "report.html"], [store.load(finished).seal])
    assert refused(capsys, "resume") == "the last run, runs/run, is complete; no run below runs was cut off"
    for number in range(4):
        copied = finished.with_name(f"cut{number}")
        shutil.copytree(finished, copied)
        lines = (copied / "events.jsonl").read_bytes().splitlines(keepends=True)
        (copied / "events.jsonl").write_bytes(b"".join(lines[:-1]))
        os.utime(copied / "events.jsonl", (number, number))
    os.utime(finished / "events.jsonl")
    said = refused(capsys, "resume")
    assert said.startswith("the last run, runs/run, is complete; cut off: runs/cut")
    assert ", ...; `stend resume runs/cut" in said
    assert said.endswith("` continues it")


def test_a_report_that_cannot_be_made_does_not_hide_that_the_run_is_complete(
    finished: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = store.load(finished)
    for error, stream, words in (
        (
            Missing("typst is not installed"),
            "out",
            "No report: typst is not installed, or run `stend report` on",
        ),
        (StepFailed("the disk is full"), "err", "stend: the run is complete, but its report failed: the disk is full;"),
    ):

        def fails(*given: object, error: Exception = error, **more: object) -> None:
            raise error

        monkeypatch.setattr(report, "write", fails)
        _ends.report(finished, run)
        assert getattr(capsys.readouterr(), stream).startswith(words)
    assert _ends.exit_code(finished, run) == 0


def test_interrupting_a_watch_ends_only_the_watching(
    finished: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (finished / "events.jsonl").read_bytes().splitlines(keepends=True)
    (finished / "events.jsonl").write_bytes(b"".join(lines[:-1]))

    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watch, "_watched", interrupted)
    monkeypatch.setattr(hooks, "Hooks", lambda *given: None)  # its thread is not waited for
    assert main(["watch", str(finished)]) == 130
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"stend: no longer watching; {finished} is cut off")


def test_a_run_beside_others_is_shown_where_it_is(finished: Path, capsys: Out) -> None:
    events = finished / "events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    events.write_bytes(b"".join(lines[:1]))
    followers = dict[Path, Follower]()
    assert _together._line(finished, followers) == "waiting to start"
    events.write_bytes(b"".join(lines[: len(lines) // 2]))
    follower = followers[finished]
    assert _together._line(finished, followers).startswith("latency, ")
    assert followers[finished] is follower, "what was read is kept"
    events.write_bytes(b"")
    assert "is empty, as a power cut can leave it" in _together._line(finished, {})


@pytest.mark.parametrize("option", [["--detach"], ["--in-use"], ["--destroy-data", "S1"], ["--overwrite-file", "/x"]])
def test_all_runs_go_on_as_they_were_started_and_take_no_options(
    option: list[str], tmp_path: Path, capsys: Out
) -> None:
    assert main(["resume", str(tmp_path), "--all", *option]) == 2
    assert capsys.readouterr().err == f"stend: --all continues each run as it was started; leave out {option[0]}\n"
