"""Watts of a drive: by activity while it serves requests, by its power states while it rests.

Awake it draws `idle_w`, and more in proportion to how busy its link and its medium are, and for each command. After a
rest of `sleep_after_ms` it is in a power state, until a request ends the rest and waits for the exit latency. Writing
in the background (cleaning, a write memory) is not rest. The power heats the drive (`sim.heat`).
"""

import math
from array import array
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.sim.requests import NO_REST, READ, WRITE
from stend.sim.spec import PowerState, Spec

SINCE, AWAKE_AT, LEFT, STATES = range(4)
"""Indices in `Loop.rest`, in inner ns: end of the last request, end of the last exit latency, index of the state that
it left, and the first state."""
AFTER, EXIT, SLEPT, WOKE, STATE_WORDS = range(5)
"""Words of each state in `Loop.rest`: rest after which it is entered, exit latency, ns spent in rests that have ended,
and in exit latencies."""
NS = 1e9
SHORT_S, FINE_S, COARSE_S = 1.0, 0.1, 1.0
"""Longest readings: FINE_S in the first SHORT_S of a rest, COARSE_S later."""
MOST_READINGS = 1 << 17
"""Readings kept until they are read. Older ones are dropped. At COARSE_S they are a day and a half."""
TRACE = 1e-9
"""A smaller share of a time is a rounding error."""
LEAST_S = 1e-6
"""A shorter rest of a reading belongs to the one before it."""
FIELDS = 4
FOREVER = 1 << 62

Words = npt.NDArray[np.int64]
Sums = npt.NDArray[np.float64]
Reading = tuple[float, float, float, float]
"""(end on the drive's clock, seconds, mean watts, highest watts)"""


class Spent(NamedTuple):
    """Parts of a reading that is not complete."""

    seconds: float = 0.0
    joules: float = 0.0
    most_w: float = 0.0


