"""Tables of a review: server profiles, a trace on each drive, streams, key figures of all drives."""

from collections.abc import Callable, Iterator, Sequence

from stend.charts.beside import Side
from stend.charts.beside.levels import IOPS, SEQUENTIAL, ends, figure, named, throughput
from stend.charts.beside.traced import WAYS, tallies
from stend.charts.headroom import comparable, passes
from stend.findings import look
from stend.findings.look import headline, streams
from stend.findings.look.figures import Figures, derived, listed
from stend.model import headroom
from stend.model.record import Run
from stend.report.parts import Table
from stend.report.story.drives import measured, titled
from stend.report.story.passports import passport_tables
from stend.words import Language

SERVERS = ("file-server", "iometer-file-server", "iometer-web-server", "iometer-database", "database")

Tables = Iterator[Table]
LEAST_ROWS = 2
"""A table of drives with fewer rows repeats a key figure of page one."""
OF_TRACES = ("mean", "p99", "p99.9")
OF_STREAMS = ("stream", "share", "iops", "mbs", "mean", "p99", "tail")
HEADROOM = ("held", "held_s", "failed", "failed_s", "why")
HEAD = ("profile", "outstanding", "reads", "writes", "mbs", "art_r", "art_w")


def server_tables(sides: Sequence[Side], words: Language) -> Tables:
    """Yield a table per run: each server profile at the lowest depth with nearly the highest IOPS.

    Reads and writes have separate columns.
    """
    head = tuple(words(f"servers.{key}") for key in HEAD)
    for side, run in measured(sides):
        if rows := tuple(_servers(run, words)):
            yield Table(titled(words("servers.title"), side, sides), head, rows, tuple(range(1, len(head))))


def _servers(run: Run, words: Language) -> Iterator[tuple[str, ...]]:
    for test in look.tests(run, "profiles"):
        for phase in (name for name in SERVERS if any(p.name == name for p in look.measuring(run, test))):
            every = [row for row in listed(run, test.name, phase) if row.tally.ios]
            if best := headline.busy(every):
                yield _server(best, [row for row in every if row.workload == best.workload], words)


def _server(best: Figures, ways: Sequence[Figures], words: Language) -> tuple[str, ...]:
    """Return the row of one profile; a dash for a direction without IOs."""
    only = "read" if best.workload.read_pct == 100 else "write" if not best.workload.read_pct else ""
    by_direction = {row.direction: row for row in ways} | ({only: best} if only else {})
    reads, writes = by_direction.get("read"), by_direction.get("write")
    return (
        words.name_of("phase", best.phase),
        str(best.workload.outstanding),
        words.show(reads.iops if reads else 0.0, "rate"),
        words.show(writes.iops, "rate") if writes else "–",
        words.show(best.number("throughput") / 1e6, "measured"),
        words.show(reads.value("mean") if reads else None, "lat"),
        words.show(writes.value("mean") if writes else None, "lat"),
    )


def trace_table(sides: Sequence[Side], words: Language) -> Tables:
    """Yield response times of the trace as captured and on each drive; a dash if the sample size is too small."""
    counts_of = tallies(sides, words)
    cells = [(place, way, what) for place, way in enumerate(WAYS) for what in OF_TRACES]
    rows = [
        (name, *(words.show(derived(counts[place], 1, what), "lat") for place, _, what in cells))
        for name, counts in counts_of.items()
    ]
    head = (words("compare.drive"), *(f"{words(f'direction.{way}')}, {words(f'figure.{q}')}" for _, way, q in cells))
    if rows:
        yield Table(words("story.trace_table"), head, tuple(rows), tuple(range(1, len(head))))


def headroom_table(sides: Sequence[Side], words: Language) -> Tables:
    """Yield how many times as fast the trace can run on each drive that searched for it under the same limit."""
    rows = []
    for side in comparable(sides):
        held, failed, _ = headroom.evaluate(passes(side))
        cells = [
            (words.show(tried.speed, "times"), words.show(tried.waited_s, "lat")) if tried else ("–", "–")
            for tried in (held, failed)
        ]
        rows.append((side.name, *cells[0], *cells[1], words(f"headroom.{failed.why}") if failed else "–"))
    head = (words("compare.drive"), *(words(f"headroom.column_{key}") for key in HEADROOM))
    if rows:
        yield Table(words("headroom.table"), head, tuple(rows), tuple(range(1, len(head) - 1)))


def stream_tables(sides: Sequence[Side], words: Language) -> Tables:
    """Yield a table per run: each stream of the workload with its share and its figures alone, then all together."""
    head = tuple(words(f"streams.column_{key}") for key in OF_STREAMS)
    for side, run in measured(sides):
        if not (every := streams.streams(run)):
            continue
        rows = [
            (
                words.show(row.label, "load"),
                words.show(row.share_pct and row.share_pct / 100, "pct"),
                *_rates(row.alone, words),
            )
            for row in every
        ]
        if mix := streams.together(run):
            rows.append((words("streams.together"), words.show(1, "pct"), *_rates(mix, words)))
        title, says = titled(words("streams.table"), side, sides), words("says.stream_shares")
        yield Table(title, head, tuple(rows), tuple(range(1, len(head))), says)


def _rates(row: Figures | None, words: Language) -> tuple[str, ...]:
    if row is None:
        return ("–",) * 5
    rates = words.show(row.iops, "rate"), words.show(row.number("throughput") / 1e6, "measured")
    return *rates, *(words.show(row.value(what), "lat") for what in ("mean", "p99", "p99.9"))


def key_table(sides: Sequence[Side], words: Language) -> Table | None:
    """Return a row per level that at least two drives have, a column per drive, a dash for an unknown value."""
    sides = [s for s in sides if s is sides[0] or any(figure(s, level) for level in IOPS)]
    rows = [
        (
            f"{named(level, sides, words)}, IOPS",
            *(words.ranged(known, "rate") if (known := ends(s, level)) else "–" for s in sides),
        )
        for level in IOPS
    ]
    for level in SEQUENTIAL:
        rates = (throughput(side, level) for side in sides)
        rows.append((words(f"level.{level}_mbs"), *(words.show(r / 1e6, "whole") if r else "–" for r in rates)))
    kept = [row for row in rows if sum(cell != "–" for cell in row[1:]) > 1]
    if len(kept) < LEAST_ROWS or all(row[1] == "–" for row in kept):
        return None
    head = (words("servers.figure"), *(side.name for side in sides))
    return Table(words("story.side_table"), head, tuple(kept), tuple(range(1, len(head))))


TABLES: dict[str, tuple[Callable[[Sequence[Side], Language], Tables], ...]] = {
    "incoming": (passport_tables,),
    "work": (server_tables,),
    "trace": (trace_table, headroom_table),
    "streams": (stream_tables,),
}
"""Tables by the question that they answer."""
