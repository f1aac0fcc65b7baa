"""The real engine: load on a drive or a file made by fio, one process for each workload, the next one held ready."""

import os
from collections.abc import Callable
from typing import NamedTuple

from stend.base.fio_features import clock, probe
from stend.engines._fio_job import Section, arguments, parts
from stend.engines._fio_load import FioLoad
from stend.engines._fio_process import Process
from stend.engines._real_time import RealTime
from stend.engines._room import fitted
from stend.model.definition import Workload

__all__ = ["FioEngine", "FioLoad"]

SILENCE_S = 30.0
"""How long fio may leave a question unanswered: longer than a drive's own time-out and reset."""


class Asked(NamedTuple):
    """What a load is started or prepared with."""

    workload: Workload
    seed: int
    from_bytes: int
    limit_bytes: int | None


class FioEngine(RealTime[FioLoad]):
    """Load on what is at `path`. Missing when this host has no fio that can make it.

    `raw` is given every document of fio. fio is killed when the thread that started it ends, so a load lives no longer
    than the thread that works the engine.
    """

    def __init__(
        self,
        path: str,
        *,
        raw: Callable[[bytes], None] | None = None,
        interval_s: float = 1.0,
        fio: str = "fio",
        silence_s: float = SILENCE_S,
    ) -> None:
        self.path, self.fio = os.path.abspath(path), fio
        self.raw = raw or (lambda data: None)
        self.interval_s, self.silence_s = interval_s, silence_s
        self.features = probe(fio)
        self.ready: tuple[Asked, list[Process]] | None = None

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> FioLoad:
        """Start a workload; see the seam. StepFailed when fio cannot begin."""
        self._stop()
        processes = self._held(Asked(workload, seed, from_bytes, limit_bytes))
        self.load = FioLoad(
            processes, workload.label, raw=self.raw, interval_s=self.interval_s, silence_s=self.silence_s
        )
        self.ready = None
        self.load.begin()
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Launch fio for what comes next, held before its first IO; what was held for something else is dropped."""
        self._held(Asked(workload, seed, from_bytes, limit_bytes))

    def _held(self, asked: Asked) -> list[Process]:
        if self.ready is None or self.ready[0] != asked or not all(p.alive for p in self.ready[1]):
            self._drop()
            processes: list[Process] = []
            self.ready = asked, processes
            workload = fitted(self.path, asked.workload)
            for part in parts(workload, asked.from_bytes, asked.limit_bytes):
                processes.append(self._launch(workload, part, asked.seed))
        return self.ready[1]

    def _drop(self) -> None:
        if self.ready:
            while self.ready[1]:
                self.ready[1].pop().end()
        self.ready = None

    def _launch(self, workload: Workload, part: list[Section], seed: int) -> Process:
        words = arguments(workload, part, path=self.path, ioengine=self.features.ioengine, seed=seed)
        return Process(
            [self.fio, *clock(), *words],
            threads=sum(section.threads for section in part),
            limit_bytes=sum(section.io_bytes * section.threads for section in part),
            slack_bytes=max((size - 1 for size, _ in workload.block_mix), default=0),
        )
