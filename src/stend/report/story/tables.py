"""The two tables of a review: servers as Iometer draws them, reads and writes apart; key figures of all drives."""

from collections.abc import Sequence

from stend.charts.beside import Side
from stend.charts.beside.levels import IOPS, SEQUENTIAL, figure, throughput
from stend.findings import look
from stend.findings.language import Language
from stend.record import Run
from stend.report.parts import Table

SERVERS = ("file-server", "iometer-file-server", "iometer-web-server", "iometer-database", "database")

HEAD = ("profile", "outstanding", "reads", "writes", "mbs", "art_r", "art_w")


def server_table(run: Run, words: Language) -> Table | None:
    """IOPS, MB/s and mean response of each server profile at its best depth; reads and writes apart."""
    rows: list[tuple[str, ...]] = []
    for test in look.tests(run, "profiles"):
        cells = look.cells(run, test)
        for phase in (name for name in SERVERS if any(c.phase == name for c in cells)):
            best = max((c for c in cells if c.phase == phase), key=lambda c: c.counts.iops)
            counts, each = best.counts, best.counts.seconds
            reads, writes = counts.read, counts.write
            rows.append(
                (
                    words.name_of("phase", phase),
                    str(best.workload.outstanding),
                    words.show(reads.ios / each, "rate"),
                    words.show(writes.ios / each, "rate") if writes.ios else "–",
                    words.show(counts.bytes_per_s / 1e6, "n"),
                    words.show(reads.mean_s, "lat") if reads.ios else "–",
                    words.show(writes.mean_s, "lat") if writes.ios else "–",
                )
            )
    if not rows:
        return None
    head = tuple(words(f"servers.{key}") for key in HEAD)
    return Table(words("servers.title"), head, tuple(rows), tuple(range(1, len(head))))


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
