"""A file with one line per value, `time,watts`, that another program writes during the run.

Times are those of this host's clock: seconds, milliseconds, microseconds or nanoseconds since 1970, or ISO 8601. Values
have units as in `cmd`.
"""

import re
import time
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

from stend.base.errors import BadInput
from stend.base.text import plain
from stend.devices import Device
from stend.meters._lines import MOST_LINE, Stated, stated
from stend.meters._series import Recorder, Series
from stend.meters._types import Meter, Spec, Value
from stend.words import Sentence, text

ADDRESS = "PATH"
FIRST_S = 20.0
"""Seconds to wait for the first two lines of a file that has just been started."""
TAIL_BYTES, READ_BYTES = 1 << 16, 16 << 20
SCALES = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3), (1e8, 1.0))
"""Smallest time since 1970 in a unit, and the unit in seconds. Smaller numbers are not times since 1970."""
SEPARATOR = re.compile(r"\s*[,;\t]\s*")
AHEAD_S = 2.0
"""A file whose times are further ahead of this host's clock was written by another clock."""


def opened(spec: Spec, device: Device | None) -> Meter:
    """Return the meter. Raise BadInput if the file does not exist or has no lines of time and watts."""
    return File(spec, Path(spec.address))


def moment(text: str) -> float | None:
    """Return a time as seconds since 1970, or None if it is not one."""
    try:
        number = float(text)
    except ValueError:
        try:
            return datetime.fromisoformat(text).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    return next((number * unit for least, unit in SCALES if least <= number < 1e20), None)


def row(line: str) -> tuple[float, Stated] | None:
    """Return (seconds since 1970, value) of a line, or None if it is neither."""
    parts = SEPARATOR.split(line.strip())
    if len(parts) < 2:
        parts = line.split()
    if len(parts) < 2 or len(line) > MOST_LINE or (at := moment(parts[0])) is None:
        return None
    value = stated(parts[1])
    return (at, value) if value else None


class File(Recorder):
    """A file that grows, or that is complete. Lines before the start of the run are skipped."""

    def __init__(self, spec: Spec, path: Path) -> None:
        self.path, self.ahead = path, False
        first = self._first()
        steps = [after - before for before, after in pairwise(first) if after > before]
        if not steps:
            raise BadInput(f"the meter's file {path} has times that do not increase")
        self.facts = spec.facts(f"file {plain(path.name)}", period_s=median(steps))
        self.series = Series(self.facts.period_s)
        self.series.last = time.monotonic()
        self.latest = first[-1]

    def _first(self) -> list[float]:
        """Return the times of the last lines, when there are two. Later reads start behind them."""
        until = time.monotonic() + FIRST_S
        while True:
            if not self.path.is_file():
                raise BadInput(f"the meter's file {self.path} is not a file")
            size, self.rest = self.path.stat().st_size, b""
            lines = self._from(max(size - TAIL_BYTES, 0))
            times = [found[0] for line in lines if (found := row(line))]
            if len(times) >= 2:
                return times
            if time.monotonic() > until:
                shown = f"; its last line is {plain(lines[-1][:80])!r}" if lines else ""
                raise BadInput(f"the meter's file {self.path} has no two lines `time,watts`{shown}")
            time.sleep(0.1)

    def _from(self, place: int) -> list[str]:
        """Return the whole lines from a place in the file on. The rest of a line stays for the next call."""
        try:
            with self.path.open("rb") as file:
                file.seek(place)
                data = file.read(READ_BYTES)
        except OSError as error:
            raise BadInput(f"the meter's file {self.path} cannot be read: {error.strerror}") from error
        self.place = place + len(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [line.decode(errors="replace") for line in lines if line.strip()]

    def read(self) -> list[Value]:
        """Return the blocks of the lines that were added since the last call."""
        try:
            if self.path.stat().st_size < self.place:
                self.series.note(Sentence("meter_shorter", name=self.path.name))
                self.place, self.rest = 0, b""
            lines = self._from(self.place)
        except (OSError, BadInput) as error:
            self.series.note(Sentence("meter_unread", name=self.path.name, why=text(str(error))))
            return []
        shift = time.time() - time.monotonic()
        for line in lines:
            self._take(line, shift)
        return super().read()

    def _take(self, line: str, shift: float) -> None:
        found = row(line)
        if not found:
            self.series.note(Sentence("meter_file_line", line=repr(plain(line[:80]))))
            return
        at, value = found
        if at <= self.latest:
            self.series.note(Sentence("meter_times"))
            return
        self.latest = at
        if (early := at - shift - time.monotonic()) > AHEAD_S and not self.ahead:
            self.ahead = True
            self.series.note(Sentence("meter_ahead", time=early))
        if value.energy:
            self.series.add_energy(at - shift, value.value)
        else:
            self.series.add(at - shift, value.value)

    def close(self) -> None:
        """Note a gap at the end."""
        self.finish()
