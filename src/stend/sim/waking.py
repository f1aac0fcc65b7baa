"""Exit latency of a scaled drive: it hits the IOs of the full-size drive that are in flight or arrive meanwhile.

A simulated IO represents `scale` IOs, of which most come later. Drives without a scale wait in the kernel instead
(`kernels.awake`).
"""

import numpy as np
import numpy.typing as npt

from stend.sim.power import Power


class Waking:
    """The exit from the power state in which a load finds the drive. `outstanding` is 0 for an open loop."""

    def __init__(self, power: Power, now_s: float, outstanding: int) -> None:
        state = power.state(now_s)
        self.exit_s, self.watts = (state.exit_ms / 1e3, power.exit_w(state)) if state else (0.0, 0.0)
        self.outstanding, self.left_s = outstanding, self.exit_s if outstanding else 0.0

    def spend(self, seconds: float) -> float:
        """Return how many of the next seconds pass without an answer."""
        spent_s = min(self.left_s, seconds)
        self.left_s -= spent_s
        return spent_s

    def waits_ns(self, iops: float) -> npt.NDArray[np.float64]:
        """Return the waits of IOs, once, after the exit; in an open loop those that arrive later wait for less."""
        if self.left_s > 0 or not self.exit_s or not iops:
            return np.zeros(0)
        exit_s, self.exit_s = self.exit_s, 0.0
        if self.outstanding:
            return np.full(self.outstanding, exit_s * 1e9)
        many = int(iops * exit_s) + 1
        return exit_s * 1e9 * (1 - np.arange(many) / many)
