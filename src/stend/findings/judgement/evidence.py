"""What a judgement rests on: named figures in base units, each from the state of the drive that it is about.

A name without a figure was not measured; `TELLS` says which test would tell it.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from stend.findings import Finding, Sheet, look
from stend.findings.look.endurance import endurance
from stend.findings.look.figures import LASTING, Figures, State, figures, lasting
from stend.record import Run
from stend.units import KiB

NEARLY = 0.9
TELLS = {
    "reads": "iops",
    "mix": "iops",
    "writes": "write-saturation",
    "fall": "write-saturation",
    "write_tail": "write-saturation",
    "longest": "write-saturation",
    "uneven": "write-saturation",
    "read_wait": "latency",
    "write_wait": "latency",
    "mix_tail": "latency",
    "back": "idle-recovery",
    "cache_share": "slc-cache",
    "cache_fall": "slc-cache",
    "seq_read": "throughput",
    "seq_write": "throughput",
    "server_wait": "profiles",
    "hot_gain": "hot-range",
    "hot_hits": "hot-range",
}
Evidence = dict[str, float]


def evidence(run: Run, sheet: Sheet, found: Sequence[Finding]) -> Evidence:
    """Every named figure that the run, its findings and the drive's sheet have."""
    every, lasts = figures(run), lasting(run)
    rows = [row for row in every if row.direction == "both"]
    pairs = [
        *_random(rows, lasts),
        *_sequential(rows, lasts),
        *_waits(every, rows),
        *_found(found),
        *_even(run),
        *_servers(rows),
        *_blocks(rows),
        *_sweep(rows),
        *_deeper(rows),
        *_composite(every),
    ]
    known = {name: value for name, value in pairs if value is not None}
    told = {"capacity": float(run.plan.device.capacity_bytes)} | known
    if "fresh_writes" in told:
        told.setdefault("start", told["fresh_writes"])
    if {"start", "writes"} <= told.keys():
        told["fall"] = told["start"] / told["writes"]
    if (lasts_for := endurance(sheet, run.plan.device.capacity_bytes)) is not None:
        told["dwpd"] = lasts_for.dwpd
    return told


Pairs = Iterator[tuple[str, float | None]]


def _deep(lasts: Sequence[Figures], random_pct: int, read_pct: int, block: int = 0) -> list[Figures]:
    """Of figures that last those of one kind of load, with more than one outstanding and no mix of blocks."""
    return [
        row
        for row in lasts
        if (row.workload.random_pct, row.workload.read_pct) == (random_pct, read_pct)
        and (not block or row.workload.block_bytes == block)
        and row.workload.outstanding > 1
        and not row.workload.mixed
    ]


def best_reads(run: Run) -> Figures | None:
    """Random 4 KiB reads at their best in a state that lasts."""
    return max(_deep(lasting(run), 100, 100, 4 * KiB), key=_rate, default=None)


def lowest_writes(lasts: Sequence[Figures]) -> Figures | None:
    """Random 4 KiB writes in the lasting state that has the fewest; in each state those of the best depth."""
    best: dict[tuple[str, str, State], Figures] = {}
    for row in _deep(lasts, 100, 0, 4 * KiB):
        place = (row.test, row.phase if row.test != "latency" else "", row.state)
        best[place] = max(best.get(place, row), row, key=_rate)
    return min(best.values(), key=_rate, default=None)


def _random(rows: Sequence[Figures], lasts: Sequence[Figures]) -> Pairs:
    for name, reads in (("reads", 100), ("mix", 65)):
        if own := _deep(lasts, 100, reads, 4 * KiB):
            yield name, max(map(_rate, own))
    if writes := lowest_writes(lasts):
        yield "writes", _rate(writes)
    hours = [row for row in rows if row.test == "write-saturation" and row.workload.read_pct == 0]
    if ends := [row for row in hours if row.state in LASTING]:
        yield "write_tail", ends[-1].value("p99.9") or ends[-1].value("p99")
        yield "longest", max(row.value("max") or 0 for row in hours)
    fresh = [r for r in rows if r.state == "fresh" and (r.workload.random_pct, r.workload.read_pct) == (100, 0)]
    if own := [row for row in fresh if row.workload.block_bytes == 4 * KiB]:
        yield "fresh_writes", max(map(_rate, own))


def _sequential(rows: Sequence[Figures], lasts: Sequence[Figures]) -> Pairs:
    """The best read; the write of the state and load that is worst at it among those that last."""
    for name, reads, chosen in (("seq_read", 100, max), ("seq_write", 0, min)):
        own = [row for row in _deep(lasts, 0, reads) if row.workload.block_bytes >= 128 * KiB]
        own = own or [r for r in rows if r.test == "lba-profile" and r.workload.read_pct == reads]
        by_block: dict[int, float] = {}
        for row in own:
            rate = row.value("throughput") or 0.0
            by_block[row.workload.block_bytes] = max(by_block.get(row.workload.block_bytes, 0.0), rate)
        if by_block:
            yield name, chosen(by_block.values())


