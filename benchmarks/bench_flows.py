"""Other programs' published flows against ours, step by step as their sources have them, on the same virtual drives.

`python -m benchmarks flows`, or `python -m benchmarks.bench_flows [DRIVE]...`. Read in the sources of TKperf 638b083,
CloudHarmony block-storage 9b15364, Alan-ADATA SSS-PTS-TEST 286ec1d and ezFIO bbaff26 (facts only). Cells last their
60 s, four threads of 32 where a program leaves that to its user; what a program itself needs between cells is left out.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing

from stend.devices.virtual import find
from stend.engines.simulated import SimulatedEngine
from stend.model.definition import Capacities, Hold, Identity, Phase, Plan, PlannedTest, Seconds, Steady, Step, Workload
from stend.model.events import Result, Sample
from stend.model.record import Run
from stend.planning import plan as planning
from stend.runner.loop import run
from stend.suite import iops, latency
from stend.suite._clauses import filled, purged, random, sequential

DRIVES = ("sn150", "saber1000")
THREADS, DEPTH, ROUNDS, MINUTE_S = 4, 32, 25, 60
HALF_HOUR = 31
"""Records of a half hour and its check."""
POINT_S, STABLE_S = 120, 1200
"""ezFIO's own times."""
Flow = dict[str, tuple[Phase, ...]]
"""Test -> its phases."""


def cells(loads: Iterable[Workload], seconds: float = MINUTE_S) -> tuple[Step, ...]:
    """A record of each."""
    return tuple(Hold(workload=load, amount=Seconds(seconds=seconds)) for load in loads)


def rounds(
    loads: Sequence[Workload],
    track: Sequence[Workload],
    quantity: str = "iops",
    most: int = ROUNDS,
    name: str = "rounds",
) -> Phase:
    """Records of a minute in rounds until those that are tracked are steady; without any, so many rounds."""
    until = (Steady(track=tuple(track), quantity=quantity),) if track else ()  # type: ignore[arg-type]
    return Phase(name=name, round=cells(loads), until=until, rounds=most)


def matrix(tracked: Sequence[tuple[int, float]]) -> tuple[Phase, ...]:
    """Purge, two fills, rounds of 56: all three programs; they differ in what must be steady."""
    loads = {(r, b): random(r, b, THREADS, DEPTH) for r in iops.MIXES for b in iops.BLOCKS_KIB}
    return purged(), filled(THREADS, DEPTH), rounds(list(loads.values()), [loads[key] for key in tracked])


def waits(blocks_kib: Sequence[float], threads: int, histogram_s: float = 0) -> tuple[Phase, ...]:
    """Response times at one outstanding, steady in those of 4 KiB writes."""
    loads = {(r, b): random(r, b, 1, 1) for r in latency.MIXES for b in blocks_kib}
    steady = rounds(list(loads.values()), [loads[0, 4]], "latency")
    more = Phase(name="histogram", round=cells([loads[0, 4]], histogram_s))
    return (purged(), filled(threads, DEPTH), steady, *((more,) if histogram_s else ()))


def streams(
    block_kib: float, threads: int, *, fills: bool, most: int = ROUNDS, steady: bool = True
) -> tuple[Phase, ...]:
    """Sequential reads and writes of one size, steady in the writes alone."""
    tag = f"-{block_kib:g}k"
    loads = [sequential(read_pct, block_kib, threads, DEPTH) for read_pct in (100, 0)]
    fill = (filled(1, DEPTH, block_kib, tag=tag),) if fills else ()
    judged = rounds(loads, loads[1:] if steady else (), "throughput", most, f"rounds{tag}")
    return purged(tag), *fill, judged


def tkperf(target: str) -> Flow:
    """One cell is tracked; throughput of five sizes without a fill, the other four for as many rounds as 1 MiB took."""
    first = streams(1024, THREADS, fills=False)
    most = len(records(played({"throughput": first}, target), "throughput")) // 2
    others = [streams(b, THREADS, fills=False, most=most, steady=False) for b in (64, 8, 4, 0.5)]
    writes = Phase(
        name="saturate", round=cells([random(0, 4, THREADS, DEPTH)]), until=(Capacities(times=4),), rounds=1440
    )
    return {
        "iops": matrix(iops.TRACKED_1_1),
        "latency": waits(latency.BLOCKS_KIB, THREADS),
        "throughput": (*first, *(phase for one in others for phase in one)),
        "write-saturation": (purged(), writes),
    }


def cloudharmony(target: str) -> Flow:
    """One cell is tracked; response times of 16 KiB too; saturation ends steady or after 25 half hours."""
    writes = random(0, 4, THREADS, DEPTH)
    return {
        "iops": matrix(iops.TRACKED_1_1),
        "latency": waits((16, *latency.BLOCKS_KIB), 1),
        "throughput": (*streams(1024, THREADS, fills=True), *streams(128, THREADS, fills=True)),
        "write-saturation": (purged(), rounds([writes] * HALF_HOUR, [writes], name="saturate")),
    }


