"""Parameters of a virtual drive, each with a physical meaning, read from profiles/*.toml."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from stend.base import limits


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all parts: frozen, and without unknown names."""


Micros = Annotated[float, Meta(ge=0, le=1e9)]
Millis = Annotated[float, Meta(ge=0, le=1e6)]
Rate = Annotated[float, Meta(ge=0.001, le=1e6)]
Share = Annotated[float, Meta(ge=0, le=10_000)]
Percent = Annotated[float, Meta(ge=0, le=100)]
Few = Annotated[int, Meta(ge=1, le=4096)]
Page = Annotated[int, Meta(ge=4096, le=1 << 40, multiple_of=4096)]
Memory = Annotated[int, Meta(ge=0, le=1 << 40)]
Capacity = Annotated[int, Meta(ge=1 << 20, le=1 << 50)]
"""The widest possible ranges of physical parameters. The sources of a profile give realistic values."""


class Slc(Part, frozen=True, kw_only=True):
    """Superblocks written with one bit per cell: they are fast, and folded into dense ones later."""

    program_us: Micros
    levels: Annotated[int, Meta(ge=1, le=8)] = 3
    """bits per cell of a dense superblock"""
    share_pct: Share
    """percent of the space that is free or written with one bit that may be written so. 38 gives 64 of 500 GiB"""
    fold_pct: Share = 0
    """pages folded for each hundred written to dense superblocks meanwhile"""
    short_pct: limits.Number = -100
    """free space, percent of user capacity, at or below which all host data goes through such superblocks"""
    leave_pct: Share = 10
    """free space, percent of user capacity, above which that ends"""


class Tail(Part, frozen=True, kw_only=True):
    """Causes of long response times: a few parameters that are the same for all loads, block sizes and queue depths."""

    read_jitter_us: Micros = 0
    """mean of an exponential wait of each answer, which delays no other answer"""
    write_jitter_us: Micros = 0
    write_jitter_pct: Percent = 100
    """share of writes with that wait (for work of the controller such as updates of its map)"""
    retry_pct: Percent = 0
    """share of senses that are repeated with other thresholds (read retry)"""
    retry_us: Micros = 0
    """mean of the exponential time of a retry"""
    busy_pct: Percent = 0
    """share of reads soon after a write that find their die busy with work that the write started"""
    busy_us: Micros = 0
    """longest wait of these reads, drawn evenly: the time of a program, or the time to suspend one"""
    mixed_us: Micros = 0
    """fixed wait of a read soon after a write, and of a write soon after a read (a program is suspended)"""
    background_pct: Percent = 0
    """share of senses, also under pure reads, that find their die at background work (refresh, wear levelling) and wait
    evenly up to `busy_us`"""
    stalls_per_s: limits.Share = 0
    """rate of stalls, in which nothing is answered, under pure reads. See `sim.stalls`"""
    write_stalls_per_s: limits.Share = 0
    """additional rate of stalls under pure writes"""
    stall_ms: Millis = 1
    """length of the shortest stall"""


