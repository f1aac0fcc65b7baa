"""Two engines on one drive, one at a time: fio, and the one of our own for what fio has no word for."""

from stend.definition import Workload
from stend.engines import Engine, Load


class EitherEngine:
    """fio for everything but traces and streams, which `own` sends. Both have the same clock."""

    def __init__(self, fio: Engine, own: Engine) -> None:
        self.fio, self.own = fio, own
        self.load: Load | None = None

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Start a workload on the engine that can; see the seam."""
        self._stop()
        self.load = self._for(workload).start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Have the one that can ready."""
        self._for(workload).prepare(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)

    def idle(self, seconds: float) -> None:
        """Let time pass."""
        self._stop()
        self.fio.idle(seconds)

    def now(self) -> float:
        """The kernel's monotonic clock."""
        return self.fio.now()

    def slept_s(self) -> float:
        """As both tell it."""
        return self.fio.slept_s()

    def close(self) -> None:
        """Stop what runs, drop what either holds ready."""
        try:
            self._stop()
        finally:
            self.fio.close()
            self.own.close()

    def _for(self, workload: Workload) -> Engine:
        return self.own if workload.ours else self.fio

    def _stop(self) -> None:
        load, self.load = self.load, None
        if load is not None:
            load.stop()
