"""Measure how much drives disturb each other: one holds its load while the others start and stop.

Each comparison is a pair: the drive alone, and at once the same load beside the others, which cancels drift.
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
from stend.session.together.probe import Next, Report, Setup

LEAST_RATE, MOST_TAIL, STAMPED = 0.98, 1.05, 0.02
"""Limits within which a drive may be measured beside others; change above which figures are stamped."""
PAIRS, PATIENCE_S, PERCENT = 3, 60.0, 99.9
LOADS = (
    Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=32),
    Workload(random_pct=0, read_pct=100, block_bytes=128 * KiB, depth=32),
    Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, depth=32),
)
"""128 KiB writes to data that a run purges anyway, the same reads, and small reads at a depth for one processor."""


class Moved(msgspec.Struct, frozen=True):
    """A load of a drive beside others relative to alone: ratios of bytes per second and of p99.9, one per pair."""

    target: str
    load: str
    rates: tuple[float, ...]
    tails: tuple[float, ...] = ()

    @property
    def rate(self) -> float:
        """Return the median of the pairs."""
        return median(self.rates)

    @property
    def tail(self) -> float | None:
        """Return the median of the response times' ratios, or None if there were too few IOs."""
        return median(self.tails) if self.tails else None


class Trial(msgspec.Struct, frozen=True):
    """Result of a trial; drives that the gate refused, and drives that failed, with the reasons."""

    seconds: float
    moved: tuple[Moved, ...]
    refused: dict[str, str]
    failed: dict[str, str]

    @property
    def carried(self) -> bool:
        """Return True if this host can run these drives in parallel: all were measured and kept within the limits."""
        quick = all(load.tail is None or load.tail <= MOST_TAIL for load in self.moved)
        return bool(self.moved) and not self.failed and self.least >= LEAST_RATE and quick

    @property
    def least(self) -> float:
        """Return the worst of all rates."""
        return min((load.rate for load in self.moved), default=1.0)

    def of(self, target: str) -> list[Moved]:
        """Return the results of one drive."""
        return [load for load in self.moved if load.target == target]


def trial(requests: Sequence[Request], folder: str, seconds: float, fds: Sequence[int] = ()) -> Trial:
    """Measure each drive beside all others with windows of `seconds`, through the gate, and stop all loads.

    The drives' processes inherit the descriptors `fds`, whose locks are held as long as a process runs.
    """
    with ExitStack() as end:
        probes = [end.enter_context(Probe(request, folder, seconds, fds)) for request in requests]
        for drive in probes:
            drive.wait(lambda drive=drive: drive.ready)  # type: ignore[misc]
        moved = [
            change
            for load in LOADS
            for drive in probes
            if (change := _moved(drive, [other for other in probes if other is not drive], load, seconds))
        ]
        refused = {drive.target: drive.refused for drive in probes if drive.refused}
        failed = {drive.target: drive.failed for drive in probes if drive.failed and not drive.refused}
    return Trial(seconds, tuple(moved), refused, failed)


def _moved(drive: "Probe", others: Sequence["Probe"], load: Workload, seconds: float) -> Moved | None:
    """Measure a drive's load with the others starting and stopping, or None if no pair was completed."""
    pairs = []
    drive.hold(load)
    for _ in range(PAIRS):
        alone = drive.window(seconds)
        for other in others:
            other.hold(load)
        beside = drive.window(seconds)
        for other in others:
            other.hold(None)
        if alone and beside and not drive.failed and any(not other.failed for other in others):
            pairs.append((alone, beside))
    drive.hold(None)
    tails = [(percentile_s(a.both, PERCENT), percentile_s(b.both, PERCENT)) for a, b in pairs]
    rates = tuple(b.bytes_per_s / a.bytes_per_s for a, b in pairs)
    return Moved(drive.target, load.label, rates, tuple(b / a for a, b in tails if a and b)) if pairs else None


class Probe:
    """The process of one drive, and its reports so far."""

    def __init__(self, request: Request, folder: str, seconds: float, fds: Sequence[int] = ()) -> None:
        self.target, self.refused, self.failed, self.ready = request.target, "", "", False
        self.holds: Workload | None = None
        self.reports: list[Report] = []
        self.news = threading.Condition()
        words = [sys.executable, "-m", probe.__name__]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0, pass_fds=fds
        )
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        setup = Setup(
            request.target, request.destroy or "", os.path.abspath(folder), min(seconds / 5, 1.0), request.overwrite
        )
        self._send(setup)

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *error: object) -> None:
        """Close the input, which ends the process, and read its output to the end. Kill it if it hangs."""
        with suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.listener.join(PATIENCE_S)

    def hold(self, load: Workload | None) -> None:
        """Start or stop a load, and return when it runs or has stopped."""
        if self.failed or (load is None and self.holds is None):
            return
        self.reports.clear()
        self.holds = load
        self._send(Next(load))
        self.wait(lambda: any((report.counts if load else report.rests) for report in list(self.reports)))

    def window(self, seconds: float) -> Counts | None:
        """Return the counts of whole intervals in the next `seconds`, or None if there were none."""
        began = time.monotonic()
        self.wait(lambda: bool(self.reports) and self.reports[-1].t >= began + seconds)
        reports = list(self.reports)
        inside = [each.counts for each in reports if each.counts and each.t - each.counts.seconds >= began]
        total = added(inside)
        return total if total.bytes_per_s else None

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition is true, the process has failed, or the time is over."""
        with self.news:
            if not self.news.wait_for(lambda: condition() or bool(self.failed), PATIENCE_S):
                self.failed = f"{self.target} said nothing for {PATIENCE_S:.0f} s in the trial"

    def _send(self, message: Setup | Next) -> None:
        with suppress(OSError):
            self.process.stdin.write(msgspec.json.encode(message) + b"\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def _listen(self) -> None:
        assert self.process.stdout is not None  # noqa: S101 for mypy: it is a pipe
        for line in self.process.stdout:
            report = msgspec.json.decode(line, type=Report)
            with self.news:
                self.reports.append(report)
                self.ready, self.refused = self.ready or report.ready, self.refused or report.refused
                self.failed = self.failed or report.failed or report.refused
                self.news.notify_all()
        with self.news:
            self.failed = self.failed or f"the trial of {self.target} ended without a word"
            self.news.notify_all()