class Power:
    """Power of one drive over its own time. With `saving` False it never sleeps."""

    def __init__(self, spec: Spec) -> None:
        self.watts, self.host, self.saving = spec.power, spec.host, True
        self.since_s = 0.0
        """end of the last request or background work"""
        self._spent, self._last_w = Spent(), self.watts.idle_w
        self._readings, self._asleep = array("d"), np.zeros((0, 2))

    @property
    def states(self) -> tuple[PowerState, ...]:
        """Return the power states that the drive enters."""
        return self.watts.states if self.saving else ()

    def read(self) -> list[Reading]:
        """Return the readings since the last call."""
        each, self._readings = self._readings, array("d")
        return [(each[n], each[n + 1], each[n + 2], each[n + 3]) for n in range(0, len(each), FIELDS)]

    def begin(self, now_s: float, inner_ns: int, *, rested: bool) -> Words:
        """Return `Loop.rest` for a load that starts now. With `rested` its first request ends the present rest."""
        rest = NO_REST
        if self.states:
            since = inner_ns - round((now_s - self.since_s) * NS) if rested else inner_ns
            each = ((round(state.sleep_after_ms * 1e6), round(state.exit_ms * 1e6), 0, 0) for state in self.states)
            rest = np.array([since, 0, 0, *chain(*each)], np.int64)
        self._asleep = _asleep(rest, inner_ns)
        return rest

    def state(self, now_s: float) -> PowerState | None:
        """Return the power state of a drive that rests until now, or None if it is awake."""
        rest_ms = (now_s - self.since_s) * 1e3
        return next((state for state in reversed(self.states) if state.sleep_after_ms <= rest_ms), None)

    def exit_w(self, state: PowerState) -> float:
        """Return the watts while the drive leaves a state."""
        return state.exit_w or self.watts.idle_w

    def above_w(self, busy: float, moved: Sums, commands_per_s: float = 0.0) -> float:
        """Return the watts above `idle_w` of a drive that is busy for a share (0-1) of the time.

        `moved` is bytes read and written: their time on the link decides between `read_w` and `write_w`.
        """
        w, read, written = self.watts, moved[READ] / self.host.read_mb_s, moved[WRITE] / self.host.write_mb_s
        top_w = w.write_w + (w.read_w - w.write_w) * float(read / (read + written) if read else 0.0) - w.idle_w
        used_w = top_w * min(busy, 1.0) + commands_per_s * w.command_uj / 1e6
        return float(min(used_w, top_w))

    def work(self, seconds: float, above_w: float, rest: Words, now_ns: int, lasted_ns: int) -> float:
        """Let `seconds` of a load pass, which last `lasted_ns` until `now_ns` in inner ns. Return the mean watts."""
        w, mean_w, awake, most_w = self.watts, self.watts.idle_w, 1.0, 0.0
        if len(rest):
            asleep = _asleep(rest, now_ns)
            shares, self._asleep = (asleep - self._asleep) / lasted_ns, asleep
            for state, (slept, woke) in zip(self.states, shares.tolist(), strict=True):
                mean_w += (state.watts - w.idle_w) * slept + (self.exit_w(state) - w.idle_w) * woke
                most_w = max(most_w, state.watts if slept else 0.0, self.exit_w(state) if woke else 0.0)
                awake -= slept + woke
        if awake > TRACE:
            top_w = max(w.read_w, w.write_w) - w.idle_w
            peak = max(w.peak_w - w.idle_w, top_w) / top_w if top_w > 0 else 1.0
            most_w = max(most_w, w.idle_w + above_w * peak)
        return self.spend(seconds, mean_w + above_w, most_w)

    def spend(self, seconds: float, watts: float, most_w: float) -> float:
        """Add a time to the reading that `end` completes. Return its watts."""
        self._spent = self._spent._replace(
            seconds=self._spent.seconds + seconds,
            joules=self._spent.joules + watts * seconds,
            most_w=max(self._spent.most_w, most_w),
        )
        return watts

    def end(self, now_s: float, seconds: float, rest: Words, inner_ns: int) -> None:
        """Complete the reading of the last `seconds`. Time that was not spent, as in a stall, has the same mean."""
        spent, self._spent = self._spent, Spent()
        self._last_w = spent.joules / spent.seconds if spent.seconds else self._last_w
        parts = max(math.ceil(seconds / COARSE_S - 1e-9), 1)
        for n in range(1 - parts, 1):
            self._keep(now_s + n * seconds / parts, seconds / parts, self._last_w, max(spent.most_w, self._last_w))
        self.since_s = now_s - (max(inner_ns - int(rest[SINCE]), 0) / NS if len(rest) else 0.0)

    def rest(self, now_s: float, seconds: float, worked_s: float, above_w: float) -> Iterator[tuple[float, float]]:
        """Let `seconds` pass without requests. Yield (seconds, watts) of each part.

        The drive works in the background for the first `worked_s` with `above_w`. Its rest begins when that ends.
        """
        end_s = now_s + seconds
        if worked_s:
            worked_s = min(worked_s, seconds)
            yield worked_s, self._rested(now_s, worked_s, self.watts.idle_w + above_w)
            now_s += worked_s
            self.since_s = now_s
        edges = [self.since_s + state.sleep_after_ms / 1e3 for state in self.states]
        for edge_s in (*(edge for edge in edges if now_s < edge < end_s), end_s):
            if edge_s > now_s or not seconds:
                state = self.state((now_s + edge_s) / 2)
                yield edge_s - now_s, self._rested(now_s, edge_s - now_s, state.watts if state else self.watts.idle_w)
                now_s = edge_s

    def _rested(self, now_s: float, seconds: float, watts: float) -> float:
        """Keep the readings of a part of a rest, and return its watts."""
        end_s = now_s + seconds
        while now_s < end_s:
            step_s = FINE_S if now_s - self.since_s < SHORT_S - FINE_S / 2 else COARSE_S
            step_s = min(step_s, end_s - now_s)
            step_s = end_s - now_s if end_s - now_s - step_s < LEAST_S else step_s
            now_s += step_s
            self._keep(now_s, step_s, watts, watts)
        self._last_w = watts
        return watts

    def _keep(self, end_s: float, seconds: float, watts: float, most_w: float) -> None:
        if seconds > 0:
            self._readings.extend((end_s, seconds, watts, most_w))
        if len(self._readings) > MOST_READINGS * FIELDS:
            del self._readings[: MOST_READINGS // 2 * FIELDS]


def _asleep(rest: Words, now_ns: int) -> Sums:
    """Return the ns until now in each state and in its exit latency: [states, 2]."""
    states = rest[STATES:].reshape(-1, STATE_WORDS)
    times = states[:, [SLEPT, WOKE]].astype(float)
    if len(states):
        slept = now_ns - rest[SINCE]
        ends = np.append(states[1:, AFTER], FOREVER)
        times[:, 0] += np.clip(slept, states[:, AFTER], ends) - states[:, AFTER]
        times[(rest[LEFT] - STATES) // STATE_WORDS, 1] -= max(int(rest[AWAKE_AT]) - now_ns, 0)
    return times
