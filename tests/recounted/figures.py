"""The named figures of a review, worked out from its record by docs/method/figures.md."""

import math
from collections.abc import Callable
from statistics import median

from tests.recounted.ladders import big, blocks, curve, database, gain, least, measures, one, stream_writes, sweep, top
from tests.recounted.record import KIB, Record, Row, iops, longest, mean, outstanding, percentile, rate

SATURATION = ("write-saturation", "saturate")
LEVEL_TESTS = ("iops", "block-sweep", "latency", "latency-curve")


def level(record: Record, reads: tuple[int, ...], kib: int = 4) -> list[list[Row]]:
    """Return every load of random accesses with more than one outstanding, of the first test that measured it full."""
    for test in LEVEL_TESTS:
        own = [r for pct in reads for r in record.of(test, random_pct=100, read_pct=pct, block_bytes=kib * KIB)]
        rows = [r for r in own if outstanding(r) > 1 and not r["load"].get("block_mix") and measures(r)]
        if rows:
            return record.loads(rows)
    return []


def _best(record: Record, reads: tuple[int, ...], kib: int = 4) -> float | None:
    return max(map(iops, level(record, reads, kib)), default=None)


def _saturation(record: Record) -> list[Row]:
    return record.of(*SATURATION)


def _end(record: Record) -> list[Row]:
    """Return the window of the saturation if it was steady, else the last fifth of its records, at least five."""
    rows = _saturation(record)
    if record.steady.get(SATURATION):
        return record.window(rows)
    return rows[-max(round(len(rows) / 5), 5) :]


def _fallen(record: Record) -> float:
    """Return when the rate was last over 110 % of its end while it had been over it for half of the time or longer."""
    rows, bound = _saturation(record), 1.1 * iops(_end(record))
    above = [iops([row]) > bound for row in rows]
    last = max((n for n, over in enumerate(above, 1) if over and 2 * sum(above[:n]) >= n), default=len(rows))
    return float(sum(row["seconds"] for row in rows[:last]))


def _fresh_writes(record: Record) -> float | None:
    return max((iops([row]) for row in record.of("fresh", "random-write")), default=None)


def _stream(record: Record, reads: int) -> list[list[Row]]:
    own = [
        r for test in ("throughput", "block-sweep")
        for r in record.of(test, random_pct=0, read_pct=reads) if r["load"]["block_bytes"] >= 128 * KIB and measures(r)
    ]  # fmt: skip
    blocks = {r["load"]["block_bytes"] for r in own}
    block = 128 * KIB if 128 * KIB in blocks else max(blocks, default=0)
    return record.loads([r for r in own if r["load"]["block_bytes"] == block])


def _sequential(record: Record, reads: int) -> float | None:
    along = record.of("lba-profile", "read" if reads else "write")
    if along and record.plan["device"].get("rotational"):
        return rate(along)
    return max(map(rate, _stream(record, reads)), default=None)


def _whole_write(record: Record) -> Row | None:
    """Return the last sequential write of the whole fresh drive: of the cache's test, else of the fresh drive's."""
    rows = record.of("slc-cache", "fresh") or record.of("fresh", "sequential-write")
    return rows[-1] if rows else None


def _stream_end(record: Record) -> float | None:
    row = _whole_write(record)
    if row is None:
        return max(map(rate, _stream(record, 0)), default=None)
    return _last_fifth(record, row)


def _last_fifth(record: Record, row: Row) -> float:
    last = [r for t, r in record.during(row) if t > 0.8 * row["seconds"]]
    return sum(last) / len(last) if last else rate([row])


def _best_stream(record: Record) -> Row:
    """Return a row of the fastest sequential writes after the fill."""
    return max(_stream(record, 0), key=rate)[0]


def _peak(record: Record, row: Row) -> float:
    """Return the best ten seconds of a result."""
    rates = [r for _, r in record.during(row)] or [rate([row])]
    wide = min(10, len(rates))
    return max(sum(rates[i : i + wide]) / wide for i in range(len(rates) - wide + 1))


def _fast(record: Record) -> float:
    """Return the first level of the sequential write of the whole drive, or its best ten seconds without one."""
    row, step = _whole_write(record), _step(record)
    return step[0] if step else _peak(record, row) if row else 0.0


