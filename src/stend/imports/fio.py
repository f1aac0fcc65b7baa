"""JSON and JSON+ of fio, from 2.1 (sizes in KiB, times in microseconds) to 3.4x (with latency bins)."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from stend.base import limits, untrusted
from stend.base.errors import BadInput
from stend.base.units import KiB
from stend.engines._fio_json import Cutter
from stend.imports.given import Given, utf8
from stend.imports.numbers import block, number, size, whole
from stend.imports.taken import Load, Taken, carried, drive, fact, short, within
from stend.model.counts import Counts, added
from stend.model.definition import Workload
from stend.model.events import ToolFigures
from stend.model.stats import bin_index
from stend.model.tally import PERCENTS, Tally
from stend.words import Sentence

TOOL = "fio"
NO_NUMBERS = re.compile(rb":\s*-?(?:nan|inf)\b", re.IGNORECASE)
POWERS = 0.05
"""A mean size this near to a power of two counts as that power, because older versions print only whole IOPS."""
SYNCHRONOUS = ("", "sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
MOST_NOTES = 20
LIMITS = ("rate", "rate_iops", "thinktime", "latency_target")
FLUSHES, SYNCS = ("fsync", "fdatasync"), ("sync",)
SPREADS = ("bssplit", "bsrange", "blocksize_range")
SCALES = {"lat_ns": 1.0, "clat_ns": 1.0, "lat": 1000.0, "clat": 1000.0}
"""Response times of a direction, those of the whole IO first, and the factor of each to nanoseconds."""


class Latency(msgspec.Struct, frozen=True):
    """`lat_ns` or `clat_ns` in nanoseconds; `lat` or `clat` of fio 2 in microseconds."""

    mean: limits.Number = 0
    stddev: limits.Number = 0
    max: limits.Number = 0
    percentile: dict[str, Any] = {}
    bins: dict[limits.Count, limits.Count] = {}


class Way(msgspec.Struct, frozen=True):
    """`read` or `write` of a job: `io_bytes` in KiB unless `io_kbytes` is given too, `bw` in KiB/s, `runtime` in ms."""

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
    """One entry of `jobs` or `client_stats`. Only the latter names its host."""

    jobname: str = ""
    groupid: int = 0
    error: int = 0
    options: dict[str, Any] = msgspec.field(default_factory=dict, name="job options")
    read: Way = Way()
    write: Way = Way()
    trim: Way = Way()
    mixed: Way | None = None
    hostname: str = ""
    port: int = 0


class Document(msgspec.Struct, frozen=True):
    """The part of a result that is used."""

    jobs: list[Job] = []
    version: str = msgspec.field(default="", name="fio version")
    common: dict[str, Any] = msgspec.field(default_factory=dict, name="global options")
    timestamp: limits.Seconds = 0
    clients: list[Job] = msgspec.field(default_factory=list, name="client_stats")


_read = msgspec.json.Decoder(Document, strict=False).decode
SUM = "All clients"
"""Name of fio's last entry in `client_stats`, which has the sums of all others."""


def _decode(data: bytes) -> Document:
    """Decode a result. The jobs of `fio --client` are in `client_stats`."""
    document = _read(data)
    if document.jobs:
        return document
    jobs = [job for job in document.clients if job.jobname != SUM]
    return msgspec.structs.replace(document, jobs=jobs, clients=[])


def claims(given: Given) -> bool:
    """Return True if it names a version of fio, and its jobs are not another tool's cells (`diskplorer`)."""
    return not given.folder and '"fio version"' in given.head and '"job(r_idx=' not in given.head


def read(given: Given) -> Taken:
    """Return the loads of all jobs. Jobs of a host with the same name and group are one load."""
    document, notes = documents(given.data)
    loads = tuple(of(document))
    names = (options.get("filename") for options in (document.common, *(job.options for job in document.jobs)))
    return Taken(
        tool=TOOL,
        version=version(document),
        loads=loads,
        notes=(*notes, *lacks(document))[:MOST_NOTES],
        at=document.timestamp,
        drive=drive(next(filter(None, names), "")),
    )


