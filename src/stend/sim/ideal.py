"""The ideal drive: nothing it was asked before changes what it does now."""

import numpy as np
import numpy.typing as npt

from stend.sim import ideal_kernel as k
from stend.sim.drive import Drive
from stend.sim.requests import Loop, Stream
from stend.sim.spec import Spec


class IdealDrive(Drive):
    """Fixed service times."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        h = spec.host
        times = (
            h.read_command_us,
            h.write_command_us,
            k.MIB / h.read_mb_s,
            k.MIB / h.write_mb_s,
            h.read_answer_us,
            h.write_answer_us,
        )
        self.parameters = np.array([round(t * 1e3) for t in times], np.int64)
        self.busy = np.zeros(3, np.int64)

    def _fresh(self) -> None:
        pass

    def _serve(
        self,
        requests: Stream,
        slots: Loop,
        tallies: npt.NDArray[np.float64],
        bins: npt.NDArray[np.int64],
        until: int,
    ) -> bool:
        return bool(k.serve(self.busy, self.parameters, requests, slots, tallies, bins, until))
