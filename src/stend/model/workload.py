"""Workloads: endless IO of one kind, of several block sizes, or of several streams."""

from typing import Annotated, Literal

import msgspec

from stend.base import limits
from stend.base.units import access_label, block_label, mix_label


class Kind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of workloads and their parts: frozen, compared by value, written as JSON or TOML."""


class Stream(Kind, frozen=True):
    """An IO stream of RWSW PTS: access, direction and transfer size. `share` is its percentage of the IOs.

    `zone` is the part of the workload's range that it touches, from and to in percent. A sequential stream continues
    where it ended, each thread in a separate part of the zone, and returns to the start at the part's end.
    """

    share: limits.Share
    random: bool
    read: bool
    block_bytes: limits.Block
    zone: tuple[limits.Place, limits.Place] = (0, 100)

    def __post_init__(self) -> None:
        if self.zone[0] >= self.zone[1]:
            raise ValueError(f"a zone from {self.zone[0]:g} to {self.zone[1]:g} % of the range is empty")

    @property
    def label(self) -> str:
        """Return the short form: `RND 4K R`."""
        return f"{'RND' if self.random else 'SEQ'} {block_label(self.block_bytes)} {'R' if self.read else 'W'}"


Fit = Literal["shift", "scale", "wrap"]
Arrivals = Literal["poisson", "even"]
Sync = Literal["none", "fua", "flush"]


class Replay(Kind, frozen=True):
    """The parameters of playing a trace on a drive: the trace, the pace, the range. Equal values send the same IOs.

    `trace` is the hash of the trace's IOs. `ios` and `seconds` are those of the IOs that are played, in the trace's
    time. `speed` is relative to the trace. At 0 each IO is sent as soon as no more IOs are in flight than when it was
    captured. Addresses, `span_bytes` from `first_bytes` on, are moved to the range's start (`shift`), stretched or
    compressed to the range (`scale`, in whole MiB), or wrapped at the range's end (`wrap`).
    """

    trace: str
    ios: limits.Count
    seconds: limits.Seconds
    first_bytes: limits.Count
    span_bytes: limits.Count
    longest_bytes: limits.Block
    speed: limits.Speed = 1.0
    fit: Fit = "shift"

    @property
    def timed(self) -> bool:
        """Return True if IOs keep their times. Otherwise the captured queue depth limits them."""
        return self.speed > 0

    @property
    def label(self) -> str:
        """Return the short form: `trace 3f2a 2x`."""
        return f"trace {self.trace[:4]} " + (f"{self.speed:g}x" if self.timed else "closed")


class Verify(Kind, frozen=True):
    """Content that can be verified: each block of 512 bytes carries its address, the run's number and a checksum.

    Reads are compared with that content. `number` distinguishes passes over the same range. With `every_bytes` the
    workload touches only the first block of IO in each such part of its range. `engines/verify/content.py` defines
    the bytes.
    """

    number: Annotated[int, msgspec.Meta(ge=1, le=1 << 32)] = 1
    every_bytes: limits.Count = 0


class Survey(Kind, frozen=True):
    """Reads that record the response times by place and continue after an unreadable block.

    The range is divided into `cells` of equal size. Each visit of a cell reads `reads` blocks at random places in it,
    one at a time. Every pass visits all cells in an order that spreads over the range. With `reads` 0 every block is
    read once, in order. `places` are (first byte, bytes) of stretches to which every fourth visit goes.
    """

    cells: limits.Cells
    reads: limits.Count = 0
    places: tuple[tuple[limits.Count, limits.Count], ...] = ()


class Workload(Kind, frozen=True):
    """A kind of IO without beginning or end. Equal values are the same workload.

    `block_mix` is ((bytes, percent of IOs), ...) and replaces `block_bytes`. `zones` is ((percent of IOs, percent of
    the range), ...) from the range's start. `streams` link size to access and direction and replace all of these
    (`streamed` makes such a workload). fio has no option for them. `verify` makes its content verifiable.

    `rate_iops` above 0 is an open loop: IOs are due at this rate, in `arrivals`, whether or not earlier ones are done,
    with at most `outstanding` of them in flight. Response times count from the moment an IO was due. `sync` is how each
    write is made durable: by itself (`fua`, RWF_DSYNC), or by a `flush` (fdatasync) after every `flush_every` writes of
    a thread, whose last write is done when the flush is. `trim_pct` is the share of trims in all IOs. `read_pct` is
    then that of reads in the rest. `trim_bytes` is their size (0: `block_bytes`). `beside` are loads that run at the
    same time on the same drive and are counted separately.
    """

    random_pct: limits.Percent
    read_pct: limits.Percent
    block_bytes: limits.Block
    threads: limits.Threads = 1
    depth: limits.Depth = 1
    start_bytes: limits.Count = 0
    range_bytes: limits.Count = 0
    block_mix: tuple[tuple[limits.Block, limits.Percent], ...] = ()
    zones: tuple[tuple[limits.Percent, limits.Percent], ...] = ()
    align_bytes: limits.Count = 0
    entropy_pct: limits.Percent = 100
    streams: tuple[Stream, ...] = ()
    replay: Replay | None = None
    rate_iops: limits.Amount = 0
    arrivals: Arrivals = "poisson"
    sync: Sync = "none"
    flush_every: limits.Rounds = 1
    trim_pct: limits.Percent = 0
    trim_bytes: limits.Bytes = 0
    verify: Verify | None = None
    survey: Survey | None = None
    beside: tuple["Workload", ...] = ()

    def __post_init__(self) -> None:
        if self.verify and (self.mixed or self.random_pct or self.read_pct not in (0, 100)):
            raise ValueError("verified content is written or read sequentially, in blocks of one size")
        if self.sync != "none" and (self.verify or self.replay or self.streams or self.survey):
            raise ValueError("a replay, streams, a survey and verified content have no synced writes of their own")
        if (self.verify or self.replay or self.survey) and (self.rate_iops or self.trim_pct or self.beside):
            raise ValueError("a replay, a survey and verified content have no rate, no trims and no loads beside them")
        if self.rate_iops and (self.sync == "flush" or self.trim_pct):
            raise ValueError("a load at a rate has no flushes and no trims")
        if self.streams and self.trim_pct:
            raise ValueError("a workload of streams has no trims")
        if any(load.beside or load.replay or load.verify or load.survey for load in self.beside):
            raise ValueError("a load beside another one is no replay or survey, and has no loads beside it")
        if self.streams and (self.block_mix or self.zones):
            raise ValueError("a workload of streams must not have a block mix or zones")
        if self.streams and abs(sum(stream.share for stream in self.streams) - 100) > SHARES_OFF:
            raise ValueError("the shares of a workload's streams do not make 100 %")
        if self.streams and (self.random_pct, self.read_pct) != _parts(self.streams):
            raise ValueError("random and read shares of a workload are not those of its streams")

    @property
    def ours(self) -> bool:
        """Return True if fio has no right option for it, and stend's engine sends it.

        fio keeps no rate, does not report the response times of a write and its flush together, and times no trims.
        """
        return bool(self.streams or self.replay or self.verify or self.survey or self.paced or self.beside)

    @property
    def writes(self) -> bool:
        """Return True if it writes or trims, itself or by a load beside it."""
        return self.read_pct < 100 or self.trim_pct > 0 or any(load.writes for load in self.beside)

    @property
    def trims(self) -> bool:
        """Return True if it trims, itself or by a load beside it."""
        return self.trim_pct > 0 or any(load.trims for load in self.beside)

    @property
    def paced(self) -> bool:
        """Return True if its results have a `Pace`: times of their own, flushes or trims."""
        return bool(self.replay or self.rate_iops or self.sync == "flush" or self.trim_pct)

    @property
    def serves(self) -> bool:
        """Return True for a load of a service: with a rate, synced writes, trims or neighbours; not for a trace."""
        return not self.replay and (self.paced or self.sync != "none" or bool(self.beside))

    @property
    def mixed(self) -> bool:
        """Return True if its IOs have several sizes or kinds."""
        return bool(self.block_mix or self.streams or self.replay)

    def is_plain(self, random_pct: int, read_pct: int, block_bytes: int) -> bool:
        """Return True if its IOs have this access, share of reads and size, and no others."""
        kind = self.random_pct, self.read_pct, self.block_bytes
        return kind == (random_pct, read_pct, block_bytes) and not self.mixed

    @property
    def one_size_bytes(self) -> int:
        """Return the size of every IO in bytes, or 0 if they, or those of the loads beside it, have several."""
        return 0 if self.mixed or self.beside else self.block_bytes

    @property
    def sizes(self) -> tuple[tuple[int, float], ...]:
        """Return ((bytes, percent of IOs), ...), from streams, block mix or block size."""
        streams = tuple((stream.block_bytes, stream.share) for stream in self.streams)
        return streams or self.block_mix or ((self.block_bytes, 100),)

    @property
    def mix(self) -> str:
        """Return a label of the mix, `4K:67+8K:33` or `RND 4K R:67+SEQ 64K W:33`, or "" for one kind of IO."""
        if self.replay:
            return self.replay.label
        streams = [f"{stream.label}:{stream.share:.3g}{_zone(stream)}" for stream in self.streams]
        return "+".join(streams or [f"{block_label(size)}:{share}" for size, share in self.block_mix])

    @property
    def label(self) -> str:
        """Return the specification's short form: `RND 4K 0/100 T4 Q32`, or `RND TRIM 64K T1 Q32` for trims."""
        if self.replay:
            return f"{self.replay.label} {mix_label(self.read_pct)} Q{self.depth}"
        label = f"{self.pattern} T{self.threads} Q{self.depth}{self._paced if self.trim_pct == 100 else self.service}"
        return " + ".join([label, *(load.label for load in self.beside)])

    @property
    def pattern(self) -> str:
        """Return the label's part that loads of any depth and number of threads have in common: `RND 4K 0/100`."""
        kind = access_label(self.random_pct)
        size = "MIX" if self.mixed else block_label(self.block_bytes)
        return f"{kind} {self._trimmed if self.trim_pct == 100 else f'{size} {mix_label(self.read_pct)}'}"

    @property
    def service(self) -> str:
        """Return the label's part that only services have: ` 5000/s FLUSH/4 TRIM 128K:10`, ` 1/60s even`, or ""."""
        return self._paced + (f" {self._trimmed}:{self.trim_pct}" if self.trim_pct else "")

    @property
    def _paced(self) -> str:
        often = f"{self.rate_iops:.15g}/s" if self.rate_iops >= 1 else f"1/{1 / (self.rate_iops or 1):.6g}s"
        rate = f" {often}{' even' if self.arrivals == 'even' else ''}" if self.rate_iops else ""
        every = f"/{self.flush_every}" if self.sync == "flush" and self.flush_every > 1 else ""
        sync = "" if self.sync == "none" else f" {self.sync.upper()}{every}"
        return rate + sync

    @property
    def _trimmed(self) -> str:
        return f"TRIM {block_label(self.trim_bytes or self.block_bytes)}"

    def covered_bytes(self, moved_bytes: int) -> int:
        """Return the bytes of the range that IOs of so many bytes cover; more if they touch one block in each part."""
        every_bytes = self.verify.every_bytes if self.verify else 0
        return moved_bytes // self.block_bytes * every_bytes if every_bytes else moved_bytes

    def verify_bytes(self, start: int) -> int:
        """Return the bytes of IO from a place in the range to the range's end, with `verify.every_bytes` observed."""
        every_bytes = self.verify.every_bytes if self.verify else 0
        whole, rest = divmod(self.range_bytes - start, every_bytes or self.block_bytes)
        return whole * self.block_bytes + min(rest, self.block_bytes)

    @property
    def outstanding(self) -> int:
        """Return TOIO: threads times queue depth. An open loop has at most as many (`closed`)."""
        return self.threads * self.depth

    @property
    def closed(self) -> bool:
        """Return True if as many IOs as `outstanding` are in flight all the time, False for a load with a rate."""
        return not self.rate_iops


