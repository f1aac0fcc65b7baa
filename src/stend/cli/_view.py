"""The live view of a run on a terminal: time, place, load, the steps of the round, steady-state window, phases.

A block is a list of (label, one-line content). Blocks are left out from the least important on until the rest fits the
height of the terminal. From `WIDE` columns on a chart and the list of phases are beside them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from stend.base.text import plain
from stend.base.units import ROUNDS_UP, decimal, duration, rate
from stend.cli import _matrix, _steady
from stend.cli._steady import BARS, bars
from stend.live import clock
from stend.live.course import Course
from stend.model.counts import Counts
from stend.model.events import NoteKind

HISTORY, BAR, LABEL = 24, 24, 11
"""Samples in the small history; columns of the progress bar and of the labels."""
WIDE, PHASES, TALL = 120, 44, 8
"""Columns from which the second column is shown, its width, and the lines of its chart."""
ROOMY = 32
"""Lines from which blocks have empty lines between them."""
AHEAD = 3
GRAVE: tuple[NoteKind, ...] = ("mismatch", "failure", "stall", "interference", "doubt", "repeat", "interruption")
"""Kinds of notes shown during the run; remarks appear in the report only."""
PLURALS = {"mismatch": "mismatches"}
Row = tuple[str, RenderableType]


class Block(NamedTuple):
    """Rows of the view. Blocks with a small `weight` are left out first."""

    weight: int
    rows: Sequence[Row]


class Size(NamedTuple):
    """Columns and lines of the terminal."""

    columns: int
    lines: int

    @property
    def room(self) -> int:
        """Return the columns for the content of rows."""
        return (self.columns - PHASES - 3 if self.columns >= WIDE else self.columns) - LABEL


SMALL = Size(80, 24)


class Quantity(NamedTuple):
    """A quantity of the present load: its label, its value in counts, and its text."""

    label: str
    value: Callable[[Counts], float]
    text: Callable[[float], str]


LOAD = (
    Quantity("IOPS", lambda counts: counts.iops, _steady.SHAPES["iops"]),
    Quantity("MB/s", lambda counts: counts.bytes_per_s, _steady.SHAPES["throughput"]),
    Quantity("mean", lambda counts: counts.mean_s, _steady.SHAPES["latency"]),
)


def picture(
    course: Course, state: str = "", size: Size = SMALL, since: clock.Mark | None = None, *, timed: bool = True
) -> RenderableType:
    """Return the whole view. `state` describes a run that is not simply running, `since` is of `clock.times`.

    A run that is not `timed` repeats its recorded part and has no remaining time.
    """
    if not course.started:
        return Text(plain(state or "starting"))
    wide = size.columns >= WIDE
    blocks = [Block(9, list(_time(course, state, since, timed=timed))), *_blocks(course, size, wide)]
    title = Text(plain(headline(course)), style="bold", no_wrap=True, overflow="ellipsis")
    left = _table(_fitted(blocks, size.lines - 2), roomy=size.lines >= ROOMY)
    if not wide:
        return Group(title, left)
    both = Table.grid(padding=(0, 3, 0, 0))
    both.add_column(width=size.room + LABEL, no_wrap=True)
    both.add_column(width=PHASES, no_wrap=True)
    both.add_row(left, Group(*_phases(course, size.lines - 3)))
    return Group(title, both)


def headline(course: Course) -> str:
    """Return the drive's model, serial number, capacity, temperature and power."""
    if not course.started:
        return "starting"
    drive, warm = course.started.plan.device, course.temperature_c
    heat = f"  {warm:.0f} °C" if warm is not None else ""
    power = f"  {_watts(course.power_w)}" if course.power_w is not None else ""
    return f"{drive.model or drive.target}  {drive.serial}  {decimal(drive.capacity_bytes)}{heat}{power}"


def _watts(value: float) -> str:
    if 0 < value < 0.09995:
        return f"{value * 1e3:.3g} mW"
    return f"{value:.0f} W" if value >= ROUNDS_UP else f"{value:.3g} W"


def _blocks(course: Course, size: Size, wide: bool) -> Iterator[Block]:
    yield Block(8, list(_place(course)))
    counts, kind = _matrix.history(course, size.room // 2 if wide else HISTORY)
    yield Block(7, list(_load(course, counts, kind)))
    if wide and len(counts) > 1 and not kind:
        yield Block(2, list(_chart([each.iops for each in counts])))
    yield Block(4, list(_matrix.rows(course, size.room)))
    yield Block(6, list(_steady.rows(course, wide)))
    yield Block(5, list(_notes(course)))
    if not wide:
        yield Block(3, list(_next(course)))


def _fitted(blocks: list[Block], lines: int) -> list[Block]:
    """Return the blocks without the least important ones, so that the others fit."""
    kept = [block for block in blocks if block.rows]
    while len(kept) > 1 and sum(len(block.rows) for block in kept) > lines:
        kept.remove(min(kept, key=lambda block: block.weight))
    return kept


def _table(blocks: Sequence[Block], *, roomy: bool) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True, min_width=LABEL - 2)
    table.add_column(no_wrap=True, overflow="ellipsis")
    for number, block in enumerate(blocks):
        if number and roomy:
            table.add_row("", "")
        for label, content in block.rows:
            table.add_row(label, content)
    return table


