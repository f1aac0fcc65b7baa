"""Several loads on one drive at the same time, each sent by its own process."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stend.engines.replay.load import SenderLoad
from stend.engines.replay.process import Sender
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.words import Sentence


class BesideLoad(SenderLoad):
    """A load with `others` beside it, which run as long as it does. Each is measured in intervals of its own clock."""

    def __init__(self, sender: Sender, label: str, others: Sequence[SenderLoad], **settings: Any) -> None:
        self.others, self.beside = others, tuple[Beside, ...]()
        super().__init__(sender, label, **settings)

    def next(self) -> Counts | None:
        """Return the counts of the next interval of the load itself. Those beside are then in `beside`.

        Raise LoadFailed if any of the loads fails. The others are ended.
        """
        with self._together():
            counts = super().next()
            self._take([None if load.over else load.next() for load in self.others])
        return counts

    def stop(self) -> Counts | None:
        """Stop all loads, and return the counts since the last `next`."""
        with self._together():
            for load in (self, *self.others):
                load.sender.request_stop()
            self._take([load.stop() for load in self.others])
            return super().stop()

    @property
    def remarks(self) -> tuple[Sentence, ...]:
        """Return a sentence for the record if the host has no processor beyond those of the loads."""
        loads, cpus = 1 + len(self.others), os.cpu_count() or 1
        if cpus > loads:
            return ()
        return (Sentence("few_processors", cpus=cpus, loads=loads),)

    @contextmanager
    def _together(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self._close()
            raise

    def _take(self, every: Sequence[Counts | None]) -> None:
        pairs = zip(self.others, every, strict=True)
        self.beside = tuple(Beside(counts=counts or Counts(), pace=load.pace) for load, counts in pairs)

    def _close(self) -> None:
        super()._close()
        for load in self.others:
            load.sender.end()
            load.over = True
