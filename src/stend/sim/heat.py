"""Temperature of a drive: first-order heating towards the equilibrium of its power and the air, and throttling."""

import math

from stend.sim.spec import Thermal

HYSTERESIS_K = 3


class Heat:
    """Temperature of a drive over its own time."""

    def __init__(self, thermal: Thermal, watts: float) -> None:
        self.thermal = thermal
        self.celsius = thermal.ambient_c + watts * thermal.kelvin_per_w
        self.throttled = False

    def spend(self, seconds: float, watts: float, ambient_c: float) -> None:
        """Let time pass with a mean power."""
        t = self.thermal
        end_c = ambient_c + watts * t.kelvin_per_w
        self.celsius = end_c + (self.celsius - end_c) * math.exp(-seconds / t.seconds)
        if t.limit_c:
            self.throttled = self.celsius >= t.limit_c - (HYSTERESIS_K if self.throttled else 0)

    @property
    def speed(self) -> float:
        """Return the speed of the drive's clock: 1, or the share to which it is throttled."""
        return self.thermal.throttle_pct / 100 if self.throttled else 1.0
