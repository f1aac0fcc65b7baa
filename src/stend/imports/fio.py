"""fio's JSON and JSON+: from 2.1, where bytes are KiB and times microseconds, to 3.4x with latency bins."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import BadInput
from stend.base.text import plain
from stend.base.units import KiB
from stend.engines._fio_json import Cutter
from stend.findings.look.figures import PERCENTS
from stend.imports.given import Given
from stend.imports.numbers import block, number, size, whole
from stend.imports.taken import UNKNOWN, Load, Taken, carried
from stend.model.counts import Counts, added
from stend.model.definition import Workload
from stend.model.events import ToolFigures
from stend.model.stats import bin_index
from stend.model.tally import Tally

TOOL = "fio"
NO_NUMBERS = re.compile(rb":\s*-?(?:nan|inf)\b", re.IGNORECASE)
POWERS = 0.05
"""A mean size so near to a power of two is that power: older versions tell whole IOPS alone."""
SYNCHRONOUS = ("", "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
MOST_NOTES = 20


class Latency(msgspec.Struct, frozen=True):
    """`lat_ns`, `clat_ns` in nanoseconds, `lat`, `clat` of fio 2 in microseconds."""

    mean: limits.Number = 0
    stddev: limits.Number = 0
    max: limits.Number = 0
    percentile: dict[str, Any] = {}
    bins: dict[limits.Count, limits.Count] = {}


class Way(msgspec.Struct, frozen=True):
    """`read` or `write` of a job: `io_bytes` in KiB where `io_kbytes` is not beside it, `bw` KiB/s, `runtime` ms."""

    io_bytes: limits.Amount = 0
    io_kbytes: limits.Amount | None = None
    bw: limits.Amount = 0
    iops: limits.Amount = 0
    runtime: limits.Amount = 0
    total_ios: limits.Count | None = None
    lat_ns: Latency | None = None
    clat_ns: Latency | None = None
    lat: Latency | None = None
    clat: Latency | None = None


class Job(msgspec.Struct, frozen=True):
    """One entry of `jobs`."""

    jobname: str = ""
    groupid: int = 0
    error: int = 0
    options: dict[str, Any] = msgspec.field(default_factory=dict, name="job options")
    read: Way = Way()
    write: Way = Way()


class Document(msgspec.Struct, frozen=True):
    """What of a result is used."""

    jobs: list[Job]
    version: str = msgspec.field(default="", name="fio version")
    common: dict[str, Any] = msgspec.field(default_factory=dict, name="global options")
    timestamp: limits.Seconds = 0
    clients: list[Any] = msgspec.field(default_factory=list, name="client_stats")


_decode = msgspec.json.Decoder(Document, strict=False).decode


def claims(given: Given) -> bool:
    """A result of fio names its version."""
    return not given.folder and '"fio version"' in given.head


def read(given: Given) -> Taken:
    """All jobs, those that share name and group as one load."""
    document, notes = documents(given.data)
    loads = tuple(of(document))
    target = str(document.common.get("filename") or next((j.options.get("filename", "") for j in document.jobs), ""))
    return Taken(
        tool=TOOL,
        version=plain(document.version.removeprefix("fio-"))[:60],
        loads=loads,
        notes=(*notes, *lacks(document))[:MOST_NOTES],
        unknown=UNKNOWN,
        at=document.timestamp,
        drive={"target": plain(target)[:200]} if target else {},
    )


def documents(data: bytes) -> tuple[Document, list[str]]:
    """The last document in these bytes, and notes of what stands around it. BadInput where there is none."""
    data = NO_NUMBERS.sub(b":0", data)
    try:
        return _decode(data), []
    except msgspec.ValidationError as error:
        raise BadInput(f"its JSON is not fio's: {untrusted.sentence(error)}") from error
    except untrusted.BROKEN as error:
        pieces = list(Cutter().feed(data + b"\n"))
        whole_ones = [piece for piece in pieces if isinstance(piece, bytes)]
        said = [f"fio says: {plain(piece)[:200]}" for piece in pieces if isinstance(piece, str)]
        if not whole_ones:
            raise BadInput(f"there is no whole JSON document in it: {untrusted.sentence(error)}") from error
    more = [f"it holds {len(whole_ones)} documents; the last is taken"] if len(whole_ones) > 1 else []
    try:
        return _decode(whole_ones[-1]), [*said[:5], *more]
    except untrusted.BROKEN as error:
        raise BadInput(f"its JSON is not fio's: {untrusted.sentence(error)}") from error


def of(document: Document) -> Iterator[Load]:
    """A load for each name and group; threads that are told one by one are one load."""
    alike: dict[tuple[str, int], list[Job]] = {}
    for job in document.jobs:
        alike.setdefault((job.jobname, job.groupid), []).append(job)
    for (name, _), jobs in alike.items():
        counts = added(_counts(job) for job in jobs)
        seconds = max(_counts(job).seconds for job in jobs)
        counts = Counts(seconds, 0, counts.read, counts.write)
        options = document.common | jobs[0].options
        load, unknown = workload(options, counts, name, len(jobs))
        told = _told(jobs[0], counts) if len(jobs) == 1 else ({}, {})
        only = [one for one, tally in zip(told, (counts.read, counts.write), strict=True) if tally.ios]
        both = only[0] if len(only) == 1 else {}
        yield Load(load, counts, ToolFigures(both=both, read=told[0], write=told[1], unknown=unknown), plain(name)[:60])


def workload(options: dict[str, Any], counts: Counts, name: str, entries: int) -> tuple[Workload, tuple[str, ...]]:
    """What a job was by its options, and where these are not told, by what it did and its name; what stays unknown."""
    words = {str(key): str(value) for key, value in options.items()}
    unknown = []
    way = words.get("rw") or words.get("readwrite") or ""
    if not way:
        unknown.append("random or sequential")
        way = "rand" if "rand" in name.lower() else ""
    mean = counts.both.bytes / counts.ios if counts.ios else 0
    asked = size(words.get("bs") or words.get("blocksize") or "")
    exact = block(mean) if mean == int(mean) else None
    found = exact or block(asked) or _power(mean)
    if not found or ("bssplit" in words and not exact):
        unknown.append("block size")
    depth = whole(words.get("iodepth")) or 1
    if not options:
        unknown.append("threads and queue depth")
    sync = words.get("ioengine", "psync" if options else "") in SYNCHRONOUS
    share = number(words.get("percentage_random", "").split(",")[0])
    load = Workload(
        random_pct=round(min(share, 100)) if share is not None and share >= 0 else 100 if "rand" in way else 0,
        read_pct=_mixed(way, words, counts),
        block_bytes=found or max(min(round(mean), 1 << 30), 1),
        threads=min(max(entries, whole(words.get("numjobs")) or 1), 1024),
        depth=1 if sync else min(max(depth, 1), 65536),
        range_bytes=size(words.get("size", "")) or 0,
    )
    return load, tuple(unknown)


def _mixed(way: str, words: dict[str, str], counts: Counts) -> int:
    if counts.read.ios and counts.write.ios:
        asked = whole(words.get("rwmixread"))
        if asked is None and (written := whole(words.get("rwmixwrite"))) is not None:
            asked = 100 - written
        if "rw" not in way:
            asked = round(100 * counts.read.ios / counts.ios)
        return asked if asked is not None and 0 <= asked <= 100 else 50
    return 0 if counts.write.ios or "write" in way else 100


def _power(mean: float) -> int | None:
    if mean < 1:
        return None
    near = 1 << max(round(mean).bit_length() - 1, 0)
    best = min((near, 2 * near), key=lambda size: abs(size - mean))
    return block(best) if abs(best - mean) <= POWERS * mean else None


def _counts(job: Job) -> Counts:
    return Counts(max(job.read.runtime, job.write.runtime) / 1000, 0, _tally(job.read), _tally(job.write))


def response(way: Way) -> tuple[Latency, float]:
    """Response times and what makes them nanoseconds: of the whole IO, but where bins are told those of the bins."""
    of_bins = next((one for one in (way.lat_ns, way.clat_ns) if one and one.bins), None)
    if of_bins:
        return of_bins, 1
    if way.lat_ns or way.clat_ns:
        return way.lat_ns or way.clat_ns or Latency(), 1
    return way.lat or way.clat or Latency(), 1000


def _tally(way: Way) -> Tally:
    size_bytes = way.io_bytes if way.io_kbytes is not None else way.io_bytes * KiB
    ios = way.total_ios
    if ios is None:
        ios = _counted(size_bytes, way.iops * way.runtime / 1000)
    if size_bytes > limits.MOST or ios > limits.MOST:
        raise BadInput("it tells figures that cannot be")
    lat, scale = response(way)
    mean, deviation = max(lat.mean, 0.0) * scale, max(lat.stddev, 0.0) * scale
    bins: dict[int, int] = {}
    for middle, count in lat.bins.items():
        bins[bin_index(middle)] = bins.get(bin_index(middle), 0) + count
    squares = deviation**2 * max(ios - 1, 0) + ios * mean**2
    return Tally(ios, round(size_bytes), mean * ios, squares, max(lat.max, 0.0) * scale if ios else 0.0, bins)


def _counted(size_bytes: float, nearly: float) -> int:
    """How many IOs, where only whole IOPS are told: bytes by the power of two that a mean IO had, if it had one."""
    had = _power(size_bytes / nearly) if nearly >= 1 else None
    return round(size_bytes / had) if had else round(nearly)


def _told(job: Job, counts: Counts) -> tuple[dict[str, float], dict[str, float]]:
    """fio's own percentiles of reads and of writes in seconds, where there are no bins to make them of."""
    read, write = (_percentiles(way, tally) for way, tally in ((job.read, counts.read), (job.write, counts.write)))
    return read, write


