"""The task of a reader, and the lines that it prints."""

import msgspec

from stend.base import limits
from stend.model.surveyed import Surveyed
from stend.model.tally import Tally
from stend.model.workload import Workload

STOP = "stop"


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A survey of the drive or file at `path`. A failed read is repeated in parts of `unit_bytes`.

    Blocks of zeros are counted apart unless the drive is `rotational`.
    """

    path: str
    workload: Workload
    seed: int
    interval_s: float
    unit_bytes: int
    from_bytes: int = 0
    rotational: bool = False


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Reads since the line before, and the seconds that they took. `over` is True in the last line.

    `fault` is why the survey cannot continue, "" if it can.
    """

    seconds: limits.Seconds
    read: Tally
    places: Surveyed
    over: bool = False
    fault: str = ""
