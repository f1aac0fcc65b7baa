"""Work out the named figures of a run, each from one test and one state of the drive (`evidence`)."""

import math
from collections.abc import Sequence
from operator import attrgetter
from statistics import median

from stend.base.units import KiB
from stend.findings import Finding, look
from stend.findings.judgement.named import LEVEL, NEAR, Named, Pairs, of_findings
from stend.findings.look import headline
from stend.findings.look.arrays import raised
from stend.findings.look.figures import LASTING, Figures, after_fill, figures, listed, together
from stend.findings.look.grounds import FILLS
from stend.findings.look.hits import COLD_WARM
from stend.findings.look.saturated import Saturated, saturated
from stend.findings.saturation import of_phase
from stend.findings.slc_cache import FEWEST_SAMPLES
from stend.findings.zones import covered
from stend.model.counts import added
from stend.model.definition import Hold
from stend.model.record import Run

SATURATION = "write-saturation"
LARGE = 64 * KiB
ALIKE = 1.02
"""Rates of one sweep that differ by less are equal."""
WHOLE = 0.99
"""From this share of the capacity on, a range is the whole drive."""
LAST = 0.2
"""The end of a long sequential write: the last fifth of its time."""
WAVERS = 1.5
"""Last records of a saturation that differ by this factor vary much."""
RAISED, APART = 1.1, 2.0
"""A mean this many times the median is raised; with less, both round to the same figure. From `APART` times on it lies
between two kinds of IO and is the time of neither, however many of them are long."""


def named(run: Run, findings: Sequence[Finding]) -> Pairs:
    """Yield every figure of closed loops and of findings; if a name comes twice, the later figure counts."""
    every = [row for row in figures(run) if row.workload.closed]
    rows = [row for row in every if row.direction == "both"]
    yield from _random(run, rows)
    yield from _saturation(run, rows)
    yield from _sequential(run, rows, findings)
    yield from _again(run, rows)
    yield from _waits(every, rows)
    yield from of_findings(findings)
    for part in (_profiles, _blocks, _sweep, _deeper):
        yield from part(rows)
    yield from _composite(every)
    yield from _warmed(rows)


def _of(name: str, row: Figures | None, quantity: str = "iops") -> Pairs:
    if row:
        yield Named(name, row.value(quantity), row.test, row)


def _random(run: Run, rows: Sequence[Figures]) -> Pairs:
    for name, level in headline.RANDOM.items():
        row = headline.level(rows, level)
        yield from _of(name, row)
        if row and row.test == "iops":
            yield Named(f"{name}_in_rounds", 1.0, row.test)
    filled, saturated = headline.level(rows, "write_window"), headline.level(rows, "write_saturated")
    yield from _of("writes", saturated or filled)
    yield from _of("writes_filled", filled)
    if filled and raised(run, filled):
        yield Named("writes_cached", 1.0, filled.test)
    for test in look.tests(run, "fresh"):
        if peak := look.peak(run, test, "random-write", "iops"):
            yield Named("fresh_writes", peak, test.name)
            yield Named("start", peak, test.name)  # the start of a saturation comes later and replaces it


