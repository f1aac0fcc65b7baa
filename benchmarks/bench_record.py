"""What a day of samples costs the record: the chain as a ratio of lines without it; time and memory of reading."""

import resource
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path

from stend import store
from stend.base.units import GiB
from stend.model.counts import Counts
from stend.model.definition import Identity
from stend.model.events import Event, Position, Result, Sample, Started
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.store import journal

DRIVES, DAY_S, ROUND_S = 8, 86_400, 60
DRIVE = Identity(
    kind="still",
    target="still",
    path="still",
    capacity_bytes=1000 * GiB,
    serial="STILL",
    virtual=True,
    facts={"trim_max_bytes": GiB},
)
MOST_MB = 500


def a_day() -> Iterator[Event]:
    """86,400 samples of a second, a result with 200 bins each minute."""
    plan = planning.draw(("write-saturation",), planning.load_profile("enterprise-2.0.2"), DRIVE)
    yield Started(at=0.0, version="", plan=plan, seed=1)
    test, phase = plan.tests[0], plan.tests[0].phases[-1]
    for second in range(1, DAY_S + 1):
        ios = 100_000 + second % 977
        tally = Tally(ios, ios * 4096, ios * 123_456.7, ios * 9.87e9, 6.5e6)
        yield Sample(t=second + 0.0123, counts=Counts(1.0001, 0.34, tally, tally))
        if second % ROUND_S == 0:
            bins = dict.fromkeys(range(300, 500), ios // 200)
            binned = Tally(ios * 60, ios * 60 * 4096, 7.4e11, 5.9e16, 6.6e6, bins)
            place = Position(test=test.name, phase=phase.name, round=second // ROUND_S)
            counts = Counts(60.001, 20.4, binned, binned)
            yield Result(where=place, index=0, step=phase.round[0], t=second + 0.0124, counts=counts)


def main() -> None:
    """Append a day with and without the chain, in turns; load it once and eight times over."""
    events = list(a_day())
    with tempfile.TemporaryDirectory() as name:
        took = {2: 0.0, 1: 0.0}
        sizes = dict.fromkeys(took, 0)
        for turn in range(4):
            for version in took:
                took[version] += appended(Path(name) / f"{version}-{turn}", events, version)
                sizes[version] = (Path(name) / f"{version}-{turn}" / "events.jsonl").stat().st_size
        ratios = f"{took[2] / took[1]:.3f} in time, {sizes[2] / sizes[1]:.3f} in size"
        print(f"a day appended with the chain / without: {ratios}")
        del events
        whole = Path(name) / "2-0"
        for share in (0.5, 1.0):
            print(f"  {share:g} of a day, {sizes[2] * share / 1e6:.0f} MB: read in {read(whole, share):.1f} s")
        before, runs = peak_mb(), []
        for drive in range(DRIVES):
            runs.append(store.load(Path(name) / f"2-{drive % 4}"))
            if drive in (0, DRIVES - 1):
                print(f"  {drive + 1} such runs loaded: {peak_mb() - before:.0f} MB more, {peak_mb():.0f} MB in all")
        print(f"  (at most {MOST_MB} MB)")


def appended(folder: Path, events: list[Event], version: int) -> float:
    """Seconds to append them all; version 1 has no chain."""
    store.create(folder, {}, {})
    if version == 1:
        (folder / "events.jsonl").write_bytes(b'{"format":"stend-events","version":1}\n')

    def told() -> Generator[Event, None, None]:
        yield from events

    began = time.perf_counter()
    for _ in store.append(folder, told()):
        pass
    return time.perf_counter() - began


def read(folder: Path, share: float) -> float:
    """Seconds to read that part of a record."""
    data = (folder / "events.jsonl").read_bytes()
    part = folder.parent / f"part-{share}"
    part.mkdir()
    (part / "events.jsonl").write_bytes(data[: int(len(data) * share)])
    began = time.perf_counter()
    for _ in journal.Record(part):
        pass
    return time.perf_counter() - began


def peak_mb() -> float:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
