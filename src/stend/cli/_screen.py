"""The live view of a run: redrawn in place on a terminal, single lines in any other output."""

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from stend.base.text import plain
from stend.base.units import MB, duration, latency, rate
from stend.cli import _steady, _view
from stend.cli._edge import open_stream
from stend.live import clock
from stend.live.course import Course
from stend.model.events import Event, Judged, Note, Result, Sample

REFRESH_S = 0.25
PLAIN_EVERY_S = 10.0


class Screen:
    """Redraw one view on a terminal. Elsewhere, print a line every PLAIN_EVERY_S seconds.

    `state` is shown until the first sample or result, for example while a virtual run is replayed. `since` is of
    `clock.times`.
    """

    def __init__(self, course: Course, state: str = "", since: clock.Mark | None = None) -> None:
        self.course, self.state, self.since = course, state, since
        self.console = Console(file=open_stream(sys.stderr), highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)
        self.shown = time.monotonic()

    def __enter__(self) -> "Screen":
        if self.console.is_terminal:
            self.live.start()
        elif self.state:
            self.print(self.state)
        self.picture()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.live.stop()

    def show(self, event: Event) -> None:
        """Add an event to the course and show it."""
        self.course.add(event)
        self.react(event)

    def print(self, line: str, style: str = "") -> None:
        """Print one line; on a terminal above the view, in words wrapped to its width."""
        self.console.print(Text(plain(line), style), soft_wrap=not self.console.is_terminal)

    def react(self, event: Event) -> None:
        """Print notes and ends of phases. Redraw the view at most four times a second."""
        match event:
            case Note():
                self.print(f"{event.kind}: {event.text}", "yellow" if event.kind in _view.GRAVE else "dim")
            case Judged() if event.ended_by:
                self._ended(event)
            case Sample():
                self.state, self.since = "", self.since or clock.mark(self.course)
                self._refresh(event)
            case Result():
                self.state = ""

    def picture(self, where: str = "") -> None:
        """Redraw the view now, on a terminal only; `where` describes a run of another host."""
        if self.console.is_terminal:
            size = _view.Size(*self.console.size)
            shown = _view.picture(self.course, self.state or where, size, self.since, timed=not self.state)
            self.live.update(shown, refresh=True)

    def _ended(self, judged: Judged) -> None:
        """Print how a phase ended; on a terminal only after a search for steady state."""
        sentence, style = _steady.ended(judged, self.course)
        if style or not self.console.is_terminal:
            self.print(f"{judged.where.test}, {judged.where.phase}: {sentence}", style)

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
        """Return one line of plain text: share, place, load, figures, elapsed and remaining time."""
        counts, course, at = sample.counts, self.course, clock.times(self.course, since=self.since)
        place = f"{course.at.test} {course.at.phase}, round {course.at.round}, {course.doing}" if course.at else ""
        figures = f"{rate(counts.iops)} IOPS, {counts.bytes_per_s / MB:.4g} MB/s, mean {latency(counts.mean_s)}"
        spent = f"{duration(at.elapsed_s)} elapsed, {clock.remaining(at.left)}"
        simulated = f"; simulated {at.simulated}" if at.simulated else ""
        return plain(f"{100 * at.share:3.0f} %  {place or 'between phases'}: {figures}; {spent}{simulated}")
