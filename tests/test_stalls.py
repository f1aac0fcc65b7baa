"""A host that sleeps or stalls while figures are taken says so on every page."""

import time
from pathlib import Path

import pytest

from stend import charts, store
from stend.cli import main
from stend.model.counts import Counts
from stend.model.definition import Idle, Workload
from stend.model.events import Note
from stend.model.record import Run
from stend.words import Language
from tests.still import StillEngine, StillLoad
from tests.test_run import drawn, play
from tests.test_verify import asked_of_a_file

STAMP = "the host slept or stalled while figures were taken, see the notes"


class Sleepy(StillEngine):
    """Its host is suspended for a minute when its clock passes a moment."""

    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at

    def slept_s(self) -> float:
        return 1e6 + (60.0 if self.clock >= self.at else 0.0)


class Frozen(StillEngine):
    """One of its intervals lasts long."""

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> StillLoad:
        load = super().start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        next_, engine = load.next, self

        def stalled() -> Counts | None:
            engine.interval_s = 12.0 if 99.5 < engine.clock < 100.5 else 1.0
            return next_()

        load.next = stalled  # type: ignore[method-assign]
        return load


def stalls(run: Run) -> list[str]:
    return [note.text for note in run.notes if isinstance(note, Note) and note.kind == "stall"]


def test_a_suspend_in_a_hold_is_told_once_with_its_place_and_length() -> None:
    run = Run(play(drawn("write-saturation", minute_s=1), Sleepy(100)))
    assert stalls(run) == [f"the host slept 60 s in write-saturation, saturate, round {round_of(run, 100)}"]
    (test,) = run.plan.tests
    assert STAMP in run.stamps
    assert STAMP in charts.stamped(run, test, Language("en"))[0]
    russian = Language("ru")
    assert "хост спал 60 с" in russian.translated(stalls(run)[0])
    assert STAMP not in russian.translated(STAMP)


def round_of(run: Run, t: float) -> int:
    return next(result.where.round for result in run.results if result.t >= t)


def test_a_suspend_in_a_rest_is_told_too() -> None:
    plan = drawn("idle-recovery", minute_s=1)
    rest = next(r for r in Run(play(plan, StillEngine())).results if isinstance(r.step, Idle))
    told = stalls(Run(play(plan, Sleepy(rest.t - 0.1))))
    assert told == [f"the host slept 60 s in {rest.where.test}, {rest.where.phase}, round {rest.where.round}"]


def test_a_long_silence_is_told_and_a_short_one_is_not() -> None:
    run = Run(play(drawn("write-saturation", minute_s=1), Frozen()))
    (told,) = stalls(run)
    assert told.startswith("the load reported nothing for 12 s in write-saturation, saturate, round ")
    assert "ничего не сообщала 12 с" in Language("ru").translated(told)
    assert stalls(Run(play(drawn("write-saturation", minute_s=1), StillEngine(interval_s=9.0)))) == []


@pytest.mark.fio
def test_a_real_run_sees_its_host_sleep_by_the_two_clocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, folder = time.clock_gettime, tmp_path / "run"

    def after_a_sleep(clock: int) -> float:
        held = (folder / "events.jsonl").exists() and b'"sample"' in (folder / "events.jsonl").read_bytes()
        return real(clock) + (7.0 if clock == time.CLOCK_BOOTTIME and held else 0.0)

    monkeypatch.setattr(time, "clock_gettime", after_a_sleep)
    assert main(asked_of_a_file(tmp_path)) == 0
    run = store.load(folder)
    assert [text for text in stalls(run) if "the host slept 7 s in write-saturation" in text]
    assert STAMP in run.stamps