def version(document: Document) -> str:
    """Return the version of fio that wrote a result: `3.33`."""
    return short(document.version.removeprefix("fio-"))


def documents(data: bytes) -> tuple[Document, list[Sentence]]:
    """Return the last JSON document in these bytes, and notes on the text around it. Raise BadInput without one."""
    data = NO_NUMBERS.sub(b":0", utf8(data).decode(errors="replace").encode())  # names of jobs may be in Latin-1
    try:
        return _decode(data), []
    except msgspec.ValidationError as error:
        raise BadInput(f"its JSON is not fio's: {untrusted.sentence(error)}") from error
    except untrusted.BROKEN as error:
        pieces = list(Cutter().feed(data + b"\n"))
        complete = [piece for piece in pieces if isinstance(piece, bytes)]
        lines = [Sentence("imported.says", text=fact(piece)) for piece in pieces if isinstance(piece, str)]
        if not complete:
            raise BadInput(f"it has no complete JSON document: {untrusted.sentence(error)}") from error
    more = [Sentence("imported.documents", n=len(complete))] if len(complete) > 1 else []
    try:
        return _decode(complete[-1]), [*lines[:5], *more]
    except untrusted.BROKEN as error:
        raise BadInput(f"its JSON is not fio's: {untrusted.sentence(error)}") from error


def of(document: Document) -> Iterator[Load]:
    """Yield one load per name and group. Threads that are listed one by one make one load.

    Raise BadInput if reads and writes are not separate, or if there are only trims.
    """
    moved = any(way.io_bytes or way.total_ios for job in document.jobs for way in (job.read, job.write))
    if any(job.mixed and not (job.read.runtime or job.write.runtime) for job in document.jobs):
        raise BadInput("it has reads and writes in one sum (unified_rw_reporting); run fio without this option")
    if not moved and any(job.trim.total_ios for job in document.jobs):
        raise BadInput("its jobs only trimmed, and trims are not imported")
    for jobs in _together(document):
        name, alone = jobs[0].jobname, len(jobs) == 1
        every = [_counts(job, alone) for job in jobs]
        counts = added(every)
        counts = Counts(max(each.seconds for each in every), 0, counts.read, counts.write)
        options = document.common | jobs[0].options
        load, unknown = workload(options, counts, name, len(jobs))
        pairs = ((jobs[0].read, counts.read), (jobs[0].write, counts.write))
        read, write = (_percentiles(way, tally) if alone else {} for way, tally in pairs)
        used = [figures for figures, tally in ((read, counts.read), (write, counts.write)) if tally.ios]
        both = used[0] if len(used) == 1 else {}
        yield Load(
            load, counts, ToolFigures(both=both, read=read, write=write, unknown=unknown), _name(document, jobs[0])
        )


def _words(document: Document, job: Job) -> dict[str, str]:
    return {str(key): str(value) for key, value in (document.common | job.options).items()}


def _servers(document: Document) -> set[tuple[str, int]]:
    """Return (host, port) of each fio that ran jobs. One host can have several."""
    return {(job.hostname, job.port) for job in document.jobs}


def _name(document: Document, job: Job) -> str:
    """Return the name of a job, with its host if the result is of several."""
    host = f" {job.hostname}:{job.port}" if len(_servers(document)) > 1 else ""
    return short(f"{job.jobname[: 60 - len(host)]}{host}")


def _together(document: Document) -> list[list[Job]]:
    """Group the entries of one job. Those of several hosts can have several drives, and are never added."""
    groups: dict[tuple[str, int, str, int], list[Job]] = {}
    for job in document.jobs:
        groups.setdefault((job.jobname, job.groupid, job.hostname, job.port), []).append(job)
    return list(groups.values())


