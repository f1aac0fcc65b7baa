"""Response times of reads by place on the drive: the median and the slowest hundredth, and unreadable places.

If a part has too few reads for its slowest hundredth, its longest response time is drawn instead.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from stend.charts.parts import Drawing, axis, position
from stend.charts.parts.marks import dots, series, thin_lines
from stend.findings.look.surfaces import PHASE, surface_of
from stend.model import surface
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND
from stend.model.surveyed import Unread
from stend.words import Language

SLOWEST = 0.99
"""Share of the reads of a part below its slowest hundredth."""
WIDE = 20.0
"""A longest time this many times the shortest needs a logarithmic axis."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart: two lines with gaps where nothing was read, and a line at the top over unreadable places."""
    parts = surface_of(run, test.name)
    if not any(part.cell.reads for part in parts):
        return
    kind = surface.main_kind(parts)
    longest_s = max(result.counts.read.max_s for result in run.of(test.name, PHASE))  # within its bin
    every = surface.table(parts, kind)
    share = SLOWEST if min(counts.sum() for counts in every if counts.sum()) * (1 - SLOWEST) >= MIN_BEYOND else 1.0
    names = {"median": words("surface.median"), "slowest": words(f"surface.{'slowest' if share < 1 else 'longest'}")}
    rows: list[dict[str, Any]] = [
        {
            "gb": (part.first_bytes + part.end_bytes) / 2e9,
            "ms": min(value, longest_s) * 1e3 if counts.sum() else None,
            "way": names[name],
        }
        for part, counts in zip(parts, every, strict=True)
        if counts.sum() or not part.cell.reads
        for name, value in (("median", surface.median_s(counts)), ("slowest", _slowest_s(counts, share)))
    ]
    top = max(row["ms"] for row in rows if row["ms"] is not None)
    lost = surface.merged(surface.surveyed(run.of(test.name)).unread)
    bad = [p for p in lost if not p.again]
    if bad:
        names["unread"] = words("surface.unread")
        ends = ((gb / 1e9, ms) for p in bad for gb, ms in _over(p, top))
        rows += [{"gb": gb, "ms": ms, "way": names["unread"]} for gb, ms in ends]
    low = min(row["ms"] for row in rows if row["ms"] is not None)
    x, y = position("gb", test.profile.active_range(run.plan.device), words), axis("ms", words("axis.response"))
    if top > WIDE * low:
        y |= {"scale": {"type": "log"}}
    kinds = series("way", None, list(names.values()))
    chart = dots(x, y, kinds) if not bad and _scattered(part.cell.reads for part in parts) else thin_lines(x, y, kinds)
    yield Drawing(words("chart.surface_map"), chart, {"rows": rows}, words("says.surface_map"))


def _scattered(reads: Iterable[int]) -> bool:
    """Return whether most parts that were read have no such part beside them: a line through them has no pieces."""
    read = [False, *map(bool, reads), False]
    lone = [here and not (before or after) for before, here, after in zip(read, read[1:], read[2:], strict=False)]
    return 2 * sum(lone) > sum(read)


def _over(place: Unread, top: float) -> tuple[tuple[int, float | None], ...]:
    """Return the ends of a line over a place, and a gap after it."""
    end = place.first_bytes + place.size_bytes
    return (place.first_bytes, top), (end, top), (end, None)


def _slowest_s(counts: surface.Counts, share: float) -> float:
    """Return the response time that this share of the reads does not exceed, as the upper edge of its bin."""
    sums = np.cumsum(counts)
    return surface.upper_s(int(np.searchsorted(sums, sums[-1] * share)))
