"""Run a capture: read IOs, fold them into steps or keep them, write parts, and report missing IOs."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from stend.base import extras, untrusted
from stend.base.units import MiB
from stend.capture import drive as drives
from stend.capture import spool, tracefs
from stend.capture.drive import Counters, Drive
from stend.capture.reading import Columns, Reader
from stend.trace.folding import Folding
from stend.trace.form import DISCARD, READ, WRITE, About
from stend.trace.steps import SECOND_NS, Step
from stend.words import Sentence, text

LOOK_S = 0.5
"""Seconds between two reads of the buffers, unless one is half full sooner."""
LAST_S = 0.1
"""Seconds to wait for the ends of IOs in flight after the trace point of issues is off."""
PART_S, PART_IOS = 30, 1 << 20
"""Seconds and IOs after which a part is written; a kill loses at most one part."""
BUFFERS_BYTES, MOST_BUFFER_BYTES = 256 * MiB, 8 * MiB
"""Size of the buffers of all processors together, and of one. 8 MiB hold half a second of 100,000 IOs/s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The request for a capture: drive, duration, file and form.

    `shift` is "" for none, "random", or the path of a file with a secret. `ring` drops the oldest parts when
    `limit_bytes` or the disk is full.
    """

    target: str
    seconds: float
    into: Path
    addresses: bool = False
    step_ns: int = SECOND_NS
    limit_bytes: int = 1 << 62
    ring: bool = False
    shift: str = ""


@dataclass(slots=True)
class Captured:
    """The result of a capture: captured IOs, the block layer's counters, lost IOs, and processor time.

    `seconds` is the duration of the capture and `cpu_s` the processor time. `counts` are those of `Reader.counts`,
    `lost_records` the records without space in the kernel's buffers, and `gone_ios` the IOs of dropped parts. `at_ends`
    are IOs that ended or were in flight while the capture began or ended. `why` is the reason of an early end.
    """

    drive: Drive
    seconds: float = 0.0
    cpu_s: float = 0.0
    ios: int = 0
    reads: int = 0
    writes: int = 0
    counted: Counters = field(default_factory=lambda: Counters(0, 0, 0, 0))
    counts: dict[str, int] = field(default_factory=dict)
    lost_records: int = 0
    gone_ios: int = 0
    at_ends: int = 0
    why: Sentence | None = None
    notes: tuple[Sentence, ...] = ()

    @property
    def lost(self) -> int:
        """Return the IOs that are missing from the file: those of dropped parts and, by the counters, of lost records.

        An IO that lost only its end is in the file. If the kernel keeps no counters, each IO is assumed to have lost
        both records.
        """
        known = self.counted.ios
        missing = max(known - self._data, 0) if known else self.lost_records // 2
        return self.gone_ios + (missing if self.lost_records else 0)

    @property
    def off(self) -> float:
        """Return the relative difference between captured IOs and the block layer's counters, as a fraction.

        Each of the IOs `at_ends` may be in one of the two alone: a difference of that many is none.
        """
        known = self.counted.ios
        return max(abs(self._data - known) - self.at_ends, 0) / known if known else 0.0

    @property
    def _data(self) -> int:
        return self.reads + self.writes + self.counts.get("own", 0) + self.counts.get("asked", 0)


def capture(wish: Wish, stop: Callable[[], bool], report: Callable[[Captured], None]) -> Captured:
    """Capture a drive until the time is over or `stop` returns True, then write the file. `report` gets the progress.

    Raise BadInput, Missing or StepFailed before the capture begins, and StepFailed if the file cannot be written.
    """
    extras.need("a capture", "numba", *(["pyarrow"] if wish.addresses else []))
    drive = drives.drive(wish.target)
    shift = _shift(wish.shift, drive.capacity_bytes)
    went = Captured(drive)
    with _following(drive) as (reader, instance):
        kept = spool.Spool(wish.into, wish.limit_bytes, ring=wish.ring)
        try:
            begun_s = time.time()
            keeping = _Keeping(wish, kept, _about(wish, drive, begun_s), shift)
            _follow(wish, reader, keeping, went, stop, report)
        finally:
            if not kept.held:
                kept.folder.rmdir()
        went.lost_records, went.counts, went.gone_ios = instance.lost(), reader.counts(), kept.gone_ios
    went.notes = tuple(_sentences(wish, went, kept))
    if kept.held:
        words = Sentence("capture_lost", n=went.lost_records) if went.lost_records else None
        about = msgspec.structs.replace(_about(wish, drive, begun_s), seconds=went.seconds)
        kept.join(msgspec.structs.replace(about, lost=went.lost, lost_words=words, notes=went.notes))
    return went


@contextmanager
def _following(drive: Drive) -> Iterator[tuple[Reader, tracefs.Instance]]:
    with tracefs.mounted() as root, tracefs.instance(root, _buffer_bytes(root)) as instance:
        reader = Reader(instance, drive)
        try:
            yield reader, instance
        finally:
            reader.close()


def _buffer_bytes(root: Path) -> int:
    processors = len(list((root / "per_cpu").iterdir()))
    return max(min(BUFFERS_BYTES // processors, MOST_BUFFER_BYTES), MiB)


def _follow(
    wish: Wish,
    reader: Reader,
    keeping: "_Keeping",
    went: Captured,
    stop: Callable[[], bool],
    report: Callable[[Captured], None],
) -> None:
    """Read IOs until the end, in `went` and into `keeping`. Stop early if no part can be written any more."""
    first = reader.drive.counters()
    began_ns, began_cpu = reader.begin(), time.process_time()
    before = reader.drive.counters()
    went.at_ends = (before - first).ios + reader.drive.in_flight()
    report(went)
    try:
        while not stop() and went.seconds < wish.seconds:
            reader.wait(min(LOOK_S, max(wish.seconds - went.seconds, 0)))
            went.seconds = (time.monotonic_ns() - began_ns) / 1e9
            for batch in reader.take():
                _count(went, batch)
                keeping.add(batch)
            went.counted, went.cpu_s = reader.drive.counters() - before, time.process_time() - began_cpu
            report(went)
        last = reader.drive.counters()
        reader.stop_issues()
        went.counted, went.seconds = reader.drive.counters() - before, (time.monotonic_ns() - began_ns) / 1e9
        went.at_ends += (went.counted - (last - before)).ios + reader.drive.in_flight()
        time.sleep(LAST_S)
        for batch in reader.end():
            _count(went, batch)
            keeping.add(batch)
        keeping.end(round(went.seconds * 1e9))
    except spool.Full as full:
        reader.instance.disable_all()
        went.why = text(str(full))
    went.cpu_s = time.process_time() - began_cpu


def _count(went: Captured, batch: Columns) -> None:
    went.ios += len(batch["op"])
    went.reads += int(np.count_nonzero(batch["op"] == READ))
    went.writes += int(np.count_nonzero((batch["op"] == WRITE) | (batch["op"] == DISCARD)))


class _Keeping:
    """The batches for the next part: as they are, or folded into steps."""

    def __init__(self, wish: Wish, kept: spool.Spool, about: About, shift: Callable[[Any], Any]) -> None:
        self.wish, self.kept, self.about, self.shift = wish, kept, about, shift
        self.folding = Folding(wish.step_ns)
        self.folding.ready()
        self.steps: list[Step] = []
        self.batches: list[Columns] = []
        self.ios, self.since_s = 0, time.monotonic()

    def add(self, batch: Columns) -> None:
        """Add a batch and write a part when it is due. Raise Full if that does not fit."""
        left = len(batch["op"])
        for begin in range(0, left, PART_IOS):  # a busy host takes many parts at once
            part = {name: column[begin : begin + PART_IOS] for name, column in batch.items()}
            left -= len(part["op"])
            try:
                self._add(part)
            except spool.Full:
                self.kept.gone_ios += left
                raise

    def _add(self, batch: Columns) -> None:
        self.ios += len(batch["op"])
        if self.wish.addresses:
            kept = {name: column.copy() for name, column in batch.items()}
            self.batches.append(kept | {"offset": self.shift(kept["offset"])})
        else:
            self.steps += self.folding.add(batch)
        if self.ios >= PART_IOS or time.monotonic() - self.since_s > PART_S:
            self._write()

    def end(self, t_ns: int) -> None:
        """Write the last part, up to `t_ns` since the start of the capture."""
        if not self.wish.addresses:
            self.steps += self.folding.end(t_ns)
        self._write()

    def _write(self) -> None:
        steps, batches, ios = self.steps, self.batches, self.ios
        self.steps, self.batches, self.ios, self.since_s = [], [], 0, time.monotonic()
        if steps:
            self.kept.add(spool.of_steps(steps, self.wish.step_ns, self.about), sum(step.ios for step in steps))
        if batches or (self.wish.addresses and not self.kept.numbers):
            self.kept.add(spool.of_ios(batches, self.about), ios)


def _shift(wish: str, capacity_bytes: int) -> Callable[[Any], Any]:
    """Return a function that moves offsets by a secret number of MiB, modulo the capacity. It keeps their alignment."""
    if not wish:
        return lambda offset: offset
    secret = secrets.token_bytes(32) if wish == "random" else untrusted.read(Path(wish), "the secret")
    whole = max(capacity_bytes // MiB, 1)
    by = int.from_bytes(hashlib.blake2b(secret, digest_size=16).digest()) % whole * MiB
    return lambda offset: (offset + by) % (whole * MiB)


def _about(wish: Wish, drive: Drive, begun_s: float) -> About:
    return About(
        source=f"stend capture ({drive.begins}, {drive.ends})",
        device=drive.words,
        capacity_bytes=drive.capacity_bytes,
        block_bytes=drive.block_bytes,
        begun_s=begun_s,
        shifted=bool(wish.shift and wish.addresses),
    )


def _sentences(wish: Wish, went: Captured, kept: spool.Spool) -> Iterator[Sentence]:
    """Yield the notes of a capture: early end, IOs that are left out, and reasons to doubt it."""
    known = went.counts
    if kept.gone_parts:
        yield Sentence("capture_gone", n=kept.gone_ios)
    if went.why:
        yield Sentence("capture_early", why=went.why)
    if went.drive.holds(wish.into.absolute().parent):
        yield Sentence("capture_on_drive")
    for name in ("own", "zeroes", "other", "unanswered"):
        if known.get(name):
            yield Sentence(f"capture_{name}", n=known[name])
