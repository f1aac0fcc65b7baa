"""A loaded run: its record, figures, findings, charts, reports and table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stend import catalogue, charts, findings, store
from stend import report as reports
from stend.api import keys, samples
from stend.api.samples import table
from stend.api.shown import Chart, Rows, html
from stend.api.table import Table as Frame
from stend.base.errors import BadInput
from stend.charts import Picture
from stend.findings import Finding, look
from stend.findings.look.figures import Figures, figures, listed
from stend.model.counts import Counts
from stend.model.definition import PlannedTest, Workload
from stend.model.events import Result
from stend.model.record import Run
from stend.model.tally import TAIL
from stend.report.parts import Table
from stend.report.parts.records import COLUMNS, rows
from stend.report.parts.sheet import sheet
from stend.report.parts.summary import stamps, statement, verdict
from stend.report.parts.tables import workloads
from stend.words import Language

FIGURES = ("iops", "mbs", "mean", *TAIL, "max")


def open(folder: str | Path, lang: str = "en") -> "Opened":  # noqa: A001 `stend.open`, as `gzip.open`
    """Load the run of a folder, finished or not. `folder` may also be part of a name in runs/, or `last`.

    Units: none.
    Errors: BadInput if no run or several match, or stend does not have the language.
    Source: `store.load`.
    """
    place = catalogue.meant(Path(folder))
    return Opened(place, store.load(place), Language(lang).name)


@dataclass(frozen=True, repr=False)
class Opened:
    """A run as it was when it was loaded. `record` holds its events (`stend.model.record.Run`).

    `run["iops"]` is one test. Names of tests and labels of workloads may be spelled freely: `run["Write Saturation"]`,
    `run.window("iops", "4k randwrite")`.

    Units: base units, at the end of each name.
    Errors: each is a `stend.base.errors.StendError` with a message of one sentence.
    Source: the run folder (docs/reference/run-folder.md).
    """

    folder: Path
    record: Run
    lang: str = "en"

    @property
    def results(self) -> Sequence[Result]:
        """Return every completed step in order: its place in the plan, its workload and its counts.

        Units: counts, bytes, nanoseconds summed; `counts.iops`, `.bytes_per_s`, `.mean_s`, `.max_s`.
        Errors: none.
        Source: events.jsonl.
        """
        return self.record.results

    @property
    def tests(self) -> list["OpenedTest"]:
        """Return the tests that have results, in the order of the plan; `run["iops"]` is one of them.

        Units: none.
        Errors: none.
        Source: the plan.
        """
        return [OpenedTest(self, test.name) for test in look.tests(self.record)]

    @cached_property
    def samples(self) -> Frame:
        """Return a table with one row per sample, about one per second of load: when, where in the plan, rates, times.

        `time_s` is the end of the sample since the run began, or since it was resumed. Test, phase, round, step and
        workload are empty for a step that did not end. Rates are those of the sample's `seconds`. `mean_ms` and
        `max_ms` are of reads and writes together. Percentiles need `results`, because samples have no latency bins.

        Units: seconds, IOs/s, 10^6 bytes/s, milliseconds.
        Errors: none.
        Source: events.jsonl. `record.samples` holds the samples with all counts.
        """
        return samples.table(self.record)

    def series(self, test: str, workload: Workload | str, phase: str = "") -> list[tuple[int, Counts]]:
        """Return (round, counts) of one workload. `phase` is the test's main phase unless given.

        Units: rounds from 1. Counts are those of `results`.
        Errors: BadInput for an unknown test, phase or workload, with a list of all.
        Source: `record.Run.series`; PTS 2.0.2 clause 7.4, whose plots these are.
        """
        return self.record.series(*self._place(test, workload, phase))

    def window(self, test: str, workload: Workload | str, phase: str = "") -> Figures:
        """Return the figures of one workload over the measurement window. Read `.value("iops")`, `.value("p99.9")`.

        For a phase without a steady-state search the window is the whole phase; `window` and `steady` state that.

        Units: IOs/s, bytes/s, seconds, or None for a percentile that the sample size does not support.
        Errors: BadInput as in `series`.
        Source: `findings.look.figures`; PTS 2.1.24.
        """
        test, phase, load = self._place(test, workload, phase)
        every = listed(self.record, test, phase)
        return next(row for row in every if row.direction == "both" and row.workload == load)

    @property
    def figures(self) -> Rows[Figures]:
        """Return every figure of reports and comparisons: one per workload, state of the drive and direction.

        Units: IOs/s, bytes/s, seconds by `.value(name)`. The table is in MB/s and milliseconds.
        Errors: none.
        Source: `findings.look.figures`.
        """
        words, rows = Language(self.lang), figures(self.record)
        names = ("test", "phase", "state", "workload", *FIGURES)
        head = tuple(words(f"column.{name}") for name in names)
        return Rows.of(rows, Table("", head, tuple(_cells(row, words) for row in rows)))

    @cached_property
    def findings(self) -> Rows[Finding]:
        """Return the findings about the run with their values and confidence. An imported run has none.

        Units: values in base units.
        Errors: BadInput if drive.toml in the folder is not a valid drive sheet.
        Source: `stend.findings`. Each names its clause or paper in its file.
        """
        words = Language(self.lang)
        every = tuple(findings.find(self.record, sheet(self.folder)))
        head = (words("column.test"), words("column.finding"), words("column.confidence"))
        cells = [(words.title(finding.test, finding.test), *statement(finding, words)) for finding in every]
        return Rows.of(every, Table("", head, tuple(cells)))

    def charts(self, test: str = "") -> list[Chart]:
        """Return the charts of the run, or of one test, as in its report.

        Units: on the axes.
        Errors: BadInput for an unknown test.
        Source: `stend.charts`.
        """
        return [Chart(*picture) for planned in self._tests(test) for picture in self._drawn(planned)]

    def chart(self, name: str, test: str = "") -> Chart:
        """Return the first chart of that name, of the run or of one test.

        Units: on the axes.
        Errors: BadInput for an unknown chart, with a list of all.
        Source: `stend.charts`, one file each.
        """
        name = keys.chart(name, charts.names())
        drawn = (picture for planned in self._tests(test) for picture in self._drawn(planned, name))
        chart = next((Chart(*picture) for picture in drawn), None)
        if chart is None:
            there = list(dict.fromkeys(chart.name for chart in self.charts(test)))
            raise BadInput(f"{self.folder} has no chart {name!r}; {keys.nearest(name, there, every=True)}")
        return chart

    def plot(self, name: str = "iops", test: str = "") -> Chart:
        """Return samples over time (`iops`, `mb_s`, `mean_ms`, `max_ms`), or the chart of that name.

        Units: on the axes.
        Errors: BadInput for an unknown name, with a list of all; BadInput for samples of an imported run.
        Source: `samples`; `stend.charts`.
        """
        if name not in samples.AXES:
            return self.chart(name, test)
        if not len(self.record.samples):
            raise BadInput(f"{self.folder} has no samples to draw over time; run.charts() are its other charts")
        return Chart(*samples.picture(self.record, self._tests(test), name, Language(self.lang)))

    def report(self, form: str = "html", style: str = "review", into: Path | str | None = None) -> list[Path]:
        """Write a report as `stend report` does and return the files written. The first is the one to open.

        Units: none.
        Errors: BadInput for an unknown form or style, and for a review of an imported run. Missing names the extra.
        Source: `stend.report`.
        """
        runs = [(self.folder, self.record, store.host(self.folder))]
        return reports.write(runs, form, self.lang, style, into=Path(into or self.folder))

    def to_arrow(self) -> Frame:
        """Return a table with one row per step and the columns of records.csv and records.parquet.

        Units: at the end of each column's name.
        Errors: none. The table names what it needs.
        Source: `results`; see docs/reference/columns.md.
        """
        return Frame(COLUMNS, rows(self.record, self.folder.name))

    def _place(self, test: str, workload: Workload | str, phase: str) -> tuple[str, str, Workload]:
        (planned,) = self._tests(test)
        phase = phase or look.main_phase(self.record, planned)
        known = {p.name for t, p in self.record.phases() if t.name == planned.name} | set(planned.shared)
        if phase not in known:
            raise BadInput(f"{planned.name} has no phase {phase!r}; it has {', '.join(sorted(known))}")
        loads = [cell.workload for cell in look.cells_of(self.record, planned.name, phase)]
        if workload in loads:
            return planned.name, phase, next(load for load in loads if load == workload)
        labels, key = [load.label for load in loads], workload if isinstance(workload, str) else workload.label
        label = keys.workload(key, labels, f"{planned.name}, {phase}")
        return planned.name, phase, loads[labels.index(label)]

    def _tests(self, name: str) -> list[PlannedTest]:
        tests = look.tests(self.record)
        if not name:
            return tests
        english, russian = Language("en"), Language("ru")
        titles = {t.name: (t.title, english.title(t.name, t.title), russian.title(t.name, t.title)) for t in tests}
        meant = keys.test(name, titles, str(self.folder))
        return [test for test in tests if test.name == meant]

    def _drawn(self, test: PlannedTest, name: str = "") -> Iterator[Picture]:
        for chart in charts.named(test):
            if name in ("", chart):
                yield from charts.pictures(chart, self.record, test, self.lang, sheet(self.folder))

    def __getitem__(self, test: str) -> "OpenedTest":
        (planned,) = self._tests(test)
        return OpenedTest(self, planned.name)

    def __iter__(self) -> Iterator["OpenedTest"]:
        return iter(self.tests)

    def __repr__(self) -> str:
        plan, end = self.record.plan, self.record.ended
        tests = " ".join(test.name for test in plan.tests)
        return f"<stend run {self.folder}: {tests} on {plan.device.target}, {end.outcome if end else 'unfinished'}>"

    def _repr_html_(self) -> str:
        words, drive = Language(self.lang), self.record.plan.device
        texts = (f"{drive.model or drive.kind}: {verdict(self.record, words)}", *stamps(self.record, words))
        tables = [t for test in look.tests(self.record) for t in workloads(self.record, test, words)]
        return html(Table("", texts[:1], tuple((stamp,) for stamp in texts[1:]))) + "".join(map(html, tables))


def _cells(row: Figures, words: Language) -> tuple[str, ...]:
    way = "" if row.direction == "both" else f", {words(f'column.{row.direction}s')}"
    state = words("stamp.not_steady") if row.steady is False else words.name_of("state", row.state)
    place = (words.title(row.test, row.test), words.phase(row.phase), state)
    waits = (words.show(row.value(name), "lat") for name in FIGURES[2:])
    rates = (words.show(row.iops, "rate"), words.show(row.number("throughput") / 1e6, "measured"))
    return (*place, f"{row.workload.label}{way}", *rates, *waits)


@dataclass(frozen=True, repr=False)
class OpenedTest:
    """A test of a loaded run: `run["iops"]`. `test["4k randwrite"]` is `window("4k randwrite")`.

    Units: base units, at the end of each name.
    Errors: each is a `stend.base.errors.StendError` with a message of one sentence.
    Source: the run folder (docs/reference/run-folder.md).
    """

    run: Opened
    name: str

    @property
    def results(self) -> Sequence[Result]:
        """Return every completed step of the test in order.

        Units: as in `Opened.results`.
        Errors: none.
        Source: events.jsonl.
        """
        return self.run.record.of(self.name)

    @property
    def samples(self) -> Frame:
        """Return the samples of the test. The columns are those of `Opened.samples`.

        Units: at the end of each column's name.
        Errors: none.
        Source: events.jsonl.
        """
        return table(self.run.record, [self.name])

    @property
    def figures(self) -> Rows[Figures]:
        """Return the figures of the test (see `Opened.figures`).

        Units: IOs/s, bytes/s, seconds by `.value(name)`. The table is in MB/s and milliseconds.
        Errors: none.
        Source: `findings.look.figures`.
        """
        return self.run.figures.where(lambda row: row.test == self.name)

    @property
    def findings(self) -> Rows[Finding]:
        """Return the findings about the test with their values and confidence.

        Units: values in base units.
        Errors: BadInput if drive.toml in the folder is not a valid drive sheet.
        Source: `stend.findings`.
        """
        return self.run.findings.where(lambda finding: finding.test == self.name)

    def window(self, workload: Workload | str, phase: str = "") -> Figures:
        """Return the figures of one workload over the measurement window (see `Opened.window`).

        Units: IOs/s, bytes/s, seconds, or None for a percentile that the sample size does not support.
        Errors: BadInput for an unknown phase or workload, with the nearest one.
        Source: `findings.look.figures`; PTS 2.1.24.
        """
        return self.run.window(self.name, workload, phase)

    def series(self, workload: Workload | str, phase: str = "") -> list[tuple[int, Counts]]:
        """Return (round, counts) of one workload (see `Opened.series`).

        Units: rounds from 1. Counts are those of `results`.
        Errors: BadInput for an unknown phase or workload, with the nearest one.
        Source: `record.Run.series`; PTS 2.0.2 clause 7.4.
        """
        return self.run.series(self.name, workload, phase)

    def charts(self) -> list[Chart]:
        """Return the charts of the test, as in its report.

        Units: on the axes.
        Errors: none.
        Source: `stend.charts`.
        """
        return self.run.charts(self.name)

    def plot(self, name: str = "iops") -> Chart:
        """Return samples over time (`iops`, `mb_s`, `mean_ms`, `max_ms`), or the chart of that name.

        Units: on the axes.
        Errors: BadInput for an unknown name, with a list of all.
        Source: `samples`; `stend.charts`.
        """
        return self.run.plot(name, self.name)

    def __getitem__(self, workload: Workload | str) -> Figures:
        return self.window(workload)

    def __repr__(self) -> str:
        return f"<stend test {self.name} of {self.run.folder}: {len(self.results)} steps>"

    def _repr_html_(self) -> str:
        record, words = self.run.record, Language(self.run.lang)
        (planned,) = look.tests(record, self.name)
        return "".join(map(html, workloads(record, planned, words)))
