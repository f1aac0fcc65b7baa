"""A file of times and power: what a line means, and what is read of a file that grows, on clocks that stand still.

The host's clock shows 2,000,000,000 s since 1970, and its monotonic clock 1,000 s.
"""

import time
from pathlib import Path
from typing import Any

import pytest

from stend import meters
from stend.base.errors import BadInput
from stend.meters import file as kind
from stend.meters._lines import MOST_LINE, Stated

NOW, MONOTONIC = 2_000_000_000.0, 1000.0


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a value of 5 W at -2, -1 and 0 seconds from now."""
    monkeypatch.setattr(time, "time", lambda: NOW)
    monkeypatch.setattr(time, "monotonic", lambda: MONOTONIC)
    path = tmp_path / "watts.csv"
    path.write_text("time,watts\n" + "".join(f"{NOW + at},5\n" for at in (-2, -1, 0)))
    return path


def opened(path: Path) -> Any:
    return meters.opened(f"file:{path}", None)


def added(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2000000000", NOW),
        ("2e9", NOW),
        ("2000000000.25", NOW + 0.25),
        ("2000000000000", NOW),
        ("2000000000000000", NOW),
        ("2000000000000000000", NOW),
        ("1e8", 1e8),
        ("99999999", None),
        ("1e11", 1e8),
        ("99999999999", 99_999_999_999.0),
        ("1e14", 1e8),
        ("1e17", 1e8),
        ("9.9e19", 9.9e10),
        ("1e20", None),
        ("-2e9", None),
        ("nan", None),
        ("inf", None),
        ("1970-01-02T00:00:00+00:00", 86_400.0),
        ("2033-05-18T03:33:20Z", NOW),
        ("2033-05-18 05:33:20.5+02:00", NOW + 0.5),
        ("0001-01-01T00:00:00", None),
        ("noon", None),
        ("", None),
    ],
)
def test_a_time_is_in_the_unit_that_its_size_shows(text: str, seconds: float | None) -> None:
    found = kind.moment(text)
    assert found == (None if seconds is None else pytest.approx(seconds, rel=1e-12))


@pytest.mark.parametrize("separator", [",", ";", "\t", " , ", " ", "   "])
def test_a_line_has_a_time_and_a_value_and_what_follows_is_left_out(separator: str) -> None:
    for more in ("", separator + "4 W", separator + "x" + separator + "y"):
        assert kind.row(f" 2000000000{separator}3{more} ") == (NOW, Stated(3.0, energy=False))
    assert kind.row(f"2000000000{separator}") is None


@pytest.mark.parametrize("line", ["", "2000000000", "2000000000,x", "3,2000000000", "x,3", "2000000000 3 W,4"])
def test_a_line_without_one_of_both_is_none(line: str) -> None:
    assert kind.row(line) is None


def test_a_line_has_at_most_a_thousand_characters() -> None:
    line = "2000000000,3 W,"
    assert kind.row(line.ljust(MOST_LINE, "x")) == (NOW, Stated(3.0, energy=False))
    assert kind.row(line.ljust(MOST_LINE + 1, "x")) is None


def test_values_before_the_meter_are_left_out_and_later_ones_are_on_the_clock_of_this_process(path: Path) -> None:
    meter = opened(path)
    assert (meter.facts.period_s, meter.facts.name, meter.facts.scope) == (1.0, "file watts.csv", "drive")
    assert meter.read() == []
    added(path, f"{NOW + 0.5},3\n{NOW + 1.5},4 W\n{NOW + 2},7")
    assert [tuple(value) for value in meter.read()] == [(1000.5, 0.5, 3.0, 3.0), (1001.5, 1.0, 4.0, 4.0)]
    assert meter.read() == [], "the last line has no end yet"
    added(path, "000 mW\n")
    assert [tuple(value) for value in meter.read()] == [(1002.0, 0.5, 7.0, 7.0)]
    assert meter.words() == []


def test_the_period_is_the_middle_one_of_the_steps(path: Path) -> None:
    path.write_text("".join(f"{NOW + at},5\n" for at in (-9, -8.5, -8.5, -8, -7.5, -1)))
    assert opened(path).facts.period_s == 0.5


def test_a_counter_of_energy_is_a_mean_since_its_last_line(path: Path) -> None:
    meter = opened(path)
    added(path, f"{NOW + 1},10 J\n{NOW + 2},13 J\n{NOW + 3},1 Wh\n")
    assert [tuple(value) for value in meter.read()] == [(1002.0, 1.0, 3.0, 3.0), (1003.0, 1.0, 3587.0, 3587.0)]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        (f"{NOW - 0.5},3", "went back"),
        (f"{NOW},3", "went back"),
        ("x" * 90, repr("x" * 80)),
        (f"{NOW + 2},3", ""),
        (f"{NOW + 2.5},3", "ahead"),
    ],
)
def test_a_line_that_cannot_be_is_noted(line: str, note: str, path: Path) -> None:
    meter = opened(path)
    added(path, f"{line}\n{line}\n" if note == "ahead" else f"{line}\n")
    meter.read()
    notes = [word for word in meter.words() if "gave no value" not in word]
    assert len(notes) == (1 if note == "" or "ahead" not in note else 2) * bool(note), notes
    if note.startswith("'"):
        assert note in notes[0]
        assert "x" * 81 not in notes[0]


def test_a_file_that_became_shorter_is_read_from_its_begin(path: Path) -> None:
    meter = opened(path)
    added(path, "half a line")
    meter.read()
    path.write_text(f"{NOW + 1},3\n")
    assert [value.mean for value in meter.read()] == [3.0]
    (word,) = meter.words()
    assert "watts.csv" in word


def test_a_file_that_is_gone_is_noted_and_read_again_when_it_is_back(path: Path) -> None:
    meter = opened(path)
    path.rename(path.with_suffix(".old"))
    assert meter.read() == []
    (word,) = meter.words()
    assert "No such file" in word
    path.with_suffix(".old").rename(path)
    added(path, f"{NOW + 1},3\n")
    assert [value.mean for value in meter.read()] == [3.0]


def test_the_end_of_a_meter_notes_a_gap_before_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meter = opened(path)
    monkeypatch.setattr(time, "monotonic", lambda: MONOTONIC + 9)
    meter.close()
    assert meter.over
    assert meter.words() == ["the meter gave no value for the last 9 s"]


def test_a_file_that_has_just_been_started_is_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text(f"{NOW - 1},5\n{NOW}")
    naps = list[float]()

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        added(path, ",5\n" if len(naps) == 2 else "")

    monkeypatch.setattr(time, "sleep", sleep)
    assert opened(path).facts.period_s == 1.0
    assert len(naps) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no two lines `time,watts`"),
        ("x\n", "has no two lines `time,watts`; its last line is 'x'"),
        ("y" * 90 + "\n", f"has no two lines `time,watts`; its last line is {'y' * 80!r}"),
        (f"{NOW},5\n{NOW},5\n", "has times that do not increase"),
        (None, "is not a file"),
    ],
)
def test_a_file_without_a_course_of_power_is_refused(
    text: str | None, why: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(time, "monotonic", lambda: MONOTONIC + sum(slept))
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    with pytest.raises(BadInput) as refused:
        opened(path)
    assert str(refused.value) == f"the meter's file {path} {why}"
    assert sum(slept) == pytest.approx(kind.FIRST_S if "no two" in why else 0.0, abs=0.15)


def test_of_a_long_file_the_last_lines_are_read(path: Path) -> None:
    lines = [f"{NOW + 0.5 * at},5" for at in range(-5000, 1)]
    path.write_text("\n".join(lines) + "\n")
    meter = opened(path)
    assert path.stat().st_size > 65_536
    assert meter.facts.period_s == 0.5
    assert meter.latest == NOW
