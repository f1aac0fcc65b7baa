"""A stream of Quarch by arithmetic: units of its columns, and values placed on the clock of this host line by line."""

import time

import pytest

from stend.meters import quarch
from stend.meters._series import Series

HEADER = "Time mS,Tot power W\n"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time on the clock of this host."""
    at = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    return at


@pytest.mark.parametrize(("unit", "seconds"), [("nS", 1e-9), ("uS", 1e-6), ("mS", 1e-3), ("S", 1.0), ("s", 1.0)])
@pytest.mark.parametrize(("power", "watts"), [("uW", 1e-6), ("mW", 1e-3), ("W", 1.0)])
def test_columns_have_the_units_of_their_names(unit: str, seconds: float, power: str, watts: float) -> None:
    head = f" Time {unit} , 5V power {power},12V power W"
    assert quarch.columns(head) == (seconds, ((1, watts), (2, 1.0)))
    at, value = quarch.parsed("7,2,3", quarch.columns(head)) or (None, None)
    assert (at, value) == (7 * seconds, 2 * watts + 3)


def test_the_first_total_is_the_power_wherever_it_is() -> None:
    assert quarch.columns("Time S,5V power W,Tot power mW,Total power W").powers == ((2, 1e-3),)


def test_the_line_that_came_with_the_least_delay_sets_the_clock_which_may_drift(now: list[float]) -> None:
    """A ten-thousandth of the ten seconds between two lines is one millisecond."""
    stream = quarch.Stream()
    now[0] = 1010.0
    assert stream.write(f"{HEADER}10000,5\n") == len(HEADER) + 8
    stream.series = Series(10.0)
    ends = []
    for at_s, arrived_s in ((20, 1020.5), (30, 1029.0), (40, 1040.0), (50, 1049.0)):
        now[0] = arrived_s
        stream.write(f"{at_s * 1000},5\n")
        ends += [value.end for value in stream.series.take(all_of_it=True)]
    assert ends == [pytest.approx(end, abs=1e-9) for end in (1020.001, 1029.0, 1039.001, 1049.0)]


def test_lines_may_arrive_in_pieces_and_several_at_once(now: list[float]) -> None:
    stream = quarch.Stream()
    for piece in ("Time mS,", "Tot power W\r", "\n1000,5\r\n\r\n20", "00,6\n3000,7"):
        assert stream.write(piece) == len(piece)
    assert (stream.known, stream.times, stream.rest) == ((1e-3, ((1, 1.0),)), [1.0, 2.0], "3000,7")
    stream.write("\n")
    assert stream.times == [1.0, 2.0, 3.0]
    stream.write("x" * 1500)
    assert stream.rest == "x" * 1000, "the end of a line without an end"
    stream.flush()


def test_a_line_that_is_not_later_than_the_last_one_is_noted_and_left_out(now: list[float]) -> None:
    stream = quarch.Stream()
    stream.write(f"{HEADER}0,5\n0,5\nwhat\n")
    assert stream.times == [0.0], "the clock of a module may begin at nought"
    stream.series = Series(1.0)
    for line in ("0,6", "y" * 90, "-1,6", "1000,7"):
        now[0] = 1.0
        stream.write(f"{line}\n")
    assert [value.mean for value in stream.series.take(all_of_it=True)] == [7.0]
    notes = stream.series.words()
    assert [repr("0,6") in notes[0], repr("y" * 80) in notes[1], repr("-1,6") in notes[2], len(notes)] == [True] * 3 + [
        3
    ]


def test_a_stream_without_power_is_wrong_from_its_first_line_on(now: list[float]) -> None:
    stream = quarch.Stream()
    stream.write(f"Time mS,{'z' * 300}\n{HEADER}1000,5\n")
    assert stream.wrong == f"the stream has no power; its columns are {('Time mS,' + 'z' * 300)[:200]}"
    assert (stream.known, stream.times) == (None, [])