def _saturation(run: Run, rows: Sequence[Figures]) -> Pairs:
    """Yield start, tails and evenness of random writes without a pause."""
    for test in look.tests(run, SATURATION):
        phase = look.main_phase(run, test)
        course = [row for row in rows if (row.test, row.phase) == (test.name, phase)]
        saturation = saturated(run, test.name, phase)
        if not saturation or not course or not _is(course[-1], 4 * KiB, 0):
            continue
        yield Named("start", saturation.start if saturation.fresh else None, test.name, course[0])
        yield Named("begun_s", None if saturation.fresh else saturation.first_s, test.name)
        platter = run.plan.device.rotational and not run.plan.device.trim_bytes  # shingled disks have trims
        if headline.level(rows, "write_saturated"):
            share = course[-1].workload.range_bytes / run.plan.device.capacity_bytes
            yield Named("sat_part", share if 0 < share < WHOLE else None, test.name)
            yield Named("sat_s", saturation.seconds, test.name)
            few = saturation.fills < WHOLE * FILLS and not platter
            yield Named("sat_fills", saturation.fills if few else None, test.name)
            yield Named("still_rising", 1.0 if saturation.climbs else None, test.name)
            yield Named("fallen_s", _fallen_s(look.records(run, test.name, phase), saturation), test.name)
            yield Named("held", float(of_phase(run, test.name, phase).key == "flat"), test.name)
        else:  # it did not write the whole drive: "writes", if known, are of another test
            yield Named("ended", saturation.end, test.name, course[-1])
            yield Named("ended_s", saturation.seconds, test.name)
            share = 0.0 if platter or saturation.fills >= 1 else saturation.fills
            yield Named("ended_share", share or None, test.name)
        if course[-1].state in LASTING:
            yield from _of("write_tail", course[-1], "p99.9")
            yield Named("write_tail_at", float(course[-1].workload.outstanding), test.name)
            yield Named("write_queued", headline.queued(course[-1], "p99.9"), test.name)
        waited = [record.counts.max_s for record in look.records(run, test.name, phase)]
        parts = [row for row in listed(run, test.name, phase) if row.workload == course[-1].workload]
        every_part = [next(together(parts)), *(row for row in rows if row.test == test.name)]  # the histogram too
        worst = max(every_part, key=lambda row: row.number("max"))
        row = course[-1] if worst.window == "rounds" else worst
        yield Named("longest", max(*waited, worst.number("max")), test.name, row)
        last = [record.counts.iops for record in look.last_records(run, test, phase)]
        if len(last) >= look.FEWEST_LAST:  # how many times as long the slowest minute takes as the usual one; 1 is even
            yield Named("uneven", median(last) / max(min(last), 1e-9), test.name)
            yield from _wavering(saturation, last, test.name)


def _wavering(saturation: Saturated, last: Sequence[float], test: str) -> Pairs:
    """Yield the lowest and the highest rate of the last records if they vary much. `wavers` is 1 if such records reach
    the start: the drop of the mean is then not a fall."""
    low, high = min(last), max(last)
    if high < WAVERS * max(low, 1e-9):
        return
    yield Named("wavers_low", low, test)
    yield Named("wavers_high", high, test)
    yield Named("wavers", float(saturation.fresh and high >= (1 - NEAR) * saturation.start), test)


def _fallen_s(records: Sequence[look.Record], saturation: Saturated) -> float:
    """Return how many seconds nine tenths of the drop take, at the ends of records.

    A later record counts only if at least half of those up to it are above.
    """
    seconds, above, fallen = 0.0, 0, 0.0
    low = saturation.end + NEAR * (saturation.start - saturation.end)
    for n, record in enumerate(records, start=1):
        seconds += record.counts.seconds
        over = record.counts.iops > low
        above += over
        if over and 2 * above >= n:
            fallen = seconds
    return fallen or saturation.seconds


