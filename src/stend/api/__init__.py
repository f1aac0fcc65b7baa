"""The Python API for programs and notebooks: loaded runs with their figures, findings, charts and reports."""

from stend.api.opened import Opened, open  # noqa: A004 `stend.open`, as `gzip.open`
from stend.api.runs import Runs, open_many

__all__ = ["Opened", "Runs", "open", "open_many"]
