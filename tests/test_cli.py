"""The front door: help, exit codes, and one sentence for every bad input."""

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from stend import session
from stend.cli import main
from stend.model.definition import PlannedTest

VERBS = (
    "run",
    "repeat",
    "query",
    "import",
    "plan",
    "resume",
    "list",
    "show",
    "report",
    "compare",
    "verify",
    "tests",
    "devices",
    "doctor",
)
HEAVY = ("numpy", "numba", "duckdb", "rich", "typst", "jinja2", "vl_convert")


def said(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return err.strip()


def refused(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == code
    sentence = said(capsys)
    assert sentence.startswith("stend: ")
    assert len(sentence.splitlines()) == 1
    return sentence


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"]], ids=repr)
def test_help_lists_every_verb_and_the_exit_codes_in_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    text = capsys.readouterr().out
    assert all(verb in text for verb in VERBS)
    assert "Exit codes: 0 done, 2 bad input, 3 refused" in text
    assert "`man stend` lists all" in text


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_short_and_long_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "-h"]) == 0
    short = capsys.readouterr().out
    assert main([verb, "--help"]) == 0
    long = capsys.readouterr().out
    assert f"Example: stend {verb}" in short
    assert f"Example: stend {verb}" in long
    assert "Exit codes" not in long
    assert len(short) < len(long)


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from stend.cli import main; main(['--help']); print([m for m in %r if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code % (HEAVY,)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_unknown_test_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = refused(["plan", "iopss", "--target", "sim:small"], 2, capsys)
    assert "'iopss'" in sentence
    assert "iops" in sentence


def test_an_unknown_option_points_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--help" in refused(["plan", "iops", "--target", "sim:small", "--nope"], 2, capsys)


@pytest.mark.parametrize("verb", ["trace", "fleet"])
def test_what_a_verb_can_be_asked_is_told_in_plain_words(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = refused([verb], 2, capsys)
    assert "needs an action: " in sentence
    assert "\\" not in sentence


def test_an_unknown_profile_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'nope'" in refused(["plan", "iops", "--target", "sim:small", "--profile", "nope"], 2, capsys)


@pytest.mark.parametrize(
    "text", ["threads = ", "threads = 4", 'title = "x"\nnope = 1', "\xff\xfe", 'threads = "many"'], ids=repr
)
def test_a_bad_profile_file_is_a_sentence(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(text.encode("latin-1"))
    assert "own.toml" in refused(["plan", "iops", "--target", "sim:small", "--profile", str(path)], 2, capsys)


@pytest.mark.parametrize(
    "option",
    [
        ["--threads", "0"],
        ["--depth", "x"],
        ["--active-range", "0"],
        ["--active-range", "101"],
        ["--round-seconds", "-1"],
    ],
    ids=" ".join,
)
def test_numbers_out_of_range_are_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    refused(["plan", "iops", "--target", "sim:small", *option], 2, capsys)


def test_a_missing_target_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "none.bin" in refused(["run", "iops", "--target", str(tmp_path / "none.bin")], 2, capsys)


def test_a_folder_is_no_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert str(tmp_path) in refused(["run", "iops", "--target", str(tmp_path), "--destroy-data", "x"], 2, capsys)


def test_an_empty_file_is_no_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.bin"
    path.touch()
    assert "is empty" in refused(["run", "iops", "--target", str(path), "--destroy-data", str(path)], 2, capsys)


def test_an_unknown_virtual_drive_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nope" in refused(["plan", "iops", "--target", "sim:nope"], 2, capsys)


@pytest.mark.parametrize("verb", ["show", "report", "resume"])
def test_a_folder_without_a_run_is_a_sentence(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a run folder" in refused([verb, str(tmp_path / "none")], 2, capsys)


def test_a_used_run_folder_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("x")
    asked = ["run", "iops", "--target", "sim:small", "--quick", "--into", str(tmp_path)]
    assert "not empty" in refused(asked, 2, capsys)
    assert [f.name for f in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.fio
def test_a_run_that_cannot_begin_leaves_no_new_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    asked = ["run", "iops", "--target", str(tmp_path / "new.bin"), "--create", "16MiB", "--quick", "--into"]
    refused([*asked, str(tmp_path / "file" / "run")], 2, capsys)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file"]


def test_a_run_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    asked = ["run", "iops", "--target", "sim:small", "--quick", "--into", str(tmp_path / "file" / "run")]
    assert "cannot be written" in refused(asked, 2, capsys)


def test_a_report_that_finds_no_room_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    asked = ["run", "iops", "--target", "sim:small", "--quick", "--rounds", "1", "--round-seconds", "0.2"]
    assert main([*asked, "--into", str(folder)]) == 0
    capsys.readouterr()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        assert main(["report", str(folder)]) == 5
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert said(capsys).startswith("stend: ")


def test_the_plan_of_iops_is_the_specifications(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "iops", "--target", "sim:small", "--profile", "enterprise-2.0.2"]) == 0
    text = capsys.readouterr().out
    assert "8 x 7 matrix" in text
    assert "at most 25 rounds" in text
    assert "(2 x its range)" in text
    assert "#56" in text


def test_every_override_is_a_deviation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "iops", "--target", "sim:small", "--threads", "2", "--round-seconds", "5"]) == 0
    text = capsys.readouterr().out
    assert "Deviation: threads: 2 instead of 4" in text
    assert "Deviation: seconds to a minute: 5" in text


@pytest.mark.slow
def test_a_run_shows_lists_and_reports_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "runs" / "one"
    asked = ["run", "iops", "--target", "sim:small", "--quick", "--rounds", "1", "--round-seconds", "0.2"]
    assert main([*asked, "--into", str(folder)]) == 0
    assert (folder / "report.html").exists()
    moved = tmp_path / "elsewhere"
    folder.rename(moved)
    (moved / "report.html").unlink()
    assert main(["report", str(moved)]) == 0
    assert (moved / "report.html").exists()
    capsys.readouterr()
    assert main(["show", str(moved), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "not steady"
    assert len(told["results"]) == 58
    assert main(["show", str(moved)]) == 0
    assert "steady state not reached" in capsys.readouterr().out
    assert main(["list", str(tmp_path)]) == 0
    assert "iops" in capsys.readouterr().out


def test_the_tests_are_one_table_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tests"]) == 0
    rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert main(["tests", "--json"]) == 0
    every = json.loads(capsys.readouterr().out)
    assert len(rows) == len(every["tests"]) + len(every["suites"])
    starts = {
        row.index(f" {each['title']}: ") for row, each in zip(rows, every["tests"] + every["suites"], strict=True)
    }
    assert len(starts) == 1, "the titles of all rows begin in one column"
    assert [test["name"] for test in every["tests"] if test["reads"]] == ["inspect", "wake"]


def test_plans_of_several_targets_are_a_list_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    targets = ["sim:small", "sim:ideal"]
    assert main(["plan", "iops", "--quick", "--json", "--target", targets[0], "--target", targets[1]]) == 0
    plans = json.loads(capsys.readouterr().out)
    assert [plan["device"]["target"] for plan in plans] == targets
    drawn = session.planned(session.Request(["iops"], targets[0], quick=True))
    assert msgspec.convert(plans[0]["tests"], tuple[PlannedTest, ...]) == drawn.tests
    assert plans[0]["deviations"] == [str(text) for text in drawn.deviations] != []
