"""Ladders of a record, loads that differ in depth or block, and what they say (docs/method/figures.md)."""

from tests.recounted.record import KIB, Record, Row, iops, outstanding, rate

PREPARES = ("purge", "precondition", "condition", "fill", "warm-up", "baseline", "histogram")


def measures(row: Row) -> bool:
    """Return whether a row is of a measuring phase."""
    return not row["phase"].startswith(PREPARES)


def least(rows: list[list[Row]]) -> list[Row]:
    """Return the load with the fewest outstanding that has nine tenths of the most IOPS."""
    most = max(map(iops, rows))
    return min((r for r in rows if iops(r) >= 0.9 * most), key=lambda r: outstanding(r[0]))


def curve(record: Record, reads: int) -> list[list[Row]]:
    return record.loads(record.of("latency-curve", "curve", random_pct=100, read_pct=reads, block_bytes=4 * KIB))


def gain(record: Record, reads: int) -> float | None:
    rows = curve(record, reads)
    return iops(least(rows)) / single if (single := one(record, reads)) else None


def one(record: Record, reads: int) -> float | None:
    return next((iops(r) for r in curve(record, reads) if outstanding(r[0]) == 1), None)


def sweep(record: Record) -> list[list[Row]]:
    return sorted(record.loads(record.of("thread-queue-sweep", "sweep")), key=lambda r: outstanding(r[0]))


def blocks(record: Record, random: int, reads: int) -> list[list[Row]]:
    rows = record.loads([r for r in record.of("block-sweep", random_pct=random, read_pct=reads) if measures(r)])
    return sorted(rows, key=lambda r: r[0]["load"]["block_bytes"])


def stream_writes(record: Record) -> list[Row]:
    """Return the sequential writes of the large block."""
    block = big(record)[0]["load"]["block_bytes"]
    return next(r for r in blocks(record, 0, 0) if r[0]["load"]["block_bytes"] == block)


def big(record: Record) -> list[Row]:
    """Return the random writes from 64 KiB on that are slowest compared with sequential writes of their block."""
    streams = {r[0]["load"]["block_bytes"]: rate(r) for r in blocks(record, 0, 0)}
    large = (r for r in blocks(record, 100, 0) if r[0]["load"]["block_bytes"] >= 64 * KIB)
    return min(large, key=lambda r: rate(r) / streams[r[0]["load"]["block_bytes"]])


def database(record: Record) -> list[list[Row]]:
    """Return 8 KiB random IO of two reads per write, as StorageBench's database (Iometer's is the same load)."""
    return record.loads(record.of("profiles", "database")) or record.loads(record.of("profiles", "iometer-database"))


def top(rows: list[list[Row]]) -> list[Row]:
    """Return the load with the fewest outstanding whose IOPS are within 2 % of the most."""
    most = max(map(iops, rows))
    return min((r for r in rows if 1.02 * iops(r) >= most), key=lambda r: outstanding(r[0]))
