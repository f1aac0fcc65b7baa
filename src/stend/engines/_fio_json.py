"""fio's cumulative JSON documents: cut out of its output, read, and subtracted from one another.

fio 3 prints totals since the start of the job (HOWTO, "JSON output", "JSON+ output"); an interval is a difference.
"""

from collections.abc import Iterator

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import StepFailed
from stend.model.stats import BINS, bin_edges_ns, bin_index
from stend.model.tally import Tally

NEXT_PROCESS = "the load goes on in another process, whose totals begin at nought"
"""A line of ours between fio's documents, where a load is made of several processes."""


class Latency(msgspec.Struct, frozen=True):
    """`lat_ns`: response times of completed IOs; a bin is named by the nanoseconds in its middle."""

    ios: limits.Count = msgspec.field(default=0, name="N")
    max: limits.Response = 0
    mean: limits.Response = 0
    stddev: limits.Response = 0
    bins: dict[limits.Count, limits.Count] = {}


class Direction(msgspec.Struct, frozen=True):
    """`read` or `write` of a job; `runtime` in milliseconds."""

    io_bytes: limits.Count = 0
    runtime: limits.Amount = 0
    lat_ns: Latency = Latency()


class Job(msgspec.Struct, frozen=True):
    """One entry of `jobs`; with group_reporting there is one for all threads. `error` is an errno."""

    error: limits.Errno = 0
    read: Direction = Direction()
    write: Direction = Direction()


class Document(msgspec.Struct, frozen=True):
    """All that a document says which we use; `timestamp_ms` is Unix time at the moment the totals were read."""

    jobs: list[Job] = []
    timestamp_ms: limits.Amount = 0

    @property
    def runtime_s(self) -> float:
        """How long IO has gone on; with several threads that of the first to start."""
        return max((max(j.read.runtime, j.write.runtime) for j in self.jobs), default=0.0) / 1000

    @property
    def bytes(self) -> int:
        """Read and written so far."""
        return sum(job.read.io_bytes + job.write.io_bytes for job in self.jobs)

    @property
    def error(self) -> int:
        """The first errno that a job ended with, or 0."""
        return next((job.error for job in self.jobs if job.error), 0)


_decode = msgspec.json.Decoder(Document, strict=False).decode


def read(data: bytes) -> Document | None:
    """The document in these bytes; None when they are not one. StepFailed when what it says cannot be."""
    try:
        return _decode(data)
    except msgspec.ValidationError as error:
        raise StepFailed(f"its document makes no sense: {untrusted.sentence(error)}") from error
    except untrusted.BROKEN:
        return None


class Cutter:
    """Cuts a stream of bytes into documents and lines of text; both come in any pieces, text wherever it likes.

    fio indents all but the outermost braces, so a line of one brace alone begins or ends a document.
    """

    def __init__(self) -> None:
        self.rest = b""
        self.lines: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[bytes | str]:
        """Documents as bytes and other lines as text, in order, as far as they are complete."""
        *whole, self.rest = (self.rest + data).split(b"\n")
        for line in whole:
            bare = line.rstrip()
            if bare == b"{":
                self.lines = [line]
            elif self.lines:
                self.lines.append(line)
                if bare == b"}":
                    document, self.lines = b"\n".join(self.lines) + b"\n", []
                    yield document
            elif bare:
                yield bare.decode(errors="replace")


def total(document: Document, direction: str) -> Tally:
    """All that was done in one direction until this document, as the record counts it."""
    parts = [_tally(getattr(job, direction)) for job in document.jobs]
    return sum(parts, Tally())


def _tally(said: Direction) -> Tally:
    lat = said.lat_ns
    squares = lat.stddev**2 * max(lat.ios - 1, 0) + lat.ios * lat.mean**2
    bins = {bin_index(middle_ns): ios for middle_ns, ios in lat.bins.items()}
    return Tally(lat.ios, said.io_bytes, lat.mean * lat.ios, squares, lat.max, bins)


def since(before: Tally, now: Tally) -> Tally:
    """What was done between two totals.

    The longest response time is exact when the total's own moved; otherwise it is not known better than the upper
    edge of the highest bin that grew, and of the last bin, which has none, than that of the total.
    StepFailed when the totals went back, for then they are none.
    """
    back = any(now.bins.get(i, 0) < n for i, n in before.bins.items())
    if back or now.ios < before.ios or now.bytes < before.bytes:
        raise StepFailed("its totals went back: what it tells is not what it did")
    grown = {i: n - before.bins.get(i, 0) for i, n in now.bins.items() if n != before.bins.get(i, 0)}
    if now.max_ns > before.max_ns or BINS - 1 in grown:
        longest = now.max_ns
    else:
        longest = min(now.max_ns, bin_edges_ns(max(grown))[1]) if grown else 0.0
    return Tally(
        ios=now.ios - before.ios,
        bytes=now.bytes - before.bytes,
        latency_ns=max(now.latency_ns - before.latency_ns, 0.0),
        latency_ns2=max(now.latency_ns2 - before.latency_ns2, 0.0),
        max_ns=longest,
        bins=grown,
    )
