"""The steps of a round as a table of two varying settings, which fills up while the round runs."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.text import Text

from stend.base.units import block_label, mix_label
from stend.cli._steady import SHAPES
from stend.live.course import Course
from stend.model.counts import Counts
from stend.model.definition import Hold, Phase, Quantity, Workload

FEWEST, WIDE = 4, 8
"""Fewest steps of a table; width of its columns."""
AXES: dict[str, tuple[str, Callable[[int], str]]] = {
    "block_bytes": ("block", block_label),
    "threads": ("threads", str),
    "random_pct": ("random", lambda pct: f"{pct} %"),
    "read_pct": ("R/W", mix_label),
    "depth": ("depth", lambda depth: f"Q{depth}"),
}
UNITS: dict[Quantity, str] = {"iops": "IOPS", "throughput": "MB/s", "latency": "mean"}
CURRENT, EARLIER, OPEN = "▸", "·", "·"


class Cells(NamedTuple):
    """The two settings that vary in the steps of a round, their values, and the workload of each pair."""

    names: tuple[str, str]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    loads: dict[tuple[int, int], Workload]


def figure(counts: Counts, quantity: Quantity) -> str:
    """Return a figure in the unit of `UNITS`."""
    return SHAPES[quantity](counts.quantity(quantity))


def quantity_of(phase: Phase) -> Quantity:
    """Return the quantity by which a phase is judged; IOPS without a steady-state search."""
    return phase.steady.quantity if phase.steady else "iops"


def cells_of(phase: Phase) -> Cells | None:
    """Return the steps of a round as a table, or None unless exactly two settings vary, in every combination."""
    loads = [hold.workload for hold in phase.holds]
    if phase.choose or len(loads) < FEWEST or len(loads) != len(phase.round) or any(load.mixed for load in loads):
        return None
    values = {name: sorted({getattr(load, name) for load in loads}) for name in AXES}
    varying = [name for name, known in values.items() if len(known) > 1]
    if len(varying) != 2:
        return None
    down, across = varying
    table = {(getattr(load, down), getattr(load, across)): load for load in loads}
    if len(table) != len({*loads}) or len(table) != len(values[down]) * len(values[across]):
        return None
    return Cells((down, across), tuple(values[down]), tuple(values[across]), table)


def rows(course: Course, width: int) -> Iterator[tuple[str, Text]]:
    """Yield the head and the rows of the table of the present round, as (label, cells), unless it does not fit."""
    if not course.place or not course.at:
        return
    test, phase = course.place
    cells = cells_of(phase)
    if cells is None or len(cells.columns) * WIDE > width:
        return
    down, across = cells.names
    quantity = quantity_of(phase)
    head = Text("".join(f"{AXES[across][1](value):>{WIDE}}" for value in cells.columns), style="dim")
    yield UNITS[quantity], head
    known, current = _known(course, test.name, phase.name), present(course)
    latest, _ = history(course, 1)
    shown = figure(latest[0], quantity) if latest else ""
    for row in cells.rows:
        line = Text()
        for column in cells.columns:
            load = cells.loads[row, column]
            line.append_text(_cell(known.get(load), course.at.round, quantity, load == current, shown))
        yield f"{AXES[down][1](row):>9}", line


def _known(course: Course, test: str, phase: str) -> dict[Workload, tuple[int, Counts]]:
    """Return the latest (round, counts) of each workload of a phase."""
    results = course.progress.run.of(test, phase)
    return {r.step.workload: (r.where.round, r.counts) for r in results if isinstance(r.step, Hold)}


def present(course: Course) -> Workload | None:
    """Return the workload that runs now."""
    done, every = course.steps
    step = course.place[1].round[done] if course.place and done < every else None
    return step.workload if isinstance(step, Hold) else None


def _cell(known: tuple[int, Counts] | None, number: int, quantity: Quantity, current: bool, now: str) -> Text:
    if current:
        return Text(f"{CURRENT + now:>{WIDE}}", style="bold cyan")
    if known is None:
        return Text(f"{OPEN:>{WIDE}}", style="dim")
    done = known[0] == number
    return Text(f"{('' if done else EARLIER) + figure(known[1], quantity):>{WIDE}}", style="" if done else "dim")


def legend(course: Course) -> str:
    """Return the meaning of the marks of the table, or an empty string if there is no table."""
    if not course.place or not course.at or not cells_of(course.place[1]):
        return ""
    return f"{CURRENT} now" + (f", {EARLIER} of round {course.at.round - 1}" if course.at.round > 1 else "")


def history(course: Course, most: int) -> tuple[list[Counts], str]:
    """Return the latest counts of the present workload, at most `most`, and what each of them is.

    They are samples since another workload ran, or the rounds of this step where a round has a single sample of it.
    There are none before its first sample.
    """
    load, samples = present(course), list(course.recent)
    if load is None or not samples or not course.place:
        return [], ""
    since = 0.0
    for result in reversed(course.progress.run.results[-most:]):
        if not (isinstance(result.step, Hold) and result.step.workload == load):
            since = result.t
            break
    first = next((i for i in range(len(samples) - 1, 0, -1) if samples[i - 1].t > samples[i].t), 0)  # another clock
    now = [sample.counts for sample in samples[first:] if sample.t > since][-most:]
    if len(now) != 1:
        return now, ""
    test, phase = course.place
    rounds = [counts for _, counts in course.progress.run.series(test.name, phase.name, load)]
    return [*rounds, *now][-most:], f"in {len(rounds) + 1} rounds" if rounds else ""
