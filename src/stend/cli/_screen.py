"""The live view of a run: redrawn in place on a terminal, single lines in any other output."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live

from stend.base.text import plain
from stend.base.units import MB, duration, latency, rate
from stend.cli import _view
from stend.cli._edge import open_stream
from stend.live.course import Course
from stend.model.events import Event, Judged, Note, Sample

REFRESH_S = 0.25
PLAIN_EVERY_S = 10.0


class Screen:
    """Redraw one view on a terminal; print a line every PLAIN_EVERY_S seconds elsewhere."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.console = Console(file=open_stream(sys.stderr), highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)
        self.shown = time.monotonic()

    def __enter__(self) -> "Screen":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.live.stop()

    def show(self, event: Event) -> None:
        """Add an event to the course and show it."""
        self.course.add(event)
        self.react(event)

    def print(self, line: str) -> None:
        """Print one line; on a terminal above the view."""
        self.console.print(plain(line), markup=False, soft_wrap=True)

    def react(self, event: Event) -> None:
        """Print notes and ends of phases; redraw the view at most four times a second."""
        match event:
            case Note():
                self.print(f"{event.kind}: {event.text}")
            case Judged() if event.ended_by:
                self.print(f"{event.where.test}, {event.where.phase}: ended by {event.ended_by}")
            case Sample():
                self._refresh(event)

    def picture(self, state: str = "") -> None:
        """Redraw the view now, on a terminal only; `state` describes a run that is not simply running."""
        if self.console.is_terminal:
            self.live.update(_view.picture(self.course, state), refresh=True)

    def _refresh(self, sample: Sample) -> None:
        every = REFRESH_S if self.console.is_terminal else PLAIN_EVERY_S
        now = time.monotonic()
        if now - self.shown < every:
            return
        self.shown = now
        self.picture()
        if not self.console.is_terminal:
            self.print(self.line(sample))

    def line(self, sample: Sample) -> str:
        """Return one line of plain text: place, figures, elapsed and remaining time."""
        counts, last = sample.counts, self.course.last
        place = f"{last.where.test} {last.where.phase} round {last.where.round}" if last else "starting"
        figures = f"{rate(counts.iops)} IOPS  {counts.bytes_per_s / MB:.0f} MB/s  {latency(counts.mean_s)}"
        return plain(f"{place}  {figures}  {duration(sample.t)} elapsed, {_view.remaining(self.course)}")
