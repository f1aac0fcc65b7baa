"""Rates by block size and mix: limits of commands and of bytes, and writes of part of a physical sector."""

from collections.abc import Sequence
from typing import Any

from stend.findings.look.figures import Figures

SAME = 1.05
"""Two rates that differ by less are equal."""
LOSES = 2.0
"""Writes of part of a sector are slower than those of a whole one by at least this, and mixes than reads and writes."""


def limits_of_reads(sweep: Sequence[Figures]) -> dict[str, Any] | None:
    """Return up to which block sequential reads end at a number of IOs, and from which on at a number of bytes.

    None if one of these limits does not hold for three sizes, or if the IOs are not the most of any size.
    """
    rows = _sequential(sweep, 100)
    small, large = _equal(rows, "iops"), _equal(rows[::-1], "throughput")
    limited = bool(small) and max(row.iops for row in rows) < SAME * small[0].iops
    if not limited or len(small) < 3 or len(large) < 3 or len(small) + len(large) > len(rows):
        return None
    values = {"small": small[-1].workload.block_bytes, "iops": small[0].iops}
    return values | {"large": large[-1].workload.block_bytes, "rate": large[0].number("throughput")}


def part_of_sector(sweep: Sequence[Figures], sector_bytes: int) -> dict[str, Any] | None:
    """Return the IOPS of sequential writes of half a physical sector and of a whole one, if the former are far fewer.

    A drive reads and writes the whole sector for each part of it.
    """
    rates = {row.workload.block_bytes: row.iops for row in _sequential(sweep, 0)}
    part, whole = rates.get(sector_bytes // 2, 0.0), rates.get(sector_bytes, 0.0)
    if not part or whole < LOSES * part:
        return None
    return {"sector": sector_bytes, "half": sector_bytes // 2, "part": part, "whole": whole}


def limit_of_mixes(rows: Sequence[Figures]) -> float | None:
    """Return the IOPS that random reads, random writes and at least one mix of a block size all reach, or None."""
    rates = {row.workload.read_pct: row.iops for row in rows if row.workload.random_pct == 100}
    if len(rates) < 3 or not {0, 100} <= rates.keys() or max(rates.values()) >= SAME * min(rates.values()):
        return None
    return sum(rates.values()) / len(rates)


def slow_mix(rows: Sequence[Figures]) -> dict[str, Any] | None:
    """Return the slowest mix of a block size if it has far fewer IOPS than reads and than writes alone, or None."""
    rates = {row.workload.read_pct: row.iops for row in rows if row.workload.random_pct == 100}
    alone = [rates.pop(pct, 0.0) for pct in (100, 0)]
    share = min(rates, key=lambda pct: rates[pct], default=0)
    if not share or LOSES * rates[share] >= min(alone):
        return None
    return {"share": share / 100, "mix": rates[share], "reads": alone[0], "writes": alone[1]}


def _sequential(sweep: Sequence[Figures], read_pct: int) -> list[Figures]:
    """Return the rows of sequential reads or writes, by block size."""
    rows = [row for row in sweep if (row.workload.random_pct, row.workload.read_pct) == (0, read_pct)]
    return sorted(rows, key=lambda row: row.workload.block_bytes)


def _equal(rows: Sequence[Figures], quantity: str) -> Sequence[Figures]:
    """Return the rows from the first on whose quantity is that of the first."""
    many = (i for i, row in enumerate(rows) if not 1 / SAME < row.number(quantity) / rows[0].number(quantity) < SAME)
    return rows[: next(many, len(rows))]
