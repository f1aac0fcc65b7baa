"""Statistics of a trace: steps of time, and in each what every IO stream did. No address is in them.

A file of steps is zstd of JSON lines: what the trace is, then a line a step. A torn end is cut off.
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
from stend.model.tally import Tally
from stend.trace.form import DISCARD, OPS, READ, WRITE, About
from stend.trace.sound import LARGEST, LONGEST

VERSION = 1
MAGIC = b"\x28\xb5\x2f\xfd"
SECOND_NS = 1_000_000_000
Op = Annotated[int, msgspec.Meta(ge=READ, le=DISCARD)]
Time = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
Length = Annotated[int, msgspec.Meta(ge=0, le=LONGEST)]
Depth = Annotated[int, msgspec.Meta(ge=1, le=1024)]
MOST = 300
"""Steps of a trace that are shown."""
LINE_BYTES = 1 << 26
"""Bytes of the longest line that is read: a step has at most some thousand streams."""


class Key(NamedTuple):
    """An IO stream: what is done, with how many bytes at once, where. A flush or discard has 0 bytes and no place."""

    op: int
    block_bytes: int
    random: bool

    @property
    def label(self) -> str:
        """`RND 4K R`."""
        if self.op not in (READ, WRITE):
            return OPS[self.op]
        return f"{'RND' if self.random else 'SEQ'} {block_label(self.block_bytes)} {'R' if self.op == READ else 'W'}"


class Part(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What one stream did in a step.

    `tally`: its IOs, their bytes, and the response times of those that were answered, which its bins count.
    `depth_sum`: IOs in flight at each issue, added up; 0 where the source does not tell.
    """

    op: Op
    block_bytes: Length
    random: bool
    tally: Tally
    depth_sum: limits.Count = 0

    @property
    def key(self) -> Key:
        """Which stream."""
        return Key(self.op, self.block_bytes, self.random)

    @property
    def depth(self) -> float | None:
        """Mean number in flight at issue."""
        return self.depth_sum / self.tally.ios if self.depth_sum else None

    def __add__(self, other: "Part") -> "Part":
        return Part(*self.key, self.tally + other.tally, self.depth_sum + other.depth_sum)


class Step(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A stretch of a trace.

    `idle_ns`: how long nothing was in flight, None where response times are unknown; `depths`: {IOs in flight at an
    issue, this one included: issues}, empty where unknown, 1,024 and more as one; `parts`: a stream each.
    """

    start_ns: Time
    length_ns: Time
    idle_ns: Time | None
    depths: dict[Depth, limits.Count]
    parts: tuple[Part, ...]

    @property
    def ios(self) -> int:
        """Of all streams."""
        return sum(part.tally.ios for part in self.parts)

    @property
    def depth(self) -> float | None:
        """Mean number in flight at issue."""
        issues = sum(self.depths.values())
        return sum(depth * count for depth, count in self.depths.items()) / issues if issues else None

    @property
    def half_depth(self) -> int:
        """How many in flight half of the issues do not exceed; 0 where unknown."""
        seen, issues = 0, sum(self.depths.values())
        for depth, count in sorted(self.depths.items()):
            seen += count
            if 2 * seen >= issues:
                return depth
        return 0

    @property
    def idle_share(self) -> float | None:
        """For what part of it nothing was in flight; None where that is unknown."""
        return None if self.idle_ns is None or not self.length_ns else self.idle_ns / self.length_ns

    def __add__(self, other: "Step") -> "Step":
        """Both as one; `other` comes later."""
        depths = dict(self.depths)
        for depth, count in other.depths.items():
            depths[depth] = depths.get(depth, 0) + count
        known = self.idle_ns is not None and other.idle_ns is not None
        return Step(
            start_ns=self.start_ns,
            length_ns=other.start_ns + other.length_ns - self.start_ns,
            idle_ns=(self.idle_ns or 0) + (other.idle_ns or 0) if known else None,
            depths=depths,
            parts=tuple(merged([*self.parts, *other.parts]).values()),
        )


class Header(msgspec.Struct, frozen=True, kw_only=True, rename={"version": "stend.steps"}):
    """The first line: whose steps they are, and how long each is."""

    version: int = VERSION
    step_ns: Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]
    about: About


@dataclass(frozen=True, slots=True)
class Steps:
    """A file of steps; iterate it for them, one in memory at a time."""

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
                said = untrusted.sentence(error)
                raise BadInput(f"{self.path} is broken: line {number} is not a step: {said}") from None
            if step.start_ns < end_ns:
                raise BadInput(f"{self.path} is broken: the step of line {number} starts before the end of the last")
            end_ns = step.start_ns + step.length_ns
            if end_ns > LARGEST:
                raise BadInput(f"{self.path} is broken: the step of line {number} ends after any time that can be")
            yield step


def opened(path: Path) -> Steps:
    """A file of steps. BadInput where it is none."""
    try:
        header = msgspec.json.decode(next(_lines(path), b""), type=Header)
    except (OSError, *untrusted.BROKEN) as error:
        raise BadInput(f"{path} cannot be read as steps of a trace: {untrusted.sentence(error)}") from error
    if header.version > VERSION:
        raise BadInput(f"{path} has steps of version {header.version}; this stend reads up to {VERSION}")
    return Steps(path, header.step_ns, header.about)


def claims(head: bytes) -> bool:
    """Whether a file that begins so is one of steps."""
    if not head.startswith(MAGIC):
        return False
    with suppress(zstandard.ZstdError):
        return zstandard.ZstdDecompressor().decompressobj().decompress(head).startswith(b'{"stend.steps"')
    return False


def header(step_ns: int, about: About) -> bytes:
    """The beginning of a file of steps; what follows are `packed` steps, any number of times."""
    return zstandard.compress(msgspec.json.encode(Header(step_ns=step_ns, about=about)) + b"\n")


def packed(steps: Iterable[Step]) -> bytes:
    """Steps as a piece of a file."""
    return zstandard.compress(b"".join(msgspec.json.encode(step) + b"\n" for step in steps))


def coarser(steps: Iterable[Step], length_ns: int) -> Iterator[Step]:
    """Steps of at least this length, made of shorter ones."""
    whole: Step | None = None
    for step in steps:
        if whole is not None and step.start_ns // length_ns != whole.start_ns // length_ns:
            yield whole
            whole = None
        whole = step if whole is None else whole + step
    if whole is not None:
        yield whole


def length_of(end_ns: int) -> int:
    """Return a whole number of seconds, in ns: a trace that ends then has no more steps of it than are shown."""
    return SECOND_NS * max(-(-end_ns // (SECOND_NS * MOST)), 1)


def answered(tally: Tally) -> Tally:
    """The same of those IOs alone whose response times are known."""
    return msgspec.structs.replace(tally, ios=sum(tally.bins.values()))


def merged(parts: Iterable[Part]) -> dict[Key, Part]:
    """What each stream did in all of these."""
    every: dict[Key, Part] = {}
    for part in parts:
        every[part.key] = every[part.key] + part if part.key in every else part
    return every


def cumulative(steps: Iterable[Step]) -> list[Part]:
    """The cumulative workload: each stream of the whole, the most frequent first."""
    every: dict[Key, Part] = {}
    for step in steps:
        every = merged([*every.values(), *step.parts])
    return sorted(every.values(), key=lambda part: (-part.tally.ios, part.key))


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as plain:
        text = io.BufferedReader(plain)
        with suppress(zstandard.ZstdError):
            yield from iter(lambda: text.readline(LINE_BYTES), b"")
