"""Messages of the command line that a user meets seldom: one sentence, what to do, the exit code."""

from pathlib import Path

import pytest

from stend.cli import main
from stend.many.sweep import drives, folder
from stend.many.sweep.design import read

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
