"""Several loads on one drive at the same time, each sent by its own process."""

from collections.abc import Sequence
from contextlib import ExitStack

from stend.engines.replay.load import SenderLoad
from stend.model.counts import Counts
from stend.model.pace import Beside, Pace


class BesideLoad:
    """A load with loads beside it, which run as long as it does; each is measured in intervals of its own clock."""

    def __init__(self, first: SenderLoad, others: Sequence[SenderLoad]) -> None:
        self.first, self.others = first, others
        self.beside: tuple[Beside, ...] = ()

    @property
    def began(self) -> float:
        """Return the time of the first IO of the load itself, in seconds."""
        return self.first.began

    @property
    def ended(self) -> float:
        """Return the time of the last IO of the load itself, in seconds."""
        return self.first.ended

    @property
    def pace(self) -> Pace | None:
        """Return the pace of the load itself."""
        return self.first.pace

    def next(self) -> Counts | None:
        """Return the counts of the next interval of the load itself; those beside are then in `beside`.

        Raise LoadFailed if any of the loads fails; the others are ended.
        """
        with ExitStack() as ends:
            ends.callback(self._end)
            counts = self.first.next()
            self._take([load.next() for load in self.others])
            if counts is not None:
                ends.pop_all()
        return counts

    def stop(self) -> Counts | None:
        """Stop all loads, and return the counts since the last `next`."""
        with ExitStack() as ends:
            ends.callback(self._end)
            for load in (self.first, *self.others):
                load.sender.request_stop()
            counts = self.first.stop()
            self._take([load.stop() for load in self.others])
        return counts

    def _take(self, every: Sequence[Counts | None]) -> None:
        pairs = zip(self.others, every, strict=True)
        self.beside = tuple(Beside(counts=counts or Counts(), pace=load.pace) for load, counts in pairs)

    def _end(self) -> None:
        """End what still runs."""
        for load in (self.first, *self.others):
            load.sender.end()
            load.over = True
