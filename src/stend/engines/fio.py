"""The engine for drives and files: load made by fio, one process for each workload, with the next one held ready."""

import os
from collections.abc import Callable
from typing import NamedTuple

from stend.base.fio_features import clock, probe
from stend.engines._fio_job import Section, arguments, parts
from stend.engines._fio_load import FioLoad
from stend.engines._fio_process import Process
from stend.engines._real_time import SILENCE_S, RealTime
from stend.engines._room import fitted
from stend.model.definition import Workload

__all__ = ["FioEngine", "FioLoad"]


class Request(NamedTuple):
    """The arguments with which a load is started or prepared."""

    workload: Workload
    seed: int
    from_bytes: int
    limit_bytes: int | None


class FioEngine(RealTime[FioLoad]):
    """An engine for the drive or file at `path`. Raises Missing if this host has no fio that can load it.

    `raw` receives every document of fio. The kernel kills fio when the thread that started it ends. Therefore a load
    does not outlive the thread that uses the engine.
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
        self.ready: tuple[Request, list[Process]] | None = None

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> FioLoad:
        """Start a workload, see `Engine.start`. Raise StepFailed if fio cannot begin."""
        self._stop()
        processes = self._held(Request(workload, seed, from_bytes, limit_bytes))
        self.load = FioLoad(
            processes,
            workload.label,
            raw=self.raw,
            interval_s=self.interval_s,
            silence_s=self.silence_s,
            block_bytes=workload.one_size_bytes,
        )
        self.ready = None
        self.load.begin()
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Launch fio for the next workload and hold it before its first IO. Drop one held for another workload."""
        self._held(Request(workload, seed, from_bytes, limit_bytes))

    def _held(self, request: Request) -> list[Process]:
        """Return the processes held for this request. Launch them if none are."""
        if self.ready is None or self.ready[0] != request or not all(p.alive for p in self.ready[1]):
            self._drop()
            processes: list[Process] = []
            self.ready = request, processes
            workload = fitted(self.path, request.workload)
            for part in parts(workload, request.from_bytes, request.limit_bytes):
                processes.append(self._launch(workload, part, request.seed))
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
