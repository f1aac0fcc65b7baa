"""Causes: for a test, a reason why its figures are as they are, only where the run's record has the evidence for it.

A cause that is an inference has at most medium confidence, and its sentence has the words "consistent with".
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from stend.base.units import KiB
from stend.findings import Finding, Sheet, look
from stend.findings.idle_recovery import ALIKE
from stend.findings.look import grounds, headline, heat, ladders
from stend.findings.look.arrays import caches, penalty, raised
from stend.findings.look.blocks import limit_of_mixes, limits_of_reads, part_of_sector, slow_mix
from stend.findings.look.figures import Figures, figures
from stend.findings.look.grounds import Ground
from stend.findings.look.link import SURE, Link, link
from stend.findings.look.remains import after
from stend.model.definition import Hold
from stend.model.record import Run

OF_ALL = True
SEQUENTIAL = ("throughput", "lba-profile", "block-sweep", "fresh")
CROWDED = ("latency-curve", "profiles", "thread-queue-sweep")
"""Tests with ladders on one state of the drive."""
FELL, GREW, MIXED_SLOWER = 1.3, 1.1, 1.2
STEP = 1.03
"""A rate that rises by more from one depth to the next does not fall with the depth, but scatters."""
LOST = 2 / 3
"""A profile that keeps no more than this share of its highest rate has fallen."""
MIXED_ROUNDS = ("iops",)
"""Tests in which random 4 KiB writes follow larger blocks in each round (PTS 7)."""
SAME = 1.05
"""Two rates of one load that differ by less are equal."""
NCQ, FULL_PCT = 32, 100
"""Commands that a SATA drive queues (Serial ATA, native command queuing)."""
PROGRAM_S, SENSE_S = 100e-6, 50e-6
"""NAND flash takes longer than the first to program a page, and about the second to read one."""
SEEK_S = 0.02
"""No disk seeks longer than this on average."""
FEWEST_PROFILES = 3
"""Loads that end at one rate before it is called their common limit."""
SHRINKS = 0.8
FIRST_DROP = (0.8, 2.5)
"""Capacities after which free blocks can be used up: a little is reserved, at most as much again is spare."""


class Evidence(NamedTuple):
    """Input of every cause: the figures of both directions, the other findings, the link."""

    run: Run
    rows: Sequence[Figures]
    others: Sequence[Finding]
    link: Link

    @property
    def flash(self) -> bool:
        """Return True if nothing rotates in the drive."""
        return not self.run.plan.device.rotational

    def range_bytes(self, row: Figures) -> int:
        """Return the bytes of the drive that a row covers."""
        return row.workload.range_bytes or self.run.plan.device.capacity_bytes

    def of(self, name: str) -> list[Finding]:
        """Return the findings of a name that could draw a conclusion."""
        return [f for f in self.others if f.name == name and f.confidence != "can't tell"]

    def random(self, test: str, read_pct: int | None = None) -> list[Figures]:
        """Return the rows of a test with random 4 KiB accesses of this read share, or of any."""
        loads = ((row, row.workload) for row in self.rows if row.test == test and row.steady is not False)
        alike = ((row, load) for row, load in loads if load.is_plain(100, load.read_pct, 4 * KiB))
        return [row for row, w in alike if read_pct in (None, w.read_pct)]


Causes = Iterator[Finding]


def find(run: Run, sheet: Sheet, others: Sequence[Finding] = ()) -> Causes:
    """Yield the causes in order of importance; of a test that heat or an incident disturbed only the throttling."""
    if run.plan.profile.quick:
        return
    disturbed = set()
    for test in look.tests(run):
        ground = Ground(run, test, look.records(run, test.name))
        if seconds := heat.throttled_s(run, ground.records):
            yield _cause("throttled", test.name, {"test": test.name, "seconds": seconds}, sure=True)
        if grounds.undisturbed(ground):
            disturbed.add(test.name)
    rows = [row for row in figures(run) if row.direction == "both" and row.workload.closed]
    evidence = Evidence(run, rows, others, link(run.plan.device, sheet))
    every = (
        _link, _profiles, _array, _cache, _knee, _mixes, _order, _mixed_rounds, _refilled, _buffer, _depth, _ncq, _turn,
        _rested, _tracks, _hits, _blocks, _falls, _full,
    )  # fmt: skip
    for cause in every:
        yield from (f for f in cause(evidence) if f.test not in disturbed)


def _cause(key: str, test: str, values: dict[str, Any], *, sure: bool = False) -> Finding:
    return Finding(key=key, test=test, values=values, confidence="high" if sure else "medium")


def _link(evidence: Evidence) -> Causes:
    """Yield that sequential reads, writes or both reach what the link carries, and their share of its payload rate."""
    wire = evidence.link
    for test in SEQUENTIAL if wire.bytes_per_s else ():
        rows = [row for row in evidence.rows if row.test == test and row.workload.random_pct == 0]
        every = {pct: [row.number("throughput") for row in rows if row.workload.read_pct == pct] for pct in (100, 0)}
        rates = {pct: max(some, default=0.0) for pct, some in every.items()}
        near = [pct for pct, rate in rates.items() if wire.near(rate)]
        if near:
            way = "both" if len(near) > 1 else "read" if 100 in near else "write"
            rate = min(rates[pct] for pct in near)  # which both reach
            values = {"way": way, "rate": rate, "most": wire.payload, "share": rate / wire.payload, "link": wire.name}
            slower = {"capable": wire.capable} if wire.capable else {}
            key = "slow_link" if slower else "link" if rate >= SURE * wire.payload else "near_link"
            yield _cause(key, test, values | slower)
            return


def _profiles(evidence: Evidence) -> Causes:
    """Yield that unlike loads end at one rate, which is about what the link carries, of a full-duplex one each way."""
    wire, test = evidence.link, "profiles"
    rows = [row for row in figures(evidence.run) if row.test == test] if wire.bytes_per_s else []
    shared = [row for row in rows if wire.sata or row.workload.read_pct in (0, 100)]  # one wire for both ways
    ends: dict[str, float] = {}
    for row in (row for row in rows if (row.direction == "both") == (row in shared)):
        ends[row.phase] = max(ends.get(row.phase, 0.0), row.number("throughput"))
    near = {phase: rate for phase, rate in ends.items() if wire.near(rate)}
    if len(near) >= FEWEST_PROFILES and any(row.phase in near and row.workload.random_pct for row in rows):
        low, high = min(near.values()), max(near.values())
        values = {"low": low, "high": high, "most": wire.payload, "share": low / wire.payload, "link": wire.name}
        key = "profiles_link" if wire.sata else "profiles_one_way"
        yield _cause(key, test, {"n": len(near), "of": len(ends)} | values)


def _array(evidence: Evidence) -> Causes:
    """Yield what a random write costs the members of an array, and that a write cache took the first ones."""
    level, run = str(evidence.run.plan.device.facts.get("level", "")), evidence.run
    for test in ("iops", "block-sweep") if level else ():
        reads, writes = (max(evidence.random(test, p), key=lambda row: row.iops, default=None) for p in (100, 0))
        if writes and (values := raised(run, writes)):
            yield _cause("cached", test, values)
        elif reads and writes and (found := penalty(level, reads.iops, writes.iops)):
            yield _cause(found[0], test, found[1])
            break
    for test, (values, _) in caches(run).items():
        yield _cause("absorbed", test, values)


def _cache(evidence: Evidence) -> Causes:
    """Yield what the end of the fast sequential writes, and its place on a part full drive, is consistent with."""
    states = {f.values["state"]: f for f in evidence.of("slc_cache") if "size" in f.values}
    fresh, full = states.get("fresh"), {name: f for name, f in states.items() if name.startswith("full-")}
    if fresh is None:
        return
    sizes = [fresh.values["size"], *(full[name].values["size"] for name in sorted(full))]
    rates: Sequence[float] = fresh.values.get("rates") or (after(evidence.run, fresh.test, fresh.values),)
    if full and all(b < STEP * a for a, b in pairwise(sizes)) and sizes[-1] < SHRINKS * sizes[0]:
        share = int(max(full).removeprefix("full-")) / 100
        yield _cause("shrinks", fresh.test, {"size": sizes[0], "left": sizes[-1], "share": share})
    elif len(rates) == 3 and rates[0] > rates[1] > rates[2]:
        yield _cause("fold", fresh.test, {"first": rates[0], "middle": rates[1], "last": rates[2]})
    else:
        yield _cause("cells", fresh.test, {"first": fresh.values["first"], "last": rates[-1], "size": sizes[0]})


def _knee(evidence: Evidence) -> Causes:
    """Yield what the course of random writes is consistent with: spare area, a full cache, or no free blocks left."""
    fresh = (f.values for f in evidence.of("slc_cache") if f.values.get("state") == "fresh")
    sizes = [values["size"] for values in fresh if "size" in values]
    for test in look.tests(evidence.run, "write-saturation") if evidence.flash else ():
        if (part := test.profile.active_range_pct) < FULL_PCT:
            yield _cause("spare", test.name, {"part": part / 100}, sure=True)
    for finding in evidence.of("saturation") if evidence.flash else ():
        knee, ratio = finding.values.get("knee_bytes"), finding.values.get("ratio", 1.0)
        if knee is None or ratio < FELL:
            continue
        fills = knee / evidence.run.plan.device.capacity_bytes
        if any(1 / FELL < knee / size < FELL for size in sizes):
            yield _cause("cache_full", finding.test, {"knee": knee, "size": sizes[0]})
        elif FIRST_DROP[0] <= fills <= FIRST_DROP[1]:
            yield _cause("cleaning", finding.test, {"fills": fills})


def _mixes(evidence: Evidence) -> Causes:
    """Yield that all mixes of random 4 KiB IO end at one rate below the link's, or one far below reads and writes."""
    test, drive = "iops", evidence.run.plan.device
    rows = [] if drive.rotational or drive.facts.get("level") else evidence.random(test)
    if (iops := limit_of_mixes(rows)) and not evidence.link.near(iops * 4 * KiB):
        yield _cause("any_mix", test, {"iops": iops})
    if slow := slow_mix(rows):
        yield _cause("mix_slower", test, slow)


