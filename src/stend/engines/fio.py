"""Load made by fio: one process for each workload, differences of its totals as counts."""

import ctypes
import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from stend.definition import Workload
from stend.engines import _fio_job as job
from stend.engines import _fio_json as said
from stend.engines._fio_process import Process
from stend.errors import BadInput, Missing, StepFailed
from stend.record import Counts, Tally

INSTALL = "install a newer one with: apt-get install fio"
SILENCE_S = 30.0
"""fio may say nothing for this long beyond an interval: longer than a drive's own time-out and reset."""

IO_URING_SETUP = 425  # the same number on every architecture of Linux
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Features(NamedTuple):
    """What this host's fio can do."""

    version: str
    ioengine: str

    def __str__(self) -> str:
        return f"{self.version}, {self.ioengine}"


def probe(fio: str = "fio") -> Features:
    """Ask fio what it can do; Missing when it is not there or cannot do what stend needs. Takes about 50 ms."""
    if not shutil.which(fio):
        raise Missing(f"{fio} is not installed; install it with: apt-get install fio")
    options = {line.split(":")[0].strip() for line in _ask(fio, "--cmdhelp=all").splitlines() if ":" in line}
    lacking = [name for name in job.NEEDED if name not in options]
    if lacking:
        raise Missing(f"{fio} has no option {', '.join(lacking)}; {INSTALL}")
    if "json+" not in _ask(fio, "--help") or "status-interval" not in _ask(fio, "--help"):
        raise Missing(f"{fio} cannot print json+ at intervals; {INSTALL}")
    engines = _ask(fio, "--enghelp").split()
    usable = [name for name in ("io_uring", "libaio") if name in engines and (name != "io_uring" or io_uring_works())]
    if not usable:
        raise Missing(f"{fio} has neither io_uring nor libaio; {INSTALL}")
    return Features(_ask(fio, "--version").strip(), usable[0])


