"""A composite load whose rate falls during its test: the middle point of PTS lies below the sweep that it is from."""

import pytest

from stend.findings import judgement
from stend.report.story import questions
from tests.synthetic import Truth, made

SWEEP = {"load_most": 2130.0, "load_least": 1879.0, "load_read": 1e-3, "load_write": 2e-3}


@pytest.mark.parametrize(
    ("middle", "key"),
    [
        (2000.0, "answer_2"),
        (1879.0, "answer_2"),
        (1800.0, "answer_2"),  # within the scatter of a minute
        (1711.0, "answer_5"),  # an eMMC of which no point of the sweep was as slow
    ],
)
def test_a_middle_point_below_the_whole_sweep_is_said_to_come_of_a_fall(middle: float, key: str) -> None:
    (work,) = (one for one in questions.questions() if one.name == "work")
    assert [answer.key for answer in work.answers if answer.holds(SWEEP | {"load": middle})] == [key]


def test_the_middle_point_of_a_drive_that_stays_as_it_is_lies_within_its_sweep() -> None:
    truth = Truth(fresh_iops=20_000, steady_iops=20_000, pool_fills=0.1)
    run = made("composite", truth=truth, interval_s=20.0, shorten=60, rounds=6)
    figures = judgement.concluded(run, {}, ()).figures
    assert figures["load_least"] <= figures["load"] <= figures["load_most"]
