"""Tables of a review: server profiles, a trace on each drive, streams, key figures of all drives."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

from stend.charts.beside import Side
from stend.charts.beside.levels import IOPS, SEQUENTIAL, ends, named
from stend.charts.beside.traced import WAYS, tallies
from stend.charts.beside.waits import MIXES, single_ends
from stend.charts.headroom import comparable, passes
from stend.findings import look
from stend.findings.judgement.evidence import Evidence
from stend.findings.look import headline, streams
from stend.findings.look.figures import Figures, derived, listed
from stend.model import headroom, published
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.report.parts import Table
from stend.report.parts.states import states
from stend.report.parts.tables import COLUMNS, cells, workloads
from stend.report.story.drives import measured, titled
from stend.report.story.found import found_tables, having_table
from stend.report.story.page_one import Review
from stend.report.story.passports import passport_tables
from stend.report.story.questions import Question
from stend.words import Language

PARTS = {"first": 0, "last": 2}
"""Places of the parts of a test in its table, with all of it between them."""
PROFILES = "profiles"
SERVERS = ("file-server", "iometer-file-server", "iometer-web-server", "iometer-database", "database")
EDGES = ("outer", "inner")
"""Figures of the sequential rate at the start and the end of the range of a disk."""

Tables = Iterator[Table]
Measured = Mapping[str, tuple[Review, Sequence[PlannedTest]]]
"""Reviews and tests of a chapter by the name of their drive; of a single run the name is ""."""
FIRST_RIVAL = 2
"""The first column of a table of drives that is left out if it is empty."""
LEAST_ROWS = 2
"""A table of drives with fewer rows repeats a key figure of page one."""
OF_TRACES = ("mean", "p99", "p99.9")
OF_STREAMS = ("stream", "share", "iops", "mbs", "mean", "p99", "tail")
HEADROOM = ("held", "held_s", "failed", "failed_s", "why")
HEAD = ("profile", "outstanding", "iops", "reads", "writes", "mbs", "art", "art_r", "art_w")


def server_tables(sides: Sequence[Side], words: Language) -> Tables:
    """Yield a table per run: each server profile at the lowest depth with nearly the highest IOPS of every run.

    Reads and writes have separate columns.
    """
    head = tuple(words(f"servers.{key}") for key in HEAD)
    ladders = {side.name: dict(_servers(run)) for side, run in measured(sides)}
    note = words("servers.note_several" if len(ladders) > 1 else "servers.note")
    of_profile = {name: [own.get(name, []) for own in ladders.values()] for name in SERVERS}
    best = {name: dict(zip(ladders, headline.busy_alike(own), strict=True)) for name, own in of_profile.items()}
    for side, _ in measured(sides):
        rows = [(row, name) for name in SERVERS if (row := best[name][side.name])]
        cells = tuple(
            _server(row, [way for way in ladders[side.name][name] if way.workload == row.workload], words)
            for row, name in rows
        )
        if cells:
            yield Table(titled(words("servers.title"), side, sides), head, cells, tuple(range(1, len(head))), note)


def _servers(run: Run) -> Iterator[tuple[str, list[Figures]]]:
    """Yield each server profile that a run has, with its rows."""
    for test in look.tests(run, PROFILES):
        for phase in (name for name in SERVERS if any(p.name == name for p in look.measuring(run, test))):
            yield phase, [row for row in listed(run, test.name, phase) if row.tally.ios]


def _server(best: Figures, ways: Sequence[Figures], words: Language) -> tuple[str, ...]:
    """Return the row of one profile; a dash for a direction without IOs."""
    only = "read" if best.workload.read_pct == 100 else "write" if not best.workload.read_pct else ""
    by_direction = {row.direction: row for row in ways} | ({only: best} if only else {})
    reads, writes = by_direction.get("read"), by_direction.get("write")
    return (
        words.name_of("phase", best.phase),
        str(best.workload.outstanding),
        *(words.show(row.iops, "rate") if row else "–" for row in (best, reads, writes)),
        words.show(best.number("throughput") / 1e6, "measured"),
        *(words.show(row.value("mean") if row else None, "lat") for row in (best, reads, writes)),
    )


def load_tables(reviews: Mapping[str, Review], tests: Collection[str], words: Language) -> Tables:
    """Yield a table per drive: the loads of these tests that figures of sentences come from; if each has one load, one
    table of all drives.

    The server profiles have a table of their own.
    """
    every = dict(_loads(reviews, tests, words))
    if (
        len(every) > 1
        and len({table.head for table in every.values()}) == 1
        and all(len(table.rows) == 1 for table in every.values())
    ):
        first = next(iter(every.values()))
        rows = tuple((name, *table.rows[0]) for name, table in every.items())
        head = (words("compare.drive"), *first.head)
        yield Table(words("story.loads_table"), head, rows, tuple(n + 1 for n in first.numeric), first.note)
    else:
        yield from every.values()


def _loads(reviews: Mapping[str, Review], tests: Collection[str], words: Language) -> Iterator[tuple[str, Table]]:
    """Yield the table of loads of each drive that has any."""
    head = tuple(words(f"column.{key}") for key in COLUMNS)
    for name, review in reviews.items():
        known = [row for row in review.verdict.known.rows.values() if row.test in tests and row.test != PROFILES]
        parted = {row.test for row in known if row.window == "last"}
        places = list(dict.fromkeys((row.test, row.phase, row.workload) for row in known))
        named = Counter(workload for _, _, workload in places)
        if parted:
            known.sort(key=lambda row: (places.index((row.test, row.phase, row.workload)), PARTS.get(row.window, 1)))
        labels = {
            _load_name(row, named[row.workload] > 1, row.test in parted or row.window == "first", words): row
            for row in known
        }
        rows = [head, *((label, *cells(row, words)) for label, row in labels.items())]
        filled = [n for n, column in enumerate(zip(*rows, strict=True)) if set(column[1:]) != {"–"}]
        _, *rows = shown = [tuple(row[n] for n in filled) for row in rows]
        title = ": ".join(filter(None, [name, words("story.loads_table")]))
        dash = words("column.dash_scaled" if review.run.plan.device.scale > 1 else "column.dash")
        note = dash if any("–" in row for row in rows) else ""
        yield from [(name, Table(title, shown[0], tuple(rows), tuple(range(1, len(filled))), note))] if rows else []


def _load_name(row: Figures, phases: bool, part_of: bool, words: Language) -> str:
    """Return the name of a load with its direction, its point of a composite load and, if asked, its phase and part
    of time.
    """
    load = words.show(row.workload.label, "load")
    phase = words.phase_beside(row.phase, load) if row.workload.mixed or phases else ""
    name = ": ".join(filter(None, (phase, load)))
    way = words(f"column.{row.direction}s") if row.direction != "both" else ""
    part = words(f"column.window_{row.window}", seconds=row.seconds) if part_of else ""
    return "; ".join(filter(None, (name, way, part)))


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
        says = ["stream_shares"] if streams.captured(run) else ["stream_shares", "stream_example"]
        title, note = titled(words("streams.table"), side, sides), " ".join(words(f"says.{key}") for key in says)
        yield Table(title, head, tuple(rows), tuple(range(1, len(head))), note)


def _rates(row: Figures | None, words: Language) -> tuple[str, ...]:
    if row is None:
        return ("–",) * 5
    rates = words.show(row.iops, "rate"), words.show(row.number("throughput") / 1e6, "measured")
    return *rates, *(words.show(row.value(what), "lat") for what in ("mean", "p99", "p99.9"))


def key_table(sides: Sequence[Side], words: Language, figures: Mapping[str, Evidence]) -> Table | None:
    """Return a row per level that a run and at least one other drive have, a column per drive, a dash for an unknown
    value. `figures` are those of the runs by the name of their drive.
    """
    rows = [(f"{named(level, sides, words)}, IOPS", "rate", 1.0, partial(ends, level=level)) for level in IOPS]
    rows += [(words(f"level.{level}_mbs"), "whole", 1e-6, partial(ends, level=level)) for level in SEQUENTIAL]
    rows += [(words(f"level.{edge}_mbs"), "whole", 1e-6, partial(_edge, edge=edge, figures=figures)) for edge in EDGES]
    rows += [
        (f"{words(f'kind.{reads}')}, QD1, {words('figure.mean')}", "lat", 1.0, partial(single_ends, reads=reads))
        for reads in MIXES
    ]
    cells = [
        (name, *(words.ranged((k[0] * scale, k[1] * scale), shape) if (k := known(s)) else "–" for s in sides))
        for name, shape, scale, known in rows
    ]
    own = [n for n, side in enumerate(sides, start=1) if side.run]
    kept = [row for row in cells if sum(cell != "–" for cell in row[1:]) > 1 and any(row[n] != "–" for n in own)]
    if len(kept) < LEAST_ROWS or all(row[1] == "–" for row in kept):
        return None
    having = [n for n, column in enumerate(zip(*kept, strict=True)) if n < FIRST_RIVAL or set(column) != {"–"}]
    head = (words("servers.figure"), *(side.name for side in sides))
    head, *kept = [tuple(row[n] for n in having) for row in (head, *kept)]
    note = words("story.side_note") if any(side.name in head for side in sides if not side.run) else ""
    return Table(words("story.side_table"), head, tuple(kept), tuple(range(1, len(head))), note)


def _edge(side: Side, edge: str, figures: Mapping[str, Evidence]) -> tuple[float, float] | None:
    """Return the ends of a published rate of an edge of the range, in bytes/s; of a run its figure twice."""
    if not side.run:
        return published.span(side.facts, edge)
    value = figures.get(side.name, {}).get(edge)
    return (value, value) if value else None


TABLES: dict[str, tuple[Callable[[Sequence[Side], Language], Tables], ...]] = {
    "incoming": (passport_tables,),
    "work": (server_tables,),
    "trace": (trace_table, headroom_table),
    "streams": (stream_tables,),
}
"""Tables by the question that they answer."""


def tables_of(of: Measured, made: Callable[[Run, PlannedTest, Language], Tables]) -> Tables:
    """Yield the tables that `made` makes of these tests, of several drives with the name of the drive."""
    for name, (review, tests) in of.items():
        for table in (table for test in tests for table in made(review.run, test, review.words)):
            yield table._replace(title=f"{name}: {table.title}") if name else table


def once(tables: Tables, drives: Collection[str]) -> Tables:
    """Yield equal tables of several drives once, and a note of neighbours with the last one only."""
    names: dict[Table, list[str]] = {}
    for table in tables:
        name = next((drive for drive in drives if drive and table.title.startswith(f"{drive}: ")), "")
        names.setdefault(table._replace(title=table.title.removeprefix(f"{name}: ")), []).append(name)
    every = [
        table._replace(title=": ".join(filter(None, (", ".join(filter(None, dict.fromkeys(of))), table.title))))
        for table, of in names.items()
    ]
    for table, later in zip_longest(every, every[1:]):
        yield table._replace(note="") if later and later.note == table.note else table


def chapter_tables(
    question: Question, of: Measured, answers: Mapping[str, Sequence[str]], sides: Sequence[Side], words: Language
) -> Tables:
    """Yield the tables of a chapter: of all drives, of findings, of the loads of its sentences, or of all its loads."""
    reviews = {name: review for name, (review, _) in of.items()}
    for made in TABLES.get(question.name, ()):
        yield from made(sides, words)
    yield from found_tables(reviews, question.tests, words)
    yield from load_tables({name: review for name, review in reviews.items() if answers[name]}, question.tests, words)
    yield from tables_of(of, states)
    for name, (review, tests) in of.items():
        left = [test for test in tests if not answers[name] and test.name not in having_table(review)]
        yield from tables_of({name: (review, left)}, workloads)