def workload(options: dict[str, Any], counts: Counts, name: str, entries: int) -> tuple[Workload, tuple[str, ...]]:
    """Return the workload of a job and the names of its unknown settings.

    Options come first. Without them its counts and its name decide.
    """
    words = {str(key): str(value) for key, value in options.items()}
    unknown = []
    way = words.get("rw") or words.get("readwrite") or ""
    if not way:
        unknown.append("random or sequential")
        way = "rand" if "rand" in name.lower() else ""
    block_bytes, doubt = _sizes(words, counts)
    if doubt:
        unknown.append("block size")
    if not options:
        unknown.append("threads and queue depth")
    sync = words.get("ioengine", "psync" if options else "") in SYNCHRONOUS
    share = whole(words.get("percentage_random", "").split(",")[0])
    load = within(
        random_pct=share if share is not None else 100 if "rand" in way else 0,
        read_pct=_mixed(way, words, counts),
        block_bytes=block_bytes,
        threads=max(entries, whole(words.get("numjobs")) or 1),
        depth=1 if sync else whole(words.get("iodepth")),
        range_bytes=size(words.get("size", "")),
    )
    return Workload(**load), tuple(unknown)


def _mixed(way: str, words: dict[str, str], counts: Counts) -> int:
    if counts.read.ios and counts.write.ios:
        read_pct = whole(words.get("rwmixread"))
        if read_pct is None and (write_pct := whole(words.get("rwmixwrite"))) is not None:
            read_pct = 100 - write_pct
        if "rw" not in way:
            read_pct = round(100 * counts.read.ios / counts.ios)
        return read_pct if read_pct is not None and 0 <= read_pct <= 100 else 50
    return 0 if counts.write.ios or "write" in way else 100


def _sizes(words: dict[str, str], counts: Counts) -> tuple[int, str]:
    """Return the block size and an empty string, or the mean size and the word `unknown` or `several`."""
    mean = counts.both.bytes / counts.ios if counts.ios else 0
    means = [tally.bytes / tally.ios for tally in (counts.read, counts.write) if tally.ios]
    unlike = any(one > (1 + POWERS) * other for one in means for other in means)
    spread = any(name in words for name in SPREADS)
    option = None if spread else block(size(words.get("bs") or words.get("blocksize") or ""))
    exact = block(mean) if mean == int(mean) else None
    if (spread and not exact) or (unlike and not option):
        return round(mean), "several"
    stated = exact or option or _power(mean)
    return stated or round(mean), "" if stated else "unknown"


def _power(mean: float) -> int | None:
    if mean < 1:
        return None
    near = 1 << round(mean).bit_length() - 1
    best = min((near, 2 * near), key=lambda size: abs(size - mean))
    return block(best) if abs(best - mean) <= POWERS * mean else None


def _counts(job: Job, alone: bool) -> Counts:
    read, write = _tally(job.read, alone), _tally(job.write, alone)
    return Counts(max(job.read.runtime, job.write.runtime) / 1000, 0, read, write)


def response(way: Way, alone: bool) -> tuple[str, Latency]:
    """Return the name and the values of the response times that are used for mean, maximum and percentiles.

    Times with bins come first. If the load is listed `alone`, times with percentiles are next. Then come the times of
    the whole IO.
    """
    every = [(name, times) for name in SCALES if (times := getattr(way, name)) and (times.mean > 0 or times.bins)]
    return max(every, key=lambda e: (bool(e[1].bins), alone and bool(e[1].percentile)), default=("lat_ns", Latency()))


def _tally(way: Way, alone: bool) -> Tally:
    size_bytes = way.io_bytes if way.io_kbytes is not None else way.io_bytes * KiB
    ios = way.total_ios
    if ios is None:
        ios = _counted(size_bytes, way.iops * way.runtime / 1000)
    if ios > limits.MOST:
        raise BadInput("it has impossible figures")
    name, lat = response(way, alone)
    scale = SCALES[name]
    mean, deviation = max(lat.mean, 0.0) * scale, max(lat.stddev, 0.0) * scale
    bins: dict[int, int] = {}
    for middle, count in lat.bins.items():
        bins[bin_index(middle)] = bins.get(bin_index(middle), 0) + count
    squares = deviation**2 * max(ios - 1, 0) + ios * mean**2
    return Tally(ios, round(size_bytes), mean * ios, squares, max(lat.max, 0.0) * scale if ios else 0.0, bins)


