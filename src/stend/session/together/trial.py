"""How much drives disturb each other: one holds its load while the others start and stop, again and again.

Each comparison is a pair: the drive alone, and at once the same load beside the others; so what drifts does not count.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from statistics import median

import msgspec

from stend.base.units import KiB
from stend.model.counts import Counts, added
from stend.model.definition import Workload
from stend.model.stats import percentile_s
from stend.session.request import Request
from stend.session.together import probe
from stend.session.together.probe import Asked, Heard, Next

LEAST_RATE, MOST_TAIL, STAMPED = 0.98, 1.05, 0.02
"""What a drive must keep beside others to be measured beside them; what is stamped."""
PAIRS, PATIENCE_S, PERCENT = 3, 60.0, 99.9
LOADS = (
    Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=32),
    Workload(random_pct=0, read_pct=100, block_bytes=128 * KiB, depth=32),
    Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, depth=32),
)
"""128 KiB writes on what a run purges anyway, the same reads, and small reads as deep as one processor goes."""


class Moved(msgspec.Struct, frozen=True):
    """A load of a drive beside others against alone, a ratio a pair: bytes per second, and p99.9 of response times."""

    target: str
    load: str
    rates: tuple[float, ...]
    tails: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        """The median of its pairs."""
        return median(self.rates)

    @property
    def tail(self) -> float | None:
        """The same of response times; None where too few IOs tell them."""
        return median(self.tails) if self.tails else None


class Trial(msgspec.Struct, frozen=True):
    """What came of it; drives that the gate refused, and those that did not come to the end of it, with why."""

    seconds: float
    moved: tuple[Moved, ...]
    refused: dict[str, str]
    failed: dict[str, str]

    @property
    def carried(self) -> bool:
        """Whether this host carries these drives at once: all was measured, and kept to the limits."""
        tails = (one.tail for one in self.moved if one.tail is not None)
        return (
            bool(self.moved) and not self.failed and self.least >= LEAST_RATE and max(tails, default=0.0) <= MOST_TAIL
        )

    @property
    def least(self) -> float:
        """The worst of all rates."""
        return min((one.rate for one in self.moved), default=1.0)

    def of(self, target: str) -> list[Moved]:
        """What was measured of one drive."""
        return [one for one in self.moved if one.target == target]


def trial(requests: Sequence[Request], folder: str, seconds: float, fds: Sequence[int] = ()) -> Trial:
    """Each drive beside all others, `seconds` a window, through the gate; nothing is left running.

    The drives' processes have the descriptors `fds`, which hold whatever they lock as long as one works.
    """
    with ExitStack() as end:
        probes = [end.enter_context(Probe(request, folder, seconds, fds)) for request in requests]
        for one in probes:
            one.waits(lambda one=one: one.ready)  # type: ignore[misc]
        moved = [
            told
            for load in LOADS
            for one in probes
            if (told := _moved(one, [other for other in probes if other is not one], load, seconds))
        ]
        refused = {one.target: one.refused for one in probes if one.refused}
        failed = {one.target: one.failed for one in probes if one.failed and not one.refused}
    return Trial(seconds, tuple(moved), refused, failed)


def _moved(one: "Probe", others: Sequence["Probe"], load: Workload, seconds: float) -> Moved | None:
    """One drive's load, the others beside it now and then; None where no pair came to its end."""
    pairs = []
    one.hold(load)
    for _ in range(PAIRS):
        alone = one.window(seconds)
        for other in others:
            other.hold(load)
        beside = one.window(seconds)
        for other in others:
            other.hold(None)
        if alone and beside and not one.failed and any(not other.failed for other in others):
            pairs.append((alone, beside))
    one.hold(None)
    tails = [(percentile_s(a.both, PERCENT), percentile_s(b.both, PERCENT)) for a, b in pairs]
    rates = tuple(b.bytes_per_s / a.bytes_per_s for a, b in pairs)
    return Moved(one.target, load.label, rates, tuple(b / a for a, b in tails if a and b)) if pairs else None


class Probe:
    """The process of one drive, and what it said so far."""

    def __init__(self, request: Request, folder: str, seconds: float, fds: Sequence[int] = ()) -> None:
        self.target, self.refused, self.failed, self.ready = request.target, "", "", False
        self.holds: Workload | None = None
        self.heard: list[Heard] = []
        self.news = threading.Condition()
        words = [sys.executable, "-m", probe.__name__]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0, pass_fds=fds
        )
        threading.Thread(target=self._listen, daemon=True).start()
        asked = Asked(
            request.target, request.destroy or "", os.path.abspath(folder), min(seconds / 5, 1.0), request.overwrite
        )
        self._tell(asked)

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *error: object) -> None:
        """Its input ends, and it with that; one that hangs is left to the kernel."""
        with suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE_S)
            return
        self.process.kill()

    def hold(self, load: Workload | None) -> None:
        """Begin a load, or end it; it is under way, or over, when this returns."""
        if self.failed or (load is None and self.holds is None):
            return
        self.heard.clear()
        self.holds = load
        self._tell(Next(load))
        self.waits(lambda: any((one.counts if load else one.rests) for one in list(self.heard)))

    def window(self, seconds: float) -> Counts | None:
        """What it did in so many seconds from now, in whole intervals; None where it did nothing."""
        began = time.monotonic()
        self.waits(lambda: bool(self.heard) and self.heard[-1].t >= began + seconds)
        inside = [one.counts for one in list(self.heard) if one.counts and one.t - one.counts.seconds >= began]
        total = added(inside)
        return total if total.bytes_per_s else None

    def waits(self, true: Callable[[], bool]) -> None:
        """Until that is so, it failed, or nothing more is to be hoped for."""
        with self.news:
            if not self.news.wait_for(lambda: true() or bool(self.failed), PATIENCE_S):
                self.failed = f"{self.target} said nothing for {PATIENCE_S:.0f} s in the trial"

    def _tell(self, word: Asked | Next) -> None:
        with suppress(OSError):
            self.process.stdin.write(msgspec.json.encode(word) + b"\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def _listen(self) -> None:
        assert self.process.stdout is not None  # noqa: S101 for mypy: it is a pipe
        for line in self.process.stdout:
            said = msgspec.json.decode(line, type=Heard)
            with self.news:
                self.heard.append(said)
                self.ready, self.refused = self.ready or said.ready, self.refused or said.refused
                self.failed = self.failed or said.failed or said.refused
                self.news.notify_all()
        with self.news:
            self.failed = self.failed or f"the trial of {self.target} ended without a word"
            self.news.notify_all()
