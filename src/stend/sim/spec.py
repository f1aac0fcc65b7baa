"""What a virtual drive is made of: parameters with a physical meaning, read from profiles/*.toml."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from stend.base import limits


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts are: frozen, strict about names."""


Micros = Annotated[float, Meta(ge=0, le=1e9)]
Millis = Annotated[float, Meta(ge=0, le=1e6)]
Rate = Annotated[float, Meta(ge=0.001, le=1e6)]
Share = Annotated[float, Meta(ge=0, le=10_000)]
Percent = Annotated[float, Meta(ge=0, le=100)]
Few = Annotated[int, Meta(ge=1, le=4096)]
Page = Annotated[int, Meta(ge=4096, le=1 << 40, multiple_of=4096)]
Memory = Annotated[int, Meta(ge=0, le=1 << 40)]
Capacity = Annotated[int, Meta(ge=1 << 20, le=1 << 50)]
"""What a physical parameter can be, at its widest; what it should be is for the sources to say."""


class Slc(Part, frozen=True, kw_only=True):
    """Superblocks written with one bit per cell: fast, and folded into dense ones later."""

    program_us: Micros
    levels: Annotated[int, Meta(ge=1, le=8)] = 3
    """bits per cell of a dense superblock"""
    share_pct: Share
    """of the space at hand (free or already so written) that may be written so; 38 makes 64 of 500 GiB"""
    fold_pct: Share = 0
    """pages folded for each hundred written to dense superblocks meanwhile"""
    short_pct: limits.Number = -100
    """all host data passes through such blocks once no more space than this is free, percent of user capacity"""
    leave_pct: Share = 10
    """and until this much space is free again, percent of user capacity"""


class Tail(Part, frozen=True, kw_only=True):
    """What makes some response times long: the same few numbers for all loads, block sizes and depths."""

    read_jitter_us: Micros = 0
    """mean of an exponential wait of each answer, which keeps no other one waiting"""
    write_jitter_us: Micros = 0
    write_jitter_pct: Percent = 100
    """share of writes that wait so (behind the controller's own work, such as keeping its map)"""
    retry_pct: Percent = 0
    """share of senses that are repeated with other thresholds (read retry)"""
    retry_us: Micros = 0
    """the mean time of it, of exponential distribution"""
    busy_pct: Percent = 0
    """share of reads soon after a write that find their die at work on what it set going"""
    busy_us: Micros = 0
    """and wait evenly up to so long: a program's time, or what a program that can be suspended takes to stop"""
    mixed_us: Micros = 0
    """fixed wait of a read soon after a write, and of a write soon after a read (a program is suspended)"""
    background_pct: Percent = 0
    """share of senses that find their die at background work (refresh, wear levelling) and wait evenly up to `busy_us`,
    under pure reads too"""
    stalls_per_s: limits.Share = 0
    """how often nothing is answered for a while where only reads are asked; see `sim.stalls`"""
    write_stalls_per_s: limits.Share = 0
    """how many more of these times there are where only writes are asked"""
    stall_ms: Millis = 1
    """the shortest of these times"""