def _ask(fio: str, question: str) -> str:
    try:
        done = subprocess.run([fio, question], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{fio} does not answer {question} ({error}); {INSTALL}") from error
    return done.stdout


def io_uring_works() -> bool:
    """Whether the kernel lets us have a ring: a sysctl, seccomp or a limit of locked memory may forbid it."""
    parameters = ctypes.create_string_buffer(120)
    ring: int = ctypes.CDLL(None, use_errno=True).syscall(IO_URING_SETUP, 32, parameters)
    if ring < 0:
        return False
    os.close(ring)
    return True


def busy_cpu_s() -> float:
    """Seconds that all processors together were busy since boot, without waiting and time stolen by other hosts."""
    with open("/proc/stat", "rb") as file:
        user, nice, system, _idle, _wait, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / TICKS_PER_S


class Asked(NamedTuple):
    """What a load was started or prepared with."""

    workload: Workload
    seed: int
    from_bytes: int
    limit_bytes: int | None


class FioLoad:
    """A workload running in fio, in one part or two; `began` and `ended` are good to about 2 ms."""

    def __init__(
        self,
        processes: list[Process],
        label: str,
        limited: bool,
        *,
        raw: Callable[[bytes], None],
        interval_s: float,
        silence_s: float,
    ) -> None:
        self.label, self.limited, self.raw = label, limited, raw
        self.interval_s, self.silence_s = interval_s, silence_s
        self.process, *self.later = processes
        self.over = False
        self.told = False
        self._release()
        self.cpu_s = busy_cpu_s()
        self.began = self.ended = self.stamp = self.epoch

    def next(self) -> Counts | None:
        """Wait for the next interval and tell its counts; None once a limit is reached."""
        while not self.over:
            document = self._asked() if self._endless else self._awaited()
            if document is None:
                self._part_is_done()
            elif self._stamped(document) - self.stamp >= self.interval_s / 2 or self._complete(document):
                return self._counts(document)
        return None

    def stop(self) -> Counts | None:
        """End the load; the last document, told after the last IO, is counted too."""
        if self.over:
            return None
        self.over = True
        self._drop_later()
        self.process.end(signal.SIGINT, signal.SIGTERM)
        document = None
        while (more := self._document()) is not None:
            document = more
        if document is None:
            raise self._failed("it did not end when asked to and was killed")
        self.over = True
        return self._counts(document, last=True)

    @property
    def _endless(self) -> bool:
        return not self.limited and not self.later

    def _release(self) -> None:
        """Begin the present part; its IO starts right after fio's first thread has told that it goes."""
        self.process.release()
        if not self.process.listen(self.silence_s, lambda: self.process.released_at is not None):
            raise self._failed(f"it did not begin within {self.silence_s:g} s" if self.process.alive else "")
        self.epoch = self.process.released_at or time.monotonic()
        self.read = self.write = Tally()

    def _asked(self) -> said.Document | None:
        """Totals at the next whole interval since the beginning; fio prints them when it is asked."""
        now = time.monotonic()
        due = self.began + ((now - self.began) // self.interval_s + 1) * self.interval_s
        self.process.listen(due - now, lambda: bool(self.process.documents))
        self.process.ask()
        return self._awaited()

    def _awaited(self) -> said.Document | None:
        """The next totals; None when fio has ended by itself."""
        patience_s = self.interval_s + self.silence_s
        self.process.listen(patience_s, lambda: bool(self.process.documents))
        document = self._document()
        if document is None and self.process.alive:
            raise self._failed(f"it was silent for {patience_s:g} s")
        return document

    def _document(self) -> said.Document | None:
        while self.process.documents:
            data, self.heard = self.process.documents.popleft()
            self.raw(data)
            document = said.read(data)
            if document is not None:
                if document.error:
                    raise self._failed(os.strerror(document.error))
                return document
        return None

    def _part_is_done(self) -> None:
        if self._endless or self.process.child.returncode:
            raise self._failed("it ended by itself")
        self.process.close()
        if self.later:
            self.process = self.later.pop(0)
            self._release()
        else:
            self.over = True

    def _complete(self, document: said.Document) -> bool:
        return not self._endless and document.bytes >= self.process.expected_bytes

    def _stamped(self, document: said.Document) -> float:
        """When these totals were read, on our clock: fio's wall clock, set right by the present difference."""
        at = document.timestamp_ms / 1000 - (time.time() - time.monotonic())
        return min(max(at, self.stamp), self.heard)

    def _counts(self, document: said.Document, last: bool = False) -> Counts:
        """What was done since the totals before these."""
        stamp = self._stamped(document)
        if document.runtime_s and not last:
            self.epoch = min(self.epoch, stamp - document.runtime_s)
        if not self.told:
            self.began, self.told = min(self.began, self.epoch), True
            self.stamp = self.began
        if last or self._complete(document):
            stamp = min(stamp, max(self.epoch + document.runtime_s, self.stamp))
        before, self.stamp, self.ended = self.stamp, stamp, stamp
        cpu_s, self.cpu_s = self.cpu_s, busy_cpu_s()
        read, self.read = self.read, said.total(document, "read")
        write, self.write = self.write, said.total(document, "write")
        return Counts(stamp - before, self.cpu_s - cpu_s, said.since(read, self.read), said.since(write, self.write))

    def _drop_later(self) -> None:
        for process in self.later:
            process.end()
        self.later = []

    def _failed(self, what: str) -> StepFailed:
        """Ends everything; what to raise then."""
        self.over = True
        self._drop_later()
        self.process.end(signal.SIGTERM)
        reason = self.process.reason
        return StepFailed(f"fio failed at {self.label}: {', '.join(filter(None, [what, reason]))}")


class FioEngine:
    """Load on a real drive or a file. Missing when this host has no fio that can do it."""

    def __init__(
        self,
        path: str,
        *,
        raw: Callable[[bytes], None] | None = None,
        interval_s: float = 1.0,
        fio: str = "fio",
        silence_s: float = SILENCE_S,
    ) -> None:
        self.path, self.fio = os.path.abspath(path), fio
        self.raw = raw or (lambda data: None)
        self.interval_s, self.silence_s = interval_s, silence_s
        self.features = probe(fio)
        self.load: FioLoad | None = None
        self.ready: tuple[Asked, list[Process]] | None = None

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> FioLoad:
        """Start a workload; see the seam. StepFailed when fio cannot begin."""
        if self.load is not None:
            self.load.stop()
        self.prepare(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        assert self.ready is not None  # noqa: S101 for mypy
        (_, processes), self.ready = self.ready, None
        self.load = FioLoad(
            processes,
            workload.label,
            limit_bytes is not None,
            raw=self.raw,
            interval_s=self.interval_s,
            silence_s=self.silence_s,
        )
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Launch fio for what comes next, held before its first IO; what was held for something else is dropped."""
        asked = Asked(workload, seed, from_bytes, limit_bytes)
        if self.ready and self.ready[0] == asked and all(p.alive for p in self.ready[1]):
            return
        self._drop()
        self.ready = (asked, [self._launch(part, asked) for part in self._parts(asked)])

    def _parts(self, asked: Asked) -> list[list[job.Section]]:
        workload = asked.workload
        return job.parts(workload, asked.from_bytes, asked.limit_bytes)

    def _launch(self, part: list[job.Section], asked: Asked) -> Process:
        words = job.arguments(
            asked.workload,
            part,
            path=self.path,
            ioengine=self.features.ioengine,
            seed=asked.seed,
            interval_s=self.interval_s,
        )
        threads = sum(section.threads for section in part)
        return Process([self.fio, *words], threads, sum(s.io_bytes * s.threads for s in part))

    def _drop(self) -> None:
        if self.ready:
            for process in self.ready[1]:
                process.end()
        self.ready = None

    def idle(self, seconds: float) -> None:
        """Let time pass; a load that still runs is stopped first."""
        if self.load is not None:
            self.load.stop()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(left)

    def now(self) -> float:
        """The kernel's monotonic clock."""
        return time.monotonic()

    def close(self) -> None:
        """Stop what runs, drop what is held."""
        try:
            if self.load is not None:
                self.load.stop()
        finally:
            self.load = None
            self._drop()