def adata(target: str) -> Flow:
    """All three cells, histograms of 20 minutes, saturation until steady, four capacities or six hours."""
    writes = random(0, 4, THREADS, DEPTH)
    until = (Steady(track=(writes,)), Capacities(times=4), Seconds(seconds=6 * 3600))
    saturate = Phase(name="saturate", round=cells([writes] * HALF_HOUR), until=until, rounds=12)
    return {
        "iops": matrix(iops.TRACKED),
        "latency": waits(latency.BLOCKS_KIB, 1, STABLE_S),
        "throughput": (*streams(1024, 1, fills=True), *streams(128, 1, fills=True)),
        "write-saturation": (purged(), saturate, Phase(name="histogram", round=cells([writes], STABLE_S))),
    }


def ezfio(target: str) -> Flow:
    """63 points of two minutes and one of twenty, after two sequential and two random fills; no purge, no rules."""
    sizes, threads = [0.5 * 2**n for n in range(9)], [2**n for n in range(9)]
    parts = {
        "sequential-reads": [sequential(100, b, 1, 256) for b in sizes],
        "random-reads": [random(100, b, 16, 16) for b in sizes],
        "sequential-writes": [sequential(0, b, 1, 1) for b in sizes],
        "reads-by-threads": [random(100, 4, t, 1) for t in threads],
        "mix-by-threads": [random(70, 4, t, 1) for t in threads],
        "writes-by-threads": [random(0, 4, t, 1) for t in threads],
        "random-writes": [random(0, b, 16, 16) for b in sizes],
    }
    points = {name: Phase(name=name, round=cells(loads, POINT_S)) for name, loads in parts.items()}
    again = Hold(workload=random(0, 4, 1, 256), amount=Capacities(times=2))
    points["mix-by-threads"] = Phase(
        name="mix-by-threads", round=points["mix-by-threads"].round + cells([random(70, 4, 256, 1)], STABLE_S)
    )
    first, later = list(points.values())[:3], list(points.values())[3:]
    return {"all": (filled(1, 64), *first, Phase(name="precondition-random", round=(again,)), *later)}


FLOWS: dict[str, Callable[[str], Flow]] = {
    "TKperf": tkperf,
    "CloudHarmony": cloudharmony,
    "ADATA": adata,
    "ezFIO": ezfio,
}
OURS = ("iops", "latency", "throughput", "write-saturation")


def planned(flow: Flow, drive: Identity) -> Plan:
    """A flow as a plan for a drive."""
    profile = planning.load_profile(planning.USUAL_PROFILE)
    tests = tuple(
        PlannedTest(
            name=name, title=name, clause="", profile=profile,
            phases=tuple(planning._drawn(phase, profile, drive, []) for phase in phases),
        )
        for name, phases in flow.items()
    )  # fmt: skip
    size = drive.capacity_bytes
    return Plan(tests=tests, profile=profile, device=drive, range_bytes=size, write_bytes=0, longest_s=0, expected_s=0)


def played(flow: Flow | None, target: str) -> Run:
    """A flow, ours where it is None, as it goes on a fresh virtual drive."""
    device = find(target)
    device.door.open(writes=True, destroy=None)
    with closing(device.door):
        usual = planning.load_profile(planning.USUAL_PROFILE)
        plan = planned(flow, device.identity) if flow else planning.draw(OURS, usual, device.identity)
        events = run(plan, device, SimulatedEngine(device.sim.drive), seed=1, at=0.0)
        return Run([event for event in events if not isinstance(event, Sample)])


def records(done: Run, test: str) -> list[Result]:
    """The records of a test that hold a load."""
    return [result for result in done.of(test) if isinstance(result.step, Hold)]


def main() -> None:
    """A table: hours of each test of each flow, the time in which nothing ran, capacities written."""
    print("| drive | flow | IOPS | LAT | TP | WSAT | hours | idle | written | against ADATA |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in [word for word in sys.argv[1:] if word != "flows"] or DRIVES:
        runs = {flow: played(make(f"sim:{name}"), f"sim:{name}") for flow, make in FLOWS.items()}
        runs |= {"stend": played(None, f"sim:{name}")}
        most = _hours(runs["ADATA"])
        for flow, done in runs.items():
            print(f"| {name} | {flow} | {_told(done)} | {_hours(done) / most:.3f} |", flush=True)


def _told(done: Run) -> str:
    each = [sum(r.counts.seconds + r.gap_s for r in done.of(test)) / 3600 for test in OURS]
    load = [result for test in done.plan.tests for result in records(done, test.name)]
    idle = 1.0 - sum(result.counts.seconds for result in load) / (_hours(done) * 3600)
    written = sum(result.counts.write.bytes for result in load) / done.plan.device.capacity_bytes
    parts = " | ".join(f"{hours:.2f}" if hours else "" for hours in each)
    return f"{parts} | {_hours(done):.2f} | {max(idle, 0):.2%} | {written:.1f} x"


def _hours(done: Run) -> float:
    return (done.ended.t if done.ended else 0.0) / 3600


if __name__ == "__main__":
    main()
