"""A run as flat rows in base units, for CSV, Parquet and JSON. A column's unit is the suffix of its name."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend.findings.look import metered
from stend.findings.look.figures import Direction, of_record, quantities
from stend.findings.look.replayed import lateness_s
from stend.model.definition import Hold
from stend.model.events import Result
from stend.model.pace import Pace
from stend.model.quantities import COUNTED, METERED, QUANTITIES
from stend.model.record import Run
from stend.model.tally import NS, PERCENTS
from stend.model.verified import Verified

WAITS = {f"{name.replace('.', '_')}_s": name for name in ("mean", *PERCENTS, "max")}
"""Column -> quantity of a direction's response times."""

_METERED = ((name, QUANTITIES[name]) for name in METERED)
LEVELS = {name: (each.reading, each.how) for name, each in _METERED if each.how in ("mean", "most")}
"""Column -> readings of a meter, and their mean or the highest of them."""

COLUMNS: dict[str, str] = {
    "run": "VARCHAR", "test": "VARCHAR", "phase": "VARCHAR", "round": "BIGINT", "step": "BIGINT", "kind": "VARCHAR",
    "workload": "VARCHAR", "random_pct": "BIGINT", "read_pct": "BIGINT", "block_bytes": "BIGINT", "threads": "BIGINT",
    "depth": "BIGINT", "start_bytes": "BIGINT", "range_bytes": "BIGINT", "end_s": "DOUBLE", "seconds": "DOUBLE",
    "gap_s": "DOUBLE", "cpu_s": "DOUBLE", "iops": "DOUBLE", "bytes_per_s": "DOUBLE", "seed": "BIGINT",
} | {
    f"{way}_{name}": "BIGINT" if name in ("ios", "bytes") else "DOUBLE"
    for way in ("read", "write")
    for name in ("ios", "bytes", "mean_s", "deviation_s", *list(WAITS)[1:])
} | {
    "trace": "VARCHAR", "speed": "DOUBLE", "sent_ios": "BIGINT", "late_ios": "BIGINT", "full_ios": "BIGINT",
    "late_p50_s": "DOUBLE", "late_p99_s": "DOUBLE", "late_p99_9_s": "DOUBLE", "late_max_s": "DOUBLE",
    "valid": "BOOLEAN", "flush_ios": "BIGINT", "flush_mean_s": "DOUBLE", "flush_max_s": "DOUBLE",
    "trim_ios": "BIGINT", "trim_bytes": "BIGINT", "trim_mean_s": "DOUBLE", "trim_p99_s": "DOUBLE",
    "trim_max_s": "DOUBLE",
    **dict.fromkeys((*LEVELS, *COUNTED), "DOUBLE"),
    "verified_blocks": "BIGINT", "bad_blocks": "BIGINT", "first_bad_bytes": "BIGINT", "bad_kinds": "VARCHAR",
}  # fmt: skip
"""Column -> SQL type."""


def names(runs: Sequence[tuple[Path, Any, Any]]) -> list[str]:
    """Return the names of runs: those of their folders, or if two are equal, their paths below a common folder."""
    folders = [folder.absolute() for folder, _, _ in runs]
    short = [folder.name for folder in folders]
    if len({*short}) == len(short):
        return short
    top = os.path.commonpath([folder.parent for folder in folders])
    return [str(folder.relative_to(top)) for folder in folders]


def rows(run: Run, name: str) -> Iterator[dict[str, Any]]:
    """Yield one row per step that was done, and one of the kind `beside` for each load beside it.

    The start of a load that is part of no figure has the kind `ramp`.
    """
    for result in run.results:
        levels = metered.levels(run, [result])
        yield _row(result, name) | {column: getattr(levels.get(of), how, None) for column, (of, how) in LEVELS.items()}
        if isinstance(result.step, Hold):
            for load, done in zip(result.step.workload.beside, result.beside, strict=False):
                step = Hold(workload=load, amount=result.step.amount)
                other = msgspec.structs.replace(result, step=step, counts=done.counts, pace=done.pace, beside=())
                yield _row(other, name) | {"kind": "beside"}


