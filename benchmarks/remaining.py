"""`python -m benchmarks.remaining [FOLDER]...`: how often the range of the remaining time holds the end.

Without folders, RUNS run on virtual drives, and the estimates are those shown on the terminal: by the run's clock, and
by the processor time that the simulation takes, which is the time on the wall of an idle host. With folders, recorded
runs are read, by their clock alone. An estimate is that after the stated share of the whole run.
"""

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from stend import session, store
from stend.live.clock import mark, times
from stend.live.course import Course
from stend.model.events import Event, Result, Sample, Started

SHARES = (0.1, 0.3, 0.6)
GROWTH = 1.02
"""An estimate is kept whenever the time has grown by this factor."""
FEW = 3
"""Results before the first estimate."""
DRIVES = ("small", "kc2000", "sn150", "saber1000", "x25e", "x25e-raid", "px02sm", "flashmax3", "sas15k", "st600mx0052")
RUNS = (
    *((["quick-look"], name, False) for name in DRIVES),
    *((["iops", "latency"], name, True) for name in ("small", "kc2000", "saber1000", "st1800mm0088")),
    *((["idle-recovery"], name, True) for name in ("small", "sn150")),
    *((["latency"], name, False) for name in ("small", "kc2000", "saber1000")),
    *((["fresh", "throughput"], name, False) for name in ("small", "kc2000", "sn150", "px02sm")),
    *((["slc-cache"], "kc2000", False), (["thread-queue-sweep"], "x25e", False), (["iops"], "small", False)),
    *((["fresh"], "st1800mm0088", False), (["write-saturation"], "x25e", False)),
    *((["lba-profile"], "sas15k", False), (["block-sweep"], "st600mx0052", False)),
)
"""(tests, virtual drive, quick) of 30 runs."""


class Kept(NamedTuple):
    """An estimate: the time elapsed, and the low, likely and high end, all on one clock."""

    t: float
    low: float
    likely: float
    high: float


class Track:
    """The estimates of a run on one clock, thinned out."""

    def __init__(self) -> None:
        self.kept: list[Kept] = []
        self.end = 0.0

    def add(self, t: float, left: tuple[float, float, float]) -> None:
        """Keep an estimate if enough time has passed since the last one."""
        self.end = t
        if not self.kept or t > self.kept[-1].t * GROWTH:
            self.kept.append(Kept(t, *(t + seconds for seconds in left)))

    def at(self, share: float) -> Kept:
        """Return the first estimate after this share of the whole run."""
        return next(kept for kept in self.kept if kept.t >= share * self.end or kept is self.kept[-1])


def simulated(tests: list[str], name: str, *, quick: bool) -> tuple[Track, Track]:
    """Return the estimates of a run by its clock and by the processor."""
    by_clock, by_processor = Track(), Track()
    with tempfile.TemporaryDirectory() as folder:
        request = session.Request(tests, f"sim:{name}", quick=quick, seed=1, into=f"{folder}/run")
        with session.start(request) as running:
            course, results, begun, since = Course(), 0, time.process_time(), None
            for event in running:
                course.add(event)
                if isinstance(event, Sample) and since is None:  # compiling the simulation is not a part of it
                    begun, since = time.process_time(), mark(course, course.progress.run.started[-1].at)
                results += isinstance(event, Result)
                if isinstance(event, Result) and results >= FEW and course.started:
                    spent = time.process_time() - begun
                    by_clock.add(course.t, course.remaining)
                    at = times(course, course.progress.run.started[-1].at + spent, since)
                    by_processor.add(spent, at.left)
            by_clock.end, by_processor.end = course.t, time.process_time() - begun
    return by_clock, by_processor


def recorded(events: Iterable[Event]) -> Track:
    """Return the estimates of a recorded run that was not interrupted."""
    track, course = Track(), Course()
    for event in events:
        course.add(event)
        if isinstance(event, Result) and len(course.progress.run.results) >= FEW:
            track.add(course.t, course.remaining)
        if isinstance(event, Started) and event.continues:
            raise SystemExit("an interrupted run has several clocks; leave it out")
    track.end = course.t
    return track


def tracks(folders: list[str]) -> Iterator[tuple[str, str, Track]]:
    """Yield (run, clock, estimates) of recorded or of new runs."""
    for folder in folders:
        yield Path(folder).name, "run", recorded(store.read(Path(folder)))
    for tests, name, quick in () if folders else RUNS:
        by_clock, by_processor = simulated(list(tests), name, quick=quick)
        title = f"{' '.join(tests)} {name}{' quick' if quick else ''}"
        yield title, "run", by_clock
        yield title, "wall", by_processor


def main() -> None:
    """Print a table, one line per run and clock; each cell is low / likely / high as ratios to the true end."""
    held: dict[tuple[str, float], list[bool]] = {}
    print("| run | clock | s | " + " | ".join(f"at {share:.0%}" for share in SHARES) + " |")
    print("|---|---|--:|" + "---|" * len(SHARES))
    for title, clock, track in tracks(sys.argv[1:]):
        cells = []
        for share in SHARES:
            kept = track.at(share)
            good = kept.low <= track.end <= kept.high
            held.setdefault((clock, share), []).append(good)
            ratios = " / ".join(f"{value / track.end:.2f}" for value in kept[1:])
            cells.append(f"{ratios} {'yes' if good else 'NO'}")
        print(f"| {title} | {clock} | {track.end:.0f} | {' | '.join(cells)} |", flush=True)
    for (clock, share), each in held.items():
        print(
            f"at {share:.0%} of the time by the {clock} clock the range held the end in {sum(each)} of {len(each)} runs"
        )


if __name__ == "__main__":
    main()
