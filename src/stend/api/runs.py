"""All runs of a folder to ask: a list of what is known of each, SQL over their figures, each by its name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stend import catalogue
from stend.api.opened import Opened
from stend.api.opened import open as open_one
from stend.api.shown import Rows, Shown
from stend.base import extras
from stend.base.errors import BadInput
from stend.catalogue import About, Answer
from stend.catalogue.choice import chosen
from stend.report.parts import Table

SHOWN = ("run", "model", "firmware", "tests", "outcome", "stamps")


class Answered(Shown, Answer):
    """`columns` and `rows` of a query, `more` where there are more rows than were asked for; a table in a notebook.

    Units: at the end of each column's name.
    Errors: none.
    Source: `stend.catalogue`.
    """

    __slots__ = ()

    @property
    def _table(self) -> Table:  # type: ignore[override]
        """As it is shown."""
        return Table("", self.columns, tuple(tuple(map(_said, row)) for row in self.rows))


def open_many(top: str | Path = "runs") -> "Runs":
    """All runs in a folder or in folders of it, finished or not; nothing is read before it is asked for.

    Units: none.
    Errors: BadInput where there is no such folder.
    Source: `stend.catalogue`, as in `stend list`.
    """
    if not Path(top).is_dir():
        raise BadInput(f"{top} is no folder of runs; `stend run` makes runs/, any other can be named")
    return Runs(Path(top))


@dataclass(frozen=True)
class Runs:
    """All runs of a folder; every question is answered of what is there when it is asked.

    Units: base units, at the end of each name.
    Errors: every one is a `stend.base.errors.StendError` of one sentence; a run that cannot be read is warned of
    (`stend.base.errors.LeftOut`) and left out.
    Source: `stend.catalogue` (docs/catalogue.md).
    """

    top: Path

    def list(self, where: Sequence[str] = ()) -> Rows[About]:
        """What is known of each run, oldest first; `where` chooses as `stend list --where` does: `["model=KC*"]`.

        Units: bytes, seconds, Unix time.
        Errors: BadInput for a column or a comparison that is none.
        Source: the table `runs`.
        """
        with catalogue.opened(self.top) as known:
            known.warn()
            own = chosen(known.runs, [where] if isinstance(where, str) else where)
        cells = tuple(tuple(_said(getattr(one, name)) for name in SHOWN) for one in own)
        return Rows.of(own, Table("", SHOWN, cells))

    def query(self, sql: str, most: int | None = None) -> Answered:
        """What one statement of DuckDB's SQL that only reads says of the catalogue's tables (docs/catalogue.md).

        Units: base units, at the end of each column's name.
        Errors: BadInput for any other statement; StepFailed after 60 s; Missing without DuckDB (`stend[report]`).
        Source: `catalogue.Catalogue.query`, as in `stend query`.
        """
        extras.need("asking the catalogue", "duckdb")
        with catalogue.opened(self.top) as known:
            known.warn()
            return Answered(*known.query(sql, most))

    def open(self, run: str, lang: str = "en") -> Opened:
        """One of them: by its name, a part of it that only one has, or `last`.

        Units: none.
        Errors: BadInput where none or several are meant.
        Source: `catalogue.named`.
        """
        found = catalogue.named(run, self.top)
        if found is None:
            raise BadInput(f"no run below {self.top} is called {run!r}")
        return open_one(found, lang)


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)
