"""A meter that answers when it is queried: a thread queries it once a period."""

import math
import threading
import time
from collections.abc import Callable

from stend.base.errors import BadInput, StendError, StepFailed
from stend.meters._series import Recorder, Series
from stend.model.events import MeterFacts
from stend.words import Sentence, text

JOIN_S = 35.0
"""Seconds to wait for a query in progress at the end. A program that reads a drive may take 30 s."""
SHARE = 0.5
"""Largest share of the period that a query should take. The period of a slower meter is longer."""


def period(kind: str, poll: Callable[[], float], least_s: float) -> float:
    """Query a meter for the first time, and return the seconds between queries that it can keep.

    Raise BadInput if it has no value.
    """
    began = time.monotonic()
    try:
        poll()
    except StepFailed as error:
        raise BadInput(f"the meter {kind} cannot be used: {error}") from error
    return max(least_s, (time.monotonic() - began) / SHARE)


class Polled(Recorder):
    """A meter whose `poll` returns a value, and raises StendError or OSError if there are none."""

    def __init__(self, facts: MeterFacts, poll: Callable[[], float]) -> None:
        self.facts, self.poll = facts, poll
        self.series = Series(facts.period_s, facts.window_s, facts.quantity)
        self.count, self.seconds, self.why, self.queried = 0, 0.0, "", -math.inf
        self.ended, self.resting = threading.Event(), False
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self._work, name="meter", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """End the thread."""
        self.linger()
        self.ended.set()
        self.thread.join(JOIN_S)
        self.finish()

    def _work(self) -> None:
        due = time.monotonic()
        while not self.ended.wait(max(due - time.monotonic(), 0)):
            with self.lock:
                if not self.resting and not self.ended.is_set():
                    self._query()
            due = max(due + self.facts.period_s, time.monotonic())

    def _query(self) -> None:
        """Query once. A value belongs to the middle of its query, because its exact moment is not known."""
        began = time.monotonic()
        try:
            watts = self.poll()
        except (StendError, OSError) as error:
            if self.why != str(error):
                self.series.note(Sentence("meter_no_value", name=self.facts.name, why=text(str(error))))
            self.why = str(error)
        else:
            self.why = ""
            self.series.add((began + time.monotonic()) / 2, watts)
        self.queried = time.monotonic()
        self.count, self.seconds = self.count + 1, self.seconds + self.queried - began


class Disturbing(Polled):
    """A meter whose queries reach the drive: they are counted, and none is made while the drive rests.

    The first query after a rest is made before the load continues. Its value is a mean over the window before it, and
    is therefore one of the rest. A rest that ends within a period of the last query has no second one.
    """

    @property
    def cost(self) -> tuple[int, float]:
        """Return the number of queries and their seconds."""
        return self.count, self.seconds

    def quiet(self, resting: bool) -> None:
        """Stop queries, or continue with one at once. Return when no query is in progress."""
        with self.lock:
            if self.resting and not resting and time.monotonic() - self.queried >= self.facts.period_s:
                self.series.skip()
                self._query()
            self.resting = resting

    def close(self) -> None:
        """End the thread, and note the cost of the queries."""
        if self.over:
            return
        if self.resting:
            self.series.skip()
        super().close()
        each = self.seconds / self.count if self.count else 0.0
        self.series.note(Sentence("meter_queried", n=self.count, ms=round(each * 1000)))
