"""What virtual drives answer to a course of loads: `python -m tests.sim_courses` writes tests/goldens/sim.json anew.

The course has reads, writes, trims and flushes of several sizes, queue depths and places, before and after a fill,
overwrites and rests. Drives are those of the catalogue, of tests/outside and tests/unseen, and small ones with one
parameter changed. Read the difference before committing it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from stend.base.errors import StepFailed
from stend.base.units import KiB, MiB
from stend.sim import Pattern, Spec, build, load, profiles
from stend.sim.account import Done
from stend.sim.drive import Drive
from stend.sim.requests import Weighted
from stend.sim.spec import Power, PowerState

FILE = Path(__file__).parent / "goldens/sim.json"
FILES = {
    path.stem: path
    for folder in ("outside", "unseen")
    for path in sorted((Path(__file__).parent / folder).glob("*.toml"))
    if path.stem != "expected"
}
DIGITS = 7
"""Significant digits of each number."""
MOST_IOS = 3000
"""IOs of a load about: time passes in parts until there are as many."""
SHALLOW = PowerState(sleep_after_ms=2, watts=0.4, exit_ms=0.7)
DEEP = PowerState(sleep_after_ms=300, watts=0.05, exit_ms=9, exit_w=3)
RESTING = Power(idle_w=1, read_w=3, write_w=5, states=(SHALLOW, DEEP))
KINDS = ("small", "small?scale=2", "ideal", "sas15k", "x25e-raid")
SOMETIMES = (
    Weighted(2, random=True, read=True, size=8 * KiB, first=0.0, last=0.5),
    Weighted(1, random=False, read=False, size=64 * KiB, first=0.25, last=1.0),
    Weighted(1, random=False, read=True, size=4 * KiB, first=0.999999, last=1.0),
)


def pattern(size: int, read: int, random: int, depth: int = 1, threads: int = 1, **more: Any) -> dict[str, Any]:
    many = {key: value for key, value in (("depth", depth), ("threads", threads)) if value > 1}
    return {"sizes": ((size, 1.0),), "read_pct": read, "random_pct": random, **many, **more}


VARIANTS = (
    "small?flash.cleaning=fifo",
    "small?flash.cleaning=sampled&seed=9",
    "small?flash.cleaning=cost-benefit&flash.lanes=2",
    "small?flash.write_through=1&host.flush_us=90&protected=0",
    "small?protected=0&host.flush_us=40&flash.buffer_bytes=1048576",
    "small?flash.lanes=2&flash.idle_cleaning_pct=60&flash.idle_free_pct=5&flash.busy_cleaning_pct=20",
    "small?flash.pause_every_writes=700&flash.pause_ms=3&flash.gather_bytes=524288",
    "small?flash.behind_pct=40&flash.program_spread_pct=30&flash.move_us=4&flash.move_sense_bytes=32768",
    "small?flash.table_bytes=16777216&flash.segment_bytes=1048576",
    "small?host.one_way=1&host.turn_us=7&host.partial_us=15&host.queue=8",
    "small?host.read_page_us=1&host.write_page_us=2&host.trim_command_us=50&host.trim_mib_us=9",
    "small?scale=2&hangs_at_s=1&hang_s=0.05",
    "small?hangs_at_s=1.5&hang_s=0.4",
    "small?hangs_at_s=1.5&hang_s=40",
    "small?dies_at_s=4",
    "small?errors_from_bytes=100000000&errors_bytes=4096",
    "small?slow_from_bytes=20000000&slow_bytes=9000000&slow_us=700&slow_pct=40",
    "small?resizes_at_s=4",
    "small?loses_power_at_s=1.5&lies_about_flush=1",
    "small?thermal.limit_c=40&thermal.seconds=0.5&thermal.kelvin_per_w=9&thermal.throttle_pct=40",
    "small?overheats_at_s=1&thermal.seconds=20",
    "kc2000?unit=2&run=3&spread=1",
    "sas15k?unit=1&run=1&spread=2",
    "x25e-raid?unit=4&spread=1",
    "kc2000?flash.tail.retry_pct=3&flash.tail.retry_us=200&flash.tail.busy_pct=20&flash.tail.busy_us=900",
    "kc2000?flash.tail.background_pct=5&flash.tail.write_jitter_pct=30&flash.tail.stalls_per_s=40",
    "sas15k?disk.cache_bytes=67108864&disk.cache_writes=through&disk.reorders=4",
    "sas15k?disk.cache_bytes=67108864&disk.cache_chunk_bytes=131072&disk.write_memory_bytes=1048576&protected=1",
    "sas15k?disk.write_settle_ms=2&hangs_at_s=2&hang_s=0.3&errors_from_bytes=290000000000&errors_bytes=1000000000",
    "x25e-raid?array.level=10&array.members=6",
    "x25e-raid?array.level=1&array.members=2&array.read_us=80",
    "x25e-raid?array.level=0&array.parity_us=30&array.yield_us=200",
    "x25e-raid?protected=0&array.cache_bytes=4194304&array.member_command_us=9&array.member_page_us=2",
    "ideal?scale=16&ideal.servers=3",
    "ideal?ideal.service=exponential&ideal.servers=2&protected=0&host.flush_us=30",
    "ideal?power.command_uj=40&power.peak_w=9&slow_bytes=400000000&slow_us=90",
)
"""Targets of which single parameters differ from the catalogue's."""
COURSE: dict[str, dict[str, Any]] = {
    "fresh reads": pattern(4 * KiB, 100, 100),
    "writes": pattern(128 * KiB, 0, 0, 4),
    "reads back": pattern(64 * KiB, 100, 0, 2, 2),
    "filled": pattern(MiB, 0, 0, 8, share=0.25),
    "overwritten": pattern(32 * KiB, 0, 100, 16, ios=6000),
    "small writes": pattern(4 * KiB, 0, 100, 32),
    "mixed": pattern(8 * KiB, 60, 70, 4, 3, seed=5),
    "rested reads": pattern(4 * KiB, 100, 100, 2, pause_s=4.0),
    "sectors": pattern(512, 30, 100, 2, align_bytes=512),
    "torn": pattern(6 * KiB, 50, 100, 4, align_bytes=512, sizes=((6 * KiB, 3.0), (4 * KiB, 1.0), (512, 1.0))),
    "durable": pattern(4 * KiB, 0, 100, fua=True),
    "flushed": pattern(4 * KiB, 20, 50, 2, 2, flush_every=3),
    "trims": pattern(16 * KiB, 40, 100, 4, trim_pct=25, trim_bytes=256 * KiB),
    "trimmed": pattern(MiB, 0, 0, 2, trim_pct=100, trim_bytes=2 * MiB, share=0.05, from_share=0.5),
    "hot and cold": pattern(4 * KiB, 50, 100, 8, zones=((0.5, 0.05), (0.3, 0.15), (0.2, 0.8))),
    "streams": pattern(4 * KiB, 50, 100, 4, 2, weighted=SOMETIMES),
    "end of the drive": pattern(256 * KiB, 50, 0, 2, start_share=0.75),
    "poisson": pattern(4 * KiB, 70, 100, 8, rate_iops=90.0),
    "even": pattern(16 * KiB, 100, 0, 4, rate_iops=400.0, even=True),
    "arriving": pattern(4 * KiB, 65, 100, 16, arrive_iops=150.0),
    "crowd": pattern(4 * KiB, 100, 100, 300),
    "beside": pattern(4 * KiB, 100, 100, beside=pattern(64 * KiB, 0, 0, 2)),
    "beside at a rate": pattern(4 * KiB, 100, 100, 2, beside=pattern(32 * KiB, 0, 100, 4, rate_iops=60.0)),
    "played": {"played": True},
    "wiped": pattern(4 * KiB, 90, 100, wiped=True),
}
"""Loads by name: parameters of a Pattern, and what `begin` and `asked` make of shares of the drive, IOs and rests."""


