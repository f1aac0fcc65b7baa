"""Collect what a judgement rests on: named figures in base units, each from one test and one state of the drive.

A name without a figure was not measured; `TELLS` names the test that measures it.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

from stend.findings import Finding, Sheet, look
from stend.findings.look import grounds, headline
from stend.findings.look.endurance import endurance
from stend.findings.look.figures import Figures, figures
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.saturated import Saturated, saturated
from stend.record import Run, added
from stend.units import KiB

SATURATION = "write-saturation"
TELLS = {
    "reads": "iops",
    "mix": "iops",
    "writes": SATURATION,
    "start": SATURATION,
    "fall": SATURATION,
    "write_tail": SATURATION,
    "longest": SATURATION,
    "uneven": SATURATION,
    "read_wait": "latency",
    "write_wait": "latency",
    "mix_tail": "latency",
    "back": "idle-recovery",
    "cache_share": "slc-cache",
    "cache_fall": "slc-cache",
    "seq_read": "throughput",
    "seq_write": "throughput",
    "stream_end": "fresh",
    "big_share": "block-sweep",
    "server_wait": "profiles",
    "hot_gain": "hot-range",
    "hot_hits": "hot-range",
    "capacity": "",
}
FACTS = ("dwpd", "plp")
"""Figures of a drive sheet: drive writes per day; power-loss protection, 1 where it is stated and 0 where denied."""
NEEDS = (grounds.quiet, grounds.undisturbed, grounds.unthrottled, grounds.ruled)
"""What a test must meet for its figures to be used."""
AGREE = 1.1
LARGE = 64 * KiB
LAST = 0.2
"""The end of a long sequential write: the last fifth of its time."""
WORSENING = ("writes", "fall", "write_tail", "longest")
"""Figures of a saturation that would be worse later where its end has not settled."""
Evidence = dict[str, float]


class Known(NamedTuple):
    """Figures; those that are only a bound because the drive was still getting worse; those that cannot be used."""

    figures: Evidence
    bounds: Mapping[str, Because] = MappingProxyType({})
    unusable: Mapping[str, Because] = MappingProxyType({})

    @property
    def usable(self) -> Evidence:
        """Return the figures without those that cannot be used."""
        return {name: value for name, value in self.figures.items() if name not in self.unusable}


def evidence(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Known:
    """Return every named figure that the run, its findings and the drive sheet have."""
    every = figures(run)
    rows = [row for row in every if row.direction == "both"]
    named = [
        *_random(run, rows),
        *_saturation(run, rows),
        *_sequential(run, rows),
        *_waits(every, rows),
        *_found(found),
        *_servers(rows),
        *_blocks(rows),
        *_sweep(rows),
        *_deeper(rows),
        *_composite(every),
    ]
    known = {one.name: one for one in named if one.value is not None}
    told = {"capacity": float(run.plan.device.capacity_bytes)} | {k: v.value or 0.0 for k, v in known.items()}
    tests = {name: one.test for name, one in known.items()}
    if {"start", "writes"} <= told.keys():
        told["fall"], tests["fall"] = told["start"] / told["writes"], tests["writes"]
    if (lasts_for := endurance(sheet, run.plan.device.capacity_bytes)) is not None:
        told["dwpd"] = lasts_for.dwpd
    if "power_loss_protection" in sheet:
        told["plp"] = float(bool(sheet["power_loss_protection"]))
    why = {test.name: _unusable(run, test.name) for test in look.tests(run)}
    unusable = {name: reason for name, test in tests.items() if (reason := why.get(test))}
    return Known(told, _bounds(run, rows, tests), unusable)


class Named(NamedTuple):
    """A figure, its value in base units (None: not measured), and the test that it comes from."""

    name: str
    value: float | None
    test: str


Pairs = Iterator[Named]


def _unusable(run: Run, name: str) -> Because | None:
    """Return why the figures of a test cannot be used, or None."""
    test = next(iter(look.tests(run, name)))
    own = [record for phase in look.measuring(run, test) for record in look.records(run, name, phase.name)]
    return grounds.unmet(NEEDS, Ground(run, test, own)) if own else None


def _bounds(run: Run, rows: Sequence[Figures], tests: dict[str, str]) -> dict[str, Because]:
    """Return the figures of a saturation that went on getting worse, or whose end is not a level, with the reason."""
    for test in look.tests(run, SATURATION):
        told = saturated(run, test.name, look.main_phase(run, test))
        if told and not told.settled and not _confirmed(told, rows):
            why = told.why or Because("falling")
            return {name: why for name in WORSENING if tests.get(name) == SATURATION}
    return {}


def _confirmed(told: Saturated, rows: Sequence[Figures]) -> bool:
    """Return whether an end after less than two capacities is the level of the preconditioned drive."""
    window = headline.level(rows, "write_window")
    if not window or window.steady is False or not told.why:
        return False
    return told.why.key == "fills" and told.end <= AGREE * window.iops


def _of(name: str, row: Figures | None, quantity: str = "iops") -> Pairs:
    if row:
        yield Named(name, row.value(quantity), row.test)


def _random(run: Run, rows: Sequence[Figures]) -> Pairs:
    yield from _of("reads", headline.level(rows, "read_window"))
    yield from _of("mix", headline.level(rows, "mix_window"))
    yield from _of("writes", headline.level(rows, "write_saturated") or headline.level(rows, "write_window"))
    for test in look.tests(run, "fresh"):
        if peak := look.peak(run, test, "random-write", "iops"):
            yield Named("fresh_writes", peak, test.name)
            yield Named("start", peak, test.name)  # the saturation's own start, if there is one, comes later


def _saturation(run: Run, rows: Sequence[Figures]) -> Pairs:
    """Start, tails and evenness of random writes without a pause."""
    for test in look.tests(run, SATURATION):
        phase = look.main_phase(run, test)
        own = [row for row in rows if (row.test, row.phase) == (test.name, phase)]
        told = saturated(run, test.name, phase)
        if not told or not own or not _is(own[-1], 4 * KiB, 0):
            continue
        yield Named("start", told.start, test.name)
        yield Named("sat_s", told.seconds, test.name)
        yield Named("write_tail", own[-1].value("p99.9") or own[-1].value("p99"), test.name)
        yield Named("longest", max(row.value("max") or 0 for row in own), test.name)
        last = [record.counts.iops for record in look.last_records(run, test, phase)]
        if len(last) >= look.FEWEST_LAST:  # how many times the slowest minute takes as long as the usual one; 1 is even
            yield Named("uneven", median(last) / max(min(last), 1e-9), test.name)


def _sequential(run: Run, rows: Sequence[Figures]) -> Pairs:
    """Streams of 128 KiB in steady state, of a disk over all its places; and how a write of the whole drive ends."""
    for name, reads in (("seq_read", 100), ("seq_write", 0)):
        along = [row for row in rows if row.test == "lba-profile" and row.workload.read_pct == reads and not row.place]
        places = [row for row in rows if row.test == "lba-profile" and row.workload.read_pct == reads and row.place]
        if run.plan.device.rotational and (own := along or places):
            written = sum(row.tally.bytes for row in own)
            yield Named(name, written / sum(row.seconds for row in own), "lba-profile")
        else:
            yield from _of(name, headline.stream(rows, reads), "throughput")
            if reads == 0:
                yield from _of("stream_end", headline.stream(rows, reads), "throughput")
    for name, phase in (("fresh", "sequential-write"), ("slc-cache", "fresh")):
        for test in look.tests(run, name):
            for record in look.records(run, name, phase)[-1:]:
                rate = _stream_end(run, record)
                yield Named("stream_end", rate, test.name)
                first = look.peak(run, test, phase, "throughput")
                yield Named("cache_fall", first / rate if rate else None, test.name)


def _stream_end(run: Run, record: look.Record) -> float:
    """Return bytes/s over the last fifth of a record's time; over all of it where no samples were taken."""
    samples = look.samples(run, record)
    begin = record.end_s - LAST * (record.end_s - record.start_s)
    last = [counts for end, counts in samples if end > begin]
    return added(last).bytes_per_s if last else record.counts.bytes_per_s


