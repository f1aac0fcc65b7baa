"""Rows for any library that speaks Arrow: typed by DuckDB, handed over by the PyCapsule interface, without pyarrow."""

from collections.abc import Iterable, Mapping
from typing import Any

from stend.base import extras


class Arrow:
    """A table of named, typed columns: `pyarrow.table(it)`, `polars.DataFrame(it)`, `pandas.DataFrame.from_arrow(it)`.

    Units: at the end of each column's name.
    Errors: Missing without DuckDB (`stend[report]`).
    Source: the Arrow PyCapsule interface, `__arrow_c_stream__`; it may be asked as often as one likes.
    """

    def __init__(self, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> None:
        extras.need("a table for Arrow", "duckdb")
        self.types = dict(columns)
        told = list(rows)
        self._values = [[row[name] for row in told] for name in self.types]
        self._length = len(told)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names, in order.

        Units: at the end of each.
        Errors: none.
        Source: `report.parts.records`.
        """
        return tuple(self.types)

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"<stend table of {len(self)} rows, {len(self.types)} columns: {', '.join(self.types)}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import duckdb

        asked = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in self.types.items())
        return duckdb.connect().sql(f"SELECT {asked}", params=self._values).__arrow_c_stream__(requested_schema)
