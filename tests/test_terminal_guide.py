"""What `stend` alone and `stend devices` print, line by line; single lines of a run's progress and its end."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput
from stend.cli import _ends, _guide, _screen, _series, _sheet
from stend.live.course import Course
from stend.model.counts import Counts
from stend.model.definition import Identity
from stend.model.events import Note, Sample
from stend.model.record import Run
from stend.model.tally import Tally
from stend.words import text
from tests.synthetic import made
from tests.test_terminal import answers, course, drive


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def test_the_guide_prints_drives_choices_plan_and_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    server = msgspec.structs.replace(drive("NVMe"), model="Model", capacity_bytes=3_840_755_982_336)
    assert answers(monkeypatch, [server, drive("SATA 6 Gb/s")], 3, 1, 2, run_it=False) == []
    lines = printed(capsys)
    plan = lines.index("The plan")
    assert lines[:plan] == [
        "stend measures storage drives. Answer with a number; Ctrl-C ends without changes.",
        "Drives of this host",
        "    /dev/x            3.84 TB  Model S1  can be tested",
        "    /dev/x               1 GB   S1  can be tested",
        "What do you want?",
        "   1  Inspection of a drive: minutes. Is it sound, and what it claims to be? It only reads.",
        "   2  Quick look at a drive: minutes, shortened tests that are no measurement. All its data is destroyed.",
        "   3  Review of a drive: hours to days, all tests of its kind. All its data is destroyed.",
        "   4  Rehearsal on a virtual drive: the same review, simulated. It writes to no drive.",
        "Which drive?",
        "   1  /dev/x  3.84 TB  Model S1",
        "   2  /dev/x  1 GB   S1",
        "Which class?",
        "   1  Drive for servers",
        "   2  Drive for desktops and laptops",
    ]
    assert lines[plan + 1].startswith("    Fresh, SLC Cache, Throughput, ")
    assert lines[plan + 2].startswith("    Expected time ")
    assert lines[plan + 2].endswith(".")
    assert "simulat" not in lines[plan + 2]
    assert lines[plan + 3].startswith("    At least ")
    assert lines[plan + 3].endswith(" are written. All data on the drive is destroyed.")
    assert lines[plan + 4 :] == [
        "The command",
        "    stend run review-desktop --target /dev/x",
        "Nothing was run. `stend --help` lists all verbs.",
    ]


@pytest.mark.parametrize(("typed", "refused"), [([2], []), ([0, 2], [0]), ([3, -1, 2], [3, -1]), ([1], [])])
def test_the_guide_asks_again_for_a_number_that_it_did_not_list(
    typed: list[int], refused: list[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = list[Any]()

    def prompt(question: str, **how: Any) -> int:
        asked.append((question, how))
        return typed[len(asked) - 1]

    monkeypatch.setattr("typer.prompt", prompt)
    assert _guide._choose("Which?", [("a", "A"), ("b", "B")]) == "ab"[typed[-1] - 1]
    assert asked == [("Number", {"default": 1, "type": int})] * len(typed)
    assert printed(capsys) == [
        "Which?",
        "   1  A",
        "   2  B",
        *(f"{number} is not a number from 1 to 2." for number in refused),
    ]


def test_the_guide_does_not_ask_where_there_is_one_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert _guide._choose("Which?", [("a", "A\x1b[31m")]) == "a"
    assert printed(capsys)[0] == "Which?"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("capacity_bytes", 999_999, "user capacity            999999 bytes"),
        ("capacity_bytes", 1_000_000, "user capacity            1000000 bytes (1 MB)"),
        ("native_bytes", 480_103_981_056, "native                   480103981056 bytes (480 GB)"),
        ("cache_bytes", "unknown", "cache                    unknown"),
        ("rotational", True, "rotational               yes"), ("rotational", False, "rotational               no"),
        ("wear_pct", 3, "wear, %                  3"), ("temperature_c", 41.5, "temperature, °C          41.5"),
        ("power_state", 0, "power state              0"), ("pct", 1, "pct                      1"),
        ("links", ["a", 2], "links                    a, 2"), ("links", [], "links                    none"),
    ],
)  # fmt: skip
def test_a_fact_of_a_drive_has_its_name_its_unit_and_its_value(key: str, value: object, words: str) -> None:
    assert list(_sheet._rows({key: value}, "  ")) == [f"  {words}"]


def test_the_sheet_of_a_drive_is_in_this_order() -> None:
    sheet: Any = {
        "target": "/dev/x", "reason": "it is mounted", "named": "S1", "holds": "ext4", "model": "M", "firmware": "F",
        "facts": {"formats": [{"index": 0, "name": ""}, {"index": 1, "relative": 2}]}, "health": {"wear_pct": 3},
        "notes": ["look"],
    }  # fmt: skip
    first, *rest = _sheet.lines(sheet)
    assert first == "/dev/x  no: it is mounted"
    assert {*rest[:2]} == {f"  {'model':<24} M", f"  {'firmware':<24} F"}
    assert rest[2:] == [
        f"  {'named by':<24} --destroy-data S1", f"  {'what is on it':<24} ext4", "  formats",
        f"    - {'index':<24} 0", f"    - {'index':<24} 1", f"      {'relative':<24} 2",
        "  health", f"    {'wear, %':<24} 3", "  note: look",
    ]  # fmt: skip
    assert len([*_sheet.lines(sheet | {"named": "", "holds": "", "health": {}, "notes": []})]) == len(rest) - 4


@pytest.mark.parametrize(
    ("targets", "label", "labels"),
    [
        (["a"], "x", ["x"]), (["a"], None, ["a"]), (["a", "b"], "x", ["x a", "x b"]), (["a", "b"], None, ["a", "b"]),
        (["a", "a"], None, ["a (a)", "a (b)"]), (["a", "a"], "x", ["x a (a)", "x a (b)"]),
    ],
)  # fmt: skip
def test_runs_of_a_series_are_labelled_by_their_drives(
    targets: list[str], label: str | None, labels: list[str]
) -> None:
    assert _series.labelled(targets, label) == list(zip(targets, labels, strict=True))
    with pytest.raises(BadInput, match="a series alternates between two drives, not 3; for more use"):
        _series.labelled(["a", "b", "c"], label)


@pytest.mark.parametrize(
    ("outcome", "code", "words"),
    [
        ("complete", 0, ""), ("not steady", 0, ""), ("imported", 0, ""),
        ("stopped", 130, "stend: stopped; "), ("failed", 5, "stend: last; once that is fixed, "),
        (None, 5, "stend: last; once that is fixed, "),
    ],
)  # fmt: skip
def test_the_exit_code_of_a_run_is_that_of_its_outcome(
    outcome: str | None, code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = made("wake", interval_s=60.0)
    assert run.ended
    ended = [msgspec.structs.replace(run.ended, outcome=outcome)] if outcome else []
    notes = [
        Note(t=0.0, kind="failure", text=text("first")),
        Note(t=0.0, kind="failure", text=text("last")),
        Note(t=0.0, kind="remark", text=text("another")),
    ]
    whole = Run([*run.started, *notes, *ended])
    assert _ends.exit_code(tmp_path, whole) == code
    assert capsys.readouterr().err.startswith(words)
    assert bool(words) == bool(code)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> tuple[_screen.Screen, list[float], io.StringIO]:
    """A view that is no terminal, at a time that the test sets."""
    now, err = [100.0], io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(_screen, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return _screen.Screen(course("iops", "enterprise-2.0.2", lambda c: c.t > 1000)), now, err


def test_elsewhere_a_run_prints_a_line_at_most_every_ten_seconds(
    screen: tuple[_screen.Screen, list[float], io.StringIO],
) -> None:
    shown, now, err = screen
    sample = shown.course.recent[-1]
    for at in (100.0, 109.9, 110.0, 119.9, 120.5, 130.0, 130.5):
        now[0] = at
        shown.react(sample)
        err.write(f"{at:g}\n")
    assert [line for line in err.getvalue().splitlines() if line[0] != " " or "IOPS" not in line] == [
        "100", "109.9", "110", "119.9", "120.5", "130", "130.5",
    ]  # fmt: skip
    kinds = ["line" if "IOPS" in line else line for line in err.getvalue().splitlines()]
    assert kinds == ["100", "109.9", "line", "110", "119.9", "line", "120.5", "130", "line", "130.5"]


def test_a_line_has_share_place_figures_and_times(screen: tuple[_screen.Screen, list[float], io.StringIO]) -> None:
    shown, _, _ = screen
    counts = Counts(seconds=2.0, read=Tally(ios=500, bytes=2_469_200, latency_ns=500 * 2.6e6), write=Tally())
    line = shown.line(Sample(t=shown.course.t, counts=counts))
    at = shown.course.at
    assert at
    share, _, rest = line.partition(" %  ")
    assert len(share) == 3
    assert 0 < int(share) < 100
    assert rest.startswith(
        f"iops {at.phase}, round {at.round}, {shown.course.doing}: 250 IOPS, 1.235 MB/s, mean 2.6 ms; "
    )
    assert " elapsed, " in rest
    assert "simulated" not in rest, "a real drive has one time"
    empty = _screen.Screen(Course())
    assert "between phases: 250 IOPS" in empty.line(Sample(t=0.0, counts=counts))


def test_elsewhere_what_is_replayed_is_said_once_and_notes_and_ends_are_lines(
    screen: tuple[_screen.Screen, list[float], io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, err = screen[0], io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    with _screen.Screen(shown.course, "replaying") as again:
        assert err.getvalue() == "replaying\n"
        again.react(Note(t=1.0, kind="failure", text=text("it\x1b is hot")))
        assert again.state == "replaying"
        again.react(shown.course.recent[-1])
        assert (again.state, again.since is None) == ("", False)
    assert err.getvalue().splitlines()[1].startswith("failure: it")
    assert "\x1b" not in err.getvalue()


def test_a_drive_is_one_line_with_its_native_size() -> None:
    one = Identity(
        kind="nvme", target="/dev/nvme0n1", path="/dev/nvme0n1", capacity_bytes=960_197_124_096, model="M", serial="S"
    )
    assert _sheet.line(one, 0, "") == "/dev/nvme0n1       960 GB  M S  can be tested"
    assert _sheet.line(one, 0, "it is mounted").endswith("  M S  no: it is mounted")
    assert "1.02 TB" in _sheet.line(one, 1_024_209_543_168, "")
