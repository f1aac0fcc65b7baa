"""Issues and completions that are told apart become IOs: each issue with its own completion, and its depth.

Whatever reads the block layer's events (blkparse, tracefs) shares it. IOs are told in the order of their issue, held
back until all before them are done, or until so many are held that the oldest is taken for lost.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.typed import Dict

from stend.trace.compiled import kernel
from stend.trace.form import UNKNOWN, Batch

ISSUE, DONE = 0, 1
HELD = 1 << 20
IN_FLIGHT = 1 << 16
"""More IOs than this are never in flight; whose completion did not come by then was lost."""


@kernel
def _pair(
    event: npt.NDArray[np.int64],
    t_ns: npt.NDArray[np.int64],
    key: npt.NDArray[np.int64],
    first: int,
    issued: npt.NDArray[np.int64],
    latency: npt.NDArray[np.int64],
    depth: npt.NDArray[np.int32],
    at: int,
    flying: Any,
) -> int:
    """Issues get places from `at` on in the arrays, which begin with IO number `first`; how many completions fitted."""
    fitted = 0
    for i in range(len(event)):
        if event[i] == ISSUE:
            if len(flying) >= IN_FLIGHT:
                flying.clear()
            flying[key[i]] = first + at
            issued[at], depth[at] = t_ns[i], len(flying)
            at += 1
        elif key[i] in flying:
            own = flying.pop(key[i]) - first
            fitted += 1
            if own >= 0:
                latency[own] = max(t_ns[i] - issued[own], 0)
    return fitted


class Pairing:
    """Takes blocks of events, gives IOs."""

    def __init__(self) -> None:
        self._flying: Any = Dict.empty(types.int64, types.int64)
        self._first = 0
        self._held: dict[str, npt.NDArray[Any]] = {}

    def add(
        self, event: npt.NDArray[np.int64], t_ns: npt.NDArray[np.int64], key: npt.NDArray[np.int64], ios: Batch
    ) -> Batch:
        """Events in their order: ISSUE or DONE, when, and a key that both of an IO share (its place and direction);
        `ios` are the columns of the issues alone. What is sure by now is given back."""
        many = int((event == ISSUE).sum())
        fresh: dict[str, npt.NDArray[Any]] = {
            "latency_ns": np.full(many, UNKNOWN, np.int64),
            "depth": np.zeros(many, np.int32),
        }
        fresh |= ios
        old = len(self._held["t_ns"]) if self._held else 0
        held = {name: np.concatenate([self._held[name], own]) if old else own for name, own in fresh.items()}
        issued = np.ascontiguousarray(held["t_ns"], np.int64).copy()
        _pair(event, t_ns, key, self._first, issued, held["latency_ns"], held["depth"], old, self._flying)
        sure = min(self._flying.values(), default=self._first + len(issued)) - self._first
        return self._give(held, max(sure, len(issued) - HELD, 0))

    def rest(self) -> Batch:
        """All that is held, at the end; response times of what never came back are unknown."""
        return self._give(self._held, len(self._held["t_ns"])) if self._held else {}

    def _give(self, held: dict[str, npt.NDArray[Any]], many: int) -> Batch:
        self._held = {name: own[many:] for name, own in held.items()}
        self._first += many
        return {name: own[:many] for name, own in held.items()}
