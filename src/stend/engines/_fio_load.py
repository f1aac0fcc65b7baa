"""A workload running in fio: totals asked for at whole intervals, told as differences."""

import os
import time
from collections.abc import Callable

from stend.base.errors import LoadFailed, StepFailed
from stend.engines import _fio_json as json
from stend.engines._fio_process import Process
from stend.model.counts import Counts
from stend.model.tally import Tally

STEP_S = 1.0
"""More than fio's words can take to reach us: the wall clock was set in between, and is not believed."""

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def busy_cpu_s() -> float:
    """Seconds that all processors together were busy since boot, without waiting and what other guests took."""
    with open("/proc/stat", "rb") as file:
        user, nice, system, _idle, _wait, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / TICKS_PER_S


class FioLoad:
    """One process after another, mostly one; `began` (after the first `next`) and `ended` are good to about 2 ms.

    `remarks` has a sentence for each process that died of a signal after its totals were received.

    fio prints its totals when it gets SIGUSR1 (HOWTO). Asked by us rather than by its own timer, intervals begin with
    the load, and nothing piles up in a pipe while we are busy elsewhere.
    """

    def __init__(
        self,
        processes: list[Process],
        label: str,
        *,
        raw: Callable[[bytes], None],
        interval_s: float,
        silence_s: float,
    ) -> None:
        self.label, self.raw = label, raw
        self.interval_s, self.silence_s = interval_s, silence_s
        self.process, *self.later = processes
        self.over, self.first = False, True
        self.counted = self.erred = False
        self.remarks: list[str] = []
        self.began = self.ended = self.heard = self.epoch = time.monotonic()
        self.cpu_s = busy_cpu_s()
        self.read = self.write = Tally()

    def begin(self) -> None:
        """Let the IO begin, and wait until it has. StepFailed if it does not."""
        self._release()
        self.began = self.ended = self.epoch
        self.cpu_s = busy_cpu_s()

    def next(self) -> Counts | None:
        """Wait for the end of the interval and tell its counts; None once a limit is reached."""
        if self.over:
            return None
        totals = self._totals()
        if totals is not None and not self._complete(totals):
            return self._since(totals, self._clock(totals))
        counts = self._last(self._finished(totals))
        self._go_on()
        return counts

    def stop(self) -> Counts | None:
        """End the load; what it did since the last `next`. LoadFailed when it had to be killed or left no totals.

        fio that dies of a signal here is only remarked on if it gave totals before: at most an interval is not counted.
        """
        if self.over:
            return None
        self.over = True
        self._drop_later()
        obeyed = self.process.end(self.silence_s)
        totals = self._newest()
        if not obeyed:
            raise self._failed(f"it did not end within {self.silence_s:g} s of being told to, and was killed")
        if totals is None and not (self.counted and self.process.died):
            raise self._failed()
        self._remark("it was told to end; what it did after its last totals is not counted")
        return self._last(totals) if totals else None

    def _remark(self, outcome: str) -> None:
        if self.process.died:
            self.remarks.append(f"{self.label}: {self.process.record}; {outcome}")

    def _release(self) -> None:
        self.process.release()
        if not self.process.listen(self.silence_s, lambda: self.process.released_at is not None):
            raise self._failed(f"it did not begin within {self.silence_s:g} s" if self.process.alive else "")
        self.epoch = self.process.released_at or time.monotonic()

    def _totals(self) -> json.Document | None:
        """Totals at the next whole interval since the beginning; None when fio ended without telling any."""
        now = time.monotonic()
        due = self.began + ((now - self.began) // self.interval_s + 1) * self.interval_s
        self.process.listen(due - now, self._told)
        if not self._told():
            self.process.ask()
            self.process.listen(self.silence_s, self._told)
        if not self._told() and self.process.alive:
            raise self._failed(f"it was silent for {self.silence_s:g} s")
        return self._newest()

    def _told(self) -> bool:
        return bool(self.process.documents)

    def _newest(self) -> json.Document | None:
        """The last of the documents that came since we looked; each holds all that those before it held."""
        newest = None
        while self.process.documents:
            data, self.heard = self.process.documents.popleft()
            self.raw(data)
            try:
                newest = json.read(data) or newest
            except StepFailed as error:
                raise self._failed(str(error)) from error
            if newest is not None and newest.error:
                self.erred = True
                raise self._failed("" if self.process.words else os.strerror(newest.error))
        return newest

    def _complete(self, totals: json.Document) -> bool:
        return totals.bytes >= self.process.enough_bytes

    def _finished(self, totals: json.Document | None) -> json.Document:
        """The very last totals of a process that ends by itself. StepFailed unless it did all that was asked."""
        self.process.listen(self.silence_s, lambda: not self.process.alive)
        self.process.end(self.silence_s)
        totals = self._newest() or totals
        if totals is None or not self._complete(totals):
            raise self._failed()
        self._remark("it had done all that was asked")
        return totals

    def _go_on(self) -> None:
        """To the next process, for which all starts at nought."""
        self.over, self.first, self.counted = not self.later, False, False
        if self.later:
            self.process = self.later.pop(0)
            self.raw(f"{json.NEXT_PROCESS}\n".encode())
            self.read = self.write = Tally()
            self._release()

    def _clock(self, totals: json.Document) -> float:
        """When these totals were read, on our clock: fio tells wall time, so the two clocks' difference is taken off.

        Time spent before fio was read, by us or by its pipe, does not matter that way. From the first totals on it is
        also known to a millisecond when the IO began, better than from when we heard so.
        """
        at = totals.timestamp_ms / 1000 - (time.time() - time.monotonic())
        at = max(at if 0 <= self.heard - at < STEP_S else self.heard, self.ended)
        if totals.runtime_s:
            self.epoch = min(self.epoch, at - totals.runtime_s)
            if self.first and not self.counted:  # the first interval begins with the IO, not when we heard of it
                self.began = self.ended = min(self.epoch, self.ended)
        return at

    def _last(self, totals: json.Document) -> Counts:
        """The same for totals told at a process's end: its time is that of the last IO, not of the telling."""
        at = min(max(self.epoch + totals.runtime_s, self.ended), self.heard)
        return self._since(totals, at)

    def _since(self, totals: json.Document, at: float) -> Counts:
        """What was done since the totals before these."""
        before, self.ended = self.ended, at
        cpu_s, self.cpu_s = self.cpu_s, busy_cpu_s()
        read, self.read = self.read, json.total(totals, "read")
        write, self.write = self.write, json.total(totals, "write")
        try:
            done = json.since(read, self.read), json.since(write, self.write)
        except StepFailed as error:
            raise self._failed(str(error)) from error
        self.counted = True
        return Counts(at - before, self.cpu_s - cpu_s, *done)

    def _drop_later(self) -> None:
        while self.later:
            self.later.pop().end()

    def _failed(self, what: str = "") -> LoadFailed:
        """End everything; what to raise then: `what` went wrong, or else how fio ended."""
        self.over = True
        self._drop_later()
        self.process.end()
        died = self.process.died and not what and not self.erred
        told = "; ".join(filter(None, (what, self.process.ending if died else "", self.process.words)))
        record = f"{self.label}: {self.process.record}"
        return LoadFailed(f"fio failed at {self.label}: {told or self.process.ending}", record=record, died=died)
