"""Use several engines on one drive, one at a time: fio, and stend's own for workloads that fio cannot send."""

from stend.engines import Engine, Load
from stend.engines._real_time import RealTime
from stend.model.definition import Workload


class EitherEngine(RealTime[Load]):
    """An engine that passes verified content to `verify`, traces and streams to `replay`, all others to `fio`."""

    def __init__(self, fio: Engine, replay: Engine, verify: Engine) -> None:
        self.fio, self.replay, self.verify = fio, replay, verify

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Start a workload on its engine; see `Engine.start`."""
        self._stop()
        self.load = self._for(workload).start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Prepare a workload on its engine."""
        self._for(workload).prepare(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)

    def _for(self, workload: Workload) -> Engine:
        if workload.verify:
            return self.verify
        return self.replay if workload.ours else self.fio

    def _drop(self) -> None:
        self.fio.close()
        self.replay.close()
        self.verify.close()
