"""Tables for any library that reads Arrow: typed by DuckDB, exported by the PyCapsule interface, without pyarrow."""

from collections.abc import Iterable, Mapping
from typing import Any

from stend.base import extras


class Arrow:
    """A table of named, typed columns: `pyarrow.table(it)`, `polars.DataFrame(it)`, `pandas.DataFrame.from_arrow(it)`.

    Units: at the end of each column's name.
    Errors: Missing without DuckDB (`stend[report]`).
    Source: the Arrow PyCapsule interface, `__arrow_c_stream__`; each call makes a new stream.
    """

    def __init__(self, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> None:
        extras.need("a table for Arrow", "duckdb")
        self.types = dict(columns)
        table = list(rows)
        self._values = [[row[name] for row in table] for name in self.types]
        self._length = len(table)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the column names, in order.

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

        columns = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in self.types.items())
        return duckdb.connect().sql(f"SELECT {columns}", params=self._values).__arrow_c_stream__(requested_schema)