SMALLER = {"st1800mm0088": "st1800mm0088?capacity_bytes=180036012032"}
"""A drive of which a tenth is simulated: the kernel takes longer to give it memory than it takes for its loads."""


def spec(name: str) -> Spec:
    """The parameters of a drive. One named `resting` has two power states."""
    first, _, other = name.partition(" ")
    drive = load(other if first == "resting" else SMALLER.get(name, str(FILES.get(name, name))))
    return msgspec.structs.replace(drive, power=RESTING) if first == "resting" else drive


def names() -> list[str]:
    return [*profiles(), *FILES, *VARIANTS, *(f"resting {kind}" for kind in KINDS)]


def asked(drive: Drive, given: dict[str, Any]) -> Pattern:
    """The pattern of a load on this drive. A limit is at most 64 MiB of the simulated drive, or a number of IOs."""
    words, whole, scale = dict(given), drive.spec.capacity_bytes, drive.spec.scale
    beside = words.pop("beside", None)
    start = int(whole * words.pop("start_share", 0)) // MiB * MiB
    share, ios, size = words.pop("share", 0.0), words.pop("ios", 0), words["sizes"][0][0]
    limit = min(int(whole * share), 64 * MiB * scale) // size * size if share else ios * size * scale
    first = int(whole * words.pop("from_share", 0)) // MiB * MiB
    placed = {"start_bytes": start, "limit_bytes": limit, "from_bytes": first}
    words |= {"beside": (asked(drive, beside),)} if beside else {}
    return Pattern(range_bytes=whole - start, **{key: value for key, value in placed.items() if value}, **words)


