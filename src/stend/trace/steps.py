"""Statistics of a trace: time steps, with the figures of every IO stream in each. They hold no addresses.

A file of steps is zstd of JSON lines: a header with the trace, then one line per step. A truncated end is cut off.
"""

import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import zstandard

from stend.base import limits, untrusted
from stend.base.errors import BadInput
from stend.base.units import block_label
from stend.model.bins import added
from stend.model.tally import Tally
from stend.trace.form import DISCARD, OPS, READ, WRITE, About
from stend.trace.sound import LARGEST, LONGEST
from stend.words import decoded, encoded

VERSION = 1
MAGIC = b"\x28\xb5\x2f\xfd"
SECOND_NS = 1_000_000_000
Op = Annotated[int, msgspec.Meta(ge=READ, le=DISCARD)]
Time = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Length = Annotated[int, msgspec.Meta(ge=0, le=LONGEST)]
Depth = Annotated[int, msgspec.Meta(ge=1, le=1024)]
MOST = 300
"""Most steps of a trace that are shown."""
LINE_BYTES = 1 << 26
"""Most bytes of a line: a step has at most some thousand streams."""


class Key(NamedTuple):
    """An IO stream: operation, block size, random or sequential. A flush or discard has 0 bytes and no place."""

    op: int
    block_bytes: int
    random: bool

    @property
    def label(self) -> str:
        """Return the short name: `RND 4K R`."""
        if self.op not in (READ, WRITE):
            return OPS[self.op]
        return f"{'RND' if self.random else 'SEQ'} {block_label(self.block_bytes)} {'R' if self.op == READ else 'W'}"


class Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Figures of one stream in a step.

    `tally`: IOs and bytes, and response times of the IOs that have one. Its bins count only those. `depth_sum`: sum of
    the IOs in flight at each issue, 0 if the source does not record them.
    """

    op: Op
    block_bytes: Length
    random: bool
    tally: Tally
    depth_sum: limits.Count = 0

    @property
    def key(self) -> Key:
        """Return the stream."""
        return Key(self.op, self.block_bytes, self.random)

    @property
    def depth(self) -> float | None:
        """Return the mean number of IOs in flight at issue, or None if unknown."""
        return self.depth_sum / self.tally.ios if self.depth_sum else None

    def __add__(self, other: "Part") -> "Part":
        return Part(*self.key, self.tally + other.tally, self.depth_sum + other.depth_sum)


class Step(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One time step of a trace.

    `idle_ns`: time without an IO in flight, None if response times are unknown. `depths`: {IOs in flight at an issue,
    this one included: issues}, empty if unknown. The key 1,024 means that or more. `parts`: one per stream.
    """

    start_ns: Time
    length_ns: Time
    idle_ns: Time | None
    depths: dict[Depth, limits.Count]
    parts: tuple[Part, ...]

    @property
    def ios(self) -> int:
        """Return the number of IOs of all streams."""
        return sum(part.tally.ios for part in self.parts)

    @property
    def depth(self) -> float | None:
        """Return the mean number of IOs in flight at issue, or None if unknown."""
        issues = sum(self.depths.values())
        return sum(depth * count for depth, count in self.depths.items()) / issues if issues else None

    @property
    def half_depth(self) -> int:
        """Return the depth that half of the issues do not exceed (the median), or 0 if unknown."""
        counted, issues = 0, sum(self.depths.values())
        for depth, count in sorted(self.depths.items()):
            counted += count
            if 2 * counted >= issues:
                return depth
        return 0

    @property
    def idle_share(self) -> float | None:
        """Return the share (0-1) of the step without an IO in flight, or None if unknown."""
        return None if self.idle_ns is None or not self.length_ns else self.idle_ns / self.length_ns

    def __add__(self, other: "Step") -> "Step":
        """Return both added up. `other` must be the later one."""
        known = self.idle_ns is not None and other.idle_ns is not None
        return Step(
            start_ns=self.start_ns,
            length_ns=other.start_ns + other.length_ns - self.start_ns,
            idle_ns=(self.idle_ns or 0) + (other.idle_ns or 0) if known else None,
            depths=added(self.depths, other.depths),
            parts=tuple(merged([*self.parts, *other.parts]).values()),
        )


