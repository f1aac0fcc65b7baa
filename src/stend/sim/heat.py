"""A drive's temperature: first-order heating towards what its power and the air make of it, and the throttle."""

import math

from stend.sim.spec import Thermal

HYSTERESIS_K = 3


class Heat:
    """Temperature over the drive's own time."""

    def __init__(self, thermal: Thermal) -> None:
        self.thermal = thermal
        self.celsius = thermal.ambient_c + thermal.idle_w * thermal.kelvin_per_w
        self.throttled = False

    def spend(self, seconds: float, busy: float, ambient_c: float) -> None:
        """So much time with a share `busy` (0-1) of its full power."""
        t = self.thermal
        end_c = ambient_c + (t.idle_w + (t.busy_w - t.idle_w) * min(busy, 1.0)) * t.kelvin_per_w
        self.celsius = end_c + (self.celsius - end_c) * math.exp(-seconds / t.seconds)
        if t.limit_c:
            self.throttled = self.celsius >= t.limit_c - (HYSTERESIS_K if self.throttled else 0)

    @property
    def speed(self) -> float:
        """How fast the drive's clock runs: 1, or its throttled share."""
        return self.thermal.throttle_pct / 100 if self.throttled else 1.0
