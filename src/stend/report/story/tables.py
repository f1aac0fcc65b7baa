"""The two tables of a review: servers as Iometer draws them, reads and writes apart; key figures of all drives."""

from collections.abc import Sequence

from stend.charts.beside import Side
from stend.charts.beside.levels import IOPS, SEQUENTIAL, figure, throughput
from stend.findings import look
from stend.findings.look.figures import Figures, listed
from stend.record import Run
from stend.report.parts import Table
from stend.words import Language

SERVERS = ("file-server", "iometer-file-server", "iometer-web-server", "iometer-database", "database")

HEAD = ("profile", "outstanding", "reads", "writes", "mbs", "art_r", "art_w")


def server_table(run: Run, words: Language) -> Table | None:
    """IOPS, MB/s and mean response of each server profile at its best depth; reads and writes apart."""
    rows: list[tuple[str, ...]] = []
    for test in look.tests(run, "profiles"):
        for phase in (name for name in SERVERS if any(p.name == name for p in look.measuring(run, test))):
            every = [row for row in listed(run, test.name, phase) if row.tally.ios]
            best = max((row for row in every if row.direction == "both"), key=lambda row: row.iops, default=None)
            if best:
                rows.append(_server(best, [row for row in every if row.workload == best.workload], words))
    if not rows:
        return None
    head = tuple(words(f"servers.{key}") for key in HEAD)
    return Table(words("servers.title"), head, tuple(rows), tuple(range(1, len(head))))


def _server(best: Figures, ways: Sequence[Figures], words: Language) -> tuple[str, ...]:
    """Its own row: reads and writes apart, a dash for a direction without IOs."""
    only = "read" if best.workload.read_pct == 100 else "write" if not best.workload.read_pct else ""
    own = {row.direction: row for row in ways} | ({only: best} if only else {})
    reads, writes = own.get("read"), own.get("write")
    return (
        words.name_of("phase", best.phase),
        str(best.workload.outstanding),
        words.show(reads.iops if reads else 0.0, "rate"),
        words.show(writes.iops, "rate") if writes else "–",
        words.show(best.number("throughput") / 1e6, "n"),
        words.show(reads.value("mean") if reads else None, "lat"),
        words.show(writes.value("mean") if writes else None, "lat"),
    )


def key_table(sides: Sequence[Side], words: Language) -> Table | None:
    """A row for each level, a column for each drive; a dash where it is not known. None for a drive alone."""
    sides = [s for s in sides if s is sides[0] or any(figure(s, level) for level in IOPS)]
    rows = [
        (words(f"level.{level}"), *(words.show(value, "rate") if (value := figure(s, level)) else "–" for s in sides))
        for level in IOPS
    ]
    rows += [
        (
            words(f"level.{level}_mbs"),
            *(_mbs(throughput(side, level), words) for side in sides),
        )
        for level in SEQUENTIAL
    ]
    kept = [row for row in rows if any(cell != "–" for cell in row[1:])]
    if len(sides) < 2 or not kept:
        return None
    head = (words("servers.figure"), *(side.name for side in sides))
    return Table(words("story.side_table"), head, tuple(kept), tuple(range(1, len(head))))


def _mbs(value: float | None, words: Language) -> str:
    return words.show(value / 1e6, "whole") if value else "–"