def _sequential(run: Run, rows: Sequence[Figures], findings: Sequence[Finding]) -> Pairs:
    """Yield steady 128 KiB streams (of a disk along its range), their share of the drive if that is a part, how far a
    stream of a disk came from its outer edge at most, and the end of a write of the whole fresh drive.

    Such a write falls from the level of the cache, or from its peak if no level is known.
    """
    passed: list[tuple[float, str]] = []
    for name, reads in (("seq_read", 100), ("seq_write", 0)):
        along = [row for row in rows if row.test == "lba-profile" and row.workload.read_pct == reads and not row.place]
        places = [row for row in rows if row.test == "lba-profile" and row.workload.read_pct == reads and row.place]
        whole = all(covered(run, test, "read" if reads else "write") == 1 for test in look.tests(run, "lba-profile"))
        if run.plan.device.rotational and whole and (passes := along or places):
            moved = sum(row.tally.bytes for row in passes)
            yield Named(name, moved / sum(row.seconds for row in passes), "lba-profile")
            yield Named("seq_along", 1.0, "lba-profile")
        else:
            single = [row for row in rows if row.workload.threads == 1] if run.plan.device.rotational else rows
            stream, several = headline.stream(single, reads), headline.stream(rows, reads)
            yield from _of(name, stream, "throughput")
            if stream and run.plan.device.rotational:
                passed.append((_passed(run, stream), stream.test))
            if several and not stream:  # the heads of a disk seek between streams
                yield from _of(f"streams_{'read' if reads else 'write'}", several, "throughput")
                yield Named("streams_at", float(several.workload.threads), several.test)
            if reads == 0 and stream:
                yield from _of("stream_end", stream, "throughput")
                yield Named("stream_rounds", 1.0, stream.test)
                share = stream.workload.range_bytes / run.plan.device.capacity_bytes
                yield Named("seq_part", share if 0 < share < WHOLE else None, stream.test)
    if passed:
        share, test_name = max(passed)  # of both directions the one that came further
        yield Named("seq_outer", share if share < WHOLE else None, test_name)
    for name, phase in (("fresh", "sequential-write"), ("slc-cache", "fresh")):
        for test in look.tests(run, name):
            for record in look.records(run, name, phase)[-1:]:
                end = _last_fifth(run, test.name, phase, record)
                yield from _of("stream_end", end, "throughput")
                yield Named("stream_rounds", 0.0, test.name)
                first, rate = _first_level(findings, test.name), end.number("throughput")
                first = first or look.peak(run, test, phase, "throughput")
                yield Named("cache_fall", first / rate if rate else None, test.name)


def _passed(run: Run, stream: Figures) -> float:
    """Return the share of the drive up to which a stream came. Each hold of it continues where the last one ended."""
    load, at, furthest = stream.workload, 0, 0
    for result in run.results:
        if isinstance(result.step, Hold) and result.step.workload == load:
            until = at + load.covered_bytes(result.counts.both.bytes)
            if (result.where.test, result.where.phase) == (stream.test, stream.phase):
                furthest = max(furthest, min(until, load.range_bytes))
            at = until % load.range_bytes
    return furthest / run.plan.device.capacity_bytes


def _again(run: Run, rows: Sequence[Figures]) -> Pairs:
    """Yield a second write of the whole drive and its end; of a disk without an LBA profile it is its stream."""
    for test in look.tests(run, "slc-cache"):
        records = look.records(run, test.name, "rested")[-1:]
        for record in (r for r in records if len(look.samples(run, r)) >= FEWEST_SAMPLES):
            yield from _of("again", listed(run, test.name, "rested")[-1], "throughput")
            if run.plan.device.rotational and not any(row.test == "lba-profile" for row in rows):
                yield from _of("seq_write", listed(run, test.name, "rested")[-1], "throughput")
                yield Named("seq_along", 1.0, test.name)
            yield from _of("again_end", _last_fifth(run, test.name, "rested", record), "throughput")


def _first_level(findings: Sequence[Finding], test: str) -> float | None:
    """Return bytes/s of the first level of a fresh drive, or None if it is unknown."""
    known = (f.values for f in findings if (f.name, f.test) == ("slc_cache", test) and f.key in LEVEL)
    return next((values["first"] for values in known if values["state"] == "fresh"), None)


def _last_fifth(run: Run, test: str, phase: str, record: look.Record) -> Figures:
    """Return the figures of the last fifth of the time of a record, or of all of it without samples."""
    samples = look.samples(run, record)
    begin = record.end_s - LAST * (record.end_s - record.start_s)
    last = added([counts for end, counts in samples if end > begin] or [record.counts])
    whole = next(row for row in listed(run, test, phase) if row.workload == record.workload)
    return whole._replace(window="last", seconds=last.seconds, tally=last.both, reported=None)


