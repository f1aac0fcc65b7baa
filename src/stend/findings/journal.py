"""Journal: the rate of synced writes, the cost of a flush, the volatile buffer behind it, and the effect of reads."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stend.findings import Finding, Sheet, look, side
from stend.findings.look import records
from stend.findings.look.figures import Figures
from stend.findings.look.synced import TEST, Synced, synced
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND, percentile_s

TESTS = (TEST,)
NAND_S, PLATTER_S = 100e-6, 1e-3
"""A flush that takes less wrote nothing to flash memory, which takes longer to program a page, or to a platter, which
takes longer to turn to a sector. 3D XPoint and MRAM take less."""
PROGRAM_S, APART = 200e-6, 3.0
"""A write that takes at least this long, or on a disk `PLATTER_S`, and this many times its flush waits for the medium.
The limit is twice `NAND_S`, because a drive that must read a unit of its map first takes about that long to buffer."""
ONE_COMMAND = 1.5
"""A flush that takes at most this many times the response time of a buffered write is a command without work."""
PROTECTION = "power_loss_protection"
THROTTLED = 1.2
"""Writes of a burst that take this many times their usual response time waited for room in the buffer."""
FULL = 4
"""The buffer is full for most of a burst that is this many times as large."""
STALL_S, RARE = 0.1, 100.0
"""A longest write from this time on (the interval of etcd's heartbeats), and this many times the p99, is stated."""
ALIKE = 1.1
NEAR = 1.25
"""Response times of two loads with at most this ratio are about equal."""
BUSY = 0.9
"""Processors that were busy with a load, from which the sender, which has one thread, may be its limit."""
KNOWN = 0.04
"""A flush of an almost empty buffer takes at most this share of that of a full one: the size is then known to 2 %."""
SCALES, RISES, FALLEN, SLOWED = 1.5, 1.1, 0.9, 1.25
SLOWER = ("level", "falls")
"""Findings of drives that more writers do not speed up."""


class Journal(NamedTuple):
    """The loads of the test by phase. `first` is the journal's smallest block with one thread, `plain` unsynced."""

    run: Run
    bursts: Sequence[Synced]
    alone: Sequence[Synced]
    reads: Sequence[Synced]
    first: Synced
    plain: Figures | None
    fua: Figures | None


PHASES = "bursts", "journal", "with-reads", "one-writer"


def journal(run: Run) -> Journal | None:
    """Return the loads of the test, or None if it has no result of a single writer."""
    bursts, alone, reads, single = (synced(run, TEST, phase) for phase in PHASES)
    first = next((load for load in alone if load.write.workload.threads == 1 and load.flush.ios), None)
    if first is None:
        return None
    by_sync = {load.write.workload.sync: load.write for load in single}
    return Journal(run, bursts, alone, reads, first, by_sync.get("none"), by_sync.get("fua"))


def free(log: Journal) -> bool | None:
    """Return True if a flush costs no more than a command, None if that is unknown."""
    flush_s, bound_s = log.first.flush_s, _command_s(log)
    return None if flush_s is None or bound_s is None else flush_s <= bound_s


def _command_s(log: Journal) -> float | None:
    """Return the longest time in seconds of a flush that is a command without work, None without buffered writes."""
    return log.plain and max(_least_s(log), ONE_COMMAND * (log.plain.value("p50") or log.plain.number("mean")))


def _least_s(log: Journal) -> float:
    return PLATTER_S if log.run.plan.device.rotational else NAND_S


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the rate of one writer and of many, the cost of a flush, the buffer, FUA, and the effect of reads."""
    for test in look.tests(run, *TESTS):
        log = journal(run)
        if log is None:
            single = any(hold.workload.threads == 1 for hold in test.phase("journal").holds)
            yield Finding(key="short" if single else "no_single", test=test.name, confidence="can't tell")
            continue
        yield _rate(test.name, log)
        yield from _longest(test.name, log)
        yield _flush(test.name, log, sheet)
        yield from _buffer(test.name, log)
        yield from _threads(test.name, log)
        yield from _reads(test.name, log)
        yield from _fua(test.name, log)


def _rate(test: str, log: Journal) -> Finding:
    row = log.first.write
    p99_s = row.value("p99")
    values = {"block": row.workload.block_bytes, "iops": row.iops, "mean_s": row.number("mean")}
    values |= {"p99_s": p99_s} if p99_s else {}
    return Finding(key="rate" if p99_s else "rate_mean", test=test, values=values)


def _longest(test: str, log: Journal) -> Iterator[Finding]:
    """Yield the longest write of a single writer if its rare stalls are not those of a p99."""
    p99_s, max_s = log.first.write.value("p99"), log.first.write.number("max")
    if p99_s and max_s >= max(STALL_S, RARE * p99_s):
        yield Finding(key="longest", test=test, values={"max_s": max_s}, side="con")


def _usual(waits: Mapping[str, tuple[float | None, float]]) -> dict[str, Any]:
    """Return the medians of pairs of median and mean by name, or all means if a sample is too small for its median.

    `takes` names the verb: "usual" for medians from which a mean differs.
    """
    if any(median is None for median, _ in waits.values()):
        return {name: mean for name, (_, mean) in waits.items()} | {"takes": "mean"}
    skewed = any(median and not 1 / ALIKE <= mean / median <= ALIKE for median, mean in waits.values())
    return {name: median for name, (median, _) in waits.items()} | {"takes": "usual" if skewed else "plain"}


def _pair(row: Figures) -> tuple[float | None, float]:
    return row.value("p50"), row.number("mean")


def _flush(test: str, log: Journal, sheet: Sheet) -> Finding:
    """Return what a flush costs. That it costs nothing has several causes, which a run alone cannot distinguish."""
    costless, flush = free(log), (percentile_s(log.first.flush, 50), log.first.flush.mean_s)
    if costless is None or log.plain is None:
        return Finding(key="unknown", test=test, confidence="can't tell")
    if not costless:
        values = _usual({"flush_s": flush, "write_s": _pair(log.plain)})
        return Finding(key="costs", test=test, values=values, side="con")
    platter = log.run.plan.device.rotational
    values = _usual({"flush_s": flush})
    values |= {"short": "command" if values["flush_s"] > _least_s(log) else "platter" if platter else "flash"}
    slow_s = log.first.slow_flush_s
    if slow_s and slow_s > (_command_s(log) or 0.0):
        return Finding(key="uneven", test=test, values=values | {"slow_s": slow_s}, confidence="low")
    if through := _through(log, flush, PLATTER_S if platter else PROGRAM_S):
        key = "through" if platter else "through_flash"
        return Finding(key=key, test=test, values=through, confidence="high" if platter else "medium")
    stated = {True: "free_protected", False: "free_unprotected"}.get(sheet.get(PROTECTION, ""))
    key = stated or ("free_platter" if platter else "free")
    return Finding(key=key, test=test, values=values, side=side(con=key == "free_unprotected"))


def _through(log: Journal, flush: tuple[float | None, float], least_s: float) -> dict[str, Any]:
    """Return the times of a write that is on the medium before its flush is sent, or {} if none shows that.

    Such a write takes as long as the medium and about as long as a write with FUA, and its flush takes far less.
    """
    if log.fua is None:
        return {}
    values = _usual({"both_s": _pair(log.first.write), "flush_s": flush, "fua_s": _pair(log.fua)})
    both_s = values.pop("both_s")
    values["write_s"] = both_s - values["flush_s"]
    waits = values["write_s"] >= max(least_s, APART * values["flush_s"])
    return values if waits and both_s / NEAR <= values["fua_s"] <= both_s * NEAR else {}


def _buffer(test: str, log: Journal) -> Iterator[Finding]:
    """Yield the size of the volatile buffer by Little's law: the rate at which it drains times the time that takes.

    The buffer must have been full: then the writes of a burst waited for room. Otherwise the same product is what the
    buffer held when the flush came, and it has at least that size. A flush of an almost empty buffer takes a time too,
    and how much of it is draining is unknown, so that the size is between two bounds. Bursts of few flushes are left
    out, because the rate of a step with a part of a burst is not that of the buffer.
    """
    least = MIN_BEYOND * log.run.plan.device.scale
    bursts = sorted((load for load in log.bursts if load.flush.ios >= least), key=lambda load: load.burst_bytes)
    if free(log) is not False or len(bursts) < 2 or bursts[0].write.workload.flush_every != 1:
        return
    last, short_s = bursts[-1], min(bursts[0].flush.mean_s, log.first.flush_s or log.first.flush.mean_s)
    held = [load.held_bytes(short_s) for load in bursts[1:]]
    each_s, usual_s = last.waits_s, bursts[0].waits_s
    full = [size for size, load in zip(held, bursts[1:], strict=True) if load.burst_bytes >= FULL * held[-1]]
    share = min(short_s / last.flush.mean_s, 1.0)
    values = {"size": held[-1] * (1 - share / 2), "burst": last.burst_bytes, "flush_s": last.flush.mean_s}
    if each_s < THROTTLED * usual_s or not full or max(full) > ALIKE * min(full):
        sure = max(size - short_s * size / load.flush.mean_s for size, load in zip(held, bursts[1:], strict=True))
        values["size"] = max(sure, last.write.workload.block_bytes)
        yield Finding(key="at_least", test=test, values=values, confidence="medium")
    elif share > KNOWN:
        least_bytes = held[-1] * (1 - share)
        values |= {"least": least_bytes, "most": held[-1]}
        key = "between" if least_bytes >= log.first.write.workload.block_bytes else "at_most"
        yield Finding(key=key, test=test, values=values, confidence="medium")
    else:
        yield Finding(key="buffer", test=test, values=values)


def _threads(test: str, log: Journal) -> Iterator[Finding]:
    """Yield how the rate of the smallest block grows with the writers."""
    load = log.first.write.workload
    ladder = [row for row in log.alone if row.write.workload.block_bytes == load.block_bytes]
    if len(ladder) < 2:
        return
    most, busy = max(((row.write, row.busy) for row in ladder), key=lambda pair: pair[0].workload.threads)
    gain = most.iops / log.first.write.iops
    values = {"threads": most.workload.threads, "gain": gain, "iops": most.iops, "single": log.first.write.iops}
    key, later = _gained(gain, busy), _later(log)
    if later and key != _gained(most.iops / later, busy):
        yield Finding(key="moved", test=test, values=values | {"later": later}, confidence="low")
        return
    yield Finding(key=key, test=test, values=values, side=side(pro=key == "grows", con=key in SLOWER))


def _gained(gain: float, busy: float) -> str:
    if gain >= SCALES:
        return "grows"
    return "host" if busy >= BUSY else "rises" if gain >= RISES else "falls" if gain < FALLEN else "level"


def _later(log: Journal) -> float | None:
    """Return the rate of the single writer with FUA, if the drive's own level moved until then.

    Its usual response time is then that of a write and its flush, and its mean is not.
    """
    usual, mean = _ratio(log, "p50"), _ratio(log, "mean")
    moved = usual and mean and 1 / NEAR <= usual <= NEAR and not 1 / NEAR <= mean <= NEAR
    return log.fua.iops if log.fua and moved else None


def _ratio(log: Journal, quantity: str) -> float | None:
    """Return the response time of a write with FUA, divided by that of a write and its flush."""
    fua_s, both_s = log.fua and log.fua.value(quantity), log.first.write.value(quantity)
    return fua_s / both_s if fua_s and both_s else None


def _reads(test: str, log: Journal) -> Iterator[Finding]:
    """Yield the 99th percentile of synced writes beside reads, from the most writers whose sample carries it."""
    for mixed in sorted(log.reads, key=lambda load: -load.write.workload.threads):
        load, waits_s = mixed.write.workload, mixed.write.value("p99")
        same = (row.write for row in log.alone if row.write.workload.block_bytes == load.block_bytes)
        alone_s = next((row.value("p99") for row in same if row.workload.threads == load.threads), None)
        if waits_s and alone_s:
            values = {"threads": load.threads, "p99_s": waits_s, "alone_s": alone_s, "times": waits_s / alone_s}
            values |= {"share": load.read_pct / 100, "iops": mixed.write.iops}
            key = "slowed" if waits_s >= SLOWED * alone_s else "unmoved"
            yield Finding(key=key, test=test, values=values, side=side(con=key == "slowed"))
            return


def _fua(test: str, log: Journal) -> Iterator[Finding]:
    """Yield the response time of a write with FUA beside that of a write and its flush.

    Where their means compare otherwise than their medians, both are stated, with the time between the two loads.
    """
    mean, usual = _ratio(log, "mean"), _ratio(log, "p50")
    if log.fua is None or mean is None:
        return
    fua, both = _pair(log.fua), _pair(log.first.write)
    values: dict[str, Any] = {"fua_s": fua[1], "both_s": both[1], "iops": log.fua.iops}
    if usual is None or 1 / NEAR <= mean / usual <= NEAR:
        yield Finding(key="fua", test=test, values=values)
        return
    values |= {"fua_s": fua[0], "both_s": both[0], "fua_mean_s": fua[1], "both_mean_s": both[1]}
    values["apart"] = _last_t(log, log.fua) - _last_t(log, log.first.write)
    yield Finding(key="fua_moved", test=test, values=values, confidence="medium")


def _last_t(log: Journal, row: Figures) -> float:
    """Return when a load was last measured, in seconds of the run."""
    return max(record.result.t for record in records(log.run, row.test, row.phase) if record.workload == row.workload)
