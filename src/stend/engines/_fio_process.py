"""One fio process: held before its first IO, released, listened to, ended for certain."""

import contextlib
import math
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable

from stend.engines._fio_job import RELEASED
from stend.engines._fio_json import Cutter
from stend.errors import Missing, StepFailed

END_S = 10.0
"""How long fio may take to end after each signal."""

LINES = 50
READ_BYTES = 1 << 18


class Process:
    """fio in a session of its own, so that Ctrl-C does not reach it; killed by the kernel when this thread dies."""

    def __init__(self, command: list[str], *, threads: int, limit_bytes: int, largest_bytes: int) -> None:
        self.threads = threads
        self.enough_bytes = limit_bytes - threads * (largest_bytes - 1) if limit_bytes else math.inf
        self.documents: deque[tuple[bytes, float]] = deque()
        self.said: deque[str] = deque(maxlen=LINES)
        self.released_at: float | None = None
        self.cutter = Cutter()
        try:
            self.child = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                cwd="/",
                env=os.environ | {"LC_ALL": "C"},
            )
        except OSError as error:
            raise Missing(f"setpriv cannot be run ({error}); install it with: apt-get install util-linux") from error
        self.exit = os.pidfd_open(self.child.pid)
        self.selector = selectors.DefaultSelector()
        for file in (self.child.stdout, self.child.stderr):
            assert file is not None  # noqa: S101 for mypy: both are pipes
            os.set_blocking(file.fileno(), False)
            self.selector.register(file, selectors.EVENT_READ)
        self.selector.register(self.exit, selectors.EVENT_READ)

    def release(self) -> None:
        """Let all threads begin; one that is not that far yet finds its line waiting."""
        with contextlib.suppress(BrokenPipeError):
            self.child.stdin.write(b"\n" * self.threads)  # type: ignore[union-attr]

    def ask(self) -> None:
        """Have fio print its totals now (HOWTO: USR1)."""
        with contextlib.suppress(ProcessLookupError):
            self.child.send_signal(signal.SIGUSR1)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.child.poll() is None

    def listen(self, seconds: float, until: Callable[[], bool]) -> bool:
        """Take in what fio says until that is true, at most so long or until fio has ended. Tells whether it is."""
        deadline = time.monotonic() + seconds
        while not until():
            alive = self.alive
            heard = self._take(max(deadline - time.monotonic(), 0) if alive else 0)
            if not heard and (not alive or time.monotonic() >= deadline):
                return until()
        return True

    def _take(self, seconds: float) -> bool:
        heard = False
        for key, _ in self.selector.select(seconds):
            if key.fileobj is self.exit:
                self.selector.unregister(self.exit)
                heard = True
                continue
            with contextlib.suppress(BlockingIOError):
                data = os.read(key.fd, READ_BYTES)
                heard = True
                if not data:
                    self.selector.unregister(key.fileobj)
                elif key.fileobj is self.child.stdout:
                    self._out(data)
                else:
                    self._err(data)
        return heard

    def _out(self, data: bytes) -> None:
        at = time.monotonic()
        for piece in self.cutter.feed(data):
            if isinstance(piece, bytes):
                self.documents.append((piece, at))
            else:
                self.said.append(piece)

    def _err(self, data: bytes) -> None:
        for line in data.decode(errors="replace").splitlines():
            if line != RELEASED:
                self.said.append(line)
            elif self.released_at is None:
                self.released_at = time.monotonic()

    def end(self, *numbers: signal.Signals) -> None:
        """Signal after signal until it is gone; SIGKILL goes to whatever it started too. StepFailed if it stays."""
        for number in (*numbers, signal.SIGKILL):
            if number == signal.SIGKILL:
                self._signal_all(number)
            elif self.alive:
                self.child.send_signal(number)
            if self.listen(END_S, lambda: not self.alive):
                break
        self.listen(0, lambda: False)
        self.close()
        if self.alive:
            raise StepFailed(
                f"fio (process {self.child.pid}) hangs in the kernel and cannot be ended; restart the host"
            )

    def _signal_all(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, number)

    def close(self) -> None:
        """Let go of its pipes; held shells end with them."""
        if self.exit < 0:
            return
        self.selector.close()
        os.close(self.exit)
        self.exit = -1
        for file in (self.child.stdin, self.child.stdout, self.child.stderr):
            if file:
                file.close()

    @property
    def reason(self) -> str:
        """fio's own word for what went wrong, in one line."""
        lines = [line.strip() for line in self.said if "Saving output of" not in line and "terminating on" not in line]
        errors = [line for line in lines if "rror" in line or "err=" in line or line.startswith("fio:")]
        code = self.child.returncode
        return (errors or lines or [f"exit code {code}" if code else "no word from it"])[0].removeprefix("fio: ")
