"""What must be known of a trace to play it and to judge by it: one pass over it, in level memory."""

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from stend.base.errors import BadInput
from stend.model.tally import Tally
from stend.model.traced import Moment, Traced
from stend.trace import form, taken
from stend.trace.folding import steps
from stend.trace.steps import Step

STEPS = 300
"""Steps of time that are kept of a trace, of a second at least."""
SECOND_NS = 1_000_000_000
PLAYED = ("t_ns", "op", "flags", "offset", "length")
"""Columns that make a trace the same one, whatever file it lies in."""
EXAMPLE = Path(__file__).parent / "example.parquet"
"""A short trace that comes along, made by `python -m tests.example_trace`: a mail server's mix, nobody's data."""


class Looked:
    """What a pass sees besides the steps."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.first = self.end = self.longest = -1
        self.odd_bits = 0

    def through(self, batches: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The same batches, looked at."""
        for batch in batches:
            for name in PLAYED:
                self.hash.update(np.ascontiguousarray(batch[name]).astype("<i8").tobytes())
            data = (batch["op"] != form.FLUSH) & (batch["op"] != form.DISCARD)
            offset, length = batch["offset"][data], batch["length"][data]
            if len(offset):
                self.first = int(offset.min()) if self.first < 0 else min(self.first, int(offset.min()))
                self.end = max(self.end, int((offset + length).max()))
                self.longest = max(self.longest, int(length.max()))
                self.odd_bits |= int(np.bitwise_or.reduce(offset | length))
            yield batch


def file_of(path: str) -> str:
    """A trace in stend's own form for whatever is at `path`; "" is the example. BadInput where it is no trace."""
    return str(_own(Path(path), Path(path).stat().st_mtime_ns)) if path else str(EXAMPLE)


def told(path: str) -> Traced:
    """What is to be known of the trace at `path`; "" is the example. BadInput where it cannot be read or played."""
    try:
        own = Path(file_of(path))
        return _told(own, own.stat().st_mtime_ns, path or "example")
    except OSError as error:
        raise BadInput(f"the trace {path} cannot be read: {error.strerror}") from error


_converted: list[TemporaryDirectory[str]] = []
"""Where traces of other formats lie while this process plays them."""


@lru_cache(maxsize=8)
def _own(path: Path, changed: int) -> Path:
    with path.open("rb") as file:
        if form.claims(file.read(4)):
            return path
    folder: TemporaryDirectory[str] = TemporaryDirectory(prefix="stend-trace-")
    _converted.append(folder)
    return taken.convert(path, Path(folder.name) / "trace.parquet").path


@lru_cache(maxsize=8)
def _told(path: Path, changed: int, name: str) -> Traced:
    trace, looked = form.opened(path), Looked()
    length = max(SECOND_NS, -(-trace.end_ns // STEPS))
    folded = list(steps(looked.through(trace.batches()), length))
    if looked.first < 0:
        raise BadInput(f"the trace {name} reads and writes nothing: there is nothing to play")
    about, ops = trace.about, [_of(folded, op) for op in range(4)]
    depths = [step.depths for step in folded]
    issues = sum(sum(d.values()) for d in depths)
    least = looked.odd_bits & -looked.odd_bits
    return Traced(
        number=looked.hash.hexdigest(),
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
        first_bytes=looked.first,
        span_bytes=looked.end - looked.first,
        longest_bytes=looked.longest,
        block_bytes=min(least, 1 << 20),
        depth=sum(n * many for d in depths for n, many in d.items()) / issues if issues else 0,
        lost=about.lost,
        malformed=sum(about.malformed.values()),
        steps=tuple(_moment(step) for step in folded),
    )


def _of(folded: list[Step], op: int) -> Tally:
    return sum((part.tally for step in folded for part in step.parts if part.op == op), Tally())


def _moment(step: Step) -> Moment:
    reads, writes = (_bare(_of([step], op)) for op in (form.READ, form.WRITE))
    begin = step.start_ns / SECOND_NS
    return Moment(begin, begin + step.length_ns / SECOND_NS, reads, writes)


def _bare(tally: Tally) -> Tally:
    return Tally(tally.ios, tally.bytes, tally.latency_ns, tally.latency_ns2, tally.max_ns)