class Flash(Part, frozen=True, kw_only=True):
    """NAND and its controller; microseconds for an operation, bytes for sizes."""

    spare_pct: Share
    """physical space beyond the user capacity, percent of it"""
    dies: Few
    channels: Few
    superblocks: Annotated[int, Meta(ge=0, le=1 << 20)] = 0
    """how many superblocks (cleaned as one) the user capacity makes; scaling makes them smaller, not fewer"""
    superblock_bytes: Memory = 0
    """instead: their size, where it is small enough for large requests to matter; scaling makes them fewer"""
    read_us: Micros
    program_us: Micros
    erase_us: Micros
    program_spread_pct: Share = 0
    unit_bytes: Page = 32768
    """programmed at once on one die (all planes, all bits of a cell)"""
    gather_bytes: Memory = 0
    """programmed as one over the dies, and kept in the buffer until all of it is (parity over dies); 0: a unit"""
    sense_bytes: Page = 16384
    """read at once from one die"""
    move_sense_bytes: Memory = 0
    """the same while cleaning (several planes); 0: as for the host"""
    move_us: Micros = 0
    """the command processor's time for each run of neighbouring pages moved while cleaning: done between commands, and,
    once `gather_bytes` of moving are due, at once while commands wait"""
    block_bytes: Page = 8 << 20
    """erased at once on one die; sets how often `erase_us` is paid"""
    transfer_us: Micros = 5
    """one 4 KiB page over a die's channel"""
    suspend_us: Micros = 60
    """longest wait of a read behind a program; as long as a program where the chips cannot suspend"""
    behind_pct: Share = 0
    """share of the programs already queued on a die that a read also waits for; 0 where reads go first"""
    buffer_bytes: Memory = 4 << 20
    write_through: bool = False
    """no protected buffer: a write is answered when it is in the flash"""
    cleaning: Literal["greedy", "fifo", "sampled", "cost-benefit"] = "greedy"
    lanes: Annotated[int, Meta(ge=1, le=2)] = 1
    """2 keeps moved data apart from new data, as drives with `slc` always do: they fold into dense superblocks"""
    idle_cleaning_pct: Share = 0
    """share of the dies' time that cleaning may use while nothing is asked"""
    busy_cleaning_pct: Share = 0
    """the same while only reads are asked"""
    idle_free_pct: Share = 0
    """free space, percent of user capacity, at which such cleaning ends"""
    table_bytes: Memory = 0
    """how much of the drive the part of the map in the controller's memory covers; 0 for all"""
    segment_bytes: Page = 4 << 20
    """covered by one piece of that map"""
    slc: Slc | None = None
    tail: Tail = Tail()
    pause_every_writes: limits.Count = 0
    """after so many commands nothing is answered for `pause_ms` (the map is saved); 0: never"""
    pause_ms: Millis = 0


class Disk(Part, frozen=True, kw_only=True):
    """Platters and arm; milliseconds, and 10^6 bytes per second."""

    spindle_rpm: Annotated[float, Meta(ge=60, le=1e6)]
    outer_mb_s: Rate
    inner_mb_s: Rate
    settle_ms: Millis
    """the shortest seek"""
    full_seek_ms: Millis
    """across all tracks; between them a seek takes as the square root of its distance"""
    write_settle_ms: Millis = 0
    reorders: Annotated[int, Meta(ge=1, le=256)] = 32
    """how many requests the drive chooses the nearest of"""
    write_memory_bytes: Memory = 0
    """protected against power loss: writes are answered from it"""
    cache_bytes: Memory = 0
    """flash read cache"""
    cache_chunk_bytes: Annotated[int, Meta(ge=4096, le=64 * 4096, multiple_of=4096)] = 65536
    """what a read brings there; at most 64 pages"""
    cache_writes: Literal["around", "through"] = "around"
    """through: what is written is kept there too; around: only chunks written whole, others are dropped"""
    cache_read_us: Micros = 80
    """flash time for a request found there"""
    cache_mb_s: Rate = 250
    """and the rate at which it is read"""
    cache_answer_us: Micros = 50


class Array(Part, frozen=True, kw_only=True):
    """Members behind a RAID controller; each member does `units` things at once."""

    members: Annotated[int, Meta(ge=1, le=64)]
    level: limits.Count
    stripe_bytes: Page = 65536
    units: Annotated[int, Meta(ge=1, le=256)] = 10
    read_us: Micros
    write_us: Micros
    """for one 4 KiB page on one unit, cleaning included"""
    read_mb_s: Rate
    write_mb_s: Rate
    cache_bytes: Memory = 0
    """protected write cache of the controller"""
    parity_us: Micros = 0
    """the controller's time for the parity of one small write"""
    member_command_us: Micros = 0
    """the controller's time for each command to a member that it did not see coming"""
    member_page_us: Micros = 0
    """and for each 4 KiB of it"""
    yield_us: float = 1000
    """longest wait of a read for what the controller has begun to write out of its cache"""


