"""What service the drive is fit for: write-intensive, mixed or read-intensive, and why."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.record import Run
from stend.units import KiB

NAME = "suitability"
WRITE_SHARE, MIXED_SHARE = 0.3, 0.1
"""Steady 4 KiB writes over 4 KiB reads; ours, with DWPD below as the customary classes have it."""
WRITE_DWPD, MIXED_DWPD = 10.0, 3.0
YEARS, DAYS = 5, 365
SAYS = {
    "write": (
        "Fit for write-intensive service: steady 4 KiB writes are {share:pct} of reads ({writes:rate} of {reads:rate}"
        " IOPS){endurance}.",
        "Годится для интенсивной записи: установившаяся запись 4 КиБ — {share:pct} чтения ({writes:rate} из"
        " {reads:rate}"
        " IOPS){endurance}.",
    ),
    "mixed": (
        "Fit for mixed service: steady 4 KiB writes are {share:pct} of reads ({writes:rate} of {reads:rate}"
        " IOPS){endurance}.",
        "Годится для смешанной нагрузки: установившаяся запись 4 КиБ — {share:pct} чтения ({writes:rate} из"
        " {reads:rate}"
        " IOPS){endurance}.",
    ),
    "read": (
        "Fit for read-intensive service: steady 4 KiB writes are only {share:pct} of reads ({writes:rate} of"
        " {reads:rate}"
        " IOPS){endurance}.",
        "Годится для чтения: установившаяся запись 4 КиБ — лишь {share:pct} чтения ({writes:rate} из {reads:rate}"
        " IOPS){endurance}.",
    ),
    "unknown": (
        "Can't tell what service the drive is fit for: the run has no steady 4 KiB reads and writes.",
        "Нельзя сказать, для какой службы годится накопитель: нет установившихся чтения и записи 4 КиБ.",
    ),
}
ORDER = ("read", "mixed", "write")


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for the run; the worse of what the figures and the endurance allow."""
    if run.plan.device.rotational:
        return
    reads, writes = _best(run, 100), _best(run, 0)
    if not reads or not writes:
        yield Finding(name=NAME, key="unknown", confidence="can't tell")
        return
    share = writes / reads
    by_speed = "write" if share >= WRITE_SHARE else "mixed" if share >= MIXED_SHARE else "read"
    dwpd = endurance_dwpd(sheet, run.plan.device.capacity_bytes)
    by_wear = by_speed
    if dwpd is not None:
        by_wear = "write" if dwpd >= WRITE_DWPD else "mixed" if dwpd >= MIXED_DWPD else "read"
    key = min(by_speed, by_wear, key=ORDER.index)
    values = {
        "share": share,
        "reads": reads,
        "writes": writes,
        "endurance": "" if dwpd is None else f"; {dwpd:.2g} DWPD",
    }
    known = dwpd is not None and not run.unmet
    yield Finding(name=NAME, key=key, values=values, confidence="medium" if known else "low")


def endurance_dwpd(sheet: Sheet, capacity_bytes: int) -> float | None:
    """Drive writes per day over five years; from TB written where the sheet says only that."""
    if "endurance_dwpd" in sheet:
        return float(sheet["endurance_dwpd"])
    if "endurance_tbw" in sheet:
        years = float(sheet.get("warranty_years", YEARS))
        return float(sheet["endurance_tbw"]) * 1e12 / (capacity_bytes * DAYS * years)
    return None


def _best(run: Run, read_pct: int) -> float:
    """The highest 4 KiB random figure of a state that service lasts in."""
    found = [0.0]
    for _, (_, load, counts) in look.lasting(run):
        if (load.random_pct, load.read_pct, load.block_bytes) == (100, read_pct, 4 * KiB) and not load.block_mix:
            found.append(counts.iops)
    return max(found)