def _percentiles(way: Way, tally: Tally) -> dict[str, float]:
    if tally.bins:
        return {}
    own, scale = _of_percentiles(way)
    told = {round(number(key) or 0, 6): number(str(value)) for key, value in own.items()}
    named = {name: told.get(percent) for name, percent in PERCENTS.items()}
    return carried({name: value * scale * 1e-9 for name, value in named.items() if value}, tally.ios)


def _of_percentiles(way: Way) -> tuple[dict[str, Any], float]:
    pairs = ((way.lat_ns, 1.0), (way.clat_ns, 1.0), (way.lat, 1000.0), (way.clat, 1000.0))
    return next(((one.percentile, scale) for one, scale in pairs if one and one.percentile), ({}, 1.0))


def lacks(document: Document) -> Iterator[str]:
    """What every page should say of such a result."""
    ways = [way for job in document.jobs for way in (job.read, job.write) if way.runtime]
    if any(way.io_kbytes is None for way in ways):
        yield "fio 2 tells bytes in KiB and response times in microseconds"
    if any(way.total_ios is None for way in ways):
        yield "how many IOs were done is not told: it is worked out from bytes and IOPS"
    if not any(response(way)[0].bins for way in ways):
        yield "percentiles are fio's own, not bins: they are shown as told and never merged"
    if any(_of_percentiles(way)[0] and not (way.lat_ns and way.lat_ns.percentile) for way in ways):
        yield "percentiles are of completion (clat), without the time that submission took"
    if any(way.clat_ns and way.clat_ns.bins and not (way.lat_ns and way.lat_ns.bins) for way in ways):
        yield "response times are of completion (clat), without the time that submission took: bins are of nothing else"
    yield from _of_options(document)


def _of_options(document: Document) -> Iterator[str]:
    if document.clients:
        yield "figures of fio's clients are not taken"
    groups = {(job.groupid, job.jobname) for job in document.jobs}
    if len(groups) > len({group for group, _ in groups}):
        yield "jobs of one group ran at the same time: each one's figures are under the load of the others"
    if any((document.common | job.options).get("direct", "0") != "1" for job in document.jobs):
        yield "direct=1 is not told: the page cache may have answered"
    if any(not document.common | job.options for job in document.jobs):
        yield "job options are not told: what a load was is guessed from its name and its figures"
    for job in document.jobs:
        if job.error:
            yield f"the job {plain(job.jobname)[:60]} ended with error {job.error}"