def _ends(evidence: Evidence) -> tuple[Figures, Figures] | None:
    """Return random writes after the fill and at the end of a saturation; None of a disk or of an unsteady test, or if
    spare flash may be left at that end."""
    filled, end = headline.level(evidence.rows, "write_window"), headline.level(evidence.rows, "write_saturated")
    whys = (finding.values.get("because") for finding in evidence.others if finding.name == "saturation")
    if any(why and why.key == "fills" for why in whys):
        return None
    return (filled, end) if evidence.flash and filled and end and False not in (filled.steady, end.steady) else None


def _order(evidence: Evidence) -> Causes:
    """Yield that random writes after a sequential fill (maybe of a part) are faster than after hours of such writes."""
    if not (ends := _ends(evidence)):
        return
    filled, end = ends
    before = [r.step for r in evidence.run.of(filled.test, "precondition") if isinstance(r.step, Hold)]
    if before and all(step.workload.random_pct == 0 for step in before) and filled.iops >= FELL * end.iops:
        part, whole = map(evidence.range_bytes, ends)
        values = {"filled": filled.iops, "end": end.iops, "part": part / whole}
        fresh = headline.level(evidence.rows, "write_fresh")
        key = "order_fresh" if fresh and filled.iops >= headline.NEARLY * fresh.iops else "order"
        if part <= whole:  # the rest of the drive is further spare flash
            yield _cause(key if part == whole else "order_part", filled.test, values)


