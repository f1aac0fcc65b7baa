"""A process of stend that uses the drive: start it, read what it prints, and end it or abandon it."""

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Sequence

KILL_S = 2.0
"""Seconds that the kernel may take to end it. A process that waits for a dead drive ends only after that wait."""
READ_BYTES = 1 << 20
left: list["subprocess.Popen[bytes]"] = []
"""Processes that could not be ended: the kernel holds them until the drive answers."""


class Child:
    """A module of stend that runs with one argument in a separate process group, which Ctrl-C does not reach.

    `errors` is where its errors go: `subprocess.STDOUT` or `subprocess.PIPE`.
    """

    def __init__(self, module: str, argument: bytes, *, errors: int, pass_fds: Sequence[int] = ()) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", module, argument.decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            pass_fds=pass_fds,
            process_group=0,  # see `_fio_process`
        )

    @property
    def alive(self) -> bool:
        """Return True while the process runs."""
        return self.child.poll() is None

    def send(self, line: str) -> None:
        """Write a line to its standard input. Do nothing if it has ended."""
        with contextlib.suppress(BrokenPipeError):
            self.child.stdin.write(f"{line}\n".encode())  # type: ignore[union-attr]
            self.child.stdin.flush()  # type: ignore[union-attr]

    def listen(self, seconds: float) -> bytes | None:
        """Return what it prints next, nothing after its end, or None if it prints nothing in this time."""
        out = self.child.stdout
        assert out  # noqa: S101 for mypy: a pipe
        if not select.select([out], [], [], max(seconds, 0))[0]:
            return None
        return os.read(out.fileno(), READ_BYTES)

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, but no longer than this."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(seconds)

    def end(self) -> None:
        """Kill the process. Add it to `left` if the kernel does not end it."""
        if self.alive:
            self.child.kill()
        self.wait(KILL_S)
        if self.alive:
            left.append(self.child)
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            with contextlib.suppress(OSError):
                if pipe:
                    pipe.close()
