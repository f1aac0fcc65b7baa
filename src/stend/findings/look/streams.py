"""The streams of a captured workload: what makes them up, what the drive gives each alone and all of them at once."""

from collections.abc import Iterator
from typing import NamedTuple

from stend.findings import look
from stend.findings.look.figures import LASTING, Figures, figures
from stend.model.definition import Hold, Workload
from stend.model.record import Run
from stend.model.workload import Stream

MIXED = ("multi-wsat", "rwsw-demand-intensity")
TESTS = ("multi-wsat", "individual-streams", "rwsw-demand-intensity")


class Row(NamedTuple):
    """A stream by its short form, its share of the IOs in %, None where nothing tells it, and what it gives alone."""

    label: str
    share_pct: float | None
    alone: Figures | None


def streams(run: Run) -> list[Row]:
    """Every stream of the run's tests, the most frequent first."""
    shares = {stream.label: stream.share for stream in composition(run)}
    alone = dict(_alone(run))
    names = [*shares, *(name for name in alone if name not in shares)]
    return [Row(name, shares.get(name), alone.get(name)) for name in names]


def composition(run: Run) -> tuple[Stream, ...]:
    """The streams of the mix; none where no test mixes them."""
    planned = (phase for test in look.tests(run, *MIXED) for phase in test.phases)
    loads = (step.workload for phase in planned for step in phase.round if isinstance(step, Hold))
    return next((load.streams for load in loads if load.streams and load.read_pct not in (0, 100)), ())


def together(run: Run) -> Figures | None:
    """All streams at once, after the drive was saturated with them."""
    own = [row for row in figures(run) if row.test == "multi-wsat" and row.direction == "both"]
    return next((row for row in reversed(own) if row.state in LASTING), None)


def foretold(run: Run) -> float | None:
    """IOPS of the mix if each stream took as long as it does alone, the shares' harmonic mean; None where one lacks."""
    rows = streams(run)
    if not rows or any(row.share_pct is None or row.alone is None or not row.alone.iops for row in rows):
        return None
    return 100 / sum((row.share_pct or 0) / row.alone.iops for row in rows if row.alone)


def _alone(run: Run) -> Iterator[tuple[str, Figures]]:
    for row in figures(run):
        if row.test == "individual-streams" and row.direction == "both":
            yield label(row.workload), row


def label(load: Workload) -> str:
    """The name of a stream that runs alone: `RND 8K R`."""
    only = Stream(share=100, random=load.random_pct == 100, read=load.read_pct == 100, block_bytes=load.block_bytes)
    return only.label
