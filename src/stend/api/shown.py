"""How answers look in a notebook: rows as a table, a chart as Vega-Lite with an SVG for who cannot draw that."""

from collections.abc import Iterable
from html import escape
from typing import Any, TypeVar

from stend.base import extras
from stend.base.text import plain
from stend.charts import Picture
from stend.report.parts import Table

T = TypeVar("T")
VEGA_LITE = "application/vnd.vegalite.{version}+json"


class Shown:
    """What shows itself as a table: HTML in a notebook, plain columns in a terminal."""

    __slots__ = ()
    _table: Table

    def __repr__(self) -> str:
        return text(self._table)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """IPython would write a tuple out otherwise, with every bin of every figure."""
        printer.text(repr(self))

    def _repr_html_(self) -> str:
        return html(self._table)


class Rows(Shown, tuple[T, ...]):
    """Answers as they are, a tuple, which is shown as a table with the units in its head."""

    @classmethod
    def of(cls, rows: Iterable[T], table: Table) -> "Rows[T]":
        """These, shown as that."""
        made = cls(rows)
        made._table = table
        return made


class Chart(Picture):
    """A chart: `spec` is its Vega-Lite specification with all its data, `says` the sentence for who cannot see it.

    Units: on its axes.
    Errors: none; where it cannot be drawn an SVG says why.
    Source: `stend.charts`, which reports draw.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self.title}. {self.says}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Vega-Lite for who draws it; an SVG, drawn here and without a network, for who does not; else its sentence."""
        version = self.spec["$schema"].rpartition("/")[2].partition(".")[0]
        bundle = {"text/plain": repr(self), VEGA_LITE.format(version=version): self.spec}
        if not extras.missing("vl_convert"):
            from stend.report.parts.drawing import svg

            bundle["image/svg+xml"] = svg(self)
        return bundle


def html(table: Table) -> str:
    """A table of finished cells as HTML, words of drives made harmless."""
    head = "".join(f"<th>{_cell(word)}</th>" for word in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    title = f"<caption>{_cell(table.title)}</caption>" if table.title else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def text(table: Table) -> str:
    """The same for a terminal."""
    lines = [[plain(cell) for cell in line] for line in (table.head, *table.rows)]
    wide = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, wide)).rstrip() for line in lines)


def _cell(words: str) -> str:
    return escape(plain(words))