def _mixed_rounds(evidence: Evidence) -> Causes:
    """Yield that random writes between loads of other blocks and mixes are slower than continuous ones."""
    if (ends := _ends(evidence)) and ends[0].test in MIXED_ROUNDS:
        filled, end = ends
        as_deep = filled.workload.outstanding >= end.workload.outstanding
        alike = evidence.range_bytes(filled) == evidence.range_bytes(end)
        if as_deep and alike and end.iops >= MIXED_SLOWER * filled.iops:
            yield _cause("mixed_rounds", filled.test, {"filled": filled.iops, "end": end.iops})


def _refilled(evidence: Evidence) -> Causes:
    """Yield that sequential writes between reads are faster than the same range takes after its fast cache is full."""
    capacity = evidence.run.plan.device.capacity_bytes
    states = {f.values["state"]: f.values for f in evidence.of("slc_cache") if "rest" in f.values}
    for row in (row for row in evidence.rows if row.test == "throughput" and evidence.flash):
        share, rate = row.workload.range_bytes / capacity, row.number("throughput")
        known = states.get(f"full-{round(100 * share)}", {})
        after = max(known.get("rest", [0.0]))
        if row.workload.read_pct == 0 and row.steady is not False and 0 < GREW * after < rate < known["first"]:
            yield _cause("refilled", row.test, {"rate": rate, "after": after, "share": share})
            return