class Host(Part, frozen=True, kw_only=True):
    """Link and command handling; microseconds, and 10^6 bytes per second."""

    read_mb_s: Rate
    write_mb_s: Rate
    read_command_us: Micros
    """the command processor's time for one command: its inverse limits IOPS"""
    write_command_us: Micros
    read_answer_us: Micros
    """what each command waits for without keeping others from theirs"""
    write_answer_us: Micros
    read_page_us: Micros = 0
    """more of the processor's time for each further 4 KiB of a command"""
    write_page_us: Micros = 0
    turn_us: Micros = 0
    """more of it when a write follows a read, or a read a write"""
    one_way: bool = False
    """data going in and out shares one path of the controller"""
    partial_us: Micros = 0
    """more waiting for a write that does not cover whole 4 KiB"""
    queue: Annotated[int, Meta(ge=0, le=65536)] = 0
    """how many commands the drive takes at once (32 by SATA's NCQ), the rest wait in the host; 0: any number"""


class Thermal(Part, frozen=True, kw_only=True):
    """First-order heating: watts idle and busy, kelvin per watt, the time constant; a slower clock above a limit."""

    ambient_c: Annotated[float, Meta(ge=-100, le=200)] = 25
    idle_w: Share = 1
    busy_w: Share = 5
    kelvin_per_w: Share = 4
    seconds: Annotated[float, Meta(ge=0.001, le=1e9)] = 180
    limit_c: Annotated[float, Meta(ge=0, le=1000)] = 0
    """above it the drive's clock runs at `throttle_pct` until it is `HYSTERESIS_K` cooler; 0: never"""
    throttle_pct: Annotated[float, Meta(gt=0, le=100)] = 30


class Accidents(Part, frozen=True, kw_only=True):
    """Misbehaviour on purpose, for tests and rehearsals; seconds of the drive's own clock, 0 is never."""

    dies_at_s: limits.Seconds = 0
    """from then on nothing is answered"""
    hangs_at_s: limits.Seconds = 0
    """from then on nothing is answered for `hang_s`; what is outstanding waits so much longer"""
    hang_s: limits.Seconds = 10
    errors_from_bytes: limits.Count = 0
    """IO errors on `errors_bytes` from here, read or written"""
    errors_bytes: limits.Count = 0
    resizes_at_s: limits.Seconds = 0
    """from then on the drive has `resized_bytes`"""
    resized_bytes: limits.Count = 0
    """0: half of what it had"""
    overheats_at_s: limits.Seconds = 0
    """from then on its fan stands still: the air around it is 60 K warmer"""
    loses_power_at_s: limits.Seconds = 0
    """what was answered but is in an unprotected buffer is gone"""
    lies_about_flush: bool = False
    """answers as soon as a write is in its buffer, which is not protected against power loss"""
    load_dies_at_s: limits.Seconds = 0
    """no accident of the drive: the program that makes the load is killed by a signal then, and at its multiples,"""
    load_deaths: Annotated[int, Meta(ge=0, le=1000)] = 1
    """so often in all"""


class Spec(Part, frozen=True, kw_only=True):
    """One virtual drive. `scale` divides capacity and time: each simulated IO stands for `scale` of them."""

    title: str
    model: str
    interface: str
    capacity_bytes: Capacity
    kind: str = "flash"
    firmware: str = "1"
    logical_bytes: limits.Sector = 512
    physical_bytes: limits.Sector = 4096
    rotational: bool = False
    scale: Annotated[int, Meta(ge=1, le=1 << 32)] = 1
    format_s: limits.Seconds = 1
    flash: Flash | None = None
    disk: Disk | None = None
    array: Array | None = None
    host: Host
    thermal: Thermal = Thermal()
    sources: dict[str, tuple[str, ...]] = {}
    """parameters such as `flash.read_us`, or whole parts, by where they come from: `published`, `assumed`, ...; those
    of `fitted` have no source: `stend calibrate --fit` may change them"""
    name: str = ""
    seed: Annotated[int, Meta(ge=0, lt=1 << 62)] = 1
    unit: Annotated[int, Meta(ge=0, lt=1 << 31)] = 0
    """which drive of the model, and"""
    run: Annotated[int, Meta(ge=0, lt=1 << 31)] = 0
    """in which run of it: together they draw what `spread` (1: as `sim.spread` states) multiplies"""
    spread: Annotated[float, Meta(ge=0, le=10)] = 0
    pace: Annotated[float, Meta(ge=0, le=1e6)] = 0
    """its seconds in a second of the world; 0: as fast as can be"""
    accidents: Accidents = Accidents()
