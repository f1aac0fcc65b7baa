"""A steady state that will not come is said from the tenth round on, once a phase, and nothing is ended by it."""

import random

import pytest

from stend.model.events import Note
from stend.model.record import Run
from stend.words import Language
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