def _counted(size_bytes: float, nearly: float) -> int:
    """Return the number of IOs when only whole IOPS are known.

    `nearly` is IOPS x time. If the mean size is near a power of two, the bytes are divided by that power instead.
    """
    size_of_one = _power(size_bytes / nearly) if nearly >= 1 else None
    return round(size_bytes / size_of_one) if size_of_one else round(nearly)


def _percentiles(way: Way, tally: Tally) -> dict[str, float]:
    """Return fio's own percentiles of a direction in seconds, or nothing if there are bins."""
    if tally.bins:
        return {}
    name, times = response(way, alone=True)
    values = {number(key): number(str(value)) for key, value in times.percentile.items()}
    named = {name: values.get(percent) for name, percent in PERCENTS.items()}
    return carried({key: value * SCALES[name] * 1e-9 for key, value in named.items() if value}, tally.ios)


def lacks(document: Document) -> Iterator[Sentence]:
    """Yield the notes about a result of fio that every page shows."""
    loads = _together(document)
    every = [(way, len(jobs) == 1) for jobs in loads for job in jobs for way in (job.read, job.write) if way.runtime]
    if any(way.io_kbytes is None for way, _ in every):
        yield Sentence("imported.fio_2")
    if any(way.total_ios is None for way, _ in every):
        yield Sentence("imported.ios")
    used = [response(way, alone) for way, alone in every]
    listed = [(response(way, alone=True)[1], alone) for way, alone in every]
    own = {alone for times, alone in listed if times.percentile and not times.bins}
    if any(not times.mean and not times.bins for _, times in used):
        yield Sentence("imported.no_waits")
    elif not own and not any(times.bins for _, times in used):
        yield Sentence("imported.no_percentiles")
    if True in own:
        yield Sentence("imported.fio_own")
    if False in own:
        yield Sentence("imported.apart")
    if any(name.startswith("clat") for name, _ in used):
        yield Sentence("imported.clat")
    for jobs in loads:
        if _sizes(_words(document, jobs[0]), added(_counts(job, alone=False) for job in jobs))[1] == "several":
            yield Sentence("imported.fio_sizes", name=short(jobs[0].jobname))
    yield from _of_options(document)


def _of_options(document: Document) -> Iterator[Sentence]:
    if document.clients:
        yield Sentence("imported.clients")
    servers = _servers(document)
    hosts = len({host for host, _ in servers})
    if len(servers) > hosts:
        yield Sentence("imported.servers", n=len(servers), hosts=hosts)
    elif hosts > 1:
        yield Sentence("imported.hosts", n=hosts)
    groups = {(job.groupid, job.jobname, job.hostname, job.port) for job in document.jobs}
    if len(groups) > len({group for group, *_ in groups}):
        yield Sentence("imported.together")
    if any((document.common | job.options).get("direct", "0") != "1" for job in document.jobs):
        yield Sentence("imported.buffered")
    if any(not document.common | job.options for job in document.jobs):
        yield Sentence("imported.options")
    if trims := sum(job.trim.total_ios or 0 for job in document.jobs):
        yield Sentence("imported.trims", n=trims)
    yield from dict.fromkeys(_held_back(document))
    for job in document.jobs:
        if job.error:
            yield Sentence("imported.error", name=short(job.jobname), n=job.error)


def _held_back(document: Document) -> Iterator[Sentence]:
    """Yield a note for each job whose options limited its rate or made its writes durable."""
    for job in document.jobs:
        options = _words(document, job)
        for key, names in (("limited", LIMITS), ("flushed", FLUSHES), ("synced", SYNCS)):
            used = [f"{name}={options[name]}" for name in names if options.get(name, "0") not in ("0", "none")]
            if used:
                yield Sentence(f"imported.{key}", name=short(job.jobname), options=fact(", ".join(used)))
