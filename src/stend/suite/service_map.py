"""Service map: which rates of reads stay within a response time beside which rates of writes, in an open loop.

A test of stend. After diskplorer (ScyllaDB), which measures a grid of 21 x 21 rates. Here a search follows the contours
of the limits: `stend.model.service_search` chooses the next cell. stend sends the loads itself, because fio keeps no
rate (fio #332).
"""

import msgspec

from stend.base.errors import BadInput
from stend.base.units import KiB
from stend.model import service_map, service_search
from stend.model.definition import Hold, Identity, Phase, PlannedTest, Profile, Step, Test, Workload
from stend.model.record import Run
from stend.model.workload import Stream, streamed
from stend.suite._clauses import filled, purged, random, sequential

DEPTH = 1024
"""Most IOs in flight. Further ones wait in the host, and their response times count on."""
READ_KIB, WRITE_KIB = 4.0, 128.0
LIMITS_MS, PERCENTILES = [1.0, 2.0, 5.0, 10.0], [99.0, 99.9]
CELLS, QUICK_CELLS = 60, 24
WARM_S, PART_S, PARTS = 10, 25, 2
"""A cell is measured in parts without a pause: what they differ by shows how much its percentiles scatter."""
RECORD_S = PARTS * PART_S
LOOP_THREADS, LOOP_DEPTH = 4, 32
"""The closed loops that find the ends of the axes."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, the closed loops of both axes, and the search. Raise BadInput without limit or percentile."""
    options = profile.options
    if not options["limits_ms"] or not options["percentiles"]:
        raise BadInput("service-map needs at least one limit and one percentile")
    loops = (
        random(100, options["read_kib"], LOOP_THREADS, LOOP_DEPTH),
        sequential(0, options["write_kib"], 1, LOOP_DEPTH),
    )
    cells = options["cells"] if profile.shorten == 1 else min(options["cells"], QUICK_CELLS)
    return (
        purged(),
        filled(1, 32),
        Phase(name=service_map.LIMITS, round=tuple(step for loop in loops for step in _measured(profile, loop))),
        Phase(
            name=service_map.PHASE,
            round=_measured(profile, load(profile, 10_000, 100e6)),
            rounds=cells,
            choose="next_cell",
        ),
    )


def _measured(profile: Profile, workload: Workload) -> tuple[Step, ...]:
    amounts = profile.seconds(WARM_S), *[profile.seconds(PART_S)] * PARTS
    return tuple(Hold(workload=workload, amount=amount) for amount in amounts)


def load(profile: Profile, reads: float, writes: float) -> Workload:
    """Return the load of so many reads and written bytes per second, in whole IOs, with Poisson arrivals."""
    sizes = [round(profile.options[name] * KiB) for name in ("read_kib", "write_kib")]
    reads, many = round(reads), round(writes / sizes[1])
    kinds = [Stream(share=reads, random=True, read=True, block_bytes=sizes[0])]
    kinds += [Stream(share=many, random=False, read=False, block_bytes=sizes[1])] if many else []
    return msgspec.structs.replace(streamed(tuple(kinds), 1, DEPTH), rate_iops=reads + many)


def next_cell(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return the next cell of the map, its warm-up first, or nothing when the contours are known well enough."""
    done = service_map.cells(past, test)
    profile, scale = test.profile, past.plan.device.scale
    wanted = service_map.search(past, test, profile.seconds(RECORD_S).seconds, scale)
    cell = service_search.following(done, wanted)
    if cell is None:
        return ()
    example = test.phase(service_map.PHASE).holds[0]
    place = {name: getattr(example.workload, name) for name in ("start_bytes", "range_bytes")}
    return _measured(profile, msgspec.structs.replace(load(profile, *cell), **place))


TEST = Test(
    title="Service Map",
    clause="own",
    phases=phases,
    charts=("service_map",),
    options={
        "limits_ms": LIMITS_MS,
        "percentiles": PERCENTILES,
        "read_kib": READ_KIB,
        "write_kib": WRITE_KIB,
        "cells": CELLS,
        "within_pct": 5.0,
    },
    summary="reads per second within 1 to 10 ms beside every rate of writes, at most 60 cells in an open loop",
)
