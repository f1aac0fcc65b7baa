"""Pretenders for stories about the runner: a drive and an engine that do nothing, at a chosen rate, and keep a log."""

from collections.abc import Callable
from typing import Any

from stend.base.units import GiB
from stend.gate import Door
from stend.model.counts import Counts
from stend.model.definition import Identity, Workload
from stend.model.stats import bin_index
from stend.model.tally import Tally
from stend.words import Sentence
from tests.shape import played_bytes

IDENTITY = Identity(
    kind="still",
    target="still",
    path="still",
    capacity_bytes=GiB,
    serial="STILL",
    virtual=True,
    facts={"trim_max_bytes": GiB},
)


class StillLoad:
    """Intervals of a second (or the engine's own) at the engine's rate for this workload."""

    def __init__(self, engine: "StillEngine", workload: Workload, left: int | None) -> None:
        self.engine, self.workload, self.left = engine, workload, left
        self.began = self.ended = engine.clock

    def next(self) -> Counts | None:
        if self.left is not None and self.left <= 0:
            return None
        seconds = self.engine.interval_s
        self.engine.clock += seconds
        self.ended = self.engine.clock
        ios = round(self.engine.rate(self.workload, self.engine.clock) * seconds)
        size = ios * self.workload.block_bytes
        if self.left is not None:
            size = min(size, self.left)
            ios, self.left = size // self.workload.block_bytes, self.left - size
        reads = ios * self.workload.read_pct // 100
        return Counts(seconds, 0.1, self._tally(reads), self._tally(ios - reads))

    def _tally(self, ios: int) -> Tally:
        ns = 100_000
        bins = {bin_index(ns): ios} if ios else {}
        return Tally(ios, ios * self.workload.block_bytes, ios * ns, ios * ns**2, ns if ios else 0, bins)

    def stop(self) -> Counts | None:
        self.engine.log.append("stop")
        return None


class StillEngine:
    """A virtual clock and a log of what was asked."""

    def __init__(self, rate: Callable[[Workload, float], float] = lambda w, t: 1000.0, interval_s: float = 1) -> None:
        self.rate, self.clock, self.log, self.interval_s = rate, 0.0, list[str](), interval_s

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> StillLoad:
        extra = f" from {from_bytes}" if from_bytes else ""
        extra += f" limit {limit_bytes}" if limit_bytes is not None else ""
        self.log.append(f"start {workload.label}{extra}")
        return StillLoad(self, workload, played_bytes(workload) if limit_bytes is None else limit_bytes)

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        self.log.append(f"ready {workload.label}" + (f" from {from_bytes}" if from_bytes else ""))

    def idle(self, seconds: float) -> None:
        self.clock += seconds
        self.log.append(f"idle {seconds:g}")

    def now(self) -> float:
        return self.clock

    def slept_s(self) -> float:
        return 0.0

    def close(self) -> None:
        self.log.append("close")


class StillDevice:
    """A drive that is always there."""

    def __init__(self, log: list[str] | None = None) -> None:
        self.identity, self.log = IDENTITY, log if log is not None else []
        self.door = Door("still", lambda: self.log.append("check"))
        self.door.writes = True

    def purge(self) -> Sentence:
        self.log.append("purge")
        return Sentence("purge_nothing")

    def health(self) -> dict[str, Any]:
        return {}
