"""What a program or a notebook asks of runs: the gallery's rooms under one name, and how their answers are shown."""

from stend.api.opened import Opened, open  # noqa: A004 `stend.open`, as `gzip.open`
from stend.api.runs import Runs, open_many

__all__ = ["Opened", "Runs", "open", "open_many"]
