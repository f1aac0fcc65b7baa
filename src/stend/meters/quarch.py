"""A power module of Quarch in the supply line of the drive, by quarchpy and a running QIS.

quarchpy writes a stream as CSV, whose first line names the columns. The module averages 256 samples of 4 µs, so that
there is a value about every millisecond, as OCP PCM-1 requires (2 ms).
"""

import math
import re
import threading
import time
from importlib import import_module
from typing import Any, NamedTuple

from stend.base import extras
from stend.base.errors import BadInput, StepFailed
from stend.base.text import plain
from stend.devices import Device
from stend.meters._lines import MOST_LINE
from stend.meters._series import Recorder, Series
from stend.meters._types import Meter, Spec
from stend.words import Sentence

ADDRESS = "ADDRESS, such as usb::QTL1999-02-004 or tcp::192.168.1.5"
SETUP = (
    "stream mode header v3",
    "stream mode power enable",
    "stream mode power total enable",
    "record:trigger:mode manual",
    "record:averaging 256",
)
FIRST_S = 20.0
TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
POWERS = {"uw": 1e-6, "mw": 1e-3, "w": 1.0}
DRIFT = 1e-4
"""Largest difference in speed between the module's clock and that of this host."""


class Columns(NamedTuple):
    """Columns of a stream: the unit of time in seconds, and the columns that add up to the power, with their units."""

    time_s: float
    powers: tuple[tuple[int, float], ...]


def columns(header: str) -> Columns:
    """Return the columns of a stream by its first line. Raise StepFailed if it has no power."""
    names = [name.strip().lower() for name in header.split(",")]
    unit = TIMES.get(names[0].rpartition(" ")[2], 0.0) if names[0].startswith("time") else 0.0
    powers = [
        (place, name, POWERS[name.rpartition(" ")[2]])
        for place, name in enumerate(names)
        if re.search(r"\bpower\b", name) and name.rpartition(" ")[2] in POWERS
    ]
    total = [power for power in powers if power[1].startswith("tot")]
    if not unit or not powers:
        raise StepFailed(f"the stream has no power; its columns are {plain(header[:200])}")
    return Columns(unit, tuple((place, size) for place, _, size in total[:1] or powers))


def parsed(line: str, known: Columns) -> tuple[float, float] | None:
    """Return (seconds on the module's clock, watts) of a line, or None if it is no line of values."""
    parts = line.split(",")
    try:
        watts = sum(float(parts[place]) * size for place, size in known.powers)
        at = float(parts[0]) * known.time_s
    except (ValueError, IndexError):
        return None
    return (at, watts) if math.isfinite(at) else None


class Stream:
    """A file to which quarchpy writes a stream. It places each value on the clock of this host.

    The delay of the transport is never negative, so that the line with the shortest delay fixes the offset of the
    clocks. The offset may drift by `DRIFT`.
    """

    def __init__(self) -> None:
        self.known: Columns | None = None
        self.series: Series | None = None
        self.rest, self.wrong = "", ""
        self.offset, self.latest = 0.0, -1.0
        self.times: list[float] = []
        self.lock = threading.Lock()

    def write(self, text: str) -> int:
        """Take text of the stream."""
        with self.lock:
            *lines, self.rest = re.split(r"[\r\n]+", self.rest + text)
            self.rest = self.rest[-MOST_LINE:]
            self._take(time.monotonic(), [line for line in lines if line.strip()])
        return len(text)

    def flush(self) -> None:
        """Do nothing."""

    def _take(self, now: float, lines: list[str]) -> None:
        if lines and not self.known and not self.wrong:
            try:
                self.known = columns(lines.pop(0))
            except StepFailed as error:
                self.wrong = str(error)
        if not self.known:
            return
        rows = []
        for line in lines:
            found = parsed(line, self.known)
            if found and found[0] > self.latest:
                rows.append(found)
                self.latest = found[0]
            elif self.series:
                self.series.note(Sentence("meter_stream_line", line=repr(plain(line[:80]))))
        if not rows:
            return
        least = now - rows[-1][0]
        grown = self.offset + DRIFT * (rows[-1][0] - self.times[-1]) if self.times else least
        self.offset = min(least, grown)
        self.times = [*self.times[:2], rows[-1][0]] if self.series else [*self.times, *(row[0] for row in rows)]
        if self.series:
            for at, watts in rows:
                self.series.add(at + self.offset, watts)


class Quarch(Recorder):
    """A module that streams until it is closed."""

    def __init__(self, spec: Spec, module: Any) -> None:
        self.module, self.stream = module, Stream()
        for command in SETUP:
            answer = str(module.send_command(command))
            if answer.upper().startswith("FAIL"):
                raise BadInput(f"{spec.text}: the module refuses `{command}`: {plain(answer[:200])}")
        module.start_stream(output_file_handle=self.stream)
        until = time.monotonic() + FIRST_S
        while len(self.stream.times) < 3 and not self.stream.wrong and time.monotonic() < until:
            time.sleep(0.02)
        times = self.stream.times
        if len(times) < 3:
            self.close()
            raise BadInput(f"{spec.text}: {self.stream.wrong or f'the module sent no values within {FIRST_S:g} s'}")
        period_s = (times[-1] - times[0]) / (len(times) - 1)
        self.facts = spec.facts(f"Quarch {plain(spec.address)}", period_s=period_s)
        self.series = Series(period_s)
        with self.stream.lock:
            self.stream.series, self.stream.times = self.series, times[-1:]

    def words(self) -> list[Sentence]:
        """Return the notes since the last call, and once the end of the stream."""
        status = str(self.module.stream_running_status()) if self.module and not self.over else "running"
        if "running" not in status.lower():
            self.series.note(Sentence("meter_stream_end", status=plain(status[:200])))
            self.over = True
        return super().words()

    def close(self) -> None:
        """Stop the stream and release the module."""
        if hasattr(self, "series"):
            self.finish()
        if self.module:
            self.module.stop_stream()
            self.module.close_connection()
            self.module = None


def present() -> list[tuple[str, str]]:
    """Return the meter if quarchpy is installed."""
    return [] if extras.missing("quarchpy") else [("quarch:ADDRESS", "power module of Quarch, by QIS")]


def opened(spec: Spec, device: Device | None) -> Meter:
    """Return the meter. Raise Missing without quarchpy, BadInput if QIS does not run or the module does not answer.

    quarchpy is not an extra of stend, because it brings a server in Java and writes its own log.
    """
    extras.need("the meter quarch", "quarchpy")
    device_api, qis = import_module("quarchpy.device"), import_module("quarchpy.qis")
    if not qis.isQisRunning():
        raise BadInput("the meter quarch needs a running QIS: start it with `python -m quarchpy.run qis`")
    try:
        module = device_api.quarchPPM(device_api.getQuarchDevice(spec.address, ConType="QIS"))
    except Exception as error:  # quarchpy raises plain Exception
        raise BadInput(f"{spec.text}: the module does not answer: {plain(str(error)[:200])}") from error
    return Quarch(spec, module)
