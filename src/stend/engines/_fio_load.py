"""Run a workload in fio: request its totals at whole intervals and return their differences."""

import os
import time
from collections.abc import Callable

from stend.base.errors import LoadFailed, StepFailed
from stend.engines import _fio_json as fio_json
from stend.engines._fio_process import Process
from stend.model.counts import Counts
from stend.model.tally import Tally
from stend.words import Sentence, text

STEP_S = 1.0
"""The longest plausible delay of fio's output in seconds. Beyond it the wall clock may be wrong, and is not used."""

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def busy_cpu_s() -> float:
    """Return the seconds that all processors together were busy since boot, without IO wait and stolen time."""
    with open("/proc/stat", "rb") as file:
        user, nice, system, _idle, _wait, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / TICKS_PER_S


class FioLoad:
    """A load of one fio process, or of several in turn; `began` (after the first `next`) and `ended` are exact to 2 ms.

    `remarks` has a sentence for each process that a signal killed after its totals were received. `block_bytes` is the
    size of all IOs, or 0 if they have several.

    fio prints its totals on SIGUSR1 (HOWTO). stend sends that signal instead of using fio's own timer. Therefore
    intervals begin with the load, and no output piles up in a pipe while stend is busy.
    """

    def __init__(
        self,
        processes: list[Process],
        label: str,
        *,
        raw: Callable[[bytes], None],
        interval_s: float,
        silence_s: float,
        block_bytes: int = 0,
    ) -> None:
        self.label, self.raw, self.block_bytes = label, raw, block_bytes
        self.interval_s, self.silence_s = interval_s, silence_s
        self.process, *self.later = processes
        self.over, self.first = False, True
        self.counted = self.erred = False
        self.remarks: list[Sentence] = []
        self.began = self.ended = self.received = self.epoch = time.monotonic()
        self.cpu_s = busy_cpu_s()
        self.read = self.write = Tally()

    def begin(self) -> None:
        """Start the IO and wait until it runs. Raise LoadFailed if it does not start."""
        self._release()
        self.began = self.ended = self.epoch
        self.cpu_s = busy_cpu_s()

    def next(self) -> Counts | None:
        """Wait for the end of the interval and return its counts, or None once a limit is reached."""
        if self.over:
            return None
        totals = self._totals()
        if totals is not None and not self._complete(totals):
            return self._since(totals, self._clock(totals))
        counts = self._last(self._finished(totals))
        self._start_next_process()
        return counts

    def stop(self) -> Counts | None:
        """End the load and return the counts since the last `next`. Raise LoadFailed if fio hangs or gave no totals.

        If a signal kills fio here after earlier totals, that is only a remark: at most one interval is not counted.
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
        self._remark("fio_told")
        return self._last(totals) if totals else None

    def _remark(self, outcome: str) -> None:
        if self.process.died:
            self.remarks.append(self.process.record(self.label, Sentence(outcome)))

    def _release(self) -> None:
        self.process.release()
        if not self.process.listen(self.silence_s, lambda: self.process.released_at is not None):
            raise self._failed(f"it did not begin within {self.silence_s:g} s" if self.process.alive else "")
        self.epoch = self.process.released_at or time.monotonic()

    def _totals(self) -> fio_json.Document | None:
        """Return the totals at the next whole interval since the start, or None if fio ended without printing any."""
        now = time.monotonic()
        due = self.began + ((now - self.began) // self.interval_s + 1) * self.interval_s
        self.process.listen(due - now, self._has_totals)
        if not self._has_totals():
            self.process.request_totals()
            self.process.listen(self.silence_s, self._has_totals)
        if not self._has_totals() and self.process.alive:
            raise self._failed(f"it was silent for {self.silence_s:g} s")
        return self._newest()

    def _has_totals(self) -> bool:
        return bool(self.process.documents)

    def _newest(self) -> fio_json.Document | None:
        """Return the last of the new documents, whose totals include those of the others, or None."""
        newest = None
        while self.process.documents:
            data, self.received = self.process.documents.popleft()
            self.raw(data)
            try:
                newest = fio_json.read(data) or newest
            except StepFailed as error:
                raise self._failed(str(error)) from error
            if newest is not None and newest.error:
                self.erred = True
                raise self._failed("" if self.process.words else os.strerror(newest.error))
        return newest

    def _complete(self, totals: fio_json.Document) -> bool:
        return totals.bytes >= self.process.enough_bytes

    def _finished(self, totals: fio_json.Document | None) -> fio_json.Document:
        """Return the last totals of a process that ends by itself. Raise LoadFailed unless it did all its IO."""
        self.process.listen(self.silence_s, lambda: not self.process.alive)
        self.process.end(self.silence_s)
        totals = self._newest() or totals
        if totals is None or not self._complete(totals):
            raise self._failed()
        self._remark("fio_done")
        return totals

    def _start_next_process(self) -> None:
        """Start the next process, whose totals begin at 0, or end the load after the last one."""
        self.over, self.first, self.counted = not self.later, False, False
        if self.later:
            self.process = self.later.pop(0)
            self.raw(f"{fio_json.NEXT_PROCESS}\n".encode())
            self.read = self.write = Tally()
            self._release()

    def _clock(self, totals: fio_json.Document) -> float:
        """Return when fio read these totals, on the monotonic clock: its wall time minus the difference of the clocks.

        The delay of the pipe and of this process then does not matter. The first totals also give the start of the IO
        to a millisecond. stend may read fio's report of that start long afterwards, even after the last totals.
        """
        begins = self.first and not self.counted
        at = totals.timestamp_ms / 1000 - (time.time() - time.monotonic())
        if not 0 <= self.received - at < STEP_S:
            at = min(self.epoch + totals.runtime_s, self.received) if totals.runtime_s else self.received
        at = at if begins else max(at, self.ended)
        self.epoch = min(self.epoch, at - totals.runtime_s)
        if begins:  # the first interval begins with the IO, not with fio's report of it
            self.began = self.ended = min(self.epoch, self.ended)
        return at

    def _last(self, totals: fio_json.Document) -> Counts:
        """Return the counts since the previous totals for a process's last totals. They end with its last IO."""
        self._clock(totals)
        return self._since(totals, max(self.epoch + totals.runtime_s, self.ended))

    def _since(self, totals: fio_json.Document, at: float) -> Counts:
        """Return the counts since the previous totals, as an interval that ends `at`."""
        before, self.ended = self.ended, at
        cpu_s, self.cpu_s = self.cpu_s, busy_cpu_s()
        read, self.read = self.read, self._total(totals, "read")
        write, self.write = self.write, self._total(totals, "write")
        try:
            done = fio_json.since(read, self.read), fio_json.since(write, self.write)
        except StepFailed as error:
            raise self._failed(str(error)) from error
        self.counted = True
        return Counts(at - before, self.cpu_s - cpu_s, *done)

    def _total(self, totals: fio_json.Document, direction: str) -> Tally:
        if self.process.alive and self.block_bytes:
            return fio_json.running(totals, direction, self.block_bytes, self.process.enough_bytes)
        return fio_json.total(totals, direction)

    def _drop_later(self) -> None:
        while self.later:
            self.later.pop().end()

    def _failed(self, what: str = "") -> LoadFailed:
        """End all processes and return the error to raise: `what` went wrong, or else how fio ended."""
        self.over = True
        self._drop_later()
        self.process.end()
        died = self.process.died and not what and not self.erred
        printed = [text(part) for part in (what, self.process.words) if part]
        why = [self.process.ending, *printed] if died or not printed else printed
        failed = Sentence("fio_failed", load=self.label, why=Sentence("parts", parts=why))
        return LoadFailed(failed, record=self.process.record(self.label), died=died)
