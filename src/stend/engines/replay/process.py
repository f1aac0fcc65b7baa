"""The sender's process: started, released, asked to end, and left behind where the kernel does not let it go."""

import contextlib
import os
import select
import subprocess
import sys
import time

import msgspec

from stend.base.errors import StepFailed
from stend.engines.replay import memory as m
from stend.engines.replay.task import GO, READY, Task

KILL_S = 2.0
"""How long the kernel may take to end it; one that waits for a dead drive ends with that wait."""
left: list[subprocess.Popen[bytes]] = []
"""Senders that could not be ended: the kernel holds them until the drive answers."""


class Sender:
    """One sender; `shared` is what it tells."""

    def __init__(self, task: Task) -> None:
        memory = m.made()
        self.shared = m.mapped(memory)
        task = msgspec.structs.replace(task, memory=memory)
        words = [sys.executable, "-m", "stend.engines.replay.sender", msgspec.json.encode(task).decode()]
        self.child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(memory,),
            process_group=0,  # Ctrl-C is for us; see `_fio_process`
        )
        os.close(memory)
        self.said, self.ended, self.killed = b"", False, False

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.child.poll() is None

    @property
    def words(self) -> str:
        """Its last line."""
        lines = [line for line in self.said.decode(errors="replace").strip().splitlines() if line != READY]
        code = self.child.poll() or 0
        return lines[-1] if lines else f"it was killed by signal {-code}" if code < 0 else f"it ended with {code}"

    @property
    def died(self) -> bool:
        """Whether a signal ended it that was not ours, and it printed no error before."""
        lines = self.said.decode(errors="replace").split()
        return (self.child.poll() or 0) < 0 and not self.killed and lines in ([], [READY])

    def ready(self, seconds: float) -> bool:
        """Wait until it could begin; False where it ended, or did not come that far."""
        until = time.monotonic() + seconds
        while READY.encode() + b"\n" not in self.said:
            if not self._listen(until - time.monotonic()):
                return False
        return True

    def _listen(self, seconds: float) -> bool:
        out = self.child.stdout
        assert out  # noqa: S101 for mypy: a pipe
        if not select.select([out], [], [], max(seconds, 0))[0]:
            return False
        heard = os.read(out.fileno(), 1 << 16)
        self.said, self.ended = self.said + heard, not heard
        return bool(heard)

    def release(self) -> None:
        """Let it begin."""
        with contextlib.suppress(BrokenPipeError):
            self.child.stdin.write(f"{GO}\n".encode())  # type: ignore[union-attr]
            self.child.stdin.flush()  # type: ignore[union-attr]

    def ask(self) -> None:
        """Have it end after what is in flight."""
        self.shared.at[m.STOP] = 1

    def end(self) -> None:
        """End it for certain, or leave it to the kernel."""
        if self.alive:
            self.killed = True
            self.child.kill()
        try:
            self.child.wait(KILL_S)
        except subprocess.TimeoutExpired:
            left.append(self.child)
        for pipe in (self.child.stdin, self.child.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]

    def last_words(self) -> str:
        """What it said before it ended."""
        while self._listen(KILL_S):
            pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(KILL_S)
        return self.words


def started(task: Task, seconds: float) -> Sender:
    """A sender that is ready. StepFailed with its words where it is not."""
    sender = Sender(task)
    try:
        if sender.ready(seconds):
            return sender
    except BaseException:  # Ctrl-C: it holds the drive open
        sender.end()
        raise
    words = sender.last_words() if sender.ended else f"it was not ready within {seconds:g} s"
    sender.end()
    raise StepFailed(f"{task.workload.label} cannot be sent: {words}")
