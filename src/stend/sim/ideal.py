"""The ideal drive: its service times never depend on earlier requests."""

import numpy as np

from stend.sim import ideal_kernel as k
from stend.sim.drive import Drive
from stend.sim.requests import Ledger, Loop, Stream
from stend.sim.spec import Spec


class IdealDrive(Drive):
    """A drive with fixed service times, or exponential ones. Its queue is then M/D/1, or M/M/c, of queueing theory."""

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
            h.trim_command_us,
            h.trim_mib_us,
            0 if spec.protected else h.flush_us,
        )
        self.memory = k.Ideal(
            parameters=np.array([*(round(t * 1e3) for t in times), spec.ideal.service == "exponential"], np.int64),
            link=np.zeros(2, np.int64),
            server=np.zeros(spec.ideal.servers, np.int64),
            rng=np.array([0x9E3779B97F4A7C15 ^ (spec.seed * 2 + 1)], np.uint64),
        )

    def fresh(self) -> None:
        """Do nothing: the ideal drive holds no data."""

    def _kernel(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        return bool(k.serve(self.memory, requests, slots, done, until))
