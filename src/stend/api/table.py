"""Tables for pandas, polars and every library that reads Arrow. stend itself needs none of these libraries."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from stend.base import extras
from stend.base.errors import BadInput

POLARS = {"VARCHAR": "String", "BIGINT": "Int64", "DOUBLE": "Float64", "BOOLEAN": "Boolean"}
"""SQL type -> data type of polars."""


class Frames:
    """Named columns that become data frames of pandas and polars."""

    __slots__ = ()
    columns: Any

    def values(self, column: str) -> list[Any]:
        """Return the values of a column in order, None where there is no value.

        Units: at the end of the column's name.
        Errors: BadInput for an unknown column, with a list of all.
        Source: none.
        """
        raise NotImplementedError

    def df(self) -> Any:
        """Return the table as a `pandas.DataFrame`.

        Units: at the end of each column's name.
        Errors: Missing without pandas.
        Source: none.
        """
        return self._framed("pandas")

    def pl(self) -> Any:
        """Return the table as a `polars.DataFrame`.

        Units: at the end of each column's name.
        Errors: Missing without polars.
        Source: none.
        """
        return self._framed("polars", infer_schema_length=None)

    def _framed(self, library: str, **more: Any) -> Any:
        extras.need(f"a table for {library}", library)
        return import_module(library).DataFrame({name: self.values(name) for name in self.columns}, **more)


class Table(Frames):
    """A table of named, typed columns: `.df()` for pandas, `.pl()` for polars, `.to_arrow()` for pyarrow.

    `table["iops"]` is one column. Every library that reads Arrow takes the table itself: `polars.DataFrame(table)`.

    Units: at the end of each column's name.
    Errors: Missing names the library to install.
    Source: the Arrow PyCapsule interface, `__arrow_c_stream__`. Each call makes a new stream.
    """

    __slots__ = ("_length", "_values", "types")

    def __init__(self, types: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> None:
        self.types, table = dict(types), list(rows)
        self._values = {name: [row[name] for row in table] for name in self.types}
        self._length = len(table)

    @classmethod
    def of(cls, types: Mapping[str, str], columns: Mapping[str, Sequence[Any]]) -> "Table":
        """Return the table of these columns, which have equal lengths.

        Units: at the end of each column's name.
        Errors: none.
        Source: none.
        """
        made = cls(types, ())
        made._values = {name: list(columns[name]) for name in types}
        made._length = len(next(iter(made._values.values()), ()))
        return made

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the column names, in order.

        Units: at the end of each.
        Errors: none.
        Source: docs/reference/columns.md.
        """
        return tuple(self.types)

    def values(self, column: str) -> list[Any]:
        """Return the values of a column in order, None where there is no value; `table[column]` is short for it.

        Units: at the end of the column's name.
        Errors: BadInput for an unknown column, with a list of all.
        Source: none.
        """
        if column not in self.types:
            raise BadInput(f"the table has no column {column!r}; choose from: {', '.join(self.types)}")
        return self._values[column]

    def pl(self) -> Any:
        """Return the table as a `polars.DataFrame` with the types of the columns.

        Units: at the end of each column's name.
        Errors: Missing without polars.
        Source: none.
        """
        extras.need("a table for polars", "polars")
        library = import_module("polars")
        return self._framed(
            "polars", schema={name: getattr(library, POLARS[kind]) for name, kind in self.types.items()}
        )

    def to_arrow(self) -> Any:
        """Return the table as a `pyarrow.Table`.

        Units: at the end of each column's name.
        Errors: Missing without pyarrow (`stend[trace]`) or DuckDB (`stend[report]`).
        Source: none.
        """
        extras.need("a table of pyarrow", "pyarrow")
        return import_module("pyarrow").table(self)

    def __getitem__(self, column: str) -> list[Any]:
        return self.values(column)

    def __iter__(self) -> Any:
        return iter(self.columns)

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"<stend table of {len(self)} rows, {len(self.types)} columns: {', '.join(self.types)}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        extras.need("a table for Arrow", "duckdb")
        import duckdb

        columns = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in self.types.items())
        values = [*self._values.values()]
        return duckdb.connect().sql(f"SELECT {columns}", params=values).__arrow_c_stream__(requested_schema)
