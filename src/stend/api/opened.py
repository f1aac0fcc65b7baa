"""A run to ask: what was recorded, the figures, findings and charts made of it, its reports, its table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stend import catalogue, charts, findings, store
from stend import report as reports
from stend.api.arrow import Arrow
from stend.api.shown import Chart, Rows, html
from stend.base import extras
from stend.base.errors import BadInput
from stend.charts import Picture
from stend.findings import Finding, look
from stend.findings.look.figures import Figures, figures, listed
from stend.model.counts import Counts
from stend.model.definition import PlannedTest, Workload
from stend.model.events import Result
from stend.model.record import Run
from stend.model.samples import Samples
from stend.report.parts import Table
from stend.report.parts.records import COLUMNS, rows
from stend.report.parts.sheet import sheet
from stend.report.parts.summary import stamps, statement, verdict
from stend.report.parts.tables import workloads
from stend.report.story.rivals import reference
from stend.words import Language

FIGURES = ("iops", "mbs", "mean", "p99", "p99.9", "p99.99", "p99.999", "max")
SOME = 6
"""So many names are told of what there is."""


def open(folder: str | Path, lang: str = "en") -> "Opened":  # noqa: A001 `stend.open`, as `gzip.open`
    """The run of a folder, as it is now, finished or not; or, as in `stend show`, part of a name of runs/, or `last`.

    Units: none.
    Errors: BadInput where there is no run, several are meant, or stend has no such language.
    Source: `store.load`.
    """
    place = catalogue.meant(Path(folder))
    return Opened(place, store.load(place), Language(lang).name)


@dataclass(frozen=True, repr=False)
class Opened:
    """A run as it was when it was opened; `record` holds all that was written of it (`stend.model.record.Run`).

    Units: base units, at the end of each name.
    Errors: every one is a `stend.base.errors.StendError` of one sentence.
    Source: the run folder (docs/reference/run-folder.md).
    """

    folder: Path
    record: Run
    lang: str = "en"

    @property
    def results(self) -> Sequence[Result]:
        """Every step that was done, in order: place in the plan, what was held, its counts.

        Units: counts, bytes, nanoseconds summed; `counts.iops`, `.bytes_per_s`, `.mean_s`, `.max_s`.
        Errors: none.
        Source: events.jsonl.
        """
        return self.record.results

    @property
    def samples(self) -> Samples:
        """About one for each second of load; each is made when it is asked for.

        Units: `t` in seconds since the run began; counts as in `results`, without latency bins.
        Errors: none.
        Source: events.jsonl.
        """
        return self.record.samples

    def series(self, test: str, workload: Workload | str, phase: str = "") -> list[tuple[int, Counts]]:
        """(round, counts) of one workload; `phase` is the test's main one unless named.

        Units: rounds from 1; counts as in `results`.
        Errors: BadInput names the tests, phases or workloads there are.
        Source: `record.Run.series`; PTS 2.0.2 clause 7.4, whose plots these are.
        """
        phase, load = self._place(test, workload, phase)
        return self.record.series(test, phase, load)

    def window(self, test: str, workload: Workload | str, phase: str = "") -> Figures:
        """The figures of one workload over the measurement window; `.value("iops")`, `.value("p99.9")` and so on.

        Of a phase that nobody judged it is the whole; `window` and `steady` say so.

        Units: IOs/s, bytes/s, seconds; None where the sample cannot carry a percentile.
        Errors: BadInput as in `series`.
        Source: `findings.look.figures`; PTS 2.1.24.
        """
        phase, load = self._place(test, workload, phase)
        every = listed(self.record, test, phase)
        return next(row for row in every if row.direction == "both" and row.workload == load)

    @property
    def figures(self) -> Rows[Figures]:
        """Every figure of reports, comparisons and the catalogue: a load in a state of the drive, and a direction.

        Units: IOs/s, bytes/s, seconds by `.value(name)`; the table in MB/s and milliseconds.
        Errors: none.
        Source: `findings.look.figures`.
        """
        words, own = Language(self.lang), figures(self.record)
        names = ("test", "phase", "state", "workload", *FIGURES)
        head = tuple(words(f"column.{name}") for name in names)
        return Rows.of(own, Table("", head, tuple(_cells(row, words) for row in own)))

    @cached_property
    def findings(self) -> Rows[Finding]:
        """What is concluded of the run, with the values behind it and how sure it is; none of an imported one.

        Units: values in base units.
        Errors: BadInput where drive.toml in the folder is none.
        Source: `stend.findings`; each names its clause or paper in its file.
        """
        words = Language(self.lang)
        own = tuple(findings.find(self.record, sheet(self.folder)))
        head = (words("column.test"), words("column.finding"), words("column.confidence"))
        told = [(words.title(one.test, one.test), *statement(one, words)[1:3]) for one in own]
        return Rows.of(own, Table("", head, tuple(told)))

    def charts(self, test: str = "") -> list[Chart]:
        """Every chart of the run, or of one test, as its report has them.

        Units: on the axes.
        Errors: BadInput names the tests; Missing without Altair (`stend[report]`).
        Source: `stend.charts`.
        """
        return [Chart(*picture) for one in self._tests(test) for picture in self._drawn(one)]

    def chart(self, name: str, test: str = "") -> Chart:
        """The first chart of that name, of the run or of one test.

        Units: on the axes.
        Errors: BadInput names the charts there are; Missing without Altair (`stend[report]`).
        Source: `stend.charts`, one file each.
        """
        found = next((Chart(*p) for one in self._tests(test) for p in self._drawn(one, name)), None)
        if found is None:
            there = ", ".join(dict.fromkeys(chart.name for chart in self.charts(test))) or "none"
            raise BadInput(f"{self.folder} has no chart {name!r}; there are {there}")
        return found

    def report(self, form: str = "html", style: str = "review", into: Path | str | None = None) -> list[Path]:
        """Write a report as `stend report` does; the files that were written, the first to open first.

        Units: none.
        Errors: BadInput for an unknown form or style, and for a review of an imported run; Missing names the extra.
        Source: `stend.report`.
        """
        runs = [(self.folder, self.record, store.host(self.folder))]
        beside = reference(self.record)
        return reports.write(runs, form, self.lang, style, into=Path(into or self.folder), rivals=beside)

    def to_arrow(self) -> Arrow:
        """One row a step, the columns of records.csv and records.parquet, for any library that speaks Arrow.

        Units: at the end of each column's name.
        Errors: Missing without DuckDB (`stend[report]`).
        Source: `results`; see docs/reference/columns.md.
        """
        return Arrow(COLUMNS, rows(self.record, self.folder.name))

    def _place(self, test: str, workload: Workload | str, phase: str) -> tuple[str, Workload]:
        (one,) = self._tests(test)
        phase = phase or look.main_phase(self.record, one)
        known = {p.name for t, p in self.record.phases() if t.name == test} | set(one.shared)
        if phase not in known:
            raise BadInput(f"{test} has no phase {phase!r}; it has {', '.join(sorted(known))}")
        loads = [cell.workload for cell in look.cells_of(self.record, test, phase)]
        load = next((one for one in loads if workload in (one, one.label)), None)
        if load is None:
            there = list(dict.fromkeys(one.label for one in loads))
            few = ", ".join([*there[:SOME], *(["..."] if len(there) > SOME else ())]) or "none"
            raise BadInput(f"{test}, {phase}: there is no workload {str(workload)!r}; there are {few}")
        return phase, load

    def _tests(self, name: str) -> list[PlannedTest]:
        own = look.tests(self.record, *([name] if name else ()))
        if name and not own:
            there = ", ".join(test.name for test in look.tests(self.record)) or "none"
            raise BadInput(f"{self.folder} has no results of a test {name!r}; it has those of {there}")
        return own

    def _drawn(self, test: PlannedTest, name: str = "") -> Iterator[Picture]:
        with extras.needing("a chart"):
            for one in charts.named(test):
                if name in ("", one):
                    yield from charts.pictures(one, self.record, test, self.lang, sheet(self.folder))

    def __repr__(self) -> str:
        plan, end = self.record.plan, self.record.ended
        tests = " ".join(test.name for test in plan.tests)
        return f"<stend run {self.folder}: {tests} on {plan.device.target}, {end.outcome if end else 'unfinished'}>"

    def _repr_html_(self) -> str:
        words, drive = Language(self.lang), self.record.plan.device
        said = (f"{drive.model or drive.kind}: {verdict(self.record, words)}", *stamps(self.record, words))
        tables = [t for one in look.tests(self.record) for t in workloads(self.record, one, words)]
        return html(Table("", said[:1], tuple((stamp,) for stamp in said[1:]))) + "".join(map(html, tables))


def _cells(row: Figures, words: Language) -> tuple[str, ...]:
    way = "" if row.direction == "both" else f", {words(f'column.{row.direction}s')}"
    state = words("stamp.not_steady") if row.steady is False else words.name_of("state", row.state)
    place = (words.title(row.test, row.test), words.phase(row.phase), state)
    waits = (words.show(row.value(name), "lat") for name in FIGURES[2:])
    rates = (words.show(row.iops, "rate"), words.show(row.number("throughput") / 1e6, "n"))
    return (*place, f"{row.workload.label}{way}", *rates, *waits)
