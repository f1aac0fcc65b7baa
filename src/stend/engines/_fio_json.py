"""Cut fio's cumulative JSON documents out of its output, read them, and subtract one from another.

fio 3 prints totals since the start of the job (HOWTO, "JSON output", "JSON+ output"). An interval is a difference.
"""

from collections.abc import Iterator

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import StepFailed
from stend.model.stats import bin_index
from stend.model.tally import Tally

NEXT_PROCESS = "the load goes on in another process, whose totals begin at nought"
"""A line that stend writes between fio's documents if a load has several processes."""


class Latency(msgspec.Struct, frozen=True):
    """`lat_ns`: response times of completed IOs. A bin is named by the nanoseconds in its middle."""

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
    """One entry of `jobs`. With group_reporting there is one for all threads. `error` is an errno."""

    error: limits.Errno = 0
    read: Direction = Direction()
    write: Direction = Direction()


class Document(msgspec.Struct, frozen=True):
    """The fields of a document that stend uses. `timestamp_ms` is the Unix time when the totals were read."""

    jobs: list[Job] = []
    timestamp_ms: limits.Amount = 0

    @property
    def runtime_s(self) -> float:
        """Return the seconds since the first IO. Of several threads, the first one to start counts."""
        return max((max(j.read.runtime, j.write.runtime) for j in self.jobs), default=0.0) / 1000

    @property
    def bytes(self) -> int:
        """Return the bytes read and written so far."""
        return sum(job.read.io_bytes + job.write.io_bytes for job in self.jobs)

    @property
    def error(self) -> int:
        """Return the first errno that a job ended with, or 0."""
        return next((job.error for job in self.jobs if job.error), 0)


_decode = msgspec.json.Decoder(Document, strict=False).decode


def read(data: bytes) -> Document | None:
    """Return the document in these bytes, or None if it is not JSON. Raise StepFailed if a value is impossible."""
    try:
        return _decode(data)
    except msgspec.ValidationError as error:
        raise StepFailed(f"its document makes no sense: {untrusted.sentence(error)}") from error
    except untrusted.BROKEN:
        return None


class Cutter:
    """Cuts a stream of bytes into documents and lines of text, which arrive in any pieces. Text may be anywhere.

    fio indents all but the outermost braces. Therefore a line of one brace alone begins or ends a document.
    """

    def __init__(self) -> None:
        self.rest = b""
        self.lines: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[bytes | str]:
        """Yield complete documents as bytes and other complete lines as text, in order."""
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
    """Return the totals of one direction (`read` or `write`) in a document as a Tally."""
    return sum((_tally(getattr(job, direction)) for job in document.jobs), Tally())


def running(document: Document, direction: str, block_bytes: int, most_bytes: float) -> Tally:
    """Return the totals of a load that still runs and whose IOs all have `block_bytes`. `most_bytes` is its limit.

    fio notes the bytes of all threads first, and then waits for each thread before it prints the response times: tens
    of milliseconds on a busy host. The bytes in its document are therefore older than the IOs, whose bytes these are.
    """
    whole = total(document, direction)
    moved = max(whole.bytes, min(whole.ios * block_bytes, most_bytes))
    return msgspec.structs.replace(whole, bytes=int(moved))


def _tally(direction: Direction) -> Tally:
    lat = direction.lat_ns
    squares = lat.stddev**2 * max(lat.ios - 1, 0) + lat.ios * lat.mean**2
    bins = {bin_index(middle_ns): ios for middle_ns, ios in lat.bins.items()}
    return Tally(lat.ios, direction.io_bytes, lat.mean * lat.ios, squares, lat.max, bins)


def since(before: Tally, now: Tally) -> Tally:
    """Return the difference of two totals (`Tally.since`). Raise StepFailed if the totals decreased."""
    back = any(now.bins.get(i, 0) < n for i, n in before.bins.items())
    if back or now.ios < before.ios or now.bytes < before.bytes:
        raise StepFailed("its totals went back, so that they cannot be what it did")
    return now.since(before)
