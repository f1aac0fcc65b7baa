"""The present state of a run as data for pages, metrics and programs."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from stend.live import clock
from stend.live.course import Course
from stend.live.state import State
from stend.model.definition import Hold
from stend.model.events import Verdict
from stend.model.stats import percentile_s
from stend.model.tally import PERCENTS


class Now(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The present state of a run: times in seconds since its start, figures of the last second of load, base units.

    The figures name their load in `load` if it is not the present step. They are None during a rest and a purge.
    `state` is running, ended, cut off or elsewhere, and `said` describes it in a sentence. `command` continues a run
    that was cut off. `low_s`, `likely_s` and `high_s` are the remaining time. While a virtual run is running, they and
    `elapsed_s` are by the clock on the wall (None: not known yet), and all other times are simulated. `window` has the
    workloads tracked for steady state after the last round. `quantiles` are the response times of the last completed
    step, `finished`, by percent, as far as its sample size supports them. `stages` are all phases of the plan in order:
    completed, present and later ones. `repeats` counts the places that the run repeated because its load died.
    """

    run: str
    state: str
    said: str
    command: str = ""
    drive: str = ""
    serial: str = ""
    capacity_bytes: int = 0
    virtual: bool = False
    test: str = ""
    title: str = ""
    phase: str = ""
    round: int = 0
    rounds: int = 0
    step: int = 0
    steps: int = 0
    doing: str = ""
    t_s: float = 0
    elapsed_s: float = 0
    low_s: float | None = 0
    likely_s: float | None = 0
    high_s: float | None = 0
    load: str = ""
    iops: float | None = None
    bytes_per_s: float | None = None
    mean_s: float | None = None
    max_s: float | None = None
    finished: str = ""
    quantiles: dict[str, float] = {}
    temperature_c: float | None = None
    power_w: float | None = None
    window: tuple["Tracked", ...] = ()
    stages: tuple["Stage", ...] = ()
    notes: tuple[tuple[float, str, str], ...] = ()
    repeats: int = 0


class Stage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A phase of the plan. `began_s` and `ended_s` are None before it begins and ends.

    `left_s` is the likely time that remains of it. `rounds` are the completed rounds of a phase that repeats. `steady`
    is None without a steady-state search.
    """

    test: str
    phase: str
    began_s: float | None = None
    ended_s: float | None = None
    left_s: float = 0
    rounds: int = 0
    ended_by: str = ""
    steady: bool | None = None


class Tracked(msgspec.Struct, frozen=True, kw_only=True):
    """A tracked workload's last rounds beside the steady-state rule. Excursion and slope are shares of the mean."""

    label: str
    quantity: str
    rounds: tuple[int, ...]
    values: tuple[float, ...]
    excursion: float
    excursion_allowed: float | None
    slope: float
    slope_allowed: float
    steady: bool


def now(name: str, course: Course, state: State, since: clock.Mark | None = None) -> Now:
    """Return the state of a run as data. `since` is of `clock.times`."""
    return Now(
        run=name,
        state=state.word,
        said=state.sentence,
        command=state.command,
        t_s=course.t,
        temperature_c=course.temperature_c,
        power_w=course.power_w,
        window=tuple(map(_tracked, course.verdicts)),
        stages=tuple(_stages(course)),
        repeats=course.noted.get("repeat", 0),
        notes=tuple((note.t, note.kind, note.text) for note in course.notes),
        **_drive(course),
        **_place(course),
        **_load(course),
        **_finished(course),
        **_times(course, state, since),
    )


def _times(course: Course, state: State, since: clock.Mark | None) -> dict[str, Any]:
    if state.word not in ("running", "elsewhere"):
        return course.remaining._asdict() | {"elapsed_s": course.t}
    at = clock.times(course, since=since)
    left = {name: seconds if math.isfinite(seconds) else None for name, seconds in at.left._asdict().items()}
    return left | {"elapsed_s": at.elapsed_s}


def _stages(course: Course) -> Iterator[Stage]:
    places = course.progress.places
    for passed, (_, phase) in zip(course.passed, places, strict=False):
        yield Stage(**msgspec.structs.asdict(passed) | {"rounds": passed.rounds if phase.rounds > 1 else 0})
    later = places[course.progress.at :]
    for number, ((test, phase), left_s) in enumerate(zip(later, course.progress.phases_s(), strict=True)):
        stage = Stage(test=test, phase=phase.name, left_s=0 if course.ended else left_s)
        if number == 0:
            ended_s, rounds = course.t if course.ended else None, course.progress.present.rounds
            stage = msgspec.structs.replace(stage, began_s=course.began_s, ended_s=ended_s, rounds=rounds)
        yield stage


def _tracked(verdict: Verdict) -> Tracked:
    def share(value: float) -> float:
        return value / verdict.average if verdict.average else 0.0

    allowed = verdict.excursion_allowed
    return Tracked(
        label=verdict.label,
        quantity=verdict.quantity,
        rounds=verdict.rounds,
        values=verdict.values,
        excursion=share(verdict.excursion),
        excursion_allowed=None if allowed is None else share(allowed),
        slope=share(verdict.slope_excursion),
        slope_allowed=share(verdict.slope_excursion_allowed),
        steady=verdict.steady,
    )


def _drive(course: Course) -> dict[str, Any]:
    if not course.started:
        return {}
    drive = course.started.plan.device
    fields = {name: getattr(drive, name) for name in ("serial", "capacity_bytes", "virtual")}
    return fields | {"drive": drive.model or drive.target}


def _place(course: Course) -> dict[str, Any]:
    if not course.place:
        return {}
    test, phase = course.place
    done, every = course.steps
    fields = {"test": test.name, "title": test.title, "phase": phase.name, "doing": course.doing}
    return fields | {
        "round": course.progress.present.rounds + 1,
        "rounds": phase.rounds,
        "step": min(done + 1, every),
        "steps": every,
    }


def _load(course: Course) -> dict[str, Any]:
    if not course.recent or course.ended or course.rests:
        return {}
    counts = course.recent[-1].counts
    figures = {name: getattr(counts, name) for name in ("iops", "bytes_per_s", "mean_s", "max_s")}
    return figures | {"load": course.loaded if course.loaded != course.doing else ""}


def _finished(course: Course) -> dict[str, Any]:
    if not course.last or not isinstance(course.last.step, Hold):
        return {}
    both = course.last.counts.both
    times = {f"{percent:g}": percentile_s(both, percent) for percent in PERCENTS.values()}
    known = {percent: value for percent, value in times.items() if value is not None}
    return {"finished": course.last.step.workload.label, "quantiles": known}
