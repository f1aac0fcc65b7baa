"""One fio process: start it, hold it before its first IO, release it, read its output, end it for certain."""

import contextlib
import ctypes
import math
import os
import resource
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from stend.base import process
from stend.base.errors import StepFailed
from stend.engines._fio_job import RELEASED
from stend.engines._fio_json import Cutter
from stend.words import Sentence

KILL_S = 10.0
"""Seconds that the kernel may take to end a killed process. It waits for IO in flight."""

LINES = 50
READ_BYTES = 1 << 18
IDLE_WORDS = ("Saving output of", "terminating on signal")
LAST_LINES, LINE_CHARACTERS = 5, 200
"""Number and length of the lines of fio's output that the record keeps when fio dies or fails."""
BY_RULE = {signal.SIGSYS, signal.SIGXCPU, signal.SIGXFSZ}
"""Signals by which this host enforces a limit: each further attempt would end likewise."""
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")


class Process:
    """fio in a separate process group, which Ctrl-C does not reach. The kernel kills it when this thread dies.

    SIGCHLD stays blocked in it: when the `sh` of one thread's exec_prerun ends, the signal may interrupt another
    thread in io_uring_enter(), and fio 3.33 then silently treats that thread as finished.
    """

    def __init__(self, command: list[str], *, threads: int, limit_bytes: int, slack_bytes: int) -> None:
        self.threads = threads
        self.enough_bytes = limit_bytes - threads * slack_bytes if limit_bytes else math.inf
        self.documents: deque[tuple[bytes, float]] = deque()
        self.printed: deque[str] = deque(maxlen=LINES)
        self.released_at: float | None = None
        self.killed = False
        self.cutter = Cutter()
        process.allow_files()  # of each thread two: the target and its ring
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        try:
            self.child = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,  # no new session: its autogroup can starve ours for seconds (seen with Linux 6.18)
                cwd="/",
                env=os.environ | {"LC_ALL": "C"},
            )
        except OSError as error:
            raise StepFailed(f"fio cannot be started: {error.strerror}") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        self.exit = os.pidfd_open(self.child.pid)
        self.selector = selectors.DefaultSelector()
        for file in (self.child.stdout, self.child.stderr):
            assert file is not None  # noqa: S101 for mypy: both are pipes
            os.set_blocking(file.fileno(), False)
            self.selector.register(file, selectors.EVENT_READ)
        self.selector.register(self.exit, selectors.EVENT_READ)

    def release(self) -> None:
        """Release all threads. A thread that is not ready yet will find its line."""
        with contextlib.suppress(BrokenPipeError):
            self.child.stdin.write(b"\n" * self.threads)  # type: ignore[union-attr]

    def request_totals(self) -> None:
        """Make fio print its totals now (HOWTO: USR1).

        The signal goes to its first thread. On a busy host the kernel may otherwise deliver it to fio's helper thread,
        whose select() then fails, and fio prints no more totals.
        """
        if self.alive:
            ctypes.CDLL(None).tgkill(self.child.pid, self.child.pid, int(signal.SIGUSR1))

    @property
    def alive(self) -> bool:
        """Return True while the process runs."""
        return self.child.poll() is None

    def listen(self, seconds: float, until: Callable[[], bool]) -> bool:
        """Read fio's output until `until` returns True, `seconds` have passed or fio has ended. Return `until()`."""
        deadline = time.monotonic() + seconds
        while not until():
            alive = self.alive
            received = self._take(max(deadline - time.monotonic(), 0) if alive else 0)
            if not received and (not alive or time.monotonic() >= deadline):
                return until()
        return True

    def _take(self, seconds: float) -> bool:
        """Wait `seconds` for output or the end of fio and read it. Return True if there was any."""
        received = False
        if self.exit < 0:
            return received
        for key, _ in self.selector.select(seconds):
            if key.fileobj is self.exit:
                self.selector.unregister(self.exit)
                received = True
                continue
            with contextlib.suppress(BlockingIOError):
                data = os.read(key.fd, READ_BYTES)
                received = True
                if not data:
                    self.selector.unregister(key.fileobj)
                elif key.fileobj is self.child.stdout:
                    self._out(data)
                else:
                    self._err(data)
        return received

    def _out(self, data: bytes) -> None:
        at = time.monotonic()
        for piece in self.cutter.feed(data):
            if isinstance(piece, bytes):
                self.documents.append((piece, at))
            else:
                self.printed.append(piece)

    def _err(self, data: bytes) -> None:
        for line in data.decode(errors="replace").splitlines():
            if line != RELEASED:
                self.printed.append(line)
            elif self.released_at is None:
                self.released_at = time.monotonic()

    def end(self, patience_s: float = 0.0) -> bool:
        """Terminate fio and wait up to `patience_s`, then kill its process group. Return False if that was needed.

        It sends SIGTERM, because fio ignores SIGINT while one of its threads is still being released (system() does
        that). Raise StepFailed if the kernel does not end the killed process.
        """
        if patience_s and self.alive:
            self.child.terminate()
            self.listen(patience_s, lambda: not self.alive)
        obeyed = not self.alive
        if not obeyed:  # only while it runs: after wait() the number may already belong to another process
            self.killed = True
            os.killpg(self.child.pid, signal.SIGKILL)
            self.listen(KILL_S, lambda: not self.alive)
        self.listen(0, lambda: False)
        if self.alive:
            raise StepFailed(
                f"fio (process {self.child.pid}) hangs in the kernel and cannot be ended; restart the host"
            )
        self._close()
        return obeyed

    def _close(self) -> None:
        if self.exit < 0:
            return
        self.selector.close()
        os.close(self.exit)
        self.exit = -1
        for file in (self.child.stdin, self.child.stdout, self.child.stderr):
            if file:
                file.close()

    @property
    def words(self) -> str:
        """Return the first line that reports an error, else the first line, or "" if fio printed nothing."""
        return next(iter(self._errors or self._lines), "").removeprefix("fio: ")

    @property
    def _lines(self) -> list[str]:
        return [line.strip() for line in self.printed if not any(idle in line for idle in IDLE_WORDS)]

    @property
    def _errors(self) -> list[str]:
        """Return the lines that report an error."""
        return [line for line in self._lines if "error" in line.lower() or "err=" in line]

    @property
    def died(self) -> bool:
        """Return True if it printed no error and a signal ended it that neither stend nor a limit of the host sent."""
        number = -(self.child.returncode or 0)
        return number > 0 and not self.killed and number not in BY_RULE and not self._errors

    @property
    def ending(self) -> Sentence:
        """Return how it ended."""
        code = self.child.returncode or 0
        return Sentence("fio_killed", n=-code) if code < 0 else Sentence("fio_ended", n=code)

    def record(self, load: str, *outcome: Sentence) -> Sentence:
        """Return how it ended, its last lines, where its core would be and the `outcome`, for the record."""
        code = self.child.returncode or 0
        by = "fio_our_signal" if self.killed else "fio_signal"
        how = Sentence(by, n=-code, name=_signal_name(-code)) if code < 0 else Sentence("fio_code", n=code)
        lines = [line.strip()[:LINE_CHARACTERS] for line in self.printed if line.strip()][-LAST_LINES:]
        printed = Sentence("fio_lines", lines=" | ".join(lines)) if lines else Sentence("fio_silent")
        parts = [printed, *([_core()] if code < 0 else []), *outcome]
        return Sentence("fio_end", load=load, how=how, words=Sentence("parts", parts=parts))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return "unnamed"


def _core() -> Sentence:
    """Return the kernel's core pattern and the limit of a core's size, which fio inherits from this process."""
    limit = resource.getrlimit(resource.RLIMIT_CORE)[0]
    size = Sentence("fio_unlimited") if limit == resource.RLIM_INFINITY else Sentence("fio_limit", n=limit)
    try:
        pattern = CORE_PATTERN.read_text().strip()
    except OSError:
        pattern = "not readable"
    return Sentence("fio_core_of", pattern=pattern, size=size)
