"""What a run folder is worth: whether it is as its run wrote it, piece by piece.

It guards against accidents and hasty hands: crashes, copies, editors, disks. Who computes every hash anew is not
caught, except by fio's own words in raw/, which must come to the same counts.
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
from stend.model.events import Result, Source
from stend.model.record import Run
from stend.model.tally import Tally
from stend.store import reports
from stend.store.journal import Record

MOST = 5
"""So many wrong things of one piece are told."""


Pair = tuple[Tally, Tally]
Sums = tuple[tuple[int, int], tuple[int, int]]
NOTHING: Pair = (Tally(), Tally())


class Told(NamedTuple):
    """What is to be said of one piece of a folder."""

    piece: str
    words: str
    sound: bool = True


class Folder:
    """A run folder, its events read once."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.record, self.run, self.broken = folder, Record(folder), Run(), ""
        made = reports.kept(folder).values()
        wanted, self.seals = {seal for one in made for seal in one.seals}, set[str]()
        try:
            for event in self.record:
                self.run.add(event)
                if self.record.seal in wanted:
                    self.seals.add(self.record.seal)
        except BadInput as error:
            self.broken = str(error).partition(";")[0].partition(", ")[2]

    def told(self) -> Iterator[Told]:
        """Each piece in turn."""
        yield self.events()
        for name in ("manifest", "host"):
            yield self.beside(name)
        if self.run.started:
            yield from self.results()
            if self.run.source:
                yield self.original(self.run.source)
            elif not self.run.plan.device.virtual:
                yield self.raw()
        yield from self.reports()

    def events(self) -> Told:
        """The lines, their numbers and their chain."""
        record = self.record
        count = max(record.lines_read - 1, 0)
        if wrong := [*record.wrong, *([self.broken] if self.broken else [])]:
            return Told("events", _some(wrong), sound=False)
        chained = "numbered and chained" if record.chain else "of format 1, without a chain that would tell changes"
        torn = f"; a torn end of {record.torn_bytes} bytes, as a crash leaves it" if record.torn_bytes else ""
        return Told("events", f"{count}, {chained}{torn}")

    def beside(self, name: str) -> Told:
        """A file that the first line knows by its hash."""
        file = {"manifest": "manifest.toml", "host": "host.json"}[name]
        try:
            data = regular.read(self.folder / file)
        except OSError as error:
            return Told(file, f"cannot be read: {error.strerror}", sound=False)
        written = self.record.head.get(name)
        if written is None:
            return Told(file, "there; nobody can say whether it was changed")
        same = written == store.digest(data)
        return Told(file, "as written" if same else "was changed since the run began", sound=same)

    def results(self) -> Iterator[Told]:
        """Each step is told once."""
        places = [(r.where.test, r.where.phase, r.where.round, r.index) for r in self.run.results]
        doubled = len(places) - len(set(places))
        words = f"{doubled} of {len(places)} are told twice" if doubled else f"{len(places)}, each told once"
        yield Told("results", words, sound=not doubled)

    def original(self, source: Source) -> Told:
        """The files that a run was imported from, by their SHA-256."""
        wrong = list[str]()
        for name, told in source.files:
            try:
                same = regular.digest(self.folder / "raw" / name) == told
            except (OSError, ValueError) as error:
                wrong.append(f"{name}: {getattr(error, 'strerror', None) or error}")
                continue
            if not same:
                wrong.append(f"{name} is not what was imported")
        words = f"{len(source.files)} of {source.name}, as imported"
        return Told("raw/", _some(wrong) if wrong else words, sound=not wrong)

    def raw(self) -> Told:
        """fio's own words come to the results' counts; those after wrong ones of the same load cannot be judged.

        Of traces and streams, which we send ourselves, there are no such words.
        """
        wrong, seed, held = list[str](), -1, 0
        base: Pair | None = NOTHING
        for result in (r for r in self.run.results if isinstance(r.step, Hold) and not r.step.workload.ours):
            held += 1
            base, seed = base if result.seed == seed else NOTHING, result.seed
            try:
                last, sums = _grown(_documents(self.folder / "raw" / store.raw_name(result)), base or NOTHING)
            except (OSError, zstandard.ZstdError) as error:
                wrong.append(f"{store.raw_name(result)}: {getattr(error, 'strerror', None) or error}")
                base = None
                continue
            same = base is None or sums == _counted(result)
            base = last if same else None
            if not same:
                wrong.append(f"{store.raw_name(result)} does not come to the result's counts")
        unnamed = len(list((self.folder / "raw").glob("unfinished-*")))
        cut = f"; {unnamed} of steps that were cut off" if unnamed else ""
        return Told("raw/", _some(wrong) if wrong else f"{held} come to the results' counts{cut}", sound=not wrong)

    def reports(self) -> Iterator[Told]:
        """Each report that was written here, against itself and the record."""
        for name, made in reports.kept(self.folder).items():
            try:
                same = store.digest_of(self.folder / name) == made.digest
            except FileNotFoundError:
                yield Told(name, "was taken away")
                continue
            except OSError as error:
                yield Told(name, f"cannot be read: {error.strerror}", sound=False)
                continue
            if not same:
                yield Told(name, "was changed after stend wrote it; `stend report` makes it again", sound=False)
            elif self.record.seal not in made.seals:
                older = self.seals & set(made.seals) or not self.record.chain
                words = "older than the record" if older else "of another record"
                yield Told(name, f"{words}; `stend report` makes it again", sound=bool(older))
            else:
                yield Told(name, "made of this record")


def _some(wrong: list[str]) -> str:
    more = f"; and {len(wrong) - MOST} more" if len(wrong) > MOST else ""
    return "; ".join(wrong[:MOST]) + more


def _documents(path: Path) -> Iterator[fio.Document | None]:
    """What is in a file of fio's words, None where another process goes on."""
    cutter = fio.Cutter()
    with regular.reader(path) as packed, zstandard.open(packed, "rb") as file:
        while data := file.read(1 << 20):
            for piece in cutter.feed(data):
                if piece == fio.NEXT_PROCESS:
                    yield None
                elif isinstance(piece, bytes) and (document := fio.read(piece)):
                    yield document


def _grown(documents: Iterator[fio.Document | None], base: Pair) -> tuple[Pair, Sums]:
    """The last totals, and the (IOs, bytes) of reads and of writes since `base`; a new process begins at 0.

    Older folders do not tell where one begins, but mostly its first totals are less than the last ones before it.
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


def _counted(result: Result) -> Sums:
    read, write = result.counts.read, result.counts.write
    return (read.ios, read.bytes), (write.ios, write.bytes)