def _buffer(evidence: Evidence) -> Causes:
    """Yield that single writes end sooner than flash could be programmed, while reads take as long as flash does."""
    facts = evidence.run.plan.device.facts
    off = (facts.get("write_cache_set") or facts.get("write_cache")) == "disabled"
    for test in ("latency", "latency-curve") if evidence.flash else ():
        rounds = [row for row in evidence.rows if row.state == "window" and row.workload.outstanding == 1]
        single = [[row for row in evidence.random(test, pct) if row in rounds] for pct in (100, 0)]
        if not all(single):
            continue
        read, write = (rows[-1].number("mean") for rows in single)
        if read >= SENSE_S and 0 < write <= min(PROGRAM_S, read / 2):
            key = "protected" if facts.get("power_loss_protection") else "lasting" if off else "buffer"
            yield _cause(key, test, {"write": write, "read": read})
            return


def _depth(evidence: Evidence) -> Causes:
    """Yield how many reads in flight the highest rate would need at the response time of one, and how many it has."""
    test = "latency-curve"
    rows = evidence.random(test, 100)
    single = [row for row in (*rows, *evidence.random("latency", 100)) if row.workload.outstanding == 1]
    enough = headline.busy(rows)
    if not single or not enough:
        return
    wait, at = single[-1].number("mean"), enough.workload.outstanding  # of both tests, that of page one
    needed = enough.iops * wait
    if needed >= 4 and needed / 2 <= at <= 2.5 * needed:
        values = {"wait": wait, "rate": enough.iops, "needed": round(needed), "at": at, "then": enough.number("mean")}
        yield _cause("depth", test, values, sure=True)


