"""The course of a long hold: each judgement on both sides of its limit, and the figures of a known course."""

from typing import Any

import numpy as np
import pytest

from stend.findings.look.curve import LEVEL, SIGMAS, Course, course
from stend.model.counts import Counts
from stend.model.tally import Tally

FLAT = Course(
    first=100, end=100, last=100, low=100, high=100, error=0.001, moved=0, wobble=0.001, spread=0.01, swings=0
)


@pytest.mark.parametrize(
    ("judgement", "within", "beyond"),
    [
        ("level", {"moved": 0.148}, {"moved": 0.152}),  # 3 x 5 %, a trend and its error together
        ("level", {"moved": -0.1, "wobble": 0.049}, {"moved": -0.1, "wobble": 0.051}),
        ("level", {"last": 111}, {"last": 113}),  # a step of 12 % at the end is a new level
        ("even", {"spread": 0.055}, {"spread": 0.057}),  # 5 % and 6 standard errors
        ("even", {"spread": 0.10, "error": 0.01}, {"spread": 0.12, "error": 0.01}),
        ("falls", {"moved": -0.054}, {"moved": -0.052}),  # 5 % and 3 standard errors
        ("falls", {"moved": -0.054}, {"moved": 0.054}),
        ("falls", {"moved": -0.07, "wobble": 0.03, "spread": 0.24}, {"moved": -0.07, "wobble": 0.03}),
        ("falls", {"moved": -0.07, "wobble": 0.03, "spread": 0.24}, {"moved": -0.04, "wobble": 0.03, "spread": 0.24}),
        (
            "falls",
            {"moved": -0.1, "wobble": 0.03, "spread": 0.24},
            {"moved": -0.1, "wobble": 0.03, "spread": 0.24, "swings": 0.02},
        ),
        ("climbs", {"moved": 0.054}, {"moved": 0.052}),
        ("climbs", {"moved": 0.054}, {"moved": -0.054}),
        ("climbs", {"moved": 0.12, "swings": 0.02}, {"moved": 0.12, "swings": 0.03}),
        ("new", {"last": 113}, {"last": 111}),
        ("new", {"last": 88}, {"last": 90}),
        ("new", {"last": 132, "error": 0.05}, {"last": 128, "error": 0.05}),
        ("drifts", {"first": 103.1}, {"first": 102.9}),
        ("drifts", {"first": 96.9}, {"first": 97.1}),
        ("drifts", {"first": 107, "error": 0.02}, {"first": 105, "error": 0.02}),
    ],
)
def test_each_judgement_changes_at_its_limit(judgement: str, within: dict[str, Any], beyond: dict[str, Any]) -> None:
    assert [getattr(FLAT._replace(**one), judgement) for one in (within, beyond)] == [True, False]


def test_a_flat_course_is_even_and_level_and_nothing_else() -> None:
    assert (FLAT.even, FLAT.level, FLAT.new, FLAT.falls, FLAT.drifts) == (True, True, False, False, False)
    assert (FLAT.rise, FLAT._replace(low=0).rise, FLAT._replace(high=150).rise) == (1.0, np.inf, 1.5)
    assert [FLAT._replace(error=error).least for error in (0.01, 0.02, 0.03)] == [1.12, 1.12, pytest.approx(1.18)]


def test_the_figures_of_a_known_course() -> None:
    """Forty stretches of ten seconds: 1,000 IOPS, a dip to 500, then 800 for more than the second half."""
    rates = [1000] * 100 + [500] * 90 + [800] * 210
    made = course([Counts(1.0, 0.0, Tally(ios=rate)) for rate in rates])
    assert (made.first, made.end, made.last, made.low, made.high) == (1000, 800, 800, 500, 800)
    assert (made.moved, made.spread, made.error) == pytest.approx((0, 0, 0), abs=1e-9)
    assert made.rise == pytest.approx(1.6)


def test_a_line_through_the_end_tells_how_far_it_moves() -> None:
    rates = [1000.0] * 320 + [1000 - n for n in range(80)]  # the last fifth loses 8 % from end to end
    made = course([Counts(10.0, 0.0, Tally(ios=round(10 * rate))) for rate in rates])
    assert made.moved == pytest.approx(-80 / made.end, rel=0.02)
    assert made.falls


def test_a_steady_rise_of_the_end_climbs_and_a_swing_does_not() -> None:
    for end, climbs in (([1000.0 + n for n in range(80)], True), ([1000.0, 1000, 1000, 1080] * 20, False)):
        made = course([Counts(10.0, 0.0, Tally(ios=round(10 * rate))) for rate in [1000.0] * 320 + end])
        assert made.climbs is climbs
    swung = [1000.0] * 320 + [1000.0] * 30 + [1400.0] * 10 + [1000.0] * 10 + [1400.0] * 10 + [1100.0] * 20
    made = course([Counts(10.0, 0.0, Tally(ios=round(10 * rate))) for rate in swung])
    assert made.moved > 0.08
    assert not made.climbs


def test_a_slide_of_samples_that_alternate_is_seen() -> None:
    """The OCZ Saber 1000 cleans in bursts: its seconds scatter by 20%, and its minutes slide from 38,000 to 30,000."""
    rates = [46_000.0] * 1000 + [(38_000 - 8 * n) * (1.2 if n % 2 else 0.8) for n in range(1000)]
    made = course([Counts(1.0, 0.0, Tally(ios=round(rate))) for rate in rates])
    assert LEVEL < -made.moved < LEVEL + SIGMAS * made.wobble
    assert made.falls
