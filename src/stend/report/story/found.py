"""Tables of what findings read off a course: pauses, levels of a fill and of a saturation, hot ranges.

One entry of `FOUND` makes the table of all findings of a name: its columns, and rows with a value for each column.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from stend.findings import Finding, look
from stend.findings.look.hits import COLD_WARM, beginning, gentlest
from stend.findings.look.pause import LEAST_GAIN
from stend.findings.look.remains import after
from stend.model.record import Run
from stend.report.parts import Table
from stend.report.story.page_one import Review
from stend.words import Language

Rows = Iterator[tuple[Any, ...]]
FALLEN = ("recovers", "partly", "none")
"""Keys of pauses of a drive that had fallen from its best minute."""


class Found(NamedTuple):
    """The columns of a table as (name, shape), and its rows for findings of one name. `part`: it has only some loads
    of the test. `noted`: it has a note below.
    """

    columns: tuple[tuple[str, str], ...]
    rows: Callable[[Run, Sequence[Finding]], Rows]
    part: bool = False
    noted: bool = False


def found_tables(reviews: Mapping[str, Review], tests: Collection[str], words: Language) -> Iterator[Table]:
    """Yield a table per drive and kind of finding of these tests, without columns that are empty."""
    for drive, review in reviews.items():
        for name, made in FOUND.items():
            findings = [f for f in review.findings if f.name == name and f.test in tests]
            rows = list(made.rows(review.run, findings))
            used = [n for n in range(len(made.columns)) if any(row[n] is not None for row in rows)]
            head = tuple(words(f"found.{made.columns[n][0]}") for n in used)
            cells = tuple(tuple(_cell(row[n], made.columns[n][1], words) for n in used) for row in rows)
            title = ": ".join(filter(None, (drive, words(f"found.{name}"))))
            note = words(f"found.note_{name}") if made.noted else ""
            yield from [Table(title, head, cells, tuple(range(1, len(head))), note)] if rows else []


def having_table(review: Review) -> set[str]:
    """Return the tests of a run whose findings have a table in place of one of all loads."""
    found = (f for f in review.findings if f.name in FOUND and not FOUND[f.name].part)
    return {f.test for f in found if any(True for _ in FOUND[f.name].rows(review.run, [f]))}


def _cell(value: Any, shape: str, words: Language) -> str:
    if value is None:
        return "–"
    if shape == "level":
        return words.show(value, "whole") if isinstance(value, int) else words("found.end", seconds=value)
    if shape == "phase":
        return words.name_of("phase", value)
    if shape == "factor":
        return words("overlay.factor", ratio=value)
    if shape == "text":
        return str(value)
    return words.ranged(value, shape) if isinstance(value, tuple) else words.show(value, shape)


def _pauses(_: Run, findings: Sequence[Finding]) -> Rows:
    """Yield each length of pause with the rate before it, the rate after it and its share of the best minute before."""
    for finding in (finding for finding in findings if "levels" in finding.values):
        values = finding.values
        levels = sorted((float(rest), level) for rest, level in values["levels"].items())
        fresh = values["fresh"] if finding.key in FALLEN else None
        ends = min(level for _, level in levels), max(level for _, level in levels)
        befores = [values["befores"][f"{rest:g}"] for rest, _ in levels]
        if all(level < LEAST_GAIN * before for (_, level), before in zip(levels, befores, strict=True)):
            # one row has all pauses that gain nothing
            before = min(befores), max(befores)
            yield (levels[0][0], levels[-1][0]), before, ends, fresh and (ends[0] / fresh, ends[1] / fresh)
        else:
            for (rest, level), before in zip(levels, befores, strict=True):
                yield rest, before, level, fresh and level / fresh


def _fills(run: Run, findings: Sequence[Finding]) -> Rows:
    """Yield the levels of sequential writes: the volume of each and its rate, the last up to the end of the write."""
    for finding in (finding for finding in findings if "size" in finding.values):
        values = finding.values
        counts = look.records(run, finding.test, values["state"])[0].counts
        ends = [0, *values.get("ends", [values["size"]]), counts.write.bytes]
        rates = values.get("rates") or (values["first"], after(run, finding.test, values))
        for n, (begin, end) in enumerate(pairwise(ends)):
            yield values["state"], n + 1, end - begin, rates[n]


def _levels(run: Run, findings: Sequence[Finding]) -> Rows:
    """Yield the levels of a saturation: when each ends, what is written by then and its rate.

    Its end comes last, with the seconds that its rate is of in place of a number.
    """
    for test, values in ((finding.test, finding.values) for finding in findings if "levels" in finding.values):
        levels = [level.values for level in values["levels"]]
        yield from ((n, level["s"], level["bytes"], level["rate"]) for n, level in enumerate(levels, start=1))
        yield _end_s(run, test), values["seconds"], values["bytes"], values["end"]


def _end_s(run: Run, test: str) -> float:
    """Return how many seconds the end of a saturation lasts."""
    (planned,) = look.tests(run, test)
    return look.ended(run, planned, look.main_phase(run, planned)).seconds


def _hot(run: Run, findings: Sequence[Finding]) -> Rows:
    """Yield what each mix gains from a hot range, or nothing if no mix gains anything."""
    known = [finding for finding in findings if "range" in finding.values]
    for finding in known if any(finding.key != "none" for finding in known) else ():
        mix, gain, wide = (finding.values[name] for name in ("mix", "gain", "range"))
        first = look.records(run, finding.test, f"mix-{mix.partition('/')[0]}")[0]
        before = beginning(run, first).iops
        yield mix, wide, before, gain * before, gain, *(finding.values.get(name) for name in ("warm_s", "hits"))


def _policy(run: Run, findings: Sequence[Finding]) -> Rows:
    """Yield pure reads at the lowest depth: cold, on a part warmed by reads and on one warmed by writes."""
    for finding in (finding for finding in findings if "gain" in finding.values):
        (test,) = look.tests(run, finding.test)
        for record in (gentlest(run, test, phase) for phase in COLD_WARM):
            if record:
                counts = record.counts
                yield record.result.where.phase, record.workload.outstanding, counts.iops, counts.read.mean_s


FOUND = {
    "idle_recovery": Found(
        (("pause", "time"), ("before", "rate"), ("after", "rate"), ("of_fresh", "pct")),
        _pauses,
    ),
    "slc_cache": Found((("state", "phase"), ("level", "whole"), ("volume", "gib"), ("rate", "mbs")), _fills),
    "saturation": Found((("level", "level"), ("until", "time"), ("written", "gib"), ("iops", "rate")), _levels),
    "hot_range": Found(
        (
            ("mix", "text"), ("range", "gib"), ("cold", "rate"), ("warm", "rate"), ("gain", "factor"),
            ("warm_up", "time"), ("from_cache", "pct"),
        ),
        _hot, noted=True,
    ),
    "cache_policy": Found(
        (("state", "phase"), ("outstanding", "whole"), ("iops", "rate"), ("mean", "lat")),
        _policy, part=True, noted=True,
    ),
}  # fmt: skip
"""Tables by the name of their findings."""