class Header(msgspec.Struct, frozen=True, kw_only=True, rename={"version": "stend.steps"}):
    """The first line of a file of steps: the trace, and the length of a step in ns."""

    version: int = VERSION
    step_ns: Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
    about: About


@dataclass(frozen=True, slots=True)
class Steps:
    """A file of steps. Iterating over it reads one step at a time."""

    path: Path
    step_ns: int
    about: About

    def __iter__(self) -> Iterator[Step]:
        lines, end_ns = _lines(self.path), 0
        next(lines)
        for number, line in enumerate(lines, 2):
            try:
                step = msgspec.json.decode(line, type=Step)
            except untrusted.BROKEN as error:
                if not line.endswith(b"\n"):
                    return
                reason = untrusted.sentence(error)
                raise BadInput(f"{self.path} is broken: line {number} is not a step: {reason}") from None
            if step.start_ns < end_ns:
                raise BadInput(f"{self.path} is broken: the step of line {number} starts before the end of the last")
            end_ns = step.start_ns + step.length_ns
            if end_ns > LARGEST:
                raise BadInput(f"{self.path} is broken: the step of line {number} ends after the latest possible time")
            yield step


def opened(path: Path) -> Steps:
    """Open a file of steps. Raise BadInput if the file is not one."""
    try:
        header = msgspec.json.decode(next(_lines(path), b""), type=Header, dec_hook=decoded)
    except (OSError, *untrusted.BROKEN) as error:
        raise BadInput(f"{path} cannot be read as steps of a trace: {untrusted.sentence(error)}") from error
    if header.version > VERSION:
        raise BadInput(f"{path} has steps of version {header.version}; this stend reads up to {VERSION}")
    return Steps(path, header.step_ns, header.about)


def claims(head: bytes) -> bool:
    """Return True if the first bytes of a file are those of a file of steps."""
    if not head.startswith(MAGIC):
        return False
    with suppress(zstandard.ZstdError):
        return zstandard.ZstdDecompressor().decompressobj().decompress(head).startswith(b'{"stend.steps"')
    return False


def header(step_ns: int, about: About) -> bytes:
    """Return the start of a file of steps. Any number of `packed` pieces may follow."""
    return zstandard.compress(msgspec.json.encode(Header(step_ns=step_ns, about=about), enc_hook=encoded) + b"\n")


def packed(steps: Iterable[Step]) -> bytes:
    """Return steps as a piece of a file."""
    return zstandard.compress(b"".join(msgspec.json.encode(step) + b"\n" for step in steps))


def coarser(steps: Iterable[Step], length_ns: int) -> Iterator[Step]:
    """Add up neighbouring steps that start in the same multiple of `length_ns`, and yield the sums."""
    whole: Step | None = None
    for step in steps:
        if whole is not None and step.start_ns // length_ns != whole.start_ns // length_ns:
            yield whole
            whole = None
        whole = step if whole is None else whole + step
    if whole is not None:
        yield whole


def length_of(end_ns: int) -> int:
    """Return the step length in ns, in whole seconds, with which a trace of `end_ns` has at most MOST steps."""
    return SECOND_NS * max(-(-end_ns // (SECOND_NS * MOST)), 1)


def answered(tally: Tally) -> Tally:
    """Return the tally with the number of IOs reduced to those with a response time."""
    return msgspec.structs.replace(tally, ios=sum(tally.bins.values()))


def merged(parts: Iterable[Part]) -> dict[Key, Part]:
    """Return the parts added up by stream."""
    every: dict[Key, Part] = {}
    for part in parts:
        every[part.key] = every[part.key] + part if part.key in every else part
    return every


def cumulative(steps: Iterable[Step]) -> list[Part]:
    """Return the cumulative workload: every stream over all steps, the most frequent first."""
    every: dict[Key, Part] = {}
    for step in steps:
        every = merged([*every.values(), *step.parts])
    return sorted(every.values(), key=lambda part: (-part.tally.ios, part.key))


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as plain:
        text = io.BufferedReader(plain)
        with suppress(zstandard.ZstdError):
            yield from iter(lambda: text.readline(LINE_BYTES), b"")
