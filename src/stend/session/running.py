"""A run that is ready to go: iterate it for its events, each in the run folder before it is given."""

from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

from stend import store
from stend.model.definition import Plan
from stend.model.events import Event
from stend.session.stopping import Stop


class Running:
    """Events as they happen. `folder` holds them; `plan` says what is to come."""

    def __init__(
        self, folder: Path, plan: Plan, events: Generator[Event, None, None], stop: Stop, *, past: bool = False
    ) -> None:
        self.folder, self.plan, self._events, self._stop, self._goes_on = folder, plan, events, stop, past

    def __iter__(self) -> Iterator[Event]:
        self._stop.running = True
        return self._events

    @property
    def past(self) -> Iterable[Event]:
        """What was recorded before, of a run that goes on."""
        return store.read(self.folder) if self._goes_on else ()

    def stop(self) -> None:
        """Ask for its end: the load stops after the present IOs, and the last event says `stopped`."""
        self._stop.asked = True

    def close(self) -> None:
        """Stop the load wherever it is; without a last event."""
        self._events.close()