def _single(record: Record, reads: int) -> list[Row]:
    """Return the last window of 4 KiB at QD1."""
    for test in ("latency", "latency-curve"):
        own = record.of(test, random_pct=100, read_pct=reads, block_bytes=4 * KIB, threads=1, depth=1)
        windows = [w for w in record.loads([r for r in own if measures(r)]) if w]
        if windows:
            return windows[-1]
    return []


def _mix_tail(record: Record) -> tuple[float, Row] | None:
    """Return 99.9 % of the reads of the mix in which that takes longest, and its load."""
    own = [r for r in record.of("latency", random_pct=100, block_bytes=4 * KIB) if 60 <= r["load"]["read_pct"] <= 75]
    every = [(percentile(w, 99.9, ("read",)), w[0]) for w in record.loads([r for r in own if measures(r)])]
    return max(((tail, row) for tail, row in every if tail is not None), key=lambda pair: pair[0], default=None)


def _of_mix(record: Record, figure: Callable[[Row], float]) -> float | None:
    """Return a figure of the load of `_mix_tail`."""
    tail = _mix_tail(record)
    return figure(tail[1]) if tail else None


def _first_best(record: Record) -> float:
    """Return the shortest rest whose rate is within 2% of the best."""
    rates = _rests(record)
    return min(rest for rest, rate in rates.items() if rate >= 0.98 * max(rates.values()))


def _longer(record: Record) -> tuple[float, float] | None:
    """Return the lowest rate after a rest longer than the best and that rest, None if there is none."""
    rates, first = _rests(record), _first_best(record)
    return min(((rate, rest) for rest, rate in rates.items() if rest > first), default=None)


def _enough(record: Record) -> float | None:
    """Return the rate after the best rest if each longer one gives at least 95% of it, None if none was tried."""
    rate, longer = _rests(record)[_first_best(record)], _longer(record)
    return rate if longer and longer[0] >= 0.95 * rate else None


def _less(record: Record) -> tuple[float, float] | None:
    """Return the lowest rate after a longer rest and that rest, if it is below 95% of the best."""
    rate, longer = _rests(record)[_first_best(record)], _longer(record)
    return longer if longer and longer[0] < 0.95 * rate else None


