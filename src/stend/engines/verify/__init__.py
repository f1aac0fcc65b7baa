"""An engine that writes content which carries its address, and compares what it reads, without stopping at errors.

fio reports a bad block as a message and keeps neither kind nor range. Its `verify` options therefore do not suffice.
"""

from stend.engines._real_time import SILENCE_S, RealTime
from stend.engines._room import fitted
from stend.engines.verify.content import Tag
from stend.engines.verify.load import Task, VerifyLoad
from stend.model.definition import Workload

__all__ = ["VerifyEngine", "VerifyLoad"]

PIECE_BYTES = 4096
"""Bytes in which a failed IO is repeated: the physical sector of most drives."""


class VerifyEngine(RealTime[VerifyLoad]):
    """An engine for the drive or file at `path`. `run` is the number that every block carries."""

    def __init__(self, path: str, *, block_bytes: int = 512, interval_s: float = 1.0) -> None:
        self.path, self.block_bytes, self.interval_s = path, block_bytes, interval_s

    def start(
        self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None
    ) -> VerifyLoad:
        """Start a workload with `verify`, see `Engine.start`. Its blocks carry `seed`.

        Without a limit it ends at its range's end. Raise StepFailed if the target cannot be opened or is too small.
        """
        self._stop()
        assert workload.verify  # noqa: S101 for mypy: EitherEngine passes no other workload
        load = fitted(self.path, workload)
        task = Task(
            path=self.path,
            writes=load.read_pct == 0,
            tag=Tag(seed, workload.verify.number),
            begin_bytes=load.start_bytes,
            first_bytes=load.start_bytes + from_bytes,
            end_bytes=load.start_bytes + load.range_bytes,
            io_bytes=load.block_bytes,
            every_bytes=workload.verify.every_bytes or load.block_bytes,
            limit_bytes=load.verify_bytes(from_bytes) if limit_bytes is None else limit_bytes,
            threads=load.outstanding,
            piece_bytes=max(self.block_bytes, PIECE_BYTES),
        )
        self.load = VerifyLoad(task, interval_s=self.interval_s, silence_s=SILENCE_S)
        return self.load
