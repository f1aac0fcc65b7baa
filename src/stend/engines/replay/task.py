"""The task of a sender, as it is passed to its process."""

import msgspec

from stend.model.definition import Workload


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A load on the drive or file at `path`, "" for none; `trace` is the path of the workload's trace, or empty.

    The load may touch `range_bytes` from its workload's start on. Its IOs are multiples of `block_bytes`. `bound` is
    the most IOs in flight, `loads` how many loads run together, and `memory` the descriptor of the shared memory.
    """

    path: str
    workload: Workload
    seed: int
    bound: int
    interval_ns: int
    range_bytes: int
    block_bytes: int
    trace: str
    from_bytes: int
    limit_bytes: int
    loads: int = 1
    memory: int = -1

    @property
    def writes(self) -> bool:
        """Return True if the load writes or trims."""
        return self.workload.writes


READY, GO = "ready", "go"
