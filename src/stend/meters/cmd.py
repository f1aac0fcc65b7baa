"""A command that prints one value per line: the way to USB and serial meters, and to any other program.

A value is a number of watts, or has a unit (`3.2 W`, `3200 mW`). Values in joules or watt-hours are readings of a
counter. With `cmd@QUANTITY:COMMAND` a value is a bare number of another registered quantity. A value counts from the
moment at which its line arrives.
"""

import contextlib
import os
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time

from stend.base.errors import BadInput, Missing
from stend.base.text import plain
from stend.devices import Device
from stend.meters._lines import MOST_LINE, Stated, stated
from stend.meters._series import Recorder, Series
from stend.meters._types import Meter, Spec
from stend.words import Sentence

ADDRESS = "COMMAND"
READ_BYTES = 1 << 16
FIRST_S, LEAST_S = 20.0, 1.0
"""Seconds to wait for the first values, and the shortest time over which their rate is measured."""
LEAST_VALUES = 3
END_S = 2.0
"""Seconds that the command may take to end after SIGTERM."""
BURST_S = 0.5
"""Values that arrive at once for more than this time were held back in a buffer."""


def opened(spec: Spec, device: Device | None) -> Meter:
    """Start the command and measure its rate. Raise BadInput if it prints no values, Missing if it does not exist."""
    try:
        words = shlex.split(spec.address)
    except ValueError as error:
        raise BadInput(f"the command of the meter {spec.text} cannot be split into words: {error}") from error
    if not words or not shutil.which(words[0]):
        raise Missing(f"the command {words[0] if words else spec.address} of the meter is not installed on this host")
    command = Command(spec, words)
    try:
        command.begin()
    except BaseException:
        command.close()
        raise
    return command


class Output:
    """The output of a command: until `series` is set, it only counts the values."""

    def __init__(self, quantity: str = "watts") -> None:
        self.quantity = quantity
        self.series: Series | None = None
        self.arrivals: list[tuple[float, int]] = []
        self.rest, self.wrong, self.held = b"", "", False

    def take(self, now: float, data: bytes) -> None:
        """Take data that was read at once. Its values arrived together."""
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.rest = self.rest[-MOST_LINE:]
        values = [value for line in lines if (value := self._value(line.decode(errors="replace").strip()))]
        if values and not self.series:
            self.arrivals.append((now, len(values)))
        elif values and self.series:
            self._warn(len(values) * self.series.period_s, self.series)
            if watts := [value.value for value in values if not value.energy]:
                self.series.add_many(now, watts)
            for value in values:
                if value.energy:
                    self.series.add_energy(now, value.value)

    def _value(self, line: str) -> Stated | None:
        value = stated(line, self.quantity)
        if line and not value:
            self.wrong = plain(line[:80])
            if self.series:
                self.series.note(Sentence("meter_printed", line=repr(self.wrong)))
        return value

    def _warn(self, seconds: float, series: Series) -> None:
        if seconds > max(BURST_S, 2 * series.period_s) and not self.held:
            self.held = True
            series.note(Sentence("meter_burst", s=round(seconds, 1), way="`stdbuf -oL`"))


class Command(Recorder):
    """A command in a separate process group, which ends with the run. A thread reads what it prints."""

    def __init__(self, spec: Spec, words: list[str]) -> None:
        self.spec, self.name = spec, os.path.basename(words[0])
        self.output, self.errors = Output(spec.quantity), ""
        self.started, self.closing = time.monotonic(), False
        ends_with_us = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
        self.child = subprocess.Popen(
            [*ends_with_us, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            process_group=0,  # see `engines/_fio_process`
            env=os.environ | {"LC_ALL": "C", "PYTHONUNBUFFERED": "1"},
        )
        self.thread = threading.Thread(target=self._work, name="meter", daemon=True)
        self.thread.start()

    def begin(self) -> None:
        """Wait for the first values and derive the period from them. Raise BadInput if there are none."""
        until = time.monotonic() + FIRST_S
        while not self._enough() and self.thread.is_alive() and time.monotonic() < until:
            time.sleep(0.02)
        arrivals, wrong = self.output.arrivals, self.output.wrong
        if len(arrivals) < 2:
            if not self.thread.is_alive():
                raise BadInput(f"the meter's command {self.name} ended at once: {self._end()}")
            printed = f"; it printed {wrong!r}, which is not a value with a known unit" if wrong else ""
            raise BadInput(f"the meter's command {self.name} printed fewer than two values in {FIRST_S:g} s{printed}")
        (first, _), (last, _) = arrivals[0], arrivals[-1]
        period_s = (last - first) / sum(count for _, count in arrivals[1:])
        self.facts = self.spec.facts(f"command {plain(self.name)}", period_s=period_s)
        self.series = self.output.series = Series(period_s, quantity=self.spec.quantity)
        if not self.thread.is_alive():
            self._ended()

    def _enough(self) -> bool:
        arrivals = self.output.arrivals
        span = arrivals[-1][0] - arrivals[0][0] if arrivals else 0.0
        return len(arrivals) >= LEAST_VALUES and span >= LEAST_S

    def close(self) -> None:
        """End the command and all processes of its group."""
        if self.output.series:
            self.linger()
        self.closing = True
        if self.output.series:
            self.finish()
        self._kill()
        self.thread.join(END_S)
        for pipe in (self.child.stdout, self.child.stderr):
            if pipe and not self.thread.is_alive():
                pipe.close()

    def _work(self) -> None:
        """Read until the command closes its output."""
        out, err = self.child.stdout, self.child.stderr
        assert out  # noqa: S101 for mypy: a pipe
        assert err  # noqa: S101 likewise
        files = [out, err]
        while out in files:
            for file in select.select(files, [], [])[0]:
                data = os.read(file.fileno(), READ_BYTES)
                if not data:
                    files.remove(file)
                elif file is err:
                    self.errors = (self.errors + data.decode(errors="replace"))[-MOST_LINE:]
                else:
                    self.output.take(time.monotonic(), data)
        if self.output.series and not self.closing:
            self._ended()

    def _ended(self) -> None:
        if self.over:
            return
        lasted = time.monotonic() - self.started
        self.series.note(Sentence("meter_ended", time=lasted, how=self._end()))
        self.over = True

    def _end(self) -> Sentence:
        self._exited(END_S)
        self._kill()
        last = (self.errors.strip().splitlines() or [self.output.wrong])[-1]
        code = self.child.poll()
        how = Sentence("meter_closed")
        if code is not None:
            how = Sentence("meter_signal", n=-code) if code < 0 else Sentence("fio_code", n=code)
        return Sentence("meter_how", parts=[how, *([plain(last)[:200]] if last else [])])

    def _exited(self, seconds: float) -> bool:
        """Wait for the command to exit, but leave it unreaped, so that its number stays that of its group."""
        until = time.monotonic() + seconds
        while self.child.returncode is None and time.monotonic() < until:
            if os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
                return True
            time.sleep(0.01)
        return self.child.returncode is not None

    def _kill(self) -> None:
        """End what is left of the group, and reap the command."""
        if self.child.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child.pid, signal.SIGTERM)
                self._exited(END_S)
                os.killpg(self.child.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(END_S)
