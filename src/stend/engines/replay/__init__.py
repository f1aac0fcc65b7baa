"""An engine that sends IOs of a trace or an open loop at their times, or IOs of weighted streams, by Linux native AIO.

fio does not keep the times of a trace (it drifts 8 to 65 %) or a rate, and cannot tie the size of an IO to its kind.
docs/how-to/workload.md describes replay.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from stend.engines._real_time import SILENCE_S, RealTime
from stend.engines._room import fitted
from stend.engines.mapped import find_trace
from stend.engines.replay.load import BesideLoad, SenderLoad
from stend.engines.replay.process import Sender, start_sender
from stend.engines.replay.task import Task
from stend.model.definition import Workload

__all__ = ["ReplayEngine", "SenderLoad"]

READY_S = 120.0
"""Seconds without processor time after which a sender that is not ready waits for a drive that does not answer."""


class ReplayEngine(RealTime[SenderLoad]):
    """An engine for the drive or file at `path`; with "" it sends nothing and measures the schedule itself.

    `traces` is {number of a trace: its file}. All IOs are multiples of `block_bytes`.
    """

    def __init__(
        self,
        path: str,
        *,
        traces: Mapping[str, str] | None = None,
        block_bytes: int = 512,
        interval_s: float = 1.0,
        silence_s: float = SILENCE_S,
    ) -> None:
        self.path, self.traces, self.block_bytes = path and os.path.abspath(path), traces or {}, block_bytes
        self.interval_s, self.silence_s = interval_s, silence_s
        self.ready: list[tuple[Task, Sender]] = []

    def start(
        self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None
    ) -> SenderLoad:
        """Start a workload, see `Engine.start`. Raise StepFailed if it cannot begin."""
        self._stop()
        held, self.ready = self._held(workload, seed, from_bytes, limit_bytes), []
        for _, sender in held:
            sender.release()
        (first, sender), *others = held
        beside = [self._load(task.workload, other) for task, other in others]
        self.load = self._load(first.workload, sender, beside)
        return self.load

    def _load(self, workload: Workload, sender: Sender, beside: Sequence[SenderLoad] = ()) -> SenderLoad:
        kept: dict[str, Any] = {"interval_s": self.interval_s, "silence_s": self.silence_s, "paced": workload.paced}
        return (
            BesideLoad(sender, workload.label, beside, **kept) if beside else SenderLoad(sender, workload.label, **kept)
        )

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Start a sender for the next workload and hold it before its first IO."""
        self._held(workload, seed, from_bytes, limit_bytes)

    def _drop(self) -> None:
        for _, sender in self.ready:
            sender.end()
        self.ready = []

    def _held(
        self, workload: Workload, seed: int, from_bytes: int, limit_bytes: int | None
    ) -> list[tuple[Task, Sender]]:
        """Return a sender for the workload and for each one beside it, held before their first IO."""
        first = msgspec.structs.replace(workload, beside=())
        beside = [self._task(load, seed + n, 0, 0) for n, load in enumerate(workload.beside, 1)]
        tasks = [self._task(first, seed, from_bytes, limit_bytes or 0), *beside]
        tasks = [msgspec.structs.replace(task, loads=len(tasks)) for task in tasks]
        if [task for task, _ in self.ready] != tasks or not all(sender.alive for _, sender in self.ready):
            self._drop()
            for task in tasks:
                self.ready.append((task, start_sender(task, READY_S)))
        return self.ready

    def _task(self, workload: Workload, seed: int, from_bytes: int, limit_bytes: int) -> Task:
        played = workload.replay
        return Task(
            path=self.path,
            workload=workload,
            seed=seed,
            bound=workload.outstanding,
            interval_ns=round(self.interval_s * 1e9),
            range_bytes=(fitted(self.path, workload) if self.path else workload).range_bytes,
            block_bytes=self.block_bytes,
            trace=str(find_trace(self.traces, played).path) if played else "",
            from_bytes=from_bytes,
            limit_bytes=limit_bytes,
        )