class Flash(Part, frozen=True, kw_only=True):
    """NAND and its controller. Times are in microseconds per operation, sizes in bytes."""

    spare_pct: Share
    """physical space beyond the user capacity, percent of it"""
    dies: Few
    channels: Few
    superblocks: Annotated[int, Meta(ge=0, le=1 << 20)] = 0
    """superblocks (units of cleaning) in the user capacity. Scaling makes them smaller, not fewer"""
    superblock_bytes: Memory = 0
    """alternative: their size, if it is small enough to matter for large requests. Scaling makes them fewer"""
    read_us: Micros
    program_us: Micros
    erase_us: Micros
    program_spread_pct: Share = 0
    unit_bytes: Page = 32768
    """programmed at once on one die (all planes, all bits of a cell)"""
    gather_bytes: Memory = 0
    """programmed together over the dies, and kept in the buffer until all is done (parity over dies); 0: a unit"""
    sense_bytes: Page = 16384
    """read at once from one die"""
    move_sense_bytes: Memory = 0
    """read at once from one die while cleaning (several planes); 0: `sense_bytes`"""
    move_us: Micros = 0
    """time of the command processor for each run of neighbouring pages moved while cleaning: it is spent between
    commands, or, once `gather_bytes` of moving are due, immediately while commands wait"""
    block_bytes: Page = 8 << 20
    """erased at once on one die. It sets how often `erase_us` is paid"""
    transfer_us: Micros = 5
    """one 4 KiB page over a die's channel"""
    suspend_us: Micros = 60
    """longest wait of a read for a program; as long as a program if the chips cannot suspend it"""
    behind_pct: Share = 0
    """share of the programs already queued on a die that a read also waits for, or 0 where reads go first"""
    buffer_bytes: Memory = 4 << 20
    write_through: bool = False
    """True for no protected buffer: a write is answered when it is in the flash"""
    cleaning: Literal["greedy", "fifo", "sampled", "cost-benefit"] = "greedy"
    lanes: Annotated[int, Meta(ge=1, le=2)] = 1
    """2 separates moved data from new data, as drives with `slc` always do to fold into dense superblocks"""
    idle_cleaning_pct: Share = 0
    """percent of the dies' time that cleaning may use while the drive is idle"""
    busy_cleaning_pct: Share = 0
    """percent of the dies' time that cleaning may use under pure reads"""
    idle_free_pct: Share = 0
    """free space, percent of user capacity, at which this cleaning ends"""
    table_bytes: Memory = 0
    """bytes of the drive that the map in the controller's memory covers; 0: all"""
    segment_bytes: Page = 4 << 20
    """bytes of the drive that one segment of that map covers"""
    slc: Slc | None = None
    tail: Tail = Tail()
    pause_every_writes: limits.Count = 0
    """write commands between pauses of `pause_ms` in which nothing is answered (the map is saved); 0: no pauses"""
    pause_ms: Millis = 0


class Disk(Part, frozen=True, kw_only=True):
    """Platters and arm. Times are in milliseconds, rates in 10^6 bytes per second."""

    spindle_rpm: Annotated[float, Meta(ge=60, le=1e6)]
    outer_mb_s: Rate
    inner_mb_s: Rate
    settle_ms: Millis
    """the shortest seek"""
    full_seek_ms: Millis
    """the longest seek, across all tracks; between the two the time grows with the square root of the distance"""
    write_settle_ms: Millis = 0
    reorders: Annotated[int, Meta(ge=1, le=256)] = 32
    """number of requests from which the drive chooses the nearest"""
    write_memory_bytes: Memory = 0
    """writes are answered from it. See `Spec.protected`"""
    cache_bytes: Memory = 0
    """flash read cache"""
    cache_chunk_bytes: Annotated[int, Meta(ge=4096, le=64 * 4096, multiple_of=4096)] = 65536
    """amount that a read loads into the cache; at most 64 pages"""
    cache_writes: Literal["around", "through"] = "around"
    """through: the cache also keeps written data; around: it keeps only chunks written whole and drops others"""
    cache_read_us: Micros = 80
    """flash time of a request that hits the cache"""
    cache_mb_s: Rate = 250
    """rate at which it is read"""
    cache_answer_us: Micros = 50