def _waits(every: Sequence[Figures], rows: Sequence[Figures]) -> Pairs:
    """Mean response at QD1; 99.9 % of the reads of a mix, at QD1 or the deepest queue that was measured."""
    for test in ("latency-curve", "latency"):  # the later one, where both were run
        own = [r for r in rows if r.test == test and _is(r, 4 * KiB, r.workload.read_pct) and r.state == "window"]
        for name, reads in (("read_wait", 100), ("write_wait", 0)):
            single = [r for r in own if r.workload.outstanding == 1 and r.workload.read_pct == reads]
            yield from _of(name, single[-1] if single else None, "mean")
    mixed = [r for r in every if (r.test, r.direction) == ("latency", "read") and _is(r, 4 * KiB, r.workload.read_pct)]
    tails = [tail for r in mixed if 60 <= r.workload.read_pct <= 75 and (tail := r.value("p99.9")) is not None]
    if tails:
        yield Named("mix_tail", max(tails), "latency")


def _is(row: Figures, block_bytes: int, read_pct: int) -> bool:
    """Return whether a row is of random accesses of this block and read share."""
    load = row.workload
    return (load.random_pct, load.read_pct, load.block_bytes) == (100, read_pct, block_bytes) and not load.mixed


def _servers(rows: Sequence[Figures]) -> Pairs:
    """The file server's profile at the least depth that gives nearly the most."""
    busy = headline.busy([row for row in rows if (row.test, row.phase) == ("profiles", "file-server")])
    yield from _of("server_wait", busy, "mean")
    yield from _of("server", busy)
    if busy:
        yield Named("server_depth", float(busy.workload.outstanding), busy.test)


