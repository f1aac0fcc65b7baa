"""HdrHistogram logs: every record's response times as one interval, for merging and plotting with HdrHistogram tools.

fio's bins are represented by their middles: a value is at most 0.8 % from the measured one, or 0.9 % with the three
digits of the histograms themselves. A time in fio's last bin is recorded as the longest reported time.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from stend.base.errors import BadInput
from stend.base.version import __version__
from stend.model.definition import Hold
from stend.model.events import Result
from stend.model.record import Run
from stend.model.stats import BINS, bin_edges_ns
from stend.model.tally import Tally
from stend.report.parts.records import names

LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
DIGITS = 3
MS_NS = 1_000_000
ERROR = "values are the middles of fio's latency bins: at most 0.9 % from what was measured"
APART = re.compile(r"[\s,=]+")


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `latency.hlog`, or for several runs one file each, named after its run.

    Raise BadInput for a run without latency bins.
    """
    paths = []
    for name, (folder, run, _) in zip(names(runs), runs, strict=True):
        lines = list(_intervals(run))
        if not lines:
            raise BadInput(f"{folder} has no latency bins to make a histogram from")
        path = into / ("latency.hlog" if len(runs) == 1 else f"latency-{name.replace('/', '-')}.hlog")
        path.write_text("\n".join([*_head(run), *lines]) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def _head(run: Run) -> Iterator[str]:
    began = run.started[0].at
    yield f"#[stend {__version__}: nanoseconds; {ERROR}]"
    yield from (f"#[{stamp}]" for stamp in run.stamps)
    yield "#[Histogram log format version 1.3]"
    yield f"#[StartTime: {began:.3f} (seconds since epoch), {datetime.fromtimestamp(began, UTC).isoformat(' ')}]"
    yield f"#[BaseTime: {began:.3f} (seconds since epoch)]"
    yield LEGEND


def _intervals(run: Run) -> Iterator[str]:
    """Yield one line per record and direction: tag, time since the run's start, longest time in milliseconds."""
    for result in run.results:
        for way in ("read", "write"):
            tally: Tally = getattr(result.counts, way)
            if isinstance(result.step, Hold) and tally.bins:
                length = result.counts.seconds
                times = f"{max(result.t - length, 0):.3f},{length:.3f},{tally.max_ns / MS_NS:.3f}"
                yield f"Tag={_tag(result, way)},{times},{histogram(tally).encode().decode()}"


def _tag(result: Result, way: str) -> str:
    """Return `iops.rounds.RND_4K_65/35_T4_Q32.read`: intervals with one tag have one load and may be added."""
    load = result.step.workload.label if isinstance(result.step, Hold) else ""
    return APART.sub("_", f"{result.where.test}.{result.where.phase}.{load}.{way}")


def histogram(tally: Tally) -> Any:
    """Return one direction's bins as a histogram of nanoseconds."""
    longest = max(tally.max_ns, bin_edges_ns(max(tally.bins))[0], 2.0)
    made = HdrHistogram(1, int(longest) + 1, DIGITS)
    for index, count in tally.bins.items():
        made.record_value(_value(tally, index), count)
    return made


def _value(tally: Tally, index: int) -> int:
    """Return the middle of a bin in ns, at most the longest reported time; for the last bin that time itself."""
    lower, end = bin_edges_ns(index)
    longest = tally.max_ns or end - 1
    return max(int(longest if index == BINS - 1 else min((lower + end - 1) // 2, max(longest, lower))), 1)
