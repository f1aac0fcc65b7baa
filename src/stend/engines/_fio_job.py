"""A Workload as fio's command line: the exact options, and how sequential threads share a range."""

import itertools
from typing import NamedTuple

from stend.definition import Workload

FAR_S = 100 * 86_400


class Section(NamedTuple):
    """One job of fio: where it works, how much it writes in all (None: endless), in which block size."""

    start_bytes: int
    size_bytes: int
    total_bytes: int | None
    block_bytes: int
    threads: int = 1


def sections(workload: Workload, from_bytes: int, limit_bytes: int | None) -> list[list[Section]]:
    """The jobs of each process, one after the other; two processes for a stream that begins in mid-slice."""
    if workload.random_pct > 0:
        total = None if limit_bytes is None else limit_bytes // workload.threads
        whole = Section(workload.start_bytes, workload.range_bytes, total, workload.block_bytes, workload.threads)
        return [[whole]]
    slices = _slices(workload)
    if limit_bytes is not None:
        return [_limited(workload, slices, limit_bytes)]
    endless = [Section(start, size, None, workload.block_bytes) for start, size in slices]
    offset = from_bytes // len(slices) // workload.block_bytes * workload.block_bytes
    rest = [
        Section(start + offset, size - offset, size - offset, workload.block_bytes)
        for start, size in slices
        if size > offset
    ]
    return [rest, endless] if offset and rest else [endless]


def _slices(workload: Workload) -> list[tuple[int, int]]:
    """(start, size) of each thread's own part, in whole blocks, together all whole blocks of the range."""
    blocks = workload.range_bytes // workload.block_bytes
    threads = min(workload.threads, blocks)
    edges = [workload.start_bytes + blocks * i // threads * workload.block_bytes for i in range(threads + 1)]
    return [(a, b - a) for a, b in itertools.pairwise(edges)]


def _limited(workload: Workload, slices: list[tuple[int, int]], limit_bytes: int) -> list[Section]:
    """Each slice written so often that together they write the limit; a tail below a block is a job of its own."""
    whole = sum(size for _, size in slices)
    tail = workload.range_bytes - whole
    passes, over = divmod(limit_bytes, workload.range_bytes)
    block = workload.block_bytes
    parts = []
    for start, size in slices:
        extra = over * size // workload.range_bytes // block * block
        parts.append(Section(start, size, passes * size + extra, block))
    short = limit_bytes - passes * tail - sum(part.total_bytes or 0 for part in parts)
    for i, part in enumerate(parts):  # what rounding left over, a block to each in turn
        if short >= block and (part.total_bytes or 0) + block <= (passes + 1) * part.size_bytes:
            parts[i] = part._replace(total_bytes=(part.total_bytes or 0) + block)
            short -= block
    if tail and passes:
        parts.append(Section(workload.start_bytes + whole, tail, passes * tail, tail))
    return [part for part in parts if part.total_bytes]


def command(
    fio: str, path: str, ioengine: str, workload: Workload, jobs: list[Section], seed: int, interval_s: float
) -> list[str]:
    """The whole command; `@GATE@` stands for the FIFO that holds each thread before its first IO."""
    own = [argument for i, job in enumerate(jobs) for argument in _job(job, i, seed)]
    return [
        fio,
        f"--status-interval={max(round(interval_s * 1000), 100)}ms",
        "--output-format=json+",
        "--eta=never",
        "--name=global",
        *(f"--{option}" for option in _common(path, ioengine, workload)),
        *own,
    ]


def _common(path: str, ioengine: str, workload: Workload) -> list[str]:
    """What all jobs share; given before the first --name, fio applies it to all."""
    reads, options = workload.read_pct, []
    kind = {100: "read", 0: "write"}.get(reads, "rw")
    options += [
        f"filename={path}",
        f"ioengine={ioengine}",
        "direct=1",
        "thread=1",
        "group_reporting=1",
        f"rw={kind if workload.random_pct == 0 else 'rand' + kind}",
        f"iodepth={workload.depth}",
        "lat_percentiles=1",
        "clat_percentiles=0",
        "slat_percentiles=0",
        "randrepeat=0",
        "allrandrepeat=0",
        "norandommap=1",
        "random_generator=tausworthe64",
        "disk_util=0",
        "exec_prerun=read x < @GATE@ || kill -9 $PPID",
    ]
    if kind == "rw":
        options.append(f"rwmixread={reads}")
    if 0 < workload.random_pct < 100:
        options.append(f"percentage_random={workload.random_pct}")
    if kind != "read":
        options += ["refill_buffers=1", f"buffer_compress_percentage={100 - workload.entropy_pct}"]
    if workload.block_mix:
        options.append("bssplit=" + ":".join(f"{size}/{share}" for size, share in workload.block_mix))
    if workload.align_bytes:
        options.append(f"blockalign={workload.align_bytes}")
    if workload.zones:
        options.append("random_distribution=zoned:" + ":".join(f"{io}/{part}" for io, part in workload.zones))
    return options


def _job(job: Section, number: int, seed: int) -> list[str]:
    options = [
        f"--name=load{number}",
        f"--offset={job.start_bytes}",
        f"--size={job.size_bytes}",
        f"--bs={job.block_bytes}",
    ]
    options += [f"--numjobs={job.threads}", f"--randseed={(seed + number * 0x9E3779B97F4A7C15) % 2**63}"]
    if job.total_bytes is None:
        return [*options, "--time_based=1", f"--runtime={FAR_S}"]
    return [*options, f"--io_size={job.total_bytes}"]