def _composite(every: Sequence[Figures]) -> Pairs:
    """The middle point of a composite load: its rate and the slow reads and writes in it."""
    for row in (row for row in every if (row.test, row.phase) == ("composite", "mid")):
        name = {"both": "load", "read": "load_read", "write": "load_write"}[row.direction]
        yield from _of(name, row, "iops" if row.direction == "both" else "p99")


def _blocks(rows: Sequence[Figures]) -> Pairs:
    """Of the sweep of blocks: sequential reads, 4 KiB at random, the slowest random write of 64 KiB and more."""
    own = [row for row in rows if row.test == "block-sweep"]
    in_order = sorted((r for r in own if (r.workload.random_pct, r.workload.read_pct) == (0, 100)), key=_block)
    if in_order:
        yield from _of("small_read", in_order[0])
        yield from _of("large_read", in_order[-1], "throughput")
    for name, reads in (("small_random", 100), ("small_random_write", 0)):
        yield from _of(name, max((r for r in own if _is(r, 4 * KiB, reads)), key=_rate, default=None))
    big = [r for r in own if _block(r) >= LARGE and _is(r, _block(r), 0)]
    streams = [r.number("throughput") for r in own if (r.workload.random_pct, r.workload.read_pct) == (0, 0)]
    if big and streams:
        slowest = min(big, key=lambda r: r.number("throughput"))
        yield from _of("big_writes", slowest, "throughput")
        yield Named("big_block", float(_block(slowest)), slowest.test)
        yield Named("big_share", slowest.number("throughput") / max(streams), slowest.test)


def _sweep(rows: Sequence[Figures]) -> Pairs:
    """Of 8 KiB 70/30: the most IOPS, how long the deepest point waits, and where the ladder begins."""
    own = sorted((r for r in rows if (r.test, r.phase) == ("thread-queue-sweep", "sweep")), key=_outstanding)
    if own:
        yield from _of("sweep", max(own, key=_rate))
        yield from _of("sweep_wait", own[-1], "mean")
        yield from _of("sweep_longest", own[-1], "max")
        yield from _of("sweep_least", own[0])
        yield Named("sweep_deep", float(_outstanding(own[-1])), own[-1].test)
        yield Named("sweep_shallow", float(_outstanding(own[0])), own[0].test)


def _deeper(rows: Sequence[Figures]) -> Pairs:
    """The gain of 4 KiB accesses from depth, and the depth that gives nearly the most."""
    own = [r for r in rows if r.test == "latency-curve" and _block(r) == 4 * KiB]
    for name, reads in (("deep_reads", 100), ("deep_writes", 0)):
        course = [r for r in own if r.workload.read_pct == reads]
        single = [r for r in course if _outstanding(r) == 1]
        if single:
            yield Named(name, max(map(_rate, course)) / _rate(single[0]), single[0].test)
            if enough := headline.busy(course):
                yield Named(f"{name}_at", float(_outstanding(enough)), enough.test)


def _outstanding(row: Figures) -> int:
    return row.workload.outstanding


def _block(row: Figures) -> int:
    return row.workload.block_bytes


def _found(found: Sequence[Finding]) -> Pairs:
    """What other findings measured, where they are sure enough to state it."""
    for one in found:
        told, test = one.values, one.test
        match one.name, one.key:
            case "idle_recovery", key if key != "short":
                rests = sorted((float(rest), level) for rest, level in told["levels"].items())
                yield Named("back", rests[0][1] / told["fresh"], test)
                yield Named("back_rest", rests[0][0], test)
                yield Named("back_iops", rests[0][1], test)
                yield Named("rested", told["best"], test)
                yield Named("rested_rest", told["best_rest"], test)
            case "slc_cache", "steps" | "about" | "flat" if told["state"] == "fresh":
                yield Named("cache_share", told.get("share", 0.0), test)
                yield Named("cache_bytes", told.get("size", 0.0), test)
                yield Named("cache_first", told["first"], test)
            case "hot_range", _ if told["mix"] == "100/0":
                yield Named("hot_gain", told["gain"], test)
                yield Named("hot_hits", told.get("hits", 0.0), test)
                yield Named("hot_bytes", told["range"], test)
            case "hot_range", _ if told["mix"] == "35/65":
                yield Named("warm_mixed", told["gain"], test)
                yield Named("warm_wait", 1 - 1 / told["gain"], test)
            case "hot_range", _ if told["mix"] == "0/100":
                yield Named("warm_writes", told["gain"], test)
            case "zones", _:
                yield Named("outer", told["outer"], test)
                yield Named("inner", told["inner"], test)


def _rate(row: Figures) -> float:
    return row.iops
