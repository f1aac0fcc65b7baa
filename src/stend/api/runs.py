"""All runs of a folder: a list, SQL over their figures, access to each run by its name, and the start of a new one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stend import catalogue
from stend.api.opened import Opened
from stend.api.opened import open as open_one
from stend.api.shown import Rows, Shown
from stend.api.table import Frames
from stend.base import extras
from stend.base.errors import BadInput, StepFailed
from stend.catalogue import About, Answer
from stend.catalogue.choice import chosen
from stend.report.parts import Table

SHOWN = ("run", "model", "firmware", "tests", "outcome", "stamps")


class Answered(Shown, Frames, Answer):
    """The result of a query: `columns`, `rows`, and `more` if rows were cut off by the limit; a table in a notebook.

    `.df()` and `.pl()` return it as a data frame of pandas or polars.

    Units: at the end of each column's name.
    Errors: none.
    Source: `stend.catalogue`.
    """

    __slots__ = ()

    def values(self, column: str) -> list[Any]:
        """Return the values of a column in order.

        Units: at the end of the column's name.
        Errors: BadInput for an unknown column, with a list of all.
        Source: none.
        """
        if column not in self.columns:
            raise BadInput(f"the answer has no column {column!r}; choose from: {', '.join(self.columns)}")
        at = self.columns.index(column)
        return [row[at] for row in self.rows]

    @property
    def _table(self) -> Table:  # type: ignore[override]
        """Return the table that a notebook or terminal shows."""
        return Table("", self.columns, tuple(tuple(map(_text, row)) for row in self.rows))


def open_many(top: str | Path = "runs") -> "Runs":
    """Open all runs in a folder or its subfolders, finished or not. They are read at the first access.

    Units: none.
    Errors: BadInput if the folder does not exist.
    Source: `stend.catalogue`, as in `stend list`.
    """
    if not Path(top).is_dir():
        raise BadInput(f"{top} is not a folder; name a folder of runs, such as runs/")
    return Runs(Path(top))


@dataclass(frozen=True)
class Runs:
    """All runs of a folder. Every call reads the current state of the folder.

    Units: base units, at the end of each name.
    Errors: each is a `stend.base.errors.StendError` with a message of one sentence. A run that cannot be read is left
    out with a warning (`stend.base.errors.LeftOut`).
    Source: `stend.catalogue` (docs/how-to/imports-and-sheets.md).
    """

    top: Path

    def list(self, where: Sequence[str] = ()) -> Rows[About]:
        """Return the catalogue entry of each run, oldest first. `where` is as in `stend list --where`: `["model=KC*"]`.

        Units: bytes, seconds, Unix time.
        Errors: BadInput for an unknown column or an invalid comparison.
        Source: the table `runs`.
        """
        with catalogue.opened(self.top) as known:
            known.warn()
            runs = chosen(known.runs, [where] if isinstance(where, str) else where)
        cells = tuple(tuple(_text(getattr(run, name)) for name in SHOWN) for run in runs)
        return Rows.of(runs, Table("", SHOWN, cells))

    def query(self, sql: str, most: int | None = None) -> Answered:
        """Run one read-only statement of DuckDB's SQL on the catalogue's tables (docs/how-to/imports-and-sheets.md).

        Units: base units, at the end of each column's name.
        Errors: BadInput for any other statement; StepFailed after 60 s; Missing without DuckDB (`stend[report]`).
        Source: `catalogue.Catalogue.query`, as in `stend query`.
        """
        extras.need("a query of the catalogue", "duckdb")
        with catalogue.opened(self.top) as known:
            known.warn()
            return Answered(*known.query(sql, most))

    def open(self, run: str, lang: str = "en") -> Opened:
        """Load one run by its name, by a part of the name that only one run has, or by `last`.

        Units: none.
        Errors: BadInput if no run or several runs match.
        Source: `catalogue.named`.
        """
        folder = catalogue.named(run, self.top)
        if folder is None:
            raise BadInput(f"no run below {self.top} is named {run!r}; `stend list` shows the names")
        return open_one(folder, lang)


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)


def run(
    tests: str | Sequence[str],
    target: str,
    *,
    quick: bool = False,
    profile: str | None = None,
    into: str | Path | None = None,
    lang: str = "en",
    **options: Any,
) -> Opened:
    """Run tests on a drive until they end, and return the run: `stend.run(["iops"], "sim:small", quick=True)`.

    The run folder is `into`, by default a new one in runs/. `options` are the other fields of
    `stend.session.Request`. A real drive needs `destroy`, its serial number (for a file, its full path), because
    all data on it is destroyed. The report is written by `.report()` of the result.

    Units: as in `stend.session.Request`.
    Errors: BadInput, Refused or Missing before anything is created. StepFailed if the run failed, with its folder kept.
    Source: `stend run`.
    """
    from stend import session

    names = [tests] if isinstance(tests, str) else [*tests]
    folder = str(into) if into else None
    request = session.Request(names, target, profile, quick, into=folder, **options)
    with session.start(request) as running:
        for _ in running:
            pass
    opened = open_one(running.folder, lang)
    if (end := opened.record.ended) and end.outcome == "failed":
        raise StepFailed(f"the run failed: {end.reason or 'see its notes'}; its folder is {running.folder}")
    return opened
