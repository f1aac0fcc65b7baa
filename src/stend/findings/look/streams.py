"""Streams of a workload: the mix, the rate of each stream alone, and the rate of all of them together."""

from typing import NamedTuple

from stend.findings import look
from stend.findings.look.figures import LASTING, Figures, figures
from stend.model.definition import Workload
from stend.model.record import Run
from stend.model.workload import Stream

MIXED = ("multi-wsat", "rwsw-demand-intensity")
TESTS = ("multi-wsat", "individual-streams", "rwsw-demand-intensity")


class Row(NamedTuple):
    """A stream: its short form, its share of the IOs in % (None if unknown), and its figures alone."""

    label: str
    share_pct: float | None
    alone: Figures | None


def streams(run: Run) -> list[Row]:
    """Return every stream of the run's tests, the most frequent first."""
    shares: dict[str, float] = {}
    for stream in composition(run):  # sizes that were rounded up to whole sectors can be equal
        shares[stream.label] = shares.get(stream.label, 0.0) + stream.share
    singles = (row for row in figures(run) if row.test == "individual-streams" and row.direction == "both")
    alone = {label(row.workload): row for row in singles}
    names = [*shares, *(name for name in alone if name not in shares)]
    return [Row(name, shares.get(name), alone.get(name)) for name in names]


def captured(run: Run) -> bool:
    """Return True if the streams are those of a capture, and not the example of `suite._streams`."""
    return any(test.profile.options.get("source") for test in look.tests(run, *TESTS))


def composition(run: Run) -> tuple[Stream, ...]:
    """Return the streams of the mix, or an empty tuple if no test mixes them. A test ends with the whole mix.

    A mix of a single stream is a plain workload (`suite._streams.mixed`).
    """
    for test in look.tests(run, *MIXED):
        loads = [hold.workload for phase in test.phases[-1:] for hold in phase.holds]
        if loads:
            return loads[-1].streams or (_only(loads[-1]),)
    return ()


def together(run: Run) -> Figures | None:
    """Return all streams together, after the drive was saturated with them, or None if not measured."""
    rows = [row for row in figures(run) if row.test == "multi-wsat" and row.direction == "both"]
    return next((row for row in reversed(rows) if row.state in LASTING), None)


def expected_iops(run: Run) -> float | None:
    """Return the IOPS of the mix if each stream took as long as alone, or None if a stream is missing.

    It is the harmonic mean of the streams' IOPS, weighted by their shares.
    """
    rows = streams(run)
    if not rows or any(row.share_pct is None or row.alone is None or not row.alone.iops for row in rows):
        return None
    return 100 / sum((row.share_pct or 0) / row.alone.iops for row in rows if row.alone)


def label(load: Workload) -> str:
    """Return the name of a stream that runs alone: `RND 8K R`."""
    return _only(load).label


def _only(load: Workload) -> Stream:
    """Return a plain workload as a stream."""
    return Stream(share=100, random=load.random_pct == 100, read=load.read_pct == 100, block_bytes=load.block_bytes)
