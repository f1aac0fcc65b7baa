"""Service map: the reads per second that stay within a limit, alone and beside half of the drive's writes."""

from collections.abc import Iterator, Sequence
from math import inf, isfinite

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.model import service_map
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.service_band import band
from stend.model.service_map import Cell, Key, Search

TESTS = ("service-map",)
HALF = 0.5
"""Share of the drive's most sequential writes beside which reads are stated."""
ROUNDED = 0.01
"""Cells order whole IOs, and their writes may differ from `HALF` by this share."""
LITTLE = 0.5
"""Reads beside those writes below this share of the reads alone speak against the drive."""
COARSE = 2.0
"""A contour that may be farther off than this many times `within_pct` is called coarse."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding of the first percentile, for its lowest limit that was kept, then what was not reached."""
    for test in look.tests(run, *TESTS):
        cells, options = service_map.cells(run, test), test.profile.options
        if not cells:
            if run.of(test.name, service_map.LIMITS):
                yield from _few(test, options["percentiles"])
            continue
        scale, seconds = run.plan.device.scale, max(cell.measured.seconds for cell in cells)
        wanted = service_map.search(run, test, seconds, scale)
        doubt = service_map.doubt(cells, wanted)
        kept = list(dict.fromkeys(key.percent for key in wanted.keys))
        yield from (_of(run, test, cells, percent, doubt, wanted.least) for percent in kept[:1])
        yield from _flat(test, cells, wanted) if wanted.keys else ()
        yield from _few(test, [percent for percent in options["percentiles"] if percent not in kept])
        if late := [cell for cell in cells if cell.why == "host"]:
            least = min(late, key=lambda cell: cell.reads)
            values = {"reads": least.reads, "written": least.writes, "cells": len(late)}
            yield Finding(key="host" if least.writes else "host_alone", test=test.name, values=values)
        if doubt > COARSE * options["within_pct"] / 100:
            values = {"cells": len(cells), "doubt": doubt}
            yield Finding(key="coarse", test=test.name, values=values, confidence="low")


def _flat(test: PlannedTest, cells: list[Cell], wanted: Search) -> Iterator[Finding]:
    """Yield the place where a contour is least certain, because waits scatter or hardly change with the rate."""
    places = [(key, *place) for key in wanted.keys for place in band(cells, key, wanted.axes, wanted.keys)]
    key, written, low, high = max(places, key=lambda one: one[3] - one[2])
    if high - low > 2 * wanted.within * wanted.axes.reads:
        values = {"percent": key.percent, "limit": key.limit_s}
        values |= {"written": written, "low": _short(low), "high": _short(high)}
        name = "flat" if written else "flat_alone"
        yield Finding(key=name, test=test.name, values=values, confidence="can't tell")


def _few(test: PlannedTest, percents: Sequence[float]) -> Iterator[Finding]:
    """Yield the lowest of these percentiles that have too few reads. The higher ones have even fewer beyond them."""
    for percent in sorted(percents)[:1]:
        yield Finding(key="few", test=test.name, values={"percent": percent}, confidence="can't tell")


def _of(run: Run, test: PlannedTest, cells: list[Cell], percent: float, doubt: float, least: float) -> Finding:
    ends, limits = service_map.axes(run, test), [limit / 1e3 for limit in sorted(test.profile.options["limits_ms"])]
    for limit in limits:
        points = service_map.contour(cells, Key(percent, limit), ends)
        alone = service_map.between(points, 0.0)
        beside = service_map.between(points, HALF * ends.writes)
        if not alone:
            continue
        values = {"percent": percent, "limit": limit, "alone": _short(alone), "written": HALF * ends.writes}
        if beside is None or max(cell.writes for cell in cells) < (1 - ROUNDED) * HALF * ends.writes:
            return Finding(key="alone", test=test.name, values=values, confidence="low")
        if beside < least:  # below it the contour only joins two columns
            beside = 0.0
        sure: Confidence = "low" if doubt > COARSE * test.profile.options["within_pct"] / 100 else "medium"
        return Finding(
            key="reads" if beside else "none_beside",
            test=test.name,
            values=values | ({"beside": _short(beside), "share": beside / alone} if beside else {}),
            confidence=sure,
            side=side(pro=beside >= LITTLE * alone, con=not beside),
        )
    values = {"percent": percent, "limit": limits[-1]}
    without = [(cell.reads, wait) for cell in cells if not cell.writes and isfinite(wait := cell.waits[percent] or inf)]
    if without:
        reads, least_s = min(without)
        values |= {"reads": _short(reads), "least_s": least_s, "most": _short(ends.reads)}
    key = "never" if not without else "never_least" if any(cell.writes for cell in cells) else "never_alone"
    return Finding(key=key, test=test.name, values=values, confidence="medium", side=side(con=True))


def _short(rate: float) -> float:
    """Return a rate to three digits, which a search within some percent supports."""
    return float(f"{rate:.3g}")