def schedule(drive: Drive, ios: int) -> Iterator[Any]:
    """Reads and writes in bursts, for half a second, on the drive at full size."""
    places = np.arange(ios, dtype=np.int64) * 7919 % (drive.spec.capacity_bytes // MiB - 1) * MiB
    due = np.arange(ios, dtype=np.int64) // 4 * (2_000_000_000 // ios)
    sizes = np.where(np.arange(ios) % 3, -4096, 16384)
    yield from zip(*(np.array_split(column, 3) for column in (places, sizes, due)), strict=True)


def begin(drive: Drive, given: dict[str, Any]) -> None:
    words = dict(given)
    drive.idle(words.pop("pause_s", 0.001))
    if words.pop("wiped", False):
        drive.format()
    if words.pop("played", False):
        drive.play(schedule(drive, 900), 900, 4, timed=True, seed=3)
    elif rate := words.pop("arrive_iops", 0):
        drive.arrive(asked(drive, words), rate, even=False)
    else:
        drive.start(asked(drive, words))


def course(name: str) -> dict[str, list[float]]:
    """The figures of each load."""
    drive, told = build(spec(name)), dict[str, list[float]]()
    for key, given in COURSE.items():
        if "trim_pct" in given and not drive.spec.trims:
            continue
        try:
            told[key] = [*figures(drive, given)]
        except StepFailed as error:
            told[str(error)] = []
            break
    return told


def figures(drive: Drive, given: dict[str, Any]) -> Iterator[float]:
    """Counts of a load, those of its end, the schedule, watts and health."""
    begin(drive, given)
    limited = "share" in given or "ios" in given
    seconds, parts, many = 1.0 if limited else 4e-4, list[Done](), 0.0
    while many < MOST_IOS and seconds < 3:
        parts.append(done := drive.advance(seconds))
        many += float(done.ledger.sums[:, 0].sum()) / drive.weight if not limited else 0
        seconds *= 1 if limited else 4
        if not done.more:
            break
    yield from counted(parts)
    yield from map(float, drive.schedule_counts)
    if (last := drive.stop()) is not None:
        yield from counted([last])
    readings = np.array(drive.power.read()).reshape(-1, 4)
    yield from (len(readings), float(readings[:, 1] @ readings[:, 2]), float(readings[:, 3].max(initial=0)))
    yield from drive.health().values()


def counted(parts: list[Done]) -> Iterator[float]:
    """Seconds of the parts of a load, and for each direction with IOs its sums and a moment of its latency bins.

    Later parts count for more, so that an IO that moves from one to another is seen.
    """
    weights = np.arange(1, len(parts) + 1)
    yield float(weights @ [part.seconds for part in parts])
    sums = np.array([part.ledger.sums for part in parts])
    bins = np.array([part.ledger.bins @ np.arange(part.ledger.bins.shape[1]) for part in parts])
    for row in np.flatnonzero(sums[:, :, 0].any(axis=0)):
        yield from (row, *(weights @ sums[:, row, :4]).tolist(), sums[:, row, 4].max(), weights @ bins[:, row])


def short(number: float) -> float:
    rounded = float(f"{number:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def golden(name: str) -> dict[str, list[float]]:
    """The figures of a drive, rounded."""
    return {key: [short(number) for number in numbers] for key, numbers in course(name).items()}


def main() -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(golden(name))}" for name in names()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
