"""The surface of an inspected drive: unreadable places, slow stretches, and how sure a slow one would be found."""

import errno
import math
from collections.abc import Iterator, Sequence
from typing import Any

from stend.findings import Confidence, Finding, Sheet, look
from stend.findings.look.because import Because
from stend.findings.look.inspected import TESTS
from stend.findings.look.surfaces import PHASE, Stretch, stretches, surface_of
from stend.model import surface
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.surface import Strip
from stend.model.surveyed import MOST_UNREAD, Unread

DISTURBED = ("slow", "falters", "passed", "even")
"""Keys whose certainty depends on an undisturbed load."""
SHARE = 0.01
"""Share of the drive that the stated probability is about."""
SURE = 0.95
RULE_OF_THREE = 3.0
"""Without a failure in n reads the failing share is below 3/n with a probability of 95 % (Hanley 1983)."""
SHOWN = 6
BLANK = 0.02
"""Least share of blocks of zeros that is reported."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield what could not be read, what is slow, and what the survey would have found."""
    for test in look.tests(run, *TESTS):
        parts = surface_of(run, test.name)
        if parts:
            yield from _unread(run, test)
            slow = stretches(run, test.name)
            yield from (_stretch(run, test, one) for one in slow[:SHOWN])
            if not run.plan.device.rotational and any(one.band.kind == "slow" and one.again for one in slow):
                yield Finding(key="aged", test=test.name, confidence="low")
            yield from _covered(run, test, parts, even=not slow)


def _unread(run: Run, test: PlannedTest) -> Iterator[Finding]:
    done = surface.surveyed(run.of(test.name))
    places = surface.merged(done.unread)
    lost, again = [p for p in places if not p.again], [p for p in places if p.again]
    size = run.plan.device.logical_bytes
    if lost:
        error = errno.errorcode.get(lost[0].error, str(lost[0].error))
        values: dict[str, Any] = _place(lost[0], size) | {"places": len(lost), "failed": done.failed, "errno": error}
        values |= {"least": Because("least") if len(done.unread) >= MOST_UNREAD else ""}
        beyond = _beyond(run, test, lost) if done.last is False else 0
        if beyond:
            shown = {"from": beyond, "lba": beyond // size, "capacity": run.plan.device.capacity_bytes}
            yield Finding(key="shrunk", test=test.name, values=shown, side="con")
            return
        yield Finding(key="unreadable", test=test.name, values=values, side="con")
    if again:
        values = _place(again[0], size) | {"places": len(again)}
        yield Finding(key="recovered", test=test.name, values=values, side="con")


def _place(place: Unread, size: int) -> dict[str, int]:
    end_bytes = place.first_bytes + place.size_bytes
    return {
        "lba": place.first_bytes // size,
        "lba_to": end_bytes // size - 1,
        "at": place.first_bytes,
        "size": place.size_bytes,
    }


def _beyond(run: Run, test: PlannedTest, lost: list[Unread]) -> int:
    """Return the byte from which on every read failed up to the drive's end, or 0 if the failures have no such edge.

    Reads succeeded in a part of the range only if the part has response times.
    """
    parts = list(surface_of(run, test.name))
    dead = [part for part in parts if not part.cell.reads]
    if len(dead) < 2 or any(part.cell.reads for part in parts[parts.index(dead[0]) :]):
        return 0
    inside = [p for p in lost if p.first_bytes >= parts[max(parts.index(dead[0]) - 1, 0)].first_bytes]
    return min((p.first_bytes for p in inside), default=dead[0].first_bytes)


def _stretch(run: Run, test: PlannedTest, one: Stretch) -> Finding:
    band, size = one.band, run.plan.device.logical_bytes
    values: dict[str, float] = {"from": band.first_bytes, "to": band.end_bytes, "lba": band.first_bytes // size}
    values |= {"lba_to": band.end_bytes // size - 1, "median": band.median_s, "usual": band.usual_s}
    values["ratio"] = band.median_s / band.usual_s if band.usual_s else 1.0
    values |= {"share": band.share, "visits": band.visits}
    key = "passed" if one.again is False else band.kind
    sure: Confidence = "high" if one.again else "medium"
    return Finding(key=key, test=test.name, values=values, confidence=sure, side="con")


def _covered(run: Run, test: PlannedTest, parts: Sequence[Strip], *, even: bool) -> Iterator[Finding]:
    """Yield how much was read, and with what probability a slow stretch of 1 % is found."""
    reads, failed = sum(part.cell.reads for part in parts), surface.surveyed(run.of(test.name, PHASE)).failed
    held = look.records(run, test.name, PHASE)
    block = held[0].workload.block_bytes if held else 0
    whole = test.profile.options.get("survey_minutes") == 0
    passes = reads * block / max(run.plan.range_bytes, 1)  # random ones miss some blocks
    bound = min(RULE_OF_THREE / reads, 1.0) if reads and not failed else 0.0
    values = {"reads": reads, "bytes": reads * block, "block": block, "bound": bound,
              "read_share": min(passes, 1.0) if whole else -math.expm1(-passes)}  # fmt: skip
    key = "sample_failed" if failed else "sample"
    if whole:
        values["failed"], key = failed, "whole_failed" if failed else "whole"
        if (reads + failed) * block < run.plan.range_bytes:
            key = "whole_part"
    yield Finding(key=key, test=test.name, values=values)
    power = surface.power(parts, SHARE)
    stated = {"share": SHARE, "probability": power.probability, "visits": power.visits, "late": power.late}
    least = surface.smallest(parts, SURE)
    if whole:
        if even and key == "whole":
            yield Finding(key="whole_even", test=test.name, side="pro")
    elif power.probability >= SURE and least:
        stated |= {"smallest": least.share}
        yield Finding(key="even" if even else "sure", test=test.name, values=stated,
                      side="pro" if even else "")  # fmt: skip
    else:
        yield Finding(key="unsure", test=test.name, values=stated, confidence="can't tell")
    blank = sum(sum(part.cell.blank.values()) for part in parts) / max(reads, 1)
    if blank >= BLANK:
        yield Finding(key="blank", test=test.name, values={"share": blank})
