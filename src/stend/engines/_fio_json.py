"""fio's cumulative JSON documents: found in its output, decoded, differenced exactly."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from stend.errors import StepFailed
from stend.record import Counts, Tally
from stend.stats import bin_edges_ns, bin_index


class Latency(msgspec.Struct, frozen=True):
    """`lat_ns` of one direction: total response times."""

    max: float = 0
    mean: float = 0
    stddev: float = 0
    N: int = 0
    bins: dict[int, int] = {}


class Direction(msgspec.Struct, frozen=True):
    """One direction of a job."""

    io_bytes: int = 0
    runtime: int = 0
    lat_ns: Latency = Latency()


class Job(msgspec.Struct, frozen=True):
    """A group of jobs, reported as one."""

    error: int = 0
    read: Direction = Direction()
    write: Direction = Direction()


class Totals(msgspec.Struct, frozen=True):
    """A document: everything since fio began."""

    jobs: list[Job] = []

    @property
    def error(self) -> int:
        """fio's errno, 0 if all is well."""
        return next((job.error for job in self.jobs if job.error), 0)

    @property
    def job(self) -> Job:
        """The one group there is."""
        return self.jobs[0] if self.jobs else Job()

    @property
    def runtime_s(self) -> float:
        """Seconds of load on fio's own clock."""
        return max(self.job.read.runtime, self.job.write.runtime) / 1000


class Documents:
    """Cuts a stream of text and JSON documents; what is neither is kept as text."""

    def __init__(self) -> None:
        self.waiting = b""
        self.text: list[str] = []

    def feed(self, data: bytes) -> None:
        """Some more output."""
        self.waiting += data

    def take(self, raw: Callable[[bytes], None] | None = None) -> Totals | None:
        """The next whole document, if there is one: from a line `{` to a line `}`."""
        lines_end = self.waiting.find(b"\n}\n")
        if lines_end < 0:
            return None
        chunk, self.waiting = self.waiting[: lines_end + 3], self.waiting[lines_end + 3 :]
        begin = 0 if chunk.startswith(b"{\n") else chunk.find(b"\n{\n") + 1
        self.text += chunk[:begin].decode(errors="replace").splitlines()
        if raw:
            raw(chunk[begin:])
        try:
            return msgspec.json.decode(chunk[begin:], type=Totals, strict=False)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise StepFailed(f"fio said something that is not its JSON: {error}") from error


def difference(before: Totals, after: Totals, cpu_s: float) -> Counts:
    """What happened between two documents."""
    a, b = before.job, after.job
    return Counts(after.runtime_s - before.runtime_s, cpu_s, _tally(a.read, b.read), _tally(a.write, b.write))


def _tally(before: Direction, after: Direction) -> Tally:
    a, b = before.lat_ns, after.lat_ns
    bins = {bin_index(ns): n - a.bins.get(ns, 0) for ns, n in b.bins.items() if n != a.bins.get(ns, 0)}
    return Tally(
        ios=sum(bins.values()),
        bytes=after.io_bytes - before.io_bytes,
        latency_ns=b.mean * b.N - a.mean * a.N,
        latency_ns2=_squares(b) - _squares(a),
        max_ns=_longest(a, b, bins),
        bins=bins,
    )


def _squares(latency: Latency) -> float:
    return latency.stddev**2 * max(latency.N - 1, 0) + latency.mean**2 * latency.N


def _longest(before: Latency, after: Latency, bins: dict[int, int]) -> float:
    """Exact when the cumulative maximum moved, else the upper edge of the highest bin that grew."""
    if after.max > before.max:
        return after.max
    return float(min(bin_edges_ns(max(bins))[1], after.max)) if bins else 0.0


def busy_cpu_s() -> float:
    """Busy seconds of all CPUs since boot."""
    fields = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")
