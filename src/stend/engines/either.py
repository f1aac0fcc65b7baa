"""Two engines on one drive, one at a time: fio, and the one of our own for what fio has no word for."""

from stend.engines import Engine, Load
from stend.engines._real_time import RealTime
from stend.model.definition import Workload


class EitherEngine(RealTime[Load]):
    """fio for everything but traces and streams, which `own` sends."""

    def __init__(self, fio: Engine, own: Engine) -> None:
        self.fio, self.own = fio, own

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Start a workload on the engine that can; see the seam."""
        self._stop()
        self.load = self._for(workload).start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Have the one that can ready."""
        self._for(workload).prepare(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)

    def _for(self, workload: Workload) -> Engine:
        return self.own if workload.ours else self.fio

    def _drop(self) -> None:
        self.fio.close()
        self.own.close()
