"""Display in notebooks: rows as a table, charts as Vega-Lite, or as SVG where Vega-Lite cannot be drawn."""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any, TypeVar

from stend.base.text import plain
from stend.charts import Picture
from stend.report.parts import Table

T = TypeVar("T")
VEGA_LITE = "application/vnd.vegalite.{version}+json"


class Shown:
    """A value that is displayed as a table: HTML in a notebook, plain columns in a terminal."""

    __slots__ = ()
    _table: Table

    def __repr__(self) -> str:
        return text(self._table)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the table. IPython would print the tuple with every bin of every figure."""
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        return html(self._table)


class Rows(Shown, tuple[T, ...]):
    """A tuple of results that is displayed as a table with the units in its head."""

    @classmethod
    def of(cls, rows: Iterable[T], table: Table) -> "Rows[T]":
        """Return rows that are displayed as a table."""
        made = cls(rows)
        made._table = table
        return made

    def where(self, test: Callable[[T], bool]) -> "Rows[T]":
        """Return the rows that pass a test, with their part of the table."""
        kept = [(row, cells) for row, cells in zip(self, self._table.rows, strict=True) if test(row)]
        table = Table(self._table.title, self._table.head, tuple(cells for _, cells in kept))
        return Rows.of((row for row, _ in kept), table)


class Chart(Picture):
    """A chart: `spec` is its Vega-Lite specification with all its data, `says` its description in one sentence.

    Units: on its axes.
    Errors: none, because an SVG states why it cannot be drawn.
    Source: `stend.charts`, which reports draw.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self.title}. {self.says}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Return Vega-Lite, plain text and an SVG that is drawn without a network."""
        from stend.report.parts.drawing import svg

        version = self.spec["$schema"].rpartition("/")[2].partition(".")[0]
        return {"text/plain": repr(self), VEGA_LITE.format(version=version): self.spec, "image/svg+xml": svg(self)}


def html(table: Table) -> str:
    """Return a table of text cells as HTML, with control characters and markup escaped."""
    head = "".join(f"<th>{_cell(word)}</th>" for word in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    title = f"<caption>{_cell(table.title)}</caption>" if table.title else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def text(table: Table) -> str:
    """Return a table as aligned plain text."""
    lines = [[plain(cell) for cell in line] for line in (table.head, *table.rows)]
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, wide)).rstrip() for line in lines)


def _cell(words: str) -> str:
    return escape(plain(words))
