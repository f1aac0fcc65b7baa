"""Pair issue events with completion events into IOs, with the response time and the depth of each.

IOs come out in the order of their issue. An IO is held back until all before it are done, or until HELD IOs are held:
then the oldest one counts as lost.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.jit import compiled
from stend.trace.form import UNKNOWN, Batch

ISSUE, DONE = 0, 1
HELD = 1 << 18
IN_FLIGHT = 1 << 13
"""Most IOs in flight; with more, the older half counts as lost."""


@compiled
def _pair(event: Any, t_ns: Any, key: Any, first: Any, issued: Any, latency: Any, depth: Any, at: Any, f: Any) -> Any:
    """Write issue times, response times and depths into the arrays, which start with IO number `first`.

    New issues go to the places from `at` on. `f` [2, 1 + IN_FLIGHT]: the number of IOs in flight, then their keys and
    IO numbers, the oldest first.
    """
    for i in range(event.shape[0]):
        flying, entry = f[0, 0], 0
        for k in range(1, flying + 1):
            if f[0, k] == key[i]:
                entry = k
                break
        if entry:  # done, or issued again because its completion was lost
            if event[i] == DONE and f[1, entry] >= first:
                latency[f[1, entry] - first] = max(t_ns[i] - issued[f[1, entry] - first], 0)
            for k in range(entry, flying):
                f[0, k], f[1, k] = f[0, k + 1], f[1, k + 1]
            flying -= 1
        if event[i] == ISSUE:
            if flying == IN_FLIGHT:
                half = IN_FLIGHT // 2
                for k in range(1, half + 1):
                    f[0, k], f[1, k] = f[0, k + half], f[1, k + half]
                flying = half
            flying += 1
            f[0, flying], f[1, flying] = key[i], first + at
            issued[at], depth[at] = t_ns[i], flying
            at += 1
        f[0, 0] = flying


class Pairing:
    """Pairs blocks of events into IOs."""

    def __init__(self) -> None:
        self._flying = np.zeros((2, 1 + IN_FLIGHT), np.int64)
        self._first = 0
        self._held: dict[str, npt.NDArray[Any]] = {}

    def add(
        self, event: npt.NDArray[np.int64], t_ns: npt.NDArray[np.int64], key: npt.NDArray[np.int64], ios: Batch
    ) -> Batch:
        """Add events in their order and return the IOs that are complete by now.

        `event` is ISSUE or DONE, `key` is shared by both events of an IO (from its place and direction), and `ios` has
        the columns of the issues alone.
        """
        many = int((event == ISSUE).sum())
        fresh: dict[str, npt.NDArray[Any]] = {
            "latency_ns": np.full(many, UNKNOWN, np.int64),
            "depth": np.zeros(many, np.int32),
        }
        fresh |= ios
        old = len(self._held["t_ns"]) if self._held else 0
        held = {name: np.concatenate([self._held[name], new]) if old else new for name, new in fresh.items()}
        issued = np.ascontiguousarray(held["t_ns"], np.int64).copy()
        _pair(event, t_ns, key, self._first, issued, held["latency_ns"], held["depth"], old, self._flying)
        open_now = self._flying[1, 1 : 1 + self._flying[0, 0]]
        open_now = open_now[open_now >= self._first]
        sure = (int(open_now.min()) if len(open_now) else self._first + len(issued)) - self._first
        return self._give(held, max(sure, len(issued) - HELD, 0))

    def rest(self) -> Batch:
        """Return the IOs still held, at the end; without a completion the response time is UNKNOWN."""
        return self._give(self._held, len(self._held["t_ns"])) if self._held else {}

    def _give(self, held: dict[str, npt.NDArray[Any]], many: int) -> Batch:
        self._held = {name: values[many:] for name, values in held.items()}
        self._first += many
        return {name: values[:many] for name, values in held.items()}
