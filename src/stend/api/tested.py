"""One test of a loaded run: its results, samples, figures, findings and charts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stend.api.samples import table
from stend.api.shown import Chart, Rows, html
from stend.api.table import Table
from stend.findings import Finding, look
from stend.findings.look.figures import Figures
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.events import Result
from stend.report.parts.tables import workloads
from stend.words import Language

if TYPE_CHECKING:
    from stend.api.opened import Opened


@dataclass(frozen=True, repr=False)
class OpenedTest:
    """A test of a loaded run: `run["iops"]`. `test["4k randwrite"]` is `window("4k randwrite")`.

    Units: base units, at the end of each name.
    Errors: each is a `stend.base.errors.StendError` with a message of one sentence.
    Source: the run folder (docs/reference/run-folder.md).
    """

    run: "Opened"
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
    def samples(self) -> Table:
        """Return the samples of the test; the columns are those of `Opened.samples`.

        Units: at the end of each column's name.
        Errors: none.
        Source: events.jsonl.
        """
        return table(self.run.record, [self.name])

    @property
    def figures(self) -> Rows[Figures]:
        """Return the figures of the test; see `Opened.figures`.

        Units: IOs/s, bytes/s, seconds by `.value(name)`; the table in MB/s and milliseconds.
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
        """Return the figures of one workload over the measurement window; see `Opened.window`.

        Units: IOs/s, bytes/s, seconds; None for a percentile that the sample size does not support.
        Errors: BadInput for an unknown phase or workload, with the nearest one.
        Source: `findings.look.figures`; PTS 2.1.24.
        """
        return self.run.window(self.name, workload, phase)

    def series(self, workload: Workload | str, phase: str = "") -> list[tuple[int, Counts]]:
        """Return (round, counts) of one workload; see `Opened.series`.

        Units: rounds from 1; counts as in `results`.
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
