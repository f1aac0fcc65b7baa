"""Translate a workload into fio's command line: the section of each thread, and fio's options.

Option names are those of fio's HOWTO. No other module of stend knows them.
"""

from itertools import accumulate
from typing import NamedTuple

from stend.model.definition import Workload

FOREVER_S = 100_000_000
"""A runtime that never ends in practice: three years."""

HELD = "read x && echo released >&2 #"
"""The command that each thread runs before its first IO: wait for a line on fio's standard input and confirm it.

At the end of the input `read` fails, and the thread exits without IO. The `#` comments out what fio appends.
"""

RELEASED = "released"

ALWAYS = {
    "direct": "1",
    "allow_file_create": "0",
    "fallocate": "none",
    "thread": "1",
    "group_reporting": "1",
    "lat_percentiles": "1",
    "clat_percentiles": "0",
    "slat_percentiles": "0",
    "disable_clat": "1",
    "disable_slat": "1",
    "randrepeat": "0",
    "allrandrepeat": "0",
    "random_generator": "tausworthe64",
}
"""Options of every load, by stend or in an exported file: direct IO, only total response times, new offsets each time.

Measuring the times of submission and completion too costs 3 to 5 % of the IOPS if the processor is the limit.
"""


class Section(NamedTuple):
    """A section of the drive for one or more threads. `io_bytes` are the bytes of each thread, 0 is endless."""

    start_bytes: int
    range_bytes: int
    io_bytes: int = 0
    threads: int = 1
    block_bytes: int = 0


def parts(workload: Workload, from_bytes: int = 0, limit_bytes: int | None = None) -> list[list[Section]]:
    """Return the parts of a workload, to run one after the other. All threads of a part run in parallel.

    A sequential stream that begins inside its range needs two parts: the rest of each slice, then whole slices.
    """
    if workload.random_pct:
        return [_random(workload, limit_bytes)]
    slices = _slices(workload)
    begins = [from_bytes // len(slices) // workload.block_bytes * workload.block_bytes % size for _, size in slices]
    if limit_bytes is None:
        first = [Section(at + b, size - b, size - b) for (at, size), b in zip(slices, begins, strict=True) if b]
        return [first] * bool(first) + [[Section(at, size) for at, size in slices]]
    return _limited(workload, slices, begins, limit_bytes)


def _random(workload: Workload, limit_bytes: int | None) -> list[Section]:
    whole = Section(workload.start_bytes, workload.range_bytes, threads=workload.threads)
    if limit_bytes is None:
        return [whole]
    blocks = _shares(-(-limit_bytes // workload.block_bytes), workload.threads)
    return [whole._replace(io_bytes=n * workload.block_bytes, threads=1) for n in blocks if n]


def _shares(count: int, among: int) -> list[int]:
    return [count // among + (i < count % among) for i in range(among)]


def _slices(workload: Workload) -> list[tuple[int, int]]:
    """Return (start, size) of each thread's part of the range in whole blocks. There are at most as many as blocks."""
    sizes = [n * workload.block_bytes for n in _shares(workload.range_bytes // workload.block_bytes, workload.threads)]
    starts = accumulate(sizes, initial=workload.start_bytes)
    return [(start, size) for start, size in zip(starts, sizes, strict=False) if size]


def _limited(
    workload: Workload, slices: list[tuple[int, int]], begins: list[int], limit_bytes: int
) -> list[list[Section]]:
    """Return the parts of a limited load: N times the range covers every block N times, also a smaller last block.

    The bytes beyond a whole number of ranges are shared evenly, in whole blocks.
    """
    block = workload.block_bytes
    passes, more = divmod(limit_bytes, workload.range_bytes)
    shares = _shares(-(-more // block), len(slices))
    amounts = [passes * size + n * block for (_, size), n in zip(slices, shares, strict=True)]
    firsts = [min(size - b, amount) if b else 0 for (_, size), b, amount in zip(slices, begins, amounts, strict=True)]
    first = [Section(at + b, size - b, n) for (at, size), b, n in zip(slices, begins, firsts, strict=True) if n]
    rest = [Section(at, size, n - f) for (at, size), n, f in zip(slices, amounts, firsts, strict=True) if n > f]
    tail = workload.range_bytes % block
    if tail and passes:
        at = workload.start_bytes + workload.range_bytes - tail
        rest.append(Section(at, tail, passes * tail, block_bytes=tail))
    return [part for part in (first, rest) if part]


def arguments(workload: Workload, sections: list[Section], *, path: str, ioengine: str, seed: int) -> list[str]:
    """Return the arguments after `fio`: general options, options of all threads, then one job for each section."""
    limited = any(section.io_bytes for section in sections)
    general = ["--output-format=json+", "--eta=never"]
    if workload.read_pct == 100:
        general.append("--readonly")
    # fio gives each thread separate numbers, from the seed times the thread number
    shared = _device(path, ioengine) | kind(workload) | {"randseed": str(seed or 1)} | content(workload)
    if not limited:
        shared |= {"time_based": "1", "runtime": str(FOREVER_S)}
    options = [f"--{name}={value}" for name, value in shared.items()]
    for number, section in enumerate(sections):
        options += [f"--name=s{number}", *(f"--{name}={value}" for name, value in stretch(section).items())]
    return [*general, *options]


def stretch(section: Section) -> dict[str, str]:
    """Return the options for the place and the amount of a section."""
    words = {"offset": str(section.start_bytes), "size": str(section.range_bytes)}
    if section.io_bytes:
        words["io_size"] = str(section.io_bytes)
    if section.threads > 1:
        words["numjobs"] = str(section.threads)
    if section.block_bytes:
        words |= {"bs": str(section.block_bytes), "iodepth": "1"}
    return words


def _device(path: str, ioengine: str) -> dict[str, str]:
    return {
        "filename": path.replace(":", r"\:"),
        "ioengine": ioengine,
        **ALWAYS,
        "invalidate": "0",
        "exitall_on_error": "1",
        "exec_prerun": HELD,
        "percentile_list": "50",
        "disk_util": "0",
    }


def kind(workload: Workload) -> dict[str, str]:
    """Return the options for access, direction, sizes and queue depth."""
    prefix = "rand" if workload.random_pct else ""
    direction = {100: "read", 0: "write"}.get(workload.read_pct, "rw")
    words = {"rw": prefix + direction, "iodepth": str(workload.depth), "norandommap": "1"}
    if direction == "rw":
        words["rwmixread"] = str(workload.read_pct)
    if 0 < workload.random_pct < 100:
        words["percentage_random"] = str(workload.random_pct)
    if workload.block_mix:
        words["bssplit"] = ":".join(f"{size}/{share}" for size, share in workload.block_mix)
    else:
        words["bs"] = str(workload.block_bytes)
    if workload.sync == "fua":
        words["sync"] = "dsync"
    if workload.align_bytes:
        words["blockalign"] = str(workload.align_bytes)
    if workload.zones:
        words["random_distribution"] = "zoned:" + ":".join(f"{ios}/{part}" for ios, part in workload.zones)
    return words


def content(workload: Workload) -> dict[str, str]:
    """Return the options for written data: new bytes each time, as compressible as requested, or {} for reads."""
    if workload.read_pct == 100:
        return {}
    dull = {"buffer_compress_percentage": str(100 - workload.entropy_pct)} if workload.entropy_pct < 100 else {}
    return {"refill_buffers": "1"} | dull
