"""Collect the values of a meter: check them, find gaps, and reduce fast meters to blocks of 0.1 s.

A value covers the time since the value before it. After a gap it covers one period only. Nothing is interpolated.
"""

import math
import threading
import time
from collections.abc import Sequence

from stend.meters._types import Value
from stend.model.events import MeterFacts
from stend.words import Sentence

MOST_W = 100_000.0
BLOCK_S = 0.1
SLACK = 1.5
"""Periods after which the next value is late."""
SLACK_S = 0.05
"""Seconds by which a value may be later than that, because a host may be busy."""
LINGER_S = 2.0
"""Most seconds to wait for the last value."""
STILL_S = 10.0
"""Seconds after which an energy counter that has not changed counts as zero watts."""
SHORT_S = 1.0
"""Shorter gaps, as on a busy host, are counted and stated together at the end."""
MOST_NOTES = 20
"""Notes of one kind that are written in full; of further ones the number is stated at the end."""


class Series:
    """The values of one meter. Values may be added by another thread than that which takes them."""

    def __init__(self, period_s: float, window_s: float = 0.0, quantity: str = "watts") -> None:
        self.period_s, self.window_s = period_s, window_s
        self.most = MOST_W if quantity == "watts" else math.inf
        self.last: float | None = None
        self.counter: tuple[float, float] | None = None
        self.block: list[tuple[float, float, float]] = []
        self.values: list[Value] = []
        self.notes: list[Sentence] = []
        self.counts: dict[str, int] = {}
        self.short: list[float] = []
        self.lock = threading.Lock()

    def add(self, end: float, watts: float) -> None:
        """Add a value in watts that was read at `end`."""
        self.add_many(end, [watts])

    def add_many(self, end: float, watts: Sequence[float]) -> None:
        """Add values that arrived together. They are spread evenly over the time since the last value."""
        with self.lock:
            count = len(watts)
            each = self._each(end, count)
            for place, value in enumerate(watts):
                self._add(end - each * (count - 1 - place), each, value)

    def add_energy(self, end: float, joules: float) -> None:
        """Add the reading of a counter of energy: the mean power since its last change is exact, also over a gap."""
        with self.lock:
            if not math.isfinite(joules) or joules < 0:
                self._note("bad", Sentence("meter_energy", joules=joules))
                return
            if self.last is not None and end - self.last > self._late(1):
                self._note("gap", Sentence("meter_counter_gap", time=end - self.last))
            self.last = end
            before, self.counter = self.counter, (end, joules)
            if before is None or end <= before[0]:
                return
            seconds, energy = end - before[0], joules - before[1]
            if energy < 0:
                self._note("wrap", Sentence("meter_wrapped", a=before[1], b=joules, time=seconds))
            elif energy == 0 and seconds < STILL_S:
                self.counter = before
            elif (mean := energy / seconds) > MOST_W:
                self._note("bad", Sentence("meter_rose", joules=energy, time=seconds))
            else:
                self._put(end, seconds, mean)

    def skip(self) -> None:
        """Start again after a time without values that is intended."""
        with self.lock:
            self._flush()
            self.last = self.counter = None

    def note(self, note: Sentence) -> None:
        """Add a note."""
        with self.lock:
            self._note(note, note)

    def finish(self, now: float) -> None:
        """Note a gap between the last value and the end of the meter."""
        with self.lock:
            if self.last is not None and now - self.last > self._late(1):
                self._note("gap", Sentence("meter_last_gap", time=now - self.last))

    def take(self, *, all_of_it: bool = False) -> list[Value]:
        """Return the finished blocks. With `all_of_it`, add the one that is not full yet."""
        with self.lock:
            if all_of_it:
                self._flush()
            taken, self.values = self.values, []
            return taken

    def words(self, *, end: bool = False) -> list[Sentence]:
        """Return the new notes. At the end, add the number of those that were not written in full."""
        with self.lock:
            taken, self.notes = self.notes, []
            if end and self.short:
                taken.append(Sentence("meter_short", n=len(self.short), time=math.fsum(self.short)))
                self.short = []
            more = sum(count - MOST_NOTES for count in self.counts.values() if count > MOST_NOTES) if end else 0
            self.counts = {} if end else self.counts
            return taken + ([Sentence("meter_more", n=more)] if more else [])

    def _each(self, end: float, count: int) -> float:
        """Return the seconds that each of `count` values covers, and note a gap before them."""
        if self.last is None:
            self.last = end - count * self.period_s
        since = end - self.last
        if since <= self._late(count):
            return max(since, 0.0) / count
        gap = since - count * self.period_s
        self._flush()
        if gap < SHORT_S:
            self.short.append(gap)
        else:
            self._note("gap", Sentence("meter_gap", time=gap))
        return self.period_s

    def _late(self, count: int) -> float:
        """Return the seconds that `count` values may take at most."""
        return count * self.period_s * SLACK + SLACK_S

    def _add(self, end: float, seconds: float, watts: float) -> None:
        self.last = end
        if not math.isfinite(watts) or not 0 <= watts <= self.most:
            self._flush()
            self._note("bad", Sentence("meter_power", watts=watts))
            return
        if seconds > 0:
            self._put(end, min(seconds, self.window_s) if self.window_s else seconds, watts)

    def _put(self, end: float, seconds: float, watts: float) -> None:
        self.block.append((end, seconds, watts))
        if end - (self.block[0][0] - self.block[0][1]) >= BLOCK_S - 1e-9:
            self._flush()

    def _flush(self) -> None:
        if self.block:
            seconds = math.fsum(part[1] for part in self.block)
            joules = math.fsum(part[1] * part[2] for part in self.block)
            most = max(part[2] for part in self.block)
            self.values.append(Value(self.block[-1][0], seconds, joules / seconds, most))
            self.block = []

    def _note(self, kind: str, note: Sentence) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= MOST_NOTES:
            self.notes.append(note)


class Recorder:
    """The common part of meters: a series of values, and whether it is complete."""

    facts: MeterFacts
    series: Series
    over = False

    @property
    def cost(self) -> tuple[int, float]:
        """Return zeros, because the meter does not query the drive."""
        return 0, 0.0

    def read(self) -> list[Value]:
        """Return the values since the last call, in order."""
        return self.series.take(all_of_it=self.over)

    def words(self) -> list[Sentence]:
        """Return the notes since the last call."""
        return self.series.words(end=self.over)

    def quiet(self, resting: bool) -> None:
        """Do nothing, because the meter does not query the drive."""

    def linger(self) -> None:
        """Wait for the value that is due, because it may be that of the end of the last load."""
        if not self.over:
            time.sleep(min(SLACK * self.facts.period_s, LINGER_S))

    def finish(self) -> None:
        """End the series. Note a gap before its end."""
        if not self.over:
            self.series.finish(time.monotonic())
            self.over = True
