"""A lot of inspected drives: one row per drive with its verdict and reasons, the worst first, and drives that differ.

Each drive is judged by its own inspection (`findings/incoming`). The lot adds serial numbers that occur twice, and
facts by which a drive differs from most drives of its model.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from stend import findings
from stend.base.version import __version__
from stend.findings import look
from stend.findings.look import inspected
from stend.findings.look.grounds import Because
from stend.findings.look.inspected import counts
from stend.findings.look.surfaces import surface_of
from stend.model import surface
from stend.model.record import Run

FORMAT = 1
LEAST = 4
"""Fewest drives of a model in which one can differ."""
SLOWER = 1.5
"""A drive differs if its median response time is this many times that of its model."""
SMART = "SMART"


class Row(NamedTuple):
    """One drive of a lot. Figures are in base units, None if unknown. `reasons` are phrases of the catalogue."""

    target: str
    model: str
    serial: str
    firmware: str
    capacity_bytes: int
    verdict: str
    hours: int | None
    written_bytes: int | None
    wear_pct: int | None
    median_s: float | None
    reasons: tuple[Because, ...]
    folder: str
    virtual: bool = False


def lot(runs: Sequence[tuple[str, Run]]) -> list[Row]:
    """Return the rows of inspections, (folder, run) each, sorted by verdict and number of reasons."""
    rows = [row for folder, run in runs for row in _rows(folder, run)]
    rows = [_compared(row, rows) for row in rows]
    worst = {name: place for place, name in enumerate(inspected.ORDER)}
    return sorted(rows, key=lambda row: (-worst[row.verdict], -len(row.reasons), row.target))


def _rows(folder: str, run: Run) -> Iterator[Row]:
    for test in look.tests(run, *inspected.TESTS):
        found = tuple(findings.find(run))
        drive = run.plan.device
        passport: Mapping[str, Any] = drive.facts.get("passport", {})
        verdict = next(f for f in found if f.name == inspected.VERDICT and f.test == test.name)
        parts = surface_of(run, test.name)
        yield Row(
            target=drive.target,
            model=drive.model,
            serial=drive.serial,
            firmware=drive.firmware,
            capacity_bytes=drive.capacity_bytes,
            verdict=verdict.key,
            hours=counts(passport, "hours").get(SMART),
            written_bytes=counts(passport, "written_bytes").get(SMART),
            wear_pct=max(counts(passport, "wear_pct").values(), default=None),
            median_s=surface.median_s(surface.table(parts, surface.main_kind(parts)).sum(axis=0)) if parts else None,
            reasons=tuple(verdict.values.get("why", ())),
            folder=folder,
            virtual=drive.virtual,
        )


def _compared(row: Row, rows: Sequence[Row]) -> Row:
    """Return the row with its differences from the lot; a serial number that occurs twice sends a drive back."""
    same = [other for other in rows if other.serial and other.serial == row.serial]
    if len(same) > 1:
        others = ", ".join(other.target for other in same if other is not row)
        why = Because("lot_serial", {"serial": row.serial, "others": others})
        return row._replace(verdict=inspected.SEND_BACK, reasons=(why, *row.reasons))
    differs = tuple(_differences(row, [other for other in rows if other.model == row.model]))
    worse = row.verdict if row.verdict == inspected.SEND_BACK else inspected.LOOK_FIRST
    return row._replace(verdict=worse, reasons=(*row.reasons, *differs)) if differs else row


def _differences(row: Row, alike: Sequence[Row]) -> Iterator[Because]:
    if len(alike) < LEAST:
        return
    for name in ("firmware", "capacity_bytes"):
        usual, many = Counter(getattr(other, name) for other in alike).most_common(1)[0]
        value = getattr(row, name)
        if value != usual and many > len(alike) / 2:
            yield Because(f"lot_{name}", {"value": value, "usual": usual})
    known = [other.median_s for other in alike if other.median_s]
    if row.median_s and row.median_s > SLOWER * median(known):
        yield Because("lot_slower", {"value": row.median_s, "usual": median(known)})


def plain(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the lot as plain data in base units."""
    fields = [row._asdict() | {"reasons": [{"key": why.key} | dict(why.values) for why in row.reasons]} for row in rows]
    return {"format": FORMAT, "stend": __version__, "drives": fields}