def _ncq(evidence: Evidence) -> Causes:
    """Yield that the rate of a SATA drive grows up to 32 outstanding IOs and not beyond, below that of a stream."""
    stream = headline.stream(evidence.rows, 100)
    most = headline.NEARLY * stream.number("throughput") if stream else float("inf")
    for test, ladder in ladders.main(evidence.rows) if evidence.link.sata else ():
        half, full = ladder.get(NCQ // 2), ladder.get(NCQ)
        if half and full and full.number("throughput") < most and ladders.ends_at(ladder, NCQ, GREW, SAME):
            yield _cause("ncq", test, {"load": full.workload.pattern, "half": half.iops, "full": full.iops})
            return


def _turn(evidence: Evidence) -> Causes:
    """Yield how much of a single random read of a disk half a turn takes."""
    drive = evidence.run.plan.device
    rpm, whole = float(drive.facts.get("rotation_rpm", 0)), 0.9 * drive.capacity_bytes
    rows = sorted(evidence.rows, key=lambda row: row.workload.block_bytes != 4 * KiB)  # page one has that of 4 KiB
    for row in rows if rpm and not evidence.flash else ():
        load = row.workload
        single = load.outstanding == 1 and load.random_pct == load.read_pct == 100  # writes delay the reads of a mix
        if (
            row.test not in ladders.TESTS
            or not single
            or 0 < load.range_bytes < whole
            or _follows_writes(evidence, row)
        ):
            continue
        half, wait = 30 / rpm, row.number("mean")
        if half <= wait <= half + SEEK_S:
            yield _cause("turn", row.test, {"rpm": rpm, "half": half, "wait": wait})
            return


def _follows_writes(evidence: Evidence, row: Figures) -> bool:
    """Return whether random writes of the same test precede a row: a disk still works on what it buffered of them."""
    held = look.records(evidence.run, row.test)
    own = [(r.result.where.phase, r.workload) == (row.phase, row.workload) for r in held]
    last = max((n for n, is_own in enumerate(own) if is_own), default=0)
    return any(r.workload.random_pct and r.workload.read_pct < 100 for r in held[:last])


def _rested(evidence: Evidence) -> Causes:
    """Yield that the rate of flash grows with every longer rest, by more than levels of equal rests differ."""
    for finding in evidence.of("idle_recovery") if evidence.flash else ():
        levels = sorted((float(rest), level) for rest, level in finding.values.get("levels", {}).items())
        grows = len(levels) > 2 and all(ALIKE * b > a for (_, a), (_, b) in pairwise(levels))
        if finding.key in ("recovers", "partly") and grows and finding.values["gain"] >= FELL:
            yield _cause("emptied" if "level" in evidence.run.plan.device.facts else "rested", finding.test, {})


def _tracks(evidence: Evidence) -> Causes:
    """Yield that a disk reads its first addresses faster than its last."""
    for finding in evidence.of("zones") if not evidence.flash else ():
        if finding.key == "zoned" and finding.values["ratio"] >= FELL:
            yield _cause("tracks", finding.test, {"ratio": finding.values["ratio"]})


def _hits(evidence: Evidence) -> Causes:
    """Yield the share of reads that a warm cache serves."""
    for finding in evidence.of("hot_range"):
        if finding.key in ("holds", "part") and finding.values["mix"] == "100/0":
            yield _cause("hits", finding.test, {"hits": finding.values["hits"], "range": finding.values["range"]})


def _blocks(evidence: Evidence) -> Causes:
    """Yield what limits sequential reads of small and of large blocks, and what writes of part of a sector cost."""
    rows = [row for row in evidence.rows if row.test == "block-sweep"]
    if values := limits_of_reads(rows):
        yield _cause("commands", "block-sweep", values)
    if values := part_of_sector(rows, evidence.run.plan.device.physical_bytes):
        yield _cause("part_sector", "block-sweep", values)


def _falls(evidence: Evidence) -> Causes:
    """Yield how many profiles lose a third or more of their rate beyond some depth, and which one the most."""
    ends = ladders.ends(row for row in evidence.rows if row.test == "profiles" and row.steady is not False)
    lost = {phase: deepest.iops / most.iops for phase, (most, deepest) in ends.items()}
    if falling := [phase for phase in lost if lost[phase] <= LOST]:
        phase = min(falling, key=lambda name: lost[name])
        most, deepest = ends[phase]
        values = {"n": len(falling), "of": len(lost), "phase": phase, "most": most.iops, "least": deepest.iops}
        depths = {"at": most.workload.outstanding, "deep": deepest.workload.outstanding}
        at_most = [
            r.iops for r in evidence.rows if (r.test, r.phase, r.workload.outstanding) == ("profiles", phase, NCQ)
        ]
        beyond = evidence.link.sata and SAME * max(at_most, default=0.0) >= most.iops  # deeper queues stay in the host
        key = "falls_beyond" if beyond else "falls_profiles" if len(falling) > 1 else "falls_profile"
        yield _cause(key, "profiles", values | depths, sure=not beyond)


def _full(evidence: Evidence) -> Causes:
    """Yield the depth beyond which the best rate stays and the response time grows with depth, or the rate falls."""
    for test, ladder in ladders.main(evidence.rows):
        if test not in CROWDED:
            continue
        most, deepest = max(ladder.values(), key=lambda row: row.iops), ladder[max(ladder)]
        first, deep = min(n for n in ladder if SAME * ladder[n].iops >= most.iops), deepest.workload.outstanding
        load = most.workload.pattern
        rates = [ladder[depth].iops for depth in sorted(ladder) if depth >= most.workload.outstanding]
        scatters = any(after > STEP * before for before, after in pairwise(rates))
        if deepest.iops < headline.NEARLY * most.iops and not scatters:
            at = most.workload.outstanding
            values = {"at": at, "load": load, "most": most.iops, "deep": deep, "least": deepest.iops}
            yield _cause("falls", test, values | {"then": most.number("mean"), "wait": deepest.number("mean")})
            continue
        waits = deepest.number("mean") / ladder[first].number("mean")
        even = min(row.iops for n, row in ladder.items() if n >= first) >= headline.NEARLY * most.iops
        if deep >= 4 * first and even and 1 / GREW < deep / first / waits < GREW:
            values = {"enough": first, "load": load, "deep": deep}
            yield _cause("full" if first > 1 else "serial", test, values)
