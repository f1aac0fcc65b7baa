"""fio's iolog, version 2 (`file action offset length`) and 3 (`time file action offset length`).

Times of version 3 are microseconds in every fio that writes them (3.31 and later: `utime_since_now` in iolog.c), though
some tools write milliseconds or nanoseconds. The only times of version 2 are `wait` lines, in microseconds after the
previous wait (HOWTO, "Trace file format v2"). fio itself never writes one. The log lists the IOs that fio requested.
"""

import numpy as np

from stend.trace.fields import Numbers
from stend.trace.form import DISCARD, FLUSH, READ, WRITE, Batch
from stend.trace.lines import Lines, word
from stend.trace.readers._reader import Reader as Base
from stend.trace.sound import LARGEST

ACTIONS = {b"read": READ, b"write": WRITE, b"trim": DISCARD, b"sync": FLUSH, b"datasync": FLUSH, b"syncfs": FLUSH}
FILES = [word(action) for action in (b"add", b"open", b"close", b"unlink")]
US = 1000
DAY_US = 86_400 * 10**6


class Reader(Base):
    """Reader of fio's IO logs. A volume is a file or drive that fio wrote to."""

    words = "fio iolog"
    separator = " "
    begins = b"fio version "

    def __init__(self, head: bytes) -> None:
        super().__init__(head)
        self._third = head.startswith(b"fio version 3")
        self.timed = self._third
        self._now_us = 0

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines."""
        lines.skip((lines.words(0) == word(b"fio")) & (lines.words(1) == word(b"version")), "headers")
        first = int(self._third)
        about_files = np.isin(lines.words(first + 1), FILES) & (lines.count == first + 2)
        lines.skip(about_files, "files opened and closed")
        lines.demand(lines.count == first + 4, f"it has not {first + 4} fields")
        t_us = lines.whole(0, "the time is no number", LARGEST // US) if first else self._waited(lines)
        op = lines.choice(first + 1, ACTIONS, "there is no such action")
        offset, length = lines.place(first + 2, first + 3, op)
        length[op == FLUSH], offset[op == FLUSH] = 0, 0
        columns = {"t_ns": lines.near(t_us * US), "op": op, "offset": offset, "length": length}
        return lines.read(columns | {"volume": lines.volumes(first)})

    def _waited(self, lines: Lines) -> Numbers:
        """Return for each line the sum of all waits up to it, in microseconds."""
        waits = lines.good & (lines.words(1) == word(b"wait"))
        each = lines.decimal(2, 0, "it waits for no number of microseconds, or for days", DAY_US, waits)
        waits &= lines.good
        lines.skip(waits, "waits")
        self.timed |= bool(waits.any())
        t_us = self._now_us + np.cumsum(np.where(waits, each, 0))
        self._now_us = int(t_us[-1]) if len(t_us) else self._now_us
        return t_us
