"""A capture from its beginning to its end: read, fold or keep, write parts, and say what is missing."""

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

LOOK_S = 0.5
"""Between two looks into the buffers, unless one fills sooner."""
LAST_S = 0.1
"""For the ends of those IOs that are in flight when no further one is told."""
PART_S, PART_IOS = 30, 1 << 20
"""A part is written so often: what a kill costs at most."""
BUFFERS_BYTES, MOST_BUFFER_BYTES = 256 * MiB, 8 * MiB
"""Of all processors together, and of one; 8 MiB hold half a second of 100,000 IOs/s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be captured and how. `shift` is "", "random", or the path of a secret's file."""

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
    """How it went: what was told, what the block layer counted, what is missing; seconds, and of a processor."""

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
    why: str = ""
    notes: tuple[str, ...] = ()

    @property
    def lost(self) -> int:
        """IOs that happened and are in no file: by the block layer's own counters where records found no room.

        An IO that lost only its end is in the file. Where no counters are kept, as if each had lost both.
        """
        missing = max(self._known - self._data, 0) if self._known else self.lost_records // 2
        return self.gone_ios + (missing if self.lost_records else 0)

    @property
    def off(self) -> float:
        """By how much the captured reads, writes and discards differ from those counters; those in flight at the ends
        make up to their number."""
        return abs(self._data - self._known) / self._known if self._known else 0.0

    @property
    def _known(self) -> int:
        return self.counted.reads + self.counted.writes + self.counted.discards

    @property
    def _data(self) -> int:
        return self.reads + self.writes + self.counts.get("own", 0) + self.counts.get("asked", 0)


def capture(wish: Wish, stop: Callable[[], bool], told: Callable[[Captured], None]) -> Captured:
    """Follow a drive until the time is over or `stop` says so; the file is written then. `told` hears of it as it goes.

    BadInput, Missing or StepFailed before anything begins; StepFailed too where the file cannot be written at the end.
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
            _follow(wish, reader, keeping, went, stop, told)
        finally:
            if not kept.numbers:
                kept.folder.rmdir()
        went.lost_records, went.counts, went.gone_ios = instance.lost(), reader.counts(), kept.gone_ios
    went.notes = tuple(_sentences(wish, went, kept))
    if kept.numbers:
        kept.join(_described(_about(wish, drive, begun_s), went))
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
    told: Callable[[Captured], None],
) -> None:
    began_ns, began_cpu = reader.begin(), time.process_time()
    before = reader.drive.counters()
    told(went)
    try:
        while not stop() and went.seconds < wish.seconds:
            reader.wait(min(LOOK_S, max(wish.seconds - went.seconds, 0)))
            went.seconds = (time.monotonic_ns() - began_ns) / 1e9
            for batch in reader.take():
                _count(went, batch)
                keeping.add(batch)
            went.counted, went.cpu_s = reader.drive.counters() - before, time.process_time() - began_cpu
            told(went)
        reader.hold()
        went.counted, went.seconds = reader.drive.counters() - before, (time.monotonic_ns() - began_ns) / 1e9
        time.sleep(LAST_S)
        for batch in reader.end():
            _count(went, batch)
            keeping.add(batch)
        keeping.end(round(went.seconds * 1e9))
    except spool.Full as full:
        reader.instance.quiet()
        went.why = str(full)
    went.cpu_s = time.process_time() - began_cpu


def _count(went: Captured, batch: Columns) -> None:
    went.ios += len(batch["op"])
    went.reads += int(np.count_nonzero(batch["op"] == READ))
    went.writes += int(np.count_nonzero((batch["op"] == WRITE) | (batch["op"] == DISCARD)))


class _Keeping:
    """Batches on their way into parts: as they are, or folded to steps."""

    def __init__(self, wish: Wish, kept: spool.Spool, about: About, shift: Callable[[Any], Any]) -> None:
        self.wish, self.kept, self.about, self.shift = wish, kept, about, shift
        self.folding = Folding(wish.step_ns)
        self.folding.ready()
        self.steps: list[Step] = []
        self.batches: list[Columns] = []
        self.ios, self.since_s = 0, time.monotonic()

    def add(self, batch: Columns) -> None:
        """Take these in; a part is written when it is time. Full where it does not fit."""
        self.ios += len(batch["op"])
        if self.wish.addresses:
            kept = {name: column.copy() for name, column in batch.items()}
            self.batches.append(kept | {"offset": self.shift(kept["offset"])})
        else:
            self.steps += self.folding.add(batch)
        if self.ios >= PART_IOS or time.monotonic() - self.since_s > PART_S:
            self._write()

    def end(self, t_ns: int) -> None:
        """The last part, up to that time."""
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
    """What moves offsets by a secret number of MiB, round the drive's end; alignment stays."""
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


def _described(about: About, went: Captured) -> About:
    """The same with what is known at the end."""
    words = f"{went.lost_records} records found no room in the kernel's buffers" if went.lost_records else ""
    return msgspec.structs.replace(about, lost=went.lost, lost_words=words, notes=went.notes)


def _sentences(wish: Wish, went: Captured, kept: spool.Spool) -> Iterator[str]:
    """What is to be known of a capture besides its IOs."""
    known = went.counts
    if kept.gone_parts:
        yield f"there was no room for more: the oldest {kept.gone_ios} IOs gave way"
    if went.why:
        yield f"it ended early, {went.why}"
    if known.get("own"):
        yield f"{known['own']} IOs that the capture itself sent to this drive are left out"
    if went.drive.holds(wish.into.absolute().parent):
        yield "the capture's file lies on this drive; what the kernel writes for it by itself is among the IOs"
    if known.get("zeroes"):
        yield f"{known['zeroes']} writes of zeroes are told as discards"
    if known.get("other"):
        yield f"{known['other']} commands that are no IOs are left out"
    if known.get("unanswered"):
        yield f"{known['unanswered']} IOs have no response time: still in flight at the end, or never seen to end"
