"""The Python API for programs and notebooks: loaded runs with their figures, findings, charts and reports."""

from stend.api.opened import Opened, OpenedTest, open  # noqa: A004 `stend.open`, as `gzip.open`
from stend.api.runs import Runs, open_many, run
from stend.api.table import Table

__all__ = ["Opened", "OpenedTest", "Runs", "Table", "open", "open_many", "run"]
