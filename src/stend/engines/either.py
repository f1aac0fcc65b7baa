"""Use several engines on one drive, one at a time: fio, and stend's own for loads that fio cannot send or time."""

from collections.abc import Collection

from stend.engines import Engine, Load
from stend.engines._real_time import RealTime
from stend.model.definition import Workload


class EitherEngine(RealTime[Load]):
    """An engine that passes verified content to `verify`, surveys to `survey`, `ours` and `alike` to `replay`.

    `fio` has all others. `alike` are workloads that are compared with those that fio cannot send: figures of two
    engines would show the difference of the engines too.
    """

    def __init__(
        self, fio: Engine, replay: Engine, verify: Engine, survey: Engine, alike: Collection[Workload] = ()
    ) -> None:
        self.fio, self.replay, self.verify, self.survey, self.alike = fio, replay, verify, survey, alike

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Start a workload on its engine. See `Engine.start`."""
        self._stop()
        self.load = self._for(workload).start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Prepare a workload on its engine."""
        self._for(workload).prepare(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)

    def _for(self, workload: Workload) -> Engine:
        if workload.verify:
            return self.verify
        if workload.survey:
            return self.survey
        return self.replay if workload.ours or workload in self.alike else self.fio

    def _drop(self) -> None:
        for engine in (self.fio, self.replay, self.verify, self.survey):
            engine.close()
