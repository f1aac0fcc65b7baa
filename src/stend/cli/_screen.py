"""The live line: test, phase, round, what the drive does now, and the time to go."""

import sys
import time
from collections.abc import Iterable
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from stend.cli._edge import open_stream
from stend.plain import plain
from stend.progress import Progress
from stend.record import Event, Judged, Note, Result, Sample, Started
from stend.units import MB, duration, latency, rate

REFRESH_S = 0.25
PLAIN_EVERY_S = 10.0


class Screen:
    """One line that moves on a terminal; a line now and then where there is none."""

    def __init__(self, past: Iterable[Event] = ()) -> None:
        self.progress = Progress()
        for event in past:
            self.progress.add(event)
        self.console = Console(file=open_stream(sys.stderr), highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, transient=True)
        self.began = self.shown = time.monotonic()
        self.place = "starting"

    def __enter__(self) -> "Screen":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.live.stop()

    def show(self, event: Event) -> None:
        """Take an event in; say what a person must not miss, move the line at most four times a second."""
        self.progress.add(event)
        match event:
            case Started():
                self.place = event.plan.tests[0].name
            case Note():
                self.console.print(plain(f"{event.kind}: {event.text}"), markup=False, soft_wrap=True)
            case Judged() if event.ended_by:
                told = f"{event.where.test}, {event.where.phase}: ended by {event.ended_by}"
                self.console.print(plain(told), markup=False, soft_wrap=True)
            case Result():
                self.place = f"{event.where.test} {event.where.phase} round {event.where.round}"
            case Sample():
                self._move(event)

    def _move(self, sample: Sample) -> None:
        every = REFRESH_S if self.console.is_terminal else PLAIN_EVERY_S
        now = time.monotonic()
        if now - self.shown < every:
            return
        self.shown = now
        line = self.line(sample)
        if self.console.is_terminal:
            self.live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
        else:
            self.console.print(line, markup=False, soft_wrap=True)

    def line(self, sample: Sample) -> str:
        """The line as text."""
        counts = sample.counts
        figures = f"{rate(counts.iops)} IOPS  {counts.bytes_per_s / MB:.0f} MB/s  {latency(counts.mean_s)}"
        return plain(f"{self.place}  {figures}  {duration(sample.t)} gone, {self.to_go()}")

    def to_go(self) -> str:
        """The time to go in words, as a range."""
        low, likely, high = self.progress.to_go()
        about = f"about {duration(likely)} to go"
        return about if high - low < likely / 10 else f"{about} ({duration(low)} to {duration(high)})"
