"""Blocks of the live view from made-up courses: which are left out, charts, notes, phases, lengths of lists."""

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from stend.cli import _view
from stend.cli._view import Block, Size
from stend.words import text


def plain(rows: Any) -> list[tuple[str, str]]:
    return [(label, content.plain) for label, content in rows]


@pytest.mark.parametrize(
    ("watts", "words"),
    [
        (0.0, "0 W"), (0.0123, "12.3 mW"), (0.09994, "99.9 mW"), (0.09996, "0.1 W"), (0.1, "0.1 W"), (12.345, "12.3 W"),
        (999.4, "999 W"), (999.6, "1000 W"), (1234.4, "1234 W"),
    ],
)  # fmt: skip
def test_a_power_has_three_digits_and_no_exponent(watts: float, words: str) -> None:
    """A server at the wall takes more than a kilowatt, a drive asleep a few milliwatts."""
    assert _view._watts(watts) == words


def test_the_second_column_takes_its_room_from_a_wide_terminal_alone() -> None:
    assert (Size(119, 24).room, Size(120, 24).room, Size(80, 24).room) == (108, 120 - 44 - 3 - 11, 69)


def blocks(*weights: int) -> list[Block]:
    return [Block(weight, [(str(weight), Text())] * 2) for weight in weights]


@pytest.mark.parametrize(
    ("lines", "kept"), [(8, [9, 3, 5, 2]), (7, [9, 3, 5]), (6, [9, 3, 5]), (5, [9, 5]), (3, [9]), (0, [9])]
)
def test_the_least_important_blocks_are_left_out_until_the_others_fit(lines: int, kept: list[int]) -> None:
    every = [*blocks(9, 3, 5, 2), Block(1, [])]
    assert [block.weight for block in _view._fitted(every, lines)] == kept


@pytest.mark.parametrize(("roomy", "empty"), [(True, 1), (False, 0)])
def test_on_a_tall_terminal_an_empty_line_is_between_two_blocks(roomy: bool, empty: int) -> None:
    console = Console(width=40, record=True, file=io.StringIO())
    console.print(_view._table(blocks(1, 2), roomy=roomy))
    lines = [line.strip() for line in console.export_text().splitlines()]
    assert lines == ["1", "1", *[""] * empty, "2", "2"]


def test_a_chart_goes_from_zero_to_the_largest_value_in_eighths_of_eight_lines() -> None:
    """Of 64 eighths in all, 16, 33 and 64: a quarter has two lines, 33 four and an eighth of the fifth."""
    rows = plain(_view._chart([500.0, 1031.25, 2000.0]))
    assert [label.strip() for label, _ in rows] == ["2000", *[""] * 6, "0"]
    assert {len(label) for label, _ in rows} == {0, 9}
    assert [cells for _, cells in rows] == ["  █"] * 3 + [" ▁█"] + [" ██"] * 2 + ["███"] * 2
    assert plain(_view._chart([0.0, 0.0])) == [("        1", "  "), *[("", "  ")] * 6, ("        0", "  ")]


def course(**known: Any) -> Any:
    return SimpleNamespace(**known)


@pytest.mark.parametrize(
    ("noted", "said"),
    [
        ({}, []), ({"remark": 2}, []),
        ({"stall": 1, "remark": 1}, ["1 stall; latest: second"]),
        ({"stall": 2, "mismatch": 3}, ["3 mismatches, 2 stalls; latest: second"]),
    ],
)  # fmt: skip
def test_grave_notes_are_counted_and_the_latest_of_them_is_shown(noted: dict[str, int], said: list[str]) -> None:
    kinds = (("stall", "first"), ("stall", "second"), ("remark", "third"))
    notes = [SimpleNamespace(kind=kind, text=text(words)) for kind, words in kinds]
    assert plain(_view._notes(course(noted=noted, notes=notes))) == [("notes", words) for words in said]


@pytest.mark.parametrize(
    ("count", "words"), [(1, "t p0"), (3, "t p0, t p1, t p2"), (4, "t p0, t p1, t p2 and 1 more"),
                         (6, "t p0, t p1, t p2 and 3 more")]
)  # fmt: skip
def test_three_phases_ahead_are_named_and_the_others_counted(count: int, words: str) -> None:
    assert plain(_view._next(course(ahead=[("t", f"p{n}") for n in range(count)]))) == [("next", words)]
    assert not plain(_view._next(course(ahead=[])))


def phases(at: int, lines: int, passed: int = 3) -> list[str]:
    """Two tests of five phases each: twelve lines."""
    places = [(test, SimpleNamespace(name=f"{test}{n}")) for test in "ab" for n in range(5)]
    steady = [None, False, True, *[None] * 9]
    known = [SimpleNamespace(steady=one) for one in steady[:passed]]
    shown = _view._phases(course(passed=known, progress=SimpleNamespace(places=places, at=at)), lines)
    return [each.plain.rstrip() for each in shown]


def test_phases_have_a_mark_of_how_they_ended_and_the_present_one_is_in_the_middle() -> None:
    whole = ["a", "  ✓ a0", "  ✗ a1", "  ✓ a2", "  ▸ a3", "    a4", "b", *(f"    b{n}" for n in range(5))]
    assert phases(3, 12) == phases(3, 20) == whole
    assert phases(3, 5) == whole[2:7]  # the fifth line, with two before and two behind it
    assert phases(3, 4) == whole[2:6]
    assert phases(0, 5, 0) == ["a", "  ▸ a0", "    a1", "    a2", "    a3"]
    assert phases(9, 5, 9)[-1] == "  ▸ b4"
    assert len(phases(9, 5, 9)) == 5


def test_the_place_of_a_run_is_its_test_its_round_and_its_step() -> None:
    phase = SimpleNamespace(name="rounds", rounds=25, steady=None, holds=[], choose="x", round=())
    at = course(
        place=(SimpleNamespace(title="IOPS"), phase), at=SimpleNamespace(round=3), steps=(4, 56), doing="RND 4K"
    )
    assert plain(_view._place(at)) == [("test", "IOPS: rounds"), ("round", "3 of 25"), ("step", "5 of 56  RND 4K")]
    phase.rounds, at.steps = 1, (56, 56)
    assert plain(_view._place(at)) == [("test", "IOPS: rounds"), ("step", "56 of 56  RND 4K")]
    assert not plain(_view._place(course(place=None, at=at.at)))
    assert not plain(_view._place(course(place=at.place, at=None)))


def test_a_run_that_has_ended_shows_its_own_time_and_one_that_repeats_none() -> None:
    assert plain(_view._time(course(ended=True, t=90.0), "", None, timed=True)) == [
        ("time", "1 min 30 s of the run's clock")
    ]
    assert plain(_view._time(course(ended=True, t=90.0), "stopping", None, timed=True))[0] == ("run", "stopping")