def _waits(every: Sequence[Figures], rows: Sequence[Figures]) -> Pairs:
    """Yield mean and 99 % at QD1, and the longest 99.9 % of the reads of a mix with its depth and shares.

    If few long waits raise the mean above the 99 % and by a tenth, or many to twice the median, it is not that of a
    usual IO: then the median and the longest too.
    """
    for test in ("latency-curve", "latency"):  # if both were run, the later one counts
        curve = [r for r in rows if r.test == test and _is(r, 4 * KiB, r.workload.read_pct) and after_fill(r)]
        for name, reads in (("read", 100), ("write", 0), ("mix", 65)):
            single = [r for r in curve if r.workload.outstanding == 1 and r.workload.read_pct == reads][-1:]
            for row in single:
                yield from _of(f"{name}_p99", row, "p99")
                if reads != 65:
                    yield from _of(f"{name}_wait", row, "mean")
                    raised = row.number("mean") / (row.value("p50") or math.inf)
                    rare = raised >= APART or (0 < row.number("p99") < row.number("mean") and raised > RAISED)
                    yield from [*_of(f"{name}_usual", row, "p50"), *_of(f"{name}_longest", row, "max")] if rare else []
    mixed = [r for r in every if (r.test, r.direction) == ("latency", "read") and _is(r, 4 * KiB, r.workload.read_pct)]
    tails = [(tail, r) for r in mixed if 60 <= r.workload.read_pct <= 75 and (tail := r.value("p99.9"))]
    if tails:
        _, row = max(tails, key=lambda pair: pair[0])
        load = row.workload
        yield from _of("mix_tail", row, "p99.9")
        yield Named("mix_queued", headline.queued(row, "p99.9"), "latency")
        yield Named("mix_tail_at", float(load.outstanding), "latency")
        yield Named("mix_tail_reads", float(load.read_pct), "latency")
        yield Named("mix_tail_writes", 100.0 - load.read_pct, "latency")


def _is(row: Figures, block_bytes: int, read_pct: int) -> bool:
    """Return whether a row is of random accesses of this block and read share."""
    return row.workload.is_plain(100, read_pct, block_bytes)


def _profiles(rows: Sequence[Figures]) -> Pairs:
    """Yield the profiles of a file server and of a database at the lowest depth with nearly the highest IOPS."""
    for name, phase in (("server", "file-server"), ("database", "iometer-database"), ("database", "database")):
        busy = headline.busy([row for row in rows if (row.test, row.phase) == ("profiles", phase)])
        yield from _of(f"{name}_wait", busy, "mean")
        yield from _of(name, busy)
        if busy:
            yield Named(f"{name}_depth", float(busy.workload.outstanding), busy.test)


def _composite(every: Sequence[Figures]) -> Pairs:
    """Yield the highest rates of a composite load and of demand intensity, and the middle point of the first."""
    sweep = [row for row in every if (row.test, row.phase, row.direction) == ("composite", "sweep", "both")]
    for name, end in (("load_most", max), ("load_least", min)):
        yield from _of(name, end(sweep, key=lambda row: row.iops, default=None))
    demand = [row for row in every if (row.test, row.phase, row.direction) == ("demand-intensity", "sweep", "both")]
    if most := max(demand, key=lambda row: row.iops, default=None):
        yield from _of("demand_most", most)
        yield Named("demand_at", float(_outstanding(most)), most.test)
    for row in (row for row in every if (row.test, row.phase) == ("composite", "mid")):
        name = {"both": "load", "read": "load_read", "write": "load_write"}[row.direction]
        yield from _of(name, row, "iops" if row.direction == "both" else "p99")


def _warmed(rows: Sequence[Figures]) -> Pairs:
    """Yield what reads bring that warm a small part: to a mix and to pure reads, both at the deepest queue."""
    ladders = {phase: [r for r in rows if (r.test, r.phase) == ("cold-warm", phase)] for phase in COLD_WARM[:2]}
    for name, pure in (("warmed_mix", False), ("warmed", True)):
        of_kind = ([r for r in ladder if (r.workload.read_pct == 100) == pure] for ladder in ladders.values())
        cold, warm = (max(ladder, key=_outstanding, default=None) for ladder in of_kind)
        if cold and warm and (load := warm.workload).outstanding == cold.workload.outstanding:
            yield Named(f"{name}_at", float(load.outstanding), warm.test)
            yield Named(f"{name}_reads", float(load.read_pct), warm.test)
            yield Named(f"{name}_gain", warm.iops / cold.iops if cold.iops else None, warm.test)
            for end, row in (("cold", cold), ("warm", warm)):
                yield Named(f"{name}_{end}", row.value("mean"), row.test)
                yield Named(f"{name}_{end}_longest", row.value("max"), row.test)