def _row(result: Result, name: str) -> dict[str, Any]:
    where, counts = result.where, result.counts
    row: dict[str, Any] = dict.fromkeys(COLUMNS)
    row |= {"run": name, "test": where.test, "phase": where.phase, "round": where.round, "step": result.index}
    row |= {"kind": type(result.step).__name__.lower(), "end_s": result.t, "gap_s": result.gap_s, "seed": result.seed}
    if isinstance(result.step, Hold):
        load = result.step.workload
        row |= {"workload": load.label, "start_bytes": load.start_bytes, "range_bytes": load.range_bytes}
        row |= {key: getattr(load, key) for key in ("random_pct", "read_pct", "block_bytes", "threads", "depth")}
        rates = of_record(result, "both")
        row |= {"seconds": counts.seconds, "cpu_s": counts.cpu_s}
        row |= {"iops": rates["iops"] or 0.0, "bytes_per_s": rates["throughput"] or 0.0}
        row |= {name: rates[name] for name in COUNTED}
        row |= _tally(result, "read") | _tally(result, "write")
        row |= {"kind": "ramp"} if result.step.ramp else {}
        row |= {"trace": load.replay.trace, "speed": load.replay.speed} if load.replay else {}
        timed = load.replay.timed if load.replay else load.rate_iops > 0
        row |= _pace(result.pace, timed) if result.pace and (load.replay or timed) else {}
        if result.pace and (flush := result.pace.flush).ios:
            row |= {"flush_ios": flush.ios, "flush_mean_s": flush.mean_s, "flush_max_s": flush.max_s}
        row |= _verified(result.verified) if result.verified else {}
        row |= _trims(result) if load.trim_pct else {}
    return row


def _tally(result: Result, way: Direction) -> dict[str, Any]:
    """Return columns of one direction. Without IOs, or with too small a sample, response times are empty."""
    tally = getattr(result.counts, way)
    figures: dict[str, Any] = {"ios": tally.ios, "bytes": tally.bytes}
    if tally.ios:
        values = of_record(result, way)
        figures |= {key: values[quantity] for key, quantity in WAITS.items()}
        figures["deviation_s"] = tally.deviation_s if tally.latency_ns2 else None
    return {f"{way}_{key}": value for key, value in figures.items()}


def _trims(result: Result) -> dict[str, Any]:
    """Return the trims of a load. Without trims, or with too small a sample, response times are empty."""
    values = quantities(result.trims, result.counts.seconds, ("mean", "p99", "max"))
    waits = {f"trim_{name}_s": value for name, value in values.items()}
    return {"trim_ios": result.trims.ios, "trim_bytes": result.trims.bytes} | waits


def _verified(verified: Verified) -> dict[str, Any]:
    """Return how many blocks of 512 bytes were compared or written, and the bad ones: number, first address, kinds."""
    kinds = sorted({part.fault for part in verified.bad})
    return {
        "verified_blocks": verified.blocks,
        "bad_blocks": verified.count(),
        "first_bad_bytes": verified.bad[0].first_bytes if verified.bad else None,
        "bad_kinds": " ".join(kinds),
    }


def _pace(pace: Pace, timed: bool) -> dict[str, Any]:
    """Return how many IOs a replay or an open loop sent, and how its schedule was kept if that was measured."""
    row: dict[str, Any] = {"sent_ios": pace.sent}
    if pace.lateness_measured and timed:
        names = {f"late_{name.replace('.', '_')}_s": PERCENTS[name] for name in ("p50", "p99", "p99.9")}
        row |= {name: lateness_s(pace, percent) for name, percent in names.items()}
        row |= {"late_ios": pace.late, "full_ios": pace.full, "late_max_s": pace.latest_ns * NS}
        row |= {"valid": not pace.invalid}
    return row
