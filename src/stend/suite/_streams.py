"""Streams of a captured workload as stimuli of tests, after RWSW PTS 1.0.7.

The description of that specification is recalled and was not checked against its text (recall-med). The cumulative
workload is all streams of a capture with their shares of all IOs. The applied test workload is the most frequent
streams that make 80 % of it, stretched to 100 %. Statistics are enough for that: no address of the capture is used.
"""

import math
from itertools import accumulate
from pathlib import Path

from stend.base.errors import BadInput
from stend.model.definition import Profile, Workload
from stend.model.workload import Stream, streamed
from stend.trace import form, steps
from stend.trace.steps import Part

SHARE_PCT = 80
"""Recall-med."""
MOST = 32
"""Most streams of a test workload, to keep it readable. A choice of stend."""
OPTIONS = {"source": "", "share_pct": SHARE_PCT}

USUAL = (
    Stream(share=46, random=True, read=True, block_bytes=8192),
    Stream(share=17, random=True, read=False, block_bytes=8192),
    Stream(share=16, random=False, read=False, block_bytes=4096),
    Stream(share=8, random=False, read=False, block_bytes=16384),
    Stream(share=7, random=False, read=True, block_bytes=131072),
    Stream(share=6, random=True, read=True, block_bytes=16384),
)
"""Streams used without a capture: the shape of a database (pages, log, a scan). A choice of stend: a made-up
example."""


def applied(profile: Profile) -> tuple[Stream, ...]:
    """Return the applied test workload of the capture in the setting `source`. Raise BadInput if it cannot be read."""
    source = profile.options["source"]
    return chosen(cumulative(Path(source)), profile.options["share_pct"]) if source else USUAL


def cumulative(path: Path) -> list[Part]:
    """Return all streams of a file of steps or of a trace in any known format, the most frequent first."""
    from stend.trace import folding, taken

    with taken.reading(path) as capture:
        if isinstance(capture, steps.Steps):
            return steps.cumulative(capture)
        return steps.cumulative(folding.steps(capture.batches(), steps.length_of(capture.end_ns)))


def chosen(parts: list[Part], share_pct: float) -> tuple[Stream, ...]:
    """Return the most frequent streams of reads and writes that make up this percentage of their IOs.

    Raise BadInput if the capture has no reads and no writes.
    """
    parts = [part for part in parts if part.op in (form.READ, form.WRITE)]
    every = sum(part.tally.ios for part in parts)
    if not every:
        raise BadInput("the capture has no reads and no writes, so there are no streams to test with")
    marks = accumulate(part.tally.ios for part in parts)
    enough = next(n for n, sum_ in enumerate(marks, start=1) if sum_ * 100 >= math.ceil(every * share_pct))
    kept = parts[: min(enough, MOST)]
    return tuple(
        Stream(
            share=100 * part.tally.ios / every,
            random=part.random,
            read=part.op == form.READ,
            block_bytes=max(part.block_bytes, 512),
        )
        for part in kept
    )


def mixed(streams: tuple[Stream, ...], threads: int, depth: int) -> Workload:
    """Return all streams at once as a workload. A single stream becomes a plain workload, which any engine can run."""
    return alone(streams[0], threads, depth) if len(streams) == 1 else streamed(streams, threads, depth)


def alone(stream: Stream, threads: int, depth: int) -> Workload:
    """Return the workload of one stream alone."""
    return Workload(
        random_pct=100 if stream.random else 0,
        read_pct=100 if stream.read else 0,
        block_bytes=stream.block_bytes,
        threads=threads,
        depth=depth,
    )
