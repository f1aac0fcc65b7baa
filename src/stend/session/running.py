"""A run that is ready to start. Iterate it for its events; each is in the run folder before it is yielded."""

from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

from stend import store
from stend.model.definition import Plan
from stend.model.events import Event
from stend.session.stopping import Stop


class Running:
    """Events as they happen. `folder` stores them, `plan` holds the steps."""

    def __init__(
        self, folder: Path, plan: Plan, events: Generator[Event, None, None], stop: Stop, *, past: bool = False
    ) -> None:
        self.folder, self.plan, self._events, self._stop, self._resumed = folder, plan, events, stop, past

    def __iter__(self) -> Iterator[Event]:
        self._stop.running = True
        return self._events

    @property
    def past(self) -> Iterable[Event]:
        """Return the recorded events of a resumed run."""
        return store.read(self.folder) if self._resumed else ()

    def stop(self) -> None:
        """Request the end of the run. The load stops after the present IOs. The last event's outcome is `stopped`."""
        self._stop.requested = True

    def close(self) -> None:
        """Stop the load at once, without a last event."""
        self._events.close()
