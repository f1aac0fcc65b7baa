"""Verify a run folder piece by piece: is it as its run wrote it?

The check detects accidents and careless edits: crashes, copies, editors, disks. It does not detect deliberate changes
with recomputed hashes, except where fio's output in raw/ must match the counts.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import zstandard

from stend import store
from stend.base import regular
from stend.base.errors import BadInput
from stend.engines import _fio_json as fio
from stend.model.definition import Hold
from stend.model.events import Source
from stend.model.record import Run
from stend.model.tally import Tally
from stend.store import reports
from stend.store.journal import Record

MOST = 5
"""Number of defects that are listed per piece."""


Pair = tuple[Tally, Tally]
Sums = tuple[tuple[int, int], tuple[int, int]]
NOTHING: Pair = (Tally(), Tally())


class Check(NamedTuple):
    """Result of the check of one piece of a folder."""

    piece: str
    words: str
    sound: bool = True


class Folder:
    """A run folder whose events were read once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.record, self.run, self.broken = folder, Record(folder), Run(), ""
        made = reports.kept(folder).values()
        wanted, self.seals = {seal for report in made for seal in report.seals}, set[str]()
        try:
            for event in self.record:
                self.run.add(event)
                if self.record.seal in wanted:
                    self.seals.add(self.record.seal)
        except BadInput as error:
            self.broken = str(error).partition(";")[0].partition(", ")[2]

    def checks(self) -> Iterator[Check]:
        """Yield the check of each piece in turn."""
        yield self.events()
        for name in store.BESIDE:
            yield self.beside(name)
        if self.run.started:
            yield from self.results()
            if self.run.source:
                yield self.original(self.run.source)
            elif not self.run.plan.device.virtual:
                yield self.raw()
        yield from self.reports()

    def events(self) -> Check:
        """Check the lines, their numbers and their chain."""
        record = self.record
        count = max(record.lines_read - 1, 0)
        if wrong := [*record.wrong, *([self.broken] if self.broken else [])]:
            return Check("events", _some(wrong), sound=False)
        chained = "numbered and chained" if record.chain else "of format 1, without a hash chain to detect changes"
        torn = f"; a torn end of {record.torn_bytes} bytes, as a crash leaves it" if record.torn_bytes else ""
        return Check("events", f"{count}, {chained}{torn}")

    def beside(self, name: str) -> Check:
        """Check a file whose hash is in the first line."""
        file = store.BESIDE[name]
        try:
            data = regular.read(self.folder / file)
        except OSError as error:
            return Check(file, f"cannot be read: {error.strerror}", sound=False)
        written = self.record.head.get(name)
        if written is None:
            return Check(file, "present; it has no hash to detect changes")
        same = written == store.digest(data)
        return Check(file, "as written" if same else "was changed since the run began", sound=same)

    def results(self) -> Iterator[Check]:
        """Check that each step is recorded once."""
        places = [(r.where.test, r.where.phase, r.where.round, r.index) for r in self.run.results]
        doubled = len(places) - len(set(places))
        words = f"{doubled} of {len(places)} are recorded twice" if doubled else f"{len(places)}, each recorded once"
        yield Check("results", words, sound=not doubled)

    def original(self, source: Source) -> Check:
        """Check the original files of an imported run by their SHA-256."""
        wrong = list[str]()
        for name, digest in source.files:
            try:
                same = regular.digest(self.folder / "raw" / name) == digest
            except (OSError, ValueError) as error:
                wrong.append(f"{name}: {getattr(error, 'strerror', None) or error}")
                continue
            if not same:
                wrong.append(f"{name} is not what was imported")
        words = f"{len(source.files)} of {source.name}, as imported"
        return Check("raw/", _some(wrong) if wrong else words, sound=not wrong)

    def raw(self) -> Check:
        """Check that fio's output matches the counts of the results.

        Output after a mismatch of the same load cannot be checked, because totals are cumulative. Loads that stend
        sends itself have no output of fio. Bytes are compared only for loads of several block sizes: those of one size
        are counted from the IOs (`_fio_json.running`).
        """
        wrong, held = list[str](), 0
        seed: int | None = None
        base: Pair | None = NOTHING
        by_stend = self.run.plan.sent_by_stend
        for result in self.run.results:
            load = result.step.workload if isinstance(result.step, Hold) else None
            if load is None or load.ours or load in by_stend:
                continue
            held += 1
            base, seed = base if result.seed == seed else NOTHING, result.seed
            try:
                last, sums = _grown(_documents(self.folder / "raw" / store.raw_name(result)), base or NOTHING)
            except (OSError, zstandard.ZstdError) as error:
                wrong.append(f"{store.raw_name(result)}: {getattr(error, 'strerror', None) or error}")
                base = None
                continue
            read, write = result.counts.read, result.counts.write
            counts = ((read.ios, read.bytes), (write.ios, write.bytes))
            if load.one_size_bytes:
                sums, counts = ((sums[0][0], 0), (sums[1][0], 0)), ((read.ios, 0), (write.ios, 0))
            same = base is None or sums == counts
            base = last if same else None
            if not same:
                wrong.append(f"{store.raw_name(result)} does not come to the result's counts")
        unnamed = len(list((self.folder / "raw").glob("unfinished-*")))
        cut = f"; {unnamed} of steps that were cut off" if unnamed else ""
        return Check("raw/", _some(wrong) if wrong else f"{held} agree with the results' counts{cut}", sound=not wrong)

    def reports(self) -> Iterator[Check]:
        """Check each report in the folder against its digest and the record."""
        for name, made in reports.kept(self.folder).items():
            try:
                same = store.digest_of(self.folder / name) == made.digest
            except FileNotFoundError:
                yield Check(name, "was taken away")
                continue
            except OSError as error:
                yield Check(name, f"cannot be read: {error.strerror}", sound=False)
                continue
            if not same:
                yield Check(name, "was changed after stend wrote it; `stend report` makes it again", sound=False)
            elif self.record.seal not in made.seals:
                older = self.seals & set(made.seals) or not self.record.chain
                words = "older than the record" if older else "of another record"
                yield Check(name, f"{words}; `stend report` makes it again", sound=bool(older))
            else:
                yield Check(name, "made from this record")


def _some(wrong: list[str]) -> str:
    more = f"; and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
    return "; ".join(wrong[:MOST]) + more


def _documents(path: Path) -> Iterator[fio.Document | None]:
    """Yield the documents in a file of fio's output, and None where another fio process continues."""
    cutter = fio.Cutter()
    with regular.reader(path) as packed, zstandard.open(packed, "rb") as file:
        while data := file.read(1 << 20):
            for piece in cutter.feed(data):
                if piece == fio.NEXT_PROCESS:
                    yield None
                elif isinstance(piece, bytes) and (document := fio.read(piece)):
                    yield document


def _grown(documents: Iterator[fio.Document | None], base: Pair) -> tuple[Pair, Sums]:
    """Return the last totals, and the (IOs, bytes) of reads and of writes since `base`. A new process starts at 0.

    Older folders do not mark where a process starts. Mostly its first totals are less than the last ones before it.
    """
    sums = [[0, 0], [0, 0]]
    for document in documents:
        if document is None:
            base = NOTHING
            continue
        now = fio.total(document, "read"), fio.total(document, "write")
        if any(b.bytes < a.bytes for a, b in zip(base, now, strict=True)):
            base = NOTHING
        for total, before, after in zip(sums, base, now, strict=True):
            total[0] += after.ios - before.ios
            total[1] += after.bytes - before.bytes
        base = now
    (reads, writes) = sums
    return base, ((reads[0], reads[1]), (writes[0], writes[1]))
