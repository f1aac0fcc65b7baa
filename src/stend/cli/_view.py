"""The live view of a run on a terminal: place, load, steady-state window, next phases and remaining time."""

from collections.abc import Callable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stend.base.text import plain
from stend.base.units import MB, decimal, duration, latency, rate
from stend.live.course import Course
from stend.model.events import NoteKind, Sample, Verdict

BARS = "▁▂▃▄▅▆▇█"
HISTORY = 30
"""Samples in the small history; most loads give one per second."""
AHEAD = 3
GRAVE: tuple[NoteKind, ...] = ("mismatch", "failure", "stall", "interference", "doubt", "repeat", "interruption")
"""Kinds of notes shown during the run; remarks appear in the report only."""


def picture(course: Course, state: str = "") -> RenderableType:
    """Return the whole view; `state` describes a run that is not simply running."""
    if not course.started:
        return Text("starting")
    return Group(Text(plain(headline(course)), style="bold", no_wrap=True, overflow="ellipsis"), _facts(course, state))


def headline(course: Course) -> str:
    """Return the drive's model, serial number and capacity."""
    if not course.started:
        return "starting"
    drive = course.started.plan.device
    return f"{drive.model or drive.target}  {drive.serial}  {decimal(drive.capacity_bytes)}"


def _facts(course: Course, state: str) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis")
    for name, value in (*_place(course, state), *_load(course), *_window(course), *_rest(course)):
        table.add_row(name, Text(plain(value), no_wrap=True, overflow="ellipsis"))
    return table


def _place(course: Course, state: str) -> Iterator[tuple[str, str]]:
    if state:
        yield "run", state
    if not course.place or not course.at:
        return
    test, phase = course.place
    most = f" of at most {phase.rounds}" if phase.rounds > 1 else ""
    yield "test", f"{test.title}: {phase.name}, round {course.at.round}{most}"
    done, every = course.steps
    yield "step", f"{min(done + 1, every)} of {every}  {course.doing}"


def _load(course: Course) -> Iterator[tuple[str, str]]:
    samples = list(course.recent)[-HISTORY:]
    if not samples or course.ended:
        return
    quantities: tuple[tuple[str, Callable[[Sample], float], Callable[[float], str]], ...] = (
        ("IOPS", lambda s: s.counts.iops, rate),
        ("MB/s", lambda s: s.counts.bytes_per_s, lambda value: f"{value / MB:.0f}"),
        ("response", lambda s: s.counts.mean_s, latency),
    )
    for name, quantity, text in quantities:
        values = [quantity(sample) for sample in samples]
        yield name, f"{text(values[-1]):>8}  {history(values):<{HISTORY}}  {text(min(values))} to {text(max(values))}"


def history(values: Sequence[float]) -> str:
    """Return a line of bars scaled from 0 to the largest value."""
    most = max(values, default=0)
    return "".join(BARS[round(value / most * (len(BARS) - 1))] for value in values) if most > 0 else ""


def _window(course: Course) -> Iterator[tuple[str, str]]:
    for verdict in course.verdicts:
        yield "steady?", f"{verdict.label}  {judged(verdict)}"


def judged(verdict: Verdict) -> str:
    """Return a tracked workload's excursion and slope over the window beside their limits, in percent of the mean."""
    if not verdict.average:
        return "no results yet"
    parts = [f"{len(verdict.values)} rounds"]
    if verdict.excursion_allowed is not None:
        parts.append(f"excursion {_share(verdict.excursion, verdict)} of {_share(verdict.excursion_allowed, verdict)}")
    slope, allowed = verdict.slope_excursion, verdict.slope_excursion_allowed
    parts.append(f"slope {_share(slope, verdict)} of {_share(allowed, verdict)}")
    return f"{', '.join(parts)}: {'met' if verdict.steady else 'not yet'}"


def _share(value: float, verdict: Verdict) -> str:
    return f"{100 * value / verdict.average:.1f} %"


def _rest(course: Course) -> Iterator[tuple[str, str]]:
    if course.temperature_c is not None:
        yield "drive", f"{course.temperature_c:.0f} °C"
    grave = {kind: course.noted[kind] for kind in GRAVE if kind in course.noted}
    if grave:
        counted = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in grave.items())
        last = next((note.text for note in reversed(course.notes) if note.kind in GRAVE), "")
        yield "notes", f"{counted}; latest: {last}"
    if course.ahead:
        after = ", ".join(f"{test} {phase}" for test, phase in course.ahead[:AHEAD])
        yield "next", after + (f" and {len(course.ahead) - AHEAD} more" if len(course.ahead) > AHEAD else "")
    if not course.ended:
        yield "time", f"{duration(course.t)} elapsed, {remaining(course)}"


def remaining(course: Course) -> str:
    """Return the remaining time as text, with its range if that is wide."""
    low, likely, high = course.remaining
    about = f"about {duration(likely)} remaining"
    return about if high - low < likely / 10 else f"{about} ({duration(low)} to {duration(high)})"
