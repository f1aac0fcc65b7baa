"""What a sender is told to do, as it is handed to its process."""

import msgspec

from stend.model.definition import Workload


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A load on what is at `path`, "" for no drive at all; `trace` is where the workload's trace lies.

    `range_bytes` is what the load may touch from its workload's start on; `block_bytes` what its IOs are whole
    multiples of.
    """

    path: str
    workload: Workload
    seed: int
    bound: int
    interval_ns: int
    range_bytes: int
    block_bytes: int
    trace: str = ""
    from_bytes: int = 0
    limit_bytes: int = 0
    memory: int = -1

    @property
    def writes(self) -> bool:
        """Whether anything is written."""
        return self.workload.read_pct < 100


READY, GO = "ready", "go"
