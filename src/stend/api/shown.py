"""How answers look in a notebook: rows as a table, a chart as Vega-Lite with an SVG for who cannot draw that."""

from collections.abc import Iterable
from html import escape
from typing import Any, TypeVar

from stend import extras
from stend.charts import Picture
from stend.plain import plain
from stend.report.parts import Table

T = TypeVar("T")
VEGA_LITE = "application/vnd.vegalite.{version}+json"


class Rows(tuple[T, ...]):
    """Answers as they are, a tuple; a notebook shows them as a table with the units in its head."""

    table: Table

    @classmethod
    def of(cls, rows: Iterable[T], table: Table) -> "Rows[T]":
        """These, shown as that."""
        made = cls(rows)
        made.table = table
        return made

    def _repr_html_(self) -> str:
        return html(self.table)


class Chart(Picture):
    """A chart: `spec` is its Vega-Lite specification with all its data, `says` the sentence for who cannot see it.

    Units: on its axes.
    Errors: none; where it cannot be drawn an SVG says why.
    Source: `stend.charts`, which reports draw.
    """

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Vega-Lite for who draws it; an SVG, drawn here and without a network, for who does not; else its sentence."""
        version = self.spec["$schema"].rpartition("/")[2].partition(".")[0]
        bundle = {"text/plain": f"{self.title}. {self.says}", VEGA_LITE.format(version=version): self.spec}
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


def _cell(text: str) -> str:
    return escape(plain(text))