SHARES_OFF = 0.01
"""The shares of streams may differ from 100 % by this much, because of rounding."""


def streamed(streams: tuple[Stream, ...], threads: int, depth: int) -> Workload:
    """Return a workload of these streams over the whole range, with their shares scaled to 100 %."""
    whole = sum(stream.share for stream in streams)
    streams = tuple(msgspec.structs.replace(stream, share=stream.share / whole * 100) for stream in streams)
    largest = max(streams, key=lambda stream: stream.share)
    random_pct, read_pct = _parts(streams)
    return Workload(
        random_pct=random_pct,
        read_pct=read_pct,
        block_bytes=largest.block_bytes,
        threads=threads,
        depth=depth,
        streams=streams,
    )


def writing(load: Workload) -> Workload:
    """Return the workload with its writes only: no reads, or only the streams that write. Unchanged if none does."""
    if not load.streams:
        return msgspec.structs.replace(load, read_pct=0)
    kept = tuple(stream for stream in load.streams if not stream.read)
    if not kept:
        return load
    alone = streamed(kept, load.threads, load.depth)
    return msgspec.structs.replace(alone, start_bytes=load.start_bytes, range_bytes=load.range_bytes)


def _zone(stream: Stream) -> str:
    return "" if stream.zone == (0, 100) else f"@{stream.zone[0]:g}-{stream.zone[1]:g}"


def _parts(streams: tuple[Stream, ...]) -> tuple[int, int]:
    """Return the shares of random IOs and of reads in whole percent; 0 and 100 only where that is exact."""

    def part(kept: list[bool]) -> int:
        share = sum(stream.share for stream, counts in zip(streams, kept, strict=True) if counts)
        return 100 if all(kept) else min(max(round(share), 1), 99) if any(kept) else 0

    return part([stream.random for stream in streams]), part([stream.read for stream in streams])
