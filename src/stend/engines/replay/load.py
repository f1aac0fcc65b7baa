"""A load that runs in a sender's process: differences of its snapshots, its watchdog, and its pace."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.errors import LoadFailed
from stend.engines._fio_load import busy_cpu_s
from stend.engines._real_time import POLL_S
from stend.engines.replay import memory as m
from stend.engines.replay.process import Sender
from stend.engines.tallied import tally
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.model.pace import Pace
from stend.model.tally import NS
from stend.words import Sentence, text


class SenderLoad:
    """A load of a sender. `began` is the start of its schedule and `ended` the end of the last snapshot, in seconds."""

    def __init__(self, sender: Sender, label: str, *, interval_s: float, silence_s: float, paced: bool) -> None:
        self.sender, self.label, self.interval_s, self.silence_s = sender, label, interval_s, silence_s
        self.shared, self.paced, self.left_out = sender.shared, paced, 0
        self.over, self.snapshots, self.until_ns = False, 0, 0
        self.before = m.ledger()
        self.pace: Pace | None = None
        self.cpu_s = busy_cpu_s()
        sender.release()
        self._wait(lambda: self.at(m.BEGAN) > 0 or not sender.alive)
        self.began = self.ended = self.at(m.BEGAN) * NS or time.monotonic()

    def at(self, word: int) -> int:
        """Return a word of the shared memory."""
        return int(self.shared.at[word])

    def next(self) -> Counts | None:
        """Return the counts of the next interval, or None once every IO is answered. Raise LoadFailed on failure."""
        if self.over:
            return None
        self._wait(lambda: self.at(m.SNAPSHOTS) > self.snapshots or self.at(m.OVER) != 0)
        self._raise_error()
        last = self.at(m.OVER) != 0
        counts = self._since()
        if last:
            self._close()
        return counts

    def stop(self) -> Counts | None:
        """Send no more IOs, wait for those in flight, and return the counts since the last `next`."""
        self.pace = None
        if self.over:
            return None
        self.sender.request_stop()
        self._wait(lambda: self.at(m.OVER) != 0)
        self._raise_error()
        counts = self._since()
        self._close()
        return counts

    def _close(self) -> None:
        self.over = True
        self.sender.end()

    def _wait(self, until: Callable[[], bool]) -> None:
        """Wait until `until` returns True. Raise LoadFailed if the sender ended or the drive is silent for too long."""
        changed, beat = time.monotonic(), (-1, -1)
        while not until():
            now = self.at(m.ANSWERED), self.at(m.BEAT) if not self.at(m.FLYING) else 0
            if now != beat:
                changed, beat = time.monotonic(), now
            if time.monotonic() - changed > self.silence_s:
                raise self._failed(f"no answer for {self.silence_s:g} s, {self.at(m.FLYING)} IOs in flight")
            if not self.sender.alive and not self.at(m.OVER):
                words = self.sender.last_words()
                raise self._failed(words, died=self.sender.died)
            time.sleep(POLL_S)

    def _raise_error(self) -> None:
        """Raise LoadFailed if an IO failed."""
        if error := self.at(m.ERRNO):
            raise self._failed(f"the IO at byte {self.at(m.FAILED_AT)} failed: {os.strerror(error)}")

    def _failed(self, why: str, *, died: bool = False) -> LoadFailed:
        """End the sender and return the error to raise."""
        self._close()
        return LoadFailed(Sentence("of_load", load=self.label, why=text(why)), died=died)

    def _since(self) -> Counts:
        """Return the difference between the newest snapshot and the last one that was read."""
        count = self.at(m.SNAPSHOTS)
        slot = (count - 1) % m.SLOTS
        missed = [n % m.SLOTS for n in range(max(self.snapshots, count - m.SLOTS + 1), count)]
        sums, bins, words = (part[slot].copy() for part in self.shared[1:])
        grown = sums - self.before.sums
        grown[:, 4] = self.shared.sums[missed, :, 4].max(axis=0) if missed else 0
        more = bins - self.before.bins
        until_ns = max(int(words[m.UNTIL]), self.until_ns)
        seconds, self.until_ns, self.snapshots = (until_ns - self.until_ns) * NS, until_ns, count
        words = words - self.before.words
        words[m.LATEST] = self.shared.words[missed, m.LATEST].max() if missed else 0
        cpu_s, self.cpu_s = self.cpu_s, busy_cpu_s()
        self.before = m.Ledger(sums, bins, self.before.words + words)
        self.ended = self.began + until_ns * NS
        if self.paced:
            self.pace = self._pace(grown, more, words)
        reads, writes = (tally(grown[way], more[way]) for way in (m.READ, m.WRITE))
        return Counts(seconds, self.cpu_s - cpu_s, reads, writes)

    def _pace(self, sums: npt.NDArray[np.float64], bins: npt.NDArray[np.int64], words: npt.NDArray[np.int64]) -> Pace:
        used = np.flatnonzero(bins[m.LATENESS])
        left_out, self.left_out = self.at(m.LEFT_OUT) - self.left_out, self.at(m.LEFT_OUT)
        return Pace(
            sent=int(words[m.SENT]),
            late=int(words[m.LATE]),
            full=int(words[m.FULL]),
            latest_ns=int(words[m.LATEST]),
            lateness=dict(zip(used.tolist(), bins[m.LATENESS][used].tolist(), strict=True)),
            flush=tally(sums[m.FLUSH], bins[m.FLUSH]),
            discard=tally(sums[m.DISCARD], bins[m.DISCARD]),
            unsent=int(self.before.words[m.UNSENT]),
            left_out={"discards": left_out} if left_out else {},
        )


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
