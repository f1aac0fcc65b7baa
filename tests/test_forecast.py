"""A steady state that will not come is said from the tenth round on, once a phase, and nothing is ended by it."""

import random

import pytest

from stend.model.definition import Phase, Steady, Workload
from stend.model.events import Judged, Note, Position, Verdict
from stend.model.record import Run
from stend.runner import forecast
from stend.words import NO_WORDS, Language, Sentence
from tests.still import StillEngine
from tests.test_run import drawn, play


def noted(run: Run) -> list[str]:
    return [note.text for note in run.notes if isinstance(note, Note) and "is not to be expected" in note.text]


def rounds(wide: float, seed: int = 1) -> Run:
    """IOPS whose rates are drawn anew for every record, up to so much apart."""
    dice = random.Random(seed)
    return Run(play(drawn("iops", minute_s=1), StillEngine(lambda w, t: 1000 * (1 + dice.uniform(-wide, wide)))))


@pytest.mark.parametrize("seed", range(3))
def test_a_drive_that_never_settles_is_foretold_once_and_goes_on_to_its_last_round(seed: int) -> None:
    run = rounds(0.9, seed)
    (said,) = noted(run)
    assert "after round 1" in said
    assert "of at most 25" in said
    assert [j.where.round for j in run.judged if j.where.phase == "rounds" and j.ended_by] == [25]
    told = Language("ru").translated(said)
    assert told != said
    assert "steady" not in told


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_foretold_of_a_drive_that_settles(seed: int) -> None:
    assert noted(rounds(0.02, seed)) == []


def test_nothing_is_foretold_of_a_drive_that_is_settling_slowly() -> None:
    engine = StillEngine(lambda w, t: 1000 * (1 + 9 * 0.995**t))
    run = Run(play(drawn("iops", minute_s=1), engine))
    assert max(j.where.round for j in run.judged if j.where.phase == "rounds") > 10
    assert noted(run) == []


def beyond(slope: float, excursion: float, allowed: float | None = 1.0, slope_allowed: float = 1.0) -> Verdict:
    """A window that is so far beyond its rule."""
    return Verdict(
        rule="pts", label="", quantity="iops", rounds=(), values=(), average=1.0, excursion=excursion,
        excursion_allowed=allowed, slope_excursion=slope, slope_excursion_allowed=slope_allowed, fit=(0.0, 0.0),
        correlation=0.0, steady=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "factor"),
    [
        ([beyond(0.75, 0.5, 0.25, 0.5)], 2.0),
        ([beyond(-2.0, 0.5, 0.25, 0.5)], 4.0),
        ([beyond(0.75, 3.0, None, 0.5)], 1.5),
        ([beyond(0.75, 0.5, 0.25, 0.0)], 2.0),
        ([beyond(0.75, 0.5, None, 0.0)], 0.0),
        ([beyond(0.5, 0.5), beyond(0.25, 0.75)], 0.75),
    ],
)
def test_the_worst_series_counts_by_how_often_it_exceeds_its_rule(verdicts: list[Verdict], factor: float) -> None:
    judged = Judged(where=Position("iops", "rounds", 1), t=0.0, verdicts=tuple(verdicts))
    assert forecast.excess(judged) == factor


LOAD = Workload(random_pct=100, read_pct=0, block_bytes=4096)
PHASE = Phase(name="rounds", round=(), until=(Steady(track=(LOAD,)),), rounds=25)


def judged(number: int, far: float, ended_by: Sentence = NO_WORDS) -> Judged:
    """A round whose range is so many times what is allowed; of a round without windows there are no verdicts."""
    verdicts = (beyond(0.0, far),) if far else ()
    return Judged(where=Position("iops", "rounds", number), t=0.0, verdicts=verdicts, ended_by=ended_by)


def of(factors: list[float], last: int = 12, *notes: Note, ended_by: Sentence = NO_WORDS) -> Sentence | None:
    """The forecast after these rounds, of which the last has a number."""
    first = last - len(factors) + 1
    rounds = [judged(number, far) for number, far in enumerate(factors, first)]
    rounds[-1] = judged(last, factors[-1], ended_by)
    return forecast.of_round(Run([*rounds, *notes]), "iops", PHASE)


@pytest.mark.parametrize(("last", "said"), [(9, False), (10, True), (24, True), (25, False)])
def test_a_forecast_is_made_from_the_tenth_round_to_the_last_but_one(last: int, said: bool) -> None:
    assert bool(of([3.0] * 5, last)) is said


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ([3.0] * 4, False),
        ([1.0, *[3.0] * 5], True),
        ([3.0, 1.9, 3.0, 3.0, 3.0], False),
        ([3.0, 3.0, 3.0, 3.0, 1.9], False),
        ([2.0] * 5, True),
        ([3.0, 3.0, 0.0, 0.0, 3.0, 3.0, 3.0], True),
        ([3.0, 0.0, 3.0, 3.0, 3.0], False),
        ([4 * 0.975**n for n in range(5)], False),
        ([4 * 0.985**n for n in range(5)], True),
        ([4 * 1.1**n for n in range(5)], True),
    ],
)
def test_a_forecast_needs_five_windows_at_twice_the_rule_or_more_that_shrink_by_less_than_2_percent_a_round(
    factors: list[float], said: bool
) -> None:
    assert bool(of(factors)) is said


def test_no_forecast_follows_a_phase_that_has_ended() -> None:
    assert of([3.0] * 5, ended_by=Sentence("steady")) is None


def test_a_forecast_has_its_round_the_rounds_left_and_the_newest_excess() -> None:
    said = of([4.0, 3.0, 5.0, 4.0, 4.26], 12)
    assert said
    assert said.key == "forecast"
    assert said.values == {"test": "iops", "phase": "rounds", "n": 12, "most": 25, "far": 4.3, "left": 13}


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (Sentence("forecast", test="iops", phase="rounds", n=1, most=2, far=3.0, left=1), False),
        (Sentence("forecast", test="iops", phase="others", n=1, most=2, far=3.0, left=1), True),
        (Sentence("forecast", test="latency", phase="rounds", n=1, most=2, far=3.0, left=1), True),
        (Sentence("asleep", test="iops", phase="rounds", round=1, s=3), True),
    ],
)
def test_a_forecast_is_made_once_a_phase(text: Sentence, again: bool) -> None:
    assert bool(of([3.0] * 5, 12, Note(t=0.0, text=text))) is again