class Array(Part, frozen=True, kw_only=True):
    """Members behind a RAID controller. Each member does `units` operations in parallel."""

    members: Annotated[int, Meta(ge=1, le=64)]
    level: limits.Count
    stripe_bytes: Page = 65536
    units: Annotated[int, Meta(ge=1, le=256)] = 10
    read_us: Micros
    write_us: Micros
    """time of one 4 KiB page on one unit, cleaning included"""
    read_mb_s: Rate
    write_mb_s: Rate
    cache_bytes: Memory = 0
    """write cache of the controller. See `Spec.protected`"""
    parity_us: Micros = 0
    """time of the controller for the parity of one small write"""
    member_command_us: Micros = 0
    """time of the controller for each command to a member that was not read ahead or gathered"""
    member_page_us: Micros = 0
    """further time for each 4 KiB of such a command"""
    yield_us: float = 1000
    """longest wait of a read for a write from the cache that the controller has started"""

    @property
    def data_members(self) -> int:
        """Return the number of members whose capacity holds data; the others hold copies or parity."""
        return {1: 1, 5: self.members - 1, 10: self.members // 2}.get(self.level, self.members)


class Ideal(Part, frozen=True, kw_only=True):
    """Command processors of the ideal drive, and how long each takes for a command."""

    servers: Annotated[int, Meta(ge=1, le=256)] = 1
    """command processors that work at the same time on one queue"""
    service: Literal["fixed", "exponential"] = "fixed"
    """fixed: the command times of `host`; exponential: drawn, with these means"""


class Host(Part, frozen=True, kw_only=True):
    """Link and command handling. Times are in microseconds, rates in 10^6 bytes per second."""

    read_mb_s: Rate
    write_mb_s: Rate
    read_command_us: Micros
    """time of the command processor for one command; its inverse limits IOPS"""
    write_command_us: Micros
    read_answer_us: Micros
    """further response time of each command, which delays no other command"""
    write_answer_us: Micros
    read_page_us: Micros = 0
    """time of the command processor for each further 4 KiB of a command"""
    write_page_us: Micros = 0
    turn_us: Micros = 0
    """time of the command processor when a write follows a read, or a read a write"""
    one_way: bool = False
    """True if data in both directions shares one path of the controller"""
    partial_us: Micros = 0
    """further response time of a write that does not cover whole 4 KiB pages"""
    flush_us: Micros = 0
    """further response time of a flush, and of a write with FUA, on a drive that is not `protected`"""
    trim_command_us: Micros = 20
    """time of the command processor for one trim; assumed, and only flash and ideal drives have trims"""
    trim_mib_us: Micros = 1
    """further time for each MiB of a trim; assumed"""
    queue: Annotated[int, Meta(ge=0, le=65536)] = 0
    """most commands in the drive (32 with SATA's NCQ). Further ones wait in the host; 0: any number"""


class PowerState(Part, frozen=True, kw_only=True):
    """A state of less power that the drive enters by itself after a rest, as NVMe's APST or a disk's standby timer."""

    sleep_after_ms: Annotated[float, Meta(ge=0.001, le=1e9)]
    """rest after which the drive is in this state"""
    watts: Share
    exit_ms: Millis
    """further response time of the first request after the rest (exit latency, spin-up)"""
    exit_w: Share = 0
    """watts meanwhile; 0: `idle_w`"""


class Power(Part, frozen=True, kw_only=True):
    """Watts by activity and state. See `sim.power`."""

    idle_w: Share = 1
    """awake, without requests"""
    read_w: Share = 5
    """reading as fast as the link allows. For a disk: while the head works on reads"""
    write_w: Share = 5
    """the same for writes, or while all dies program"""
    command_uj: Share = 0
    """energy of each command in microjoules, up to `read_w` and `write_w`"""
    peak_w: Share = 0
    """highest watts of a moment at full load; 0: `read_w` and `write_w`"""
    states: tuple[PowerState, ...] = ()
    """by increasing `sleep_after_ms`"""


class Thermal(Part, frozen=True, kw_only=True):
    """First-order heating by `power`, with kelvin per watt and a time constant; slower clock above a limit."""

    ambient_c: Annotated[float, Meta(ge=-100, le=200)] = 25
    kelvin_per_w: Share = 4
    seconds: Annotated[float, Meta(ge=0.001, le=1e9)] = 180
    limit_c: Annotated[float, Meta(ge=0, le=1000)] = 0
    """from this temperature on the drive's clock runs at `throttle_pct`, until it is `HYSTERESIS_K` cooler; 0: never"""
    throttle_pct: Annotated[float, Meta(gt=0, le=100)] = 30


class Accidents(Part, frozen=True, kw_only=True):
    """Deliberate faults, for tests and rehearsals. Times are seconds of the drive's own clock, 0 means never."""

    dies_at_s: limits.Seconds = 0
    """time from which on nothing is answered"""
    hangs_at_s: limits.Seconds = 0
    """time from which on nothing is answered for `hang_s`; outstanding IOs wait that much longer"""
    hang_s: limits.Seconds = 10
    errors_from_bytes: limits.Count = 0
    """start of the `errors_bytes` where reads and writes fail with an IO error"""
    errors_bytes: limits.Count = 0
    errors_once: bool = False
    """True if a request that failed is answered when it is sent again"""
    slow_from_bytes: limits.Count = 0
    """start of the `slow_bytes` where reads are answered late"""
    slow_bytes: limits.Count = 0
    slow_us: Micros = 0
    """further response time of these reads"""
    slow_pct: Percent = 100
    """share of these reads that are late"""
    resizes_at_s: limits.Seconds = 0
    """time from which on the drive has `resized_bytes`"""
    resized_bytes: limits.Count = 0
    """0: half of its capacity"""
    overheats_at_s: limits.Seconds = 0
    """time from which on its fan has stopped: the air around it is 60 K warmer"""
    loses_power_at_s: limits.Seconds = 0
    """time of a power loss, which destroys answered writes in an unprotected buffer"""
    lies_about_flush: bool = False
    """True if writes are answered from the buffer, which is not protected against power loss"""
    load_dies_at_s: limits.Seconds = 0
    """not a fault of the drive: a signal kills the program that makes the load at this time and its multiples"""
    load_deaths: Annotated[int, Meta(ge=0, le=1000)] = 1
    """total number of these deaths"""


Blocks = Annotated[int, Meta(ge=0, le=1 << 50, multiple_of=512)]


class Lies(Part, frozen=True, kw_only=True):
    """Faults of content: a drive that returns other data than was written, mostly without an error; 0: no fault."""

    wrap_bytes: Blocks = 0
    """real capacity of a drive whose addresses wrap: address and address modulo this are the same place"""
    drops_from_bytes: Blocks = 0
    """address from which on writes are lost"""
    zeroes_from_bytes: Blocks = 0
    """address from which on zeros are stored"""
    keeps_bytes: Blocks = 0
    """size of a memory that keeps only the last bytes written. Nothing is behind it"""
    flips_one_in: Annotated[int, Meta(ge=0, le=1 << 60)] = 0
    """bits of the drive for each one that is read inverted"""
    unreadable_from_bytes: Blocks = 0
    """start of the `unreadable_bytes` that verified reads and inspections report as an error of the medium"""
    unreadable_bytes: Blocks = 0


class Spec(Part, frozen=True, kw_only=True):
    """One virtual drive. `scale` divides capacity and time: each simulated IO represents `scale` IOs."""

    title: str
    model: str
    interface: str
    capacity_bytes: Capacity
    kind: str = "flash"
    firmware: str = "1"
    logical_bytes: limits.Sector = 512
    physical_bytes: limits.Sector = 4096
    rotational: bool = False
    protected: bool = True
    """power-loss protection: buffered writes survive a power loss, and a flush costs a command. Without it a flush
    waits until the buffer is on the medium"""
    scale: Annotated[int, Meta(ge=1, le=1 << 32)] = 1
    format_s: limits.Seconds = 1
    flash: Flash | None = None
    disk: Disk | None = None
    array: Array | None = None
    ideal: Ideal = Ideal()
    host: Host
    power: Power = Power()
    thermal: Thermal = Thermal()
    sources: dict[str, tuple[str, ...]] = {}
    """parameters such as `flash.read_us`, or whole parts, by origin: `published`, `assumed`, .... Those in `fitted`
    have no source, and `python -m benchmarks.calibrate --refit` may change them"""
    name: str = ""
    seed: Annotated[int, Meta(ge=0, lt=1 << 62)] = 1
    unit: Annotated[int, Meta(ge=0, lt=1 << 31)] = 0
    """number of the drive among those of its model"""
    run: Annotated[int, Meta(ge=0, lt=1 << 31)] = 0
    """number of the run of that drive; `unit` and `run` draw the differences that `spread` multiplies (`sim.spread`)"""
    spread: Annotated[float, Meta(ge=0, le=10)] = 0
    pace: Annotated[float, Meta(ge=0, le=1e6)] = 0
    """seconds of the drive per second of real time; 0: as fast as possible"""
    accidents: Accidents = Accidents()
    lies: Lies = Lies()
    serial: Annotated[str, Meta(max_length=40)] = ""
    reports: dict[str, Any] = {}
    """logs that the drive states about itself, as in the passport of an inspection: `hours`, `counts`, `wear_pct`"""

    @property
    def trims(self) -> bool:
        """Return True if the drive has trims: flash drives do, disks and arrays of controllers do not."""
        return self.kind in ("flash", "ideal")
