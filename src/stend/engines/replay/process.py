"""The sender's process: start it, release it, stop it, and abandon it if the kernel does not end it."""

import os
import subprocess
import time

import msgspec

from stend.base.errors import StepFailed
from stend.base.process import processor_s
from stend.engines._child import KILL_S, Child
from stend.engines.replay import memory as m
from stend.engines.replay.task import GO, READY, Task
from stend.words import Sentence, text

CHECK_S = 1.0
"""Seconds between two looks at the processor time of a process that is not ready."""


class Sender(Child):
    """One sender. `shared` is the memory into which it writes its counts."""

    def __init__(self, task: Task) -> None:
        memory = m.made()
        self.shared = m.mapped(memory)
        argument = msgspec.json.encode(msgspec.structs.replace(task, memory=memory))
        super().__init__("stend.engines.replay.sender", argument, errors=subprocess.STDOUT, pass_fds=(memory,))
        os.close(memory)
        self.printed, self.ended, self.killed = b"", False, False

    @property
    def words(self) -> Sentence:
        """Return its last line, or how it ended if it printed none."""
        lines = [line for line in self.printed.decode(errors="replace").strip().splitlines() if line != READY]
        code = self.child.poll() or 0
        if lines:
            return text(lines[-1])
        return Sentence("fio_killed", n=-code) if code < 0 else Sentence("fio_ended", n=code)

    @property
    def died(self) -> bool:
        """Return True if a signal ended it that stend did not send, and it printed no error."""
        lines = self.printed.decode(errors="replace").split()
        return (self.child.poll() or 0) < 0 and not self.killed and lines in ([], [READY])

    def ready(self, seconds: float) -> bool:
        """Wait until it can begin. Return False if it ended, or used no processor time for so many seconds.

        How long it imports and compiles depends on the host. Only a wait for the drive uses no processor time.
        """
        spent, changed = 0.0, time.monotonic()
        while READY.encode() + b"\n" not in self.printed:
            if self._listen(min(seconds, CHECK_S)):
                continue
            if self.ended:
                return False
            if (now := processor_s(self.child.pid)) > spent:
                spent, changed = now, time.monotonic()
            elif time.monotonic() - changed >= seconds:
                return False
        return True

    def _listen(self, seconds: float) -> bool:
        data = self.listen(seconds)
        if data is None:
            return False
        self.printed, self.ended = self.printed + data, not data
        return bool(data)

    def release(self) -> None:
        """Start the load."""
        self.send(GO)

    def request_stop(self) -> None:
        """Make it send no more IOs and end after those in flight."""
        self.shared.at[m.STOP] = 1

    def end(self) -> None:
        """Kill the process (`Child.end`), and note that stend did so."""
        self.killed = self.killed or self.alive
        super().end()

    def last_words(self) -> str:
        """Read the rest of its output and return `words`."""
        while self._listen(KILL_S):
            pass
        self.wait(KILL_S)
        return self.words


def start_sender(task: Task, seconds: float) -> Sender:
    """Start a sender and wait until it is ready (`Sender.ready`). Raise StepFailed with its words if it is not."""
    sender = Sender(task)
    try:
        if sender.ready(seconds):
            return sender
    except BaseException:  # Ctrl-C: it holds the drive open
        sender.end()
        raise
    words = sender.last_words() if sender.ended else f"its process did nothing for {seconds:g} s before the first IO"
    sender.end()
    raise StepFailed(f"{task.workload.label} cannot be sent: {words}")