def _rested_before(record: Record) -> float | None:
    """Return the end of the writes without rests before the best rests."""
    names = [f"wait-{rest / 5:g}" for rest in _rests(record)]
    index = names.index(f"wait-{_first_best(record) / 5:g}")
    if not index:
        return _unrested(record)
    rows = record.of("idle-recovery", names[index - 1].replace("wait", "baseline"))
    rows = [r for r in rows if r["phase"] == names[index - 1].replace("wait", "baseline")]
    return iops(rows[len(rows) // 2 :])


def _rests(record: Record) -> dict[float, float]:
    """Return seconds of rest -> IOPS of the later half of its bursts."""
    found = {}
    for test in record.plan["tests"]:
        for phase in test["phases"]:
            rests = [step["seconds"] for step in phase["round"] if step["type"] == "idle"]
            rows = [r for r in record.of(test["name"], phase["name"]) if r["phase"] == phase["name"]]
            if test["name"] == "idle-recovery" and rests and len(rows) > 1:
                found[rests[0]] = iops(rows[len(rows) // 2 :])
    return found


def _bursts(record: Record) -> list[float]:
    """Return the IOPS of each later burst of the best rest."""
    rests = _rests(record)
    best = min(rest for rest, level in rests.items() if level >= 0.98 * max(rests.values()))
    for phase in (phase for test in record.plan["tests"] for phase in test["phases"]):
        if {"type": "idle", "seconds": best}.items() <= next(
            (s for s in phase["round"] if s["type"] == "idle"), {}
        ).items():
            rows = [r for r in record.of("idle-recovery", phase["name"]) if r["phase"] == phase["name"]]
            return [iops([row]) for row in rows[len(rows) // 2 :]]
    return []


def _unpaused(record: Record) -> float:
    """Return the best record of random writes before the rests: that of the fresh drive."""
    return max(iops([row]) for row in record.of("idle-recovery", "saturate", random_pct=100))


def _unrested(record: Record) -> float | None:
    """Return the end of the writes before the rests, which a saturation may have done."""
    rows = record.of("idle-recovery", "saturate", random_pct=100)
    return iops(rows[-max(round(len(rows) / 5), 5) :]) if rows else None


def _warm(record: Record, mix: str) -> tuple[float, float] | None:
    """Return IOPS of a hot range in its first seconds, while no cache helps, and in its last tenth."""
    reads = int(mix.split("/", maxsplit=1)[0])
    rows = record.of("hot-range", "mix-", read_pct=reads)
    if not rows:
        return None
    last = rows[-max(len(rows) // 10, 3) :]
    block = rows[0]["load"]["block_bytes"]
    first = [r / block for t, r in record.during(rows[0]) if t <= 5]
    cold = sum(first) / len(first) if first else iops(rows[:1])
    return cold, median(iops([r]) for r in last)


def _warmed(r: Record, phase: str) -> float | None:
    """How many times as fast reads are with the fewest outstanding, once a part is warm."""
    both = [[x for x in r.loads(r.of("cold-warm", n)) if x[0]["load"]["read_pct"] == 100] for n in (phase, "cold")]
    warm, cold = (min(own, key=lambda x: outstanding(x[0]), default=None) for own in both)
    return iops(warm) / iops(cold) if warm and cold else None


def _gained(record: Record, mix: str) -> float | None:
    warm = _warm(record, mix)
    return warm[1] / warm[0] if warm else None


def _step(record: Record) -> tuple[float, float] | None:
    """Return the rate of the first level of a sequential write, and the bytes at which it is left."""
    rows = record.of("slc-cache", "fresh")
    course = record.during(rows[0]) if rows else []
    if len(course) < 10:
        return None
    first = median(r for _, r in course[:3])
    slow = [r < 0.75 * first for _, r in course]
    left = next((n for n in range(2, len(course) - 1) if slow[n] and slow[n + 1]), None)
    if left is None:
        return None
    first = median(r for _, r in course[:left])
    before, written = 0.0, 0.0
    for t, r in course[:left]:
        written, before = written + r * (t - before), t
    return first, written


def _after_step(record: Record) -> tuple[float, float] | None:
    """Return the rate of the level after the first one of a sequential write, and that of its last twentieth."""
    rows, step = record.of("slc-cache", "fresh"), _step(record)
    if step is None:
        return None
    course, written, before = record.during(rows[0]), 0.0, 0.0
    later = []
    for t, r in course:
        if written > 1.02 * step[1]:
            later.append(r)
        written, before = written + r * (t - before), t
    usual = median(later[:5])
    level = next((n for n, r in enumerate(later) if not 0.85 * usual < r < 1.15 * usual), len(later))
    return median(later[:level]), median(r for _, r in course[-max(len(course) // 20, 1) :])


def _edges(record: Record) -> tuple[list[Row], list[Row]]:
    """Return the first and the last twentieth of the places of a disk, at least one."""
    rows = record.of("lba-profile", "read")
    edge = max(int(len(rows) * 0.05), 1)
    return rows[:edge], rows[-edge:]


FIGURES: dict[str, Callable[[Record], float | None]] = {
    "capacity": lambda r: r.capacity,
    "seconds": lambda r: sum(x["seconds"] for x in r.results),
    "reads": lambda r: _best(r, (100,)),
    "mix": lambda r: _best(r, (65, 67, 70)),
    "writes": lambda r: iops(_end(r)) if _saturation(r) else _best(r, (0,)),
    "writes_filled": lambda r: _best(r, (0,)),
    "start": lambda r: (
        iops(_saturation(r)[:1]) if _saturation(r) else max(iops([x]) for x in r.of("fresh", "random-write"))
    ),
    "fresh_writes": _fresh_writes,
    "writes_full": lambda r: _best(r, (0,)),
    "reads_8k": lambda r: _best(r, (100,), 8),
    "writes_8k": lambda r: _best(r, (0,), 8),
    "fall": lambda r: iops(_saturation(r)[:1]) / iops(_end(r)),
    "sat_s": lambda r: sum(x["seconds"] for x in _saturation(r)),
    "sat_fills": lambda r: sum(x["write"][1] for x in _saturation(r)) / r.plan["device"]["capacity_bytes"],
    "fallen_s": _fallen,
    "write_tail": lambda r: percentile(_end(r), 99.9),
    "write_tail_at": lambda r: float(outstanding(_end(r)[-1])),
    "longest": lambda r: longest(_saturation(r)),
    "uneven": lambda r: median(iops([x]) for x in _end(r)) / min(iops([x]) for x in _end(r)),
    "seq_read": lambda r: _sequential(r, 100),
    "seq_write": lambda r: _sequential(r, 0),
    "stream_end": _stream_end,
    "cache_fall": lambda r: _fast(r) / (_stream_end(r) or 1) if _whole_write(r) else None,
    "again": lambda r: rate(r.of("slc-cache", "rested")),
    "again_end": lambda r: _last_fifth(r, r.of("slc-cache", "rested")[-1]),
    "seq_part": lambda r: _best_stream(r)["load"]["range_bytes"] / r.plan["device"]["capacity_bytes"],
    "cache_first": lambda r: step[0] if (step := _step(r)) else None,
    "cache_next": lambda r: levels[0] if (levels := _after_step(r)) else None,
    "cache_last": lambda r: levels[1] if (levels := _after_step(r)) else None,
    "cache_bytes": lambda r: step[1] if (step := _step(r)) else None,
    "read_wait": lambda r: mean(_single(r, 100)),
    "write_wait": lambda r: mean(_single(r, 0)),
    "read_usual": lambda r: percentile(_single(r, 100), 50),
    "write_usual": lambda r: percentile(_single(r, 0), 50),
    "read_longest": lambda r: longest(_single(r, 100)),
    "write_longest": lambda r: longest(_single(r, 0)),
    "read_p99": lambda r: percentile(_single(r, 100), 99),
    "write_p99": lambda r: percentile(_single(r, 0), 99),
    "mix_p99": lambda r: percentile(_single(r, 65), 99),
    "mix_tail": lambda r: tail[0] if (tail := _mix_tail(r)) else None,
    "rested_share": lambda r: max(_rests(r).values()) / _unpaused(r),
    "rested_of": _unpaused,
    "full_rest": lambda r: min(rest for rest, rate in _rests(r).items() if rate >= 0.9 * _unpaused(r)),
    "mix_tail_at": lambda r: _of_mix(r, lambda row: float(outstanding(row))),
    "mix_tail_reads": lambda r: _of_mix(r, lambda row: float(row["load"]["read_pct"])),
    "mix_tail_writes": lambda r: _of_mix(r, lambda row: 100.0 - row["load"]["read_pct"]),
    "back_rest": lambda r: min(_rests(r)),
    "back_iops": lambda r: _rests(r)[min(_rests(r))],
    "unrested": _unrested,
    "back_gain": lambda r: _rests(r)[min(_rests(r))] / (_unrested(r) or 1),
    "rested": lambda r: max(_rests(r).values()),
    "rested_low": lambda r: min(_bursts(r)),
    "rested_high": lambda r: max(_bursts(r)),
    "rested_rest": lambda r: max(_rests(r), key=lambda rest: _rests(r)[rest]),
    "rested_enough": _enough,
    "rested_before": _rested_before,
    "rested_less": lambda r: longer[0] if (longer := _less(r)) else None,
    "rested_less_rest": lambda r: longer[1] if (longer := _less(r)) else None,
    "deep_reads": lambda r: gain(r, 100),
    "deep_writes": lambda r: gain(r, 0),
    "deep_reads_one": lambda r: one(r, 100),
    "deep_writes_one": lambda r: one(r, 0),
    "deep_reads_at": lambda r: float(outstanding(least(curve(r, 100))[0])),
    "deep_writes_at": lambda r: float(outstanding(least(curve(r, 0))[0])),
    "load_most": lambda r: max(iops(own) for own in r.loads(r.of("composite", "sweep"))),
    "load_least": lambda r: min(iops(own) for own in r.loads(r.of("composite", "sweep"))),
    "load": lambda r: iops(r.loads(r.of("composite", "mid"))[-1]),
    "load_read": lambda r: percentile(r.loads(r.of("composite", "mid"))[-1], 99, ("read",)),
    "load_write": lambda r: percentile(r.loads(r.of("composite", "mid"))[-1], 99, ("write",)),
    "server": lambda r: iops(least(r.loads(r.of("profiles", "file-server")))),
    "server_wait": lambda r: mean(least(r.loads(r.of("profiles", "file-server")))),
    "server_depth": lambda r: float(outstanding(least(r.loads(r.of("profiles", "file-server")))[0])),
    "database": lambda r: iops(least(database(r))),
    "database_wait": lambda r: mean(least(database(r))),
    "database_depth": lambda r: float(outstanding(least(database(r))[0])),
    "demand_most": lambda r: max(map(iops, r.loads(r.of("demand-intensity", "sweep")))),
    "demand_at": lambda r: float(outstanding(max(r.loads(r.of("demand-intensity", "sweep")), key=iops)[0])),
    "sweep": lambda r: iops(top(sweep(r))),
    "sweep_least": lambda r: iops(sweep(r)[0]),
    "sweep_shallow": lambda r: float(outstanding(sweep(r)[0][0])),
    "sweep_at": lambda r: float(outstanding(top(sweep(r))[0])),
    "sweep_near": lambda r: iops(least(sweep(r))),
    "sweep_near_at": lambda r: float(outstanding(least(sweep(r))[0])),
    "sweep_deep": lambda r: float(outstanding(sweep(r)[-1][0])),
    "sweep_wait": lambda r: mean(sweep(r)[-1]),
    "sweep_longest": lambda r: longest(sweep(r)[-1]),
    "small_read": lambda r: iops(blocks(r, 0, 100)[0]),
    "large_read": lambda r: rate(blocks(r, 0, 100)[-1]),
    "small_random": lambda r: max(iops(x) for x in blocks(r, 100, 100) if x[0]["load"]["block_bytes"] == 4 * KIB),
    "small_random_write": lambda r: max(iops(x) for x in blocks(r, 100, 0) if x[0]["load"]["block_bytes"] == 4 * KIB),
    "big_writes": lambda r: rate(big(r)),
    "big_block": lambda r: float(big(r)[0]["load"]["block_bytes"]),
    "big_share": lambda r: rate(big(r)) / rate(stream_writes(r)),
    "stream_writes": lambda r: rate(stream_writes(r)),
    "outer": lambda r: median(rate([x]) for x in _edges(r)[0]),
    "inner": lambda r: median(rate([x]) for x in _edges(r)[1]),
    "hot_bytes": lambda r: float(r.of("hot-range", "mix-")[0]["load"]["range_bytes"]),
    "hot_gain": lambda r: _gained(r, "100/0"),
    "warm_mixed": lambda r: _gained(r, "35/65"),
    "warm_writes": lambda r: _gained(r, "0/100"),
    "cache_at": lambda r: float(min(outstanding(x) for x in r.of("cold-warm", "cold") if x["load"]["read_pct"] == 100)),
    "read_warm": lambda r: _warmed(r, "warm-reads"),
    "write_through": lambda r: _warmed(r, "warm-writes"),
    "write_around": lambda r: _warmed(r, "warm-writes"),
    "warm_wait": lambda r: 1 - 1 / gain if (gain := _gained(r, "35/65")) else None,
}
TOLERANCES = {
    "sat_s": 0.01, "seconds": 0.01, "cache_bytes": 0.1, "cache_first": 0.05, "hot_gain": 0.1, "warm_mixed": 0.1,
    "warm_writes": 0.1, "warm_wait": 0.25, "write_tail": 0.02, "mix_tail": 0.02, "read_p99": 0.02, "write_p99": 0.02,
    "mix_p99": 0.02, "read_usual": 0.02, "write_usual": 0.02, "load_read": 0.02, "load_write": 0.02,
    "outer": 0.02, "inner": 0.02, "stream_end": 0.02, "again_end": 0.02, "cache_fall": 0.05,
    "cache_next": 0.05, "cache_last": 0.05,
}  # fmt: skip
"""Where the record states a figure by a course or by bins and not exactly; 1e-6 elsewhere."""


def agrees(name: str, shown: float, wanted: float | None) -> bool:
    """Return whether a figure of a sentence is that of the record."""
    return wanted is not None and math.isclose(shown, wanted, rel_tol=TOLERANCES.get(name, 1e-6))