def _waits(every: Sequence[Figures], rows: Sequence[Figures]) -> Pairs:
    """Of one outstanding IO; the slow reads of a mix, of one outstanding or of the deepest queue that was tried."""
    own = [
        r for r in rows if r.state == "window" and r.workload.block_bytes == 4 * KiB and r.workload.random_pct == 100
    ]
    for name, reads in (("read_wait", 100), ("write_wait", 0)):
        single = [r for r in own if r.workload.outstanding == 1 and r.workload.read_pct == reads]
        if single:
            yield name, single[-1].value("mean")
    mixed = [
        row
        for row in every
        if (row.test, row.direction, row.workload.block_bytes) == ("latency", "read", 4 * KiB)
        and 60 <= row.workload.read_pct <= 75
    ]
    tails = [tail for row in mixed if (tail := row.value("p99.9")) is not None]
    if tails:
        yield "mix_tail", max(tails)


def _servers(rows: Sequence[Figures]) -> Pairs:
    """The profile of a file server at the least depth that gives nearly the most."""
    own = [row for row in rows if row.test == "profiles" and "file-server" in row.phase]
    if own:
        most = max(map(_rate, own))
        enough = min((r for r in own if _rate(r) >= NEARLY * most), key=lambda r: r.workload.outstanding)
        yield "server_wait", enough.value("mean")
        yield "server", _rate(enough)


def _composite(every: Sequence[Figures]) -> Pairs:
    """The middle point of a composite load: its rate and the slow reads in it."""
    for row in every:
        if row.test == "composite" and row.phase == "mid":
            yield (
                {"both": "load", "read": "load_read", "write": "load_write"}[row.direction],
                (row.value("iops") if row.direction == "both" else row.value("p99")),
            )


def _blocks(rows: Sequence[Figures]) -> Pairs:
    """Of the sweep of blocks: the smallest and largest read in sequence, 4 KiB at random."""
    own = [row for row in rows if row.test == "block-sweep"]
    in_order = sorted((r for r in own if (r.workload.random_pct, r.workload.read_pct) == (0, 100)), key=_block)
    if in_order:
        yield "small_read", _rate(in_order[0])
        yield "large_read", in_order[-1].value("throughput")
    for name, reads in (("small_random", 100), ("small_random_write", 0)):
        small = [r for r in own if (r.workload.random_pct, r.workload.read_pct, _block(r)) == (100, reads, 4 * KiB)]
        if small:
            yield name, max(map(_rate, small))


def _sweep(rows: Sequence[Figures]) -> Pairs:
    """Of 8 KiB 70/30: the most IOPS, how long the deepest point waits, and where the ladder begins."""
    own = sorted((r for r in rows if (r.test, r.phase) == ("thread-queue-sweep", "sweep")), key=_outstanding)
    if own:
        yield "sweep", max(map(_rate, own))
        yield "sweep_wait", own[-1].value("mean")
        yield "sweep_longest", own[-1].value("max")
        yield "sweep_deep", float(_outstanding(own[-1]))
        yield "sweep_least", _rate(own[0])
        yield "sweep_shallow", float(_outstanding(own[0]))


def _deeper(rows: Sequence[Figures]) -> Pairs:
    """How many times as many 4 KiB requests are done with many at once as with one."""
    own = [r for r in rows if r.test == "latency-curve" and _block(r) == 4 * KiB]
    for name, reads in (("deep_reads", 100), ("deep_writes", 0)):
        single = [r for r in own if r.workload.read_pct == reads and _outstanding(r) == 1]
        if single:
            yield name, max(_rate(r) for r in own if r.workload.read_pct == reads) / _rate(single[0])


def _outstanding(row: Figures) -> int:
    return row.workload.outstanding


def _block(row: Figures) -> int:
    return row.workload.block_bytes


def _found(found: Sequence[Finding]) -> Pairs:
    for one in found:
        told = one.values
        match one.name, one.key:
            case "saturation", _ if "start" in told:
                yield "start", told["start"]
            case "idle_recovery", key if key != "short":
                rests = sorted((float(rest), level) for rest, level in told["levels"].items())
                yield "back", rests[0][1] / told["fresh"]
                yield "back_rest", rests[0][0]
                yield "back_iops", rests[0][1]
                yield "rested", told["best"]
                yield "rested_rest", told["best_rest"]
            case "slc_cache", "steps" | "about" | "flat" if told["state"] == "fresh":
                yield "cache_share", told.get("share", 0.0)
                yield "cache_bytes", told.get("size", 0.0)
                yield "cache_first", told["first"]
                yield "cache_last", told["last"]
                yield "cache_fall", told["first"] / told["last"]
            case "hot_range", _ if told["mix"] == "100/0":
                yield "hot_gain", told["gain"]
                yield "hot_hits", told.get("hits", 0.0)
                yield "hot_bytes", told["range"]
            case "hot_range", _ if told["mix"] == "35/65":
                yield "warm_mixed", told["gain"]
                yield "warm_wait", 1 - 1 / told["gain"]
            case "hot_range", _ if told["mix"] == "0/100":
                yield "warm_writes", told["gain"]
            case "zones", _:
                yield "outer", told["outer"]
                yield "inner", told["inner"]


def _even(run: Run) -> Pairs:
    """How far the slowest minute at the end of saturation lies below the usual one; 1 is even."""
    for test in look.tests(run, "write-saturation"):
        own = [r.counts.iops for r in look.last_records(run, test, look.main_phase(run, test))]
        if len(own) >= look.FEWEST_LAST:
            yield "uneven", median(own) / max(min(own), 1e-9)


def _rate(row: Figures) -> float:
    return row.iops