def _blocks(rows: Sequence[Figures]) -> Pairs:
    """Yield figures of the block sweep: sequential reads, random 4 KiB, and random writes of a large block.

    The large block is that from 64 KiB on at which random writes are slowest compared with sequential ones.
    """
    sweep = [row for row in rows if row.test == "block-sweep"]
    in_order = sorted((r for r in sweep if (r.workload.random_pct, r.workload.read_pct) == (0, 100)), key=_block)
    if in_order:
        yield from _of("small_read", in_order[0])
        yield from _of("large_read", in_order[-1], "throughput")
        yield Named("block_threads", float(in_order[-1].workload.threads), in_order[-1].test)
    for name, reads in (("small_random", 100), ("small_random_write", 0)):
        yield from _of(name, max((r for r in sweep if _is(r, 4 * KiB, reads)), key=attrgetter("iops"), default=None))
    streams = {_block(r): r for r in sweep if (r.workload.random_pct, r.workload.read_pct) == (0, 0)}
    big = [r for r in sweep if _block(r) >= LARGE and _is(r, _block(r), 0) and _block(r) in streams]
    if big:
        slowest = min(big, key=lambda r: _speed(r) / _speed(streams[_block(r)]))
        stream = streams[_block(slowest)]
        yield from _of("big_writes", slowest, "throughput")
        yield Named("big_block", float(_block(slowest)), slowest.test)
        yield Named("big_share", _speed(slowest) / _speed(stream), slowest.test)
        yield from _of("stream_writes", stream, "throughput")


def _sweep(rows: Sequence[Figures]) -> Pairs:
    """Yield figures of 8 KiB 70/30: highest IOPS, the first depth near them, the deepest point, and the first.

    Of points with as many IOPS that with the fewest outstanding is the best.
    """
    ladder = sorted((r for r in rows if (r.test, r.phase) == ("thread-queue-sweep", "sweep")), key=_outstanding)
    if near := headline.busy(ladder):
        first, last, most = ladder[0], ladder[-1], max(row.iops for row in ladder)
        best = next(row for row in ladder if row.iops * ALIKE >= most)
        for name, row in (("sweep", best), ("sweep_least", first), ("sweep_near", near)):
            yield from _of(name, row)
        yield from [*_of("sweep_wait", last, "mean"), *_of("sweep_longest", last, "max")]
        for name, row in (("at", best), ("near_at", near), ("deep", last), ("shallow", first)):
            yield Named(f"sweep_{name}", float(_outstanding(row)), row.test)


def _deeper(rows: Sequence[Figures]) -> Pairs:
    """Yield the depth that gives nearly the highest IOPS of 4 KiB, its gain over a single IO, and the rate of that."""
    curve = [r for r in rows if r.test == "latency-curve" and _block(r) == 4 * KiB]
    for name, reads in (("deep_reads", 100), ("deep_writes", 0)):
        course = [r for r in curve if r.workload.read_pct == reads]
        single = [r for r in course if _outstanding(r) == 1]
        if single and (enough := headline.busy(course)):
            gain = enough.iops / single[0].iops  # more than the depth itself: the rate at one was another one
            yield Named(name, gain if gain <= _outstanding(enough) else None, enough.test, enough)
            yield from _of(f"{name}_one", single[0])
            yield Named(f"{name}_at", float(_outstanding(enough)), enough.test)


def _outstanding(row: Figures) -> int:
    return row.workload.outstanding


def _speed(row: Figures) -> float:
    return row.number("throughput")


def _block(row: Figures) -> int:
    return row.workload.block_bytes
