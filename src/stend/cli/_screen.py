"""What a terminal shows of a run while it goes: a calm view that moves in place, plain lines where there is none."""

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
    """One picture that moves on a terminal; a line now and then where there is none."""

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
        """Take an event in, and tell it."""
        self.course.add(event)
        self.tell(event)

    def say(self, words: str) -> None:
        """Print one line; on a terminal above the picture."""
        self.console.print(plain(words), markup=False, soft_wrap=True)

    def tell(self, event: Event) -> None:
        """Say what a person must not miss; move the picture at most four times a second."""
        match event:
            case Note():
                self.say(f"{event.kind}: {event.text}")
            case Judged() if event.ended_by:
                self.say(f"{event.where.test}, {event.where.phase}: ended by {event.ended_by}")
            case Sample():
                self._move(event)

    def picture(self, state: str = "") -> None:
        """The whole picture at once, where there is a terminal; `state` where it is not simply running."""
        if self.console.is_terminal:
            self.live.update(_view.picture(self.course, state), refresh=True)

    def _move(self, sample: Sample) -> None:
        every = REFRESH_S if self.console.is_terminal else PLAIN_EVERY_S
        now = time.monotonic()
        if now - self.shown < every:
            return
        self.shown = now
        self.picture()
        if not self.console.is_terminal:
            self.say(self.line(sample))

    def line(self, sample: Sample) -> str:
        """One line of plain text: place, figures, time."""
        counts, last = sample.counts, self.course.last
        place = f"{last.where.test} {last.where.phase} round {last.where.round}" if last else "starting"
        figures = f"{rate(counts.iops)} IOPS  {counts.bytes_per_s / MB:.0f} MB/s  {latency(counts.mean_s)}"
        return plain(f"{place}  {figures}  {duration(sample.t)} gone, {_view.to_go(self.course)}")