def line(*parts: str | tuple[str, str]) -> Text:
    """Return parts, each a text or (text, style), as one line that is cut at its end."""
    return Text.assemble(*((plain(p), "") if isinstance(p, str) else (plain(p[0]), p[1]) for p in parts), no_wrap=True)


def _time(course: Course, state: str, since: clock.Mark | None, *, timed: bool) -> Iterator[Row]:
    if state:
        yield "run", line((state, "yellow"))
    if course.ended:
        yield "time", line(f"{duration(course.t)} of the run's clock")
        return
    at = clock.times(course, since=since)
    if timed:
        bar = Table.grid(padding=(0, 2, 0, 0))
        share = line((f"{100 * at.share:.0f} %", "bold"), f"  {duration(at.elapsed_s)} elapsed")
        bar.add_row(ProgressBar(100, 100 * at.share, width=BAR), share)
        yield "done", bar
        yield "remaining", line(clock.span(at.left))
    if at.simulated:
        yield "simulated", line(at.simulated)


def _place(course: Course) -> Iterator[Row]:
    if not course.place or not course.at:
        return
    test, phase = course.place
    yield "test", line((test.title, "bold"), f": {phase.name}")
    if phase.rounds > 1:
        yield "round", line(f"{course.at.round} of {_steady.rounds(course)}")
    done, every = course.steps
    marks = _matrix.legend(course)
    yield (
        "step",
        line(f"{min(done + 1, every)} of {every}  ", (course.doing, "cyan"), (f"  {marks}" * bool(marks), "dim")),
    )


def _load(course: Course, counts: Sequence[Counts], kind: str) -> Iterator[Row]:
    if course.ended or not counts:
        return
    for name, value, text in LOAD:
        values = [value(each) for each in counts]
        between = f"  {text(min(values))} to {text(max(values))} {kind}" if len(values) > 1 else ""
        yield name, line((f"{text(values[-1]):>8}", "bold"), "  ", (bars(values) * bool(between), "cyan"), between)


def _chart(values: Sequence[float]) -> Iterator[Row]:
    """Yield the lines of a bar chart from 0 to the largest value."""
    most = max(values) or 1.0
    steps = len(BARS)
    heights = [round(value / most * TALL * steps) for value in values]
    for level in range(TALL - 1, -1, -1):
        cells = (min(max(height - level * steps, 0), steps) for height in heights)
        label = f"{rate(most):>9}" if level == TALL - 1 else f"{'0':>9}" if not level else ""
        yield label, line(("".join(f" {BARS}"[cell] for cell in cells), "cyan"))


def _notes(course: Course) -> Iterator[Row]:
    grave = {kind: course.noted[kind] for kind in GRAVE if kind in course.noted}
    if grave:
        counted = ", ".join(
            f"{count} {PLURALS.get(kind, f'{kind}s') if count > 1 else kind}" for kind, count in grave.items()
        )
        last = next((note.text for note in reversed(course.notes) if note.kind in GRAVE), "")
        yield "notes", line((counted, "yellow"), f"; latest: {last}")


def _next(course: Course) -> Iterator[Row]:
    if course.ahead:
        after = ", ".join(f"{test} {phase}" for test, phase in course.ahead[:AHEAD])
        more = len(course.ahead) - AHEAD
        yield "next", line(after + (f" and {more} more" if more > 0 else ""))


def _phases(course: Course, lines: int) -> list[Text]:
    """Return the phases of the run with their state, as many as fit around the present one."""
    marks = [("✗", "yellow") if passed.steady is False else ("✓", "green") for passed in course.passed]
    marks.append(("▸", "cyan"))
    rows, test_before = [], ""
    at = 0
    for number, (test, phase) in enumerate(course.progress.places):
        if test != test_before:
            rows.append(line((test, "bold")))
            test_before = test
        mark, style = marks[number] if number < len(marks) else (" ", "dim")
        at = len(rows) if number == course.progress.at else at
        rows.append(line((f"  {mark} ", style), (phase.name, "bold" if mark == "▸" else style if mark == " " else "")))
    first = max(0, min(at - lines // 2, len(rows) - lines))
    return rows[first : first + lines]
