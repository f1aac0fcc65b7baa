"""Summarise a trace for replay and for judging by it, in one pass and in constant memory."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.model.tally import Tally
from stend.model.traced import Moment, Traced
from stend.trace import form, taken
from stend.trace.folding import steps
from stend.trace.steps import Step
from stend.words import Sentence

STEPS = 300
"""Most time steps kept of a trace; each lasts at least a second."""
SECOND_NS = 1_000_000_000
SECTORS = tuple(512 << power for power in range(8))
"""Bytes of the logical sectors that drives have."""
PLAYED = ("t_ns", "op", "flags", "offset", "length")
"""Columns that identify a trace, whatever file holds it: its `number` is their hash."""
EXAMPLE = Path(__file__).parent / "example.parquet"
"""A short trace that stend ships: a synthetic mail server mix, made by `python -m tests.example_trace`."""


class Extent:
    """Hash and extent of a trace, collected in the pass that folds its steps."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.first = self.end = self.longest = self.seen = -1
        self.odd_bits = 0
        self.places = {size: np.zeros(size, np.int64) for size in SECTORS}
        """by size of a sector: IOs that are as long as whole sectors, by where in a sector they begin"""

    def measured(self, batches: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the batches unchanged and add each to the hash and the extent."""
        for batch in batches:
            for name in PLAYED:
                self.hash.update(np.ascontiguousarray(batch[name]).astype("<i8").tobytes())
            data = (batch["op"] != form.FLUSH) & (batch["op"] != form.DISCARD)
            offset, length = batch["offset"][data], batch["length"][data]
            if len(offset):
                if self.first < 0:
                    self.first = self.seen = int(offset[0])
                self.first = min(self.first, int(offset.min()))
                self.end = max(self.end, int((offset + length).max()))
                self.longest = max(self.longest, int(length.max()))
                self.odd_bits |= int(np.bitwise_or.reduce((offset - self.seen) | length))
                for size in SECTORS:
                    self.places[size] += np.bincount(offset[length % size == 0] % size, minlength=size)
            yield batch


def file_of(path: str) -> str:
    """Return the path of the trace in stend's format, converted if needed. "" is the example.

    Raise BadInput if the file is not a trace.
    """
    return str(_converted(Path(path), Path(path).stat().st_mtime_ns)) if path else str(EXAMPLE)


def notes(path: str) -> tuple[Sentence, ...]:
    """Return the notes of the trace at `path` (several volumes, whole seconds). "" is the example."""
    return form.opened(Path(file_of(path))).about.notes


def summarise(path: str) -> Traced:
    """Return the summary of the trace at `path`. "" is the example. Raise BadInput if it cannot be read or played."""
    try:
        file = Path(file_of(path))
        return _summary(file, file.stat().st_mtime_ns, path or "example")
    except OSError as error:
        raise BadInput(f"the trace {path} cannot be read: {untrusted.why_not_read(Path(path), error)}") from error


_folders: list[TemporaryDirectory[str]] = []
"""Folders of traces converted from other formats. They last as long as this process."""


@lru_cache(maxsize=8)
def _converted(path: Path, changed: int) -> Path:
    with path.open("rb") as file:
        if form.claims(file.read(4)):
            return path
    folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="stend-trace-")
    _folders.append(folder)
    return taken.convert(path, Path(folder.name) / "trace.parquet").path


@lru_cache(maxsize=8)
def _summary(path: Path, changed: int, name: str) -> Traced:
    trace, extent = form.opened(path), Extent()
    length = max(SECOND_NS, -(-trace.end_ns // STEPS))
    folded = list(steps(extent.measured(trace.batches()), length))
    if extent.first < 0:
        raise BadInput(f"the trace {name} reads and writes nothing: there is nothing to play")
    about, ops = trace.about, [_of(folded, op) for op in range(4)]
    depths = [step.depths for step in folded]
    issues = sum(sum(d.values()) for d in depths)
    data = ops[form.READ].ios + ops[form.WRITE].ios
    least = extent.odd_bits & -extent.odd_bits
    return Traced(
        number=extent.hash.hexdigest(),
        name=Path(name).name,
        source=about.source,
        device=about.device,
        begun_s=about.begun_s,
        ios=trace.ios,
        seconds=trace.end_ns / SECOND_NS,
        read=ops[form.READ],
        write=ops[form.WRITE],
        flushes=ops[form.FLUSH].ios,
        discards=ops[form.DISCARD].ios,
        first_bytes=extent.first,
        span_bytes=extent.end - extent.first,
        longest_bytes=extent.longest,
        block_bytes=min(least, 1 << 20),
        enlarged={size: n for size, places in extent.places.items() if (n := data - int(places[extent.first % size]))},
        depth=sum(n * many for d in depths for n, many in d.items()) / issues if issues else 0,
        lost=about.lost,
        malformed=sum(about.malformed.values()),
        steps=tuple(_moment(step) for step in folded),
    )


def _of(folded: list[Step], op: int) -> Tally:
    return sum((part.tally for step in folded for part in step.parts if part.op == op), Tally())


def _moment(step: Step) -> Moment:
    tallies = [_of([step], op) for op in (form.READ, form.WRITE)]
    reads, writes = (Tally(t.ios, t.bytes, t.latency_ns, t.latency_ns2, t.max_ns) for t in tallies)  # without bins
    begin = step.start_ns / SECOND_NS
    return Moment(begin, begin + step.length_ns / SECOND_NS, reads, writes)
