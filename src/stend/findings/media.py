"""Media: the capacity that kept its data, and the faults of the rest by kind and place."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import MiB
from stend.findings import Finding, Sheet, look, side
from stend.findings.look.because import Because
from stend.findings.look.media import Media, media
from stend.model.record import Run
from stend.model.verified import BLOCK, LOST, Fault, Range

SMALLER = 0.001
"""Share of lost blocks from which the drive has a smaller capacity. Below it single places are faulty. A choice of
stend."""
IN_FLIGHT_BYTES = 32 * MiB
"""The end of a lost beginning is exact to the IOs in flight, which a drive may answer in another order."""
MOSTLY = 0.98
"""A fault is one contiguous end or beginning of the drive if its ranges cover this share of their span."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the capacity, then one finding per kind of fault.

    The key of the capacity is real, less or faulty after a whole test, partly or partly_lost before its end, sample,
    sample_lost or sample_faulty after a sample.
    """
    for test in look.tests(run):
        seen = media(run, test.name)
        if seen is None:
            continue
        yield _capacity(test.name, seen)
        for key, values in _faults(seen):
            yield Finding(key=key, test=test.name, values=values, side=side(con=key != "reread"))


def _capacity(test: str, seen: Media) -> Finding:
    values: dict[str, Any] = {"kept": seen.kept_bytes, "claimed": seen.capacity_bytes, "compared": seen.compared_bytes}
    values["share"] = seen.kept_bytes / seen.compared_bytes
    lost = seen.compared.count(*LOST)
    values["lost"] = lost
    fault = "less" if lost * BLOCK >= SMALLER * seen.compared_bytes else "faulty"
    if seen.whole:
        key = fault if lost else "real"
    elif seen.planned:
        key = "partly_lost" if lost else "partly"
    else:
        key = "sample" if not lost else "sample_lost" if fault == "less" else "sample_faulty"
    return Finding(key=key, test=test, values=values, side=side(pro=key == "real", con=lost > 0))


def _faults(seen: Media) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a key and its values for each kind of fault, as they explain the lost capacity."""
    if moved := seen.lost("wrapped"):
        away = math.gcd(*(abs(part.distance_bytes) for part in moved))
        yield "wraps", _placed(moved) | {"wrap": away}
    for fault in ("dropped", "zeroed"):
        gone = seen.lost(fault)
        if gone:
            yield _shape(gone, seen, fault), _placed(gone)
    if flipped := seen.lost("flipped"):
        bits = sum(part.bits for part in flipped)
        one_in = float(f"{seen.compared_bytes * 8 / max(bits, 1):.1e}")  # a count of few bits carries no more digits
        yield "flips", _placed(flipped) | {"bits": bits, "one_in": one_in}
    if unread := seen.lost("unreadable"):
        yield "unreadable", _placed(unread)
    if unwritten := [part for part in seen.written.bad if part.fault == "unwritable"]:
        yield "unwritable", _placed(unwritten)
    if again := [part for part in seen.compared.bad if part.fault == "reread"]:
        yield "reread", _placed(again)


def _shape(gone: Sequence[Range], seen: Media, fault: Fault) -> str:
    """Return how lost blocks lie: from an address to the end of the drive, from its start on, or scattered."""
    first, end = gone[0].first_bytes, max(part.end_bytes for part in gone)
    lost = sum(part.blocks for part in gone)
    dense = not seen.whole or lost * BLOCK >= MOSTLY * (end - first)
    if dense and end == seen.capacity_bytes:
        return "ends" if first else "all_dropped" if fault == "dropped" else "all_zeroed"
    begins = first == 0 and 2 * gone[0].blocks >= lost  # one of many lost places can be at the start too
    if begins and gone[0].end_bytes >= seen.capacity_bytes - seen.kept_bytes - IN_FLIGHT_BYTES:
        return "cached"
    return "scattered_dropped" if fault == "dropped" else "scattered_zeroed"


def _placed(parts: Sequence[Range]) -> dict[str, Any]:
    blocks = sum(part.blocks for part in parts)
    first, end = parts[0].first_bytes, max(part.end_bytes for part in parts)
    joined = any(part.blocks * BLOCK < part.end_bytes - part.first_bytes for part in parts)  # beyond `MOST_RANGES`
    values = {"blocks": blocks, "bytes": blocks * BLOCK, "first": first, "end": end, "places": len(parts)}
    return values | {"least": Because("least") if joined else ""}
