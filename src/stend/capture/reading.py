"""Read the trace points of all processors while they fill and pair their records into batches of IOs, in order."""

import os
import select
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.errors import StepFailed
from stend.capture._pairing import (
    ASKED,
    BEFORE,
    FORGOTTEN,
    OPEN,
    OTHER,
    OWN,
    STRAY,
    TAIL,
    ZEROED,
    in_flight,
    over,
    pair,
    rewind,
)
from stend.capture._records import decode, records
from stend.capture.drive import Drive
from stend.capture.tracefs import Instance, fields

ROUND_BYTES = 16 << 20
"""Bytes that one round reads from all processors together."""
LEAST_S = 0.1
"""Seconds between two reads. Kernels before Linux 6.1 wake a reader for each record, not when a buffer is half full."""
RECORD_BYTES = 40
"""The least size of an IO's record in a page."""
ROOM, SLOTS = 1 << 20, 1 << 15
SLACK_NS = 2_000_000
"""Longest delay between the time in a record and the moment when it can be read."""
PATIENCE_NS = 60_000_000_000
"""An IO that takes longer gets no response time. The kernel itself gives up after 30 s for most drives."""
STARTED_NS = 5_000_000_000
FIELDS = ("common_pid", "sector", "nr_sector", "rwbs")

Columns = dict[str, npt.NDArray[Any]]


class Reader:
    """A reader of the IOs of one drive. `take` yields those that ended since the last call, and `end` all others."""

    def __init__(self, instance: Instance, drive: Drive) -> None:
        self.instance, self.drive = instance, drive
        self.page_bytes, self.pipes = instance.page_bytes, instance.pipes()
        self._call = select.poll()
        for pipe in self.pipes:
            self._call.register(pipe, select.POLLIN)
        pages = max(ROUND_BYTES // self.page_bytes // len(self.pipes), 2)
        self._octets = np.zeros(pages * self.page_bytes, np.uint8)
        self._words = self._octets.view(np.uint32)
        self._pages = [memoryview(self._octets.data)[n * self.page_bytes :][: self.page_bytes] for n in range(pages)]
        self._records = records(2 * len(self.pipes) * pages * self.page_bytes // RECORD_BYTES)
        self._layout = np.array([_row(instance, event) for event in _events(drive)], np.int64)
        self._flight = in_flight(ROOM, SLOTS, drive.in_flight())
        self._began_ns = time.monotonic_ns()
        decode(self._octets, self._words, 0, self.page_bytes, self._layout, self._records)
        list(self.take())  # compile the kernels, or load them from the cache, before the first IO

    def begin(self) -> int:
        """Turn the trace points on. Return the start of the capture on the clock of `time.monotonic_ns`."""
        for event in reversed(_events(self.drive)):
            self.instance.enable(event, f"dev == {self.drive.number}")
        self._began_ns = time.monotonic_ns()
        return self._began_ns

    def wait(self, seconds: float) -> None:
        """Wait `seconds`, or until a processor's buffer is half full."""
        time.sleep(min(seconds, LEAST_S))
        self._call.poll(max(seconds - LEAST_S, 0) * 1000)

    def take(self) -> Iterator[Columns]:
        """Yield batches of IOs, in order of issue, that ended or were given up since the last call.

        Later batches overwrite the arrays of a batch, except its times. Use or copy it before the next one.
        """
        return self._taken(time.monotonic_ns() - SLACK_NS, PATIENCE_NS)

    def stop_issues(self) -> None:
        """Turn the trace point of issues off. The ends of IOs in flight are still read."""
        self.instance.disable(self.drive.begins)

    def end(self) -> Iterator[Columns]:
        """Yield the last batches. IOs still in flight have no response time."""
        self.instance.disable_all()
        more = True
        while more:
            more = False
            for batch in self._taken(1 << 62, PATIENCE_NS):
                more = True
                yield batch
        self._flight.at[BEFORE] = 0
        yield from self._complete(-PATIENCE_NS)

    def counts(self) -> dict[str, int]:
        """Return counts of records that are not IOs of a batch: see the places of `InFlight.at`."""
        names = {
            "asked": ASKED,
            "own": OWN,
            "other": OTHER,
            "stray": STRAY,
            "zeroes": ZEROED,
            "unanswered": FORGOTTEN,
            "open": OPEN,
        }
        return {name: int(self._flight.at[place]) for name, place in names.items()}

    def close(self) -> None:
        """Close the buffers."""
        while self.pipes:
            os.close(self.pipes.pop())

    def _taken(self, until: int, patience_ns: int) -> Iterator[Columns]:
        for pipe in self.pipes:
            until = min(until, self._read(pipe))
        r, f = self._records, self._flight
        many = int(r.many[0])
        order = np.argsort(r.t_ns[:many], kind="stable")
        rewind(f)
        if time.monotonic_ns() - self._began_ns > STARTED_NS:
            f.at[BEFORE] = 0
        done = int(pair(r, order, until, os.getpid(), f))
        yield from self._complete(patience_ns)
        while done < many and r.t_ns[order[done]] < until:  # the ring was full
            done += int(pair(r, order[done:], until, os.getpid(), f))
            yield from self._complete(patience_ns)
        rest = order[done:]
        for column in r[:-1]:
            column[: len(rest)] = column[rest]
        r.many[0] = len(rest)

    def _read(self, pipe: int) -> int:
        """Read a processor's buffer. Return the time up to which its records are complete."""
        pages = 0
        for page in self._pages:
            try:
                if os.readv(pipe, [page]) <= 0:
                    break
            except BlockingIOError:
                break
            pages += 1
        if not pages:
            return 1 << 62
        if not decode(self._octets, self._words, pages, self.page_bytes, self._layout, self._records):
            raise StepFailed("the kernel's trace buffers do not have the documented format, so that no IO can be read")
        return 1 << 62 if pages < len(self._pages) else int(self._records.t_ns[self._records.many[0] - 1])

    def _complete(self, patience_ns: int) -> Iterator[Columns]:
        """Yield the IOs that ended or are given up, as one batch, or two where the ring wraps."""
        f, first = self._flight, int(self._flight.at[TAIL])
        last = int(over(f, time.monotonic_ns() - patience_ns, ROOM * 3 // 4))
        cut = min((first // ROOM + 1) * ROOM, last)
        return (self._batch(begin, end) for begin, end in ((first, cut), (cut, last)) if end > begin)

    def _batch(self, first: int, last: int) -> Columns:
        f, part = self._flight, slice(first % ROOM, (last - 1) % ROOM + 1)
        names = ("op", "flags", "offset", "length", "latency_ns", "depth", "process")
        return {"t_ns": f.t_ns[part] - self._began_ns} | {name: getattr(f, name)[part] for name in names}


def _events(drive: Drive) -> list[str]:
    return [event for event in (drive.begins, drive.ends, drive.again) if event]


def _row(instance: Instance, event: str) -> list[int]:
    """Return a trace point's number and the offsets of its fields."""
    places = fields(instance.format(event))
    if missing := [name for name in FIELDS if name not in places]:
        raise StepFailed(f"this kernel's trace point {event} has no {', '.join(missing)}, so that no IO can be read")
    return [places["ID"][0], *(places[name][0] for name in FIELDS)]
